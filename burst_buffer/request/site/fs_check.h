/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_FS_CHECK_H
#define SLU_BURST_FS_CHECK_H

/* Refuses requests for a file system that sluice.conf does not define. Private
 * to burst_buffer/request. */

#include "burst_buffer/request/request.h"
#include "common/conf.h"

/* Is there such a file system? */
int slu_check_fs(const struct slu_request *req, const struct slu_conf *conf,
		 struct slu_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_PERSISTENT_CHECK_H
#define SLU_BURST_PERSISTENT_CHECK_H

/* Checks the persistent buffers that a request creates or destroys. Private to
 * burst_buffer/request. */

#include "burst_buffer/request/site/fstype.h"

int slu_check_persist(const struct slu_request *req,
		      const struct slu_conf *conf, struct slu_err *err);
bool slu_can_persist(const struct slu_fstype *type); /* NULL: it cannot */

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_RESOLVE_H
#define SLU_BURST_RESOLVE_H

/* Completes a request by the profile that it names. Private to
 * burst_buffer/request. */

#include "burst_buffer/request/request.h"
#include "common/conf.h"

/* Applies the presets of the request's profile. */
int slu_apply_profile(struct slu_request *req, const struct slu_conf *conf,
		      struct slu_err *err);

#endif

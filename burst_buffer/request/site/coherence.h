/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_COHERENCE_H
#define SLU_BURST_COHERENCE_H

/* Checks whether a file system gives the coherence that a request wants.
 * Private to burst_buffer/request; what coherence a file system has is in
 * fstype.h. */

#include "burst_buffer/request/site/fstype.h"

/* Does the file system support the requested coherence, and are its options
 * safe with that? The file system and its driver are known to exist. The error
 * names those that fit: slu_can_persist, or NULL. */
int slu_check_coherence(const struct slu_request *req,
			const struct slu_conf *conf,
			bool (*fits)(const struct slu_fstype *type),
			struct slu_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_PERSISTENT_STATE_H
#define SLU_CTL_PERSISTENT_STATE_H

/*
 * Checks submissions that create, use or destroy persistent buffers, and lets
 * such jobs wait until that is possible.
 */

#include "burst_buffer/request/request.h"
#include "ctl/ctl.h"
#include "ctl/link/mirror.h"

struct slu_ctl;

/* Refuse at submission what cannot work with a persistent buffer. */
int slu_persistent_submit(struct slu_mirror *m, const struct slu_ctl_ask *ask,
			  const struct slu_request *req,
			  const struct slu_conf *conf, const char *user,
			  struct slu_err *err);

/* Does the job create, use or destroy a persistent buffer? */
bool slu_persistent_is_named(struct slu_ctl *ctl, uint32_t job_id,
			     const char *text);

/* Must sluiced be sent (again) what this waiting job waits for? Not within
 * `every` seconds. */
#define SLU_WAIT_AGAIN 10
bool slu_persistent_wait_due(struct slu_mirror *m, uint32_t job_id,
			     unsigned every);
/* Note sluiced's answer: not yet, because of `text`. */
void slu_persistent_wait_answer(struct slu_mirror *m, uint32_t job_id,
				const char *text);
/* Copy that answer to *why, which is left alone if there is none. */
void slu_persistent_wait_why(struct slu_mirror *m, uint32_t job_id,
			     char why[SLU_CTL_WHY]);

#endif

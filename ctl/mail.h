/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_MAIL_H
#define SLU_CTL_MAIL_H

/* Sends notification mail to users about what was done to their jobs. */

#include <stdbool.h>
#include "ctl/ops.h"

struct slu_ctl;
/* In the main thread: queues the mail about it, if the job's user wants one,
 * for a thread that sends it. Addresses that are malformed, or would be an
 * option or a command for some mail program, are not used. The tasks of an
 * array that get the same verdict get one message an hour; so does one run. */
void slu_mail_send(struct slu_ctl *ctl, const struct slu_verdict *verdict,
		   bool staged, double now);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_MAIL_H
#define SLU_CTL_MAIL_H

/* Mails to users about what was done to their jobs, sent by a thread of its
 * own. */

#include <stdbool.h>
#include "ctl/ops.h"

struct slu_ctl;
/* In the main thread: have the mail about it sent soon, if the job's user wants
 * one. Addresses that are malformed, or would be an option or a command for
 * some mail program, are not used. Of tasks of an array that get the same
 * verdict, one an hour is mailed; the same for one run, once an hour. */
void slu_mail_send(struct slu_ctl *ctl, const struct slu_verdict *verdict,
		   bool staged, double now);

#endif

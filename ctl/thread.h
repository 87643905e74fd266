/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_THREAD_H
#define SLU_CTL_THREAD_H

/* The main thread of libsluice: a loop that handles events of jobs, the link to
 * sluiced and what is due at a time. */

#include "ctl/ops.h"
#include "wire/ion_assignment.h"
#include "wire/control.h"

struct slu_ctl;

/* The thread; ctl is a struct slu_ctl. */
void *slu_ctl_thread(void *ctl);
/* One turn of the loop, without waiting. Returns when the next is due. */
double slu_ctl_step(struct slu_ctl *ctl, double now);
/* Free what belongs to the thread, after its end. */
void slu_ctl_thread_fini(struct slu_ctl *ctl);

/* Send a message, if the link is up; an error closes the link. */
void slu_ctl_send(struct slu_ctl *ctl, const struct slu_desc *desc,
		  const void *msg, double now);
/* The same for an assignment; one that is too long for a line is sent without
 * what is only for display. */
void slu_ctl_send_assignment(struct slu_ctl *ctl, struct slu_assignment *a,
			     double now);
/* Close the link and let held launches go. */
void slu_ctl_link_down(struct slu_ctl *ctl, const struct slu_err *why,
		       double now);

#endif

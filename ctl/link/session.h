/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_LINK_SESSION_H
#define SLU_CTL_LINK_SESSION_H

/*
 * Sends the main thread's messages to sluiced, and handles the loss of the
 * link.
 */

#include "common/err.h"
#include "wire/control.h"
#include "wire/ion_assignment.h"

struct slu_ctl;

/* Send a message, if the link is up; an error closes the link. */
void slu_ctl_send(struct slu_ctl *ctl, const struct slu_desc *desc,
		  const void *msg, double now);
/* The same for an assignment; one that is too long for a line is sent without
 * what is only for display. */
void slu_ctl_send_assignment(struct slu_ctl *ctl, struct slu_assignment *a,
			     double now);
/* Close the link, and do what has to be done then (slu_ctl_parts). */
void slu_ctl_link_down(struct slu_ctl *ctl, const struct slu_err *why,
		       double now);

#endif

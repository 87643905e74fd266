/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sends the main thread's messages to sluiced, and handles the loss of the
 * link. A lost link is logged when the reason changes, not at each attempt.
 */
#include "config.h"
#include "ctl/link/session.h"

#include <string.h>
#include <time.h>

#include "ctl/private.h"
#include "select_io/ion/assignment_delta.h"

/* One line when the reason changes, not one for each attempt. */
static void log_link(struct slu_ctl *ctl, const char *why)
{
	if (!strcmp(ctl->link_why, why))
		return;
	slu_copy(ctl->link_why, sizeof(ctl->link_why), why);
	ctl_log(ctl, SLU_WARN, "no link to sluiced: %s", why);
}

void slu_ctl_link_down(struct slu_ctl *ctl, const struct slu_err *why,
		       double now)
{
	log_link(ctl, why->text);
	if (!ctl->away_since) {
		ctl->away_since = now;
		ctl->next_unheard = 0;
	}
	ctl->linked = false;
	ctl->hello_said = false;
	slu_every_io(s, ctl) slu_iostart_link(s, false, time(NULL));
	slu_link_close(&ctl->link, now);
	ctl->parts->link_lost(ctl);
}

void slu_ctl_send(struct slu_ctl *ctl, const struct slu_desc *desc,
		  const void *msg, double now)
{
	struct slu_err err;

	/* an answer does not wait for the new hello */
	if (ctl->link.fd < 0 ||
	    !(ctl->hello_said || (ctl->linked && desc == &slu_done_desc)))
		return;
	if (slu_link_send(&ctl->link, desc, msg, &err) < 0)
		slu_ctl_link_down(ctl, &err, now);
}

void slu_ctl_send_assignment(struct slu_ctl *ctl, struct slu_assignment *a,
			     double now)
{
	if (ctl->hello_said &&
	    slu_link_send(&ctl->link, &slu_assignment_desc, a, NULL) == 0)
		return;
	slu_assignment_strip(a);
	slu_ctl_send(ctl, &slu_assignment_desc, a, now);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_UNHEARD_H
#define SLU_CTL_UNHEARD_H

/*
 * Gives up jobs that are being set up while sluiced is down, before their nodes
 * refuse the tasks.
 */

struct slu_ctl;

/* Check them, where that is due, and set ctl->next_unheard. */
void slu_unheard_tick(struct slu_ctl *ctl, double now);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_USERS_H
#define SLU_CTL_USERS_H

/*
 * Looks up the users that sluice.conf names, in a thread of its own, as the
 * directory service may hang.
 */

struct slu_ctl;

/* Start a look-up where one is due. Returns when to call again; the end of a
 * look-up wakes the loop by itself. */
double slu_users_tick(struct slu_ctl *ctl, double now);

#endif

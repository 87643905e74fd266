/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_QUESTIONS_LAYOUTS_H
#define SLU_SLUICED_QUESTIONS_LAYOUTS_H

/* Chooses the layout of a job's directory on Lustre. */

#include "sluiced/daemon.h"

struct slu_layout_ask;

/* See struct slu_plan_site. */
char *slu_daemon_layout(struct slu_daemon *d, const struct slu_layout_ask *ask,
			bool *known, char **why, struct slu_err *err);

#endif

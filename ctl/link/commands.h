/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_COMMANDS_H
#define SLU_CTL_COMMANDS_H

/* Handles what sluiced sends: commands, states of buffers, history. */

#include <stddef.h>

struct slu_ctl;

/* Act on one line from the link. */
void slu_ctl_handle_line(struct slu_ctl *ctl, const char *line, size_t len,
			 double now);

#endif

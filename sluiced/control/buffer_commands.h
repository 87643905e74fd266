/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_CONTROL_BUFFER_COMMANDS_H
#define SLU_SLUICED_CONTROL_BUFFER_COMMANDS_H

/* Sends slurmctld the commands that follow from changes of buffers. */

#include "burst_buffer/lifecycle/buffers.h"

extern const struct slu_buffers_ops slu_buffers_glue;

#endif

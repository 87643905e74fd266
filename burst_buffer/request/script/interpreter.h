/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_INTERPRETER_H
#define SLU_BURST_INTERPRETER_H

/* Decides whether a batch script is a shell's. Private to
 * burst_buffer/request. */

#include <stdbool.h>

/* Is this a shell's script, by its #! line? One without that
 * line is. */
bool slu_script_is_shell(const char *script);

#endif

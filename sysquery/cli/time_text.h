/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_CLI_TIME_TEXT_H
#define SLU_SYSQUERY_CLI_TIME_TEXT_H

/* Parses times and time limits on the command line, and formats times. */

#include <stdint.h>
#include "common/err.h"

/* Parses a time to Unix seconds: 2026-11-20, with T or a blank and 12:30 or
 * 12:30:15 behind it (local time), @1700000000, or how long ago: 3d, 12h,
 * 1-12:00:00 (see slu_seconds_parse). */
int slu_when_parse(const char *text, int64_t now, int64_t *out,
		   struct slu_err *err);

/* Local time as Slurm prints it, 2026-11-20T12:30:15; "?" for 0 and less
 * (unknown). Returns out. */
#define SLU_WHEN_TEXT 32
const char *slu_when_text(double seconds, char out[SLU_WHEN_TEXT]);

/* Parses a job's time limit in Slurm's form, to minutes: 90, 1:30:00, or
 * UNLIMITED, which is 0. */
int slu_limit_parse(const char *text, int64_t *minutes, struct slu_err *err);

#endif

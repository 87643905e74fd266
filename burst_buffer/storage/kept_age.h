/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STORAGE_KEPT_AGE_H
#define SLU_STORAGE_KEPT_AGE_H

/*
 * Measures how long the data of a failed stage-out has been kept, independently
 * of jumps of the clock (common/uptime.h): kept data is removed only when both
 * its date and its age say so. Each call updates the note `age`; if that fails,
 * as on a full disk, the earlier note stays.
 */

#include "common/uptime.h"

/* Seconds that the kept directory is known to have aged, noted in its file
 * `age`. */
int64_t slu_kept_age(const char *dir, const struct slu_uptime *now);

#endif

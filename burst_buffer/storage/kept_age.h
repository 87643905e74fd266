/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STORAGE_KEPT_AGE_H
#define SLU_STORAGE_KEPT_AGE_H

/*
 * How long data of a failed stage-out has been kept (common/uptime.h): it is
 * removed only when both its date and its age say so.
 */

#include "common/uptime.h"

/* Seconds that the kept directory is known to have aged, noted in its file
 * `age`. */
int64_t slu_kept_age(const char *dir, const struct slu_uptime *now);

#endif

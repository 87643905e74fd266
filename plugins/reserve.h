/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PLUGINS_RESERVE_H
#define SLU_PLUGINS_RESERVE_H

/*
 * Keeps storage for Slurm's reservations with BurstBuffer=, see reserve.c. ctl
 * may be NULL.
 */

#include <stdbool.h>
#include <stdint.h>

struct slu_ctl;

/* A reservation is made, changed or loaded. Reports the parts of it without
 * effect. */
void slu_reserve_check(const char *spec, struct slu_ctl *ctl);

/* Text about them for bbstat: lines, "" for none. Any thread. */
#define SLU_RESERVE_TEXT 2048
void slu_reserve_text(struct slu_ctl *ctl, char text[SLU_RESERVE_TEXT]);

/* Bytes of this pool (is it the site's first?) that this job (job_record_t)
 * cannot use, because it would run into reservations of them. Called within a
 * hook for the job. */
uint64_t slu_reserved(void *job, const char *pool, bool first);

#endif

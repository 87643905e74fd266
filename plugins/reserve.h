/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PLUGINS_RESERVE_H
#define SLU_PLUGINS_RESERVE_H

/* Reservations with BurstBuffer=, see reserve.c. ctl may be NULL. */

#include <stdbool.h>
#include <stdint.h>

struct slu_ctl;

/* One is made, changed or loaded. Told is what of it has no effect. */
void slu_reserve_seen(const char *spec, struct slu_ctl *ctl);

/* What bbstat says of them: lines, "" for none. Any thread. */
#define SLU_RESERVE_TEXT 2048
void slu_reserve_text(struct slu_ctl *ctl, char text[SLU_RESERVE_TEXT]);

/* Bytes of this pool (the site's first?) that are kept from this job
 * (job_record_t), as it would run into their time. Within a hook that has the
 * job. */
uint64_t slu_reserved(void *job, const char *pool, bool first);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STORAGE_HELD_STORAGE_H
#define SLU_STORAGE_HELD_STORAGE_H

/*
 * What somebody still has of an instance's storage that was wiped all the same:
 * a loop device, on which there is nothing any more; or, where a quota limited
 * it, files without a name, which take their room until he closes them. It is
 * noted in STORAGE/held/JOB.BUFFER until it has ended.
 */

#include <stdint.h>
#include "burst_buffer/storage/kept_age.h"
#include "common/err.h"

struct slu_held_storage {
	char dir[4096]; /* STORAGE/held/JOB.BUFFER */
	char name[48];	/* JOB.BUFFER */
	int64_t age;	/* seconds that it is known to last (kept_age.h) */
	uint64_t bytes; /* that it takes, as far as that can be seen */
	char who[SLU_ERR_TEXT]; /* has it, as far as that could be seen */
};

/* Note it. device: the loop device; "": there is a quota, of this project. */
int slu_held_storage_note(const char *storage, const char *name,
			  const char *device, uint32_t project, const char *who,
			  struct slu_err *err);

/* What files without a name take of what was STORAGE/JOB.BUFFER: by the quota
 * of the project, where that works, or by who has them open or mapped. */
uint64_t slu_held_storage_bytes(const char *storage, const char *name,
				uint32_t project);

/* Call fn with each that lasts; what has ended is forgotten, and its quota with
 * it. up NULL: nothing is changed, and no age told. */
typedef void slu_held_storage_f(void *arg, const struct slu_held_storage *held);
void slu_held_storage_each(const char *storage, const struct slu_uptime *up,
			   slu_held_storage_f *fn, void *arg);

#endif

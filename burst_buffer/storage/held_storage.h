/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STORAGE_HELD_STORAGE_H
#define SLU_STORAGE_HELD_STORAGE_H

/*
 * Keeps a list of wiped storage that a process still holds, so that it can be
 * reported and cleaned up later. What is held is an empty loop device; or,
 * below a quota, deleted files that take space until the process closes them. A
 * note in STORAGE/held/JOB.BUFFER lasts as long as that.
 */

#include <stdint.h>
#include "burst_buffer/storage/kept_age.h"
#include "common/err.h"

struct slu_held_storage {
	char dir[4096]; /* STORAGE/held/JOB.BUFFER */
	char name[48];	/* JOB.BUFFER */
	int64_t age;	/* seconds for which it is known to last (kept_age.h) */
	uint64_t bytes; /* bytes it takes, as far as that is known */
	char who[SLU_ERR_TEXT]; /* the process, as far as it was found */
};

/* Writes the note. device: the loop device; "": a quota, of this project. */
int slu_held_storage_note(const char *storage, const char *name,
			  const char *device, uint32_t project, const char *who,
			  struct slu_err *err);

/* Bytes of deleted files in what was STORAGE/JOB.BUFFER: by the project's
 * quota, where that works, else by the processes that have them open or
 * mapped. */
uint64_t slu_held_storage_bytes(const char *storage, const char *name,
				uint32_t project);

/* Calls fn for each note that is still valid; removes the others, with their
 * quotas. up NULL: changes nothing, and gives no age. */
typedef void slu_held_storage_f(void *arg, const struct slu_held_storage *held);
void slu_held_storage_each(const char *storage, const struct slu_uptime *up,
			   slu_held_storage_f *fn, void *arg);

#endif

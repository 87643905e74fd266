/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STORAGE_HEALTH_H
#define SLU_STORAGE_HEALTH_H

/*
 * Notices that a device with storage of a running job has failed: its file
 * system was unmounted or has become read-only, or it answers with I/O errors.
 */

#include <stddef.h>
#include "burst_buffer/storage/storage.h"

struct slu_storage_health;

/* Notes how n storages, each on a device of its own, are now. NULL: out of
 * memory. */
struct slu_storage_health *
slu_storage_health_new(const struct slu_storage *const *storage, size_t n);
void slu_storage_health_free(struct slu_storage_health *h);

/* Begins to write a little to each and to read it back, in a process for each,
 * as a device may take minutes for an answer; a later look has the result. Not
 * where the last answer is still missing. */
void slu_storage_health_probe(struct slu_storage_health *h);

/* SLU_IO names the first that has failed since, by mount point and device. Asks
 * only the kernel. */
int slu_storage_health_look(struct slu_storage_health *h, struct slu_err *err);

/* Is this storage there, on a file system that can be written to? SLU_IO: what
 * is wrong with it. Asks only the kernel. */
int slu_storage_is_there(const struct slu_storage *storage,
			 struct slu_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_DEVICES_H
#define SLU_NODE_DEVICES_H

/*
 * Handles a node's share that is spread over several devices (NodeDevices=all):
 * each of them has a storage of its own, as the storage of a share that lies on
 * one. What is noted once per node lies on the first.
 */

#include "burst_buffer/node/node.h"

/* The storage on the k-th device, of 1 + n->n_more. Borrowed. */
struct slu_storage *slu_devices_storage(const struct slu_node *n, size_t k);

/* slu_storage_used() of all devices together. */
int slu_devices_used(const struct slu_node *n, uint64_t *bytes,
		     struct slu_err *err);
/* slu_storage_kept_takes() of all devices together; 0: of one it is not known,
 * as it is not mounted (its part is kept when it is back). */
uint64_t slu_devices_kept_takes(const struct slu_node *n);
/* slu_storage_stored() of each: the first error. */
int slu_devices_stored(const struct slu_node *n, struct slu_err *err);
/* A mark on each device, as any of them may be gone when it is looked for; is
 * it on one? */
int slu_devices_mark(const struct slu_node *n, const char *mark,
		     struct slu_err *err);
bool slu_devices_have_mark(const struct slu_node *n, const char *mark);

/* slu_storage_is_there() of each that is not kept already: the first error. */
int slu_devices_there(const struct slu_node *n, struct slu_err *err);

/* Is the device of this directory usable, in a share that is spread over
 * devices? SLU_BUSY: it is not mounted, or read-only. Always 0 where the share
 * may lie on one only, as its directory may be anywhere. */
int slu_devices_check(const struct slu_node *n, const char *storage,
		      struct slu_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes the storage of this node's share of a job's file system (the step
 * "storage" of `up`): on each device over which it is spread, an image with its
 * part. */
#include "config.h"
#include "burst_buffer/node/commands/device_storage.h"
#include "burst_buffer/host/trust.h"
#include "burst_buffer/node/devices.h"
#include "burst_buffer/node/cache/input_cache.h"
#include "burst_buffer/node/teardown/leftovers.h"
#include "burst_buffer/node/setup/room.h"
#include "burst_buffer/node/setup/user_directories.h"
#include "burst_buffer/storage/image.h"

/* Any device may get the manifests. */
static int make_on(struct slu_node *n, size_t k, struct slu_err *err)
{
	const struct slu_plan_device at =
		slu_plan_device(&n->plan.node[n->self], k);
	const struct slu_storage_want want = {
		.storage = at.storage,
		.job_id = n->job_id,
		.buffer = n->plan.buffer,
		.capacity = at.capacity + slu_user_directories_size(n),
		.own_fs = n->driver->own_fs,
		.keep = n->plan.persistent,
	};
	struct slu_storage *s = slu_devices_storage(n, k);

	slu_input_cache_yield(n, at.storage, slu_image_size(want.capacity));
	if (slu_devices_check(n, at.storage, err)) {
		n->no_room = !n->plan.persistent;
		return -1;
	}
	if (slu_storage_make(&want, s, err)) {
		slu_room_report_shortage(n, at.storage, err);
		return -1;
	}
	if (slu_user_directories_size(n) && slu_leftovers_mark(s, err))
		return -1;
	slu_leftovers_remember(s);
	return 0;
}

int slu_devices_make(struct slu_node *n, struct slu_err *err)
{
	const struct slu_plan_node *me = &n->plan.node[n->self];

	for (size_t k = 0; k <= n->n_more; k++)
		if (slu_trust_dir(slu_plan_device(me, k).storage, err))
			return -1;
	/* until here there is nothing that would have to be removed */
	if (slu_note_put(n, SLU_STORAGE_NOTE, 0600, "", err))
		return -1;
	for (size_t k = 0; k <= n->n_more; k++)
		if (make_on(n, k, err))
			return -1;
	return 0;
}

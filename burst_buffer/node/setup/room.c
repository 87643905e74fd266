/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measures the free space of a node's storage and reports it to sluiced before
 * anything is made, as other programs write to the disk too. */
#include "config.h"
#include "burst_buffer/node/setup/room.h"
#include "burst_buffer/node/devices.h"
#include "burst_buffer/node/setup/user_directories.h"
#include "burst_buffer/node/talk.h"

#include <errno.h>
#include <libgen.h>
#include <string.h>
#include <sys/statvfs.h>
#include "burst_buffer/storage/image.h"
#include "burst_buffer/storage/stage_cache.h"
#include "common/str.h"

void slu_room_of(const char *path, uint64_t *available, uint64_t *size)
{
	char copy[PATH_MAX], *dir = copy;
	struct statvfs st = {0};

	slu_copy(copy, sizeof(copy), path);
	while (statvfs(dir, &st) && errno == ENOENT && strcmp(dir, "/"))
		dir = dirname(dir);
	*available = st.f_bavail * st.f_frsize;
	*size = st.f_blocks * st.f_frsize;
}

static void add_filler(const char *storage, struct slu_err *err)
{
	char who[SLU_ROOM_FILLER];
	size_t len = strlen(err->text);

	slu_room_filler(storage, who);
	if (*who)
		snprintf(err->text + len, sizeof(err->text) - len, ": %s", who);
}

/* The free bytes of one of the node's devices. -1: there are too few for the
 * part of the share that is to lie there. */
static int look_at(const struct slu_node *n, struct slu_plan_device at,
		   uint64_t *free, struct slu_err *why)
{
	const uint64_t needs =
		slu_image_size(at.capacity + slu_user_directories_size(n));
	uint64_t size;

	*free = 0;
	if (!*at.storage)
		return 0;
	if (slu_devices_check(n, at.storage, why))
		return at.capacity ? -1 : 0;
	slu_room_of(at.storage, free, &size);
	*free += slu_stage_cache_bytes(at.storage); /* that can be freed */
	if (!at.capacity || needs <= *free)
		return 0;
	slu_image_no_room(at.storage, needs, *free, why);
	add_filler(at.storage, why);
	return -1;
}

/* "BYTES" of each device, "BYTES+BYTES", followed by the reason if those of one
 * are not enough. */
static void put_attr(const struct slu_node *n, char attr[SLU_ATTR_MAX])
{
	const struct slu_plan_node *me = &n->plan.node[n->self];
	struct slu_err why = {0}, first = {0};
	int len = 0;
	uint64_t free;

	for (size_t k = 0; k <= me->n_more && len < SLU_ATTR_MAX; k++) {
		if (look_at(n, slu_plan_device(me, k), &free, &why) &&
		    !first.kind)
			first = why;
		len += snprintf(attr + len, SLU_ATTR_MAX - (size_t)len,
				"%s%llu", k ? "+" : "",
				(unsigned long long)free);
	}
	if (first.kind && len < SLU_ATTR_MAX)
		snprintf(attr + len, SLU_ATTR_MAX - (size_t)len, " %s",
			 first.text);
}

int slu_room_report(struct slu_node *n, bool *again, struct slu_err *err)
{
	struct slu_barrier_answer answer;
	char attr[SLU_ATTR_MAX];

	*again = false;
	if (!n->plan.givers)
		return 0;
	put_attr(n, attr);
	if (slu_talk_barrier(n, "room", attr, &answer, err))
		return -1;
	*again = slu_eq(answer.word, "plan");
	slu_msg_clear(&slu_barrier_answer_desc, &answer);
	return 0;
}

void slu_room_report_shortage(struct slu_node *n, const char *storage,
			      struct slu_err *err)
{
	if (err->kind != SLU_BUSY || n->plan.persistent)
		return;
	n->no_room = true;
	add_filler(storage, err);
}

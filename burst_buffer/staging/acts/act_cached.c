/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the source through the node's stage cache during COPY: a range that is
 * not cached is read from the source once, into the cache, and copied from
 * there. The source is opened by its user in any case, so a user who may not
 * read it any more gets no copy from the cache.
 */
#include <fcntl.h>
#include <unistd.h>
#include "burst_buffer/staging/acts/scan.h"

/* Writes the range's dirty pages before it is cached: changing a page that is
 * mapped and already dirty does not change the file's time, so the cached range
 * would be taken for the present version for ever. */
static void settle(int in, uint64_t offset, uint64_t len)
{
	(void)sync_file_range(in, (off_t)offset, (off_t)len,
			      SYNC_FILE_RANGE_WAIT_BEFORE |
				      SYNC_FILE_RANGE_WRITE |
				      SYNC_FILE_RANGE_WAIT_AFTER);
}

static int paced(void *arg, uint64_t bytes)
{
	const struct slu_stage_part *part =
		((struct slu_worker *)arg)->act->part;

	part->pace(part->arg, bytes);
	return 0;
}

/* Bytes are reported when they have been copied. */
static bool fill(struct slu_worker *t, int in, int fd, const struct stat *st,
		 uint64_t offset, uint64_t len)
{
	const bool sparse = st->st_blocks * 512 < st->st_size;
	int (*progress)(void *arg, uint64_t bytes) = t->copier.progress;
	int rc;

	t->copier.progress = t->act->part->pace ? paced : NULL;
	rc = slu_copy_part(&t->copier, in, fd, offset, len, sparse, NULL);
	t->copier.progress = progress;
	return rc == 0;
}

int slu_act_cached(struct slu_worker *t, int in, const struct stat *st,
		   uint64_t offset, uint64_t len)
{
	const struct slu_stage_cache_use *cache = t->act->part->cache;
	uint32_t ticket;
	int fd;

	if (!cache || !len)
		return in;
	settle(in, offset, len);
	fd = cache->open(cache->arg, in, offset, len, &ticket);
	if (fd >= 0 && !ticket) {
		t->act->hits++;
		t->act->cached_bytes += len;
		return fd;
	}
	t->act->misses++;
	if (fd < 0)
		return in;
	if (cache->filled(cache->arg, in, ticket,
			  fill(t, in, fd, st, offset, len)))
		return fd;
	close(fd);
	return in;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a directory in batches and calls stat() for each name with several
 * threads, as remote storage answers many requests in the time of one. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/staging/files/directory_batch.h"
#include "burst_buffer/staging/files/fresh.h"

#define LOOKERS 8  /* threads that look at them, */
#define EACH	32 /* so many each time */

static int by_inode(const void *a, const void *b)
{
	const struct slu_looked *x = a, *y = b;

	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

static int read_names(struct slu_directory_batch *b, DIR *dir)
{
	struct dirent *d = NULL;

	slu_buf_reset(&b->names);
	for (b->n = 0; b->n < SLU_BATCH && (errno = 0, d = readdir(dir));) {
		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, ".."))
			continue;
		b->item[b->n].ino = d->d_ino;
		b->item[b->n++].at = b->names.len;
		slu_buf_add(&b->names, d->d_name, strlen(d->d_name) + 1);
	}
	if (b->n < SLU_BATCH && errno)
		return -1;
	if (b->names.failed) {
		errno = ENOMEM;
		return -1;
	}
	qsort(b->item, b->n, sizeof(b->item[0]), by_inode);
	return 0;
}

static void *look(void *arg)
{
	struct slu_directory_batch *b = arg;
	size_t from;

	while ((from = atomic_fetch_add(&b->looked_at, EACH)) < b->n)
		for (size_t i = from; i < from + EACH && i < b->n; i++) {
			struct slu_looked *e = &b->item[i];

			e->errno_of =
				slu_stat_fresh(b->src, b->names.data + e->at,
					       &e->st)
					? errno
					: 0;
		}
	return NULL;
}

int slu_directory_batch_next(struct slu_directory_batch *b, DIR *dir,
			     bool one_thread)
{
	pthread_t thread[LOOKERS];
	unsigned n = 0, want;

	if (read_names(b, dir))
		return -1;
	want = one_thread ? 0 : (unsigned)b->n / EACH;
	b->looked_at = 0;
	while (n < want && n + 1 < LOOKERS &&
	       !pthread_create(&thread[n], NULL, look, b))
		n++;
	look(b);
	while (n)
		pthread_join(thread[--n], NULL);
	return 0;
}

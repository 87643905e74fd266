/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads and writes the records of early copies: notes of 16 bytes, in the order
 * in which they were made. A missing or torn note only means that a file is
 * copied again. A note without a path says when copying began.
 */
#include "burst_buffer/staging/copied.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include "burst_buffer/staging/files/fresh.h"
#include "common/file.h"

/* Two changes within a clock tick may have the same time: ticks are 1 s (ext3)
 * or 4 ms. */
#define TICK 2 /* s */

struct written {
	uint64_t path, is; /* hashes */
};

struct slu_copied_note {
	struct written w;
	size_t at; /* in the file */
	bool seen;
};

/* `is`: what cannot be the same as anything, and what the last bit says. */
#define NEVER	0u
#define ARRIVED 1u

static uint64_t path_hash(const char *path)
{
	uint64_t h = XXH3_64bits(path, strlen(path));

	return h ? h : 1;
}

static uint64_t state_hash(const struct stat *st)
{
	const int64_t is[] = {
		(int64_t)st->st_ino, st->st_size,	 st->st_mtim.tv_sec,
		st->st_mtim.tv_nsec, st->st_ctim.tv_sec, st->st_ctim.tv_nsec,
	};
	uint64_t h = XXH3_64bits(is, sizeof(is)) & ~(uint64_t)ARRIVED;

	return h == NEVER ? 2 : h;
}

static int by_path(const void *a, const void *b)
{
	const struct slu_copied_note *x = a, *y = b;

	if (x->w.path != y->w.path)
		return x->w.path < y->w.path ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Sorts the notes by path and keeps only the last one of each. */
static void sort(struct slu_copied *k)
{
	size_t n = 0;

	qsort(k->note, k->n, sizeof(*k->note), by_path);
	for (size_t i = 0; i < k->n; i++)
		if (i + 1 == k->n || k->note[i].w.path != k->note[i + 1].w.path)
			k->note[n++] = k->note[i];
	k->n = n;
	if (n && !k->note[0].w.path)
		k->began = (int64_t)k->note[0].w.is;
}

int slu_copied_load(struct slu_copied *k, int fd, struct slu_err *err)
{
	struct written some[1024];
	struct stat st;
	off_t at = 0;
	ssize_t got;

	*k = (struct slu_copied){.fd = fd > 0 ? fd : 0};
	if (!k->fd || slu_fstat_fresh(fd, &st))
		return 0;
	slu_drop_cache(fd, &st, 0, 0);
	k->note = calloc((size_t)st.st_size / sizeof(*some) + 1,
			 sizeof(*k->note));
	if (!k->note)
		return slu_err(err, SLU_NOMEM, "out of memory");
	while (at + (off_t)sizeof(*some) <= st.st_size &&
	       (got = slu_read_up_to(fd, (char *)some, sizeof(some), at)) >=
		       (ssize_t)sizeof(*some)) {
		size_t n = (size_t)got / sizeof(*some);

		for (size_t i = 0;
		     i < n && k->n < (size_t)st.st_size / sizeof(*some); i++) {
			k->note[k->n] = (struct slu_copied_note){.w = some[i],
								 .at = k->n};
			k->n++;
		}
		at += (off_t)(n * sizeof(*some));
	}
	sort(k);
	return 0;
}

void slu_copied_free(struct slu_copied *k)
{
	free(k->note);
	*k = (struct slu_copied){0};
}

static struct slu_copied_note *find(const struct slu_copied *k,
				    const char *path)
{
	const struct slu_copied_note want = {.w.path = path_hash(path)};
	size_t low = 0, high = k->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (k->note[middle].w.path < want.w.path)
			low = middle + 1;
		else
			high = middle;
	}
	return low < k->n && k->note[low].w.path == want.w.path ? &k->note[low]
								: NULL;
}

enum slu_copied_as slu_copied_as(const struct slu_copied *k, const char *path,
				 const struct stat *st)
{
	const struct slu_copied_note *note = find(k, path);

	if (!note)
		return SLU_COPIED_NOT;
	return note->w.is == (state_hash(st) | ARRIVED) ? SLU_COPIED_SAME
							: SLU_COPIED_ELSE;
}

bool slu_copied_trusts(const struct slu_copied *k, bool moved, const char *path,
		       const struct stat *st)
{
	enum slu_copied_as as =
		k->fd ? slu_copied_as(k, path, st) : SLU_COPIED_SAME;

	return as == SLU_COPIED_SAME || (as == SLU_COPIED_NOT && moved);
}

bool slu_copied_has(const struct slu_copied *k, const char *path)
{
	const struct slu_copied_note *note = find(k, path);

	return note && note->w.is & ARRIVED;
}

void slu_copied_see(const struct slu_copied *k, const char *path)
{
	struct slu_copied_note *note = find(k, path);

	if (note)
		__atomic_store_n(&note->seen, true, __ATOMIC_RELAXED);
}

uint64_t slu_copied_gone(const struct slu_copied *k)
{
	uint64_t gone = 0;

	for (size_t i = 0; i < k->n; i++)
		gone += k->note[i].w.path && !k->note[i].seen;
	return gone;
}

static int put(const struct slu_copied *k, uint64_t path, uint64_t is)
{
	const struct written w = {path, is};

	return write(k->fd, &w, sizeof(w)) == sizeof(w) ? 0 : -1;
}

int slu_copied_begin(struct slu_copied *k, struct slu_err *err)
{
	struct stat st;

	/* The first note gives the file the present time, which the second one
	 * records. */
	if (put(k, 0, INT64_MIN) || slu_fstat_fresh(k->fd, &st) ||
	    put(k, 0, (uint64_t)st.st_mtim.tv_sec))
		return slu_errno(err, SLU_IO,
				 "cannot write the list of "
				 "copied files");
	return 0;
}

void slu_copied_copy(const struct slu_copied *k, const char *path,
		     const struct stat *st)
{
	(void)put(k, path_hash(path), st ? state_hash(st) : NEVER);
}

void slu_copied_arrived(const struct slu_copied *k, const char *path,
			const struct stat *st)
{
	const struct slu_copied_note *note = find(k, path);

	if (note && note->w.is == state_hash(st) &&
	    st->st_ctim.tv_sec <= k->began - TICK)
		(void)put(k, note->w.path, note->w.is | ARRIVED);
}

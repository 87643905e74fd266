/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads and writes the journal of COPY (journal.h). A record of zeros was
 * allocated but never written: it is ignored. Work that could not be recorded
 * is done again after a crash.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "burst_buffer/staging/journal.h"
#include "common/file.h"

#define MAGIC 0x31796e6a756c73ull

/* Record 0. */
static struct slu_stretch head_of(const struct slu_totals *t)
{
	return (struct slu_stretch){MAGIC ^ t->files * 0x9e3779b97f4a7c15ull,
				    t->cost ^ t->bytes * 0x9e3779b97f4a7c15ull};
}

static int by_begin(const void *a, const void *b)
{
	const struct slu_stretch *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static void merge(struct slu_journal *j)
{
	size_t n = 0;

	qsort(j->done, j->n, sizeof(*j->done), by_begin);
	for (size_t i = 0; i < j->n; i++) {
		const struct slu_stretch s = j->done[i];

		if (s.begin >= s.end)
			continue;
		if (n && s.begin <= j->done[n - 1].end) {
			if (s.end > j->done[n - 1].end)
				j->done[n - 1].end = s.end;
			continue;
		}
		j->done[n++] = s;
	}
	j->n = n;
}

static int read_records(struct slu_journal *j, struct slu_err *err)
{
	off_t size = lseek(j->fd, 0, SEEK_END);
	size_t n = size > 0 ? (size_t)size / sizeof(*j->done) : 0;
	ssize_t got;

	n = n < SLU_JOURNAL_RECORDS ? n : SLU_JOURNAL_RECORDS;
	j->next = n ? n : 1;
	if (n < 2)
		return 0;
	j->n = n - 1;
	j->done = malloc(j->n * sizeof(*j->done));
	if (!j->done)
		return slu_err(err, SLU_NOMEM, "out of memory");
	got = slu_read_up_to(j->fd, (char *)j->done, j->n * sizeof(*j->done),
			     sizeof(struct slu_stretch));
	if (got < 0)
		return slu_errno(err, SLU_IO, "cannot read the journal");
	j->n = (size_t)got / sizeof(*j->done);
	merge(j);
	return 0;
}

int slu_journal_keep(int fd, uint64_t number, const struct slu_stretch *is)
{
	if (number >= SLU_JOURNAL_RECORDS || (number == 0 && ftruncate(fd, 0)))
		return -1;
	return pwrite(fd, is, sizeof(*is), (off_t)(number * sizeof(*is))) ==
			       sizeof(*is)
		       ? 0
		       : -1;
}

static int put(struct slu_journal *j, uint64_t number,
	       const struct slu_stretch *is)
{
	if (!j->tell)
		return slu_journal_keep(j->fd, number, is);
	if (number < SLU_JOURNAL_RECORDS)
		j->tell(number, is);
	return 0;
}

int slu_journal_open(struct slu_journal *j, int fd, slu_journal_record_f *tell,
		     const struct slu_totals *totals, struct slu_err *err)
{
	struct slu_stretch is, want = head_of(totals);

	*j = (struct slu_journal){
		.fd = fd > 0 ? fd : -1, .next = 1, .tell = tell};
	/* Work that is not in the journal may have been done, too: look for our
	 * claims. */
	j->resumed = true;
	if (j->fd < 0)
		return 0;
	j->resumed = pread(fd, &is, sizeof(is), 0) == sizeof(is) &&
		     !memcmp(&is, &want, sizeof(is));
	if (j->resumed)
		return read_records(j, err);
	if (put(j, 0, &want)) {
		j->fd = -1;
		j->resumed = true;
	}
	return 0;
}

void slu_journal_close(struct slu_journal *j)
{
	free(j->done);
	j->done = NULL;
	j->n = 0;
}

bool slu_journal_has(const struct slu_journal *j, uint64_t begin, uint64_t end)
{
	size_t low = 0, high = j->n;

	while (low < high) { /* the first that ends behind `begin` */
		size_t middle = (low + high) / 2;

		if (j->done[middle].end <= begin)
			low = middle + 1;
		else
			high = middle;
	}
	return low < j->n && j->done[low].begin <= begin &&
	       end <= j->done[low].end;
}

void slu_journal_note(struct slu_journal *j, struct slu_journal_record *r,
		      uint64_t begin, uint64_t end)
{
	if (j->fd < 0)
		return;
	if (!r->number || r->is.end != begin) {
		r->number = j->next++;
		r->is.begin = begin;
	}
	r->is.end = end;
	(void)put(j, r->number, &r->is);
}

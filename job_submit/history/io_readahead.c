/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Caches I/O volumes in a direct-mapped table of blocks of consecutive job ids.
 * A block is read as a whole at the second query for it without another block's
 * query for the same place in between: random access thus reads little more
 * than it needs. The reports of many nodes of a run are merged into one entry.
 */
#include "job_submit/history/io_readahead.h"

#include <stdlib.h>
#include <string.h>
#include "wire/fs_shares.h"

#define IDS    64u   /* job ids in a block */
#define BLOCKS 4096u /* places in the cache */

/* The sum of one source's rows of a run; of servers of Lustre by file system.
 */
struct word {
	uint32_t job_id, source;
	char fs[SLU_FS_NAME]; /* "": not known */
	int64_t start;
	bool all; /* a merged row of all nodes */
	double read_bytes, written_bytes;
	double calls, called_bytes, shared_bytes, consecutive;
};

/* Sorted by job_id and start. */
struct words {
	struct word *word;
	size_t n, room;
};

struct place {
	uint32_t asked, held; /* block last asked for, block cached; 0: none */
	struct words words;   /* of the cached block */
};

struct slu_io_readahead {
	uint64_t stamp;
	struct place place[BLOCKS];
};

struct slu_io_readahead *slu_io_readahead_new(void)
{
	return calloc(1, sizeof(struct slu_io_readahead));
}

void slu_io_readahead_free(struct slu_io_readahead *a)
{
	if (!a)
		return;
	for (struct place *p = a->place; p < a->place + BLOCKS; p++)
		free(p->words.word);
	free(a);
}

void slu_io_readahead_renew(struct slu_io_readahead *a, struct slu_db *db)
{
	uint64_t stamp = slu_db_stamp(db);

	if (stamp == a->stamp)
		return;
	a->stamp = stamp;
	for (struct place *p = a->place; p < a->place + BLOCKS; p++)
		p->asked = p->held = 0;
}

static bool same_run(const struct word *a, const struct word *b)
{
	return a->job_id == b->job_id && a->start == b->start;
}

/* The entry of the same run and source: rows of other sources may be between.
 */
static struct word *find_same(const struct words *w, const struct word *row)
{
	struct word *word;

	for (size_t i = w->n; i-- > 0 && same_run(&w->word[i], row);) {
		word = &w->word[i];
		if (word->source == row->source && word->all == row->all &&
		    slu_eq(word->fs, row->fs))
			return word;
	}
	return NULL;
}

static int append(struct words *w, const struct word *new, struct slu_err *err)
{
	if (w->n == w->room) {
		size_t room = w->room ? 2 * w->room : 8;
		struct word *word = realloc(w->word, room * sizeof(*word));

		if (!word)
			return slu_err(err, SLU_NOMEM, "out of memory");
		w->word = word;
		w->room = room;
	}
	w->word[w->n++] = *new;
	return 0;
}

/* A server's row is "server NAME FSNAME" or "metadata NAME FSNAME", without
 * FSNAME if that is not known. */
static void find_fs(const char *node, char fs[SLU_FS_NAME])
{
	const char *name = strchr(node, ' '), *last = strrchr(node, ' ');

	if (last != name)
		slu_copy(fs, SLU_FS_NAME, last + 1);
}

static int take(struct words *w, struct slu_rows *rows, struct slu_err *err)
{
	struct word new = {
		.job_id = (uint32_t)slu_db_int(rows, 0),
		.start = slu_db_int(rows, 1),
		.source = (uint32_t)slu_db_int(rows, 2),
		.all = slu_db_int(rows, 3),
		.read_bytes = slu_db_double(rows, 4),
		.written_bytes = slu_db_double(rows, 5),
		.calls = slu_db_double(rows, 6),
		.called_bytes = slu_db_double(rows, 7),
		.shared_bytes = slu_db_double(rows, 8),
		.consecutive = slu_db_double(rows, 9),
	};
	struct word *same;

	if (new.source == SLU_IO_JOBSTATS || new.source == SLU_IO_METADATA)
		find_fs(slu_db_text(rows, 10), new.fs);
	same = find_same(w, &new);
	if (!same)
		return append(w, &new, err);
	same->read_bytes += new.read_bytes;
	same->written_bytes += new.written_bytes;
	same->calls += new.calls;
	same->called_bytes += new.called_bytes;
	same->shared_bytes += new.shared_bytes;
	same->consecutive += new.consecutive;
	return 0;
}

static int read_words(struct slu_db *db, uint32_t first, uint32_t last,
		      struct words *w, struct slu_err *err)
{
	struct slu_rows *rows = slu_db_query(
		db, err,
		"SELECT JobID, StartTime, Source, Node = '*', ReadBytes,"
		" WrittenBytes, Calls, CalledBytes, SharedBytes, Consecutive,"
		" Node"
		" FROM JobIo WHERE JobID BETWEEN ? AND ?"
		" ORDER BY JobID, StartTime, Node",
		"II", (int64_t)first, (int64_t)last);
	int rc = rows ? 0 : -1;

	w->n = 0;
	while (rc == 0 && (rc = slu_db_step(rows, err)) > 0)
		rc = take(w, rows, err);
	slu_db_done(rows);
	return rc;
}

/* Sets *words to entries that include this job's; *one is used if they are not
 * cached. */
static int find_words(struct slu_io_readahead *a, struct slu_db *db,
		      uint32_t job_id, struct words *one,
		      const struct words **words, struct slu_err *err)
{
	uint32_t block = job_id / IDS + 1, first = job_id & -IDS;
	struct place *p = a ? &a->place[block % BLOCKS] : NULL;
	bool again = p && p->asked == block;

	if (p)
		p->asked = block;
	if (!again && !(p && p->held == block)) {
		*words = one;
		return read_words(db, job_id, job_id, one, err);
	}
	*words = &p->words;
	if (p->held == block)
		return 0;
	p->held = 0;
	if (read_words(db, first, first + IDS - 1, &p->words, err) < 0)
		return -1;
	p->held = block;
	return 0;
}

/* The first entry of the run, or the next one after it. */
static const struct word *first_of(const struct words *w,
				   const struct word *run)
{
	size_t from = 0, to = w->n;

	while (from < to) {
		size_t mid = (from + to) / 2;
		const struct word *at = &w->word[mid];

		if (at->job_id < run->job_id ||
		    (at->job_id == run->job_id && at->start < run->start))
			from = mid + 1;
		else
			to = mid;
	}
	return w->word + from;
}

/*
 * Bytes are those of the best source: the forwarders where there are any, even
 * if they report that the I/O is unknown; a source without some of the nodes is
 * worse than all others, and a buffer without any I/O does not describe the
 * job's other I/O. Only Darshan has the calls: a storage server's request is
 * merged from many calls by the client.
 */
static void add(const struct word *w, struct slu_history_row *row,
		uint32_t *best)
{
	bool partial =
		w->source < SLU_IO_JOBSTATS && !w->all && row->job.node_cnt > 1;
	bool nothing = w->source == SLU_IO_BUFFER &&
		       w->read_bytes + w->written_bytes == 0;
	bool forwarded = w->source == SLU_IO_FORWARDERS;
	uint32_t rank = forwarded ? 0
				  : w->source + (partial ? 1000 : 0) +
					    (nothing ? 2000 : 0);

	if (w->source == SLU_IO_METADATA) {
		row->metadata_ops += w->calls;
		return;
	}
	if (rank < *best) {
		*best = rank;
		row->io_source = w->source;
		row->read_bytes = row->written_bytes = 0;
	}
	if (rank == *best) {
		row->read_bytes += w->read_bytes;
		row->written_bytes += w->written_bytes;
	}
	if (w->source == SLU_IO_JOBSTATS) {
		row->rpcs += w->calls;
		return;
	}
	row->calls += w->calls;
	row->called_bytes += w->called_bytes;
	row->shared_bytes += w->shared_bytes;
	row->consecutive += w->consecutive;
}

/* Appends what a server has counted, by file system, or, where some other row
 * names one, without. */
static void add_share(const struct word *w, bool named, struct slu_buf *by_fs)
{
	const bool ops = w->source == SLU_IO_METADATA;
	struct slu_fs_share share = {
		.read_bytes = w->read_bytes,
		.written_bytes = w->written_bytes,
		.rpcs = ops ? 0 : w->calls,
		.metadata_ops = ops ? w->calls : 0,
	};

	if (!named || (!ops && w->source != SLU_IO_JOBSTATS))
		return;
	slu_copy(share.fs, sizeof(share.fs), *w->fs ? w->fs : SLU_FS_UNKNOWN);
	slu_fs_share_put(by_fs, &share);
}

static void add_run(const struct words *words, const struct word *run,
		    bool served, struct slu_history_row *row,
		    struct slu_buf *by_fs)
{
	const struct word *first = first_of(words, run), *w;
	const struct word *end = words->word + words->n;
	uint32_t best = UINT32_MAX;
	bool named = false;

	for (w = first; w < end && same_run(w, run); w++) {
		named |= *w->fs;
		if (!served || w->source == SLU_IO_JOBSTATS ||
		    w->source == SLU_IO_METADATA)
			add(w, row, &best);
	}
	for (w = first; w < end && same_run(w, run); w++)
		add_share(w, named, by_fs);
	row->by_fs = by_fs->data;
}

static int read_run(struct slu_io_readahead *a, struct slu_db *db, bool served,
		    struct slu_history_row *row, struct slu_buf *by_fs,
		    struct slu_err *err)
{
	const struct word run = {.job_id = row->job.job_id,
				 .start = row->job.start};
	const struct words *words;
	struct words one = {0};
	int rc = find_words(a, db, run.job_id, &one, &words, err);

	if (rc == 0)
		add_run(words, &run, served, row, by_fs);
	free(one.word);
	return rc;
}

int slu_io_readahead_read(struct slu_io_readahead *a, struct slu_db *db,
			  struct slu_history_row *row, struct slu_buf *by_fs,
			  struct slu_err *err)
{
	return read_run(a, db, false, row, by_fs, err);
}

int slu_io_readahead_served(struct slu_db *db, struct slu_history_row *row,
			    struct slu_buf *by_fs, struct slu_err *err)
{
	return read_run(NULL, db, true, row, by_fs, err);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes and reads manifests (manifest.h). The last line has a fixed length: a
 * reader starts with it, and takes from it the totals and the offset of the
 * marks. A writer that crashed has not written it, so an incomplete manifest is
 * refused.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/staging/files/beneath.h"
#include "burst_buffer/staging/manifest.h"
#include "burst_buffer/staging/share.h"

#define HEAD	       "sluice-manifest 2\n"
#define HEAD_LEN       (sizeof(HEAD) - 1)
#define TAIL_FORMAT(n) "end %020" n " %020" n " %020" n " %020" n "\n"
#define TAIL_LEN       (sizeof("end ") - 1 + 4 * 21)
#define FIRST_STEP     64
#define LINE_MAX_      128 /* the numbers of one record */

struct slu_manifest {
	FILE *file;
	char *path, *link;
	bool ended;
	uint64_t marks; /* offset of the marks: the end of the records */
	struct slu_manifest_mark mark[SLU_MANIFEST_MARKS];
	size_t n_mark;
};

static int write_failed(struct slu_err *err)
{
	return slu_errno(err, SLU_IO, "cannot write the manifest");
}

int slu_manifest_begin(struct slu_manifest_out *out, struct slu_err *err)
{
	out->offset = HEAD_LEN;
	out->step = FIRST_STEP;
	return fputs(HEAD, out->file) < 0 ? write_failed(err) : 0;
}

/* Sets a mark at every `step`-th record. When all marks are used, every second
 * one is dropped and the step doubles. */
static void mark(struct slu_manifest_out *out)
{
	if (out->n_mark == SLU_MANIFEST_MARKS) {
		for (size_t i = 0; i < SLU_MANIFEST_MARKS / 2; i++)
			out->mark[i] = out->mark[2 * i];
		out->n_mark = SLU_MANIFEST_MARKS / 2;
		out->step *= 2;
	}
	if (out->records % out->step == 0)
		out->mark[out->n_mark++] = (struct slu_manifest_mark){
			out->offset, out->totals.cost};
	out->records++;
}

static int count(struct slu_totals *t, const struct slu_entry *e,
		 struct slu_err *err)
{
	t->files += e->kind == 'f' || e->kind == 'l';
	if (e->kind == 'f' &&
	    (__builtin_add_overflow(t->bytes, e->size, &t->bytes) ||
	     __builtin_add_overflow(t->cost, slu_share_cost(e->size),
				    &t->cost)))
		return slu_err(err, SLU_INVALID, "more than 2^64 bytes");
	return 0;
}

int slu_check_colons(const char *path, struct slu_err *err)
{
	char text[SLU_PATH_TEXT];

	if (!strchr(path, ':'))
		return 0;
	return slu_err(err, SLU_INVALID,
		       "%s has a ':' in its name, which this file system takes "
		       "for a '/': rename it, or use another type=",
		       slu_path_text(path, text));
}

int slu_manifest_add(struct slu_manifest_out *out, const struct slu_entry *e,
		     struct slu_err *err)
{
	size_t path_len = strlen(e->path);
	size_t link_len = strlen(e->link);
	int n, m;

	if (path_len > SLU_STAGE_PATH_MAX || link_len > PATH_MAX)
		return slu_err(err, SLU_INVALID,
			       "a path is longer than %d bytes: ...%s",
			       SLU_STAGE_PATH_MAX, e->path + path_len - 60);
	if (out->no_colons && slu_check_colons(e->path, err))
		return -1;
	mark(out);
	n = fprintf(out->file,
		    "%c %o %" PRIu64 " %" PRId64 ".%09ld %zu %zu %" PRId64
		    ".%09ld\n",
		    e->kind, (unsigned)e->mode, e->size,
		    (int64_t)e->mtime.tv_sec, e->mtime.tv_nsec, path_len,
		    link_len, (int64_t)e->ctime.tv_sec, e->ctime.tv_nsec);
	m = fprintf(out->file, "%s%s\n", e->path, e->link);
	if (n < 0 || m < 0)
		return write_failed(err);
	out->offset += (uint64_t)n + (uint64_t)m;
	return count(&out->totals, e, err);
}

int slu_manifest_end(struct slu_manifest_out *out, struct slu_err *err)
{
	const struct slu_totals *t = &out->totals;
	bool failed = fprintf(out->file, "marks %zu\n", out->n_mark) < 0;

	for (size_t i = 0; i < out->n_mark; i++)
		failed |= fprintf(out->file, "%" PRIu64 " %" PRIu64 "\n",
				  out->mark[i].offset, out->mark[i].at) < 0;
	if (failed ||
	    fprintf(out->file, TAIL_FORMAT(PRIu64), t->files, t->bytes, t->cost,
		    out->offset) < 0 ||
	    fflush(out->file))
		return write_failed(err);
	return 0;
}

static int damaged(struct slu_err *err, const char *what)
{
	return slu_err(err, SLU_INVALID, "the manifest is damaged: %s", what);
}

/* Refuses absolute paths, ".." and embedded NULs; "" is the root itself. */
static bool safe_path(const char *path, size_t len)
{
	return strlen(path) == len && (!len || slu_plain_path(path));
}

/* Reads the last line, then the first: *t, and the offset of the marks. Leaves
 * the file at the first record. */
static int read_frame(FILE *file, struct slu_totals *t, uint64_t *marks)
{
	char head[HEAD_LEN], tail[TAIL_LEN + 1] = "";

	if (fseek(file, -(long)TAIL_LEN, SEEK_END) ||
	    fread(tail, TAIL_LEN, 1, file) != 1 || tail[TAIL_LEN - 1] != '\n' ||
	    sscanf(tail, TAIL_FORMAT(SCNu64), &t->files, &t->bytes, &t->cost,
		   marks) != 4 ||
	    *marks < HEAD_LEN || *marks > LONG_MAX)
		return -1;
	rewind(file);
	return fread(head, HEAD_LEN, 1, file) != 1 ||
			       memcmp(head, HEAD, HEAD_LEN)
		       ? -1
		       : 0;
}

/* Is this mark among the records, and after the mark before it? */
static bool mark_fits(const struct slu_manifest *m,
		      const struct slu_manifest_mark *mark,
		      const struct slu_totals *t)
{
	const struct slu_manifest_mark *before =
		m->n_mark ? &m->mark[m->n_mark - 1] : NULL;

	return mark->offset < m->marks && mark->at <= t->cost &&
	       (before ? mark->offset > before->offset && mark->at >= before->at
		       : mark->offset == HEAD_LEN && mark->at == 0);
}

static int read_marks(struct slu_manifest *m, const struct slu_totals *t)
{
	char line[LINE_MAX_];
	size_t n;

	if (fseek(m->file, (long)m->marks, SEEK_SET) ||
	    !fgets(line, sizeof(line), m->file) ||
	    sscanf(line, "marks %zu", &n) != 1 || n > SLU_MANIFEST_MARKS)
		return -1;
	while (m->n_mark < n) {
		struct slu_manifest_mark mark;

		if (!fgets(line, sizeof(line), m->file) ||
		    sscanf(line, "%" SCNu64 " %" SCNu64, &mark.offset,
			   &mark.at) != 2 ||
		    !mark_fits(m, &mark, t))
			return -1;
		m->mark[m->n_mark++] = mark;
	}
	return fseek(m->file, (long)HEAD_LEN, SEEK_SET);
}

struct slu_manifest *slu_manifest_open(FILE *file, struct slu_totals *totals,
				       struct slu_err *err)
{
	struct slu_totals t;
	struct slu_manifest *m;
	uint64_t marks;

	if (read_frame(file, &t, &marks)) {
		damaged(err, "it is incomplete");
		return NULL;
	}
	m = calloc(1, sizeof(*m));
	if (m) {
		m->path = malloc(SLU_STAGE_PATH_MAX + 1);
		m->link = malloc(PATH_MAX + 1);
	}
	if (!m || !m->path || !m->link) {
		slu_manifest_free(m);
		slu_err(err, SLU_NOMEM, "out of memory");
		return NULL;
	}
	m->file = file;
	m->marks = marks;
	if (read_marks(m, &t)) {
		slu_manifest_free(m);
		damaged(err, "its index cannot be read");
		return NULL;
	}
	*totals = t;
	return m;
}

static int read_name(FILE *file, char *name, size_t len)
{
	name[len] = '\0';
	return len == 0 || fread(name, len, 1, file) == 1 ? 0 : -1;
}

int slu_manifest_next(struct slu_manifest *m, struct slu_entry *e,
		      struct slu_err *err)
{
	char line[LINE_MAX_];
	size_t path_len, link_len;
	int64_t sec, changed = 0;
	struct slu_entry r = {.path = m->path, .link = m->link};

	if (m->ended)
		return 0;
	if (!fgets(line, sizeof(line), m->file))
		return damaged(err, "its last line is missing");
	if (!strncmp(line, "marks ", 6)) {
		m->ended = true;
		return ftell(m->file) == (long)(m->marks + strlen(line))
			       ? 0
			       : damaged(err, "its index is not where the "
					      "header says");
	}
	if (sscanf(line,
		   "%c %o %" SCNu64 " %" SCNd64 ".%ld %zu %zu %" SCNd64 ".%ld",
		   &r.kind, &r.mode, &r.size, &sec, &r.mtime.tv_nsec, &path_len,
		   &link_len, &changed, &r.ctime.tv_nsec) < 7 ||
	    !strchr(line, '\n'))
		return damaged(err, "a record cannot be parsed");
	r.mtime.tv_sec = sec;
	r.ctime.tv_sec = changed;
	if (!memchr("dDfl", r.kind, 4) || r.mode > 07777 ||
	    r.size > INT64_MAX || r.mtime.tv_nsec < 0 ||
	    r.mtime.tv_nsec > 999999999)
		return damaged(err, "a value is out of range");
	if (path_len > SLU_STAGE_PATH_MAX || link_len > PATH_MAX ||
	    read_name(m->file, m->path, path_len) ||
	    read_name(m->file, m->link, link_len) || getc(m->file) != '\n')
		return damaged(err, "a name is cut off");
	if (!safe_path(m->path, path_len) || strlen(m->link) != link_len)
		return damaged(err, "a path is not below the root");
	*e = r;
	return 1;
}

int slu_manifest_seek(struct slu_manifest *m, uint64_t to, uint64_t *at,
		      struct slu_err *err)
{
	struct slu_manifest_mark mark = {.offset = HEAD_LEN};
	size_t low = 0, high = m->n_mark;

	while (low < high) { /* finds the last mark before `to` */
		size_t middle = (low + high) / 2;

		if (m->mark[middle].at < to)
			low = middle + 1;
		else
			high = middle;
	}
	if (low)
		mark = m->mark[low - 1];
	if (fseek(m->file, (long)mark.offset, SEEK_SET))
		return slu_errno(err, SLU_IO, "cannot read the manifest");
	m->ended = false;
	*at = mark.at;
	return 0;
}

void slu_manifest_free(struct slu_manifest *m)
{
	if (!m)
		return;
	free(m->path);
	free(m->link);
	free(m);
}

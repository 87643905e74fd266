/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Manifests, see the header. The last line says how much it all is, and by its
 * presence that this is all: a writer that died leaves no readable manifest.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/staging/manifest.h"

#define HEAD	       "sluice-manifest 1\n"
#define HEAD_LEN       (sizeof(HEAD) - 1)
#define TAIL_FORMAT(n) "end %020" n " %020" n " %020" n "\n"
#define TAIL_LEN       (sizeof("end ") - 1 + 3 * 21)
#define LINE_MAX_      128 /* the numbers of one record */

struct slu_manifest {
	FILE *file;
	char *path, *link;
	bool ended;
};

static int write_failed(struct slu_err *err)
{
	return slu_errno(err, SLU_IO, "cannot write the manifest");
}

int slu_manifest_begin(FILE *file, struct slu_err *err)
{
	return fputs(HEAD, file) < 0 ? write_failed(err) : 0;
}

int slu_manifest_add(FILE *file, const struct slu_entry *e, struct slu_err *err)
{
	size_t path_len = strlen(e->path);
	size_t link_len = strlen(e->link);

	if (path_len > SLU_STAGE_PATH_MAX || link_len > PATH_MAX)
		return slu_err(err, SLU_INVALID,
			       "a path is longer than %d bytes: ...%s",
			       SLU_STAGE_PATH_MAX, e->path + path_len - 60);
	if (fprintf(file, "%c %o %" PRIu64 " %" PRId64 ".%09ld %zu %zu\n",
		    e->kind, (unsigned)e->mode, e->size,
		    (int64_t)e->mtime.tv_sec, e->mtime.tv_nsec, path_len,
		    link_len) < 0 ||
	    fprintf(file, "%s%s\n", e->path, e->link) < 0)
		return write_failed(err);
	return 0;
}

int slu_manifest_end(FILE *file, const struct slu_totals *t,
		     struct slu_err *err)
{
	if (fprintf(file, TAIL_FORMAT(PRIu64), t->files, t->bytes, t->cost) <
		    0 ||
	    fflush(file))
		return write_failed(err);
	return 0;
}

static int damaged(struct slu_err *err, const char *what)
{
	return slu_err(err, SLU_INVALID, "the manifest is damaged: %s", what);
}

/* Every component is a name: not empty, not "." and not "..". */
static bool safe_path(const char *path, size_t len)
{
	if (strlen(path) != len)
		return false;
	if (!len)
		return true; /* the root */
	for (;;) {
		size_t n = strcspn(path, "/");
		if (!n || (n == 1 && path[0] == '.') ||
		    (n == 2 && path[0] == '.' && path[1] == '.'))
			return false;
		if (!path[n])
			return true;
		path += n + 1;
	}
}

/* The totals from the end, and the position behind the first line. */
static int read_frame(FILE *file, struct slu_totals *t)
{
	char head[HEAD_LEN], tail[TAIL_LEN + 1] = "";

	if (fseek(file, -(long)TAIL_LEN, SEEK_END) ||
	    fread(tail, TAIL_LEN, 1, file) != 1 || tail[TAIL_LEN - 1] != '\n' ||
	    sscanf(tail, TAIL_FORMAT(SCNu64), &t->files, &t->bytes, &t->cost) !=
		    3)
		return -1;
	rewind(file);
	return fread(head, HEAD_LEN, 1, file) != 1 ||
			       memcmp(head, HEAD, HEAD_LEN)
		       ? -1
		       : 0;
}

struct slu_manifest *slu_manifest_open(FILE *file, struct slu_totals *totals,
				       struct slu_err *err)
{
	struct slu_totals t;
	struct slu_manifest *m;

	if (read_frame(file, &t)) {
		damaged(err, "it was never finished");
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
	int64_t sec;
	struct slu_entry r = {.path = m->path, .link = m->link};

	if (m->ended)
		return 0;
	if (!fgets(line, sizeof(line), m->file))
		return damaged(err, "it has no end");
	if (!strncmp(line, "end ", 4)) {
		m->ended = true;
		return getc(m->file) == EOF
			       ? 0
			       : damaged(err, "something follows its end");
	}
	if (sscanf(line, "%c %o %" SCNu64 " %" SCNd64 ".%ld %zu %zu", &r.kind,
		   &r.mode, &r.size, &sec, &r.mtime.tv_nsec, &path_len,
		   &link_len) != 7 ||
	    !strchr(line, '\n'))
		return damaged(err, "a record is not one");
	r.mtime.tv_sec = sec;
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

void slu_manifest_free(struct slu_manifest *m)
{
	if (!m)
		return;
	free(m->path);
	free(m->link);
	free(m);
}

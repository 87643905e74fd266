/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts the files and bytes of a request's stage_in sources, on the host where
 * it is submitted, and reports those that cannot be read. Walks directories
 * with fts(3) until the caller's time is up, so the sums may be too small
 * (cut). A list of files is not read: its names are too many.
 */
#include "config.h"
#include "burst_buffer/preview/stage_sources.h"

#include <errno.h>
#include <fts.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "burst_buffer/staging/walk/selection.h"

struct walk {
	const struct slu_sources_look *look;
	struct slu_sources *out;
	int line;
};

static void tell(const struct walk *w, const char *path, int error)
{
	struct slu_err err;

	slu_err(&err, SLU_NOTFOUND,
		"stage_in: %.300s cannot be read on this "
		"host: %s",
		path, strerror(error));
	w->look->tell(w->look->arg, w->line, err.text);
}

/* %j, %A and %a are not known before there is a job. */
static bool is_known(const char *text)
{
	for (; (text = strchr(text, '%')); text += 2)
		if (strchr("jAa", text[1]))
			return false;
	return true;
}

static void count(struct slu_sources *out, const struct stat *st)
{
	uint64_t size = (uint64_t)st->st_size;
	uint64_t taken = (uint64_t)st->st_blocks * 512;

	out->files++;
	out->bytes += size < taken ? size : taken;
}

/* Adds up what is below, as far as it can be read: a name that cannot be read
 * is reported, and the following ones are still read. */
static void add(const struct walk *w, char *path)
{
	char *roots[] = {path, NULL};
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *e;

	while (fts && !w->out->cut && (e = fts_read(fts))) {
		if (e->fts_info == FTS_F)
			count(w->out, e->fts_statp);
		else if (e->fts_info == FTS_DNR || e->fts_info == FTS_NS ||
			 e->fts_info == FTS_ERR)
			tell(w, e->fts_path, e->fts_errno);
		w->out->cut = !w->look->go_on(w->look->arg);
	}
	if (fts)
		fts_close(fts);
}

static void add_matching(const struct walk *w, const char *pattern)
{
	glob_t found = {0};

	if (glob(pattern, 0, NULL, &found))
		tell(w, pattern, ENOENT);
	for (size_t i = 0; i < found.gl_pathc && !w->out->cut; i++)
		add(w, found.gl_pathv[i]);
	globfree(&found);
}

static void add_source(const struct walk *w, enum slu_stage_type type,
		       char *path)
{
	struct stat st;

	if (type != SLU_STAGE_LIST && slu_pattern(path))
		add_matching(w, path);
	else if (stat(path, &st))
		tell(w, path, errno);
	else if (type == SLU_STAGE_DIRECTORY && !S_ISDIR(st.st_mode))
		tell(w, path, ENOTDIR);
	else if (type != SLU_STAGE_LIST) /* whose names are many */
		add(w, path);
}

void slu_sources_see(const struct slu_request *req,
		     const struct slu_symbols *sym,
		     const struct slu_sources_look *look,
		     struct slu_sources *out)
{
	struct walk w = {.look = look, .out = out};
	struct slu_symbols of_source = *sym;

	*out = (struct slu_sources){0};
	for (size_t i = 0; i < req->n_stage && !out->cut; i++) {
		const struct slu_request_stage *s = &req->stage[i];
		char *path;

		if (s->out || !is_known(s->source))
			continue;
		of_source.pattern = s->type != SLU_STAGE_LIST;
		w.line = s->line;
		path = slu_request_expand(s->source, &of_source, NULL);
		if (path)
			add_source(&w, s->type, path);
		free(path);
	}
}

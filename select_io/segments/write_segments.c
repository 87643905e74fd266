/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a stream to a file in segments: the parts in striped directories
 * first, the index last.
 */
#include "config.h"
#include "select_io/segments/write_segments.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/file.h"
#include "common/proc.h"
#include "select_io/segments/index.h"

#define BUFFER	(4u << 20)
#define SECONDS 60.0 /* time limit of one lfs */

struct work {
	int in;
	const char *dest, *base; /* base: its last component */
	const struct slu_stripe_layout *layout;
	const struct slu_segment_options *how;
	struct slu_segments made;
	char *buffer;
	size_t have; /* bytes read, but not written: they begin the next part */
	bool end;
};

/* "big.segments/4ost-1m" */
static int part_dir(const struct work *w, size_t i, char *name, size_t size)
{
	const struct slu_stripe_component *c = &w->layout->part[i];

	return snprintf(name, size, "%s.segments/%uost-%um", w->base, c->count,
			c->width >> 20) < (int)size - 16
		       ? 0
		       : -1;
}

/* The path of a name in the directory of `dest`. */
static int beside(const struct work *w, const char *name, char path[PATH_MAX])
{
	int n = (int)(w->base - w->dest);

	return snprintf(path, PATH_MAX, "%.*s%s", n, w->dest, name) < PATH_MAX
		       ? 0
		       : -1;
}

/* The directories of parts, if they exist, must not be links: neither reading
 * nor removal follows links. */
static int refuse_links(const char *dir, struct slu_err *err)
{
	char outer[PATH_MAX];
	const char *const paths[] = {outer, dir};
	struct stat st;

	snprintf(outer, sizeof(outer), "%.*s", (int)(strrchr(dir, '/') - dir),
		 dir);
	for (size_t i = 0; i < 2; i++)
		if (!lstat(paths[i], &st) && S_ISLNK(st.st_mode))
			return slu_err(err, SLU_INVALID,
				       "%s is a symbolic link: remove it",
				       paths[i]);
	return 0;
}

static int stripe(const struct work *w, size_t i, char *dir,
		  struct slu_err *err)
{
	const struct slu_stripe_component *c = &w->layout->part[i];
	char count[16], width[16];
	char *argv[] = {(char *)(uintptr_t)w->how->lfs,
			"setstripe",
			"-c",
			count,
			"-S",
			width,
			dir,
			NULL};

	snprintf(count, sizeof(count), "%u", c->count);
	snprintf(width, sizeof(width), "%uM", c->width >> 20);
	if (w->how->dry_run) {
		printf("mkdir -p %s\n", dir);
		if (w->how->lfs)
			printf("%s setstripe -c %s -S %s %s\n", w->how->lfs,
			       count, width, dir);
		return 0;
	}
	if (refuse_links(dir, err) || slu_mkdirs(dir, 0755, err))
		return -1;
	return w->how->lfs ? slu_run(argv, SECONDS, NULL, err) : 0;
}

/* The bytes in the buffer; if it is empty, more are read. */
static ssize_t fetch(struct work *w, struct slu_err *err)
{
	ssize_t n;

	if (w->have > 0 || w->end)
		return (ssize_t)w->have;
	do
		n = read(w->in, w->buffer, BUFFER);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return slu_errno(err, SLU_IO, "reading");
	w->end = n == 0;
	w->have = (size_t)n;
	return n;
}

static int fill(struct work *w, int fd, uint64_t limit, uint64_t *size,
		struct slu_err *err)
{
	ssize_t n;

	while (*size < limit && (n = fetch(w, err)) != 0) {
		size_t take = w->have;

		if (n < 0)
			return -1;
		if (take > limit - *size)
			take = (size_t)(limit - *size);
		if (slu_write_all(fd, w->buffer, take))
			return slu_errno(err, SLU_IO, "writing");
		memmove(w->buffer, w->buffer + take, w->have - take);
		w->have -= take;
		*size += take;
	}
	return 0;
}

static int write_part(struct work *w, size_t i, uint64_t limit,
		      struct slu_err *err)
{
	struct slu_segment *s = &w->made.part[i];
	char path[PATH_MAX];
	int fd, rc;

	s->begin = w->made.size;
	if (beside(w, s->name, path))
		return slu_err(err, SLU_INVALID, "%s: too long", w->dest);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return slu_errno(err, SLU_IO, "%s", path);
	w->made.n = i + 1;
	rc = fill(w, fd, limit, &s->size, err);
	if (rc == 0 && fsync(fd))
		rc = slu_errno(err, SLU_IO, "%s", path);
	if (close(fd) && rc == 0)
		rc = slu_errno(err, SLU_IO, "%s", path);
	w->made.size += s->size;
	return rc;
}

static int one(struct work *w, size_t i, struct slu_err *err)
{
	const struct slu_stripe_component *c = &w->layout->part[i];
	uint64_t begin = i ? w->layout->part[i - 1].end : 0;
	char dir[SLU_SEGMENTS_NAME], path[PATH_MAX];
	size_t n;

	if (part_dir(w, i, dir, sizeof(dir)) || beside(w, dir, path))
		return slu_err(err, SLU_INVALID, "%s: too long", w->dest);
	if (stripe(w, i, path, err))
		return -1;
	n = strlen(dir);
	memcpy(w->made.part[i].name, dir, n);
	snprintf(w->made.part[i].name + n, SLU_SEGMENTS_NAME - n, "/part-%02zu",
		 i);
	return w->how->dry_run
		       ? 0
		       : write_part(w, i, c->end ? c->end - begin : INT64_MAX,
				    err);
}

static int write_index(const struct work *w, struct slu_err *err)
{
	char text[SLU_SEGMENTS_TEXT];
	size_t n = slu_segments_text(&w->made, text, sizeof(text));
	int fd, rc;

	if (n == 0)
		return slu_err(err, SLU_INVALID, "%s: too long", w->dest);
	fd = open(w->dest, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return slu_errno(err, SLU_IO, "%s", w->dest);
	rc = slu_write_all(fd, text, n) || fsync(fd);
	if (rc)
		slu_errno(err, SLU_IO, "%s", w->dest);
	if (close(fd) && !rc)
		rc = slu_errno(err, SLU_IO, "%s", w->dest);
	if (rc)
		unlink(w->dest);
	return rc ? -1 : 0;
}

/* Removes the file, and directories of its path that have become empty. Links
 * are not followed, as another user may have written the index. */
static void remove_name(int dir, char *name)
{
	char *slash = strchr(name, '/');
	int inner;

	if (!slash) {
		unlinkat(dir, name, 0);
		return;
	}
	*slash = '\0';
	inner = openat(dir, name,
		       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (inner < 0)
		return;
	remove_name(inner, slash + 1);
	close(inner);
	unlinkat(dir, name, AT_REMOVEDIR);
}

static void remove_parts(const struct work *w)
{
	char name[SLU_SEGMENTS_NAME], path[PATH_MAX];
	int dir;

	if (beside(w, ".", path))
		return;
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; dir >= 0 && i < w->made.n; i++) {
		snprintf(name, sizeof(name), "%s", w->made.part[i].name);
		remove_name(dir, name);
	}
	if (dir >= 0)
		close(dir);
}

/* Are the names those that `split` makes? Other files are not the index's own.
 */
static bool are_parts(const struct slu_segments *s)
{
	static const char end[] = ".segments";

	for (size_t i = 0; i < s->n; i++) {
		size_t n = strcspn(s->part[i].name, "/");

		if (n < sizeof(end) ||
		    strncmp(s->part[i].name + n - strlen(end), end,
			    strlen(end)))
			return false;
	}
	return true;
}

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int slu_segments_write(int in, const char *dest,
		       const struct slu_stripe_layout *layout,
		       const struct slu_segment_options *how,
		       struct slu_err *err)
{
	struct work *w = calloc(1, sizeof(*w));
	struct stat st;
	int rc = 0;

	if (!w)
		return slu_err(err, SLU_NOMEM, "out of memory");
	*w = (struct work){.in = in,
			   .dest = dest,
			   .base = last_component(dest),
			   .layout = layout,
			   .how = how,
			   .buffer = malloc(BUFFER)};
	if (!w->buffer)
		rc = slu_err(err, SLU_NOMEM, "out of memory");
	else if (!lstat(dest, &st))
		rc = slu_err(err, SLU_INVALID, "%s is there already", dest);
	for (size_t i = 0; rc == 0 && i < layout->n; i++) {
		ssize_t more = how->dry_run ? 1 : fetch(w, err);

		if (more <= 0) {
			rc = (int)more;
			break;
		}
		rc = one(w, i, err);
	}
	if (rc == 0 && !how->dry_run)
		rc = write_index(w, err);
	if (rc)
		remove_parts(w);
	free(w->buffer);
	free(w);
	return rc;
}

int slu_segments_remove(const char *path, struct slu_err *err)
{
	struct work *w = calloc(1, sizeof(*w));
	struct slu_buf text = {0};
	int rc;

	if (!w)
		return slu_err(err, SLU_NOMEM, "out of memory");
	w->dest = path;
	w->base = last_component(path);
	rc = slu_file_read(AT_FDCWD, path, SLU_SEGMENTS_TEXT, &text, err);
	if ((rc && err->kind == SLU_NOMEM) || /* larger than any index */
	    (rc == 0 &&
	     !(text.data && slu_segments_parse(text.data, text.len, &w->made))))
		rc = slu_err(err, SLU_INVALID, "%s is no file in segments",
			     path);
	if (rc == 0 && !are_parts(&w->made))
		rc = slu_err(err, SLU_INVALID,
			     "%s: its parts are not in a directory *.segments",
			     path);
	if (rc == 0 && unlink(path))
		rc = slu_errno(err, SLU_IO, "%s", path);
	if (rc == 0)
		remove_parts(w);
	slu_buf_free(&text);
	free(w);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens the two directories that a request's paths mean: where its data comes
 * from and goes to. The result must be the same on every node and in every act,
 * so it does not depend on anything that copying changes: a destination that is
 * not a directory before is not one afterwards.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/staging/files/beneath.h"
#include "burst_buffer/staging/walk/path_rules.h"
#include "burst_buffer/staging/walk/selection.h"
#include "burst_buffer/staging/walk/walk.h"
#include "common/str.h"

static int fail(const char *what, const char *path, struct slu_err *err)
{
	char text[SLU_PATH_TEXT];

	return slu_errno(err, SLU_IO, "cannot %s %s", what,
			 slu_path_text(path, text));
}

static bool ends_in_slash(const char *path)
{
	size_t n = strlen(path);

	return n && path[n - 1] == '/';
}

/* The last name of a path; NULL: it has none, so that the contents are meant.
 * Caller frees. */
static char *last_name(const char *path)
{
	size_t end = strlen(path), start;

	while (end && path[end - 1] == '/')
		end--;
	for (start = end; start && path[start - 1] != '/'; start--)
		;
	if (start == end || !strncmp(path + start, ".", end - start) ||
	    !strncmp(path + start, "..", end - start))
		return NULL;
	return strndup(path + start, end - start);
}

/* A path without its trailing slashes, for a message in which a name may
 * follow. NULL: no memory. */
static char *without_slash(const char *path)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	return strndup(path, n);
}

static int set_paths(struct slu_stage_places *p, const char *src,
		     const char *dst, struct slu_err *err)
{
	p->src_path = without_slash(src);
	p->dst_path = without_slash(dst);
	return p->src_path && p->dst_path
		       ? 0
		       : slu_err(err, SLU_NOMEM, "out of memory");
}

static bool same_directory(const char *a, const char *b)
{
	struct stat x, y;

	return b && !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

/* Is it a directory? Opens it, as that mounts file systems that are mounted on
 * demand. */
static bool is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static int fail_to_make(const char *path, struct slu_err *err)
{
	int why = errno, above, rc;
	char *copy = strdup(path);

	fail("make the directory", path, err);
	above = copy ? open(dirname(copy), O_PATH | O_CLOEXEC) : -1;
	rc = slu_say_inodes(above, why, err);
	if (above >= 0)
		close(above);
	free(copy);
	return rc;
}

/* mkdir -p as the user, the last one with this mode; links that the user made
 * are followed. *made says whether the last one is new. */
static int make_dirs(const char *path, mode_t mode, bool *made,
		     struct slu_err *err)
{
	char *copy = strdup(path);
	int rc = 0, why;

	if (!copy)
		return slu_err(err, SLU_NOMEM, "out of memory");
	*made = false;
	if (is_directory(path)) /* its parents may limit that further */
		*copy = '\0';
	for (char *p = copy, *next; !rc && *p; p = next) {
		char keep;

		p += strspn(p, "/");
		p += strcspn(p, "/");
		next = p + strspn(p, "/");
		keep = *p;
		*p = '\0';
		*made = !mkdir(copy, *next ? 0755 : mode);
		why = errno;
		if (!*made && why != EEXIST && !is_directory(copy)) {
			errno = why;
			rc = fail_to_make(copy, err);
		}
		*p = keep;
	}
	free(copy);
	return rc;
}

static int open_dir(const char *path, const char *what, struct slu_err *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? fail(what, path, err) : fd;
}

static int open_source_dir(const struct slu_stage_part *part,
			   struct slu_err *err)
{
	struct stat st;

	if (!stat(part->source, &st) && !S_ISDIR(st.st_mode))
		return slu_err(
			err, SLU_INVALID,
			"%s is not a directory; for a file say type=file",
			part->source);
	return open_dir(part->source, "open the source", err);
}

/* The directory to which the source directory's contents are copied. */
static char *target_dir(const struct slu_stage_part *part, bool contents)
{
	char *name = contents ? NULL : last_name(part->source), *path;

	path = slu_asprintf("%s%s%s%s%s", part->destination,
			    part->below ? "/" : "",
			    part->below ? part->below : "", name ? "/" : "",
			    name ? name : "");
	free(name);
	return path;
}

static int open_directories(const struct slu_stage_part *part, bool make,
			    struct slu_stage_places *out, struct slu_err *err)
{
	bool contents = ends_in_slash(part->source) ||
			same_directory(part->source, part->fs_root);
	const mode_t mode = part->plain_destination ? 0755 : SLU_IN_WORK;
	char *target = target_dir(part, contents);
	int rc = -1;

	if (!target)
		return slu_err(err, SLU_NOMEM, "out of memory");
	out->src = open_source_dir(part, err);
	if (out->src >= 0 &&
	    !(make && make_dirs(target, mode, &out->made, err))) {
		out->dst = open_dir(target, "open the destination", err);
		rc = out->dst < 0 || set_paths(out, part->source, target, err);
		if (!rc && slu_in_work(out->dst))
			out->made = make;
	}
	free(target);
	return rc ? -1 : 0;
}

/* A file's destination: the directory it goes into, its name in *as. Of one for
 * each part, DIR/PART/NAME. */
static char *target_of_file(const struct slu_stage_part *part, const char *name,
			    char **as)
{
	struct stat st;
	const char *dest = part->destination, *slash = strrchr(dest, '/');
	const char *below = part->below ? part->below : "";
	size_t dir = strlen(dest);

	if (!ends_in_slash(dest) && (stat(dest, &st) || !S_ISDIR(st.st_mode))) {
		name = slash ? slash + 1 : dest;
		dir = slash ? (size_t)(slash - dest) + (slash == dest) : 0;
	}
	*as = strdup(name);
	if (!dir)
		return slu_asprintf(".%s%s", *below ? "/" : "", below);
	return slu_asprintf("%.*s%s%s", (int)dir, dest, *below ? "/" : "",
			    below);
}

/* Resolves a path. On a file system without links, whose client refuses
 * readlink(2), it is the path itself. Caller frees; NULL: errno. */
static char *real_path(const struct slu_stage_part *part)
{
	struct stat st;
	char *real;

	if (!part->plain_source)
		return realpath(part->source, NULL);
	if (stat(part->source, &st))
		return NULL;
	real = without_slash(part->source);
	if (real && strchr(real, '/'))
		return real;
	free(real);
	errno = EINVAL;
	return NULL;
}

static int open_file_places(const struct slu_stage_part *part, bool make,
			    struct slu_stage_places *out, struct slu_err *err)
{
	char *real = real_path(part), *slash, *name, *target;
	char *as = NULL;
	int rc = -1;

	if (!real)
		return fail("find the file", part->source, err);
	slash = strrchr(real, '/');
	out->from = strdup(slash + 1);
	slash[slash == real] = '\0'; /* its directory remains */
	name = last_name(part->source);
	target = target_of_file(part, name ? name : "", &out->to);
	if (!out->from || !name || !target || !out->to)
		slu_err(err, SLU_INVALID, "%s does not name a file",
			part->source);
	else if ((out->src = open_dir(real, "open the source", err)) >= 0 &&
		 !(make && make_dirs(target, 0755, &out->made, err)) &&
		 (out->dst = open_dir(target, "open the destination", err)) >=
			 0) {
		as = slu_asprintf("%s%s%s", target,
				  ends_in_slash(target) ? "" : "/", out->to);
		rc = set_paths(out, part->source, as ? as : "", err);
	}
	free(as);
	free(name);
	free(target);
	free(real);
	return rc;
}

/* Opens the directory of a selection: that of the list, or the one before the
 * pattern. */
static int open_selection(const struct slu_stage_part *part, bool make,
			  struct slu_stage_places *out, struct slu_err *err)
{
	const char *tail = part->what == SLU_WHAT_LIST
				   ? strrchr(part->source, '/') + 1
				   : slu_pattern(part->source);
	char *root = strndup(part->source, (size_t)(tail - part->source));
	char *target = slu_asprintf("%s%s%s", part->destination,
				    part->below ? "/" : "",
				    part->below ? part->below : "");
	char **name = part->what == SLU_WHAT_LIST ? &out->list : &out->pattern;
	int rc = -1;

	*name = strdup(tail);
	if (!root || !target || !*name)
		slu_err(err, SLU_NOMEM, "out of memory");
	else if ((out->src = open_dir(root, "open the source", err)) >= 0 &&
		 !(make && make_dirs(target, 0755, &out->made, err)) &&
		 (out->dst = open_dir(target, "open the destination", err)) >=
			 0)
		rc = set_paths(out, root, target, err);
	out->made = false; /* it is not the directory's copy */
	free(root);
	free(target);
	return rc;
}

static bool is_selection(const struct slu_stage_part *part)
{
	return part->what == SLU_WHAT_LIST ? strchr(part->source, '/') != NULL
					   : slu_pattern(part->source) != NULL;
}

/* The kind of a source does not change while it is copied. */
static bool is_file(const struct slu_stage_part *part)
{
	struct stat st;

	return part->what == SLU_WHAT_FILE ||
	       (part->what == SLU_WHAT_ANY && !stat(part->source, &st) &&
		!S_ISDIR(st.st_mode));
}

int slu_places_open(const struct slu_stage_part *part, bool make,
		    struct slu_stage_places *out, struct slu_err *err)
{
	struct slu_stage_places p = {.src = -1, .dst = -1};
	int rc;

	if (is_selection(part))
		rc = open_selection(part, make, &p, err);
	else if (is_file(part))
		rc = open_file_places(part, make, &p, err);
	else
		rc = open_directories(part, make, &p, err);

	if (rc)
		slu_places_close(&p);
	else
		*out = p;
	return rc;
}

void slu_places_close(struct slu_stage_places *p)
{
	if (p->src >= 0)
		close(p->src);
	if (p->dst >= 0)
		close(p->dst);
	free(p->src_path);
	free(p->dst_path);
	free(p->list);
	free(p->pattern);
	free(p->from);
	free(p->to);
}

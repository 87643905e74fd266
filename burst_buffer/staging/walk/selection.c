/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects the names to be staged from a list file or by a pattern, sorts them
 * and drops doubles. Paths that users write are normalised here, so the walk
 * gets only paths of plain components.
 */
#include "config.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/staging/files/beneath.h"
#include "burst_buffer/staging/walk/selection.h"
#include "common/file.h"
#include "common/str.h"

/* Bytes counted for a name beside its text: its place in the array, and
 * malloc()'s overhead. */
#define OVERHEAD 32

static int nomem(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "out of memory");
}

void slu_names_free(struct slu_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->path[i]);
	free(names->path);
	*names = (struct slu_names){0};
}

/* A directory's tree is walked in little memory, but names are all kept, so
 * they are limited. */
static int add(struct slu_names *names, const char *path, struct slu_err *err)
{
	names->bytes += strlen(path) + 1 + OVERHEAD;
	if (names->bytes > SLU_NAMES_MAX)
		return slu_err(err, SLU_INVALID,
			       "more than %zu names are too many: name the "
			       "directory instead",
			       names->n);
	if ((names->n & (names->n - 1)) == 0) { /* a power of two: grow */
		size_t room = names->n ? names->n * 2 : 1;
		char **more = realloc(names->path, room * sizeof(*more));

		if (!more)
			return nomem(err);
		names->path = more;
	}
	names->path[names->n] = strdup(path);
	if (!names->path[names->n])
		return nomem(err);
	names->n++;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Do the kept names include a directory that contains this path? */
static bool is_below(char *const *kept, size_t n, char *path)
{
	bool found = false;

	for (char *p = path; !found && (p = strchr(p, '/')); p++) {
		*p = '\0';
		found = bsearch(&path, kept, n, sizeof(*kept), by_name) != NULL;
		*p = '/';
	}
	return found;
}

/* Does the path exist without a link in it? The name of a link only stands for
 * the link. */
static bool is_there(int dir, const char *path)
{
	int fd = slu_open_beneath(dir, path, O_PATH | O_NOFOLLOW, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Sorts the names and drops doubles and those that come with a directory. A
 * name that does not exist is kept: the walk reports it. */
static void sort(struct slu_names *names, int dir)
{
	size_t kept = 0;

	if (names->n)
		qsort(names->path, names->n, sizeof(char *), by_name);
	for (size_t i = 0; i < names->n; i++)
		if (kept && (!strcmp(names->path[kept - 1], names->path[i]) ||
			     (is_below(names->path, kept, names->path[i]) &&
			      is_there(dir, names->path[i]))))
			free(names->path[i]);
		else
			names->path[kept++] = names->path[i];
	names->n = kept;
}

/* Lists */

/* Steps over `root` and a slash; NULL: the path does not lie below root. */
static char *below(char *path, const char *root)
{
	size_t n = strlen(root);

	while (n && root[n - 1] == '/')
		n--;
	return !strncmp(path, root, n) && path[n] == '/' ? path + n : NULL;
}

/* Removes doubled and trailing slashes and "."; -1: "..", or nothing is left.
 * Works in place. */
static int make_plain(char *path)
{
	char *out = path, *in = path;

	while (*in) {
		size_t n;

		in += strspn(in, "/");
		n = strcspn(in, "/");
		if (n == 2 && !strncmp(in, "..", 2))
			return -1;
		if (n && !(n == 1 && *in == '.')) {
			if (out != path)
				*out++ = '/';
			memmove(out, in, n);
			out += n;
		}
		in += n;
	}
	*out = '\0';
	return out == path ? -1 : 0;
}

static int add_line(struct slu_names *names, char *line, size_t number,
		    const char *root, struct slu_err *err)
{
	char text[SLU_PATH_TEXT];
	char *path = line;

	if (!*line)
		return 0;
	if (*line == '/')
		path = below(line, root);
	if (!path)
		return slu_err(err, SLU_INVALID,
			       "line %zu of the list: %s does not lie below %s",
			       number, slu_path_text(line, text), root);
	if (make_plain(path))
		return slu_err(err, SLU_INVALID,
			       "line %zu of the list: %s is no name below %s",
			       number, slu_path_text(line, text), root);
	return add(names, path, err);
}

static int read_list(int dir, const char *name, struct slu_buf *text,
		     struct slu_err *err)
{
	if (slu_file_read(dir, name, SLU_LIST_MAX, text, err))
		return slu_err_prefix(err, "the list");
	if (text->data && memchr(text->data, '\0', text->len))
		return slu_err(err, SLU_INVALID,
			       "the list %s is not a text "
			       "file",
			       name);
	return 0;
}

int slu_names_listed(int dir, const char *name, const char *root,
		     struct slu_names *out, struct slu_err *err)
{
	struct slu_names names = {0};
	struct slu_buf text = {0};
	size_t number = 0;
	char *rest, *line;
	int rc = read_list(dir, name, &text, err);

	rest = text.data ? text.data + slu_byte_order_mark(text.data) : NULL;
	while (!rc && (line = strsep(&rest, "\n"))) {
		size_t n = strlen(line);

		if (n && line[n - 1] == '\r')
			line[n - 1] = '\0';
		rc = add_line(&names, line, ++number, root, err);
	}
	slu_buf_free(&text);
	if (rc) {
		slu_names_free(&names);
		return -1;
	}
	sort(&names, dir);
	*out = names;
	return 0;
}

/* Patterns */

const char *slu_pattern(const char *path)
{
	const char *wild = strpbrk(path, "*?[");

	while (wild && wild > path && wild[-1] != '/')
		wild--;
	return wild;
}

struct match {
	struct slu_names *names;
	bool files, directories; /* no others */
	char path[PATH_MAX];	 /* matched so far */
};

static int expand(struct match *m, int dir, const char *pattern,
		  struct slu_err *err);

/* A directory entry that the first component of the pattern matches; `rest`
 * is what follows that. */
static int take(struct match *m, int dir, const char *name, const char *rest,
		struct slu_err *err)
{
	size_t len = strlen(m->path);
	struct stat st;
	int rc = 0, fd;

	if (len + strlen(name) + 2 > sizeof(m->path))
		return slu_err(err, SLU_INVALID, "%s: the path is too long",
			       name);
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW)) {
		if (errno == ENOENT)
			return 0; /* it was removed meanwhile */
		return slu_errno(err, SLU_IO, "cannot look at %s%s%s", m->path,
				 len ? "/" : "", name);
	}
	sprintf(m->path + len, "%s%s", len ? "/" : "", name);
	if (!*rest) {
		if ((!m->files || S_ISREG(st.st_mode)) &&
		    (!m->directories || S_ISDIR(st.st_mode)))
			rc = add(m->names, m->path, err);
	} else if (S_ISDIR(st.st_mode)) {
		fd = openat(dir, name,
			    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			rc = slu_errno(err, SLU_IO, "cannot open %s", m->path);
		else
			rc = expand(m, fd, rest, err);
	}
	m->path[len] = '\0';
	return rc;
}

/* The next entry of a directory. NULL: the end, or, with errno set, an error.
 */
static struct dirent *next_entry(DIR *d)
{
	errno = 0;
	return readdir(d);
}

/* Takes over dir. Goes as deep as the pattern has slashes. */
static int expand(struct match *m, int dir, const char *pattern,
		  struct slu_err *err)
{
	char first[NAME_MAX + 1];
	const char *rest;
	struct dirent *e;
	DIR *d = NULL;
	int rc = 0;

	pattern += strspn(pattern, "/");
	rest = pattern + strcspn(pattern, "/");
	if ((size_t)(rest - pattern) >= sizeof(first))
		rc = slu_err(err, SLU_INVALID, "a name is too long");
	else if (!(d = fdopendir(dir)))
		rc = slu_errno(err, SLU_IO, "cannot read a directory");
	else {
		memcpy(first, pattern, (size_t)(rest - pattern));
		first[rest - pattern] = '\0';
		rest += strspn(rest, "/");
	}
	while (!rc && (e = next_entry(d)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") &&
		    !fnmatch(first, e->d_name, FNM_PERIOD))
			rc = take(m, dir, e->d_name, rest, err);
	if (!rc && errno)
		rc = slu_errno(err, SLU_IO,
			       "cannot read a directory to its "
			       "end");
	if (d)
		closedir(d);
	else
		close(dir);
	return rc;
}

int slu_names_matching(int dir, const char *pattern, const char *root,
		       bool files, struct slu_names *out, struct slu_err *err)
{
	struct slu_names names = {0};
	struct match m = {
		.names = &names,
		.files = files,
		.directories = *pattern && pattern[strlen(pattern) - 1] == '/',
	};
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char text[SLU_PATH_TEXT];
	int rc;

	if (fd < 0)
		return slu_errno(err, SLU_IO, "cannot read the directory");
	rc = expand(&m, fd, pattern, err);
	if (!rc && !names.n)
		rc = slu_err(err, SLU_NOTFOUND, "nothing in %s matches %s",
			     slu_path_text(root, text), pattern);
	if (rc) {
		slu_names_free(&names);
		return -1;
	}
	sort(&names, dir);
	*out = names;
	return 0;
}

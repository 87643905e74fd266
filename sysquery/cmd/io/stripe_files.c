/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks the files below a directory of Lustre, and runs `lfs getstripe` for
 * them. Files are collected until they fill one command line, then their
 * layouts are read together. */
#include "config.h"
#include "sysquery/cmd/io/stripe_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/grow.h"
#include "common/proc.h"
#include "select_io/ost/choose.h"

#define AT_ONCE	   128
#define DEPTH	   200	 /* of directories, each with a descriptor */
#define PATIENCE   600.0 /* s for an answer of lfs */
#define ANSWER	   ((size_t)64 << 20)
#define INDEXES	   65536 /* of targets */
#define NO_PROGRAM 127

struct pass {
	struct slu_stripe_walk *walk;
	struct slu_file_layout layout;
	char *path[AT_ONCE];
	uint64_t size[AT_ONCE];
	size_t n;
	dev_t device;
	void *linked; /* tsearch(3) tree of inodes of files with several names
		       */
	struct slu_err *err;
	bool stopped; /* *err says why */
};

static void miss(struct slu_stripe_walk *w, const char *path, const char *why)
{
	if (w->unread++ == 0)
		snprintf(w->first, sizeof(w->first), "%.400s: %.100s", path,
			 why);
}

/* Runs lfs for the files, and reads its whole output; -1: no output that can be
 * used. Without "--", behind which lfs getstripe of 2.17 sees no file: no path
 * begins with a dash, since sysquery takes DIR only as ./-x then. */
static int ask_lfs(char *const *path, size_t n, struct slu_buf *out, int *code,
		   struct slu_err *err)
{
	char *argv[AT_ONCE + 4] = {"lfs", "getstripe", "-y"};

	memcpy(argv + 3, path, n * sizeof(*path));
	*out = (struct slu_buf){.max = ANSWER};
	return slu_run_code(argv, PATIENCE, out, code, err) || out->failed ? -1
									   : 0;
}

static size_t count_layouts(struct pass *p, const char *text)
{
	size_t n = 0;

	while (slu_file_layout_next(&text, &p->layout))
		n++;
	return n;
}

/* Layouts are matched with files by their order alone, so there must be one for
 * each file, and nothing else. */
static bool is_whole(struct pass *p, const struct slu_buf *said, size_t n)
{
	return said->data && !strstr(said->data, "has no stripe info") &&
	       count_layouts(p, said->data) == n;
}

static void take(struct pass *p, size_t first, size_t n, const char *text)
{
	for (size_t i = first; i < first + n && !p->stopped; i++)
		if (slu_file_layout_next(&text, &p->layout))
			p->stopped = slu_review_add(p->walk->review, p->path[i],
						    p->size[i], &p->layout,
						    p->err) != 0;
}

/* Reads the layouts of these files; if lfs fails (a file was deleted, or may
 * not be read, or the paths are too long together), those of each half. */
static void look(struct pass *p, size_t first, size_t n)
{
	struct slu_buf said = {0};
	struct slu_err err = {0};
	int code = -1, ret = ask_lfs(p->path + first, n, &said, &code, &err);
	bool whole = ret == 0 && is_whole(p, &said, n);

	if (whole) {
		take(p, first, n, said.data);
		p->walk->read += n;
	} else if (code < 0 || (code == NO_PROGRAM && n == 1))
		p->stopped = slu_err(p->err, SLU_IO, "lfs getstripe: %s",
				     err.text) != 0;
	slu_buf_free(&said);
	if (whole || p->stopped)
		return;
	if (n == 1) {
		miss(p->walk, p->path[first],
		     *err.text ? err.text : "lfs tells of no layout");
		return;
	}
	look(p, first, n / 2);
	if (!p->stopped)
		look(p, first + n / 2, n - n / 2);
}

static void flush(struct pass *p)
{
	if (p->n > 0 && !p->stopped)
		look(p, 0, p->n);
	for (size_t i = 0; i < p->n; i++)
		free(p->path[i]);
	p->n = 0;
	if (p->walk->progress)
		p->walk->progress(p->walk);
}

static int by_inode(const void *a, const void *b)
{
	const ino_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* A file with several names is seen by the first of them alone. */
static bool is_new(struct pass *p, const struct stat *st)
{
	ino_t *inode;

	if (st->st_nlink <= 1)
		return true;
	if (tfind(&st->st_ino, &p->linked, by_inode))
		return false;
	inode = malloc(sizeof(*inode));
	if (inode)
		*inode = st->st_ino;
	if (!inode || !tsearch(inode, &p->linked, by_inode)) {
		free(inode);
		p->stopped = slu_err(p->err, SLU_NOMEM, "out of memory") != 0;
	}
	return !p->stopped;
}

static void add_file(struct pass *p, const char *path, const struct stat *st)
{
	uint64_t size = (uint64_t)st->st_size;

	if (!is_new(p, st))
		return;
	p->walk->seen++;
	if (size == 0)
		return;
	p->path[p->n] = strdup(path);
	p->size[p->n] = size;
	if (!p->path[p->n])
		p->stopped = slu_err(p->err, SLU_NOMEM, "out of memory") != 0;
	else if (++p->n == AT_ONCE)
		flush(p);
}

static void walk_directory(struct pass *p, int fd, struct slu_buf *path,
			   int depth);

static void walk_entry(struct pass *p, int dir, const char *name,
		       struct slu_buf *path, int depth)
{
	int fd;
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		if (errno != ENOENT)
			miss(p->walk, path->data, strerror(errno));
		return;
	}
	if (st.st_dev != p->device)
		return;
	if (S_ISREG(st.st_mode))
		add_file(p, path->data, &st);
	if (!S_ISDIR(st.st_mode))
		return;
	fd = depth < DEPTH
		     ? openat(dir, name,
			      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
		     : -1;
	if (fd >= 0)
		walk_directory(p, fd, path, depth + 1);
	else
		miss(p->walk, path->data,
		     depth < DEPTH ? strerror(errno) : "too deep");
}

static void walk_directory(struct pass *p, int fd, struct slu_buf *path,
			   int depth)
{
	DIR *dir = fdopendir(fd);
	size_t len = path->len;
	struct dirent *e;

	if (!dir) {
		miss(p->walk, path->data, strerror(errno));
		close(fd);
		return;
	}
	while (errno = 0, !p->stopped && (e = readdir(dir))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		slu_buf_printf(path, "/%s", e->d_name);
		if (!path->failed)
			walk_entry(p, dirfd(dir), e->d_name, path, depth);
		slu_buf_cut(path, len);
	}
	if (!p->stopped && errno)
		miss(p->walk, path->data, strerror(errno));
	closedir(dir);
}

/* Without the slashes at its end. */
static void begin_path(struct slu_buf *path, const char *dir)
{
	size_t len = strlen(dir);

	while (len > 1 && dir[len - 1] == '/')
		len--;
	slu_buf_add(path, dir, len);
}

int slu_stripe_walk(struct slu_stripe_walk *walk, const char *dir,
		    struct slu_err *err)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct slu_buf path = {0};
	struct pass *p = NULL;
	struct stat st;
	int ret = -1;

	if (fd < 0 || fstat(fd, &st) < 0) {
		slu_errno(err, errno == ENOENT ? SLU_NOTFOUND : SLU_IO, "%s",
			  dir);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	p = calloc(1, sizeof(*p));
	if (!p) {
		close(fd);
		return slu_err(err, SLU_NOMEM, "out of memory");
	}
	*p = (struct pass){.walk = walk, .device = st.st_dev, .err = err};
	begin_path(&path, dir);
	walk_directory(p, fd, &path, 0);
	flush(p);
	ret = p->stopped ? -1 : 0;
	tdestroy(p->linked, free);
	slu_buf_free(&path);
	free(p);
	return ret;
}

static int take_targets(char *text, struct slu_cost_target **out, size_t *n,
			char fsname[9], struct slu_err *err)
{
	struct slu_df_target t;

	for (char *line; (line = strsep(&text, "\n"));) {
		if (!slu_df_target_parse(line, &t) || t.index >= INDEXES)
			continue;
		if (t.index >= *n) {
			if (SLU_GROW(*out, t.index + 1))
				return slu_err(err, SLU_NOMEM, "out of memory");
			memset(*out + *n, 0,
			       (t.index + 1 - *n) * sizeof(**out));
			*n = t.index + 1;
		}
		memcpy(fsname, t.fsname, sizeof(t.fsname));
		(*out)[t.index].total = t.total;
		(*out)[t.index].available = t.available;
	}
	return 0;
}

int slu_stripe_targets(const char *dir, struct slu_cost_target **out, size_t *n,
		       char fsname[9], struct slu_err *err)
{
	char *argv[] = {"lfs", "df", "--", (char *)dir, NULL};
	struct slu_buf said = {.max = ANSWER};
	int code, ret = -1;

	*out = NULL;
	*n = 0;
	if (access(dir, F_OK) < 0)
		return slu_errno(err, errno == ENOENT ? SLU_NOTFOUND : SLU_IO,
				 "%s", dir);
	if (slu_run_code(argv, PATIENCE, &said, &code, err))
		slu_err_prefix(err, code == NO_PROGRAM
					    ? "lfs of Lustre is not to be found"
					    : "lfs df (is it on Lustre?)");
	else
		ret = said.data ? take_targets(said.data, out, n, fsname, err)
				: 0;
	slu_buf_free(&said);
	return ret;
}

uint32_t slu_stripe_client_version(void)
{
	char *argv[] = {"lfs", "--version", NULL};
	struct slu_buf said = {.max = 4096};
	const char *digit = NULL;
	uint32_t version = 0;

	if (slu_run(argv, PATIENCE, &said, NULL) == 0 && said.data)
		digit = strpbrk(said.data, "0123456789");
	if (digit)
		version = slu_ost_version(digit);
	slu_buf_free(&said);
	return version;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements the helpers of tree.h. */
#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/file.h"
#include "tests/unit/burst_buffer/node/tree.h"

char *tree_new(void)
{
	char *dir = malloc(PATH_MAX);

	snprintf(dir, PATH_MAX, "%s/XXXXXX", getenv("TMPDIR"));
	ck_assert_ptr_nonnull(mkdtemp(dir));
	return dir;
}

void tree_remove(char *dir)
{
	struct slu_err err = {0};

	ck_assert_msg(!slu_rmtree(AT_FDCWD, dir, &err), "%s", err.text);
	free(dir);
}

const char *in(const char *dir, const char *name)
{
	static char buf[8][PATH_MAX];
	static unsigned next;
	char *out = buf[next++ % 8];

	snprintf(out, PATH_MAX, "%s/%s", dir, name);
	return out;
}

void make_dir(const char *path, mode_t mode)
{
	ck_assert_msg(!mkdir(path, 0700), "%s", path);
	ck_assert(!chmod(path, mode));
}

void make_file(const char *path, uint64_t size, unsigned seed)
{
	static char block[1 << 16];
	FILE *f = fopen(path, "w");
	uint64_t x = seed * 2654435761u + 1;

	ck_assert_msg(f != NULL, "%s", path);
	while (size) {
		size_t n = size < sizeof(block) ? size : sizeof(block);

		for (size_t i = 0; i + 8 <= sizeof(block); i += 8) {
			x = x * 6364136223846793005u + 1442695040888963407u;
			memcpy(block + i, &x, 8);
		}
		ck_assert_uint_eq(fwrite(block, 1, n, f), n);
		size -= n;
	}
	ck_assert(!fclose(f));
}

void make_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	ck_assert_msg(f != NULL, "%s", path);
	ck_assert(fputs(text, f) >= 0);
	ck_assert(!fclose(f));
}

void make_link(const char *path, const char *target)
{
	ck_assert_msg(!symlink(target, path), "%s", path);
}

static char verdict[2 * PATH_MAX + 100];

static const char *say(const char *what, const char *path)
{
	snprintf(verdict, sizeof(verdict), "%s: %s", path, what);
	return verdict;
}

static const char *files_differ(const char *name, int a, int b)
{
	static char x[1 << 16], y[1 << 16];
	ssize_t n;

	do {
		n = read(a, x, sizeof(x));
		if (n < 0 || read(b, y, sizeof(y)) != n ||
		    memcmp(x, y, (size_t)n))
			return say("contents differ", name);
	} while (n);
	return NULL;
}

static const char *dirs_differ(int a, int b, int times);

static const char *entries_differ(int a, int b, const char *name, int times)
{
	char x[PATH_MAX + 1] = "", y[PATH_MAX + 1] = "";
	struct stat s, t;
	const char *rc;
	int fa, fb;

	if (fstatat(a, name, &s, AT_SYMLINK_NOFOLLOW) ||
	    fstatat(b, name, &t, AT_SYMLINK_NOFOLLOW))
		return say("is missing on one side", name);
	if ((s.st_mode & S_IFMT) != (t.st_mode & S_IFMT))
		return say("kinds differ", name);
	if (S_ISLNK(s.st_mode))
		return readlinkat(a, name, x, PATH_MAX) < 0 ||
				       readlinkat(b, name, y, PATH_MAX) < 0 ||
				       strcmp(x, y)
			       ? say("links differ", name)
			       : NULL;
	if (times && (s.st_mode & 0777) != (t.st_mode & 0777))
		return say("modes differ", name);
	if (times && memcmp(&s.st_mtim, &t.st_mtim, sizeof(s.st_mtim)))
		return say("times differ", name);
	if (!S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode))
		return NULL;
	fa = openat(a, name, O_RDONLY);
	fb = openat(b, name, O_RDONLY);
	ck_assert_msg(fa >= 0 && fb >= 0, "%s", name);
	rc = S_ISDIR(s.st_mode) ? dirs_differ(fa, fb, times)
				: files_differ(name, fa, fb);
	close(fa);
	close(fb);
	return rc;
}

static int count_names(int fd)
{
	DIR *d = fdopendir(openat(fd, ".", O_RDONLY));
	int n = 0;

	ck_assert_ptr_nonnull(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static const char *dirs_differ(int a, int b, int times)
{
	DIR *d = fdopendir(openat(a, ".", O_RDONLY));
	struct dirent *e;
	const char *rc = NULL;

	ck_assert_ptr_nonnull(d);
	if (count_names(a) != count_names(b))
		rc = say("numbers of names differ", "a directory");
	while (!rc && (e = readdir(d)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			rc = entries_differ(a, b, e->d_name, times);
	closedir(d);
	return rc;
}

const char *tree_differs(const char *a, const char *b, int times)
{
	int fa = open(a, O_RDONLY | O_DIRECTORY);
	int fb = open(b, O_RDONLY | O_DIRECTORY);
	const char *rc;

	if (fa < 0 || fb < 0)
		rc = say("no such directory", fa < 0 ? a : b);
	else
		rc = dirs_differ(fa, fb, times);
	close(fa);
	close(fb);
	return rc;
}

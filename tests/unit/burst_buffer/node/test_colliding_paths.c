/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the search for files whose paths differ only in ':' and '/', which
 * GekkoFS would store as one: all of them are found, and no others. */
#include "config.h"
#include "tests/unit/random.h"
#include "tests/unit/burst_buffer/node/tree.h"
#include "tests/unit/harness.h"
#include "burst_buffer/staging/walk/colliding_paths.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES 12

static char *root, files[FILES][64];
static int n;

/* A path of up to five of few short names, as "a:b/:a", so that many meet. */
static void random_path(uint64_t *seed, char path[64])
{
	size_t parts = 1 + slu_random(seed, 5);

	*path = '\0';
	for (size_t i = 0; i < parts; i++) {
		strcat(path, slu_random(seed, 3) ? "a" : "b");
		if (!slu_random(seed, 12))
			strcat(path, ":");
		if (i + 1 < parts)
			strcat(path, slu_random(seed, 2) ? "/" : ":");
	}
}

static bool make(const char *path)
{
	char full[PATH_MAX];
	struct stat st;
	int fd;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		if (mkdir(full, 0700) && errno != EEXIST)
			return false;
		*p = '/';
	}
	if (!lstat(full, &st))
		return false;
	fd = open(full, O_WRONLY | O_CREAT | O_EXCL, 0600);
	return fd >= 0 && !close(fd);
}

static void flatten(const char *path, char out[64])
{
	strcpy(out, path);
	for (char *p = out; (p = strchr(p, '/')); p++)
		*p = ':';
}

static bool collide(const char *a, const char *b)
{
	char x[64], y[64];

	flatten(a, x);
	flatten(b, y);
	return strcmp(a, b) && !strcmp(x, y);
}

static bool has_collision(const char *path)
{
	for (int i = 0; i < n; i++)
		if (collide(path, files[i]))
			return true;
	return false;
}

/* Of a file as it is reached from any directory above it. */
static void look(const char *path)
{
	char self[PATH_MAX], other[PATH_MAX], dir[PATH_MAX];
	const char *below = path;
	size_t top = strlen(root);

	while (below) {
		snprintf(dir, sizeof(dir), "%s/%.*s", root, (int)(below - path),
			 path);
		if (!slu_colliding_path(root, dir, below, self, other)) {
			expect(!has_collision(path),
			       "%s: its collision is not found", path);
		} else {
			ck_assert_str_eq(self, path);
			expect(collide(path, other), "%s: another", path);
			expect(!access(in(root, other), F_OK), "no such file");
		}
		if (has_collision(path) && !strchr(path, ':') && dir[top + 1])
			/* or it lies in there, and has a ':' itself */
			for (int i = 0; i < n; i++)
				if (collide(path, files[i]) &&
				    strncmp(files[i], path,
					    (size_t)(below - path)))
					expect(slu_may_collide_outside(root,
								       dir),
					       "%s outside", files[i]);
		below = strchr(below, '/');
		below = below ? below + 1 : NULL;
	}
}

START_TEST(test_random)
{
	uint64_t seed = 5;
	int collisions = 0;

	for (int run = 0; run < 400; run++) {
		root = tree_new();
		n = 0;
		for (int i = 0; i < FILES; i++) {
			random_path(&seed, files[n]);
			n += make(files[n]);
		}
		for (int i = 0; i < n; i++) {
			look(files[i]);
			collisions += has_collision(files[i]);
		}
		tree_remove(root);
	}
	expect(collisions > 200, "%d", collisions);
}
END_TEST

/* However the request writes the way there. */
START_TEST(test_written)
{
	static const char *const dirs[] = {"",	  "/",	    "/d",
					   "/d/", "//d/./", "/./d"};
	char self[PATH_MAX], other[PATH_MAX], dir[PATH_MAX];

	root = tree_new();
	make_dir(in(root, "d"), 0700);
	make_text(in(root, "d/x"), "");
	make_text(in(root, "d:x"), "");
	make_text(in(root, "12:30"), "");
	each(d, dirs)
	{
		bool is_below = strchr(*d, 'd');

		snprintf(dir, sizeof(dir), "%s%s", root, *d);
		ck_assert(slu_colliding_path(root, dir, is_below ? "x" : "d/x",
					     self, other));
		ck_assert_str_eq(self, "d/x");
		ck_assert_str_eq(other, "d:x");
		ck_assert_int_eq(slu_may_collide_outside(root, dir), is_below);
	}
	ck_assert(!slu_colliding_path(root, root, "12:30", self, other));
	tree_remove(root);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {test_random, test_written};

	return run_tests("colliding_paths", tests, 2);
}

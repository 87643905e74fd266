/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests staging against replaced names: before each operation, each name of the
 * tree on either side is replaced in turn by a link to the outside, which must
 * be neither read nor changed. (test_stage.c does it while operations run.)
 */
#include "config.h"
#include "tests/unit/harness.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/staging/share.h"
#include "burst_buffer/staging/stage.h"
#include "tests/unit/burst_buffer/node/tree.h"

static char *top;
static char src[4096], dst[4096], out[4096];
static struct slu_err err;

/* Names that are inside and outside, too. */
static const char *const names[] = {"d", "d/e", "d/small", "d/e/small",
				    "d/e/large"};

/* The tree, as it is on both sides and, with other contents, outside. */
static void make_tree(const char *dir, const char *text)
{
	char path[8192];

	mkdir(dir, 0755);
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		make_dir(path, 0755);
	}
	for (int i = 2; i < 5; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		make_text(path, text);
	}
	ck_assert(!truncate(path, SLU_STAGE_RANGE + 10)); /* the large one */
}

static void make_world(void)
{
	top = tree_new();
	snprintf(src, sizeof(src), "%s", in(top, "src"));
	snprintf(dst, sizeof(dst), "%s", in(top, "dst"));
	snprintf(out, sizeof(out), "%s", in(top, "out"));
	make_tree(src, "inside!");
	make_dir(dst, 0755);
	make_tree(out, "outside");
	make_tree(in(top, "same"), "outside");
}

/* Modes and times, too, which make_tree() made a little apart. */
static void remember(struct stat st[5])
{
	for (int i = 0; i < 5; i++)
		ck_assert(!stat(in(out, names[i]), &st[i]));
}

static void expect_untouched(const struct stat was[5], const char *what)
{
	struct stat is[5];
	const char *how = tree_differs(in(top, "same"), out, 0);

	ck_assert_msg(!how, "%s: %s", what, how);
	remember(is);
	for (int i = 0; i < 5; i++)
		expect(is[i].st_mode == was[i].st_mode &&
			       !memcmp(&is[i].st_ctim, &was[i].st_ctim,
				       sizeof(was[i].st_ctim)),
		       "%s: %s outside was changed", what, names[i]);
}

/* No file at the destination has what stands outside: but through the link. */
static void expect_not_read(const char *what)
{
	char text[8];

	for (int i = 2; i < 5; i++) {
		int dir = open(dst, O_PATH | O_DIRECTORY), fd = dir;
		char path[64], *rest = path, *name;

		strcpy(path, names[i]);
		while (fd >= 0 && (name = strsep(&rest, "/"))) {
			int next = openat(fd, name, O_RDONLY | O_NOFOLLOW);

			close(fd);
			fd = next;
		}
		if (fd < 0)
			continue;
		if (pread(fd, text, 7, 0) == 7)
			expect(memcmp(text, "outside", 7), "%s: %s was read",
			       what, names[i]);
		close(fd);
	}
}

static void swap(const char *side, const char *name)
{
	char victim[8192], link[8192];

	snprintf(victim, sizeof(victim), "%s/%s", side, name);
	snprintf(link, sizeof(link), "%s/%s", out, name);
	(void)!rename(victim, in(top, "aside"));
	if (symlink(link, victim))
		ck_assert_msg(!strcmp(side, dst), "%s", victim);
}

static void try_one(int act, bool source, const char *name, bool content)
{
	const char *const words[] = {"PREPARE", "COPY", "VERIFY", "FINISH"};
	struct slu_stage_part part = {
		.destination = dst, .n = 1, .content = content};
	struct slu_stage_result r;
	struct stat was[5];
	char what[100];
	int rc = 0;

	make_world();
	if (act == SLU_PREPARE)
		make_tree(dst, "earlier");
	remember(was);
	part.source = in(top, "src/");
	part.manifest = open(in(top, "manifest"), O_RDWR | O_CREAT, 0600);
	snprintf(what, sizeof(what), "%s of the %s before %s", name,
		 source ? "source" : "destination", words[act]);
	for (int a = SLU_PREPARE; a <= SLU_FINISH && !rc; a++) {
		if (a == act)
			swap(source ? src : dst, name);
		rc = slu_stage((enum slu_act_name)a, &part, &r, &err);
		expect(!rc || a >= act, "%s: %s", what, err.text);
	}
	expect_untouched(was, what);
	expect_not_read(what);
	close(part.manifest);
	tree_remove(top);
}

START_TEST(test_every_step)
{
	each(n, names) for (int act = SLU_PREPARE; act <= SLU_FINISH;
			    act++) for (int i = 0; i < 4; i++)
		try_one(act, i % 2, *n, i / 2);
}
END_TEST

TEST_MAIN("stage_links", test_every_step)

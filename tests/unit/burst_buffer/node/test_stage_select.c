/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests which names lists and patterns select, and that these are staged. */
#include "config.h"
#include "tests/unit/harness.h"
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "burst_buffer/staging/stage.h"
#include "burst_buffer/staging/walk/selection.h"
#include "tests/unit/burst_buffer/node/tree.h"

static char *top;
static int dir;
static struct slu_err err;

static void setup(void)
{
	top = tree_new();
	make_dir(in(top, "run1"), 0755);
	make_dir(in(top, "run2"), 0500);
	make_dir(in(top, "run2/deep"), 0755);
	make_text(in(top, "run1/a.dat"), "a");
	make_text(in(top, "run1/b.txt"), "bb");
	make_text(in(top, "run2/deep/c.dat"), "ccc");
	make_text(in(top, "x.dat"), "x");
	make_text(in(top, ".hidden.dat"), "h");
	make_text(in(top, "odd[1]*"), "odd");
	make_dir(in(top, "d.dat"), 0755);
	make_text(in(top, "d.dat/inner"), "i");
	make_link(in(top, "link"), "run1");
	dir = open(top, O_RDONLY | O_DIRECTORY);
	ck_assert_int_ge(dir, 0);
	memset(&err, 0, sizeof(err));
}

static void teardown(void)
{
	close(dir);
	tree_remove(top);
}

static const char *joined(const struct slu_names *names)
{
	static char text[1000];

	*text = '\0';
	for (size_t i = 0; i < names->n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "%s%s", i ? "|" : "", names->path[i]);
	return text;
}

START_TEST(test_rest_after_the_fixed_directory)
{
	static const struct {
		const char *path, *rest;
	} cases[] = {
		{"/a/b", NULL}, {"/a/*.dat", "*.dat"}, {"/a/x?/b", "x?/b"},
		{"*", "*"},	{"/[ab]/c", "[ab]/c"},
	};

	each(c, cases)
	{
		const char *rest = slu_pattern(c->path);

		expect(c->rest ? rest && !strcmp(rest, c->rest) : !rest,
		       "%s: %s", c->path, rest);
	}
}
END_TEST

START_TEST(test_patterns)
{
	static const struct {
		const char *pattern;
		bool files;
		const char *want; /* NULL: nothing matches */
	} cases[] = {
		{"*.dat", false, "d.dat|x.dat"},
		{"*.dat", true, "x.dat"},
		{"run?", false, "run1|run2"},
		{"run?", true, NULL},
		{"*/", false, "d.dat|run1|run2"}, /* not "link" */
		{"run?/*//", false, "run2/deep"},
		{"*.dat/", false, "d.dat"},
		{"x*/", false, NULL},
		{"*/", true, NULL},
		{"run?/*", false, "run1/a.dat|run1/b.txt|run2/deep"},
		{"run*/*/c.dat", false, "run2/deep/c.dat"},
		{"run[12]/a.dat", false, "run1/a.dat"},
		{"run1//a*", false, "run1/a.dat"},
		{"link/*", false, NULL}, /* no link is followed */
		{".h*", false, ".hidden.dat"},
		{"odd[[]1][*]", false, "odd[1]*"},
		{"../*", false, NULL},
		{"*.nc", false, NULL},
	};

	setup();
	each(c, cases)
	{
		struct slu_names names;

		if (!c->want) {
			expect_fail(slu_names_matching(dir, c->pattern,
						       "/data/in", c->files,
						       &names, &err),
				    err, SLU_NOTFOUND,
				    "nothing in /data/in matches");
			continue;
		}
		expect_ok(slu_names_matching(dir, c->pattern, "/data/in",
					     c->files, &names, &err),
			  err);
		ck_assert_str_eq(joined(&names), c->want);
		slu_names_free(&names);
	}
	teardown();
}
END_TEST

/* Names have to be kept, all at once. */
START_TEST(test_too_many)
{
	struct slu_names names;
	FILE *f;

	setup();
	f = fopen(in(top, "list"), "w");
	for (unsigned i = 0; i < SLU_NAMES_MAX / 33; i++)
		fputs("a\n", f);
	ck_assert(!fclose(f));
	expect_fail(slu_names_listed(dir, "list", top, &names, &err), err,
		    SLU_INVALID,
		    "names are too many: name the directory instead");
	teardown();
}
END_TEST

/* What is there and cannot be looked at is no match that is gone. */
START_TEST(test_unreadable)
{
	struct slu_names names;

	setup();
	make_dir(in(top, "locked"), 0755);
	make_text(in(top, "locked/f"), "x");
	ck_assert(!chmod(in(top, "locked"), 0444));
	ck_assert(!chmod(top, 0755));
	if (fork()) {
		int status;

		ck_assert(wait(&status) > 0 && status == 0);
		teardown();
		return;
	}
	if (getuid() == 0 && setuid(65534))
		_exit(1);
	_exit(slu_names_matching(dir, "locked/*", "/", false, &names, &err) !=
		      -1 ||
	      err.kind != SLU_IO || !strstr(err.text, "locked/f"));
}
END_TEST

START_TEST(test_lists)
{
	static const struct {
		const char *text, *want, *words;
	} cases[] = {
		{"b\na\n\na\n", "a|b", NULL},
		{"", "", NULL},
		{"d/f\nd\nd/g/h\nd-x\nd-x/f\ne/f\n", "d|d-x|e/f", NULL},
		{"d\nd/f\nd/none\n", "d|d/none", NULL},
		{"link\nlink/a.dat\n", "link|link/a.dat", NULL},
		{"a\rb\r\n", "a\rb", NULL},
		{"no end", "no end", NULL},
		{"dos\r\n./x//y/./z/\r\n", "dos|x/y/z", NULL},
		{"/base/dir/x\n/base/dir//y/\n", "x|y", NULL},
		{"\xef\xbb\xbf"
		 "a\r\nb\r\n",
		 "a|b", NULL},
		{"a\n/elsewhere/x\n", NULL,
		 "line 2 of the list: /elsewhere/x "
		 "does not lie below /base/dir/"},
		{"/base/dirt/x\n", NULL, "does not lie below"},
		{"a/../../b\n", NULL, "line 1 of the list: a/../../b is no "},
		{"..\n", NULL, "is no name"},
		{".\n", NULL, "is no name"},
		{"/base/dir/\n", NULL, "is no name"},
		{"a\033\n/x\n", NULL, "line 2"},
	};

	setup();
	make_dir(in(top, "d"), 0755);
	make_dir(in(top, "d/g"), 0755);
	make_dir(in(top, "d-x"), 0755);
	make_text(in(top, "d/f"), "x");
	make_text(in(top, "d/g/h"), "x");
	make_text(in(top, "d-x/f"), "x");
	each(c, cases)
	{
		struct slu_names names;

		make_text(in(top, "list"), c->text);
		if (c->want) {
			expect_ok(slu_names_listed(dir, "list", "/base/dir/",
						   &names, &err),
				  err);
			ck_assert_str_eq(joined(&names), c->want);
			slu_names_free(&names);
		} else {
			expect_fail(slu_names_listed(dir, "list", "/base/dir/",
						     &names, &err),
				    err, SLU_INVALID, c->words);
		}
	}
	teardown();
}
END_TEST

/* What is selected arrives under its own path, with the modes of the
 * directories that lead to it; a second time, too. */
static void check_arrival(const char *source, enum slu_stage_what what,
			  const char *const *there, const char *not_there)
{
	char from[5000], *out = tree_new();
	struct slu_stage_part part = {
		.source = from, .destination = out, .what = what, .n = 1};
	struct slu_stage_result r;
	struct stat a, b;

	snprintf(from, sizeof(from), "%s/%s", top, source);
	for (int again = 0; again < 2; again++) {
		part.manifest = open(in(top, "manifest"),
				     O_RDWR | O_CREAT | O_TRUNC, 0600);
		for (int act = SLU_PREPARE; act <= SLU_FINISH; act++)
			expect_ok(slu_stage((enum slu_act_name)act, &part, &r,
					    &err),
				  err);
		close(part.manifest);
		for (int i = 0; there[i]; i++) {
			ck_assert_int_eq(lstat(in(top, there[i]), &a), 0);
			expect(!lstat(in(out, there[i]), &b), "%s", there[i]);
			ck_assert_uint_eq(a.st_mode, b.st_mode);
			ck_assert_int_eq(a.st_mtime, b.st_mtime);
		}
		ck_assert_int_ne(access(in(out, not_there), F_OK), 0);
	}
	tree_remove(out);
}

START_TEST(test_selected_files_arrive)
{
	setup();
	make_text(in(top, "list"), "run2/deep/c.dat\nd.dat\nlink\nrun1/a.dat\n"
				   "run1\n");
	check_arrival("list", SLU_WHAT_LIST,
		      (const char *const[]){"run2", "run2/deep",
					    "run2/deep/c.dat", "d.dat/inner",
					    "link", "run1/b.txt", NULL},
		      "x.dat");
	check_arrival("run*/*.dat", SLU_WHAT_DIRECTORY,
		      (const char *const[]){"run1", "run1/a.dat", NULL},
		      "run2");
	check_arrival("*.dat", SLU_WHAT_FILE,
		      (const char *const[]){"x.dat", NULL}, "d.dat");
	check_arrival("x.dat", SLU_WHAT_ANY,
		      (const char *const[]){"x.dat", NULL}, "run1");
	check_arrival("run1", SLU_WHAT_ANY,
		      (const char *const[]){"run1/a.dat", NULL}, "x.dat");
	teardown();
}
END_TEST

START_TEST(test_missing)
{
	struct slu_stage_part part = {.what = SLU_WHAT_LIST, .n = 1};
	struct slu_stage_result r;
	char out[PATH_MAX];

	setup();
	snprintf(out, sizeof(out), "%s/out", top);
	part.destination = out;
	part.manifest = open(in(top, "manifest"), O_RDWR | O_CREAT, 0600);
	part.source = in(top, "nolist");
	expect_fail(slu_stage(SLU_PREPARE, &part, &r, &err), err, SLU_NOTFOUND,
		    "the list");
	make_text(in(top, "list"), "run1/gone\n");
	part.source = in(top, "list");
	expect_fail(slu_stage(SLU_PREPARE, &part, &r, &err), err, SLU_IO,
		    in(top, "run1/gone: No such"));
	make_text(in(top, "list"), "link/a.dat\n");
	expect_fail(slu_stage(SLU_PREPARE, &part, &r, &err), err, SLU_IO,
		    in(top, "link: "));
	close(part.manifest);
	teardown();
}
END_TEST

TEST_MAIN("stage_select", test_rest_after_the_fixed_directory, test_patterns,
	  test_too_many, test_unreadable, test_lists,
	  test_selected_files_arrive, test_missing)

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests files in segments (one file stored as several): their index, creation
 * and removal. */
#include "config.h"
#include "tests/unit/select_io/segment_files.h"

#include <errno.h>

#include <sys/stat.h>
#include "common/proc.h"
#include "select_io/segments/index.h"

START_TEST(test_index)
{
	static const struct {
		const char *text;
		size_t n; /* parts; 99: refused */
	} cases[] = {
		{"sluice-segments 1 0\n", 0},
		{"sluice-segments 1 7\n3 a\n4 b/c d\n", 2},
		{"sluice-segments 1 7\n7 ..a/b..\n", 1},
		{"sluice-segments 1 7\n3 a\n", 99},
		{"sluice-segments 1 7\n8 a\n", 99},
		{"sluice-segments 1 7\n7 a", 99},
		{"sluice-segments 1 7\n7 \n", 99},
		{"sluice-segments 1 7\n7\n", 99},
		{"sluice-segments 1 7\n7 /a\n", 99},
		{"sluice-segments 1 7\n7 a/../../b\n", 99},
		{"sluice-segments 1 7\n7 ..\n", 99},
		{"sluice-segments 1 7\n7 a//b\n", 99},
		{"sluice-segments 1 7\n7 ./a\n", 99},
		{"sluice-segments 1 7\n7 a/./b\n", 99},
		{"sluice-segments 1 7\n7 a/.\n", 99},
		{"sluice-segments 1 7\n7 a/\n", 99},
		{"sluice-segments 1 7\n7 .a/.b\n", 1},
		{"sluice-segments 1 7\n0 a\n7 b\n", 99},
		{"sluice-segments 1 7\n-7 a\n", 99},
		{"sluice-segments 1 7x\n", 99},
		{"sluice-segments 1 7", 99},
		{"sluice-segments 1 99999999999999999999\n", 99},
		{"sluice-segments 1 9223372036854775807\n"
		 "9223372036854775807 a\n1 b\n",
		 99},
		{"sluice-segments 2 7\n7 a\n", 99},
		{"something else\n", 99},
		{"", 99},
	};
	struct slu_segments s;
	char text[SLU_SEGMENTS_TEXT];
	size_t n;

	each(c, cases)
	{
		bool ok = slu_segments_parse(c->text, strlen(c->text), &s);

		expect(ok == (c->n != 99), "%s", c->text);
		if (!ok)
			continue;
		ck_assert_uint_eq(s.n, c->n);
		n = slu_segments_text(&s, text, sizeof(text));
		ck_assert_uint_eq(n, strlen(c->text));
		ck_assert_str_eq(text, c->text);
		ck_assert_uint_eq(slu_segments_text(&s, text, n), 0);
	}
	ck_assert(slu_segments_parse(cases[1].text, strlen(cases[1].text), &s));
	for (uint64_t at = 0; at < 9; at++)
		ck_assert_uint_eq(slu_segments_find(&s, at), at < 3   ? 0
							     : at < 7 ? 1
								      : 2);
}
END_TEST

static void write_text(const char *file, const char *text)
{
	expect_ok(slu_file_write(AT_FDCWD, file, text, strlen(text), 0600,
				 false, &err),
		  err);
}

START_TEST(test_split)
{
	static const struct {
		size_t size, parts;
	} cases[] = {{0, 0},	     {1, 1},
		     {64 * KIB, 1},  {64 * KIB + 1, 2},
		     {192 * KIB, 2}, {200 * KIB + 7, 3}};
	char *from = path("from"), *to = path("to"), *dir = path("to.segments");

	each(c, cases)
	{
		struct slu_buf text = {0};
		struct slu_segments s;

		make_random(from, c->size);
		expect_ok(cut(from, to, &plain), err);
		expect_ok(slu_file_read(AT_FDCWD, to, 9999, &text, &err), err);
		ck_assert(slu_segments_parse(text.data, text.len, &s));
		ck_assert(s.n == c->parts && s.size == c->size);
		if (s.n > 1)
			ck_assert_str_eq(s.part[1].name,
					 "to.segments/8ost-2m/part-01");
		expect_fail(cut(from, to, &plain), err, SLU_INVALID,
			    "is there already");
		expect_ok(slu_segments_remove(to, &err), err);
		ck_assert(access(to, F_OK) && access(dir, F_OK));
		slu_buf_free(&text);
	}
	expect_fail(slu_segments_remove(from, &err), err, SLU_INVALID,
		    "no file in segments");
	free(from);
	free(to);
	free(dir);
}
END_TEST

/* An index that was written by hand removes nothing but its own parts. */
START_TEST(test_remove)
{
	char *to = path("to"), *link = path("to.segments"), *dir = path("dir");
	char *kept = path("dir/kept"), *beside = path("kept");

	ck_assert(!mkdir(dir, 0700) && !symlink(dir, link));
	make_random(kept, 9);
	make_random(beside, 9);
	write_text(to, "sluice-segments 1 9\n9 to.segments/kept\n");
	expect_ok(slu_segments_remove(to, &err), err);
	write_text(to, "sluice-segments 1 9\n9 kept\n");
	expect_fail(slu_segments_remove(to, &err), err, SLU_INVALID,
		    "*.segments");
	ck_assert(!access(kept, F_OK) && !access(beside, F_OK));
	free(to);
	free(link);
	free(dir);
	free(kept);
	free(beside);
}
END_TEST

/* Parts are not written to where a link that is there leads: no reader would
 * follow it. */
START_TEST(test_link)
{
	static const char *const names[] = {"to.segments",
					    "to.segments/4ost-1m"};
	char *from = path("from"), *to = path("to"), *dir = path("dir");
	char *parts = path("to.segments");

	make_random(from, 100 * KIB);
	each(name, names)
	{
		char *link = path(*name);

		expect(!mkdir(dir, 0700) && !symlink(dir, link), "%s", link);
		expect_fail(cut(from, to, &plain), err, SLU_INVALID,
			    "symbolic link");
		expect(access(to, F_OK) && !rmdir(dir) && !unlink(link), "%s",
		       link);
		free(link);
		ck_assert(!mkdir(parts, 0700) || errno == EEXIST);
	}
	free(from);
	free(to);
	free(dir);
	free(parts);
}
END_TEST

/* Directories are striped; if that fails, nothing remains. */
START_TEST(test_lfs)
{
	char *from = path("from"), *to = path("to"), *dir = path("to.segments");
	char *lfs = path("lfs"), *log = path("lfs.log"), *script, *want;
	struct slu_segment_options how = {.lfs = lfs};
	struct slu_buf text = {0};

	script = slu_asprintf("#!/bin/sh\necho \"$@\" >>%s\n", log);
	expect_ok(slu_file_write(AT_FDCWD, lfs, script, strlen(script), 0755,
				 false, &err),
		  err);
	make_random(from, 100 * KIB);
	expect_ok(cut(from, to, &how), err);
	expect_ok(slu_file_read(AT_FDCWD, log, 9999, &text, &err), err);
	want = slu_asprintf("setstripe -c 4 -S 1M %s/4ost-1m\n"
			    "setstripe -c 8 -S 2M %s/8ost-2m\n",
			    dir, dir);
	ck_assert_str_eq(text.data, want);
	expect_ok(slu_segments_remove(to, &err), err);
	expect_ok(slu_file_write(AT_FDCWD, lfs,
				 "#!/bin/sh\ncase $5 in 2M) exit 1; esac\n", 39,
				 0755, false, &err),
		  err);
	ck_assert_int_eq(cut(from, to, &how), -1);
	expect(access(to, F_OK), "it is there");
	how.lfs = NULL;
	slu_rmtree(AT_FDCWD, dir, &err);
	expect_ok(cut(from, to, &how), err);
	slu_buf_free(&text);
	free(want);
	free(script);
	free(log);
	free(lfs);
	free(from);
	free(to);
	free(dir);
}
END_TEST

TEST_MAIN("segments", test_index, test_split, test_remove, test_link, test_lfs)

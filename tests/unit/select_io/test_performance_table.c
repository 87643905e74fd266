/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the parser of performance tables, and the search for the nearest
 * pattern. */
#include "config.h"
#include "tests/unit/harness.h"
#include <math.h>
#include "select_io/curves/performance_table.h"

static const char table[] = "# measured in May\n"
			    "pattern,0,1,2,4,8\r\n"
			    "shared-1m,246,120,232,421,640\n"
			    "\n"
			    "fpp-32k,,100,200,,1000\n";

START_TEST(test_parsed_table)
{
	struct slu_err err;
	struct slu_patterns *t = slu_patterns_parse(table, "t", &err);
	const struct slu_curve *c;

	ck_assert_msg(t != NULL, "%s", err.text);
	c = slu_patterns_find(t, "shared-1m");
	ck_assert_double_eq(slu_curve_at(c, 0), 246);
	ck_assert_double_eq(slu_curve_at(c, 8), 640);
	c = slu_patterns_find(t, "fpp-32k");
	ck_assert_double_eq(slu_curve_at(c, 0), 0);
	ck_assert_double_eq_tol(slu_curve_at(c, 4), 200 + 800.0 / 3, 1e-9);
	ck_assert_ptr_null(slu_patterns_find(t, "fpp"));
	slu_patterns_free(t);
}
END_TEST

START_TEST(test_profiles)
{
	static const struct {
		const char *profile;
		uint32_t ions;
		double want;
	} cases[] = {
		{"shared-1m", 2, 232},
		{"shared-1m:5TiB", 2, 232},
		{"shared-1m:1GiB,fpp-32k:1GiB", 1, 2 / (1 / 120.0 + 1 / 100.0)},
		{"shared-1m:3K,fpp-32k:1K", 8, 4 / (3 / 640.0 + 1 / 1000.0)},
		{"shared-1m,fpp-32k", 0, 0}, /* one was not measured */
	};
	static const struct {
		const char *profile;
		enum slu_kind kind;
		const char *words;
	} bad[] = {
		{"other", SLU_NOTFOUND, "\"other\""},
		{"", SLU_NOTFOUND, "\"\""},
		{"shared-1m,", SLU_NOTFOUND, "\"\""},
		{"shared-1m:x", SLU_INVALID, "x"},
		{"shared-1m:0", SLU_INVALID, "0"},
		{"shared-1m,shared-1m,shared-1m,shared-1m,shared-1m,shared-1m,"
		 "shared-1m,shared-1m,shared-1m,shared-1m,shared-1m,shared-1m,"
		 "shared-1m,shared-1m,shared-1m,shared-1m,shared-1m",
		 SLU_INVALID, "more than 16"},
	};
	struct slu_err err;
	struct slu_patterns *t = slu_patterns_parse(table, "t", &err);
	struct slu_curve c;

	each(p, cases)
	{
		expect_ok(slu_patterns_curve(t, p->profile, &c, &err), err);
		expect(fabs(slu_curve_at(&c, p->ions) - p->want) < 1e-9,
		       "%s at %u: %f", p->profile, p->ions,
		       slu_curve_at(&c, p->ions));
	}
	each(b, bad) expect_fail(slu_patterns_curve(t, b->profile, &c, &err),
				 err, b->kind, b->words);
	slu_patterns_free(t);
}
END_TEST

START_TEST(test_refused)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{"", "t: no pattern"},
		{"pattern,1\n", "t: no pattern"},
		{"name,1\nx,2\n", "t:1: the heading begins with \"name\""},
		{"pattern\nx\n", "t:1: the heading names no number"},
		{"pattern,1,-2\n", "t:1: \"-2\" is no number"},
		{"pattern,1,x\n", "t:1: \"x\" is no number"},
		{"pattern,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17\n",
		 "more than 16"},
		{"pattern,1\n,5\n", "t:2: \"\" is no name"},
		{"pattern,1\na:b,5\n", "is no name"},
		{"pattern,1\nx,5,6\n", "t:2: too many columns"},
		{"pattern,1\nx,0\n", "t:2: \"0\" is no bandwidth"},
		{"pattern,1\nx,nan\n", "is no bandwidth"},
		{"pattern,1\nx,5 \n", "is no bandwidth"},
		{"pattern,0,1\nx,5,\n", "x was never measured"},
		{"pattern,1\nx,5\nx,6\n", "t:3: x stands there twice"},
	};
	struct slu_err err;

	each(c, cases)
	{
		ck_assert_ptr_null(slu_patterns_parse(c->text, "t", &err));
		expect_err(err, SLU_INVALID, c->words);
	}
}
END_TEST

/* Jobs that name no patterns get the nearest ones. */
START_TEST(test_nearest)
{
	static const char text[] = "pattern,op,nodes,processes,1,2\n"
				   "small-read,read,2,8,100,150\n"
				   "large-read,read,32,512,100,300\n"
				   "small-write,write,2,,40,50\n"
				   "large-write,write,32,,40,90\n"
				   "any,,,,10,20\n";
	static const struct {
		uint32_t nodes, processes;
		double read_bytes, written_bytes;
		const char *want;
	} cases[] = {
		{2, 8, 1e9, 0, "small-read:1000000000"},
		{2, 8, 1e9, 2e9,
		 "small-read:1000000000,small-write:2000000000"},
		{64, 512, 1, 1, "any:1,any:1"}, /* open: never far */
		{32, 512, 0, 7, "large-write:7"},
		{32, 512, 7, 0.4, "large-read:7"},
		{2, 8, 0, 0, NULL},
	};
	struct slu_err err;
	struct slu_patterns *t = slu_patterns_parse(text, "t", &err);
	struct slu_curve curve;
	struct slu_ion_manner both = {.nodes = 1,
				      .processes = 1,
				      .read_bytes = 9,
				      .written_bytes = 9};

	ck_assert_msg(t != NULL, "%s", err.text);
	each(c, cases)
	{
		struct slu_ion_manner m = {.nodes = c->nodes,
					   .processes = c->processes,
					   .read_bytes = c->read_bytes,
					   .written_bytes = c->written_bytes};
		char *got = slu_patterns_nearest(t, &m, &err);

		expect((!got && !c->want) ||
			       (got && c->want && !strcmp(got, c->want)),
		       "%td: %s", c - cases, got);
		if (got)
			expect_ok(slu_patterns_curve(t, got, &curve, &err),
				  err);
		free(got);
	}
	slu_patterns_free(t);

	t = slu_patterns_parse("pattern,op,1\nx,read,5\n", "t", &err);
	ck_assert_ptr_null(slu_patterns_nearest(t, &both, &err));
	ck_assert_int_eq(err.kind, SLU_NOTFOUND);
	slu_patterns_free(t);
	t = slu_patterns_parse(table, "t", &err); /* says nothing of them */
	ck_assert_ptr_null(slu_patterns_nearest(t, &both, &err));
	slu_patterns_free(t);
}
END_TEST

/* The manner counts before numbers; what is open on either side does not. */
START_TEST(test_nearest_manner)
{
	static const char text[] =
		"pattern,op,nodes,request,layout,access,1,2\n"
		"each-32k,write,8,32KiB,file-per-process,contiguous,10,20\n"
		"each-1m,write,8,1MiB,file-per-process,contiguous,10,20\n"
		"one-1m,write,64,1MiB,shared,contiguous,10,20\n"
		"strided,write,64,1MiB,shared,strided,10,20\n"
		"open,read,,,,,10,20\n";
	static const struct {
		struct slu_ion_manner m;
		const char *want, *text;
	} cases[] = {
		{{.nodes = 8}, "each-32k:7", ""},
		{{.nodes = 8, .request = 600000},
		 "each-1m:7",
		 "585.9KiB requests"},
		{{.nodes = 8, .layout = SLU_LAYOUT_SHARED},
		 "one-1m:7",
		 "shared files"},
		{{.nodes = 8,
		  .request = 32768,
		  .layout = SLU_LAYOUT_SHARED,
		  .access = SLU_STRIDED},
		 "strided:7",
		 "32KiB requests, strided, shared files"},
		{{.nodes = 64, .layout = SLU_LAYOUT_EACH},
		 "each-32k:7",
		 "file per process"},
		/* One wrong either way: the nearer one. */
		{{.nodes = 64,
		  .layout = SLU_LAYOUT_EACH,
		  .access = SLU_STRIDED},
		 "strided:7",
		 "strided, file per process"},
		{{.read_bytes = 5, .access = SLU_CONTIGUOUS},
		 "open:5,each-32k:7",
		 "contiguous"},
	};
	struct slu_err err;
	struct slu_patterns *t = slu_patterns_parse(text, "t", &err);

	ck_assert_msg(t != NULL, "%s", err.text);
	each(c, cases)
	{
		struct slu_ion_manner m = c->m;
		char *got, *words = slu_ion_manner_text(&m);

		m.written_bytes = 7;
		got = slu_patterns_nearest(t, &m, &err);
		expect(got && !strcmp(got, c->want), "%td: %s", c - cases, got);
		expect(!strcmp(words, c->text), "%td: %s", c - cases, words);
		free(got);
		free(words);
	}
	slu_patterns_free(t);
}
END_TEST

START_TEST(test_bad_meaning)
{
	static const char *const bad[] = {
		"pattern,op,op,1\nx,read,read,1\n",
		"pattern,1,op\nx,1,read\n",
		"pattern,op,1\nx,append,1\n",
		"pattern,nodes,1\nx,none,1\n",
		"pattern,nodes,1\nx,0,1\n",
		"pattern,processes,1\nx,-4,1\n",
		"pattern,request,1\nx,huge,1\n",
		"pattern,layout,1\nx,striped,1\n",
		"pattern,access,1\nx,random,1\n",
		"pattern,op\nx,read\n",
		"pattern,op,nodes,1\nx,read\n",
	};
	struct slu_err err;

	each(b, bad) expect(!slu_patterns_parse(*b, "t", &err) &&
				    err.kind == SLU_INVALID,
			    "%s", *b);
}
END_TEST

TEST_MAIN("performance_table", test_parsed_table, test_profiles, test_refused,
	  test_nearest, test_nearest_manner, test_bad_meaning)

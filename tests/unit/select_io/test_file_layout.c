/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests layouts of existing files: parsing lfs getstripe, their cost, and the
 * files with the largest cost. */
#include "config.h"
#include <math.h>
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include "select_io/stripe/layout_review.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define TIB (UINT64_C(1) << 40)

static struct slu_file_layout l;
static struct slu_err err;

/* As Lustre 2.17 prints them, one after the other, and as 2.15 does. */
static const char plain[] = "lmm_stripe_count:  2\n"
			    "lmm_stripe_size:   4194304\n"
			    "lmm_pattern:       raid0\n"
			    "lmm_layout_gen:    0\n"
			    "lmm_stripe_offset: 3\n"
			    "lmm_pool:          flash\n"
			    "lmm_objects:\n"
			    "      - l_ost_idx: 3\n"
			    "        l_fid:     0x300000400:0x4:0x0\n"
			    "      - l_ost_idx: 1\n"
			    "        l_fid:     0x280000400:0x3:0x0\n";
#define COMPOSITE(mark, object)                                          \
	mark "lcm_layout_gen:    4\n" mark "lcm_mirror_count:  1\n" mark \
	     "lcm_entry_count:   3\n"                                    \
	     "components:\n"                                             \
	     "  - lcme_id:             1\n"                              \
	     "    lcme_flags:          init\n"                           \
	     "    lcme_extent.e_start: 0\n"                              \
	     "    lcme_extent.e_end:   1048576\n"                        \
	     "    sub_layout:\n"                                         \
	     "      lmm_stripe_count:  0\n"                              \
	     "      lmm_stripe_size:   1048576\n"                        \
	     "      lmm_pattern:       mdt\n"                            \
	     "      lmm_mdt_index:     0\n"                              \
	     "  component1:\n"                                           \
	     "    lcme_id:             2\n"                              \
	     "    lcme_extent.e_start: 1048576\n"                        \
	     "    lcme_extent.e_end:   67108864\n"                       \
	     "      lmm_stripe_count:  1\n"                              \
	     "      lmm_stripe_size:   1048576\n"                        \
	     "      lmm_pattern:       raid0\n"                          \
	     "      lmm_objects:\n" object "\n"                          \
	     "    lcme_id:             3\n"                              \
	     "    lcme_extent.e_start: 67108864\n"                       \
	     "    lcme_extent.e_end:   EOF\n"                            \
	     "      lmm_stripe_count:  -1\n"                             \
	     "      lmm_stripe_size:   4194304\n"                        \
	     "      lmm_pattern:       raid0\n"                          \
	     "      lmm_stripe_offset: -1\n"
static const char composite[] =
	COMPOSITE("", "      - l_ost_idx: 7\n"
		      "        l_fid:     0x2:0xc:0x0\n");
static const char composite15[] =
	COMPOSITE("  ", "      - l_ost_idx: 7\n"
			"        l_fid:     0x2:0xc:0x0\n");

static void check_composite(void)
{
	ck_assert_ptr_null(l.special);
	ck_assert_uint_eq(l.n, 3);
	ck_assert(l.part[0].mdt && l.part[0].made && l.part[0].end == MIB);
	ck_assert(l.part[1].begin == MIB && l.part[1].named == 1);
	ck_assert_uint_eq(l.ost[l.part[1].first], 7);
	ck_assert(!l.part[2].made && l.part[2].end == UINT64_MAX);
}

START_TEST(test_parse)
{
	char text[8192];
	const char *p = text;

	snprintf(text, sizeof(text), "%s%s%s%s", plain, composite, plain,
		 composite15);
	for (int i = 0; i < 2; i++) {
		ck_assert(slu_file_layout_next(&p, &l));
		ck_assert_ptr_null(l.special);
		ck_assert(l.n == 1 && l.n_ost == 2 && l.ost[0] == 3);
		ck_assert(l.part[0].count == 2 && l.part[0].width == 4 * MIB);
		ck_assert_str_eq(l.pool, "flash");
		ck_assert(slu_file_layout_next(&p, &l));
		check_composite();
	}
	ck_assert(!slu_file_layout_next(&p, &l));
}
END_TEST

#define PART "lmm_stripe_count: 1\nlmm_stripe_size: 65536\n"
#define ONE                                                              \
	"lcme_id: 1\nlcme_extent.e_start: 0\nlcme_extent.e_end: 65536\n" \
	" lmm_stripe_count: 1\n lmm_stripe_size: 65536\n"

START_TEST(test_special)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{PART "lmm_pattern: raid0,released\n", "archive"},
		{PART "lmm_pattern: raid0,overstriped\n", NULL},
		{PART "lmm_pattern: parity\n", "not raid0"},
		{"lfm_magic: 0x0BD70BD0\n", "foreign"},
		{"lcm_layout_gen: 1\nlcm_mirror_count: 2\n" ONE, "mirrored"},
		{"lcm_layout_gen: 1\n" ONE " lmm_pool: a\n"
		 "lcme_id: 2\nlcme_extent.e_start: 65536\n"
		 "lcme_extent.e_end: EOF\n lmm_pool: b\n",
		 "several pools"},
		{"lcm_layout_gen: 1\n" ONE " lmm_pool: a\n"
		 "lcme_id: 2\nlcme_extent.e_start: 65536\n"
		 "lcme_extent.e_end: EOF\n",
		 "several pools"},
		{"lcm_layout_gen: 1\n" ONE
		 "lcme_id: 2\nlcme_extent.e_start: 65536\n"
		 "lcme_extent.e_end: EOF\n lmm_pool: b\n",
		 "several pools"},
		{"lcm_layout_gen: 1\n" ONE " lmm_pattern: mdt\n"
		 "lcme_id: 2\nlcme_extent.e_start: 65536\n"
		 "lcme_extent.e_end: EOF\n lmm_pool: b\n",
		 NULL},
		{"lcm_layout_gen: 1\n" ONE " lmm_extension_size: 65536\n",
		 "extends"},
		{"lcm_layout_gen: 1\n", "not understood"},
		{"lcm_layout_gen: 1\n" ONE ONE, "not understood"},
		{"lmm_stripe_count: 2\nlmm_stripe_size: 65536\n"
		 "- l_ost_idx: 1\n",
		 "not understood"},
		{"lmm_stripe_count: 1\nlmm_stripe_size: 0\n- l_ost_idx: 1\n",
		 "not understood"},
	};

	each(c, cases)
	{
		const char *p = c->text;

		ck_assert(slu_file_layout_next(&p, &l));
		expect(c->why ? l.special && strstr(l.special, c->why)
			      : !l.special,
		       "%s: %s", c->text, l.special);
	}
}
END_TEST

/* However many components and objects it has. */
START_TEST(test_large)
{
	struct slu_buf text = {0};
	const char *p;

	slu_buf_puts(&text, "lcm_layout_gen: 1\n");
	for (int i = 0; i < 3 * SLU_FILE_PARTS; i++)
		slu_buf_puts(&text, ONE);
	p = text.data;
	ck_assert(slu_file_layout_next(&p, &l));
	ck_assert(strstr(l.special, "many components") && !*p);
	slu_buf_reset(&text);
	slu_buf_puts(&text, "lmm_stripe_count: 9000\nlmm_stripe_size: 65536\n");
	for (int i = 0; i < 9000; i++)
		slu_buf_puts(&text, "- l_ost_idx: 1\n");
	p = text.data;
	ck_assert(slu_file_layout_next(&p, &l));
	ck_assert(strstr(l.special, "many stripes") && !*p);
	slu_buf_free(&text);
}
END_TEST

START_TEST(test_df)
{
	static const struct {
		const char *line;
		bool ok;
		uint32_t index;
		uint64_t total, available;
	} cases[] = {
		{"fs-OST0001_UUID 321504 1392 292296 1% /mnt/fs[OST:1] ", true,
		 1, 321504, 292296},
		{"fs-OST0010_UUID 9 9 0 100% /a [OST:3] b[OST:16] D", true, 16,
		 9, 0},
		{"fs-MDT0000_UUID 159376 1748 137676 2% /mnt/fs[MDT:0]", false,
		 0, 0, 0},
		{"OST0004             : inactive device", false, 0, 0, 0},
		{"filesystem_summary: 1286016 5568 1169184 1% /mnt", false, 0,
		 0, 0},
		{"x 5 5 9 1% /m[OST:1]", false, 0, 0, 0},
	};
	struct slu_df_target t;

	each(c, cases)
	{
		expect(slu_df_target_parse(c->line, &t) == c->ok, "%s",
		       c->line);
		if (c->ok)
			ck_assert(t.index == c->index &&
				  t.total == c->total * 1024 &&
				  t.available == c->available * 1024 &&
				  !strcmp(t.fsname, "fs"));
	}
}
END_TEST

/* By going through the file stripe by stripe. */
static double slowly(const struct slu_file_layout *f, uint64_t size,
		     const struct slu_cost_site *site)
{
	double sum = 0;

	for (size_t i = 0; i < f->n; i++) {
		const struct slu_file_part *p = &f->part[i];
		double target[64] = {0}, server[8] = {0}, slowest = 0;
		uint64_t end = p->end < size ? p->end : size, len;

		for (uint64_t at = p->begin; at < end; at += len) {
			uint64_t n = (at - p->begin) / p->width;
			uint32_t ost = f->ost[p->first + n % p->count];

			len = p->width - (at - p->begin) % p->width;
			len = len < end - at ? len : end - at;
			target[ost] += (double)len / SLU_STRIPE_DISK;
			server[site->target[ost].server] +=
				(double)len / site->server;
			slowest += (double)len / SLU_STRIPE_NODE;
		}
		for (int t = 0; t < 64; t++)
			slowest = fmax(slowest, target[t]);
		for (int s = 1; s < 8; s++)
			slowest = fmax(slowest, server[s]);
		sum += slowest + SLU_STRIPE_GLIMPSE * p->count;
	}
	return sum;
}

START_TEST(test_seconds_against_each_stripe)
{
	struct slu_cost_target target[64] = {{0}};
	struct slu_cost_site site = {.target = target,
				     .n = 64,
				     .servers = 7,
				     .server = 1e9,
				     .access = SLU_STRIPE_SEQUENTIAL};
	uint64_t seed = 11;

	for (int i = 0; i < 64; i++)
		target[i].server = 1 + (uint32_t)i % 7;
	for (int k = 0; k < 1000; k++) {
		uint64_t begin = 0, size = 1 + slu_random(&seed, 300 * MIB);
		double want;

		memset(&l, 0, sizeof(l));
		l.n = 1 + slu_random(&seed, 4);
		for (size_t i = 0; i < l.n; i++) {
			struct slu_file_part *p = &l.part[i];

			p->width = (uint32_t)(65536 << slu_random(&seed, 7));
			p->count = 1 + (uint32_t)slu_random(&seed, 20);
			p->begin = begin;
			p->end = i + 1 == l.n
					 ? UINT64_MAX
					 : begin + p->width * (1 +
							       slu_random(&seed,
									  90));
			p->made = true;
			p->first = l.n_ost;
			p->named = p->count;
			for (uint32_t s = 0; s < p->count; s++)
				l.ost[l.n_ost++] =
					(uint32_t)slu_random(&seed, 64);
			begin = p->end;
		}
		want = slowly(&l, size, &site);
		expect(fabs(slu_stripe_seconds(&l, size, &site) - want) <
			       1e-9 * want + 1e-12,
		       "%d: %g, not %g", k, slu_stripe_seconds(&l, size, &site),
		       want);
	}
}
END_TEST

/* A file with n stripes of a MiB from target 0 on. */
static void lay_out(uint32_t n)
{
	memset(&l, 0, sizeof(l));
	l.n = 1;
	l.n_ost = n;
	l.part[0] = (struct slu_file_part){.end = UINT64_MAX,
					   .count = n,
					   .width = MIB,
					   .made = true,
					   .named = n};
	for (uint32_t i = 0; i < n; i++)
		l.ost[i] = i;
}

START_TEST(test_review)
{
	static struct slu_cost_target target[16];
	static uint64_t room[16];
	struct slu_cost_site site = {.target = target,
				     .n = 16,
				     .servers = 4,
				     .server = 1.2e9,
				     .access = SLU_STRIPE_SEQUENTIAL};
	static const struct {
		uint64_t size;
		uint32_t stripes, pool;
		const char *why, *command; /* NULL: nothing to say */
	} cases[] = {
		{70 * MIB, 1, 0, NULL, NULL},
		{100 * MIB, 1, 0, "few targets",
		 "lfs migrate -E 64M -c 1 -S 1M -E -1 -c 4 -S 1M f"},
		{MIB, 4, 0, NULL, NULL},
		{MIB, 16, 0, "many stripes", "lfs migrate -c 1 -S 1M f"},
		{500 * GIB, 1, 0, "few targets",
		 "lfs migrate -E 64M -c 1 -S 1M -E 1G -c 4 -S 1M "
		 "-E 10G -c 8 -S 2M -E -1 -c 16 -S 4M f"},
		{500 * GIB, 1, 1, "few targets",
		 "lfs migrate -E 64M -c 1 -S 1M -p flash -E 1G -c 4 -S 1M "
		 "-p flash -E 10G -c 8 -S 2M -p flash -E -1 -c 16 -S 4M "
		 "-p flash f"},
		{500 * GIB, 16, 0, NULL, NULL},
		/* the last target is full */
		{60 * GIB, 17, 0, "full target",
		 "lfs migrate -E 64M -c 1 -S 1M -E 1G -c 4 -S 1M "
		 "-E 10G -c 8 -S 2M -E -1 -c 15 -S 4M f"},
		/* more than there is room for */
		{1200 * TIB, 16, 0, NULL, NULL},
	};

	for (int i = 0; i < 16; i++) {
		target[i] = (struct slu_cost_target){9 * TIB, 8 * TIB,
						     1 + (uint32_t)i / 4};
		room[i] = 8 * TIB;
	}
	each(c, cases)
	{
		struct slu_review r = {
			.site = &site,
			.top = 1,
			.request = {.access = SLU_STRIPE_SEQUENTIAL,
				    .targets = 16,
				    .room = room,
				    .lustre = 2015}};

		lay_out(c->stripes == 17 ? 16 : c->stripes);
		room[15] = c->stripes == 17 ? 9 : 8 * TIB;
		target[15].available = room[15];
		if (c->pool)
			strcpy(l.pool, "flash");
		expect_ok(slu_review_add(&r, "f", c->size, &l, &err), err);
		expect(r.n == (c->why != NULL), "%lu", c->size);
		ck_assert_uint_eq(r.no_room, c->size == 1200 * TIB);
		if (c->why) {
			ck_assert_str_eq(slu_review_words[r.file[0].why],
					 c->why);
			ck_assert_str_eq(r.file[0].command, c->command);
		}
		slu_review_free(&r);
	}
}
END_TEST

/* Four targets of one server beside four of four. */
START_TEST(test_one_server)
{
	static struct slu_cost_target target[16];
	struct slu_cost_site site = {.target = target,
				     .n = 16,
				     .servers = 4,
				     .server = 0.8e9,
				     .access = SLU_STRIPE_SEQUENTIAL};
	struct slu_review r = {.site = &site,
			       .top = 9,
			       .request = {.access = SLU_STRIPE_SEQUENTIAL,
					   .targets = 16,
					   .lustre = 2005}};

	for (uint32_t i = 0; i < 16; i++)
		target[i].server = 1 + i / 4;
	lay_out(4);
	expect_ok(slu_review_add(&r, "one", GIB, &l, &err), err);
	for (uint32_t i = 0; i < 4; i++)
		l.ost[i] = 4 * i;
	expect_ok(slu_review_add(&r, "four", GIB, &l, &err), err);
	ck_assert_uint_eq(r.n, 1);
	ck_assert_str_eq(r.file[0].path, "one");
	ck_assert_int_eq(r.file[0].why, SLU_REVIEW_SERVER);
	ck_assert_str_eq(r.file[0].command, "lfs migrate -c 4 -S 1M one");
	slu_review_free(&r);
}
END_TEST

/* The top of many, in order, is what sorting all of them gives; sums are of
 * all. */
START_TEST(test_top)
{
	const struct slu_cost_site site = {.access = SLU_STRIPE_SEQUENTIAL};
	struct slu_review few = {.site = &site,
				 .top = 7,
				 .request = {.access = SLU_STRIPE_SEQUENTIAL}},
			  all = few;
	uint64_t seed = 3, size;
	char name[32];

	all.top = 10000;
	lay_out(1);
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		size = slu_random(&seed, TIB);
		expect_ok(slu_review_add(&few, name, size, &l, &err), err);
		expect_ok(slu_review_add(&all, name, size, &l, &err), err);
	}
	slu_review_sort(&few);
	slu_review_sort(&all);
	ck_assert(few.n == 7 && all.n > 900 && few.files == 1000);
	for (size_t i = 0; i < few.n; i++)
		ck_assert_str_eq(few.file[i].path, all.file[i].path);
	ck_assert_uint_eq(few.of[SLU_REVIEW_NARROW].files, all.n);
	slu_review_free(&few);
	slu_review_free(&all);
}
END_TEST

/* At random wide stripes cost, and more of them gain nothing for one reader. */
START_TEST(test_random_reads)
{
	struct slu_cost_site site = {.access = SLU_STRIPE_RANDOM};
	double narrow, wide;

	lay_out(1);
	narrow = slu_stripe_seconds(&l, GIB, &site);
	l.part[0].width = 4 * MIB;
	wide = slu_stripe_seconds(&l, GIB, &site);
	ck_assert_double_gt(wide, 1.5 * narrow);
	l.part[0].width = 64 * MIB; /* no more than 4 MiB are fetched */
	ck_assert_double_eq(slu_stripe_seconds(&l, GIB, &site), wide);
	lay_out(4);
	ck_assert_double_ge(slu_stripe_seconds(&l, GIB, &site), narrow);
	site.readers = 4;
	ck_assert_double_lt(slu_stripe_seconds(&l, GIB, &site), narrow / 3);
}
END_TEST

/* Every word is what a shell makes of it; test_stripe_check.sh has one. */
START_TEST(test_quote)
{
	static const struct {
		const char *path, *want;
	} cases[] = {
		{"/a/b-c_d.e", "/a/b-c_d.e"},
		{"-c", "'-c'"},
		{"a b", "'a b'"},
		{"it's", "'it'\\''s'"},
		{"$(rm)", "'$(rm)'"},
		{"a\nb", "$'a\\012b'"},
		{"'\\\033", "$'\\'\\\\\\033'"},
		{"\303\274", "$'\\303\\274'"},
		{"", "''"},
	};
	struct slu_buf out = {0};

	each(c, cases)
	{
		slu_buf_reset(&out);
		slu_review_quote(c->path, &out);
		ck_assert_str_eq(out.data, c->want);
	}
	slu_buf_free(&out);
}
END_TEST

TEST_MAIN("file_layout", test_parse, test_special, test_large, test_df,
	  test_seconds_against_each_stripe, test_review, test_one_server,
	  test_top, test_random_reads, test_quote)

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the stripe layouts chosen by size and access, and the layouts of the
 * paper. */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include "common/jsonx.h"
#include "select_io/stripe/composite_layout.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define TIB (UINT64_C(1) << 40)
#define SEQ SLU_STRIPE_SEQUENTIAL
#define RND SLU_STRIPE_RANDOM

static void fill(uint64_t *room, size_t n, uint64_t bytes)
{
	for (size_t i = 0; i < n; i++)
		room[i] = bytes;
}

static uint64_t ten[950], fifty[100]; /* room of targets */

static const struct {
	struct slu_stripe_request r;
	const char *want;
} plans[] = {
	{{0, SEQ, 0, 0, NULL, 0, false, 0, 0, 0, false, 0, NULL},
	 "-E 64M -c 1 -S 1M -E 1G -c 4 -S 1M -E 10G -c 8 -S 2M "
	 "-E 1T -c 16 -S 4M -E -1 -c 64 -S 4M"},
	{{4 * TIB, SEQ, 1, 1000, NULL, 0, false, 0, 0, 0, false, 0, NULL},
	 "-E 64M -c 1 -S 1M -E 1G -c 4 -S 1M -E 10G -c 8 -S 2M "
	 "-E 1T -c 16 -S 4M -E -1 -c 64 -S 4M"},
	{{MIB, SEQ, 0, 0, NULL, 0, false, 0, 0, 0, false, 0, NULL},
	 "-c 1 -S 1M"},
	{{64 * MIB, SEQ, 0, 0, NULL, 0, false, 0, 0, 0, false, 0, NULL},
	 "-c 1 -S 1M"},
	{{64 * MIB + 1, SEQ, 0, 0, NULL, 0, false, 0, 0, 0, false, 0, NULL},
	 "-E 64M -c 1 -S 1M -E -1 -c 4 -S 1M"},
	{{0, RND, 100, 0, NULL, 0, false, 0, 0, 0, false, 0, NULL},
	 "-E 1G -c 1 -S 1M -E 100G -c 4 -S 1M -E -1 -c 8 -S 1M"},
	/* several readers: as BLAST's database was read best */
	{{0, SEQ, 2, 0, NULL, 0, false, 0, 0, 0, false, 0, NULL},
	 "-E 100G -c 16 -S 1M -E -1 -c 64 -S 1M"},
	{{79 * GIB, SEQ, 8, 1008, NULL, 0, false, 0, 0, 0, false, 0, NULL},
	 "-c 16 -S 1M"},
	{{0, SEQ, 16, 0, NULL, 0, false, 0, 0, 0, false, 0, NULL},
	 "-E 26G -c 16 -S 1M -E 52G -c 64 -S 1M -E -1 -c 128 -S 1M"},
	/* however many read it: no stripe without a byte */
	{{1, SEQ, 16, 0, NULL, 0, false, 0, 0, 0, false, 0, NULL},
	 "-c 1 -S 1M"},
	{{MIB, SEQ, 600, 0, NULL, 0, false, 0, 0, 0, false, 0, NULL},
	 "-c 1 -S 1M"},
	{{MIB + 1, SEQ, 16, 0, NULL, 0, false, 0, 0, 0, false, 0, NULL},
	 "-c 2 -S 1M"},
	{{1, RND, 16, 0, NULL, 0, false, 0, 0, 0, false, 0, NULL},
	 "-c 1 -S 1M"},
	{{15 * MIB, SEQ, 16, 0, NULL, 2009, false, 0, 0, 0, false, 0, NULL},
	 "-c 15 -S 1M"},
	{{16 * MIB, SEQ, 16, 0, NULL, 0, false, 0, 0, 0, false, 0, NULL},
	 "-c 16 -S 1M"},
	/* four targets: components that are alike then are one */
	{{0, SEQ, 0, 4, NULL, 0, false, 0, 0, 0, false, 0, NULL},
	 "-E 64M -c 1 -S 1M -E 1G -c 4 -S 1M -E 10G -c 4 -S 2M "
	 "-E -1 -c 4 -S 4M"},
	{{0, SEQ, 100, 8, NULL, 0, false, 0, 0, 0, false, 0, NULL},
	 "-c 8 -S 1M"},
	/* versions */
	{{4 * TIB, SEQ, 0, 0, NULL, 2010, false, 0, 0, 0, false, 0, NULL},
	 "-E 64M -c 1 -S 1M -E 1G -c 4 -S 1M -E 10G -c 8 -S 2M -E 1T "
	 "-c 16 -S 4M -E -1 -c 64 -S 4M"},
	{{4 * TIB, SEQ, 0, 0, NULL, 2009, false, 0, 0, 0, false, 0, NULL},
	 "-c 64 -S 4M"},
	{{20 * GIB, SEQ, 0, 0, NULL, 2005, false, 0, 0, 0, false, 0, NULL},
	 "-c 16 -S 4M"},
	{{2 * GIB, RND, 0, 0, NULL, 2005, false, 0, 0, 0, false, 0, NULL},
	 "-c 4 -S 1M"},
	{{9 * TIB, SEQ, 0, 950, ten, 2005, false, 0, 0, 0, false, 0, NULL},
	 "-c 922 -S 4M"},
	/* without ea_inode */
	{{TIB, SEQ, 0, 950, ten, 2015, true, 0, 0, 0, false, 0, NULL},
	 "-E 64M -c 1 -S 1M -E 1G -c 4 -S 1M -E 10G -c 8 -S 2M "
	 "-E -1 -c 103 -S 4M"},
	{{1600 * GIB, RND, 0, 950, ten, 2015, true, 0, 0, 0, false, 0, NULL},
	 "-c 160 -S 1M"},
	{{0, SEQ, 16, 0, NULL, 2015, true, 0, 0, 0, false, 0, NULL},
	 "-c 128 -S 1M"},
	{{4 * TIB, SEQ, 0, 0, NULL, 2015, true, 0, 0, 0, false, 0, NULL},
	 "-E 64M -c 1 -S 1M -E 1G -c 4 -S 1M -E 10G -c 8 -S 2M -E 1T "
	 "-c 16 -S 4M -E -1 -c 64 -S 4M"},
	/* 4 TiB on targets with 50 GiB each */
	{{4 * TIB, RND, 0, 100, fifty, 0, false, 0, 0, 0, false, 0, NULL},
	 "-E 1G -c 1 -S 1M -E 100G -c 4 -S 1M -E -1 -c 82 -S 1M"},
	/* of which 1,014 are in one component */
	{{1200 * GIB, SEQ, 0, 100, fifty, 0, false, 0, 0, 0, false, 0, NULL},
	 "-E 64M -c 1 -S 1M -E 1G -c 4 -S 1M -E 10G -c 8 -S 2M -E 1T "
	 "-c 21 -S 4M -E -1 -c 64 -S 4M"},
};

START_TEST(test_plan)
{
	fill(ten, 950, 10 * GIB);
	fill(fifty, 100, 50 * GIB);
	each(c, plans)
	{
		struct slu_stripe_layout l;
		struct slu_buf text = {0};
		struct slu_err err;

		expect_ok(slu_stripe_plan(&c->r, &l, &err), err);
		expect_ok(slu_stripe_check(&l, &err), err);
		slu_stripe_command("setstripe", &l, &text);
		ck_assert(strncmp(text.data, "lfs setstripe ", 14) == 0);
		expect(strcmp(text.data + 14, c->want) == 0, "%s", text.data);
		for (size_t i = 0; i < l.n; i++)
			ck_assert_ptr_nonnull(l.part[i].why);
		slu_buf_free(&text);
	}
}
END_TEST

/* A part for each task: one component, as many targets as pay. */
START_TEST(test_tasks)
{
	static uint64_t room[64];
	const struct {
		struct slu_stripe_request r;
		const char *want, *why;
	} cases[] = {
		{{.size = 4 * TIB, .access = SEQ, .tasks = 64, .targets = 64},
		 "-c 64 -S 4M",
		 "all targets"},
		{{.size = 55 * GIB, .access = RND, .tasks = 128, .targets = 64},
		 "-c 64 -S 1M",
		 "all targets"},
		{{.size = 4 * TIB, .access = SEQ, .tasks = 1, .targets = 1008},
		 "-c 40 -S 1M",
		 "keep busy"},
		{{.size = 4 * TIB, .access = SEQ, .tasks = 16, .targets = 1008},
		 "-c 160 -S 4M",
		 "keep busy"},
		{{.size = GIB, .access = SEQ, .tasks = 64, .targets = 1008},
		 "-c 82 -S 4M",
		 "longer to open"},
		{{.size = GIB, .access = SEQ, .tasks = 1, .targets = 1008},
		 "-c 21 -S 1M",
		 "longer to open"},
		{{.size = MIB, .access = SEQ, .tasks = 64, .targets = 1008},
		 "-c 1 -S 4M",
		 "so small"},
		{{.size = 1, .access = RND, .tasks = 9, .targets = 8},
		 "-c 1 -S 1M",
		 "longer to open"},
		/* as without tasks: before 2.4, little room, no size */
		{{.size = 900 * TIB,
		  .access = SEQ,
		  .tasks = 512,
		  .targets = 1008,
		  .lustre = 2003},
		 "-c 160 -S 4M",
		 "all targets"},
		{{.size = 63 * GIB,
		  .access = SEQ,
		  .tasks = 4,
		  .targets = 64,
		  .room = room},
		 "-c 63 -S 4M",
		 "so many"},
		{{.size = 0, .access = RND, .tasks = 9},
		 "-E 1G -c 1 -S 1M -E 100G -c 4 -S 1M -E -1 -c 8 -S 1M",
		 "one target"},
	};
	struct slu_stripe_layout l;
	struct slu_buf text = {0};
	struct slu_err err;

	fill(room, 64, GIB);
	each(c, cases)
	{
		expect_ok(slu_stripe_plan(&c->r, &l, &err), err);
		expect_ok(slu_stripe_check(&l, &err), err);
		slu_buf_reset(&text);
		slu_stripe_command("setstripe", &l, &text);
		expect(strcmp(text.data + 14, c->want) == 0, "%s", text.data);
		expect(strstr(l.part[0].why, c->why), "%s", l.part[0].why);
	}
	slu_buf_free(&text);
}
END_TEST

/* Small files, and those that may be small, are on the metadata target where
 * the site wants that. */
START_TEST(test_mdt)
{
	static const struct {
		struct slu_stripe_request r;
		const char *want;
	} cases[] = {
		{{.size = 9, .mdt = 65536}, "-E 64K -L mdt -E -1 -c 1 -S 1M"},
		{{.size = 65536, .mdt = 65536, .lustre = 2011},
		 "-E 64K -L mdt -E -1 -c 1 -S 1M"},
		{{.size = 9, .mdt = 65536, .pool = "flash"},
		 "-E 64K -L mdt -E -1 -c 1 -S 1M -p flash"},
		{{.size = 65537, .mdt = 65536}, "-c 1 -S 1M"},
		{{.size = 9, .mdt = 65536, .lustre = 2010}, "-c 1 -S 1M"},
		{{.mdt = MIB, .targets = 4},
		 "-E 1M -L mdt -E 64M -c 1 -S 1M -E 1G -c 4 -S 1M -E 10G -c 4 "
		 "-S 2M -E -1 -c 4 -S 4M"},
		/* instead of components that are no larger */
		{{.mdt = GIB, .targets = 4},
		 "-E 1G -L mdt -E 10G -c 4 -S 2M -E -1 -c 4 -S 4M"},
		{{.mdt = MIB, .access = RND},
		 "-E 1M -L mdt -E 1G -c 1 -S 1M -E 100G -c 4 -S 1M -E -1 -c 8 "
		 "-S 1M"},
		{{.mdt = MIB, .readers = 2, .targets = 4}, "-c 4 -S 1M"},
		{{.size = MIB, .mdt = MIB, .readers = 99},
		 "-E 1M -L mdt -E -1 -c 1 -S 1M"},
		/* what metadata targets take */
		{{.size = 9, .mdt = MIB, .mdt_told = true, .mdt_most = 131072},
		 "-E 128K -L mdt -E -1 -c 1 -S 1M"},
		{{.size = 9, .mdt = 65536, .mdt_told = true, .mdt_most = MIB},
		 "-E 64K -L mdt -E -1 -c 1 -S 1M"},
		{{.size = 131073,
		  .mdt = MIB,
		  .mdt_told = true,
		  .mdt_most = 131072},
		 "-c 1 -S 1M"},
		{{.size = 9, .mdt = MIB, .mdt_told = true}, "-c 1 -S 1M"},
		{{.size = 9, .mdt_told = true, .mdt_most = MIB}, "-c 1 -S 1M"},
	};
	struct slu_stripe_layout l;
	struct slu_buf text = {0};
	struct slu_err err;

	each(c, cases)
	{
		expect_ok(slu_stripe_plan(&c->r, &l, &err), err);
		slu_buf_reset(&text);
		slu_stripe_command("setstripe", &l, &text);
		expect(strcmp(text.data + 14, c->want) == 0, "%s", text.data);
	}
	slu_buf_free(&text);
}
END_TEST

/* A file of unknown size goes on elsewhere when one of unequally full targets
 * is full. */
START_TEST(test_extending)
{
#define START "-E 64M -c 1 -S 1M -E 1G -c 4 -S 1M -E 10G -c 8 -S 2M "
	static uint64_t room[80];
	static const struct {
		uint64_t least, size; /* of the fullest target, of the file */
		uint32_t targets, lustre;
		bool narrow;
		const char *want;
	} cases[] = {
		{50 * GIB, 0, 80, 2017, false,
		 START "-E 1T -c 16 -S 4M -z 64G -E -1 -c 64 -S 4M -z 256G"},
		/* it holds the part of a file up to 1 TiB */
		{65 * GIB, 0, 80, 2016, false,
		 START "-E 1T -c 16 -S 4M -E -1 -c 64 -S 4M -z 256G"},
		/* no others are there */
		{50 * GIB, 0, 64, 2016, false,
		 START "-E 1T -c 16 -S 4M -z 64G -E -1 -c 64 -S 4M"},
		{512 * GIB, 0, 80, 2016, false,
		 START "-E 1T -c 16 -S 4M -E -1 -c 64 -S 4M"},
		{50 * GIB, 0, 80, 2015, false,
		 START "-E 1T -c 16 -S 4M -E -1 -c 64 -S 4M"},
		{50 * GIB, 0, 80, 0, false,
		 START "-E 1T -c 16 -S 4M -E -1 -c 64 -S 4M"},
		{50 * GIB, 0, 80, 2016, true,
		 START "-E 1T -c 16 -S 4M -E -1 -c 64 -S 4M"},
		{50 * GIB, 100 * GIB, 80, 2016, false,
		 START "-E -1 -c 16 -S 4M"},
		{50 * GIB, 0, 1, 2016, false,
		 "-E 1G -c 1 -S 1M -E 10G -c 1 -S 2M -E -1 -c 1 -S 4M"},
	};
	struct slu_stripe_layout l;
	struct slu_buf text = {0};
	struct slu_err err;

	each(c, cases)
	{
		struct slu_stripe_request r = {.size = c->size,
					       .targets = c->targets,
					       .room = room,
					       .lustre = c->lustre,
					       .narrow = c->narrow};

		fill(room, 80, TIB - 1);
		room[c->targets - 1] = c->least;
		expect_ok(slu_stripe_plan(&r, &l, &err), err);
		slu_buf_reset(&text);
		slu_stripe_command("setstripe", &l, &text);
		expect(strcmp(text.data + 14, c->want) == 0, "%s", text.data);
	}
	ck_assert(l.extend[0] == 0);
	slu_buf_free(&text);
}
END_TEST

/* Of the first component Lustre makes its extension at once, which has to leave
 * as much to extend it by; a smaller one is made whole, and so is one that
 * becomes the first when the metadata target takes nothing. */
START_TEST(test_first_extending)
{
	static const struct {
		enum slu_stripe_access access;
		uint32_t readers;
		uint64_t mdt;
		const char *want;
	} cases[] = {
		{SLU_STRIPE_SEQUENTIAL, 1, 0,
		 "-E 64M -c 1 -S 1M -E 1G -c 4 -S 1M -z 16G "
		 "-E 10G -c 8 -S 2M -z 32G -E 1T -c 16 -S 4M -z 64G "
		 "-E -1 -c 64 -S 4M -z 256G"},
		{SLU_STRIPE_RANDOM, 1, 65536,
		 "-E 64K -L mdt -E 1G -c 1 -S 1M "
		 "-E 100G -c 4 -S 1M -z 16G -E -1 -c 8 -S 1M -z 32G"},
		{SLU_STRIPE_RANDOM, 1, 0,
		 "-E 1G -c 1 -S 1M -z 512M -E 100G -c 4 -S 1M -z 16G "
		 "-E -1 -c 8 -S 1M -z 32G"},
		{SLU_STRIPE_SEQUENTIAL, 64, 0,
		 "-E 26G -c 16 -S 1M -z 13G -E 52G -c 64 -S 1M -z 256G "
		 "-E -1 -c 128 -S 1M -z 512G"},
	};
	static uint64_t room[200];
	struct slu_stripe_layout l;
	struct slu_buf text = {0};
	struct slu_err err;

	fill(room, 200, TIB);
	room[199] = 10 * MIB;
	each(c, cases)
	{
		struct slu_stripe_request r = {.access = c->access,
					       .readers = c->readers,
					       .mdt = c->mdt,
					       .targets = 200,
					       .room = room,
					       .lustre = 2016};

		expect_ok(slu_stripe_plan(&r, &l, &err), err);
		slu_buf_reset(&text);
		slu_stripe_command("setstripe", &l, &text);
		expect(strcmp(text.data + 14, c->want) == 0, "%s", text.data);
	}
	slu_buf_free(&text);
}
END_TEST

/* By JSON, with what goes together. */
START_TEST(test_explain)
{
	static const struct slu_stripe_request nothing = {0};
	static const struct {
		const char *args, *want;
	} cases[] = {
		{"{\"tasks\":64,\"size\":1099511627776}",
		 "lfs setstripe -c 640 -S 4M"},
		{"{\"tasks\":64,\"size\":1099511627776,\"targets\":9}",
		 "lfs setstripe -c 9 -S 4M"},
		{"{\"tasks\":64,\"size\":1099511627776,"
		 "\"target_rate\":10000000000}",
		 "lfs setstripe -c 525 -S 4M"},
		{"{\"tasks\":64,\"size\":1099511627776,"
		 "\"target_rate\":0}",
		 NULL},
		{"{\"target_rate\":9,\"preset\":\"IOR.1\"}", NULL},
		{"{\"size\":9,\"mdt\":65536,\"pool\":\"a-b_c.d\"}",
		 "lfs setstripe -E 64K -L mdt -E -1 -c 1 -S 1M -p a-b_c.d"},
		{"{\"preset\":\"IOR.1\",\"pool\":\"flash\"}",
		 "lfs setstripe -c 4 -S 1M -p flash"},
		{"{\"preset\":\"IOR.1\",\"mdt\":65536}", NULL},
		{"{\"mdt\":1000}", NULL},
		{"{\"mdt\":2147483648}", NULL},
		{"{\"pool\":\"\"}", NULL},
		{"{\"pool\":\"-c\"}", NULL},
		{"{\"pool\":\"a b\"}", NULL},
		{"{\"pool\":\"sixteen-letters_\"}", NULL},
		{"{\"tasks\":64}", NULL},
		{"{\"tasks\":2,\"readers\":2,\"size\":9}", NULL},
		{"{\"tasks\":2,\"preset\":\"IOR.1\"}", NULL},
	};
	struct json_object *args, *out;
	struct slu_err err;

	each(c, cases)
	{
		args = slu_json_parse(c->args, strlen(c->args), &err);
		if (c->want) {
			expect_ok(
				slu_stripe_explain(args, &nothing, &out, &err),
				err);
			ck_assert_str_eq(slu_json_str_at(out, "command"),
					 c->want);
			json_object_put(out);
		} else {
			expect_fail(
				slu_stripe_explain(args, &nothing, &out, &err),
				err, SLU_INVALID, "");
		}
		json_object_put(args);
	}
}
END_TEST

/* What targets have moved counts where it is more than is assumed of them. */
START_TEST(test_measured_rate)
{
	const struct {
		const char *osts;
		double want;
	} cases[] = {
		{"{}", 0},
		{"{\"osts\":[{\"server\":\"a\"}]}", 0},
		{"{\"servers\":{\"a\":{\"peak\":9e9}}}", 0},
		{"{\"servers\":{\"a\":{\"peak\":9e9},\"b\":{}},"
		 "\"osts\":[{\"server\":\"a\"},{\"server\":\"b\"},"
		 "{\"server\":\"a\"},{},{\"server\":\"c\"}]}",
		 4.5e9},
		{"{\"servers\":{\"a\":{\"peak\":400e6}},"
		 "\"osts\":[{\"server\":\"a\"}]}",
		 0},
	};
	struct slu_err err;

	each(c, cases)
	{
		struct json_object *osts =
			slu_json_parse(c->osts, strlen(c->osts), &err);

		ck_assert_ptr_nonnull(osts);
		ck_assert_double_eq(slu_stripe_measured_rate(osts), c->want);
		json_object_put(osts);
	}
}
END_TEST

/* So many targets are needed that components would not fit into one layout. */
START_TEST(test_attribute)
{
	static uint64_t room[2000];
	struct slu_stripe_request r = {1950 * GIB, SEQ,	  0,   2000, room,
				       0,	   false, 0,   0,    0,
				       false,	   0,	  NULL};
	struct slu_stripe_layout l;
	struct slu_err err;

	fill(room, 2000, GIB);
	expect_ok(slu_stripe_plan(&r, &l, &err), err);
	ck_assert_uint_eq(l.n, 1);
	ck_assert_uint_eq(l.part[0].count, 1950);
	r.narrow = true;
	expect_fail(slu_stripe_plan(&r, &l, &err), err, SLU_INVALID,
		    "has room for the file");
	l.part[1] = l.part[0];
	l.part[0].end = GIB;
	l.n = 2;
	expect_fail(slu_stripe_check(&l, &err), err, SLU_INVALID, "can name");
}
END_TEST

/* One target that is nearly full keeps no file out, and is kept out itself. */
START_TEST(test_room)
{
	static uint64_t room[205];
	const struct {
		uint64_t size;
		uint32_t targets, lustre, count;
	} cases[] = {
		/* 99 with 9 TiB, one with half a TiB */
		{100 * TIB, 100, 0, 64},      {500 * TIB, 100, 0, 64},
		{800 * TIB, 100, 0, 89},      {891 * TIB, 100, 0, 99},
		{892 * TIB, 100, 0, 0},	      {45 * TIB, 6, 0, 6},
		{55 * TIB, 6, 0, 0},	      {1600 * TIB, 205, 2003, 0},
		{1440 * TIB, 205, 2003, 160},
	};
	struct slu_stripe_layout l;
	struct slu_err err;

	each(c, cases)
	{
		struct slu_stripe_request r = {
			c->size, SEQ, 0, c->targets, room, c->lustre, false,
			0,	 0,   0, false,	     0,	   NULL};

		fill(room, 205, 9 * TIB);
		if (c->targets == 100)
			room[99] = TIB / 2;
		if (c->count == 0) {
			expect_fail(slu_stripe_plan(&r, &l, &err), err,
				    SLU_INVALID, "has room");
			continue;
		}
		expect_ok(slu_stripe_plan(&r, &l, &err), err);
		expect(l.part[l.n - 1].count == c->count, "%u targets, not %u",
		       l.part[l.n - 1].count, c->count);
	}
	/* wide patterns get narrower where only few have room */
	fill(room, 205, GIB);
	fill(room, 20, 9 * TIB);
	expect_ok(slu_stripe_plan(&(struct slu_stripe_request){100 * TIB, SEQ,
							       99, 205, room, 0,
							       false, 0, 0, 0,
							       false, 0, NULL},
				  &l, &err),
		  err);
	ck_assert_uint_eq(l.part[l.n - 1].count, 20);
	ck_assert_str_eq(l.part[l.n - 1].why, "others are too full");
}
END_TEST

/* Whatever is asked, Lustre's rules hold, counts never fall, and the file's
 * parts have room. */
START_TEST(test_rules)
{
	static uint64_t room[3000];
	uint64_t seed = 7;

	for (int k = 0; k < 3000; k++) {
		struct slu_stripe_request r = {
			.size = slu_random(
				&seed, UINT64_C(1) << slu_random(&seed, 50)),
			.access = slu_random(&seed, 2) ? SEQ : RND,
			.readers = (uint32_t)slu_random(&seed, 600),
			.targets = (uint32_t)slu_random(&seed, 3000),
			.room = room,
			.tasks = k % 3 ? 0 : (uint32_t)slu_random(&seed, 600),
			.mdt = slu_random(&seed, 2) << slu_random(&seed, 31),
			.lustre = k % 5 ? 0 : 2016,
		};
		uint64_t bound = UINT64_C(1) << slu_random(&seed, 45);
		struct slu_stripe_layout l;
		struct slu_err err;

		r.size = k % 7 ? r.size : 0;
		for (uint32_t i = 0; i < r.targets; i++)
			room[i] = bound -= slu_random(&seed, bound / 64 + 1);

		if (slu_stripe_plan(&r, &l, &err)) {
			for (uint32_t n = 1;
			     n <= r.targets && n <= SLU_STRIPE_COUNT_MAX; n++)
				ck_assert(r.size > n * room[n - 1]);
			continue;
		}
		expect_ok(slu_stripe_check(&l, &err), err);
		for (size_t i = 0; i < l.n; i++) {
			ck_assert(r.targets == 0 ||
				  l.part[i].count <= r.targets);
			ck_assert(i == 0 ||
				  l.part[i].count >= l.part[i - 1].count);
			ck_assert(i == 0 || r.size == 0 ||
				  l.part[i - 1].end < r.size);
			ck_assert(r.size == 0 || r.targets == 0 ||
				  (l.part[i].end ? l.part[i].end : r.size) -
						  (i ? l.part[i - 1].end : 0) <=
					  l.part[i].count *
						  room[l.part[i].count - 1]);
		}
	}
}
END_TEST

START_TEST(test_presets)
{
	static const struct {
		const char *name, *want;
	} cases[] = {
		{"IOR.1", "-c 4 -S 1M"},
		{"IOR.3", "-c 16 -S 1M"},
		{"ior.6", "-E 1T -c 4 -S 1M -E 2T -c 8 -S 1M -E -1 -c 16 -S "
			  "1M"},
		{"netflow.5", "-E 10G -c 4 -S 1M -E -1 -c 16 -S 1M"},
		{"blast.6", "-c 64 -S 2M"},
		{"blast.10", "-E 26G -c 4 -S 1M -E 52G -c 4 -S 2M -E -1 -c 4 "
			     "-S 4M"},
		{"blast.13", "-E 26G -c 4 -S 1M -E 52G -c 16 -S 1M -E -1 -c 64 "
			     "-S 1M"},
		{"blast.18", "-E 8G -c 4 -S 1M -E 28G -c 16 -S 2M -E -1 -c 64 "
			     "-S 4M"},
		{"tableI", "-E 1G -c 4 -S 1M -E 10G -c 8 -S 2M -E -1 -c 16 -S "
			   "4M"},
		{"fig11", "-E 26G -c 16 -S 1M -E 52G -c 64 -S 1M -E -1 -c 128 "
			  "-S 1M"},
	};
	static const int many[] = {6, 6, 18};
	static const char *const family[] = {"IOR", "netflow", "blast"};
	struct slu_stripe_layout l;
	struct slu_err err;
	char name[32];

	each(c, cases)
	{
		struct slu_buf text = {0};

		expect_ok(slu_stripe_preset(c->name, &l, &err), err);
		slu_stripe_command("setstripe", &l, &text);
		expect(strcmp(text.data + 14, c->want) == 0, "%s: %s", c->name,
		       text.data);
		slu_buf_free(&text);
	}
	for (int f = 0; f < 3; f++)
		for (int i = 1; i <= many[f]; i++) {
			snprintf(name, sizeof(name), "%s.%d", family[f], i);
			expect_ok(slu_stripe_preset(name, &l, &err), err);
			expect_ok(slu_stripe_check(&l, &err), err);
		}
	expect_fail(slu_stripe_preset("blast.19", &l, &err), err, SLU_NOTFOUND,
		    "blast.1 to 18");
}
END_TEST

START_TEST(test_check)
{
	static const struct {
		struct slu_stripe_layout l;
		const char *words;
	} cases[] = {
		{{.n = 0}, "no component"},
		{{.part = {{0, 0, MIB, NULL}}, .n = 1}, "0 stripes"},
		{{.part = {{0, 2001, MIB, NULL}}, .n = 1}, "2001 stripes"},
		{{.part = {{0, 1, 1000, NULL}}, .n = 1}, "64 KiB"},
		{{.part = {{GIB, 1, MIB, NULL}}, .n = 1}, "to the end"},
		{{.part = {{0, 1, MIB, NULL}, {0, 1, MIB, NULL}}, .n = 2},
		 "to the end"},
		{{.part = {{MIB + 65536, 1, MIB, NULL}, {0, 1, MIB, NULL}},
		  .n = 2},
		 "component 0"},
		{{.part = {{GIB, 1, MIB, NULL},
			   {GIB, 2, MIB, NULL},
			   {0, 1, MIB, NULL}},
		  .n = 3},
		 "component 1"},
		{{.part = {{0, 1, MIB, NULL}}, .n = 1, .mdt = 1000}, "1000"},
		{{.part = {{0, 1, MIB, NULL}}, .n = 1, .mdt = 2 * GIB},
		 "metadata target"},
		{{.part = {{MIB, 1, MIB, NULL}, {0, 1, MIB, NULL}},
		  .n = 2,
		  .mdt = MIB},
		 "metadata target"},
		{{.part = {{0, 1, MIB, NULL}}, .n = 1, .extend = {16 * MIB}},
		 "extends itself"},
		{{.part = {{0, 1, 128 * MIB, NULL}},
		  .n = 1,
		  .extend = {64 * MIB}},
		 "extends itself"},
		{{.part = {{GIB, 1, MIB, NULL}, {0, 1, MIB, NULL}},
		  .n = 2,
		  .extend = {GIB}},
		 "component 0 extends itself"},
		{{.part = {{GIB, 1, MIB, NULL}, {0, 1, MIB, NULL}},
		  .n = 2,
		  .mdt = 65536,
		  .extend = {512 * MIB}},
		 "component 0 extends itself"},
		{{.part = {{MIB, 1, MIB, NULL},
			   {GIB, 3, MIB, NULL},
			   {0, 1, MIB, NULL}},
		  .n = 3,
		  .extend = {0, 3 * GIB}},
		 "component 1 extends itself"},
	};
	struct slu_err err;

	each(c, cases) expect_fail(slu_stripe_check(&c->l, &err), err,
				   SLU_INVALID, c->words);
}
END_TEST

START_TEST(test_json)
{
	struct slu_stripe_layout l;
	struct json_object *obj;

	ck_assert_int_eq(slu_stripe_preset("netflow.4", &l, NULL), 0);
	obj = slu_stripe_json(&l);
	ck_assert_str_eq(
		slu_json_text(obj),
		"{\"components\":[{\"begin\":0,\"end\":10737418240,"
		"\"count\":4,\"width\":1048576,\"why\":\"first part\"},"
		"{\"begin\":10737418240,\"count\":8,\"width\":1048576,"
		"\"why\":\"remainder\"}],\"command\":\"lfs setstripe "
		"-E 10G -c 4 -S 1M -E -1 -c 8 -S 1M\"}");
	json_object_put(obj);
}
END_TEST

TEST_MAIN("stripe_layout", test_plan, test_attribute, test_room, test_rules,
	  test_presets, test_check, test_json, test_tasks, test_explain,
	  test_mdt, test_extending, test_first_extending, test_measured_rate)

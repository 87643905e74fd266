/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each node gives to a file system, and which nodes make a part of it. */
#include "config.h"
#include "tests/unit/plan_site.h"
#include "tests/unit/random.h"
#include "tests/unit/tmpdir.h"
#include "burst_buffer/storage/image.h"
#include "sysmap/receive.h"

static void push_topology(const char *text)
{
	struct slu_document doc = {.extractor = "topology",
				   .text = (char *)(uintptr_t)text,
				   .len = strlen(text)};
	struct slu_map map = {.document = &doc, .n = 1};

	doc.hash = slu_document_hash(doc.extractor, text, doc.len);
	expect_ok(slu_receive_map(receiver, "ctl", &map, 1, &err), err);
}

/* A file system for each leaf switch. */
START_TEST(test_split)
{
	static const struct {
		const char *topology, *nodes, *parts, *text;
	} cases[] = {
		{NULL, "n[1-3]", "unknown unknown unknown ", "unknown: n[1-3]"},
		{"[{\"switch\":\"s2\",\"level\":0,\"hosts\":\"n[2,4]\"},"
		 "{\"switch\":\"s1\",\"level\":0,\"hosts\":\"n[1,3]\"}]",
		 "n[1-6]", "s1 s2 s1 s2 unknown unknown ",
		 "s1: n[1,3]; s2: n[2,4]; unknown: n[5-6]"},
		/* names that are no file's, or not one's alone */
		{"[{\"switch\":\"../MF0;a:SX/U1\",\"level\":0,"
		 "\"hosts\":\"n1\"},"
		 "{\"switch\":\"_.-MF0_a:SX U1\",\"level\":0,"
		 "\"hosts\":\"n2\"},"
		 "{\"switch\":\"_.-MF0_a_SX_U1\",\"level\":0,"
		 "\"hosts\":\"n3\"},"
		 "{\"switch\":\"unknown\",\"level\":0,\"hosts\":\"n5\"},"
		 "{\"switch\":\"a-very-long-name-of-a-switch-in-the-rack-over-"
		 "there\",\"level\":0,\"hosts\":\"n6\"}]",
		 "n[1-6]",
		 "_._MF0_a_SX_U1 _.-MF0_a_SX_U1 _.-MF0_a_SX_U1-2 unknown "
		 "unknown-2 a-very-long-name-of-a-switch-in-the ",
		 NULL},
	};

	each(c, cases)
	{
		struct slu_job j =
			job(c->nodes, "jobfs capacity=6 split=switch");
		struct slu_buf parts = {0};
		struct slu_plan_site s;
		struct slu_plan p;
		char *text;

		setup("NodeStorage=/s");
		s = site();
		if (c->topology)
			push_topology(c->topology);
		expect_ok(slu_plan_make(&j, &s, &p, &err), err);
		for (size_t i = 0; i < p.n_node; i++)
			slu_buf_printf(&parts, "%s ", p.node[i].part);
		ck_assert_str_eq(parts.data, c->parts);
		ck_assert_uint_eq(p.node[0].capacity, 6 / p.n_node);
		text = slu_plan_parts_text(&p);
		if (c->text)
			ck_assert_str_eq(text, c->text);
		free(text);
		slu_buf_free(&parts);
		slu_msg_clear(&slu_plan_desc, &p);

		/* one that is not split knows nothing of it */
		j = job(c->nodes, "jobfs capacity=6");
		expect_ok(slu_plan_make(&j, &s, &p, &err), err);
		text = slu_plan_parts_text(&p);
		ck_assert_str_eq(text, "");
		ck_assert_ptr_null(p.node[0].part);
		free(text);
		slu_msg_clear(&slu_plan_desc, &p);
		teardown();
		unlink(tmpfile_path("plan.db"));
	}
}
END_TEST

static uint64_t own_left; /* of what is promised */

static int promised(void *arg, const struct slu_plan *plan, uint64_t *bytes,
		    uint64_t *own, struct slu_err *e)
{
	(void)e;
	for (size_t i = 0; i < plan->n_node; i++)
		if (!strcmp(plan->node[i].storage, arg)) {
			bytes[i] = 60 * GIB;
			own[i] = own_left;
		}
	return 0;
}

/* The largest share whose image fits into the room and leaves a part of it. */
static uint64_t largest(uint64_t room)
{
	uint64_t share = 0;

	for (uint64_t step = UINT64_C(1) << 50; step; step >>= 1)
		if (slu_image_size(share + step) <= room - room / 32)
			share += step;
	return share;
}

/* Of all levels up to which nodes give the same the lowest one that will do. */
START_TEST(test_shares)
{
	uint64_t seed = 11;
	int uneven = 0, refused = 0;

	for (int round = 0; round < 2000; round++) {
		struct slu_plan_node node[6] = {{.name = NULL}};
		struct slu_plan p = {.node = node, .n_node = 6};
		uint64_t room[6], can[6], most = 0, sum = 0, less = 0,
					  level = 0;
		size_t n = 1 + slu_random(&seed, 5);
		bool fits = true, tiny = false, some;
		uint64_t share;

		p.capacity = 1 + slu_random(&seed, 400 << 20);
		share = p.capacity / n + (p.capacity % n != 0);
		for (size_t i = 0; i < 6; i++) {
			node[i].client = i >= n; /* these give nothing */
			node[i].capacity = i < n ? share : 0;
			room[i] = slu_random(&seed, 300 << 20);
			can[i] = i < n ? largest(room[i]) : 0;
			most += can[i];
			fits = fits && node[i].capacity <= can[i];
			tiny = tiny || can[i] < node[i].capacity / 8;
		}
		expect_ok(slu_plan_share(&p, room, &some, &err), err);
		ck_assert(some == (!fits && !tiny && most >= p.capacity));
		uneven += some;
		refused += !some && !fits;
		for (size_t i = 0; i < 6; i++)
			level = node[i].capacity > level ? node[i].capacity
							 : level;
		for (size_t i = 0; i < n; i++) {
			ck_assert_uint_eq(node[i].capacity, !some ? share
							    : can[i] < level
								    ? can[i]
								    : level);
			sum += node[i].capacity;
			less += can[i] < level ? can[i] : level - 1;
		}
		for (size_t i = n; i < 6; i++)
			ck_assert_uint_eq(node[i].capacity, 0);
		ck_assert(sum >= p.capacity && (!some || less < p.capacity));
	}
	ck_assert_int_gt(uneven, 100);
	ck_assert_int_gt(refused, 100);
}
END_TEST

/* What one part lacks no other can give. */
START_TEST(test_shares_of_parts)
{
	struct slu_plan_node node[] = {
		{.part = "a", .capacity = 50 * GIB},
		{.part = "b", .capacity = 50 * GIB},
		{.part = "a", .capacity = 50 * GIB},
		{.part = "b", .capacity = 50 * GIB},
		{.part = "b", .client = true},
	};
	struct slu_plan p = {.capacity = 200 * GIB, .node = node, .n_node = 5};
	uint64_t room[] = {100 * GIB, 40 * GIB, 100 * GIB, 100 * GIB, 0};
	uint64_t few[] = {1000 * GIB, 40 * GIB, 1000 * GIB, 60 * GIB, 0};
	uint64_t can = largest(40 * GIB);
	bool some;

	expect_ok(slu_plan_share(&p, few, &some, &err), err);
	ck_assert(!some);
	ck_assert_uint_eq(node[0].capacity, 50 * GIB);
	ck_assert_uint_eq(node[3].capacity, 50 * GIB);
	expect_ok(slu_plan_share(&p, room, &some, &err), err);
	ck_assert(some);
	ck_assert_uint_eq(node[0].capacity, 50 * GIB);
	ck_assert_uint_eq(node[2].capacity, 50 * GIB);
	ck_assert_uint_eq(node[1].capacity, can);
	ck_assert_uint_eq(node[3].capacity, 100 * GIB - can);
	ck_assert_uint_eq(node[4].capacity, 0);
}
END_TEST

/* A node that others have taken much of gives less, the other one more; of
 * private file systems every node needs its own, and of one that spreads each
 * file over all nodes all need the same. */
START_TEST(test_uneven)
{
	static const char *const even[] = {
		"jobfs type=tmp capacity=100GiB",
		"jobfs type=glu capacity=100GiB", /* with shard= */
		"jobfs type=gek capacity=100GiB",
	};
	struct slu_job j = job("n[1-2]", "jobfs type=whole capacity=100GiB");
	struct slu_plan_site s;
	struct slu_plan p;

	setup("FileSystem=whole Driver=glusterfs\n"
	      "FileSystem=gek Driver=gekkofs Unauthenticated=accept");
	s = site();
	s.promised = promised;
	s.promised_arg = (void *)(uintptr_t) "/b/sluice";
	push("n1", "/a", 0);
	push("n2", "/b", 0);
	expect_ok(slu_plan_make(&j, &s, &p, &err), err);
	ck_assert_uint_eq(p.node[1].capacity, largest(40 * GIB));
	ck_assert_uint_eq(p.node[0].capacity, 100 * GIB - p.node[1].capacity);
	slu_msg_clear(&slu_plan_desc, &p);
	each(request, even)
	{
		j = job("n[1-2]", *request);
		expect_fail(slu_plan_make(&j, &s, &p, &err), err, SLU_BUSY,
			    "each node must give 50GiB");
	}
	teardown();
}
END_TEST

/* What other jobs hold of a node's storage cannot be promised again; a path is
 * known by the file system that it lies on. */
START_TEST(test_promised)
{
	struct slu_job j = job("n[1-2]", "jobfs type=tmp capacity=100GiB");
	struct slu_plan_site s;
	struct slu_plan p;

	setup("");
	s = site();
	s.promised = promised;
	s.promised_arg = (void *)"/s/sluice";
	push("n1", "/", 50 * GIB);
	push("n2", "/s", 50 * GIB);
	expect_fail(slu_plan_make(&j, &s, &p, &err), err, SLU_BUSY,
		    "other jobs, or data of failed stage-outs, hold 60GiB of "
		    "the 100GiB that n2 has for "
		    "/s/sluice, each node must give 50GiB");
	ck_assert_ptr_null(strstr(err.text, "left"));
	own_left = 7 * GIB;
	expect_fail(slu_plan_make(&j, &s, &p, &err), err, SLU_BUSY,
		    "; 7GiB of it is what failed stage-outs of your own jobs "
		    "have left: it goes after KeepFailed");
	own_left = 0;
	/* it is an image that has to fit, with a manifest */
	j = job("n[1-2]", "jobfs type=tmp capacity=80GiB");
	expect_fail(slu_plan_make(&j, &s, &p, &err), err, SLU_BUSY,
		    "each node must give 40GiB, which takes up 42.4GiB");
	j = job("n2", "jobfs type=tmp capacity=38600MiB");
	expect_ok(slu_plan_make(&j, &s, &p, &err), err);
	slu_msg_clear(&slu_plan_desc, &p);
	j = job("n2", "jobfs type=tmp capacity=38600MiB; stage_out "
		      "source=$BB_JOBFS destination=/a; stage_out "
		      "source=$BB_JOBFS destination=/b");
	expect_fail(slu_plan_make(&j, &s, &p, &err), err, SLU_BUSY,
		    "each node must give 37.7GiB, which takes up 40GiB");
	j = job("n[1-2]", "jobfs capacity=70GiB");
	expect_ok(slu_plan_make(&j, &s, &p, &err), err);
	ck_assert_str_eq(p.pool, "nodes");
	slu_msg_clear(&slu_plan_desc, &p);
	/* of another directory, on a file system of 100 GiB */
	j = job("n1", "jobfs profile=slow capacity=101GiB");
	expect_fail(slu_plan_make(&j, &s, &p, &err), err, SLU_BUSY,
		    "n1 has only 100GiB for /slow/bb");
	teardown();
}
END_TEST

TEST_MAIN("plan shares", test_shares, test_shares_of_parts, test_uneven,
	  test_split, test_promised)

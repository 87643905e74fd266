/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests how much space each node gives to a job's file system, and which nodes
 * form a part of it. */
#include "config.h"
#include "tests/unit/burst_buffer/plan_site.h"
#include "tests/unit/random.h"
#include "tests/unit/tmpdir.h"
#include "burst_buffer/storage/image.h"
#include "sysmap/database/receive.h"

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
		if (slu_image_size(share + step) + (2 << 20) <=
		    room - room / 32)
			share += step;
	return share;
}

/* Can these nodes give it together, none less than an eighth of an equal share,
 * and up to which level? 0: they cannot. */
static uint64_t level_of(const uint64_t *can, unsigned who, uint64_t capacity,
			 uint64_t share)
{
	uint64_t sum = 0, low = 0, high = capacity;

	for (size_t i = 0; i < 6; i++) {
		if (who >> i & 1 && can[i] < share / 8)
			return 0;
		sum += who >> i & 1 ? can[i] : 0;
	}
	if (sum < capacity)
		return 0;
	while (high - low > 1) {
		uint64_t level = low + (high - low) / 2;

		sum = 0;
		for (size_t i = 0; i < 6; i++)
			if (who >> i & 1)
				sum += can[i] < level ? can[i] : level;
		if (sum >= capacity)
			high = level;
		else
			low = level;
	}
	return high;
}

/* The lowest level that any choice of at most n of the candidates has. */
static uint64_t lowest(const uint64_t *can, unsigned candidates, size_t n,
		       uint64_t capacity, uint64_t share)
{
	uint64_t best = 0, level;

	for (unsigned who = 1; who < 64; who++) {
		if (who & ~candidates || __builtin_popcount(who) > (int)n)
			continue;
		level = level_of(can, who, capacity, share);
		if (level && (!best || level < best))
			best = level;
	}
	return best;
}

/* slu_plan_share() by so many free bytes. */
static void share(struct slu_plan *p, size_t givers, const uint64_t *room,
		  bool *changed)
{
	uint64_t fits[6];

	for (size_t i = 0; i < p->n_node; i++)
		fits[i] = slu_plan_fits(p, room[i]);
	expect_ok(slu_plan_share(p, givers, fits, changed, &err), err);
}

/* Of all choices of nodes, and levels up to which they give the same, the one
 * with the lowest level; and where all have room for an equal share that, given
 * by the first ones that have it. */
START_TEST(test_shares)
{
	uint64_t seed = 11;
	int uneven = 0, refused = 0, moved = 0;

	for (int round = 0; round < 3000; round++) {
		struct slu_plan_node node[6] = {{.name = NULL}};
		struct slu_plan p = {.node = node, .n_node = 6};
		uint64_t room[6], can[6], equal, level, best, sum = 0, top = 0;
		size_t n = 1 + slu_random(&seed, 5), fit = 0, first = 0;
		const bool spare = slu_random(&seed, 2);
		bool changed;

		p.capacity = 1 + slu_random(&seed, 400 << 20);
		equal = p.capacity / n + (p.capacity % n != 0);
		for (size_t i = 0; i < 6; i++) {
			node[i].client = i >= n;
			node[i].capacity = i < n ? equal : 0;
			node[i].storage = (char *)(spare ? "/s" : "");
			room[i] = slu_random(&seed, 6) * (50 << 20);
			can[i] = largest(room[i]);
			first += i < n && can[i] >= equal;
			fit += (i < n || spare) && can[i] >= equal;
		}
		level = fit >= n ? equal
				 : lowest(can, spare ? 63 : (1u << n) - 1, n,
					  p.capacity, equal);
		share(&p, n, room, &changed);
		ck_assert(changed == (first < n && level > 0));
		uneven += changed && fit < n;
		moved += changed && fit >= n;
		refused += !level;
		for (size_t i = 0; i < 6; i++) {
			sum += node[i].capacity;
			top = node[i].capacity > top ? node[i].capacity : top;
			ck_assert(node[i].client == !node[i].capacity);
			ck_assert(!level || node[i].capacity <= can[i]);
		}
		ck_assert(sum >= p.capacity);
		best = level ? level : equal;
		ck_assert_msg(top == best || (top < best && fit < n),
			      "round %d: %llu, not %llu", round,
			      (unsigned long long)top,
			      (unsigned long long)best);
	}
	ck_assert_int_gt(uneven, 100);
	ck_assert_int_gt(refused, 100);
	ck_assert_int_gt(moved, 100);
}
END_TEST

/* In the place of one without room comes the next that has some; one that would
 * give next to nothing gives nothing. Of BeeOND's every node gives. */
START_TEST(test_next_node_with_room)
{
	static const struct {
		const char *driver;
		size_t givers;
		unsigned room[4]; /* GiB */
		unsigned gives[4];
	} cases[] = {
		{"glusterfs", 4, {100, 100, 100, 100}, {30, 30, 30, 30}},
		{"glusterfs", 4, {100, 1, 100, 100}, {40, 0, 40, 40}},
		{"glusterfs", 2, {100, 1, 100, 100}, {60, 0, 60, 0}},
		{"glusterfs", 2, {1, 1, 100, 100}, {0, 0, 60, 60}},
		{"glusterfs", 1, {1, 200, 1, 1}, {0, 120, 0, 0}},
		/* too little together: as it was */
		{"glusterfs", 4, {1, 1, 1, 50}, {30, 30, 30, 30}},
		{"beeond", 4, {100, 1, 100, 100}, {30, 30, 30, 30}},
	};

	each(c, cases)
	{
		struct slu_plan_node node[4] = {{.name = NULL}};
		struct slu_plan p = {.driver = (char *)c->driver,
				     .capacity = 120 * GIB,
				     .node = node,
				     .n_node = 4};
		uint64_t room[4];
		bool changed;

		for (size_t i = 0; i < 4; i++) {
			node[i].storage = (char *)"/s";
			node[i].client = i >= c->givers;
			node[i].capacity =
				i < c->givers ? 120 * GIB / c->givers : 0;
			room[i] = c->room[i] * GIB;
		}
		share(&p, c->givers, room, &changed);
		for (size_t i = 0; i < 4; i++)
			ck_assert_uint_eq(node[i].capacity, c->gives[i] * GIB);
	}
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

	share(&p, 4, few, &some);
	ck_assert(!some);
	ck_assert_uint_eq(node[0].capacity, 50 * GIB);
	ck_assert_uint_eq(node[3].capacity, 50 * GIB);
	share(&p, 4, room, &some);
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

TEST_MAIN("plan shares", test_shares, test_next_node_with_room,
	  test_shares_of_parts, test_uneven, test_split, test_promised)

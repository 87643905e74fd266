/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the plans of mixed nodes: which of its file systems each node uses. */
#include "config.h"
#include "tests/unit/burst_buffer/plan_disks.h"
#include "tests/unit/random.h"
#include "tests/unit/tmpdir.h"
#include "burst_buffer/request/request.h"
#include "burst_buffer/storage/image.h"
#include "common/str.h"
#include "sysmap/database/receive.h"

/* The first of the largest of a tier; -1: none. */
static int of_tier(const struct fs fs[DISKS], enum slu_tier tier)
{
	int best = -1;

	for (int i = 0; i < DISKS; i++)
		if (fs[i].gib && fs[i].tier == tier &&
		    (best < 0 || fs[i].gib > fs[best].gib))
			best = i;
	return best;
}

/* Four kinds of nodes, and which of its file systems each uses. */
START_TEST(test_kinds)
{
	static const struct fs nodes[NODES][DISKS] = {
		{{SLU_TIER_FLASH, 100}},
		{{SLU_TIER_DISK, 800}},
		{{SLU_TIER_FLASH, 50}, {SLU_TIER_DISK, 400}},
		{{SLU_TIER_RAM, 20}},
	};
	static const struct {
		const char *nodes, *request;
		const char *storage; /* of each, with blanks; or the error */
		unsigned gib[NODES];
		int refused; /* enum slu_kind */
	} cases[] = {
		{"n[1,3]",
		 "jobfs type=tmp tier=flash capacity=40GiB",
		 "/m0/sluice /m0/sluice ",
		 {20, 20},
		 0},
		{"n[2-3]",
		 "jobfs type=tmp tier=disk capacity=40GiB",
		 "/m0/sluice /m1/sluice ",
		 {20, 20},
		 0},
		{"n4",
		 "jobfs type=tmp tier=ram capacity=10GiB",
		 "/m0/sluice ",
		 {10},
		 0},
		/* its pool says the tier, and so does a profile */
		{"n3",
		 "jobfs type=tmp pool=disk capacity=10GiB",
		 "/m1/sluice ",
		 {10},
		 0},
		{"n3",
		 "jobfs profile=hot capacity=10GiB",
		 "/m0/sluice ",
		 {10},
		 0},
		{"n3",
		 "jobfs profile=hot tier=disk capacity=10GiB",
		 "/m1/sluice ",
		 {10},
		 0},
		{"n3", "jobfs profile=big", "/m1/sluice ", {0}, 0},
		/* who says nothing has the first pool */
		{"n3", "jobfs type=tmp capacity=10GiB", "/m0/sluice ", {10}, 0},
		/* others give what one lacks, where files can lie anywhere */
		{"n[1-3]",
		 "jobfs type=g2 tier=flash capacity=90GiB",
		 "/m0/sluice  /m0/sluice ",
		 {45, 0, 45},
		 0},
		{"n[1-3]",
		 "jobfs type=g2 tier=flash capacity=120GiB",
		 "/m0/sluice  /m0/sluice ",
		 {0, 0, 0},
		 0},
		{"n[1-3]",
		 "jobfs type=g2 tier=flash capacity=160GiB",
		 "n2 has no storage of pool flash",
		 {0},
		 SLU_BUSY},
		{"n[1-3]",
		 "jobfs type=tmp tier=flash capacity=3GiB",
		 "n2 has no storage that is flash",
		 {0},
		 SLU_NOTFOUND},
	};

	setup(POOLS);
	for (size_t i = 0; i < NODES; i++) {
		char name[8];

		snprintf(name, sizeof(name), "n%zu", i + 1);
		push_fs(name, nodes[i]);
	}
	each(c, cases)
	{
		struct slu_job j = job(c->nodes, c->request);
		struct slu_plan_site s = site();
		struct slu_buf where = {0};
		struct slu_plan p;
		uint64_t sum = 0;

		s.ask_room = true;
		if (c->refused) {
			expect_fail(slu_plan_make(&j, &s, &p, &err), err,
				    (enum slu_kind)c->refused, c->storage);
			continue;
		}
		expect_ok(slu_plan_make(&j, &s, &p, &err), err);
		for (size_t i = 0; i < p.n_node; i++) {
			slu_buf_printf(&where, "%s ", p.node[i].storage);
			sum += p.node[i].capacity;
			if (c->gib[i])
				ck_assert_uint_eq(p.node[i].capacity,
						  c->gib[i] * GIB);
			ck_assert(*p.node[i].storage || p.node[i].client);
		}
		expect(!strcmp(where.data, c->storage), "%s: %s", c->request,
		       where.data);
		ck_assert_uint_ge(sum, p.capacity);
		slu_buf_free(&where);
		slu_msg_clear(&slu_plan_desc, &p);
	}
	teardown();
}
END_TEST

/* A persistent buffer is planned as the file system of a job. */
START_TEST(test_persistent)
{
	struct slu_request req, as;
	char *text;

	expect_ok(slu_request_parse("persistent_create name=x type=g2 "
				    "capacity=90GiB tier=flash",
				    NULL, &req, &err),
		  err);
	as = slu_persist_as_fs(&req.persist[0]);
	text = slu_request_text(&as);
	ck_assert_str_eq(text, "jobfs type=g2 capacity=96636764160 name=x "
			       "tier=flash");
	free(text);
	slu_request_free(&req);
}
END_TEST

/* Can it be had of these nodes? Any of them may be left out where files lie
 * anywhere, if none gives next to nothing. */
static bool possible(struct fs fs[NODES][DISKS], size_t n, enum slu_tier tier,
		     uint64_t capacity, bool anywhere)
{
	const uint64_t share = capacity / n + (capacity % n != 0);
	bool equal = true;

	for (size_t i = 0; i < n; i++) {
		int d = of_tier(fs[i], tier);

		equal = equal && d >= 0 &&
			slu_image_size(share) <= fs[i][d].gib * GIB;
	}
	for (unsigned who = 1; anywhere && !equal && who < 1u << n; who++) {
		uint64_t sum = 0;
		bool all = true;

		for (size_t i = 0; i < n; i++) {
			int d = of_tier(fs[i], tier);
			uint64_t can = d < 0 ? 0 : largest(fs[i][d].gib * GIB);

			if (!(who >> i & 1))
				continue;
			all = all && can && can >= share / 8;
			sum += can;
		}
		equal = all && sum >= capacity;
	}
	return equal;
}

/* Of all choices of nodes. */
START_TEST(test_random_clusters)
{
	uint64_t seed = 3;
	int made[2] = {0, 0}, refused[2] = {0, 0}, lacking = 0;

	setup(POOLS);
	for (int round = 0; round < 1500; round++) {
		const size_t n = 1 + slu_random(&seed, NODES);
		const bool anywhere = slu_random(&seed, 2);
		const enum slu_tier tier =
			slu_random(&seed, 2) ? SLU_TIER_FLASH : SLU_TIER_DISK;
		const uint64_t capacity = (1 + slu_random(&seed, 60)) * GIB;
		struct fs fs[NODES][DISKS];
		char nodes[16], request[100];
		struct slu_plan_site s = site();
		struct slu_plan p;
		struct slu_job j;
		uint64_t sum = 0;

		for (size_t i = 0; i < n; i++) {
			for (size_t k = 0; k < DISKS; k++)
				fs[i][k] = (struct fs){
					(enum slu_tier)(SLU_TIER_FLASH +
							slu_random(&seed, 3)),
					(unsigned)slu_random(&seed, 25)};
			snprintf(nodes, sizeof(nodes), "n%zu", i + 1);
			push_fs(nodes, fs[i]);
		}
		snprintf(nodes, sizeof(nodes), "n[1-%zu]", n);
		snprintf(request, sizeof(request),
			 "jobfs type=%s tier=%s capacity=%llu",
			 anywhere ? "g2" : "tmp", slu_tier_names[tier],
			 (unsigned long long)capacity);
		j = job(nodes, request);
		s.ask_room = true;
		if (!possible(fs, n, tier, capacity, anywhere)) {
			expect(slu_plan_make(&j, &s, &p, &err), "round %d: %s",
			       round, request);
			ck_assert(err.kind == SLU_BUSY ||
				  err.kind == SLU_NOTFOUND);
			refused[anywhere]++;
			continue;
		}
		expect_ok(slu_plan_make(&j, &s, &p, &err), err);
		made[anywhere]++;
		for (size_t i = 0; i < n; i++) {
			int d = of_tier(fs[i], tier);
			char want[32];

			snprintf(want, sizeof(want), "/m%d/sluice", d);
			sum += p.node[i].capacity;
			ck_assert(p.node[i].client == !p.node[i].capacity);
			lacking += d < 0;
			if (p.node[i].client)
				continue;
			ck_assert_int_ge(d, 0);
			ck_assert_str_eq(p.node[i].storage, want);
			ck_assert_uint_le(slu_image_size(p.node[i].capacity),
					  fs[i][d].gib * GIB);
		}
		ck_assert_uint_ge(sum, capacity);
		slu_msg_clear(&slu_plan_desc, &p);
	}
	for (int i = 0; i < 2; i++) {
		ck_assert_int_gt(made[i], 100);
		ck_assert_int_gt(refused[i], 100);
	}
	ck_assert_int_gt(lacking, 20);
	teardown();
}
END_TEST

TEST_MAIN("plan tiers", test_kinds, test_persistent, test_random_clusters)

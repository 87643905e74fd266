/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the plans of nodes with several like disks: a share on one of them
 * (NodeDevices=each), and over all (NodeDevices=all). */
#include "config.h"
#include "tests/unit/burst_buffer/plan_disks.h"
#include "tests/unit/random.h"
#include "burst_buffer/storage/image.h"

/* Jobs on one node, until there is no room for one more: as many as the disks
 * hold, each by itself. */
static size_t fill_one(struct fs *fs, struct slu_job *j,
		       const struct slu_plan_site *s, uint64_t capacity)
{
	const uint64_t bytes = slu_image_size(capacity);
	size_t fit = 0, jobs = 0;

	for (size_t d = 0; d < DISKS; d++)
		if (fs[d].tier == SLU_TIER_FLASH)
			fit += fs[d].gib * GIB / bytes;
	for (;; jobs++) {
		uint64_t before[DISKS];
		int want;

		memcpy(before, taken[0], sizeof(before));
		want = roomiest(fs, before, bytes);
		if (plan_twice(j, s))
			break;
		ck_assert_int_ge(want, 0);
		ck_assert_uint_eq(taken[0][want], before[want] + bytes);
	}
	ck_assert(err.kind == SLU_BUSY || err.kind == SLU_NOTFOUND);
	ck_assert_uint_eq(jobs, fit);
	return jobs;
}

START_TEST(test_each_device)
{
	uint64_t seed = 11;
	size_t jobs = 0, several = 0;

	setup(POOLS "NodeDevices=each\n");
	for (int round = 0; round < 300; round++) {
		const uint64_t capacity = (1 + slu_random(&seed, 9)) * GIB;
		struct slu_plan_site s = site();
		struct fs fs[NODES][DISKS];
		char request[100];
		struct slu_job j;

		mix(fs, 1, &seed);
		snprintf(request, sizeof(request),
			 "jobfs type=tmp tier=flash capacity=%llu",
			 (unsigned long long)capacity);
		j = job("n1", request);
		s.promised = promised;
		jobs += fill_one(fs[0], &j, &s, capacity);
		expect_held(fs, 1);
		several += !!taken[0][0] + !!taken[0][1] + !!taken[0][2] > 1;
	}
	ck_assert_uint_gt(jobs, 1000);
	ck_assert_uint_gt(several, 100);
	teardown();
}
END_TEST

/* On several nodes, of both kinds of file systems, no disk is given away
 * twice; and where each node has a disk with room, no job is refused. */
START_TEST(test_each_device_of_nodes)
{
	uint64_t seed = 12;
	int made = 0, refused = 0;

	setup(POOLS "NodeDevices=each\n");
	for (int round = 0; round < 300; round++) {
		const size_t n = 1 + slu_random(&seed, NODES);
		struct slu_plan_site s = site();
		struct fs fs[NODES][DISKS];
		char nodes[32];

		s.promised = promised;
		s.ask_room = true;
		mix(fs, n, &seed);
		snprintf(nodes, sizeof(nodes), "n[1-%zu]", n);
		for (int k = 0; k < 8; k++) {
			const uint64_t share = (1 + slu_random(&seed, 9)) * GIB;
			char request[100];
			bool room = true;
			struct slu_job j;

			for (size_t i = 0; i < n; i++)
				room &= roomiest(fs[i], taken[i],
						 slu_image_size(share)) >= 0;
			snprintf(request, sizeof(request),
				 "jobfs type=%s tier=flash capacity=%llu",
				 slu_random(&seed, 2) ? "g2" : "tmp",
				 (unsigned long long)(share * n));
			j = job(nodes, request);
			if (plan_twice(&j, &s)) {
				expect(!room, "round %d: %s", round, err.text);
				refused++;
			} else {
				made++;
			}
			expect_held(fs, n);
		}
	}
	ck_assert_int_gt(made, 300);
	ck_assert_int_gt(refused, 300);
	teardown();
}
END_TEST

/* How much of a share of one node all its disks can have, each by itself. */
static uint64_t together(const struct fs *fs, const uint64_t *of)
{
	uint64_t sum = 0;

	for (size_t d = 0; d < DISKS; d++)
		if (fs[d].tier == SLU_TIER_FLASH && fs[d].gib)
			sum += largest(fs[d].gib * GIB - of[d]);
	return sum;
}

/* With NodeDevices=all a share of glusterfs is spread: it is made as long as
 * all disks of its nodes have room for it together, and no disk is given away
 * twice. Of another file system it lies on one disk, as with `each`. */
START_TEST(test_all_devices)
{
	uint64_t seed = 13;
	int made = 0, refused = 0, spread = 0, larger = 0;

	setup(POOLS "NodeDevices=all\n");
	for (int round = 0; round < 300; round++) {
		const size_t n = 1 + slu_random(&seed, NODES);
		struct slu_plan_site s = site();
		struct fs fs[NODES][DISKS];
		char nodes[32];

		s.promised = promised;
		mix(fs, n, &seed);
		snprintf(nodes, sizeof(nodes), "n[1-%zu]", n);
		for (int k = 0; k < 6; k++) {
			const uint64_t share =
				(1 + slu_random(&seed, 20)) * GIB;
			const bool one = !slu_random(&seed, 3);
			char request[100];
			bool room = true, large = false;
			uint64_t before[NODES][DISKS];
			struct slu_job j;
			int disks = 0;

			for (size_t i = 0; i < n; i++) {
				bool fits =
					roomiest(fs[i], taken[i],
						 slu_image_size(share)) >= 0;

				large |= !fits;
				room &= fits ||
					(!one &&
					 together(fs[i], taken[i]) >= share);
			}
			snprintf(request, sizeof(request),
				 "jobfs type=%s tier=flash capacity=%llu",
				 one ? "tmp" : "g2",
				 (unsigned long long)(share * n));
			j = job(nodes, request);
			memcpy(before, taken, sizeof(before));
			if (plan_twice(&j, &s)) {
				expect(!room, "round %d: %s", round, err.text);
				refused++;
			} else {
				made++;
				larger += large;
			}
			for (size_t i = 0; i < n; i++)
				for (size_t d = 0; d < DISKS; d++)
					disks += taken[i][d] != before[i][d];
			ck_assert(!one || disks == 0 || disks == (int)n);
			spread += disks > (int)n;
			expect_held(fs, n);
		}
	}
	ck_assert_int_gt(made, 300);
	ck_assert_int_gt(refused, 300);
	ck_assert_int_gt(spread, 100);
	ck_assert_int_gt(larger, 50);
	teardown();
}
END_TEST

/* Of files in pieces each part is of the same size: on as many disks as have
 * room for it on every node. */
START_TEST(test_even_devices)
{
	static const struct fs nodes[2][DISKS] = {
		{{SLU_TIER_FLASH, 10},
		 {SLU_TIER_FLASH, 10},
		 {SLU_TIER_FLASH, 3}},
		{{SLU_TIER_FLASH, 10},
		 {SLU_TIER_FLASH, 30},
		 {SLU_TIER_FLASH, 9}},
	};
	static const struct {
		unsigned share; /* GiB of a node */
		size_t devices;
	} cases[] = {{6, 3}, {12, 2}, {18, 2}};

	setup(POOLS "NodeDevices=all\n");
	push_fs("n1", nodes[0]);
	push_fs("n2", nodes[1]);
	each(c, cases)
	{
		char request[100];
		struct slu_plan_site s = site();
		struct slu_plan p;
		struct slu_job j;

		snprintf(request, sizeof(request),
			 "jobfs type=glu tier=flash capacity=%uGiB",
			 2 * c->share);
		j = job("n[1-2]", request);
		expect_ok(slu_plan_make(&j, &s, &p, &err), err);
		for (size_t i = 0; i < 2; i++) {
			ck_assert_uint_eq(slu_plan_devices(&p.node[i]),
					  c->devices);
			for (size_t k = 0; k < c->devices; k++)
				ck_assert_uint_eq(
					slu_plan_device(&p.node[i], k).capacity,
					c->share * GIB / c->devices);
		}
		slu_msg_clear(&slu_plan_desc, &p);
	}
	teardown();
}
END_TEST

/* What nodes have told of their disks decides, also within a node. */
START_TEST(test_told_devices)
{
	static const struct fs nodes[2][DISKS] = {
		{{SLU_TIER_FLASH, 20}, {SLU_TIER_FLASH, 20}},
		{{SLU_TIER_FLASH, 20}, {SLU_TIER_FLASH, 20}},
	};
	static const struct {
		unsigned told[4]; /* GiB of n1's and n2's disks */
		unsigned gives[4];
		bool changed;
	} cases[] = {
		{{20, 20, 20, 20}, {8, 8, 8, 8}, false},
		{{20, 0, 20, 20}, {16, 0, 8, 8}, true},
		{{0, 20, 20, 20}, {0, 16, 8, 8}, true},
		{{0, 0, 20, 20}, {0, 0, 16, 16}, true},
		{{0, 0, 20, 0}, {8, 8, 8, 8}, false},
	};
	struct slu_job j =
		job("n[1-2]", "jobfs type=g2 tier=flash capacity=32GiB");
	struct slu_plan_site s;

	setup(POOLS "NodeDevices=all\n");
	push_fs("n1", nodes[0]);
	push_fs("n2", nodes[1]);
	s = site();
	s.ask_room = true;
	each(c, cases)
	{
		uint64_t told[4], gives[2][DISKS] = {{0}};
		struct slu_plan p;
		bool changed;

		expect_ok(slu_plan_make(&j, &s, &p, &err), err);
		for (size_t k = 0; k < 4; k++)
			told[k] = c->told[k] * GIB;
		expect_ok(slu_plan_reshare(&p, &s, told, &changed, &err), err);
		ck_assert(changed == c->changed);
		for (size_t i = 0; i < 2; i++)
			for (size_t k = 0; k <= p.node[i].n_more; k++) {
				struct slu_plan_node at = {
					.storage =
						slu_plan_device(&p.node[i], k)
							.storage};

				gives[i][disk_of(&at)] =
					slu_plan_device(&p.node[i], k).capacity;
			}
		for (size_t k = 0; k < 4; k++)
			ck_assert_uint_eq(gives[k / 2][k % 2],
					  c->gives[k] * GIB);
		ck_assert(p.node[0].client ||
			  slu_plan_device(&p.node[0], 0).capacity);
		slu_msg_clear(&slu_plan_desc, &p);
	}
	teardown();
}
END_TEST

/* Of files in pieces a device without room is left out, too; each node then has
 * as many, with equal parts. */
START_TEST(test_told_even_devices)
{
	static const struct fs disks[DISKS] = {{SLU_TIER_FLASH, 20},
					       {SLU_TIER_FLASH, 20},
					       {SLU_TIER_FLASH, 20}};
	static const struct {
		unsigned told[6];  /* GiB of n1's and n2's disks */
		unsigned gives[6]; /* of them */
		bool changed;
	} cases[] = {
		{{20, 20, 20, 20, 20, 20}, {4, 4, 4, 4, 4, 4}, false},
		{{5, 20, 20, 20, 5, 20}, {4, 4, 4, 4, 4, 4}, false},
		{{20, 0, 20, 20, 20, 10}, {6, 0, 6, 6, 6, 0}, true},
		{{0, 20, 20, 20, 20, 0}, {0, 6, 6, 6, 6, 0}, true},
		{{0, 20, 0, 15, 20, 15}, {0, 12, 0, 0, 12, 0}, true},
		{{0, 10, 0, 15, 20, 15}, {4, 4, 4, 4, 4, 4}, false},
		{{0, 0, 0, 20, 20, 20}, {4, 4, 4, 4, 4, 4}, false},
	};
	struct slu_job j =
		job("n[1-2]", "jobfs type=glu tier=flash capacity=24GiB");
	struct slu_plan_site s;

	setup(POOLS "NodeDevices=all\n");
	push_fs("n1", disks);
	push_fs("n2", disks);
	s = site();
	s.ask_room = true;
	each(c, cases)
	{
		uint64_t told[6], gives[2][DISKS] = {{0}};
		struct slu_plan p;
		bool changed;

		expect_ok(slu_plan_make(&j, &s, &p, &err), err);
		for (size_t k = 0; k < 6; k++) {
			const struct slu_plan_node at = {
				.storage =
					slu_plan_device(&p.node[k / 3], k % 3)
						.storage};

			told[k] = c->told[k / 3 * 3 + disk_of(&at)] * GIB;
		}
		expect_ok(slu_plan_reshare(&p, &s, told, &changed, &err), err);
		ck_assert(changed == c->changed);
		for (size_t i = 0; i < 2; i++)
			for (size_t k = 0; k < slu_plan_devices(&p.node[i]);
			     k++) {
				const struct slu_plan_node at = {
					.storage =
						slu_plan_device(&p.node[i], k)
							.storage};

				gives[i][disk_of(&at)] =
					slu_plan_device(&p.node[i], k).capacity;
			}
		for (size_t k = 0; k < 6; k++)
			ck_assert_uint_eq(gives[k / 3][k % 3],
					  c->gives[k] * GIB);
		slu_msg_clear(&slu_plan_desc, &p);
	}
	teardown();
}
END_TEST

/* The reason is in numbers that tell why: on small disks the images' own parts
 * make the difference, and what one image would take is less than there is. */
START_TEST(test_too_small_together)
{
	static const struct fs disks[DISKS] = {
		{SLU_TIER_FLASH, 1}, {SLU_TIER_FLASH, 1}, {SLU_TIER_FLASH, 1}};
	struct slu_job j =
		job("n1", "jobfs type=g2 tier=flash capacity=2900MiB");
	struct slu_plan_site s;
	struct slu_plan p;

	setup(POOLS "NodeDevices=all\n");
	push_fs("n1", disks);
	s = site();
	s.ask_room = true;
	expect_fail(slu_plan_make(&j, &s, &p, &err), err, SLU_BUSY,
		    "n1 has only 3GiB for /m0/sluice and 2 other devices, each "
		    "node must give 2.8GiB, of which only 2.6GiB fit there");
	teardown();
}
END_TEST

TEST_MAIN("plan devices", test_each_device, test_each_device_of_nodes,
	  test_all_devices, test_even_devices, test_told_devices,
	  test_told_even_devices, test_too_small_together)

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the plans of mixed nodes: which of its file systems each node uses. */
#include "config.h"
#include "tests/unit/plan_site.h"
#include "tests/unit/random.h"
#include "tests/unit/tmpdir.h"
#include "burst_buffer/request/request.h"
#include "burst_buffer/storage/image.h"
#include "common/str.h"
#include "sysmap/database/receive.h"

#define NODES 4
#define DISKS 3 /* at most, of a node */

#define POOLS                                                              \
	"Pool=flash Tier=flash\nPool=disk Tier=disk\nPool=mem Tier=ram\n"  \
	"FileSystem=g2 Driver=glusterfs\nProfile=hot type=g2 tier=flash\n" \
	"Profile=big capacity=5 pool=disk type=tmp\n"

struct fs {
	enum slu_tier tier;
	unsigned gib; /* 0: there is none */
};

static void push_fs(const char *node, const struct fs fs[DISKS])
{
	struct slu_buf text = {0};
	struct slu_document doc = {.extractor = "mountpoints"};
	struct slu_map map = {.document = &doc, .n = 1};

	slu_buf_puts(&text, "[{\"device\":\"/dev/sda\",\"mountpoint\":\"/\","
			    "\"filesystem\":\"ext4\",\"size\":0,"
			    "\"options\":\"rw\",\"category\":\"local\"}");
	for (size_t i = 0; i < DISKS; i++)
		if (fs[i].gib)
			slu_buf_printf(
				&text,
				",{\"device\":\"/dev/d%zu\",\"mountpoint\":"
				"\"/m%zu\",\"filesystem\":\"xfs\",\"size\":%llu"
				",\"options\":\"rw\",\"category\":\"%s\","
				"\"tier\":\"%s\"}",
				i, i, (unsigned long long)fs[i].gib * GIB,
				fs[i].tier == SLU_TIER_RAM ? "memory" : "local",
				slu_tier_names[fs[i].tier]);
	slu_buf_puts(&text, "]");
	doc.text = text.data;
	doc.len = text.len;
	doc.hash = slu_document_hash(doc.extractor, text.data, text.len);
	expect_ok(slu_receive_map(receiver, node, &map, 1, &err), err);
	slu_buf_free(&text);
}

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

/* What is promised of each disk, in bytes. */
static uint64_t taken[NODES][DISKS];

static size_t disk_of(const struct slu_plan_node *node)
{
	ck_assert_int_eq(strncmp(node->storage, "/m", 2), 0);
	return (size_t)(node->storage[2] - '0');
}

static int promised(void *arg, const struct slu_plan *plan, uint64_t *bytes,
		    uint64_t *own, struct slu_err *e)
{
	(void)arg, (void)own, (void)e;
	for (size_t i = 0; i < plan->n_node; i++)
		bytes[i] = taken[plan->node[i].name[1] - '1']
				[disk_of(&plan->node[i])];
	return 0;
}

/* The disk with the most room for so many bytes, of equal ones the larger; -1:
 * no room. */
static int roomiest(const struct fs *fs, const uint64_t *of, uint64_t bytes)
{
	uint64_t room, best = 0;
	int found = -1;

	for (int d = 0; d < DISKS; d++) {
		if (fs[d].tier != SLU_TIER_FLASH ||
		    fs[d].gib * GIB - of[d] < bytes || !fs[d].gib)
			continue;
		room = fs[d].gib * GIB - of[d];
		if (found < 0 || room > best ||
		    (room == best && fs[d].gib > fs[found].gib)) {
			best = room;
			found = d;
		}
	}
	return found;
}

static void mix(struct fs fs[NODES][DISKS], size_t n, uint64_t *seed)
{
	char name[24];

	memset(taken, 0, sizeof(taken));
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < DISKS; k++)
			fs[i][k] =
				(struct fs){slu_random(seed, 4) ? SLU_TIER_FLASH
								: SLU_TIER_DISK,
					    (unsigned)slu_random(seed, 25)};
		snprintf(name, sizeof(name), "n%zu", i + 1);
		push_fs(name, fs[i]);
	}
}

/* The same plan twice: the shares of the first one are no longer available. */
static int plan_twice(struct slu_job *j, const struct slu_plan_site *s)
{
	struct slu_plan p, q;
	int rc = slu_plan_make(j, s, &p, &err);

	ck_assert_int_eq(slu_plan_make(j, s, &q, &err), rc);
	if (rc)
		return rc;
	for (size_t i = 0; i < p.n_node; i++) {
		ck_assert_str_eq(p.node[i].storage, q.node[i].storage);
		ck_assert_uint_eq(p.node[i].capacity, q.node[i].capacity);
		if (!p.node[i].client)
			taken[i][disk_of(&p.node[i])] +=
				slu_image_size(p.node[i].capacity);
	}
	slu_msg_clear(&slu_plan_desc, &p);
	slu_msg_clear(&slu_plan_desc, &q);
	return 0;
}

static void expect_held(struct fs fs[NODES][DISKS], size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t d = 0; d < DISKS; d++) {
			ck_assert_uint_le(taken[i][d], fs[i][d].gib * GIB);
			ck_assert(!taken[i][d] ||
				  fs[i][d].tier == SLU_TIER_FLASH);
		}
}

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

TEST_MAIN("plan tiers", test_kinds, test_persistent, test_random_clusters,
	  test_each_device, test_each_device_of_nodes)

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests storage pools through slurmctld's hooks: what is refused at submission,
 * and which jobs have to wait. */
#include "config.h"
#include "tests/unit/ctl/ctl_fake.h"
#include "ctl/pools/pools.h"

#define GIB (UINT64_C(1) << 30)
#define CREATE(name, size) \
	"persistent_create name=" name " type=g capacity=" size

static int64_t end_of(uint32_t job_id)
{
	return job_id == 9 ? 0 : 1000 + 10 * job_id;
}

#define REQUEST "jobfs capacity=4294967296"

static void say_supply(struct slu_ctl *ctl, uint64_t total)
{
	struct slu_pool_capacity p = {.name = "nodes",
				      .total = total,
				      .available = total,
				      .largest = total / 4,
				      .nodes = 4,
				      .complete = true};
	struct slu_capacity s = {.pools = &p, .n_pools = 1};

	daemon_say(&slu_capacity_desc, &s);
	slu_ctl_step(ctl, 2);
}

static void take(void *arg, const struct slu_ctl_pool *pool)
{
	*(struct slu_ctl_pool *)arg = *pool;
}

/* The same through the hooks' functions. */
START_TEST(test_hooks)
{
	struct slu_ctl *ctl = ctl_by_hand("PersistentNodes=n[1-2]\n"
					  "FileSystem=g Driver=glusterfs\n"
					  "Pool=nodes MaxPerUser=5GiB");
	struct slu_ctl_pool pool;
	char why[SLU_CTL_WHY] = "";
	struct slu_job ended = {.job_id = 7};

	ck_assert(!slu_ctl_may_start(ctl, REQUEST, 1, why));
	ck_assert(strstr(why, "sluiced does not answer"));
	ck_assert(slu_ctl_may_start(ctl, "forward max=2", 1, why));
	ck_assert_int_eq(slu_ctl_est_start(ctl, 0, REQUEST, 1, end_of, 1000),
			 1060);
	link_up(ctl, 1);
	ck_assert(slu_ctl_may_start(ctl, REQUEST, 1, why));
	say_supply(ctl, 6 * GIB);
	ck_assert(slu_ctl_may_start(ctl, REQUEST, 1, why));
	slu_ctl_claim(ctl, 7, REQUEST, 1, true);
	slu_ctl_claim(ctl, 8, "forward max=2", 1, true); /* nothing */
	ck_assert(!slu_ctl_may_start(ctl, REQUEST, 2, why));
	ck_assert(strstr(why, "jobs have 4GiB of its 6GiB"));
	ck_assert_int_eq(slu_ctl_est_start(ctl, 0, REQUEST, 2, end_of, 1000),
			 1070);
	ck_assert_uint_eq(slu_ctl_pools(ctl, take, &pool), 1);
	ck_assert_uint_eq(pool.total, 6 * GIB);
	ck_assert_uint_eq(pool.used, 4 * GIB);
	ck_assert_uint_eq(pool.granularity, 1);
	say_supply(ctl, 20 * GIB);
	ck_assert(!slu_ctl_may_start(ctl, REQUEST, 1, why));
	ck_assert(strstr(why, "MaxPerUser"));
	slu_ctl_ended(ctl, &ended);
	ck_assert(slu_ctl_may_start(ctl, REQUEST, 1, why));
	slu_ctl_release(ctl);
}
END_TEST

/* Components of a heterogeneous job, 7 and 8, wait for what they need together,
 * and neither for the other. */
START_TEST(test_components)
{
	static const struct slu_ctl_request request[] = {{7, REQUEST},
							 {8, "forward max=2"}};
	struct slu_ctl *ctl = ctl_by_hand("Pool=nodes DenyAccounts=x");
	const struct slu_ctl_reservation both = {
		.job_id = 7, .uid = 1, .with = request, .n_with = 2};
	const struct slu_ctl_reservation last = {.job_id = 7, .uid = 1};
	char why[SLU_CTL_WHY] = "";

	link_up(ctl, 1);
	say_supply(ctl, 6 * GIB); /* each of them needs 4 */
	ck_assert(slu_ctl_reservation(ctl, REQUEST, &last, end_of, 1000, why));
	for (int i = 0; i < 2; i++)
		ck_assert(!slu_ctl_reservation(ctl, REQUEST, &both, end_of,
					       1000, why));
	say_supply(ctl, 8 * GIB);
	for (int i = 0; i < 2; i++)
		ck_assert(slu_ctl_reservation(ctl, REQUEST, &both, end_of, 1000,
					      why));
	slu_ctl_claim(ctl, 7, REQUEST, 1, true);
	ck_assert(slu_ctl_reservation(ctl, REQUEST, &last, end_of, 1000, why));
	slu_ctl_claim(ctl, 8, REQUEST, 1, true);
	ck_assert(!slu_ctl_may_start(ctl, REQUEST, 1, why));
	slu_ctl_release(ctl);
}
END_TEST

/* A node's share of glusterfs is as large as its devices together, less a
 * manifest on each for each stage-out. */
START_TEST(test_spread_share)
{
	struct slu_pool_capacity p = {.name = "nodes",
				      .total = 8 * GIB,
				      .available = 8 * GIB,
				      .largest = 2 * GIB,
				      .together = 4 * GIB,
				      .devices = 3,
				      .nodes = 4,
				      .complete = true};
	struct slu_capacity s = {.pools = &p, .n_pools = 1};
	struct slu_ctl *ctl = ctl_by_hand("FileSystem=g Driver=glusterfs\n"
					  "FileSystem=t Driver=scratch\n"
					  "Pool=nodes");
	struct slu_ctl_ask ask = {.prolog_flags = true, .max_nodes = 2};
	struct slu_err err;
	char *text;

	link_up(ctl, 1);
	daemon_say(&slu_capacity_desc, &s);
	slu_ctl_step(ctl, 2);
	ask.option = "jobfs type=g capacity=8GiB";
	expect_ok(slu_ctl_validate(ctl, &ask, &text, &err), err);
	free(text);
	ask.option = "jobfs type=t capacity=8GiB";
	expect_fail(slu_ctl_validate(ctl, &ask, &text, &err), err, SLU_INVALID,
		    "none can hold more than 2GiB");
	ask.max_nodes = 1;
	ask.option = "jobfs type=g capacity=8GiB";
	expect_fail(slu_ctl_validate(ctl, &ask, &text, &err), err, SLU_INVALID,
		    "none can hold more than 4GiB");
	ask.option = "jobfs type=g capacity=4GiB"
		     "; stage_out source=$BB_JOBFS/ destination=/d/";
	expect_fail(slu_ctl_validate(ctl, &ask, &text, &err), err, SLU_INVALID,
		    "none can hold more than 4GiB");
	ask.option = "jobfs type=g capacity=4084MiB"
		     "; stage_out source=$BB_JOBFS/ destination=/d/";
	expect_ok(slu_ctl_validate(ctl, &ask, &text, &err), err);
	free(text);
	slu_ctl_release(ctl);
}
END_TEST

/* What could never be had is refused at submission. */
START_TEST(test_impossible_request_is_refused)
{
	static const struct {
		const char *option;
		uint32_t max_nodes;
		const char *refused;
	} cases[] = {
		{"capacity=8GiB", 0, NULL},
		{"capacity=9GiB", 0, "9GiB is more than pool nodes has"},
		{"capacity=8GiB", 4, NULL},
		{"capacity=8GiB", 9, NULL},
		{"capacity=8GiB", 2,
		 "each of 2 nodes must give 4GiB, and none can hold more than 2GiB"},
		{"jobfs type=g capacity=8GiB nodes=1", 0, "each of 1 nodes"},
		{CREATE("a", "10"), 0,
		 "persistent_create: capacity=10B is less than 1MiB"},
		{CREATE("a", "1MiB"), 0, NULL},
		{CREATE("a", "9GiB"), 0, "9GiB is more than pool nodes has"},
		{CREATE("a", "5GiB") "; " CREATE("b", "3GiB"), 0, NULL},
		{CREATE("a", "5GiB") "; " CREATE("b", "4GiB"), 0,
		 "persistent_create: with the persistent buffers made before "
		 "9GiB is more than pool nodes has, which is 8GiB"},
		{CREATE("a", "5GiB") "; persistent_destroy name=x; " CREATE(
			 "b", "4GiB"),
		 0, "made before 9GiB"},
		{CREATE("a", "4GiB") "; jobfs capacity=4GiB", 0, NULL},
		{CREATE("a", "4GiB") "; jobfs capacity=5GiB", 0,
		 "jobfs: with the persistent buffers made before 9GiB"},
		{CREATE("a", "5GiB") "; jobfs type=h capacity=5GiB", 0, NULL},
		{CREATE("a", "5GiB") "; persistent_create name=b type=h "
				     "capacity=5GiB",
		 0, NULL},
	};
	struct slu_ctl *ctl =
		ctl_by_hand("FileSystem=g Driver=glusterfs\n"
			    "FileSystem=h Driver=glusterfs Pool=other\n"
			    "Pool=nodes DenyAccounts=x\nPool=other\n"
			    "PersistentNodes=n[1-2]");
	struct slu_ctl_ask ask = {.prolog_flags = true};
	struct slu_err err;
	char *text;

	link_up(ctl, 1);
	say_supply(ctl, 8 * GIB);
	each(c, cases)
	{
		ask.option = c->option;
		ask.max_nodes = c->max_nodes;
		if (c->refused) {
			expect_fail(slu_ctl_validate(ctl, &ask, &text, &err),
				    err, SLU_INVALID, c->refused);
			continue;
		}
		expect_ok(slu_ctl_validate(ctl, &ask, &text, &err), err);
		free(text);
	}
	/* components, which start together; another job's do not count */
	for (int job = 0; job < 2; job++) {
		ask = (struct slu_ctl_ask){.prolog_flags = true,
					   .option = "capacity=4GiB",
					   .het = true};
		for (; ask.het_offset < 2; ask.het_offset++) {
			expect_ok(slu_ctl_validate(ctl, &ask, &text, &err),
				  err);
			free(text);
		}
		ask.option = "capacity=1GiB";
		expect_fail(slu_ctl_validate(ctl, &ask, &text, &err), err,
			    SLU_INVALID,
			    "with the components before it 9GiB is more than "
			    "pool nodes has, which is 8GiB");
	}
	ask.het = false;
	ask.account = "x";
	expect_fail(slu_ctl_validate(ctl, &ask, &text, &err), err, SLU_DENIED,
		    "account x may not have storage of pool nodes");
	slu_ctl_release(ctl);
}
END_TEST

START_TEST(test_never_of_user)
{
	struct slu_ctl *ctl = ctl_by_hand("PersistentNodes=n[1-2]\n"
					  "FileSystem=g Driver=glusterfs\n"
					  "Pool=nodes MaxPerUser=5GiB");
	struct slu_ctl_ask ask = {
		.prolog_flags = true, .option = "capacity=5GiB", .het = true};
	struct slu_err err;
	char *text;

	expect_ok(slu_ctl_validate(ctl, &ask, &text, &err), err);
	free(text);
	ask.het_offset = 1;
	ask.option = "capacity=1GiB";
	expect_fail(slu_ctl_validate(ctl, &ask, &text, &err), err, SLU_DENIED,
		    "with the components before it 6GiB is more than the 5GiB "
		    "that a user may have of pool nodes (MaxPerUser)");
	ask.het = false;
	ask.option = "capacity=6GiB";
	expect_fail(slu_ctl_validate(ctl, &ask, &text, &err), err, SLU_DENIED,
		    "jobfs: 6GiB is more than the 5GiB");
	ask.option = CREATE("a", "3GiB") "; " CREATE("b", "3GiB");
	expect_fail(slu_ctl_validate(ctl, &ask, &text, &err), err, SLU_DENIED,
		    "persistent buffers made before 6GiB is more than the "
		    "5GiB");
	slu_ctl_release(ctl);
}
END_TEST

START_TEST(test_unable)
{
	struct slu_ctl *ctl = ctl_by_hand("FileSystem=g Driver=glusterfs");
	struct slu_fs_capacity fs = {.name = "g",
				     .able = 2,
				     .unable = 1,
				     .node = "n3",
				     .why = "no glusterfsd"};
	struct slu_capacity s = {.fs = &fs, .n_fs = 1};
	struct slu_ctl_ask ask = {.prolog_flags = true,
				  .option = "jobfs type=g capacity=1MiB"};
	struct slu_err err;
	char *text;

	link_up(ctl, 1);
	daemon_say(&slu_capacity_desc, &s);
	slu_ctl_step(ctl, 2);
	ask.min_nodes = 2;
	expect_ok(slu_ctl_validate(ctl, &ask, &text, &err), err);
	free(text);
	ask.min_nodes = 3;
	expect_fail(slu_ctl_validate(ctl, &ask, &text, &err), err, SLU_INVALID,
		    "only 2 nodes can do g, 1 cannot; n3: no glusterfsd");
	ask.option = "capacity=1MiB"; /* of another one */
	expect_ok(slu_ctl_validate(ctl, &ask, &text, &err), err);
	free(text);
	slu_ctl_release(ctl);
}
END_TEST

/* Only a job that stages directories needs the site's copier. */
START_TEST(test_no_mover)
{
	static const struct {
		const char *option;
		bool refused;
	} cases[] = {
		{"capacity=1MiB", false},
		{"capacity=1MiB; stage_in type=file source=/a "
		 "destination=$BB_JOBFS/",
		 false},
		{"capacity=1MiB; stage_in source=/a/ destination=$BB_JOBFS/",
		 true},
		{"type=g capacity=1MiB; stage_in source=/a/ "
		 "destination=$BB_JOBFS/",
		 false},
	};
	struct slu_ctl *ctl = ctl_by_hand(
		"FileSystem=s Driver=scratch\nMover=/bin/m %s %d\n"
		"FileSystem=g Driver=gekkofs Unauthenticated=accept");
	struct slu_fs_capacity fs = {.name = SLU_CAPACITY_MOVER,
				     .unable = 3,
				     .node = "n3",
				     .why = "Mover: /bin/m: No such file"};
	struct slu_capacity s = {.fs = &fs, .n_fs = 1};
	struct slu_err err;
	char *text;

	link_up(ctl, 1);
	daemon_say(&slu_capacity_desc, &s);
	slu_ctl_step(ctl, 2);
	each(c, cases)
	{
		struct slu_ctl_ask ask = {.prolog_flags = true,
					  .min_nodes = 1,
					  .option = (char *)c->option};

		if (c->refused) {
			expect_fail(slu_ctl_validate(ctl, &ask, &text, &err),
				    err, SLU_INVALID,
				    "directories cannot be staged: only 0 "
				    "nodes have the site's copier");
			continue;
		}
		expect_ok(slu_ctl_validate(ctl, &ask, &text, &err), err);
		free(text);
	}
	slu_ctl_release(ctl);
}
END_TEST

TEST_MAIN("pools hooks", test_hooks, test_components, test_spread_share,
	  test_impossible_request_is_refused, test_never_of_user, test_unable,
	  test_no_mover)

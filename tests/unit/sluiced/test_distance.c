/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the distances between groups of hosts, from the topology in sluiced
 * through the message to the arbiter. */
#include "config.h"
#include "tests/unit/arbiter_help.h"
#include "select_io/ion/hop_distances.h"
#include "sluiced/control/distance.h"

static const char conf[] = "SwitchName=s1 Nodes=n[1-4],io1\n"
			   "SwitchName=s2 Nodes=n[5-8],io[2-3]\n"
			   "SwitchName=s3 Nodes=n9\n"
			   "SwitchName=alone Nodes=io5,x1\n"
			   "SwitchName=top Switches=s[1-3]\n";

static struct slu_distances distances(const char *ions)
{
	struct slu_distances out;
	struct slu_topology t;
	struct slu_hosts hosts;
	struct slu_err err;
	char *copy = strdup(conf);

	expect_ok(slu_topology_of_conf(copy, &t, &err), err);
	expect_ok(slu_hosts_parse(ions, &hosts, &err), err);
	expect_ok(slu_distance_message(&t, &hosts, &out, &err), err);
	slu_hosts_free(&hosts);
	slu_topology_free(&t);
	free(copy);
	return out;
}

START_TEST(test_message)
{
	struct slu_distances d = distances("io[1-5]");
	char *text = slu_encode_text(&slu_distances_desc, &d);

	ck_assert_str_eq(
		text, "{\"to\":[{\"hosts\":\"io1\"},{\"hosts\":\"io[2-3]\"},"
		      "{\"hosts\":\"io5\"}],"
		      "\"from\":[{\"hosts\":\"io1,n[1-4]\",\"hops\":\"1 3 -\"},"
		      "{\"hosts\":\"io[2-3],n[5-8]\",\"hops\":\"3 1 -\"},"
		      "{\"hosts\":\"n9\",\"hops\":\"3 3 -\"},"
		      "{\"hosts\":\"io5,x1\",\"hops\":\"- - 1\"}]}");
	free(text);
	slu_msg_clear(&slu_distances_desc, &d);
	d = distances("elsewhere");
	ck_assert(d.n_to == 0 && d.n_from == 0);
	slu_msg_clear(&slu_distances_desc, &d);
}
END_TEST

START_TEST(test_distance_of_each_group)
{
	static const struct {
		const char *hosts;
		uint32_t far[4];
	} cases[] = {
		{"n1", {1, 3, 1000, 1000}},
		{"n[1-2],n5", {5, 7, 3000, 3000}},
		{"x1", {1000, 1000, 1, 1000}},
		{"who,n9", {3, 3, 1000, 1000}},
		{"who", {0, 0, 0, 0}},
	};
	struct slu_distances d = distances("io[1-5]");
	struct slu_err err;
	struct slu_hop_distances *near = slu_hop_distances_new(&d, &err);

	ck_assert_msg(near != NULL, "%s", err.text);
	ck_assert_uint_eq(slu_hop_distances_places(near), 4);
	ck_assert_uint_eq(slu_hop_distances_place(near, "io1"), 0);
	ck_assert_uint_eq(slu_hop_distances_place(near, "io3"), 1);
	ck_assert_uint_eq(slu_hop_distances_place(near, "io4"),
			  3); /* unknown */
	each(c, cases)
	{
		struct slu_hosts hosts;
		uint32_t far[4];

		expect_ok(slu_hosts_parse(c->hosts, &hosts, &err), err);
		slu_hop_distances_sum(near, &hosts, far);
		expect(memcmp(far, c->far, sizeof(far)) == 0, "%s: %u %u %u %u",
		       c->hosts, far[0], far[1], far[2], far[3]);
		slu_hosts_free(&hosts);
	}
	slu_hop_distances_free(near);
	slu_msg_clear(&slu_distances_desc, &d);
}
END_TEST

START_TEST(test_malformed_hops)
{
	static const char *hops[] = {"", "1", "1 2 3", "1 x", "1 2 x", "- "};

	each(h, hops)
	{
		struct slu_distance to[] = {{"io1", NULL}, {"io2", NULL}};
		struct slu_distance from = {"n1", (char *)*h};
		struct slu_distances d = {to, 2, &from, 1};
		struct slu_err err;

		expect(!slu_hop_distances_new(&d, &err) &&
			       err.kind == SLU_INVALID,
		       "%s", *h);
	}
}
END_TEST

/* The arbiter gives near I/O nodes, and moves no job when it receives the
 * distances. */
START_TEST(test_arbiter)
{
	struct slu_arbiter *a = new_arbiter("io[1-5]", 20, SLU_ION_MCKP);
	struct slu_distances d = distances("io[1-5]");
	struct slu_job job = make_job(7, "one", 4);
	struct slu_assignment got;
	struct slu_err err;

	start(a, 6, "before", 4); /* on n[1-99] */
	solve(a, &got);
	ck_assert_str_eq(got.jobs[0].ions, "io1");
	slu_msg_clear(&slu_assignment_desc, &got);
	expect_ok(slu_arbiter_distances(a, &d, &err), err);
	job.nodes = "n[5-8]";
	expect_ok(slu_arbiter_start(a, &job, &err), err);
	job.job_id = 8;
	job.nodes = "n[1-4]"; /* theirs is taken */
	expect_ok(slu_arbiter_start(a, &job, &err), err);
	job.job_id = 9;
	job.nodes = "x[1-4]";
	expect_ok(slu_arbiter_start(a, &job, &err), err);
	solve(a, &got);
	ck_assert_str_eq(got.jobs[0].ions, "io1");
	ck_assert_str_eq(got.jobs[1].ions, "io2");
	ck_assert_str_eq(got.jobs[2].ions, "io3");
	ck_assert_str_eq(got.jobs[3].ions, "io5");
	slu_msg_clear(&slu_assignment_desc, &got);
	slu_msg_clear(&slu_distances_desc, &d);
	slu_arbiter_free(a);
}
END_TEST

TEST_MAIN("distance", test_message, test_distance_of_each_group,
	  test_malformed_hops, test_arbiter)

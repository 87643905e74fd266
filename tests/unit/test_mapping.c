/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "tests/unit/harness.h"
#include "select_io/ion/arbiter.h"

START_TEST(test_text)
{
	static const struct {
		char *nodes, *ions;
		const char *all, *want;
	} cases[] = {
		{"n[1-4]", "ion1", "ion[1-2]", "n1 0\nn2 0\nn3 0\nn4 0\n"},
		{"n[1-4]", "ion[1-2]", "ion[1-2]", "n1 0\nn2 0\nn3 1\nn4 1\n"},
		{"n[1-2]", "ion2", "ion2,ion1", "n1 1\nn2 1\n"},
		/* as strcmp sorts: ion1 ion10 ion2 ion9 */
		{"n[1-4]", "ion[2,10]", "ion[1-2,9-10]",
		 "n1 2\nn2 2\nn3 1\nn4 1\n"},
		{"n1.cluster.org,n2.cluster.org", "ion1.x", "ion1.x,ion0.x",
		 "n1 1\nn2 1\n"},
		/* in the order of the job's list */
		{"n3,n1,n2", "ion1,ion2,ion3", "ion[1-3]",
		 "n3 0\nn1 1\nn2 2\n"},
		{"n[1-3]", "ion[1-2]", "ion[1-2]", "n1 0\nn2 0\nn3 1\n"},
	};

	each(c, cases)
	{
		struct slu_ion_share share = {.nodes = c->nodes,
					      .ions = c->ions};
		struct slu_err err;
		char *text = slu_mapping_text(&share, c->all, &err);

		expect(text && strcmp(text, c->want) == 0, "%s -> %s: %s",
		       c->nodes, c->ions, text ? text : err.text);
		free(text);
	}
}
END_TEST

START_TEST(test_refused)
{
	static const struct {
		char *nodes, *ions;
		const char *all;
		enum slu_kind kind;
		const char *words;
	} cases[] = {
		{"n1", "", "ion1", SLU_NOTFOUND, "job 5 has no I/O node"},
		{"n1", NULL, "ion1", SLU_NOTFOUND, "job 5 has no I/O node"},
		{"", "ion1", "ion1", SLU_INVALID, "job 5 has no compute node"},
		{"n1", "ion3", "ion[1-2]", SLU_INVALID, "ion3 is not one"},
		{"n[1", "ion1", "ion1", SLU_INVALID, "n[1"},
	};

	each(c, cases)
	{
		struct slu_ion_share share = {
			.job_id = 5, .nodes = c->nodes, .ions = c->ions};
		struct slu_err err;

		ck_assert_ptr_null(slu_mapping_text(&share, c->all, &err));
		expect_err(err, c->kind, c->words);
	}
}
END_TEST

START_TEST(test_json)
{
	struct slu_ion_share jobs[] = {
		{.job_id = 7, .nodes = "n[1-4]", .ions = "ion[2,10]"},
		{.job_id = 8, .nodes = "n5", .ions = "", .shared = false},
		{.job_id = 9, .nodes = "n6", .ions = "ion1", .shared = true}};
	struct slu_assignment a = {.epoch = 3,
				   .time = 5,
				   .policy = "MCKP",
				   .ions = "ion[1-2,10]",
				   .jobs = jobs,
				   .n_jobs = 3};
	struct slu_err err;
	char *text = slu_mapping_json(&a, &err);

	ck_assert_str_eq(
		text,
		"{\"epoch\":3,\"time\":5,\"policy\":\"MCKP\",\"ions\":"
		"[\"ion1\",\"ion2\",\"ion10\"],\"jobs\":["
		"{\"job_id\":7,\"shared\":false,\"ions\":[\"ion2\",\"ion10\"],"
		"\"nodes\":{\"n1\":\"ion2\",\"n2\":\"ion2\",\"n3\":\"ion10\","
		"\"n4\":\"ion10\"}},"
		"{\"job_id\":8,\"shared\":false,\"ions\":[],\"nodes\":{}},"
		"{\"job_id\":9,\"shared\":true,\"ions\":[\"ion1\"],"
		"\"nodes\":{\"n6\":\"ion1\"}}]}\n");
	free(text);
	jobs[1].nodes = "n[";
	ck_assert_ptr_null(slu_mapping_json(&a, &err));
	expect_err(err, SLU_INVALID, "n[");
}
END_TEST

/* The lines of all jobs, node by node. */
START_TEST(test_lines)
{
	struct slu_ion_share jobs[] = {
		{.job_id = 9, .nodes = "n[1-4]", .ions = "ion[2,10]"},
		{.job_id = 8, .nodes = "n2.site", .ions = "ion1.site"},
		{.job_id = 7, .nodes = "n[2-3]", .ions = ""}};
	static const struct slu_node_line want[] = {
		{.node = "n1", .job_id = 9, .ion = 2},
		{.node = "n2", .job_id = 8, .ion = 0},
		{.node = "n2", .job_id = 9, .ion = 2},
		{.node = "n2", .job_id = 7, .ion = SLU_NO_ION},
		{.node = "n3", .job_id = 7, .ion = SLU_NO_ION},
		{.node = "n3", .job_id = 9, .ion = 1},
		{.node = "n4", .job_id = 9, .ion = 1}};
	struct slu_assignment a = {
		.ions = "ion[1-2,10]", .jobs = jobs, .n_jobs = 3};
	struct slu_node_lines got;
	struct slu_err err;

	expect_ok(slu_node_lines(&a, &got, &err), err);
	ck_assert_uint_eq(got.n, 7);
	each(w, want)
	{
		bool found = false;

		for (size_t i = 0; i < got.n; i++)
			found |= !strcmp(got.line[i].node, w->node) &&
				 got.line[i].job_id == w->job_id &&
				 got.line[i].ion == w->ion;
		expect(found, "%s of job %u", w->node, w->job_id);
	}
	for (size_t i = 1; i < got.n; i++)
		ck_assert(strcmp(got.line[i - 1].node, "n2") ||
			  got.line[i - 1].job_id != 8 ||
			  (got.line[i].job_id == 9 &&
			   !strcmp(got.line[i].node, "n2")));
	slu_node_lines_free(&got);
	jobs[1].ions = "ion7";
	ck_assert_int_eq(slu_node_lines(&a, &got, &err), -1);
	expect_err(err, SLU_INVALID, "ion7");
	a.n_jobs = 0;
	expect_ok(slu_node_lines(&a, &got, &err), err);
	ck_assert_uint_eq(got.n, 0);
	slu_node_lines_free(&got);
}
END_TEST

TEST_MAIN("mapping", test_text, test_refused, test_json, test_lines)

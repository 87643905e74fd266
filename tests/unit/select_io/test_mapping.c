/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the texts of the mapping of compute nodes to I/O nodes. */
#include "config.h"
#include "common/str.h"
#include "tests/unit/harness.h"
#include "select_io/ion/mapping.h"

static struct slu_mapper *mapper;

START_TEST(test_text_of_a_mapping)
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

	mapper = slu_mapper_new();
	each(c, cases)
	{
		struct slu_ion_share share = {.nodes = c->nodes,
					      .ions = c->ions};
		struct slu_err err;
		char *text = slu_mapping_text(mapper, &share, c->all, &err);

		expect(text && strcmp(text, c->want) == 0, "%s -> %s: %s",
		       c->nodes, c->ions, text ? text : err.text);
		free(text);
	}
	slu_mapper_free(mapper);
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

	mapper = slu_mapper_new();
	each(c, cases)
	{
		struct slu_ion_share share = {
			.job_id = 5, .nodes = c->nodes, .ions = c->ions};
		struct slu_err err;

		ck_assert_ptr_null(
			slu_mapping_text(mapper, &share, c->all, &err));
		expect_err(err, c->kind, c->words);
	}
	slu_mapper_free(mapper);
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
	char *text;

	mapper = slu_mapper_new();
	text = slu_mapping_json(mapper, &a, &err);

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
	ck_assert_ptr_null(slu_mapping_json(mapper, &a, &err));
	expect_err(err, SLU_INVALID, "n[");
	slu_mapper_free(mapper);
}
END_TEST

/* The lines of all jobs, node by node. */
START_TEST(test_lines_node_by_node)
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

	mapper = slu_mapper_new();
	expect_ok(slu_node_lines(mapper, &a, &got, &err), err);
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
	ck_assert_int_eq(slu_node_lines(mapper, &a, &got, &err), -1);
	expect_err(err, SLU_INVALID, "ion7");
	a.n_jobs = 0;
	expect_ok(slu_node_lines(mapper, &a, &got, &err), err);
	ck_assert_uint_eq(got.n, 0);
	slu_node_lines_free(&got);
	slu_mapper_free(mapper);
}
END_TEST

/* A mapper that was used and emptied gives the same texts as a new one. */
START_TEST(test_memory)
{
	struct slu_ion_share jobs[200] = {0};
	struct slu_assignment a = {.ions = "ion[1-9]", .jobs = jobs};
	struct slu_err err;

	mapper = slu_mapper_new();
	for (int round = 0; round < 20; round++) {
		struct slu_mapper *fresh = slu_mapper_new();
		char *used, *new;

		for (uint32_t i = 0; i < 200; i++) {
			uint32_t id = i * 3 % (uint32_t)(7 + 11 * round);

			free(jobs[i].nodes);
			jobs[i].job_id = i;
			jobs[i].nodes = slu_asprintf("n[%u-%u].x", id, id + i);
			jobs[i].ions = i % 5 ? "ion[2-3]" : "ion9";
		}
		a.n_jobs = (size_t)(round * 37 % 201);
		used = slu_mapping_json(mapper, &a, &err);
		new = slu_mapping_json(fresh, &a, &err);
		ck_assert_str_eq(used, new);
		free(used);
		free(new);
		for (size_t i = 0; i < a.n_jobs; i++) {
			used = slu_mapping_text(mapper, &jobs[i], a.ions, &err);
			new = slu_mapping_text(fresh, &jobs[i], a.ions, &err);
			ck_assert_str_eq(used, new);
			free(used);
			free(new);
		}
		slu_mapper_free(fresh);
		slu_mapper_sweep(mapper);
	}
	for (size_t i = 0; i < 200; i++)
		free(jobs[i].nodes);
	slu_mapper_free(mapper);
}
END_TEST

TEST_MAIN("mapping", test_text_of_a_mapping, test_refused, test_json,
	  test_lines_node_by_node, test_memory)

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the parser of lines that squeue and sinfo of Slurm 22.05 print. */
#include "config.h"
#include <time.h>
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

#include <json-c/json.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "common/jsonx.h"
#include "sluiced/questions/answerers.h"
#include "sluiced/queue/partition_queue.h"
#include "sluiced/queue/start_notes.h"
#include "sluiced/queue/start_sentence.h"

START_TEST(test_squeue_lines)
{
	char text[] =
		"7|RUNNING|main|2|4|4294901753|1-00:00:00|1:02:03|1000|"
		"1764288000|n[1-2]|(null)|phys|None|a|b\n"
		"slurm_load_jobs error: whatever\n"
		"8|PENDING|main,big|1|1|0|UNLIMITED|0:00|1000|N/A||(null)||"
		"JobHeldUser|x\n"
		"9|COMPLETING|main|1|1|1|10:00|0:01|1000|1|n1|||None|x\n"
		"9|PENDING|main|x|1|1|10:00|0:00|1000|N/A||||None|x\n"
		"10|PENDING|big|3|6|5|10:00|0:00|1001|1764288600||n[3-5]|a|"
		"Resources|";
	char *at = text;
	struct slu_queued job;

	ck_assert(slu_partition_queue_next(&at, &job));
	ck_assert(job.job_id == 7 && !job.waits && job.nodes == 2 &&
		  job.cpus == 4 && job.limit == 86400 && job.elapsed == 3723 &&
		  job.planned == 1764288000 && job.priority == 4294901753);
	ck_assert_str_eq(job.on, "n[1-2]");
	ck_assert_str_eq(job.name, "a|b");
	ck_assert(slu_partition_queue_next(&at, &job));
	ck_assert(job.job_id == 8 && job.waits && !job.limit && !job.planned);
	ck_assert(slu_partition_queue_in(&job, "main") &&
		  slu_partition_queue_in(&job, "big"));
	ck_assert(!slu_partition_queue_in(&job, "mai") &&
		  !slu_partition_queue_in(&job, "ig"));
	ck_assert(slu_partition_queue_apart(&job));
	ck_assert(slu_partition_queue_next(&at, &job));
	ck_assert(job.job_id == 10 && job.limit == 600 && job.nodes == 3);
	ck_assert_str_eq(job.planned_on, "n[3-5]");
	ck_assert_str_eq(job.name, "");
	ck_assert(!slu_partition_queue_apart(&job) &&
		  !slu_partition_queue_in(&job, "main"));
	ck_assert(!slu_partition_queue_next(&at, &job));
	ck_assert(!slu_partition_queue_next(&at, &job));
}
END_TEST

START_TEST(test_nodes)
{
	char text[] = "n1|idle|2\nn2|drained|2\nn3|mixed|4\nn4|down*|2\n"
		      "n5|allocated*|2\nn6|idle~|8\nn7|idle\nn8|planned|x\n";
	static const char *const want[] = {"n1", "n3", "n6"};
	struct slu_usable node;
	char *at = text;

	each(name, want)
	{
		ck_assert(slu_nodes_next(&at, &node));
		ck_assert_str_eq(node.name, *name);
	}
	ck_assert_uint_eq(node.cpus, 8);
	ck_assert(!slu_nodes_next(&at, &node));
}
END_TEST

/* Whatever is printed, nothing is read beyond it. */
START_TEST(test_nothing_is_read_past_the_end)
{
	static const char line[] = "7|RUNNING|main|2|4|9|1:00|0:03|1000|"
				   "1764288000|n1||phys|None|a\nn1|idle|2\n";

	for (size_t n = 0; n <= strlen(line); n++) {
		char *text = strndup(line, n), *at = text;
		struct slu_queued job;
		struct slu_usable node;

		while (slu_partition_queue_next(&at, &job))
			ck_assert_str_eq(job.on, "n1");
		free(text);
		at = text = strndup(line + n, strlen(line) - n);
		while (slu_nodes_next(&at, &node))
			ck_assert_ptr_nonnull(node.name);
		free(text);
	}
}
END_TEST

/* A program that notes that it was called, and prints the text. */
static void make_program(const char *name, const char *text)
{
	FILE *file = fopen(tmpfile_path(name), "w");

	ck_assert_ptr_nonnull(file);
	fprintf(file,
		"#!/bin/sh\necho \"$*\" >>%s/calls.%s\n"
		"cat <<'EOT'\n%sEOT\n",
		tmpdir(), name, text);
	fclose(file);
	ck_assert_int_eq(chmod(tmpfile_path(name), 0755), 0);
}

static size_t calls_of(const char *name)
{
	char file[64];
	FILE *calls;
	size_t n = 0;
	int c;

	snprintf(file, sizeof(file), "calls.%s", name);
	calls = fopen(tmpfile_path(file), "r");
	ck_assert_ptr_nonnull(calls);
	while ((c = fgetc(calls)) != EOF)
		n += c == '\n';
	fclose(calls);
	return n;
}

START_TEST(test_default_limit)
{
	static const struct {
		const char *partition;
		uint32_t minutes;
	} limits[] = {{NULL, 60}, {"main", 60},	 {"big", 1440}, {"open", 0},
		      {"x", 0},	  {"max", 2880}, {"mai", 0}};

	each(c, limits)
	{
		char text[] = "sinfo: warning\nbig|1-00:00:00|infinite\n"
			      "main*|1:00:00|2:00:00\nopen|n/a|infinite\n"
			      "max|n/a|2-00:00:00\n";

		ck_assert_uint_eq(slu_default_limit(text, c->partition),
				  c->minutes);
	}
	ck_assert_uint_eq(slu_default_limit(NULL, NULL), 0);
}
END_TEST

/* However many jobs there are, slurmctld is asked once for the queue and once
 * for the nodes of each partition in a row. */
START_TEST(test_slurmctld_is_spared)
{
	const struct slu_asker who = {
		.admin = true, .quantile = 0.9, .floor = 60, .replay = 100};
	struct json_object *args, *list;
	struct slu_buf out = {0};
	struct slu_err err;
	struct slu_db *db =
		slu_db_open(tmpfile_path("queue.db"), SLU_DB_WRITE, &err);
	char path[PATH_MAX + 32];

	ck_assert_ptr_nonnull(db);
	make_program(
		"squeue",
		"1|RUNNING|main|2|4|9|10:00|1:00|1000|1|n[1-2]||a|None|x\n"
		"2|PENDING|main|1|2|8|10:00|0:00|1000|N/A|||a|Priority|x\n"
		"3|PENDING|main|2|4|7|10:00|0:00|1000|N/A|||a|Priority|x\n"
		"4|PENDING|main|1|2|6|10:00|0:00|1000|N/A|||a|Priority|x\n"
		"5|PENDING|big|2|2|5|10:00|0:00|1000|N/A|||a|Priority|x\n"
		"6|PENDING|big|9|9|4|10:00|0:00|1000|N/A|||a|Priority|x\n");
	make_program("sinfo", "n1|allocated|2\nn2|allocated|2\n");
	snprintf(path, sizeof(path), "%s:%s", tmpdir(), getenv("PATH"));
	ck_assert_int_eq(setenv("PATH", path, 1), 0);
	args = json_tokener_parse("{\"jobs\":[2,3,4,5,6]}");
	expect_ok(slu_predicted_answer(db, &who, args, &out, &err), err);
	list = slu_json_parse(out.data, out.len, &err);
	ck_assert_uint_eq(slu_json_length(list), 5);
	for (size_t i = 0; i < 5; i++)
		ck_assert_uint_eq(
			slu_json_length(slu_json_at(
				json_object_array_get_idx(list, i), "node")),
			i == 4	? 0
			: i % 2 ? 2
				: 1);
	ck_assert_uint_eq(calls_of("squeue"), 1);
	ck_assert_uint_eq(calls_of("sinfo"), 2);
	json_object_put(list);
	json_object_put(args);
	slu_buf_free(&out);
	slu_db_close(db);
}
END_TEST

/* Running and held jobs have no start; tasks of an array are told together; the
 * message is in the order of numbers. */
START_TEST(test_starts)
{
	const struct slu_asker who = {
		.admin = true, .quantile = 0.9, .floor = 60, .replay = 100};
	const struct slu_asker user = {.uid = 1000};
	struct slu_buf out = {0};
	struct slu_starts told;
	struct json_object *list;
	struct slu_err err;
	struct slu_db *db =
		slu_db_open(tmpfile_path("starts.db"), SLU_DB_WRITE, &err);
	char path[PATH_MAX + 32];

	ck_assert_ptr_nonnull(db);
	make_program(
		"squeue",
		"1|RUNNING|main|2|4|9|10:00|1:00|1000|1|n[1-2]||a|None|x\n"
		"7|PENDING|main|1|2|8|10:00|0:00|1000|N/A|||a|Priority|x\n"
		"7|PENDING|main|1|2|8|10:00|0:00|1000|N/A|||a|Priority|x\n"
		"3|PENDING|main|2|4|7|10:00|0:00|1000|N/A|||a|Priority|x\n"
		"4|PENDING|main|2|4|0|10:00|0:00|1000|N/A|||a|JobHeldUser|x\n");
	make_program("sinfo", "n1|allocated|2\nn2|allocated|2\n");
	snprintf(path, sizeof(path), "%s:%s", tmpdir(), getenv("PATH"));
	ck_assert_int_eq(setenv("PATH", path, 1), 0);
	ck_assert_int_eq(slu_starts_answer(db, &user, NULL, &out, &err), -1);
	expect_ok(slu_starts_answer(db, &who, NULL, &out, &err), err);
	list = slu_json_parse(out.data, out.len, &err);
	ck_assert_int_eq(slu_start_notes_message(list, &told), 0);
	ck_assert_uint_eq(told.n_jobs, 2);
	ck_assert_uint_eq(told.jobs[0].job_id, 3);
	ck_assert_uint_eq(told.jobs[1].job_id, 7);
	ck_assert_ptr_nonnull(strstr(told.jobs[1].text, ", on n1 1"));
	ck_assert_ptr_nonnull(strstr(told.jobs[0].text, ", on n1 1, n2 1"));
	free(told.jobs);
	json_object_put(list);
	slu_buf_free(&out);
	slu_db_close(db);
}
END_TEST

static char *sentence(const int64_t at[10], const double *node, size_t n)
{
	struct slu_start_forecast start = {
		.at = (int64_t *)(uintptr_t)at,
		.n = 10,
		.node = (double *)(uintptr_t)node,
	};
	struct slu_hosts nodes = {0};
	struct slu_buf out = {0};
	char name[8];

	for (size_t i = 1; i <= n; i++) {
		snprintf(name, sizeof(name), "n%zu", i);
		slu_hosts_add(&nodes, name);
	}
	slu_start_sentence(&start, n ? &nodes : NULL, 1795867259, &out);
	slu_hosts_free(&nodes);
	return slu_buf_steal(&out);
}

START_TEST(test_start_sentence)
{
	static const int64_t soon[10] = {0,  0,	  0,   0,   59,
					 60, 600, 600, 600, 600},
			     later[10] = {0,	0,    0,    0,	   3600,
					  3600, 3600, 3600, 90000, 90000},
			     now[10];
	static const struct {
		const int64_t *at;
		double node[6];
		size_t n;
		const char *text;
	} told[] = {
		{soon,
		 {0},
		 0,
		 "50 % by 2026-11-28T12:02, 90 % by 2026-11-28T12:11"},
		{later,
		 {0},
		 0,
		 "50 % by 2026-11-28T13:10, 90 % by 2026-11-29T14:00"},
		{now,
		 {0.03},
		 1,
		 "50 % by 2026-11-28T12:01, 90 % by 2026-11-28T12:01"},
		{now,
		 {0.2, 0.96, 0.84},
		 3,
		 "50 % by 2026-11-28T12:01, 90 % by 2026-11-28T12:01, on n2 1, "
		 "n3 .8, n1 .2"},
		{now,
		 {0.5, 0.5, 0.5, 0.5, 0.04, 0.01},
		 6,
		 "50 % by 2026-11-28T12:01, 90 % by 2026-11-28T12:01, on n1 .5, "
		 "n2 .5, n3 .5, n4 .5"},
		{now,
		 {0.5, 0.5, 0.5, 0.5, 0.06, 0.5},
		 6,
		 "50 % by 2026-11-28T12:01, 90 % by 2026-11-28T12:01, on n1 .5, "
		 "n2 .5, n3 .5, n4 .5, ..."},
	};

	setenv("TZ", "UTC", 1);
	tzset();
	each(c, told)
	{
		char *got = sentence(c->at, c->node, c->n);

		ck_assert_str_eq(got, c->text);
		free(got);
	}
}
END_TEST

TEST_MAIN("queue", test_squeue_lines, test_nodes,
	  test_nothing_is_read_past_the_end, test_slurmctld_is_spared,
	  test_starts, test_start_sentence, test_default_limit)

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines as squeue and sinfo of Slurm 22.05 print them. */
#include "config.h"
#include "tests/unit/harness.h"
#include "sluiced/questions/partition_queue.h"

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

TEST_MAIN("queue", test_squeue_lines, test_nodes,
	  test_nothing_is_read_past_the_end)

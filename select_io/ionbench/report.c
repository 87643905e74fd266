/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints the batch script (--script), the plan (--dry-run) and the results
 * (--json).
 */
#include "select_io/ionbench/report.h"

#include <stdio.h>
#include <string.h>
#include "common/cli.h"
#include "common/jsonx.h"
#include "common/size.h"

#define NAME "sluice-ionbench"

static void print_quoted(const char *word)
{
	putchar('\'');
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", stdout);
		else
			putchar(*word);
	putchar('\'');
}

int slu_bench_print_script(int argc, char **argv)
{
	printf("#!/bin/bash\n"
	       "#SBATCH --job-name=ionbench --requeue --open-mode=append\n"
	       "#SBATCH --nice=10000 --signal=B:TERM@60\n"
	       "#BB forward max=none\n"
	       "# Submit with the nodes and tasks to measure with, in a "
	       "partition or QOS that\n"
	       "# others preempt: sbatch -N4 --ntasks-per-node=8 -p ...\n"
	       "exec " NAME);
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--script") != 0) {
			putchar(' ');
			print_quoted(argv[i]);
		}
	putchar('\n');
	return slu_cli_show(NAME, "");
}

int slu_bench_print_plan(const struct slu_bench *b)
{
	char bytes[SLU_SIZE_TEXT], took[SLU_TIME_TEXT];
	char key[SLU_BENCH_KEY];
	uint64_t moved = 0;
	size_t all, left = slu_bench_left(b, &all);

	for (size_t i = 0; i < b->patterns.n; i++) {
		const struct slu_bench_pattern *p = &b->patterns.pattern[i];

		printf("%s (%s) with", p->name, slu_bench_key(p, key));
		for (size_t k = 0; k < b->n_ions; k++)
			printf("%s %u (%u of %u)", k ? "," : "", b->ions[k],
			       slu_bench_deviation(&b->results, key, b->ions[k])
				       .runs,
			       b->repeat);
		puts(" I/O nodes");
		moved += b->results.setup.bytes * b->n_ions * b->repeat *
			 (p->reads ? 2 : 1);
	}
	printf("%zu of %zu measurements left; all move at most %s and take "
	       "about %s at most\n",
	       left, all, slu_size_text(moved, bytes),
	       slu_seconds_text((double)moved / (double)b->results.setup.bytes *
					(double)b->results.setup.seconds,
				took));
	if (b->idle.path)
		printf("%zu of %zu I/O nodes are no job's\n",
		       b->idle.all.n - b->idle.taken.n, b->idle.all.n);
	return slu_cli_show(NAME, "");
}

static struct json_object *spread_json(const struct slu_bench *b,
				       const char *key)
{
	struct json_object *list = json_object_new_array();

	for (size_t k = 0; k < b->n_ions; k++) {
		struct slu_bench_deviation s =
			slu_bench_deviation(&b->results, key, b->ions[k]);
		struct json_object *o = json_object_new_object();

		slu_json_set_u64(o, "ions", b->ions[k]);
		slu_json_set_u64(o, "runs", s.runs);
		slu_json_set_double(o, "mean", s.mean);
		slu_json_set_double(o, "deviation", s.deviation);
		slu_json_set_double(o, "least", s.least);
		slu_json_set_double(o, "most", s.most);
		json_object_array_add(list, o);
	}
	return list;
}

int slu_bench_print_json(const struct slu_bench *b, const char *why)
{
	struct json_object *o = json_object_new_object();
	struct json_object *list = json_object_new_array();
	char key[SLU_BENCH_KEY];
	size_t all, left = slu_bench_left(b, &all);
	int rc;

	slu_json_set_str(o, "table", b->table);
	slu_json_set_u64(o, "measured", all - left);
	slu_json_set_u64(o, "wanted", all);
	slu_json_set_double(o, "seconds", b->results.seconds);
	slu_json_set_u64(o, "moved", b->results.moved);
	slu_json_set_str(o, "stopped", why);
	for (size_t i = 0; i < b->patterns.n; i++) {
		struct json_object *one = json_object_new_object();

		slu_bench_key(&b->patterns.pattern[i], key);
		slu_json_set_str(one, "pattern", b->patterns.pattern[i].name);
		slu_json_set_str(one, "is", key);
		json_object_object_add(one, "bandwidth", spread_json(b, key));
		json_object_array_add(list, one);
	}
	json_object_object_add(o, "patterns", list);
	puts(slu_json_utf8(o));
	rc = slu_cli_show(NAME, "");
	json_object_put(o);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures the time from the start (or end) of a job until its mapping file is
 * in DIR.
 *
 *	bench/publish [--csv] [--jobs N] [--events N] DIR
 */

/*
 * The arbiter gets the event and solves, the assignment is encoded as a
 * message, decoded as in sluiced, and a child process of the publisher writes
 * the changed files. Only the transfer over the control socket is not included.
 * For comparison, in the same directory: writing and renaming one file of the
 * same size, the file system's own time. At the end the processor time of an
 * event, with the child's, and with its first assignment: if other programs use
 * the processors, the rest of the latency was waiting.
 */
#include "config.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "bench/measure.h"
#include "common/file.h"
#include "select_io/ion/arbiter/arbiter.h"
#include "select_io/ion/assignment_delta.h"
#include "sluiced/publication/mapping_publisher.h"
#include "tests/unit/random.h"

static void die(const char *what, const struct slu_err *err)
{
	fprintf(stderr, "bench/publish: %s: %s\n", what, err->text);
	exit(1);
}

static void published(void *arg, const struct slu_epoch *epoch,
		      const struct slu_err *err)
{
	if (err)
		die("publishing", err);
	*(uint64_t *)arg = epoch->a.epoch;
}

struct bench {
	struct slu_arbiter *arbiter;
	struct slu_loop *loop;
	struct slu_publisher *publisher;
	uint64_t epoch, done;
	struct slu_epoch *heard; /* received by sluiced */
	const char *dir;
};

static void start(struct bench *b, uint32_t id)
{
	struct slu_err err;
	char nodes[32], name[16];
	struct slu_job job = {.job_id = id,
			      .uid = id % 7,
			      .name = name,
			      .nodes = nodes,
			      .node_cnt = 8,
			      .start = id,
			      .ion_max = SLU_NO_ID};

	snprintf(nodes, sizeof(nodes), "n[%u-%u]", id * 8, id * 8 + 7);
	snprintf(name, sizeof(name), "app%u", id % 13);
	if (slu_arbiter_start(b->arbiter, &job, &err) < 0)
		die("start", &err);
}

/* Solve, encode, decode, write. */
static void publish(struct bench *b)
{
	struct slu_assignment said, heard;
	struct slu_epoch *epoch;
	struct slu_err err;
	char *line;

	if (slu_arbiter_changes(b->arbiter, &said, &err) < 0)
		die("solving", &err);
	said.base = b->epoch;
	said.epoch = ++b->epoch;
	line = slu_encode_text(&slu_assignment_desc, &said);
	slu_msg_clear(&slu_assignment_desc, &said);
	if (slu_decode_text(&slu_assignment_desc, line, strlen(line), &heard,
			    &err) < 0 ||
	    slu_delta_apply(b->heard ? &b->heard->a : NULL, &heard, &err) < 0)
		die("reading", &err);
	free(line);
	slu_epoch_unref(b->heard);
	epoch = b->heard = slu_epoch_new(&heard);
	slu_publish(b->publisher, epoch, b->dir, NULL, 10);
	while (b->done < b->epoch)
		slu_loop_turn(b->loop, 1, NULL);
}

static void settle(struct bench *b)
{
	for (int i = 0; i < 3; i++) /* reaps the child */
		slu_loop_turn(b->loop, 0.001, NULL);
}

static double used_by(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* Of this process and its ended children. */
static double processor_time(void)
{
	return used_by(RUSAGE_SELF) + used_by(RUSAGE_CHILDREN);
}

static double rename_once(const char *dir)
{
	static const char text[] = "n1 0\nn2 0\nn3 0\nn4 0\nn5 1\nn6 1\n";
	struct slu_err err;
	char path[4096];
	double start = bench_now();

	snprintf(path, sizeof(path), "%s/rename", dir);
	if (slu_file_write(AT_FDCWD, path, text, sizeof(text) - 1, 0644, false,
			   &err) < 0)
		die(dir, &err);
	return bench_now() - start;
}

static void setup(struct bench *b, uint32_t jobs)
{
	struct slu_conf conf = {.max_ions_per_job = 8,
				.remap_running = true,
				.ion_policy = SLU_ION_MCKP};
	struct slu_history_row row = {.job = {.node_cnt = 8}};
	struct slu_err err;
	uint64_t seed = 3;
	char ions[32], name[16];

	snprintf(ions, sizeof(ions), "ion[1-%u]", jobs * 2);
	if (slu_hosts_parse(ions, &conf.io_nodes, &err) < 0)
		die(ions, &err);
	b->arbiter = slu_arbiter_new(&conf, jobs * 8, &err);
	b->loop = slu_loop_new(&err);
	b->publisher = slu_publisher_new(b->loop, published, &b->done);
	slu_hosts_free(&conf.io_nodes);
	row.job.name = name;
	for (uint32_t i = 0; i < 13 * 7 * 4; i++) {
		row.job.uid = i % 7;
		snprintf(name, sizeof(name), "app%u", i / 7 % 13);
		row.job.ions = 1u << (i / 91);
		row.io_bandwidth =
			row.job.ions * (50. + (double)slu_random(&seed, 100));
		slu_arbiter_learn(b->arbiter, &row);
	}
}

int main(int argc, char **argv)
{
	struct bench b = {0};
	uint32_t jobs = 100, events = 500, first = 1;
	double *took, *renames, used;
	bool csv = false;
	int i = 1;

	for (; i < argc - 1; i++)
		if (!strcmp(argv[i], "--csv"))
			csv = true;
		else if (!strcmp(argv[i], "--jobs") && i + 1 < argc - 1)
			jobs = (uint32_t)strtoul(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "--events") && i + 1 < argc - 1)
			events = (uint32_t)strtoul(argv[++i], NULL, 10);
		else
			break;
	if (i != argc - 1 || !jobs || !events) {
		fputs("usage: bench/publish [--csv] [--jobs N] [--events N] "
		      "DIR\n",
		      stderr);
		return 2;
	}
	b.dir = argv[i];
	setup(&b, jobs);
	took = calloc(events, sizeof(*took));
	renames = calloc(events, sizeof(*renames));
	for (uint32_t k = 0; k < jobs; k++)
		start(&b, first + k);
	publish(&b);
	used = processor_time();
	for (uint32_t k = 0; k < events; k++) {
		double begin;

		settle(&b);
		renames[k] = rename_once(b.dir);
		begin = bench_now();
		if (k % 2)
			start(&b, first + jobs++);
		else
			slu_arbiter_end(b.arbiter, first++), jobs--;
		publish(&b);
		took[k] = bench_now() - begin;
	}
	slu_publisher_free(b.publisher);
	while (wait(NULL) > 0)
		;
	used = (processor_time() - used) / events;
	qsort(took, events, sizeof(*took), bench_by_value);
	qsort(renames, events, sizeof(*renames), bench_by_value);
	printf(csv ? "case,metric,unit,ours,rival,rival_value,ratio\n" : "");
	for (int q = 50; q <= 99; q += 49)
		printf(csv ? "%u jobs,p%d,ms,%.3f,rename,%.3f,%.3f\n"
			   : "%u running jobs: p%d %.3f ms from start or end to "
			     "mapping in place; one rename %.3f ms (%.1f x)\n",
		       jobs, q, 1e3 * took[events * (uint32_t)q / 100],
		       1e3 * renames[events * (uint32_t)q / 100],
		       took[events * (uint32_t)q / 100] /
			       renames[events * (uint32_t)q / 100]);
	printf(csv ? "%u jobs,processor time,ms,%.3f,none,,\n"
		   : "%u running jobs: %.3f ms of processor time an event\n",
	       jobs, 1e3 * used);
	slu_loop_free(b.loop);
	slu_arbiter_free(b.arbiter);
	slu_epoch_unref(b.heard);
	free(took);
	free(renames);
	return 0;
}

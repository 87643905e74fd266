/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures what IOStart costs slurmctld: the time of one question (may this job
 * start?), and of a pass over all pending jobs, while many jobs run. Half of
 * the pending jobs would need too much bandwidth and are held. Measured with
 * IOStart off and on; between the passes jobs end and start, and reports of
 * Lustre's servers arrive, by which all running jobs count anew (the main
 * thread does that, hooks wait for it). Processor time, as nothing here waits.
 */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/measure.h"
#include "ctl/iostart/iostart.h"

#define PASSES	 20
#define APPS	 500
#define CAPACITY 1e9 /* bytes/s */
#define GOAL	 50  /* us */

static size_t n_pending = 10000, n_running = 1000;

static struct slu_io_job job_of(size_t i, char name[16])
{
	snprintf(name, 16, "app-%c%c", (char)('a' + i % APPS % 26),
		 (char)('a' + i % APPS / 26));
	return (struct slu_io_job){
		.job_id = (uint32_t)i + 1,
		.uid = (uint32_t)(i % 97),
		.name = name,
		.nodes = (double)(1 + i % 64),
		.seconds = (double)(600 + i % 80000),
	};
}

/* Every second application has much I/O. */
static void teach(struct slu_iostart *s)
{
	struct slu_io_job job;
	char name[16];

	for (size_t i = 0; i < 20 * APPS; i++) {
		job = job_of(i, name);
		slu_iostart_learn(
			s, &(struct slu_io_ended){
				   .uid = job.uid,
				   .name = name,
				   .nodes = job.nodes,
				   .end = (int64_t)job.seconds,
				   .written_bytes =
					   i % 2 ? job.seconds * CAPACITY / 50
						 : job.seconds});
	}
	slu_iostart_taught(s);
}

static void set_up(struct slu_iostart *s, enum slu_io_start mode)
{
	struct slu_conf conf = {.io_start = mode,
				.io = {{.bandwidth = (uint64_t)CAPACITY}},
				.io_scope = SLU_IO_WRITTEN,
				.max_io_wait = 2 * 86400};
	char name[16];

	slu_iostart_init(s);
	slu_iostart_active(s, 1);
	slu_iostart_configure(s, &conf);
	slu_iostart_link(s, true, 1);
	teach(s);
	for (size_t i = 0; i < n_running; i++) {
		struct slu_io_job job = job_of(i, name);

		job.start = 1;
		slu_iostart_begun(s, &job, 1);
	}
}

/* One pass over all pending jobs by priority. */
static size_t pass(struct slu_iostart *s, int64_t now, double *took)
{
	char name[16], why[SLU_IOSTART_WHY];
	size_t held = 0;

	for (size_t i = 0; i < n_pending; i++) {
		struct slu_io_job job = job_of(n_running + i, name);
		double began = bench_cpu();

		held += slu_iostart_is_on(s) &&
			slu_iostart_waits(s, &job, now, why);
		took[i] = (bench_cpu() - began) * 1e6;
	}
	return held;
}

/* A report of servers, in us. */
static double measured(struct slu_iostart *s, struct slu_job_moved *moved,
		       int64_t now)
{
	double began;

	for (size_t i = 0; i < n_running; i++)
		moved[i] = (struct slu_job_moved){
			.job_id = (uint32_t)i + 1,
			.written_bytes = (double)now * 1e6,
		};
	began = bench_cpu();
	slu_iostart_measured(s, moved, n_running, now);
	return (bench_cpu() - began) * 1e6;
}

/* Every tenth job ends and another starts, in us for both. */
static double turnover(struct slu_iostart *s, int64_t now)
{
	double began, longest = 0;
	char name[16];

	for (size_t i = 0; i < n_running; i += 10) {
		struct slu_io_job job = job_of(i, name);

		job.start = now;
		began = bench_cpu();
		slu_iostart_ended(s, job.job_id);
		slu_iostart_begun(s, &job, now);
		longest = fmax(longest, (bench_cpu() - began) * 1e6);
	}
	return longest;
}

static void say(bool csv, const char *mode, const char *what, double us)
{
	printf(csv ? "%s,%s,us,%.2f,goal,%d,%.4f\n"
		   : "%s: %s %.2f us (goal: %d, ratio %.4f)\n",
	       mode, what, us, GOAL, us / GOAL);
}

static int run(bool csv, const char *mode_name, enum slu_io_start mode)
{
	double *took = calloc(PASSES * n_pending, sizeof(*took)), all = 0;
	double report = 0, change = 0;
	struct slu_job_moved *moved = calloc(n_running + 1, sizeof(*moved));
	size_t held = 0, n = PASSES * n_pending;
	struct slu_iostart s;

	if (!took || !moved) {
		free(took);
		free(moved);
		return -1;
	}
	set_up(&s, mode);
	for (int64_t p = 0; p < PASSES; p++) {
		report = fmax(report, measured(&s, moved, 100 + p * 30));
		change = fmax(change, turnover(&s, 100 + p * 30));
		held = pass(&s, 100 + p * 30, took + (size_t)p * n_pending);
	}
	for (size_t i = 0; i < n; i++)
		all += took[i];
	qsort(took, n, sizeof(*took), bench_by_value);
	say(csv, mode_name, "question p50", took[n / 2]);
	say(csv, mode_name, "question p99", took[n - n / 100]);
	say(csv, mode_name, "question longest", took[n - 1]);
	say(csv, mode_name, "an end and a start, longest", change);
	say(csv, mode_name, "a report (not a hook), longest", report);
	printf(csv ? "%s,pass over %zu pending with %zu running (%zu held),us,"
		     "%.0f,,,\n"
		   : "%s: pass over %zu pending with %zu running (%zu held) "
		     "%.0f us\n",
	       mode_name, n_pending, n_running, held, all / PASSES);
	slu_iostart_fini(&s);
	free(took);
	free(moved);
	return 0;
}

int main(int argc, char **argv)
{
	bool csv = false, ok = true;

	for (int i = 1; i < argc && ok; i++)
		if (!strcmp(argv[i], "--csv"))
			csv = true;
		else if (!strcmp(argv[i], "--pending") && i + 1 < argc)
			ok = (n_pending = strtoul(argv[++i], NULL, 10)) > 0;
		else if (!strcmp(argv[i], "--running") && i + 1 < argc)
			ok = (n_running = strtoul(argv[++i], NULL, 10)) > 0;
		else
			ok = false;
	if (!ok) {
		fprintf(stderr, "usage: iostart_cost [--csv] [--pending 10000] "
				"[--running 1000]\n");
		return 2;
	}
	if (csv)
		puts("case,metric,unit,ours,rival,rival_value,ratio");
	return run(csv, "off", SLU_IOSTART_OFF) < 0 ||
	       run(csv, "on", SLU_IOSTART_ON) < 0;
}

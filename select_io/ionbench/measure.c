/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs the measurements in rounds: everything once, then everything again, so
 * that a complete table exists early. What needs more I/O nodes than are idle
 * is deferred.
 *
 * A measurement is three job steps: all tasks write, then (for patterns that
 * read) all read, then all remove. Only the step in question is timed.
 */
#include "config.h"
#include "select_io/ionbench/measure.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/clock.h"
#include "common/file.h"
#include "common/proc.h"
#include "common/size.h"
#include "select_io/ion/mapping.h"
#include "select_io/ionbench/step.h"

#define MAX_FAILURES  3	  /* in a row */
#define STEP_OVERHEAD 60  /* s for srun and the servers, beyond the load's */
#define WAIT_LOOKS    50  /* tenths of a second between queries to slurmctld */
#define APPLY_TIME    120 /* s */
#define LOOK_AT_NODES 2.0 /* s between checks of recruited nodes */
#define MB	      1e6

struct now { /* the current measurement */
	struct slu_bench *b;
	const struct slu_bench_pattern *pattern;
	char key[SLU_BENCH_KEY];
	uint32_t n;
	struct slu_hosts ions;
	double looked; /* last check of recruited nodes */
	char map[PATH_MAX], path[PATH_MAX];
};

/* Remaining measurements. */

static uint32_t runs_of(const struct slu_bench *b, size_t pattern, size_t k)
{
	char key[SLU_BENCH_KEY];

	return slu_bench_deviation(
		       &b->results,
		       slu_bench_key(&b->patterns.pattern[pattern], key),
		       b->ions[k])
		.runs;
}

size_t slu_bench_left(const struct slu_bench *b, size_t *all)
{
	size_t left = 0;

	*all = b->patterns.n * b->n_ions * b->repeat;
	for (size_t i = 0; i < b->patterns.n; i++)
		for (size_t k = 0; k < b->n_ions; k++) {
			uint32_t runs = runs_of(b, i, k);

			left += runs < b->repeat ? b->repeat - runs : 0;
		}
	return left;
}

/* The I/O nodes that are down according to Slurm. */
static void find_down(const struct slu_bench *b, const struct slu_hosts *of,
		      struct slu_hosts *down)
{
	char *all = slu_hosts_text(of);
	char *argv[] = {"scontrol", "-o", "show", "node", all, NULL};
	struct slu_buf out = {.max = 64 << 20};

	*down = (struct slu_hosts){0};
	if (all && of->n && slu_run(argv, 30, &out, NULL) == 0)
		slu_down_nodes(out.data ? out.data : "", &b->idle.recruits,
			       down, NULL);
	slu_buf_free(&out);
	free(all);
}

/* Chooses the next measurement for the idle nodes; false: there is none. */
static bool choose(struct slu_bench *b, struct now *now)
{
	struct slu_hosts down;
	bool found = false;

	find_down(b, &b->idle.all, &down);
	for (uint32_t round = 0; !found && round < b->repeat; round++)
		for (size_t i = 0; !found && i < b->patterns.n; i++)
			for (size_t k = 0; !found && k < b->n_ions; k++)
				if (runs_of(b, i, k) <= round &&
				    slu_idle_ions_take(&b->idle, &down,
						       b->ions[k],
						       &now->ions)) {
					found = true;
					now->pattern = &b->patterns.pattern[i];
					now->n = b->ions[k];
				}
	slu_hosts_free(&down);
	return found;
}

/* One measurement. */

/* Has any of its nodes failed, or been taken away? */
static bool any_down(const struct now *now)
{
	struct slu_hosts down;
	bool any;

	find_down(now->b, &now->ions, &down);
	any = down.n > 0;
	slu_hosts_free(&down);
	return any;
}

/* Has a recruited compute node been allocated to a job? The mapping does not
 * show that, so slurmctld is asked. */
static bool any_preempted(struct now *now)
{
	bool recruited = false;

	for (size_t i = 0; i < now->ions.n; i++)
		recruited |= slu_hosts_sorted_has(&now->b->idle.recruits,
						  now->ions.name[i]);
	if (!recruited || slu_now_mono() - now->looked < LOOK_AT_NODES)
		return false;
	now->looked = slu_now_mono();
	return any_down(now);
}

static const char *should_stop(void *arg)
{
	struct now *now = arg;

	if (now->b->signalled())
		return "the job is to end";
	if (now->n && slu_idle_ions_needed(&now->b->idle, &now->ions))
		return "another job needs the I/O nodes";
	if (any_preempted(now))
		return "an I/O node is no longer held by its recruiting job";
	return NULL;
}

static int write_map(struct now *now, struct slu_err *err)
{
	struct slu_mapper *mapper = slu_mapper_new();
	char *ions = slu_hosts_text(&now->ions);
	char *all = slu_hosts_text(&now->b->idle.all), *text = NULL;
	struct slu_ion_share share = {.nodes = (char *)now->b->nodes,
				      .ions = ions};
	int rc = -1;

	if (mapper && ions && all)
		text = slu_mapping_text(mapper, &share, all, err);
	else
		slu_err(err, SLU_NOMEM, "out of memory");
	if (text)
		rc = slu_file_write(AT_FDCWD, now->map, text, strlen(text),
				    0644, false, err);
	slu_mapper_free(mapper);
	free(text);
	free(ions);
	free(all);
	return rc;
}

/* Sets the environment of its steps, writes the mapping and runs the command
 * `apply`, if there is one. */
static int apply(struct now *now, struct slu_err *err)
{
	char number[16];
	char *argv[] = {(char *)now->b->apply, number, now->map, NULL};

	snprintf(number, sizeof(number), "%u", now->n);
	setenv("SLUICE_IONS", number, 1);
	/* the default location is writable by all users */
	setenv("LIBGKFS_PROXY_PID_FILE", "/nonexistent/no_proxy", 0);
	if (now->n == 0) {
		unsetenv("LIBGKFS_FORWARDING_MAP_FILE");
		unlink(now->map);
	} else {
		if (write_map(now, err) < 0)
			return -1;
		setenv("LIBGKFS_FORWARDING_MAP_FILE", now->map, 1);
	}
	if (!now->b->apply)
		return 0;
	return slu_run(argv, APPLY_TIME, NULL, err) < 0
		       ? slu_err_prefix(err, "%s", now->b->apply)
		       : 0;
}

#define TEXT(name, ...)           \
	char name[PATH_MAX + 32]; \
	snprintf(name, sizeof(name), __VA_ARGS__)

static uint64_t whole_calls(uint64_t bytes, uint64_t request)
{
	return bytes < request ? request : bytes / request * request;
}

/* `most`: bytes that each task moves at most. */
static int run_step(struct now *now, const char *op, uint64_t most,
		    struct slu_step_moved *moved, struct slu_err *err)
{
	const struct slu_bench *b = now->b;
	const struct slu_bench_setup *s = &b->results.setup;
	const struct slu_bench_pattern *p = now->pattern;
	uint64_t bytes = whole_calls(s->bytes / s->tasks, p->request);
	TEXT(nodes, "-N%u", s->nodes);
	TEXT(tasks, "-n%u", s->tasks);
	TEXT(export, "--export=ALL%s%s",
	     b->preload && now->n ? ",LD_PRELOAD=" : "",
	     b->preload && now->n ? b->preload : "");
	TEXT(request, "%llu", (unsigned long long)p->request);
	TEXT(each, "%llu", (unsigned long long)bytes);
	TEXT(limit, "%lld", (long long)s->seconds);
	TEXT(up_to, "%llu",
	     (unsigned long long)(most < bytes ? whole_calls(most, p->request)
					       : bytes));
	char *argv[] = {
		"srun",
		"-Q",
		"--kill-on-bad-exit=1",
		"--mpi=none",
		nodes,
		tasks,
		export,
		(char *)(b->load ? b->load : SLU_BINDIR "/sluice-ionbench"),
		"load",
		(char *)op,
		now->path,
		p->shared ? "shared" : "fpp",
		p->strided ? "strided" : "contiguous",
		request,
		each,
		limit,
		up_to,
		NULL};
	struct slu_step step = {.argv = argv,
				.stop = should_stop,
				.arg = now,
				.seconds =
					2 * (double)s->seconds + STEP_OVERHEAD};

	return slu_step_run(&step, moved, err);
}

/* Without waiting for its result: killed tasks may have left files. */
static void remove_data(struct now *now)
{
	struct slu_step_moved none;

	if (now->b->signalled() ||
	    (now->n && slu_idle_ions_needed(&now->b->idle, &now->ions)))
		return; /* the same measurement will be repeated */
	run_step(now, "remove", UINT64_MAX, &none, NULL);
}

/* A write that ended early leaves a sparse file, which is read without I/O: a
 * task reads at most the bytes that each has written. */
static int run_steps(struct now *now, struct slu_bench_run *run,
		     struct slu_err *err)
{
	struct slu_step_moved m = {0};
	int rc = apply(now, err);

	if (rc == 0)
		rc = run_step(now, "write", UINT64_MAX, &m, err);
	run->moved = rc == 0 ? m.bytes : now->b->results.setup.bytes;
	if (rc == 0 && now->pattern->reads) {
		rc = run_step(now, "read", m.least, &m, err);
		run->moved += rc == 0 ? m.bytes : now->b->results.setup.bytes;
	}
	if (rc == 0 && m.bytes > 0 && m.seconds > 0)
		run->bandwidth = (double)m.bytes / m.seconds / MB;
	else if (rc == 0)
		rc = slu_err(err, SLU_IO, "nothing was moved");
	remove_data(now);
	return rc;
}

static void say(const struct now *now, const struct slu_bench_run *run,
		const char *why)
{
	char bytes[SLU_SIZE_TEXT], took[SLU_TIME_TEXT], left[SLU_TIME_TEXT];
	char *ions = slu_hosts_text(&now->ions);
	const struct slu_bench *b = now->b;
	size_t all, open = slu_bench_left(b, &all);

	if (b->quiet && !why)
		goto out;
	fprintf(stderr, "%zu/%zu %s, %u I/O node%s%s%s%s: ", all - open, all,
		now->pattern->name, now->n, now->n == 1 ? "" : "s",
		now->n ? " (" : "", now->n && ions ? ions : "",
		now->n ? ")" : "");
	if (why)
		fprintf(stderr, "stopped: %s\n", why);
	else
		fprintf(stderr, "%.1f MB/s, %s in %s, budget left %s\n",
			run->bandwidth, slu_size_text(run->moved, bytes),
			slu_seconds_text(run->seconds, took),
			slu_seconds_text(b->budget - b->results.seconds, left));
out:
	free(ions);
}

/* The table with the results so far. */
static int write_table(const struct slu_bench *b, struct slu_err *err)
{
	struct slu_err why;
	char *text = slu_bench_table(&b->results, &b->patterns, b->ions,
				     b->n_ions, b->about, &why);
	int rc = 0;

	if (text)
		rc = slu_file_write(AT_FDCWD, b->table, text, strlen(text),
				    0644, true, err);
	else if (why.kind != SLU_NOTFOUND)
		rc = slu_err(err, why.kind, "%s", why.text);
	free(text);
	return rc;
}

/* -1 with SLU_BUSY: it was interrupted and may be repeated; SLU_IO and others:
 * it failed. *fatal: results cannot be saved any more. */
static int measure_one(struct now *now, bool *fatal, struct slu_err *err)
{
	struct slu_bench *b = now->b;
	const char *dir = now->n || !b->direct ? b->directory : b->direct;
	struct slu_bench_run run = {.ions = now->n};
	double begun = slu_now_mono();
	struct slu_err why = {0};
	int rc;

	slu_bench_key(now->pattern, now->key);
	slu_copy(run.key, sizeof(run.key), now->key);
	snprintf(now->map, sizeof(now->map), "%s.map", b->state);
	snprintf(now->path, sizeof(now->path), "%s/ionbench-%s", dir, now->key);
	rc = run_steps(now, &run, &why);
	if (now->n && why.kind != SLU_BUSY && any_down(now)) {
		rc = slu_err(&why, SLU_BUSY, "an I/O node went away");
		run.bandwidth = 0;
	}
	run.seconds = slu_now_mono() - begun;
	*fatal = slu_bench_add_run(&b->results, &run, err) < 0 ||
		 write_table(b, err) < 0;
	say(now, &run, rc < 0 ? why.text : NULL);
	unlink(now->map);
	if (*fatal)
		return -1;
	if (rc < 0)
		*err = why;
	return rc;
}

/* All measurements. */

static uint64_t costs(const struct slu_bench *b)
{
	bool reads = false;

	for (size_t i = 0; i < b->patterns.n; i++)
		reads |= b->patterns.pattern[i].reads;
	return b->results.setup.bytes * (reads ? 2 : 1);
}

/* The limit that forbids another measurement, or NULL. */
static const char *used_up(const struct slu_bench *b)
{
	if (b->results.seconds + (double)b->results.setup.seconds > b->budget)
		return "the limit of time is reached (--time)";
	if (b->results.moved + costs(b) > b->most)
		return "the limit of bytes is reached (--most)";
	return NULL;
}

static enum slu_bench_end wait_for_ions(struct slu_bench *b, double *since,
					struct slu_err *err)
{
	if (*since == 0 && !b->quiet)
		fprintf(stderr,
			"waits for idle I/O nodes: jobs have %zu of "
			"%zu\n",
			b->idle.taken.n, b->idle.all.n);
	*since = *since > 0 ? *since : slu_now_mono();
	if (slu_now_mono() - *since > b->wait) {
		slu_err(err, SLU_TIMEOUT,
			"no I/O nodes became idle in time "
			"(--wait)");
		return SLU_BENCH_BUDGET;
	}
	for (int i = 0; i < WAIT_LOOKS && !b->signalled(); i++)
		usleep(100000);
	return SLU_BENCH_WHOLE;
}

static bool looks(struct slu_bench *b, struct slu_err *err)
{
	if (!b->idle.path)
		return true;
	if (slu_idle_ions_look(&b->idle, err) < 0)
		return false;
	if (!b->idle.ours_has_some)
		return true;
	slu_err(err, SLU_INVALID,
		"this job has I/O nodes of its own: submit it "
		"with \"#BB forward max=none\"");
	return false;
}

enum slu_bench_end slu_bench_measure(struct slu_bench *b, struct slu_err *err)
{
	double since = 0;
	int failures = 0;
	size_t all;

	while (slu_bench_left(b, &all) > 0) {
		struct now now = {.b = b};
		const char *why = used_up(b);
		enum slu_bench_end end;
		bool fatal = false;
		int rc;

		if (b->signalled()) {
			slu_err(err, SLU_BUSY, "the job is to end");
			return SLU_BENCH_STOPPED;
		}
		if (why) {
			slu_err(err, SLU_TIMEOUT, "%s", why);
			return SLU_BENCH_BUDGET;
		}
		if (!looks(b, err))
			return SLU_BENCH_FAILED;
		if (!choose(b, &now)) {
			end = wait_for_ions(b, &since, err);
			if (end != SLU_BENCH_WHOLE)
				return end;
			continue;
		}
		since = 0;
		rc = measure_one(&now, &fatal, err);
		slu_hosts_free(&now.ions);
		failures = rc < 0 && err->kind != SLU_BUSY ? failures + 1 : 0;
		if (fatal || failures == MAX_FAILURES)
			return SLU_BENCH_FAILED;
	}
	return write_table(b, err) < 0 ? SLU_BENCH_FAILED : SLU_BENCH_WHOLE;
}

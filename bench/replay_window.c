/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cuts a window out of a job log (SWF) for bench/replay, which submits its jobs
 * to a real Slurm, and simulates the same jobs under EASY backfilling.
 *
 *	bench/replay_window [--hours N] [--until M] [--rank K] [--now T] LOG DIR
 */

/*
 * The window is chosen by a rule: of all spans of N hours that begin on a whole
 * hour after the first quarter of the log (from which the predictor learns),
 * the one in which the most node hours were submitted; the K-th busiest that
 * overlaps none of the busier ones. What is not started M hours after the begin
 * of the window counts as if it began then, as the busiest windows take days to
 * be worked off. Time is counted from the begin of the window, which is Unix
 * second T in DIR/history:
 *
 *	DIR/history   the jobs that ended before, as sacct prints them
 *	DIR/jobs      lines "KIND SUBMIT RUN REQUEST SIZE UID ACCOUNT PARTITION
 *		      NAME", times in s, by submission; KIND is one of:
 *	    running   it ran when the window begins, submitted with the rest of
 *		      its run and request, and planned with its request
 *	    waiting   it waited then, submitted at 0
 *	    window    submitted in the window; only these are measured
 *
 * Printed are the lines "procs N", "until SECONDS", "jobs N" (of the window)
 * and "simulated GUIDE SLOWDOWN WAIT BUSY WAITING": mean bounded slowdown, mean
 * wait in s, the part of the processors that is in use in these M hours, and
 * how many jobs wait then.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/guides.h"
#include "bench/log_window.h"
#include "bench/predictor_job.h"

#define UID_BASE 20000 /* user 0 of the log; below are real users */

static const char *const kind_name[] = {"running", "waiting", "window"};

struct excerpt {
	struct log_window w;
	int64_t until, procs;
	const struct slu_easy_oracle *oracle; /* of the whole log */
};

/* A name that Slurm accepts: "none" for an unknown one, and an x in place of
 * the dash of a negative number. */
static const char *named(char *name)
{
	if (*name == '-')
		*name = 'x';
	return *name ? name : "none";
}

static FILE *open_in(const char *dir, const char *name)
{
	char path[4200];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	out = fopen(path, "w");
	if (!out) {
		perror(path);
		exit(1);
	}
	return out;
}

static void close_out(FILE *out)
{
	if (ferror(out) || fclose(out) != 0) {
		perror("bench/replay_window");
		exit(1);
	}
}

static void write_history(const struct excerpt *p, const char *dir, int64_t now)
{
	FILE *out = open_in(dir, "history");
	int64_t shift = now - p->w.begin;

	fputs("JobID|UID|User|Account|Partition|Submit|Eligible|Start|End|State"
	      "|NNodes|Timelimit|JobName\n",
	      out);
	for (size_t i = 0; i < p->w.log->n; i++) {
		const struct swf_job *job = &p->w.log->job[i];
		struct predictor_names names;
		struct slu_job j = predictor_job(job, &names);

		if (job->end > p->w.begin)
			continue;
		fprintf(out,
			"%zu|%lld|u%lld|%s|%s|%lld|%lld|%lld|%lld|%s|%u|"
			"%u-%02u:%02u:00|%s\n",
			i + 1, (long long)job->user + UID_BASE,
			(long long)job->user, named(names.group),
			named(names.queue), (long long)(job->submit + shift),
			(long long)(job->submit + shift),
			(long long)(job->start + shift),
			(long long)(job->end + shift), job->state, j.node_cnt,
			j.limit_asked / 1440, j.limit_asked / 60 % 24,
			j.limit_asked % 60, named(names.program));
	}
	close_out(out);
}

static void write_jobs(const struct excerpt *p, const char *dir)
{
	FILE *out = open_in(dir, "jobs");

	for (size_t k = 0; k < p->w.n; k++) {
		const struct swf_job *job = &p->w.log->job[p->w.of[k]];
		const struct slu_easy_job *easy = &p->w.job[k];
		struct predictor_names names;

		predictor_job(job, &names);
		fprintf(out, "%s %lld %lld %lld %lld %lld %s %s %s\n",
			kind_name[p->w.kind[k]], (long long)easy->submit,
			(long long)easy->run, (long long)easy->request,
			(long long)easy->procs, (long long)job->user + UID_BASE,
			named(names.group), named(names.queue),
			named(names.program));
	}
	close_out(out);
}

static double predict(void *arg, size_t k, int64_t now)
{
	struct excerpt *p = arg;

	if (p->w.kind[k] == RUNNING)
		return (double)p->w.job[k].request;
	return p->oracle->predict(p->oracle->arg, p->w.of[k], now);
}

static double renew(void *arg, size_t k, int64_t elapsed)
{
	(void)elapsed;
	return (double)((struct excerpt *)arg)->w.job[k].request;
}

/* What is left of a job that ran teaches nothing; nor does it in bench/replay,
 * where such jobs have a user of their own. */
static void learn(void *arg, size_t k, int64_t start, int64_t end)
{
	struct excerpt *p = arg;

	if (p->w.kind[k] != RUNNING)
		p->oracle->learn(p->oracle->arg, p->w.of[k], start + p->w.begin,
				 end + p->w.begin);
}

static int by_end(const void *a, const void *b)
{
	const struct swf_job *x = *(const struct swf_job *const *)a;
	const struct swf_job *y = *(const struct swf_job *const *)b;

	return (x->end > y->end) - (x->end < y->end);
}

static int teach(const struct excerpt *p)
{
	const struct swf_job **past = calloc(p->w.log->n + 1, sizeof(*past));
	size_t n = 0;

	if (!past)
		return -1;
	for (size_t i = 0; i < p->w.log->n; i++)
		if (p->w.log->job[i].end <= p->w.begin)
			past[n++] = &p->w.log->job[i];
	qsort(past, n, sizeof(*past), by_end);
	for (size_t i = 0; i < n; i++)
		p->oracle->learn(p->oracle->arg,
				 (size_t)(past[i] - p->w.log->job),
				 past[i]->start, past[i]->end);
	free(past);
	return 0;
}

/* Of the jobs of the window, but `busy` of all. */
static void print(const struct excerpt *p, const char *guide,
		  const int64_t *start)
{
	double slowdown = 0, wait = 0, busy = 0;
	size_t n = 0, waiting = 0;

	for (size_t k = 0; k < p->w.n; k++) {
		const struct slu_easy_job *job = &p->w.job[k];
		int64_t begun = start[k] < p->until ? start[k] : p->until;
		int64_t end = begun + job->run;
		double waits = (double)(begun - job->submit);
		double run = (double)job->run;

		end = end < p->until ? end : p->until;
		busy += (double)(end - begun) * (double)job->procs;
		if (p->w.kind[k] != WINDOW)
			continue;
		slowdown += fmax(1, (waits + run) / fmax(run, 10));
		wait += waits;
		waiting += start[k] >= p->until;
		n++;
	}
	printf("simulated %s %.3f %.0f %.4f %zu\n", guide, slowdown / (double)n,
	       wait / (double)n, busy / (double)p->procs / (double)p->until,
	       waiting);
}

static int simulate(struct excerpt *p, enum guide guide)
{
	struct guide_state *s = guide_new(p->w.log, guide, 0);
	const struct slu_easy_site site = {.procs = p->procs};
	int64_t *start = calloc(p->w.n + 1, sizeof(*start));
	struct slu_easy_oracle oracle = {predict, renew, learn, p, 0};
	struct slu_easy_result result;
	int rc = -1;

	if (s && start) {
		p->oracle = guide_oracle(s);
		oracle.lead = p->oracle->lead;
		rc = teach(p);
	}
	if (rc == 0)
		rc = slu_easy_run(p->w.job, p->w.n, &site, &oracle, start,
				  &result);
	if (rc == 0)
		print(p, guide_name[guide], start);
	free(start);
	guide_free(s);
	return rc;
}

static int do_window(struct excerpt *p, const char *dir, int64_t now)
{
	static const enum guide guides[] = {REQUEST, EARLY_LIMIT, TIGHTEN};
	size_t window = 0;

	if (log_window_cut(&p->w) < 0)
		return -1;
	write_history(p, dir, now);
	write_jobs(p, dir);
	for (size_t k = 0; k < p->w.n; k++)
		window += p->w.kind[k] == WINDOW;
	printf("procs %lld\nuntil %lld\njobs %zu\n", (long long)p->procs,
	       (long long)p->until, window);
	for (size_t g = 0; g < sizeof(guides) / sizeof(guides[0]); g++)
		if (simulate(p, guides[g]) < 0)
			return -1;
	return 0;
}

struct wish {
	int64_t hours, until, now;
	int rank;
};

static int do_log(const char *path, const char *dir, const struct wish *wish)
{
	struct excerpt p = {.w.length = wish->hours * LOG_WINDOW_HOUR,
			    .until = wish->until * LOG_WINDOW_HOUR};
	struct slu_err err;
	struct swf_log log;
	int rc = 1;

	if (swf_load(path, &log, &err) < 0) {
		fprintf(stderr, "bench/replay_window: %s\n", err.text);
		return 1;
	}
	p.w.log = &log;
	for (size_t i = 0; i < log.n; i++)
		p.procs =
			log.job[i].procs > p.procs ? log.job[i].procs : p.procs;
	p.w.begin = log_window_choose(&log, p.w.length, wish->rank);
	if (p.w.begin < 0)
		fprintf(stderr, "bench/replay_window: %s has no such window\n",
			path);
	else if (do_window(&p, dir, wish->now) < 0)
		fprintf(stderr, "bench/replay_window: out of memory\n");
	else
		rc = 0;
	log_window_free(&p.w);
	swf_free(&log);
	return rc;
}

int main(int argc, char **argv)
{
	struct wish wish = {
		.hours = 8, .until = 16, .now = 1000000000, .rank = 1};
	int i = 1;

	for (; i + 1 < argc && argv[i][0] == '-'; i += 2)
		if (strcmp(argv[i], "--hours") == 0)
			wish.hours = atoi(argv[i + 1]);
		else if (strcmp(argv[i], "--until") == 0)
			wish.until = atoi(argv[i + 1]);
		else if (strcmp(argv[i], "--rank") == 0)
			wish.rank = atoi(argv[i + 1]);
		else if (strcmp(argv[i], "--now") == 0)
			wish.now = strtoll(argv[i + 1], NULL, 10);
		else
			break;
	if (i + 2 != argc || wish.hours < 1 || wish.until < wish.hours ||
	    wish.rank < 1 || wish.rank > LOG_WINDOW_RANKS) {
		fprintf(stderr,
			"usage: bench/replay_window [--hours N] [--until M] "
			"[--rank K] [--now T] LOG DIR\n");
		return 2;
	}
	return do_log(argv[i], argv[i + 1], &wish);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures the benefit of starting jobs by their predicted I/O
 * (select_io/bandwidth), and that of rivals.
 *
 *	bench/iostart [--csv] [--jobs N] [--dense X]
 *		[--like application|user|nothing] [--intensity X]
 *		[--shake N] [--seed N] [--redraw] SUMMARIES.csv LOG...
 */

/*
 * Job logs (SWF) run under EASY on a simulated file system that the jobs share,
 * with the I/O of recorded runs (NERSC/tokio-abcutils). N (4,000) jobs of each
 * log, X times as dense as recorded; the file system's bandwidth is the jobs'
 * total demand divided by the intensity (0.1, 0.5, 0.8 and 1.1). Two runs of
 * one queue differ by chance, so every result is a mean over N (3) logs whose
 * submissions are shifted by up to a minute.
 *
 * A missing file is skipped.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bench/iostart.h"

#define SHAKEN_BY     60 /* s */
#define MOST_POLICIES 16

static const char *const like_name[] = {"application", "user", "nothing"};

struct options {
	bool csv, redraw;
	size_t jobs;
	double dense, only; /* only one intensity; 0: all */
	enum likeness like;
	unsigned shake, seed; /* so many logs, from this number on */
};

/* Sums over shaken logs of the measures' logarithms, and of the squares. */
struct sums {
	unsigned n;
	double sum[MOST_POLICIES][MEASURES];
	double ratio[MOST_POLICIES], square[MOST_POLICIES]; /* of slowdowns */
};

/* A part of the log, with times from 0 on; the jobs are borrowed. */
static struct swf_log part_of(const struct swf_log *log,
			      const struct options *o)
{
	size_t n = log->n < o->jobs ? log->n : o->jobs;
	struct swf_log part = {log->job + (log->n - n) / 2, n};
	int64_t first = n ? part.job[0].submit : 0;

	for (size_t i = 0; i < n; i++) {
		struct swf_job *job = &part.job[i];
		int64_t run = job->end - job->start;

		job->submit =
			(int64_t)((double)(job->submit - first) / o->dense);
		job->start = job->submit;
		job->end = job->start + run;
		job->procs = job->procs > 0 ? job->procs : 1;
	}
	return part;
}

static int add(const struct mix *mix, struct sums *sums)
{
	double got[MOST_POLICIES][MEASURES];

	for (size_t p = 0; policies[p].name; p++) {
		double off;

		if (iostart_run(mix, &policies[p], got[p]) < 0)
			return -1;
		for (int m = 0; m < MEASURES; m++)
			sums->sum[p][m] += log(fmax(got[p][m], 1e-3));
		off = log(got[p][SLOWDOWN] / got[POLICY_SLURM][SLOWDOWN]);
		sums->ratio[p] += off;
		sums->square[p] += off * off;
	}
	sums->n++;
	return 0;
}

static void print_csv(const char *name, const double (*mean)[MEASURES])
{
	for (int m = 0; m < MEASURES; m++)
		for (size_t p = 0; policies[p].name; p++) {
			double ours = mean[POLICY_OURS][m];

			if (p != POLICY_OURS)
				printf("%s,%s,%s,%.4g,%s,%.4g,%.3f\n", name,
				       measure_name[m], measure_unit[m], ours,
				       policies[p].name, mean[p][m],
				       ours / mean[p][m]);
		}
}

/* Relative to plain Slurm, except the last column. */
static void print_table(const char *name, const double (*mean)[MEASURES],
			const double *error)
{
	const double *slurm = mean[POLICY_SLURM];

	printf("%s: Slurm: slowdown %.1f, %.0f node hours lost, "
	       "utilisation %.3f\n",
	       name, slurm[SLOWDOWN], slurm[LOST], slurm[UTILISATION]);
	for (size_t p = 1; policies[p].name; p++)
		printf("  %-16s makespan %.3f, slowdown %.3f +- %.3f, lost "
		       "%.3f, spread %.3f, utilisation %.3f, held %.1f h\n",
		       policies[p].name, mean[p][MAKESPAN] / slurm[MAKESPAN],
		       mean[p][SLOWDOWN] / slurm[SLOWDOWN], error[p],
		       mean[p][LOST] / slurm[LOST],
		       mean[p][SPREAD] / slurm[SPREAD],
		       mean[p][UTILISATION] / slurm[UTILISATION],
		       mean[p][HOLD] / 3600);
}

static void print(const char *name, const struct sums *s, bool csv)
{
	double mean[MOST_POLICIES][MEASURES], error[MOST_POLICIES];
	double n = s->n;

	for (size_t p = 0; policies[p].name; p++) {
		double ratio = s->ratio[p] / n;
		double variance = fmax(s->square[p] / n - ratio * ratio, 0);

		for (int m = 0; m < MEASURES; m++)
			mean[p][m] = exp(s->sum[p][m] / n);
		error[p] = n > 1 ? sqrt(variance / (n - 1)) * exp(ratio) : 0;
	}
	if (csv)
		print_csv(name, (const double(*)[MEASURES])mean);
	else
		print_table(name, (const double(*)[MEASURES])mean, error);
	fflush(stdout);
}

/* rc as mix_draw() */
static int try_seed(const struct swf_log *log, const struct io_run *run,
		    size_t n_run, double intensity, uint16_t seed,
		    const struct options *o, struct sums *sums)
{
	struct swf_log shaken = {0};
	struct mix mix = {0};
	int rc = swf_shake(log, SHAKEN_BY, seed, &shaken);

	if (rc == 0)
		rc = mix_draw(&shaken, run, n_run, intensity, o->like,
			      o->redraw ? seed : 0, &mix);
	if (rc == 0)
		rc = add(&mix, sums);
	mix_free(&mix);
	swf_free(&shaken);
	return rc;
}

/* A log whose jobs need this share of the file system's bandwidth. */
static int try_intensity(const char *name, const struct swf_log *log,
			 const struct io_run *run, size_t n_run,
			 double intensity, const struct options *o)
{
	struct sums sums = {0};
	char title[160];
	int rc = 0;

	for (unsigned k = 0; rc >= 0 && k < o->shake; k++)
		rc = try_seed(log, run, n_run, intensity,
			      (uint16_t)(o->seed + k), o, &sums);
	snprintf(title, sizeof(title), "%s %.1f by %s", name, intensity,
		 like_name[o->like]);
	if (rc >= 0 && sums.n)
		print(title, &sums, o->csv);
	if (rc >= 0 && sums.n < o->shake)
		fprintf(stderr,
			"bench/iostart: %s: too few jobs move anything at the "
			"same time in %u of %u: skipped\n",
			title, o->shake - sums.n, o->shake);
	return rc < 0 ? -1 : 0;
}

static int try_log(const char *path, const struct io_run *run, size_t n_run,
		   const struct options *o)
{
	static const double intensity[] = {0.1, 0.5, 0.8, 1.1};
	const char *slash = strrchr(path, '/');
	struct swf_log log, part;
	char name[64];
	struct slu_err err;
	int rc = 0;

	if (access(path, R_OK) < 0) {
		fprintf(stderr, "bench/iostart: %s is not there: skipped\n",
			path);
		return 0;
	}
	if (swf_load(path, &log, &err) < 0) {
		fprintf(stderr, "bench/iostart: %s\n", err.text);
		return -1;
	}
	part = part_of(&log, o);
	snprintf(name, sizeof(name), "%.*s",
		 (int)strcspn(slash ? slash + 1 : path, "."),
		 slash ? slash + 1 : path);
	for (size_t x = 0; rc == 0 && x < sizeof(intensity) / sizeof(double);
	     x++)
		if (!(o->only > 0) || o->only == intensity[x])
			rc = try_intensity(name, &part, run, n_run,
					   intensity[x], o);
	swf_free(&log);
	return rc;
}

static bool parse_like(const char *text, enum likeness *like)
{
	for (int k = 0; k < 3; k++)
		if (strcmp(text, like_name[k]) == 0) {
			*like = (enum likeness)k;
			return true;
		}
	return false;
}

/* false: not an option */
static bool parse_option(char **argv, struct options *o)
{
	const char *name = argv[0], *value = argv[1];

	if (!value)
		return false;
	if (strcmp(name, "--jobs") == 0)
		return (o->jobs = strtoul(value, NULL, 10)) > 0;
	if (strcmp(name, "--dense") == 0)
		return (o->dense = strtod(value, NULL)) > 0;
	if (strcmp(name, "--intensity") == 0)
		return (o->only = strtod(value, NULL)) > 0;
	if (strcmp(name, "--shake") == 0)
		return (o->shake = (unsigned)strtoul(value, NULL, 10)) > 0;
	if (strcmp(name, "--seed") == 0)
		return (o->seed = (unsigned)strtoul(value, NULL, 10)) > 0;
	if (strcmp(name, "--like") == 0)
		return parse_like(value, &o->like);
	return false;
}

int main(int argc, char **argv)
{
	struct options o = {.jobs = 4000, .dense = 1, .shake = 3, .seed = 1};
	struct io_run *run;
	struct slu_err err;
	size_t n_run;
	int i = 1, rc = 0;

	while (i < argc && argv[i][0] == '-')
		if (strcmp(argv[i], "--csv") == 0) {
			o.csv = true;
			i++;
		} else if (strcmp(argv[i], "--redraw") == 0) {
			o.redraw = true;
			i++;
		} else if (parse_option(&argv[i], &o)) {
			i += 2;
		} else {
			break;
		}
	if (i + 1 >= argc || argv[i][0] == '-') {
		fprintf(stderr,
			"usage: bench/iostart [--csv] [--jobs N] [--dense X] "
			"[--like application|user|nothing]\n"
			"\t[--intensity 0.1|0.5|0.8|1.1] [--shake N] [--seed N] "
			"[--redraw]\n\tSUMMARIES.csv LOG...\n");
		return 2;
	}
	if (access(argv[i], R_OK) < 0) {
		fprintf(stderr, "bench/iostart: %s is not there: skipped\n",
			argv[i]);
		return 77;
	}
	run = io_runs_load(argv[i++], &n_run, &err);
	if (!run) {
		fprintf(stderr, "bench/iostart: %s\n", err.text);
		return 1;
	}
	if (o.csv)
		puts("case,metric,unit,ours,rival,rival_value,ratio");
	for (; rc == 0 && i < argc; i++)
		rc = try_log(argv[i], run, n_run, &o);
	free(run);
	return rc < 0;
}

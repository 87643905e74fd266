/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares staging with `cp -r`, `rsync -a`, `fpsync` with as many workers as
 * nodes, and, for large files, fio, which reads and writes as many bytes at the
 * same time.
 *
 *	bench/staging [--csv] [--tree large|small] [--files N] [--per-dir N]
 *		[--nodes N] [--repeat R] [--slow MS] DIR
 */

/*
 * One tree of large files and one of N (20,000) files of 4 KiB, 200 in each
 * directory, are copied inside DIR; the source is cold (as root: caches
 * dropped); all end when the data is on disk. All steps of staging count: walk,
 * copy, verify, finish. "Nodes" are N processes on this machine, which share
 * its one disk and steal work from each other; N = 1 compares the copying
 * itself, more nodes show the overhead of dividing it. Runs alternate; medians.
 *
 * --slow: on a file system in DIR with a latency of MS per operation; trees are
 * created and removed beneath it, which is not measured. `cp -r` of 2,000 small
 * files takes a minute there: these are copied, once, by default.
 */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "bench/files.h"
#include "bench/measure.h"
#include "bench/slow_fs.h"
#include "burst_buffer/staging/claims.h"
#include "burst_buffer/staging/stage.h"
#include "common/file.h"
#include "common/proc.h"

#define REPEAT_MAX 99
#define SECONDS	   3600

static struct tree {
	const char *name;
	unsigned dirs, files; /* files in each directory */
	size_t size;	      /* bytes of each file */
} trees[] = {
	{"large", 1, 8, 256u << 20},
	{"small", 0, 0, 4096},
};

static const char *dir;	    /* the directory that is measured */
static const char *beneath; /* the same directory without delay */
static unsigned nodes = 4, repeat, files, per_dir = 200;
static char copy[32];	/* the destination; another one each time */
static char claims[48]; /* where the nodes claim work */

static void die(const char *what)
{
	fprintf(stderr, "staging: %s: %s\n", what, strerror(errno));
	exit(1);
}

static char *join(const char *where, const char *name)
{
	static char out[4][4200];
	static int turn;

	turn = (turn + 1) % 4;
	snprintf(out[turn], sizeof(out[turn]), "%s/%s", where, name);
	return out[turn];
}

static char *path(const char *name)
{
	return join(dir, name);
}

static void make_tree(const struct tree *t)
{
	char name[100];

	snprintf(name, sizeof(name), "%s", t->name);
	mkdir(join(beneath, name), 0755);
	for (unsigned d = 0; d < t->dirs; d++) {
		snprintf(name, sizeof(name), "%s/d%u", t->name, d);
		mkdir(join(beneath, name), 0755);
		for (unsigned f = 0; f < t->files; f++) {
			snprintf(name, sizeof(name), "%s/d%u/f%u", t->name, d,
				 f);
			bench_write_file(join(beneath, name), t->size);
		}
	}
}

static void clear(void)
{
	static unsigned turn;
	struct slu_err err;

	if (turn && slu_rmtree(AT_FDCWD, join(beneath, copy), &err)) {
		fprintf(stderr, "staging: %s\n", err.text);
		exit(1);
	}
	snprintf(copy, sizeof(copy), "copy%u", turn++);
	mkdir(path(copy), 0755);
}

static void __attribute__((format(printf, 1, 2))) tell(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fprintf(stderr, "staging: ");
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
}

static void act(enum slu_act_name name, struct slu_stage_part part)
{
	struct slu_claims_dir dir = {
		.dir = open(path(claims), O_RDONLY | O_DIRECTORY),
		.self = part.self,
	};
	const struct slu_claims claims = {slu_claims_take, slu_claims_look,
					  slu_claims_whose, &dir};
	struct slu_stage_result r;
	struct slu_err err;

	part.claims = part.n > 1 ? &claims : NULL;
	part.manifest = open(path("manifest"), O_RDWR | O_CREAT, 0600);
	if (slu_stage(name, &part, &r, &err)) {
		fprintf(stderr, "staging: %s\n", err.text);
		exit(1);
	}
	close(part.manifest);
	close(dir.dir);
}

/* Runs one step on n nodes at once. */
static void all_act(enum slu_act_name name, struct slu_stage_part part)
{
	int status, failed = 0;

	for (part.self = 0; part.self < part.n; part.self++)
		if (!fork()) {
			act(name, part);
			_exit(0);
		}
	while (wait(&status) > 0)
		failed |= status;
	if (failed)
		exit(1);
}

static double ours(const struct tree *t, unsigned n)
{
	char from[4096], to[4096];
	struct slu_stage_part part = {.source = from,
				      .destination = to,
				      .n = n,
				      .durable = true,
				      .beside = "sluice-1"};
	double begin, prepared, copied, verified, end;

	snprintf(from, sizeof(from), "%s", path(t->name));
	snprintf(to, sizeof(to), "%s", path(copy));
	unlink(path("manifest"));
	begin = bench_now();
	act(SLU_PREPARE, part);
	prepared = bench_now();
	all_act(SLU_COPY, part);
	copied = bench_now();
	all_act(SLU_VERIFY, part);
	verified = bench_now();
	act(SLU_FINISH, part);
	end = bench_now();
	tell("%s: %u node%s: %.1f s: prepare %.1f, copy %.1f, verify %.1f, "
	     "finish %.1f",
	     t->name, n, n > 1 ? "s" : "", end - begin, prepared - begin,
	     copied - prepared, verified - copied, end - verified);
	return end - begin;
}

static char *worker_count(void)
{
	static char text[16];

	snprintf(text, sizeof(text), "%u", nodes);
	return text;
}

/* Rivals: seconds; negative if a program is not installed. */

static double run_rival(char **argv)
{
	char *flush[] = {"sync", "-f", path(copy), NULL};
	double start = bench_now();
	struct slu_err err;

	if (slu_run(argv, SECONDS, NULL, &err)) {
		fprintf(stderr, "staging: %s\n", err.text);
		return -1;
	}
	if (slu_run(flush, SECONDS, NULL, &err))
		die("sync");
	return bench_now() - start;
}

static double by_cp(const struct tree *t)
{
	char *argv[] = {"cp", "-r", path(t->name), path(copy), NULL};

	return run_rival(argv);
}

static double by_rsync(const struct tree *t)
{
	char *argv[] = {"rsync", "-a", path(t->name), path(copy), NULL};

	return run_rival(argv);
}

static double fpsync(const struct tree *t, unsigned files_of_job)
{
	char per_job[16];
	char *argv[] = {"fpsync",      "-n",	   worker_count(),
			"-f",	       per_job,	   "-s",
			"1073741824",  "-t",	   join(beneath, "fpsync"),
			path(t->name), path(copy), NULL};

	snprintf(per_job, sizeof(per_job), "%u", files_of_job);
	return run_rival(argv);
}

static double by_fpsync(const struct tree *t)
{
	return fpsync(t, 2000); /* its default */
}

/* Partitions by the number of workers: by default a small tree is one job. With
 * many directories, more jobs cost more than they gain. */
static double by_fpsync_even(const struct tree *t)
{
	return fpsync(t, t->dirs * t->files / nodes + 1);
}

/* The duration of its longest job, without fpsync's long start. */
static double longest_job(const char *report)
{
	double most = -1;

	while (report && (report = strstr(report, "\"job_runtime\" : "))) {
		double is = strtod(strchr(report, ':') + 1, NULL);

		most = is > most ? is : most;
		report++;
	}
	return most / 1e3;
}

/* Reads as many bytes, and concurrently writes others. */
static double by_fio(const struct tree *t)
{
	char script[16384];
	char *argv[] = {"sh", "-c", script, NULL};
	struct slu_buf report = {0};
	struct slu_err err;
	double seconds = -1;
	int n;

	if (t->size < 1 << 20)
		return -1;
	n = snprintf(script, sizeof(script),
		     "fio --output-format=json --ioengine=psync --bs=4M "
		     "--size=%zu --filesize=%zu",
		     t->size, t->size);
	for (unsigned f = 0; f < t->files; f++)
		n += snprintf(script + n, sizeof(script) - (size_t)n,
			      " --name=r%u --rw=read --filename=%s/%s/d0/f%u"
			      " --name=w%u --rw=write --end_fsync=1"
			      " --filename=%s/%s/f%u",
			      f, dir, t->name, f, f, dir, copy, f);
	if (slu_run(argv, SECONDS, &report, &err))
		fprintf(stderr, "staging: %s\n", err.text);
	else
		seconds = longest_job(report.data);
	slu_buf_free(&report);
	return seconds;
}

static const struct rival {
	const char *name;
	double (*run)(const struct tree *t);
} rivals[] = {
	{"cp -r", by_cp},      {"rsync -a", by_rsync},
	{"fpsync", by_fpsync}, {"fpsync -f", by_fpsync_even},
	{"fio", by_fio},
};
#define RIVALS (sizeof(rivals) / sizeof(rivals[0]))

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *v)
{
	qsort(v, repeat, sizeof(*v), compare);
	return v[repeat / 2];
}

static void get_ready(void)
{
	clear();
	snprintf(claims, sizeof(claims), "claims.%s", copy);
	slu_rmtree(AT_FDCWD, join(beneath, "fpsync"), NULL);
	mkdir(path(claims), 0700);
	mkdir(join(beneath, "fpsync"), 0700);
	bench_make_cold("staging");
}

static void print(const struct tree *t, unsigned n, double mine,
		  const char *rival, double other, bool csv)
{
	bool bytes = t->size > 1 << 20;
	double all = bytes ? (double)t->dirs * t->files * (double)t->size / 1e6
			   : t->dirs * t->files;

	if (other < 0)
		return;
	printf(csv ? "%s x %u,staging,%s,%.0f,%s,%.0f,%.2f\n"
		   : "%-6s %5u  %-8s %8.0f  %-9s %8.0f %7.2f\n",
	       t->name, n, bytes ? "MB/s" : "files/s", all / mine, rival,
	       all / other, other / mine);
	fflush(stdout);
}

static void run(const struct tree *t, bool csv)
{
	double mine[2][REPEAT_MAX], other[RIVALS][REPEAT_MAX], middle[2];

	make_tree(t);
	for (unsigned i = 0; i < repeat; i++) {
		for (size_t r = 0; r < RIVALS; r++) {
			get_ready();
			other[r][i] = rivals[r].run(t);
			if (other[r][i] >= 0)
				tell("%s: %s: %.1f s", t->name, rivals[r].name,
				     other[r][i]);
		}
		for (unsigned m = 0; m < 2; m++) {
			get_ready();
			mine[m][i] = ours(t, m ? nodes : 1);
		}
	}
	middle[0] = median(mine[0]);
	middle[1] = median(mine[1]);
	for (size_t r = 0; r < RIVALS; r++) {
		double is = median(other[r]);

		print(t, 1, middle[0], rivals[r].name, is, csv);
		if (nodes > 1)
			print(t, nodes, middle[1], rivals[r].name, is, csv);
	}
}

static unsigned number(const char *text)
{
	unsigned long n = strtoul(text, NULL, 10);

	if (n < 1 || n > REPEAT_MAX) {
		fprintf(stderr, "staging: %s is not from 1 to %d\n", text,
			REPEAT_MAX);
		exit(2);
	}
	return (unsigned)n;
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{"csv", no_argument, NULL, 'c'},
		{"tree", required_argument, NULL, 't'},
		{"nodes", required_argument, NULL, 'n'},
		{"repeat", required_argument, NULL, 'r'},
		{"files", required_argument, NULL, 'f'},
		{"per-dir", required_argument, NULL, 'd'},
		{"slow", required_argument, NULL, 's'},
		{NULL, 0, NULL, 0}};
	const char *only = NULL;
	bool csv = false;
	unsigned slow = 0;
	char work[4096];
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1)
		switch (c) {
		case 'c':
			csv = true;
			break;
		case 't':
			only = optarg;
			break;
		case 'n':
			nodes = number(optarg);
			break;
		case 'r':
			repeat = number(optarg);
			break;
		case 'f':
			files = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'd':
			per_dir = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 's':
			slow = number(optarg);
			break;
		default:
			return 2;
		}
	if (optind + 1 != argc || !per_dir) {
		fprintf(stderr, "usage: staging [--csv] [--tree large|small] "
				"[--files N] [--per-dir N] [--nodes N] "
				"[--repeat R] [--slow MS] DIR\n");
		return 2;
	}
	snprintf(work, sizeof(work), "%.4000s/staging.XXXXXX", argv[optind]);
	dir = mkdtemp(work);
	if (!dir)
		die(argv[optind]);
	beneath = work;
	if (slow)
		dir = slow_fs_mount(work, slow, &beneath);
	repeat = repeat ? repeat : slow ? 1 : 3;
	files = files ? files : slow ? 2000 : 20000;
	trees[1].files = files < per_dir ? files : per_dir;
	trees[1].dirs = files / trees[1].files;
	printf(csv ? "case,metric,unit,ours,rival,rival_value,ratio\n"
		   : "tree   nodes  unit         ours  rival        value   ratio\n");
	fflush(stdout);
	for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++)
		if (!only || !strcmp(only, trees[i].name))
			run(&trees[i], csv);
	if (slow)
		slow_fs_unmount(work);
	slu_rmtree(AT_FDCWD, work, NULL);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench/staging [--csv] [--tree large|small] [--nodes N] [--repeat R] DIR
 *
 * Staging against `cp -r`: one tree of large files and one of 20,000 small
 * ones, copied inside DIR; the source is cold (as root: caches dropped), both
 * end when the data is on disk. All acts of staging count: walk, copy, verify,
 * finish. "Nodes" are N processes on this machine, which share its one disk;
 * so N = 1 is what a node does better than cp, and more nodes show what
 * dividing costs. Runs alternate; medians.
 */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "bench/measure.h"
#include "burst_buffer/staging/stage.h"
#include "common/file.h"
#include "common/proc.h"

#define REPEAT_MAX 99

static struct tree {
	const char *name;
	unsigned dirs, files; /* files in each directory */
	size_t size;	      /* bytes of each file */
} trees[] = {
	{"large", 1, 8, 256u << 20},
	{"small", 100, 200, 4096},
};

static const char *dir;
static unsigned nodes = 4, repeat = 3;

static void die(const char *what)
{
	fprintf(stderr, "staging: %s: %s\n", what, strerror(errno));
	exit(1);
}

static char *path(const char *name)
{
	static char out[4][4096];
	static int turn;

	turn = (turn + 1) % 4;
	snprintf(out[turn], sizeof(out[turn]), "%s/%s", dir, name);
	return out[turn];
}

/* Bytes that no file system can compress or leave out. */
static void write_file(const char *name, size_t size)
{
	static unsigned char block[1 << 20];
	static unsigned long long x = 88172645463325252ull;
	int fd = open(path(name), O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0)
		die(name);
	while (size) {
		size_t n = size < sizeof(block) ? size : sizeof(block);

		for (size_t i = 0; i + 8 <= n; i += 8) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			memcpy(block + i, &x, 8);
		}
		if (slu_write_all(fd, block, n))
			die(name);
		size -= n;
	}
	close(fd);
}

static void make_tree(const struct tree *t)
{
	char name[100];

	snprintf(name, sizeof(name), "%s", t->name);
	mkdir(path(name), 0755);
	for (unsigned d = 0; d < t->dirs; d++) {
		snprintf(name, sizeof(name), "%s/d%u", t->name, d);
		mkdir(path(name), 0755);
		for (unsigned f = 0; f < t->files; f++) {
			snprintf(name, sizeof(name), "%s/d%u/f%u", t->name, d,
				 f);
			write_file(name, t->size);
		}
	}
}

static void make_cold(void)
{
	int fd;

	sync();
	fd = open("/proc/sys/vm/drop_caches", O_WRONLY);
	if (fd < 0 || write(fd, "3", 1) != 1)
		fprintf(stderr, "staging: not root: the source is warm\n");
	if (fd >= 0)
		close(fd);
}

static void clear(void)
{
	struct slu_err err;

	if (slu_rmtree(AT_FDCWD, path("copy"), &err)) {
		fprintf(stderr, "staging: %s\n", err.text);
		exit(1);
	}
	mkdir(path("copy"), 0755);
}

static void act(enum slu_act_name name, struct slu_stage_part part)
{
	struct slu_stage_result r;
	struct slu_err err;

	part.manifest = open(path("manifest"), O_RDWR | O_CREAT, 0600);
	if (slu_stage(name, &part, &r, &err)) {
		fprintf(stderr, "staging: %s\n", err.text);
		exit(1);
	}
	close(part.manifest);
}

/* One act on n nodes at once. */
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
	char from[4096];
	struct slu_stage_part part = {.source = from, .n = n, .durable = true};
	double start;

	snprintf(from, sizeof(from), "%s", path(t->name));
	part.destination = path("copy");
	unlink(path("manifest"));
	start = bench_now();
	act(SLU_PREPARE, part);
	all_act(SLU_COPY, part);
	all_act(SLU_VERIFY, part);
	act(SLU_FINISH, part);
	return bench_now() - start;
}

static double rival(const struct tree *t)
{
	char *copy[] = {"cp", "-r", path(t->name), path("copy"), NULL};
	char *flush[] = {"sync", "-f", path("copy"), NULL};
	double start = bench_now();
	struct slu_err err;

	if (slu_run(copy, 600, NULL, &err) || slu_run(flush, 600, NULL, &err)) {
		fprintf(stderr, "staging: %s\n", err.text);
		exit(1);
	}
	return bench_now() - start;
}

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

static double measure(const struct tree *t, unsigned n)
{
	clear();
	make_cold();
	return n ? ours(t, n) : rival(t);
}

static void print(const struct tree *t, unsigned n, double mine, double other,
		  bool csv)
{
	bool bytes = t->size > 1 << 20;
	double all = bytes ? (double)t->dirs * t->files * (double)t->size / 1e6
			   : t->dirs * t->files;

	printf(csv ? "%s x %u,staging,%s,%.0f,cp -r,%.0f,%.2f\n"
		   : "%-6s %5u  %-8s %8.0f %8.0f %7.2f\n",
	       t->name, n, bytes ? "MB/s" : "files/s", all / mine, all / other,
	       other / mine);
	fflush(stdout);
}

static void run(const struct tree *t, bool csv)
{
	double mine[2][REPEAT_MAX], other[REPEAT_MAX], cp;

	make_tree(t);
	for (unsigned i = 0; i < repeat; i++) {
		other[i] = measure(t, 0);
		mine[0][i] = measure(t, 1);
		mine[1][i] = measure(t, nodes);
	}
	cp = median(other);
	print(t, 1, median(mine[0]), cp, csv);
	if (nodes > 1)
		print(t, nodes, median(mine[1]), cp, csv);
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
		{NULL, 0, NULL, 0}};
	const char *only = NULL;
	bool csv = false;
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
		default:
			return 2;
		}
	if (optind + 1 != argc) {
		fprintf(stderr, "usage: staging [--csv] [--tree large|small] "
				"[--nodes N] [--repeat R] DIR\n");
		return 2;
	}
	snprintf(work, sizeof(work), "%.4000s/staging.XXXXXX", argv[optind]);
	dir = mkdtemp(work);
	if (!dir)
		die(argv[optind]);
	printf(csv ? "case,metric,unit,ours,rival,rival_value,ratio\n"
		   : "tree   nodes  unit         ours    cp -r   ratio\n");
	for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++)
		if (!only || !strcmp(only, trees[i].name))
			run(&trees[i], csv);
	slu_rmtree(AT_FDCWD, dir, NULL);
	return 0;
}

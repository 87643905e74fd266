/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures the cost of verifying a copy, compared with other programs.
 *
 *	bench/verify [--csv] [--files N] [--large N] [--repeat R] [--slow MS]
 *		DIR
 */

/*
 * A tree of N (4,000) files of 4 KiB and one of N (4) of 256 MiB, copied inside
 * DIR by one node, cold and until the data is on disk, and then not verified,
 * by size and time, or by content. Compared with `cp -r`, which verifies
 * nothing; `rsync -a` and a second `rsync -a --checksum`, which reads both
 * sides; and `cp -r` with `diff -r`. All read the copy again from disk. Runs
 * alternate; medians.
 *
 * --slow: on a client of GlusterFS with a latency of MS per operation; by
 * content it is also verified as by the node that has the data, from the brick
 * beneath. As root.
 */
#include "config.h"
#include <fcntl.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "bench/files.h"
#include "bench/measure.h"
#include "bench/slow_fs.h"
#include "burst_buffer/staging/stage.h"
#include "common/err.h"
#include "common/file.h"
#include "common/proc.h"

#define REPEAT_MAX 99
#define SECONDS	   3600
#define PER_DIR	   200

static struct tree {
	const char *name;
	unsigned files;
	size_t size;
} trees[] = {{"large", 4, 256u << 20}, {"small", 4000, 4096}};

static char work[4096], from[4200], to[4200], manifest[4200];
static const char *root, *beneath; /* the client's mount; the brick */

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void make_tree(const struct tree *t)
{
	char name[4400];

	mkdir(from, 0755);
	for (unsigned i = 0; i < t->files; i++) {
		snprintf(name, sizeof(name), "%s/d%u", from, i / PER_DIR);
		mkdir(name, 0755);
		snprintf(name, sizeof(name), "%s/d%u/f%u", from, i / PER_DIR,
			 i);
		bench_write_file(name, t->size);
	}
}

static void get_ready(void)
{
	struct slu_err err;

	if (slu_rmtree(AT_FDCWD, to, &err)) {
		fprintf(stderr, "verify: %s\n", err.text);
		exit(1);
	}
	mkdir(to, 0755);
	bench_make_cold("verify");
}

enum how { NONE, SIZE, CONTENT, HELD, HOWS };

/* Seconds. */
static double ours(enum how how)
{
	struct slu_stage_part part = {.source = from,
				      .destination = to,
				      .n = 1,
				      .durable = true,
				      .beside = "sluice-1",
				      .content = how >= CONTENT,
				      .fs_root = root,
				      .held_source = true};
	int last = how == NONE ? SLU_COPY : SLU_FINISH;
	double start = bench_now();
	struct slu_stage_result r;
	struct slu_err err;

	if (how == HELD)
		part.held = open(beneath, O_PATH | O_DIRECTORY);
	part.manifest = open(manifest, O_RDWR | O_CREAT | O_TRUNC, 0600);
	for (int act = SLU_PREPARE; act <= last; act++)
		if (lseek(part.manifest, 0, SEEK_SET) ||
		    slu_stage((enum slu_act_name)act, &part, &r, &err)) {
			fprintf(stderr, "verify: %s\n", err.text);
			exit(1);
		}
	close(part.manifest);
	if (how == HELD)
		close(part.held);
	return bench_now() - start;
}

/* One program after the other, with the copy written back and dropped from the
 * cache in between. Negative: a program is missing. */
static double rival(char *const *first, char *const *second)
{
	char *flush[] = {"sync", "-f", to, NULL};
	double start = bench_now();
	struct slu_err err;

	if (slu_run(first, SECONDS, NULL, &err) ||
	    slu_run(flush, SECONDS, NULL, &err))
		goto failed;
	if (second) {
		bench_make_cold("verify");
		if (slu_run(second, SECONDS, NULL, &err))
			goto failed;
	}
	return bench_now() - start;
failed:
	fprintf(stderr, "verify: %s\n", err.text);
	return -1;
}

static double by_cp(void)
{
	char *cp[] = {"cp", "-r", from, to, NULL};

	return rival(cp, NULL);
}

static double by_diff(void)
{
	char copy[4400], *cp[] = {"cp", "-r", from, to, NULL};
	char *diff[] = {"diff", "-r", from, copy, NULL};

	snprintf(copy, sizeof(copy), "%s/%s", to, strrchr(from, '/') + 1);
	return rival(cp, diff);
}

static double by_rsync(void)
{
	char *copy[] = {"rsync", "-a", from, to, NULL};
	char *check[] = {"rsync", "-a", "--checksum", from, to, NULL};

	return rival(copy, check);
}

static const struct {
	const char *name;
	double (*run)(void);
} rivals[] = {
	{"cp -r", by_cp},
	{"cp -r; diff -r", by_diff},
	{"rsync -a; rsync -ac", by_rsync},
};
#define RIVALS (sizeof(rivals) / sizeof(rivals[0]))

static const char *const levels[] = {"none", "size", "content", "held"};

static double median(double *v, unsigned n)
{
	qsort(v, n, sizeof(*v), bench_by_value);
	return v[n / 2];
}

static void print(const struct tree *t, int how, double mine, size_t r,
		  double other, bool csv)
{
	bool bytes = t->size > 1 << 20;
	double all = bytes ? t->files * (double)t->size / 1e6 : t->files;

	if (other > 0)
		printf(csv ? "%s verify=%s,copy and verify,%s,%.0f,%s,%.0f,"
			     "%.2f\n"
			   : "%-6s %-8s %-8s %8.0f  %-20s %8.0f %7.2f\n",
		       t->name, levels[how], bytes ? "MB/s" : "files/s",
		       all / mine, rivals[r].name, all / other, other / mine);
}

static void run(const struct tree *t, unsigned repeat, bool csv)
{
	double mine[HOWS][REPEAT_MAX], other[RIVALS][REPEAT_MAX];
	const int hows = root ? HOWS : HELD;

	snprintf(from, sizeof(from), "%s/%s", root ? root : work, t->name);
	make_tree(t);
	for (unsigned i = 0; i < repeat; i++) {
		for (int how = NONE; how < hows; how++) {
			get_ready();
			mine[how][i] = ours((enum how)how);
		}
		for (size_t r = 0; r < RIVALS; r++) {
			get_ready();
			other[r][i] = rivals[r].run();
		}
	}
	for (int how = NONE; how < hows; how++)
		for (size_t r = 0; r < RIVALS; r++)
			print(t, how, median(mine[how], repeat), r,
			      median(other[r], repeat), csv);
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{"csv", no_argument, NULL, 'c'},
		{"files", required_argument, NULL, 'f'},
		{"large", required_argument, NULL, 'l'},
		{"repeat", required_argument, NULL, 'r'},
		{"slow", required_argument, NULL, 's'},
		{NULL, 0, NULL, 0}};
	unsigned repeat = 3, slow = 0;
	bool csv = false;
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1)
		switch (c) {
		case 'c':
			csv = true;
			break;
		case 'f':
			trees[1].files = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'l':
			trees[0].files = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'r':
			repeat = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 's':
			slow = (unsigned)strtoul(optarg, NULL, 10);
			break;
		default:
			return 2;
		}
	if (optind + 1 != argc || repeat < 1 || repeat > REPEAT_MAX) {
		fprintf(stderr, "usage: verify [--csv] [--files N] "
				"[--large N] [--repeat R] [--slow MS] DIR\n");
		return 2;
	}
	snprintf(work, sizeof(work), "%.4000s/verify.XXXXXX", argv[optind]);
	if (!mkdtemp(work))
		die(argv[optind]);
	snprintf(to, sizeof(to), "%s/copy", work);
	snprintf(manifest, sizeof(manifest), "%s/manifest", work);
	mkdir(to, 0755);
	if (slow)
		root = slow_fs_mount(work, slow, &beneath);
	printf(csv ? "case,metric,unit,ours,rival,rival_value,ratio\n"
		   : "tree   verify   unit         ours  rival                "
		     "   value   ratio\n");
	for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++)
		if (trees[i].files)
			run(&trees[i], repeat, csv);
	if (slow)
		slow_fs_unmount(work);
	slu_rmtree(AT_FDCWD, work, NULL);
	return 0;
}

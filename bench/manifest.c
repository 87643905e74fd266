/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures the cost of a manifest for staging a large tree, without the tree: a
 * manifest of NAMES files is written into DIR, then read as a single node
 * would, and as one of 64 nodes would read its share. The rival is writing and
 * reading a plain file of the same size. Memory is the maximum of this program.
 *
 *	bench/manifest [--csv] NAMES DIR
 */
#include "config.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "bench/measure.h"
#include "burst_buffer/staging/manifest.h"
#include "burst_buffer/staging/share.h"

#define NODES 64

static struct slu_err err;
static bool csv;

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "manifest: %s: %s\n", what, err.text);
	exit(1);
}

static void print(const char *metric, const char *unit, double ours,
		  double rival)
{
	printf(csv ? "manifest,%s,%s,%.3g,plain file,%.3g,%.2f\n"
		   : "%-14s %-4s %10.3g %10.3g %7.2f\n",
	       metric, unit, ours, rival, rival ? ours / rival : 0);
}

static double write_names(FILE *f, unsigned long names)
{
	struct slu_manifest_out *out = calloc(1, sizeof(*out));
	double start = bench_now();
	char path[80];

	out->file = f;
	must(!slu_manifest_begin(out, &err), "begin");
	for (unsigned long i = 0; i < names; i++) {
		const struct slu_entry e = {
			.kind = i % 100 ? 'f' : 'd',
			.mode = 0644,
			.size = i % 100000,
			.path = path,
			.link = "",
		};

		snprintf(path, sizeof(path), "project/run%06lu/output%04lu.dat",
			 i / 100, i % 100);
		must(!slu_manifest_add(out, &e, &err), "add");
	}
	must(!slu_manifest_end(out, &err), "end");
	free(out);
	return bench_now() - start;
}

/* Reads the share of node `self` out of n, as COPY does. */
static double read_share(FILE *f, unsigned self, unsigned n)
{
	double start = bench_now();
	struct slu_totals t;
	struct slu_entry e;
	struct slu_manifest *m = slu_manifest_open(f, &t, &err);
	uint64_t at, end;

	must(m != NULL, "open");
	end = t.cost / n * (self + 1);
	must(!slu_manifest_seek(m, t.cost / n * self, &at, &err), "seek");
	while (at <= end && slu_manifest_next(m, &e, &err) == 1)
		at += e.kind == 'f' ? slu_share_cost(e.size) : 0;
	slu_manifest_free(m);
	return bench_now() - start;
}

static double plain(FILE *from, FILE *to)
{
	static char chunk[1 << 16];
	double start = bench_now();
	size_t n;

	rewind(from);
	while ((n = fread(chunk, 1, sizeof(chunk), from)))
		if (to)
			must(fwrite(chunk, 1, n, to) == n, "write");
	return bench_now() - start;
}

static FILE *file_in(const char *dir, const char *name)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w+");
	must(f != NULL, path);
	unlink(path);
	return f;
}

int main(int argc, char **argv)
{
	double write, all, share, plain_read, plain_write;
	unsigned long names;
	struct rusage usage;
	FILE *f, *copy;

	csv = argc == 4 && !strcmp(argv[1], "--csv");
	if (argc != 3 + csv || !(names = strtoul(argv[1 + csv], NULL, 10))) {
		fprintf(stderr, "usage: manifest [--csv] NAMES DIR\n");
		return 2;
	}
	f = file_in(argv[2 + csv], "manifest");
	copy = file_in(argv[2 + csv], "plain");
	write = write_names(f, names);
	all = read_share(f, 0, 1);
	share = read_share(f, NODES / 2, NODES);
	plain_write = plain(f, copy);
	plain_read = plain(f, NULL);
	getrusage(RUSAGE_SELF, &usage);
	printf(csv ? "case,metric,unit,ours,rival,rival_value,ratio\n"
		   : "               unit       ours      plain   ratio\n");
	print("write", "s", write, plain_write);
	print("read all", "s", all, plain_read);
	print("read 1/64", "s", share, plain_read / NODES);
	print("memory", "MiB", (double)usage.ru_maxrss / 1024, 0);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench/ost [--csv] [--hours N] [--runs SUMMARIES.csv]
 *
 * 1. Time of the exact placement, linear and convex, with the assignment of
 *    every request, and of a single request; beside LEMON's network simplex on
 *    the aggregated graph (bench/ost-lemon, when it was built), equal costs and
 *    flows checked.
 *
 * 2. The discrete-time simulation of "lustre-load-balancing": targets on
 *    servers (8 x 4, then up to 3,600 on 450), files that come at the rates of
 *    a generated trace, are written for a while, stay and are deleted; who
 * places them is round-robin, Lustre's QOS rule, weighted random (targets with
 * more than 0.4 of their space free), the paper's flow with linear costs, or
 * ours (convex). Statistics are 5 s old, as the publisher's are. Targets start
 *    unequally full. With --runs the files are as large as what recorded runs
 *    wrote (NERSC/tokio-abcutils; plain or gzip). Reported: hours until the
 * fullest target is at most 1.05 times the mean (space in use), the same for
 * the load of servers, and the mean bandwidth of files, where a target's is
 * shared by those that write to it at the moment.
 */
#include "config.h"
#include "bench/ost.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PER_SERVER 4

static const char *const who_name[] = {
	"round-robin", "Lustre QOS", "weighted random", "flow (paper)", "ours"};

void ost_die(const char *what)
{
	fprintf(stderr, "bench/ost: %s\n", what);
	exit(1);
}

static const char *at(double hours, char text[16])
{
	if (hours < 0)
		return "never";
	snprintf(text, 16, "%.1f h", hours);
	return text;
}

#define COLUMN "darshan_biggest_write_fs_bytes"

/* The field of a line; no field has a comma in it. */
static double field(const char *line, int column)
{
	for (; column > 0 && line; column--) {
		line = strchr(line, ',');
		line += line != NULL;
	}
	return line ? strtod(line, NULL) : 0;
}

static int find_column(const char *header)
{
	const char *at = strstr(header, COLUMN ",");
	int n = 0;

	for (const char *c = header; at && c < at; c++)
		n += *c == ',';
	/* rows begin with a number that has no name */
	return at ? n + 1 : -1;
}

/* What each run has written, the runs without anything left out. */
static void load_runs(const char *path)
{
	static double bytes[1 << 16];
	static char line[1 << 16];
	char command[4200];
	size_t n = 0;
	int column;
	FILE *f;

	snprintf(command, sizeof(command), "gzip -dcf '%s'", path);
	f = popen(command, "r");
	if (!f || !fgets(line, sizeof(line), f) ||
	    (column = find_column(line)) < 0)
		ost_die("--runs: not such a file");
	while (n < sizeof(bytes) / sizeof(*bytes) &&
	       fgets(line, sizeof(line), f)) {
		bytes[n] = field(line, column);
		n += bytes[n] >= 1e6;
	}
	pclose(f);
	if (n == 0)
		ost_die("--runs: nothing was written");
	ost_take_sizes(bytes, n);
}

static void run_balance(bool csv, double hours)
{
	struct ost_outcome o[ALLOCATORS];
	char a[16], b[16];

	for (int who = 0; who < ALLOCATORS; who++)
		o[who] = ost_simulate(who, 32, PER_SERVER, hours);
	if (!csv)
		printf("\n32 targets on 8 servers, %g hours; at first the "
		       "fullest has %.2f times the mean\n"
		       "paper: round-robin 12 h (space) and 20 h (load), flow 7 "
		       "h\n\n%-16s %12s %12s %10s %10s\n",
		       hours, o[0].first, "max/mean <= 1.05", "space after",
		       "load after", "space at end", "MB/s");
	for (int who = 0; who < ALLOCATORS; who++)
		if (!csv)
			printf("%-16s %12s %12s %10.3f %10.0f\n", who_name[who],
			       at(o[who].space_at, a), at(o[who].load_at, b),
			       o[who].space_end, o[who].bandwidth);
		else if (who != OURS)
			printf("32 targets,space balanced,h,%.2f,%s,%.2f,%.3g\n"
			       "32 targets,space at end,max/mean,%.4f,%s,%.4f,"
			       "%.3g\n",
			       o[OURS].space_at, who_name[who], o[who].space_at,
			       o[OURS].space_at / o[who].space_at,
			       o[OURS].space_end, who_name[who],
			       o[who].space_end,
			       o[OURS].space_end / o[who].space_end);
}

static void run_scale(bool csv)
{
	static const uint32_t size[] = {160, 480, 800, 1024, 3600};

	if (!csv)
		printf("\nmean MB/s of a file by number of targets (8 on a "
		       "server), 6 minutes\npaper: flow up to 54.5 %% above "
		       "round-robin (at 800)\n\n%-8s %12s %12s %16s %12s %12s "
		       "%10s\n",
		       "targets", who_name[0], who_name[1], who_name[2],
		       who_name[3], who_name[4], "ours/RR");
	for (size_t i = 0; i < 5; i++) {
		double mb[ALLOCATORS];

		for (int who = 0; who < ALLOCATORS; who++)
			mb[who] = ost_simulate(who, size[i], 8, 0.1).bandwidth;
		if (!csv)
			printf("%-8u %12.0f %12.0f %16.0f %12.0f %12.0f %9.1f"
			       "%%\n",
			       size[i], mb[0], mb[1], mb[2], mb[3], mb[4],
			       100 * (mb[OURS] / mb[0] - 1));
		for (int who = 0; csv && who < OURS; who++)
			printf("%u targets,bandwidth,MB/s,%.1f,%s,%.1f,%.4g\n",
			       size[i], mb[OURS], who_name[who], mb[who],
			       mb[OURS] / mb[who]);
	}
}

int main(int argc, char **argv)
{
	char lemon[4096];
	double hours = 24;
	bool csv = false;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--csv") == 0) {
			csv = true;
		} else if (strcmp(argv[i], "--hours") == 0 && i + 1 < argc) {
			hours = atof(argv[++i]);
		} else if (strcmp(argv[i], "--runs") == 0 && i + 1 < argc) {
			load_runs(argv[++i]);
		} else {
			fputs("usage: ost [--csv] [--hours N] [--runs FILE]\n",
			      stderr);
			return 2;
		}
	}
	if (csv)
		puts("case,metric,unit,ours,rival,rival_value,ratio");
	snprintf(lemon, sizeof(lemon), "%s-lemon", argv[0]);
	ost_run_times(csv, lemon);
	run_balance(csv, hours);
	run_scale(csv);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares the placement of files on storage targets (select_io/ost) with other
 * strategies: its time, and the balance and bandwidth that it reaches in a
 * simulation.
 *
 *	bench/ost [--csv] [--hours N] [--targets N] [--seed N] [--traces N]
 *		[--even R] [--runs SUMMARIES.csv] [--why]
 */

/*
 * 1. Time of the exact placement, linear and convex, with the assignment of
 * every request, and of a single request; beside the network simplex of LEMON,
 * a graph library in C++, on the aggregated graph (bench/ost-lemon, when it was
 * built), equal costs and flows checked.
 *
 * 2. The discrete-time simulation of Paul et al., "I/O Load Balancing for Big
 * Data HPC Applications": targets on servers (8 x 4, then up to 3,600 on 450);
 * files arrive at the rates of a generated trace, are written, read, kept and
 * deleted. The strategies of placement are round-robin in Lustre's order,
 * Lustre's QOS rule with its penalties, weighted random (by free space, over
 * targets with more than 0.4 of it), their flow with linear costs, and ours
 * (convex, with all costs of select_io/ost/choose.h). Statistics are 5 s old,
 * as the publisher's are. With
 * --runs the sizes of files are those that recorded runs wrote
 * (NERSC/tokio-abcutils; plain or gzip). Assumptions are printed, and explained
 * in ost_sim.c.
 *
 * Reported, as the mean of eight traces (--traces): the hour from which on the
 * fullest target is at most 1.05 times the mean; the same for what servers move
 * in an hour; the earliest hours that any strategy could reach (old files
 * cannot be moved); what strategies with perfect knowledge reach by space, by
 * moved bytes, or by both (--even); the mean bandwidth of all reads and writes;
 * and the processor time to choose a file's targets. With --targets so many (8
 * per server) instead of 8 x 4.
 *
 * With --why only: ablations that show what makes files fast, beside
 * round-robin and ours with other windows of targets.
 */
#include "config.h"
#include "bench/ost.h"
#include "bench/ost_windows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUSY 0.5 /* part of the time */

static uint32_t targets = 32, per_server = 4;
static uint64_t first_seed = 42; /* of the traces */

static const char *const allocator_name[] = {"round-robin",	"Lustre QOS",
					     "weighted random", "flow (raw)",
					     "flow (paper)",	"ours"};

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

/* A field of the line; fields contain no commas. */
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
	/* rows begin with an index that has no title */
	return at ? n + 1 : -1;
}

/* The bytes that each run has written, except incomplete rows. */
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

/* The number of runs that are averaged; few files, as at low loads, are noisy.
 */
#define MOST_RUNS  40
#define SHORT_RUNS 3
static size_t runs = 8;
struct means {
	double space_at, load_at, old_space_at, old_load_at;
	double space_end, load_end, bandwidth, first, decide;
};

/* The hour since which the mean over the runs has been at most 1.05; the series
 * are `stride` doubles apart. */
static double settled(const double *series, size_t stride, size_t n, double per)
{
	double since = -1;

	for (size_t i = 0; i < n; i++) {
		double sum = 0;

		for (size_t run = 0; run < runs; run++)
			sum += series[run * stride + i];
		if (sum > (double)runs * 1.05)
			since = -1;
		else if (since < 0)
			since = (double)(i + 1) / per;
	}
	return since;
}

static struct means balance(enum ost_allocator by, double hours, double busy)
{
	static struct ost_outcome o[MOST_RUNS];
	const size_t stride = sizeof(*o) / sizeof(double);
	size_t n = (size_t)hours;
	struct means m;

	for (size_t run = 0; run < runs; run++)
		ost_simulate(by, targets, per_server, hours, busy,
			     first_seed + run, &o[run]);
	m = (struct means){
		.space_at = settled(o[0].space, stride, 6 * n, 6),
		.load_at = settled(o[0].load, stride, n, 1),
		.old_space_at = settled(o[0].old_space, stride, 6 * n, 6),
		.old_load_at = settled(o[0].old_load, stride, n, 1),
	};
	for (size_t run = 0; run < runs; run++) {
		m.first += o[run].first / (double)runs;
		m.space_end += o[run].space[6 * n - 1] / (double)runs;
		m.load_end += o[run].load[n - 1] / (double)runs;
		m.bandwidth += o[run].bandwidth / (double)runs;
		m.decide += 1e6 * o[run].decide / (double)runs;
	}
	return m;
}

static void print_balance_csv(const struct means m[ALLOCATORS], double busy)
{
	for (int by = 0; by < OURS; by++)
		printf("%u targets busy %g,space balanced,h,%.2f,%s,%.2f,%.3g\n"
		       "%u targets busy %g,load balanced,h,%.2f,%s,%.2f,%.3g\n"
		       "%u targets busy %g,bandwidth,MB/s,%.0f,%s,%.0f,%.3g\n",
		       targets, busy, m[OURS].space_at, allocator_name[by],
		       m[by].space_at, m[OURS].space_at / m[by].space_at,
		       targets, busy, m[OURS].load_at, allocator_name[by],
		       m[by].load_at, m[OURS].load_at / m[by].load_at, targets,
		       busy, m[OURS].bandwidth, allocator_name[by],
		       m[by].bandwidth, m[OURS].bandwidth / m[by].bandwidth);
}

static void run_balance(bool csv, double hours, double busy)
{
	static const char *const known[] = {"emptiest", "idlest", "both"};
	struct means m[ALLOCATORS], best;
	char a[16], b[16];

	for (int by = 0; by < ALLOCATORS; by++)
		m[by] = balance(by, hours, busy);
	if (csv) {
		print_balance_csv(m, busy);
		return;
	}
	printf("\n%u targets on %u servers, %g hours, busy for %g of the time, "
	       "as much read as written;\na server's network has %g of its "
	       "targets' speed; at first the fullest has %.2f times\nthe mean, "
	       "in old files that are purged over 14 hours\n"
	       "paper: round-robin 12 h (space) and 20 h (load), flow 7 h\n\n"
	       "%-16s %12s %12s %10s %10s %10s %12s\n",
	       targets, targets / per_server, hours, busy, OST_LINK, m[0].first,
	       "max/mean <= 1.05", "space from", "load from", "space end",
	       "load end", "MB/s", "us to decide");
	for (int by = 0; by < ALLOCATORS; by++)
		printf("%-16s %12s %12s %10.3f %10.3f %10.0f %12.2f\n",
		       allocator_name[by], at(m[by].space_at, a),
		       at(m[by].load_at, b), m[by].space_end, m[by].load_end,
		       m[by].bandwidth, m[by].decide);
	for (int i = 0; i < 3; i++) {
		best = balance(EMPTIEST + i, hours, busy);
		printf("%-16s %12s %12s %10.3f %10.3f %10.0f\n", known[i],
		       at(best.space_at, a), at(best.load_at, b),
		       best.space_end, best.load_end, best.bandwidth);
	}
	printf("%-16s %12s %12s\n", "nobody before",
	       at(m[OURS].old_space_at, a), at(m[OURS].old_load_at, b));
}

static void run_why(double hours, double busy)
{
	static const struct {
		enum ost_allocator by;
		const char *name;
	} kind[] = {
		{ROUND_ROBIN, "round-robin"},
		{ROBIN_NUMBERS, "by the targets' numbers"},
		{ROBIN_SERVERS, "servers in a new order each round"},
		{ROBIN_TARGETS, "targets in a new order each round"},
		{FLOW, "flow (paper)"},
		{OURS, "ours"},
		{NEAR_NUMBERS, "our costs, neighbours by number"},
		{NEAR_LUSTRE, "our costs, neighbours as Lustre's"},
		{NEAR_CHEAPER, "such, of the cheaper three quarters"},
	};
	char a[16], b[16];

	printf("\n%u targets on %u servers, %g hours, busy for %g of the time\n"
	       "\n%-36s %7s %12s %12s\n",
	       targets, targets / per_server, hours, busy, "", "MB/s",
	       "space from", "load from");
	for (size_t i = 0; i < sizeof(kind) / sizeof(*kind); i++) {
		struct means m = balance(kind[i].by, hours, busy);

		printf("%-36s %7.0f %12s %12s\n", kind[i].name, m.bandwidth,
		       at(m.space_at, a), at(m.load_at, b));
		fflush(stdout);
	}
}

static double bandwidth(enum ost_allocator by, uint32_t targets, double busy)
{
	static struct ost_outcome o;
	double sum = 0;

	for (size_t run = 0; run < SHORT_RUNS; run++) {
		ost_simulate(by, targets, 8, 0.1, busy, first_seed + run, &o);
		sum += o.bandwidth / SHORT_RUNS;
	}
	return sum;
}

static void run_bandwidth(bool csv, uint32_t targets, double busy)
{
	double mb[ALLOCATORS];

	for (int by = 0; by < ALLOCATORS; by++)
		mb[by] = bandwidth(by, targets, busy);
	if (!csv)
		printf("%-8u %5.2f", targets, busy);
	for (int by = 0; !csv && by < ALLOCATORS; by++)
		printf(" %15.0f", mb[by]);
	if (!csv)
		printf(" %9.1f%%\n", 100 * (mb[OURS] / mb[0] - 1));
	for (int by = 0; csv && by < OURS; by++)
		printf("%u targets busy %.2f,bandwidth,MB/s,%.1f,%s,%.1f,"
		       "%.4g\n",
		       targets, busy, mb[OURS], allocator_name[by], mb[by],
		       mb[OURS] / mb[by]);
}

static void run_scale(bool csv)
{
	static const uint32_t size[] = {160, 480, 800, 1024, 3600};
	static const double load[] = {0.1, 0.3, 0.7};

	if (!csv)
		printf("\nmean MB/s of a file by number of targets (8 on a "
		       "server) and by what part of the\ntime they are busy, "
		       "the first 6 minutes (of 24 hours: the last but one "
		       "column above);\npaper: flow up to 54.5 %% above "
		       "round-robin (at 800)\n\n%-8s %5s",
		       "targets", "busy");
	for (int by = 0; !csv && by < ALLOCATORS; by++)
		printf(" %15s", allocator_name[by]);
	if (!csv)
		printf(" %10s\n", "ours/RR");
	for (size_t i = 0; i < 5; i++)
		run_bandwidth(csv, size[i], BUSY);
	for (size_t i = 0; i < 3; i++)
		run_bandwidth(csv, 800, load[i]);
}

int main(int argc, char **argv)
{
	static const double load[] = {0.1, 0.3, BUSY};
	char lemon[4096];
	double hours = 24;
	bool csv = false, why = false, windows = false;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--csv") == 0) {
			csv = true;
		} else if (strcmp(argv[i], "--why") == 0) {
			why = true;
		} else if (strcmp(argv[i], "--windows") == 0) {
			windows = true;
		} else if (strcmp(argv[i], "--hours") == 0 && i + 1 < argc) {
			hours = atof(argv[++i]);
		} else if (strcmp(argv[i], "--targets") == 0 && i + 1 < argc) {
			targets = (uint32_t)atoi(argv[++i]);
			per_server = 8;
		} else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
			first_seed = strtoull(argv[++i], NULL, 10);
		} else if (strcmp(argv[i], "--traces") == 0 && i + 1 < argc) {
			runs = strtoul(argv[++i], NULL, 10);
		} else if (strcmp(argv[i], "--even") == 0 && i + 1 < argc) {
			ost_take_even(atof(argv[++i]));
		} else if (strcmp(argv[i], "--runs") == 0 && i + 1 < argc) {
			load_runs(argv[++i]);
		} else {
			fputs("usage: ost [--csv] [--hours N] [--targets N] "
			      "[--seed N] [--traces N] [--even R] "
			      "[--runs FILE] [--why] [--windows]\n",
			      stderr);
			return 2;
		}
	}
	if (!(hours >= 1 && hours <= OST_HOURS))
		ost_die("--hours: 1 to 48");
	if (runs < 1 || runs > MOST_RUNS)
		ost_die("--traces: 1 to 40");
	if (targets < 8 || targets > OST_TARGETS || targets % 8 > 0)
		ost_die("--targets: 8 to 3600, eights");
	if (windows) {
		ost_run_windows(targets, per_server, hours, first_seed, runs);
		return 0;
	}
	for (size_t i = 0; why && i < 3; i++)
		run_why(hours, load[i]);
	if (why)
		return 0;
	if (csv)
		puts("case,metric,unit,ours,rival,rival_value,ratio");
	snprintf(lemon, sizeof(lemon), "%s-lemon", argv[0]);
	ost_run_times(csv, lemon);
	for (size_t i = 0; i < 3; i++)
		run_balance(csv, hours, load[i]);
	run_scale(csv);
	return 0;
}

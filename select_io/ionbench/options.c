/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the options of sluice-ionbench, and has the text of --help. */
#include "config.h"
#include "select_io/ionbench/options.h"

#include <stdlib.h>
#include <string.h>
#include "common/cli.h"
#include "common/size.h"

#define NAME	   "sluice-ionbench"
#define EXIT_USAGE 2

static const char help[] =
	"Usage: " NAME " [OPTION]... -o TABLE DIRECTORY\n"
	"Measure the bandwidth of access patterns with different numbers of"
	" I/O nodes, as\na PerformanceTable; within a job (see --script).\n\n"
	"What:\n"
	"  -p, --patterns LIST  write-1MiB-shared, read-32KiB-fpp-strided, ...,"
	" names of\n"
	"                       --from's table, or a line \"#BB forward"
	" pattern=...\"\n"
	"      --from TABLE     all patterns of that table, or those of -p\n"
	"      --darshan LOG    what this log shows; may come again\n"
	"  -i, --ions LIST      numbers of I/O nodes; 0: without (0,1,2)\n"
	"  -r, --repeat N       so often (3)\n"
	"How:\n"
	"  -b, --bytes SIZE     of one measurement, all tasks together (1GiB)\n"
	"  -s, --seconds N      that one takes at most (30)\n"
	"      --direct DIR     data of measurements without I/O nodes lies"
	" there\n"
	"      --preload LIB    in LD_PRELOAD of tasks, with I/O nodes\n"
	"      --apply PROGRAM  run before each with the number and the mapping\n"
	"      --load PROGRAM   in place of our own load\n"
	"      --mapping DIR    MappingDir (that of sluice.conf)\n"
	"Limits:\n"
	"  -t, --time TIME      of all measurements together (1h)\n"
	"  -m, --most SIZE      bytes of all measurements (1TiB)\n"
	"  -w, --wait TIME      for idle I/O nodes (10m)\n"
	"Output:\n"
	"  -o, --table FILE     the table, after each measurement\n"
	"      --state FILE     goes on where this stopped (TABLE.state)\n"
	"      --dry-run        say what would be measured\n"
	"      --script         print a batch script with these options\n"
	"      --json           the results, on standard output\n"
	"  -q, --quiet          no progress\n"
	"      --help           show this and exit\n"
	"      --version        show the version and exit\n\n"
	"Exit status: 0 all was measured, 1 failed, 2 wrong usage, 3 a limit "
	"was reached,\n4 the job is to end; after 3 and 4 it can go on.\n";

enum {
	FROM = 256,
	DARSHAN,
	DIRECT,
	PRELOAD,
	APPLY,
	LOAD,
	MAPPING,
	STATE,
	DRY_RUN,
	SCRIPT,
	JSON,
};

static const struct option options[] = {
	{"patterns", required_argument, NULL, 'p'},
	{"from", required_argument, NULL, FROM},
	{"darshan", required_argument, NULL, DARSHAN},
	{"ions", required_argument, NULL, 'i'},
	{"repeat", required_argument, NULL, 'r'},
	{"bytes", required_argument, NULL, 'b'},
	{"seconds", required_argument, NULL, 's'},
	{"direct", required_argument, NULL, DIRECT},
	{"preload", required_argument, NULL, PRELOAD},
	{"apply", required_argument, NULL, APPLY},
	{"load", required_argument, NULL, LOAD},
	{"mapping", required_argument, NULL, MAPPING},
	{"time", required_argument, NULL, 't'},
	{"most", required_argument, NULL, 'm'},
	{"wait", required_argument, NULL, 'w'},
	{"table", required_argument, NULL, 'o'},
	{"state", required_argument, NULL, STATE},
	{"dry-run", no_argument, NULL, DRY_RUN},
	{"script", no_argument, NULL, SCRIPT},
	{"json", no_argument, NULL, JSON},
	{"quiet", no_argument, NULL, 'q'},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'V'},
	{NULL, 0, NULL, 0},
};

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static int take_ions(struct slu_bench *b, const char *text, struct slu_err *err)
{
	b->n_ions = 0;
	for (const char *at = text; at; at = strchr(at, ',')) {
		char *end;
		unsigned long n;

		at += at != text;
		n = strtoul(at, &end, 10);
		if (end == at || (*end && *end != ',') || n > 1000000 ||
		    b->n_ions == SLU_BENCH_MOST_IONS)
			return slu_err(err, SLU_INVALID,
				       "--ions: \"%s\": up to %d numbers, as "
				       "0,1,2,4",
				       text, SLU_BENCH_MOST_IONS);
		b->ions[b->n_ions++] = (uint32_t)n;
	}
	qsort(b->ions, b->n_ions, sizeof(*b->ions), by_number);
	for (size_t i = 1; i < b->n_ions; i++)
		if (b->ions[i] == b->ions[i - 1])
			return slu_err(err, SLU_INVALID, "--ions: %u twice",
				       b->ions[i]);
	return 0;
}

static int take_count(const char *text, uint32_t *out, struct slu_err *err)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || n == 0 || n > 1000)
		return slu_err(err, SLU_INVALID, "\"%.64s\" is not 1 to 1000",
			       text);
	*out = (uint32_t)n;
	return 0;
}

static int take_seconds(const char *text, double *out, struct slu_err *err)
{
	int64_t seconds;

	if (slu_seconds_parse(text, &seconds, err) < 0)
		return -1;
	*out = (double)seconds;
	return 0;
}

static int add_log(struct slu_bench_args *a, const char *path,
		   struct slu_err *err)
{
	const char **grown = realloc(a->log, (a->n_logs + 1) * sizeof(*grown));

	if (!grown)
		return slu_err(err, SLU_NOMEM, "out of memory");
	a->log = grown;
	grown[a->n_logs++] = path;
	return 0;
}

static int take_option(struct slu_bench_args *a, struct slu_bench *b, int c,
		       struct slu_err *err)
{
	switch (c) {
	case 'p':
		a->list = optarg;
		return 0;
	case FROM:
		a->from = optarg;
		return 0;
	case DARSHAN:
		return add_log(a, optarg, err);
	case 'i':
		return take_ions(b, optarg, err);
	case 'r':
		return take_count(optarg, &b->repeat, err);
	case 'b':
		return slu_size_parse(optarg, &a->setup.bytes, err);
	case 's':
		return slu_seconds_parse(optarg, &a->setup.seconds, err);
	case DIRECT:
		b->direct = optarg;
		return 0;
	case PRELOAD:
		b->preload = optarg;
		return strchr(optarg, ',') ? slu_err(err, SLU_INVALID,
						     "--preload: one library")
					   : 0;
	case APPLY:
		b->apply = optarg;
		return 0;
	case LOAD:
		b->load = optarg;
		return 0;
	case MAPPING:
		a->mapping = optarg;
		return 0;
	case 't':
		return take_seconds(optarg, &b->budget, err);
	case 'm':
		return slu_size_parse(optarg, &b->most, err);
	case 'w':
		return take_seconds(optarg, &b->wait, err);
	case 'o':
		a->table = optarg;
		return 0;
	case STATE:
		a->state = optarg;
		return 0;
	case DRY_RUN:
		a->dry_run = true;
		return 0;
	case SCRIPT:
		a->script = true;
		return 0;
	case JSON:
		a->json = true;
		return 0;
	case 'q':
		b->quiet = true;
		return 0;
	}
	return -1;
}

int slu_bench_options(struct slu_bench_args *a, struct slu_bench *b, int argc,
		      char **argv, struct slu_err *err)
{
	int c;

	while ((c = slu_cli_option(NAME, argc, argv, ":p:i:r:b:s:t:m:w:o:q",
				   options)) >= 0) {
		if (c == 'h')
			return slu_cli_show(NAME, help);
		if (c == 'V')
			return slu_cli_show(NAME,
					    NAME " " PACKAGE_VERSION "\n");
		if (c == '?')
			return EXIT_USAGE;
		if (take_option(a, b, c, err) < 0)
			return SLU_BENCH_MISUSED;
	}
	if (optind != argc - 1) {
		slu_err(err, SLU_INVALID, "one directory for the data");
		return SLU_BENCH_MISUSED;
	}
	b->directory = argv[optind];
	return SLU_BENCH_GO_ON;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sluice-place: new files on the storage targets where least is going on. */
#include "config.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/cli.h"
#include "common/size.h"
#include "select_io/client/place.h"

#define NAME	   "sluice-place"
#define EXIT_USAGE 2

static const char help[] =
	"Usage: sluice-place [OPTION...] FILE...\n"
	"Make new files on the storage targets of Lustre where least is going"
	" on; see\nsluice-place(1).\n"
	"\n"
	"  -c, --stripes N   on so many targets (1)\n"
	"  -s, --size SIZE   so large will each be\n"
	"  -n, --name NAME   keep room for what jobs of this name write next"
	" (the\n"
	"                    name of the job that this runs in)\n"
	"  -f, --fsname NAME of this Lustre file system\n"
	"      --targets N   make nothing, print the targets of N files that"
	" will be\n"
	"                    made, a line each\n"
	"      --dry-run     print the commands\n"
	"      --help        show this and exit\n"
	"      --version     show the version and exit\n";

static const struct option options[] = {
	{"stripes", required_argument, NULL, 'c'},
	{"size", required_argument, NULL, 's'},
	{"name", required_argument, NULL, 'n'},
	{"fsname", required_argument, NULL, 'f'},
	{"targets", required_argument, NULL, 't'},
	{"dry-run", no_argument, NULL, 'd'},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'V'},
	{NULL, 0, NULL, 0},
};

static int usage(const char *why)
{
	fprintf(stderr, NAME ": %s (see " NAME " --help)\n", why);
	return EXIT_USAGE;
}

/* As a shell wants it. */
static void print_quoted(const char *path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789/._-+,:@%=";

	if (*path && path[strspn(path, plain)] == '\0') {
		fputs(path, stdout);
		return;
	}
	putchar('\'');
	for (; *path; path++)
		fputs(*path == '\'' ? "'\\''" : (char[]){*path, '\0'}, stdout);
	putchar('\'');
}

static int print(const char *path, const struct sluice_place *ask,
		 char error[SLUICE_PLACE_ERROR])
{
	uint32_t *target = calloc(ask->stripes, sizeof(*target));
	int n = target ? sluice_place_look(ask, target, error) : -1;

	if (!target)
		snprintf(error, SLUICE_PLACE_ERROR, "out of memory");
	if (n > 0)
		printf("lfs setstripe -c %d -o ", n);
	for (int i = 0; i < n; i++)
		printf("%s%" PRIu32, i ? "," : "", target[i]);
	if (n > 0) {
		putchar(' ');
		print_quoted(path);
		putchar('\n');
	}
	free(target);
	return n < 0 ? -1 : 0;
}

/* For files to come: "3,1,4", a line each; an empty one has no room. */
static int print_targets(const struct sluice_place *ask, uint32_t files,
			 char error[SLUICE_PLACE_ERROR])
{
	uint32_t target[SLUICE_PLACE_FILES], count[SLUICE_PLACE_FILES];

	if (sluice_place_files(ask, files, target, count, error)) {
		fprintf(stderr, "sluice-place: %s\n", error);
		return EXIT_FAILURE;
	}
	for (uint32_t i = 0; i < files; i++) {
		for (uint32_t k = 0; k < count[i]; k++)
			printf("%s%" PRIu32, k ? "," : "",
			       target[i * ask->stripes + k]);
		putchar('\n');
	}
	return slu_cli_show(NAME, "");
}

static int take_number(uint32_t most, uint32_t *out)
{
	char *end;
	unsigned long n = strtoul(optarg, &end, 10);

	*out = (uint32_t)n;
	return *end || n == 0 || n > most || *optarg == '-' ? -1 : 0;
}

struct wish {
	struct sluice_place ask;
	uint32_t targets; /* of so many files; 0: make files */
	bool dry_run;
};

/* 0: go on; else the exit code plus 1. */
static int take(int c, struct wish *wish)
{
	struct sluice_place *ask = &wish->ask;
	struct slu_err err;

	switch (c) {
	case 'c':
		return take_number(2000, &ask->stripes)
			       ? usage("--stripes is a number up to 2000") + 1
			       : 0;
	case 't':
		return take_number(SLUICE_PLACE_FILES, &wish->targets)
			       ? usage("--targets is a number up to 4096") + 1
			       : 0;
	case 's':
		return slu_size_parse(optarg, &ask->size, &err)
			       ? usage(err.text) + 1
			       : 0;
	case 'n':
		ask->application = optarg;
		return 0;
	case 'f':
		ask->fsname = optarg;
		return 0;
	case 'd':
		wish->dry_run = true;
		return 0;
	case 'h':
		return slu_cli_show(NAME, help) + 1;
	case 'V':
		return slu_cli_show(NAME, NAME " " PACKAGE_VERSION "\n") + 1;
	default:
		return EXIT_USAGE + 1;
	}
}

int main(int argc, char **argv)
{
	struct wish wish = {
		.ask = {.stripes = 1, .application = getenv("SLURM_JOB_NAME")}};
	const struct sluice_place *ask = &wish.ask;
	char error[SLUICE_PLACE_ERROR];
	int c, rc = 0;

	while ((c = slu_cli_option(NAME, argc, argv, ":c:s:n:f:", options)) !=
	       -1) {
		rc = take(c, &wish);
		if (rc)
			return rc - 1;
	}
	if (wish.targets && (wish.dry_run || optind < argc))
		return usage("--targets makes no files, and has no --dry-run");
	if (wish.targets)
		return print_targets(ask, wish.targets, error);
	if (optind == argc)
		return usage("which file?");
	for (; optind < argc; optind++) {
		*error = '\0';
		if (wish.dry_run
			    ? print(argv[optind], ask, error)
			    : sluice_place_create(argv[optind], ask, error))
			rc = EXIT_FAILURE;
		if (*error)
			fprintf(stderr, "sluice-place: %s: %s\n", argv[optind],
				error);
	}
	return rc ? rc : slu_cli_show(NAME, "");
}

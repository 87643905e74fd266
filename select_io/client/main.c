/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command line of sluice-place: creates files on the Lustre targets with the
 * least load.
 */
#include "config.h"

#include <errno.h>
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
#define WAIT_TOLD  5 /* seconds */

static const char help[] =
	"Usage: sluice-place [OPTION...] FILE...\n"
	"Make new files on the least busy storage targets of Lustre; see\n"
	"sluice-place(1).\n"
	"\n"
	"  -c, --stripes N   on so many targets (1)\n"
	"  -s, --size SIZE   so large will each be\n"
	"  -n, --name NAME   keep room for what jobs of this name write next "
	"(the\n"
	"                    name of the job that this runs in)\n"
	"  -f, --fsname NAME of this Lustre file system\n"
	"  -T, --files-from LIST\n"
	"                    and those that stand in this file, a line each; "
	"- is\n"
	"                    standard input\n"
	"      --targets N   make nothing, print the targets of N files that "
	"will be\n"
	"                    made, a line each\n"
	"      --dry-run     print the commands\n"
	"      --help        show this and exit\n"
	"      --version     show the version and exit\n";

static const struct option options[] = {
	{"stripes", required_argument, NULL, 'c'},
	{"size", required_argument, NULL, 's'},
	{"name", required_argument, NULL, 'n'},
	{"fsname", required_argument, NULL, 'f'},
	{"files-from", required_argument, NULL, 'T'},
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

/* Quoted for a POSIX shell. */
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

/* Targets of files to be created: a line "3,1,4" for each; an empty line if
 * there is no space for the file. */
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
	uint32_t targets; /* print targets of so many files; 0: make files */
	bool dry_run;
	const char *list; /* a file with paths; NULL: none */
};

/* 0: continue; else the exit code plus 1. */
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
	case 'T':
		wish->list = optarg;
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

/* Tells the user, after some seconds, what the program waits for. */
static void tell_wait(double seconds)
{
	static double told;

	if (seconds < told + WAIT_TOLD)
		return;
	told = seconds;
	fprintf(stderr, NAME ": many ask at once, %.0f s so far\n", seconds);
}

static int failed(const char *path, const char *why)
{
	fprintf(stderr, NAME ": %s: %s\n", path, why);
	return EXIT_FAILURE;
}

/* Creates so many files with one query to sluiced. */
static int make_some(char *const *path, uint32_t files,
		     const struct sluice_place *ask)
{
	static uint32_t target[SLUICE_PLACE_FILES], count[SLUICE_PLACE_FILES];
	char error[SLUICE_PLACE_ERROR];
	int rc = 0;

	if (sluice_place_files(ask, files, target, count, error)) {
		fprintf(stderr, NAME ": %s\n", error);
		return EXIT_FAILURE;
	}
	for (uint32_t i = 0; i < files; i++) {
		if (count[i] == 0) {
			rc = failed(path[i], "there is no room for it");
			continue;
		}
		if (sluice_place_create_on(path[i], ask,
					   target + i * ask->stripes, count[i],
					   error))
			rc = failed(path[i], error);
		else if (*error)
			failed(path[i], error);
	}
	return rc;
}

static int make(char *const *path, size_t n, const struct wish *wish)
{
	size_t most = SLUICE_PLACE_FILES / wish->ask.stripes, files;
	char error[SLUICE_PLACE_ERROR];
	int rc = 0;

	for (size_t i = 0; i < n; i += files) {
		files = wish->dry_run ? 1 : n - i < most ? n - i : most;
		if (!wish->dry_run)
			rc |= make_some(path + i, (uint32_t)files, &wish->ask);
		else if (print(path[i], &wish->ask, error))
			rc = failed(path[i], error);
	}
	return rc;
}

/* Paths from the command line and from the list. */
struct paths {
	char **path;
	size_t n;
};

static int add_path(struct paths *all, const char *text)
{
	char **more;

	if (!*text)
		return 0;
	if (*text == '-')
		return failed(text, "is no path");
	more = realloc(all->path, (all->n + 1) * sizeof(*more));
	if (more)
		all->path = more;
	if (!more || !(more[all->n] = strdup(text)))
		return failed(text, "out of memory");
	all->n++;
	return 0;
}

static int add_list(struct paths *all, const char *list)
{
	FILE *f = strcmp(list, "-") ? fopen(list, "r") : stdin;
	char *line = NULL;
	size_t size = 0;
	int rc = 0;

	if (!f)
		return failed(list, strerror(errno));
	while (rc == 0 && getline(&line, &size, f) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		rc = add_path(all, line);
	}
	if (ferror(f))
		rc = failed(list, strerror(errno));
	free(line);
	if (f != stdin)
		fclose(f);
	return rc;
}

static int make_all(int argc, char **argv, const struct wish *wish)
{
	struct paths all = {0};
	int rc = 0;

	for (int i = 0; rc == 0 && i < argc; i++)
		rc = add_path(&all, argv[i]);
	if (rc == 0 && wish->list)
		rc = add_list(&all, wish->list);
	if (rc == 0)
		rc = make(all.path, all.n, wish);
	for (size_t i = 0; i < all.n; i++)
		free(all.path[i]);
	free(all.path);
	return rc ? rc : slu_cli_show(NAME, "");
}

int main(int argc, char **argv)
{
	struct wish wish = {
		.ask = {.stripes = 1, .application = getenv("SLURM_JOB_NAME")}};
	char error[SLUICE_PLACE_ERROR];
	int c, rc;

	while ((c = slu_cli_option(NAME, argc, argv, ":c:s:n:f:T:", options)) !=
	       -1) {
		rc = take(c, &wish);
		if (rc)
			return rc - 1;
	}
	sluice_place_waits = tell_wait;
	if (wish.targets && (wish.dry_run || wish.list || optind < argc))
		return usage("--targets makes no files, and has no --dry-run");
	if (wish.targets)
		return print_targets(&wish.ask, wish.targets, error);
	if (optind == argc && !wish.list)
		return usage("which file?");
	return make_all(argc - optind, argv + optind, &wish);
}

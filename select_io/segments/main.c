/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command line of sluice-segments, for Lustre file systems without composite
 * layouts: splits a file into segments, parts in differently striped
 * directories; runs programs that read such files; removes them.
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/cli.h"
#include "common/size.h"
#include "common/str.h"
#include "select_io/segments/write_segments.h"

#define NAME	   "sluice-segments"
#define EXIT_USAGE 2
#define LIBRARY	   PKGLIBDIR "/libsluice_segments.so"

static const char help_text[] =
	"Usage: sluice-segments split [OPTION...] SOURCE DEST\n"
	"       sluice-segments run PROGRAM [ARGUMENT...]\n"
	"       sluice-segments remove FILE...\n"
	"Files in differently striped segments, where Lustre has no composite"
	" layouts;\nsee sluice-segments(1).\n"
	"\n"
	"  -p, --preset NAME  a published layout: tableI, IOR.4, blast.16, ...\n"
	"  -a, --access HOW   lay out for sequential (default) or random"
	" reads\n"
	"  -r, --readers N    by so many processes at once\n"
	"  -s, --size SIZE    SOURCE (-, standard input) will be so large\n"
	"  -l, --lfs PROGRAM  that stripes directories (lfs); none: stripe"
	" nothing\n"
	"      --dry-run      print what would be done\n"
	"      --help         show this and exit\n"
	"      --version      show the version and exit\n";

static const struct option long_options[] = {
	{"preset", required_argument, NULL, 'p'},
	{"access", required_argument, NULL, 'a'},
	{"readers", required_argument, NULL, 'r'},
	{"size", required_argument, NULL, 's'},
	{"lfs", required_argument, NULL, 'l'},
	{"dry-run", no_argument, NULL, 'd'},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'V'},
	{NULL, 0, NULL, 0},
};

struct options {
	struct slu_stripe_request request;
	struct slu_segment_options how;
	const char *preset;
};

static int wrong(const char *why)
{
	fprintf(stderr, NAME ": %s (see " NAME " --help)\n", why);
	return EXIT_USAGE;
}

static int failed(const struct slu_err *err)
{
	fprintf(stderr, "sluice-segments: %s\n", err->text);
	return EXIT_FAILURE;
}

static int take_readers(const char *text, uint32_t *out)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (!isdigit((unsigned char)*text) || *end || n == 0 || n > UINT32_MAX)
		return wrong("--readers is a number from 1 on") + 1;
	*out = (uint32_t)n;
	return 0;
}

/* 0: continue; else the exit code plus 1. */
static int take_option(int c, struct options *o)
{
	struct slu_err err;

	switch (c) {
	case 'p':
		o->preset = optarg;
		return 0;
	case 'a':
		o->request.access = slu_eq(optarg, "random")
					    ? SLU_STRIPE_RANDOM
					    : SLU_STRIPE_SEQUENTIAL;
		return slu_eq(optarg, "random") || slu_eq(optarg, "sequential")
			       ? 0
			       : wrong("--access is sequential or random") + 1;
	case 'r':
		return take_readers(optarg, &o->request.readers);
	case 's':
		return slu_size_parse(optarg, &o->request.size, &err)
			       ? wrong(err.text) + 1
			       : 0;
	case 'l':
		o->how.lfs = slu_eq(optarg, "none") ? NULL : optarg;
		return 0;
	case 'd':
		o->how.dry_run = true;
		return 0;
	case 'h':
		return slu_cli_show(NAME, help_text) + 1;
	case 'V':
		return slu_cli_show(NAME, NAME " " PACKAGE_VERSION "\n") + 1;
	default:
		return EXIT_USAGE + 1;
	}
}

static int split(struct options *o, const char *source, const char *dest)
{
	bool is_stdin = slu_eq(source, "-");
	int in = is_stdin ? 0 : open(source, O_RDONLY | O_CLOEXEC);
	struct slu_stripe_layout layout;
	struct slu_err err;
	struct stat st;
	int rc;

	if (in < 0 || fstat(in, &st)) {
		slu_errno(&err, SLU_IO, "%s", source);
		return failed(&err);
	}
	if (!o->request.size && S_ISREG(st.st_mode))
		o->request.size = (uint64_t)st.st_size;
	rc = o->preset ? slu_stripe_preset(o->preset, &layout, &err)
		       : slu_stripe_plan(&o->request, &layout, &err);
	if (rc == 0)
		rc = slu_segments_write(in, dest, &layout, &o->how, &err);
	if (!is_stdin)
		close(in);
	return rc ? failed(&err) : 0;
}

/* Runs a program with the library added to LD_PRELOAD. */
static int run(char **argv)
{
	const char *own = getenv("SLUICE_SEGMENTS_LIBRARY");
	const char *was = getenv("LD_PRELOAD");
	const char *library = own ? own : LIBRARY;
	char *both = slu_asprintf("%s%s%s", library, was && *was ? ":" : "",
				  was ? was : "");

	/* without the library the program would read the index itself */
	if (access(library, R_OK)) {
		fprintf(stderr, "sluice-segments: %s: %s\n", library,
			strerror(errno));
		return 126;
	}
	if (!both || setenv("LD_PRELOAD", both, 1))
		return EXIT_FAILURE;
	free(both);
	execvp(argv[0], argv);
	fprintf(stderr, "sluice-segments: %s: %s\n", argv[0], strerror(errno));
	return errno == ENOENT ? 127 : 126;
}

static int remove_all(char **path)
{
	struct slu_err err;
	int rc = 0;

	for (; *path; path++)
		if (slu_segments_remove(*path, &err))
			rc = failed(&err);
	return rc;
}

int main(int argc, char **argv)
{
	struct options o = {.request.access = SLU_STRIPE_SEQUENTIAL,
			    .how.lfs = "lfs"};
	int c, rc;

	while ((c = slu_cli_option(NAME, argc, argv,
				   "+:p:a:r:s:l:", long_options)) != -1) {
		rc = take_option(c, &o);
		if (rc)
			return rc - 1;
	}
	if (optind + 1 >= argc)
		return wrong("split, run or remove what?");
	if (slu_eq(argv[optind], "run"))
		return run(argv + optind + 1);
	if (slu_eq(argv[optind], "remove"))
		return remove_all(argv + optind + 1);
	if (!slu_eq(argv[optind], "split"))
		return wrong("the first word is split, run or remove");
	argc -= optind;
	argv += optind;
	optind = 0;
	while ((c = slu_cli_option(NAME, argc, argv,
				   ":p:a:r:s:l:", long_options)) != -1) {
		rc = take_option(c, &o);
		if (rc)
			return rc - 1;
	}
	if (argc - optind != 2)
		return wrong("split SOURCE DEST");
	rc = split(&o, argv[optind], argv[optind + 1]);
	return rc ? rc : slu_cli_show(NAME, "");
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads options with getopt_long(3) and prints results for all commands, with
 * messages that are the same everywhere: an unknown option and one without its
 * value are reported on stderr, and a write error of stdout makes the exit
 * status non-zero.
 */
#include "config.h"
#include "common/cli.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Did getopt_long() stop at this word because of a long name, and not of a
 * letter? It reports the name if that takes no value and has one. */
static bool is_long(const struct option *longs, const char *word)
{
	while (longs->name && longs->val != optopt)
		longs++;
	return optopt == 0 || (longs->name && strncmp(word, "--", 2) == 0);
}

int slu_cli_option(const char *program, int argc, char **argv,
		   const char *letters, const struct option *longs)
{
	const char *word;
	int c;

	opterr = 0;
	c = getopt_long(argc, argv, letters, longs, NULL);
	word = argv[optind - 1];
	if (c == ':')
		fprintf(stderr, "%s: %s needs a value (see %s --help)\n",
			program, word, program);
	else if (c == '?')
		fprintf(stderr, "%s: unknown option %s (see %s --help)\n",
			program,
			is_long(longs, word)
				? word
				: (const char[]){'-', (char)optopt, 0},
			program);
	return c == ':' ? '?' : c;
}

int slu_cli_show(const char *program, const char *text)
{
	if (fputs(text, stdout) >= 0 && fflush(stdout) == 0 && !ferror(stdout))
		return EXIT_SUCCESS;
	fprintf(stderr, "%s: standard output: %s\n", program, strerror(errno));
	return EXIT_FAILURE;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_CLI_H
#define SLU_COMMON_CLI_H

/*
 * Command-line options and standard output of the commands. Only main() of a
 * program may call this, since libraries do not print.
 */

#include <getopt.h>

/* The next option, as getopt_long(); `letters` begins with ":" or "+:". '?': it
 * is unknown, or lacks its value; then one line on standard error says so and
 * how to get help. */
int slu_cli_option(const char *program, int argc, char **argv,
		   const char *letters, const struct option *longs);

/* Prints this. Returns the exit status: 1, and a line on standard error, if not
 * all output so far could be written. */
int slu_cli_show(const char *program, const char *text);

#endif

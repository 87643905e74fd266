/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_CLI_H
#define SLU_COMMON_CLI_H

/* For the main() of commands, which alone may print. */

#include <getopt.h>

/* The next option as getopt_long() has it; `letters` begins with ":" or "+:".
 * '?': it is none, or lacks its value, which one line on standard error says
 * that ends in how to get help. */
int slu_cli_option(const char *program, int argc, char **argv,
		   const char *letters, const struct option *longs);

/* Print this. The exit status: 1, and a line on standard error, when not all
 * that was printed so far could be written. */
int slu_cli_show(const char *program, const char *text);

#endif

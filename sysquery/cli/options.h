/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_CLI_OPTIONS_H
#define SLU_SYSQUERY_CLI_OPTIONS_H

/* The table of options, from which the parser of the command line, --help and
 * the shell completion are generated. */

#include "sysquery/cli/ask.h"

/* MAYBE: after "=", or the next word if it is a number. */
enum slu_takes {
	SLU_TAKES_NOTHING,
	SLU_TAKES_ONE,
	SLU_TAKES_MANY,
	SLU_TAKES_MAYBE
};

struct slu_cli_option {
	int key;	  /* see enum slu_opt */
	const char *name; /* NULL: only a letter */
	const char *value, *help;
	enum slu_takes takes;
	int (*set)(struct slu_ask *ask, const char *arg, const char *value,
		   struct slu_err *err);
	const char *arg; /* the argument of the question that it sets */
};
extern const struct slu_cli_option slu_options[]; /* key 0 ends it */

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A command line of sysquery's, for tests whose headers have another struct
 * slu_ask (wire/node.h). */
#include "config.h"
#include "sysquery/ask.h"

#include <string.h>

int sysquery_run(int argc, char **argv, struct slu_err *err);

int sysquery_run(int argc, char **argv, struct slu_err *err)
{
	const struct slu_command *c = slu_commands;
	struct slu_ask ask;
	int ret = slu_ask_parse(&ask, argc, argv, err);

	while (ask.command && c->name && strcmp(c->name, ask.command) != 0)
		c++;
	if (ret == 0)
		ret = ask.command ? c->run(&ask, err)
				  : slu_cmd_original(&ask, err);
	slu_ask_free(&ask);
	return ret;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysquery hosts, sysquery extractors: list the hosts, or the extractors, that
 * the resource map has. */
#include "config.h"
#include "sysquery/cli/ask.h"

int slu_cmd_hosts(struct slu_ask *ask, struct slu_err *err)
{
	for (size_t i = 0; i < ask->n_operands; i++)
		if (slu_ask_add_hosts(ask, ask->operand[i], err))
			return -1;
	return slu_ask_show(ask, "hosts", NULL, err);
}

int slu_cmd_extractors(struct slu_ask *ask, struct slu_err *err)
{
	return slu_ask_show(ask, "extractors", NULL, err);
}

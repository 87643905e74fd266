/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysquery hosts, sysquery extractors: what the resource map is made of. */
#include "config.h"
#include "sysquery/ask.h"

int slu_cmd_hosts(struct slu_ask *ask, struct slu_err *err)
{
	static const struct slu_column columns[] = {
		{"host", "HOST", .type = SLU_COL_PLAIN},
		{"documents", "DOCUMENTS", .type = SLU_COL_PLAIN},
		{"since", "SINCE", .type = SLU_COL_TIME},
		{"last_seen", "LAST_SEEN", .type = SLU_COL_TIME},
		{.key = NULL}};

	for (size_t i = 0; i < ask->n_operands; i++)
		if (slu_ask_add_hosts(ask, ask->operand[i], err))
			return -1;
	return slu_ask_show(ask, "hosts", columns, err);
}

int slu_cmd_extractors(struct slu_ask *ask, struct slu_err *err)
{
	static const struct slu_column columns[] = {
		{"extractor", "EXTRACTOR", .type = SLU_COL_PLAIN},
		{"documents", "DOCUMENTS", .type = SLU_COL_PLAIN},
		{"hosts", "HOSTS", .type = SLU_COL_PLAIN},
		{.key = NULL}};

	return slu_ask_show(ask, "extractors", columns, err);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysquery sql: runs a SELECT over the views of the resource map; without one,
 * lists the views and their columns. */
#include "config.h"
#include "sysquery/cli/ask.h"

#include "common/jsonx.h"

int slu_cmd_sql(struct slu_ask *ask, struct slu_err *err)
{
	if (ask->n_operands == 0)
		return slu_ask_show(ask, "views", NULL, err);
	slu_json_set_str(ask->args, "sql", ask->operand[0]);
	return slu_ask_show(ask, "select", NULL, err);
}

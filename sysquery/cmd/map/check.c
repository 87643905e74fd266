/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysquery check: compares slurm.conf with the resource map, and suggests
 * changes. */
#include "config.h"
#include "sysquery/cli/ask.h"

#include <stdlib.h>
#include <string.h>
#include "common/conf.h"
#include "common/jsonx.h"
#include "sysquery/map/slurmconf.h"

/* Puts the nodes of slurm.conf into the question's arguments. */
static int read_conf(struct slu_ask *ask, struct slu_err *err)
{
	char *path = ask->n_operands ? strdup(ask->operand[0])
				     : slu_conf_slurm_path();
	struct json_object *conf = NULL;

	if (path)
		conf = slu_slurmconf_read(path, err);
	else
		slu_err(err, SLU_NOMEM, "out of memory");
	free(path);
	if (!conf)
		return -1;
	json_object_object_foreach(conf, key, value)
		json_object_object_add(ask->args, key, json_object_get(value));
	json_object_put(conf);
	return 0;
}

static bool has_wrong(struct json_object *rows)
{
	const char *severity;

	for (size_t i = 0; i < json_object_array_length(rows); i++)
		if (slu_json_str(json_object_array_get_idx(rows, i), "severity",
				 &severity, NULL) == 0 &&
		    strcmp(severity, "wrong") == 0)
			return true;
	return false;
}

static int show(const struct slu_ask *ask, struct json_object *rows,
		struct slu_buf *out, struct slu_err *err)
{
	if (json_object_array_length(rows))
		return slu_ask_list(ask, &slu_form_check, rows, out, err);
	slu_buf_puts(out, "nothing to change\n");
	return 0;
}

int slu_cmd_check(struct slu_ask *ask, struct slu_err *err)
{
	struct json_object *rows;
	int ret = -1;

	if (read_conf(ask, err))
		return -1;
	rows = slu_ask_object(ask, "check", err);
	if (json_object_is_type(rows, json_type_array)) {
		ask->differs = has_wrong(rows);
		ret = slu_ask_present(ask, "check", rows, show, err);
	}
	json_object_put(rows);
	return ret;
}

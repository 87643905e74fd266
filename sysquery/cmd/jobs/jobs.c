/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysquery jobs: lists ended jobs with their predictions. */
#include "config.h"
#include "sysquery/cli/ask.h"

/* Errors by user, by partition and by week. */
static int accuracy(const struct slu_ask *ask, struct json_object *answer,
		    struct slu_buf *out, struct slu_err *err)
{
	for (const struct slu_answer_key *k = slu_form_accuracy.keys; k->key;
	     k++)
		if (slu_ask_part(ask, NULL, answer, slu_form_accuracy.keys,
				 k->key, out, err))
			return -1;
	if (!out->len)
		slu_ask_say(ask, out,
			    "no ended job had a prediction; what was imported "
			    "has none (see sysquery backtest)");
	return 0;
}

int slu_cmd_jobs(struct slu_ask *ask, struct slu_err *err)
{
	if (ask->accuracy)
		return slu_ask_render(ask, "accuracy", accuracy, err);
	return slu_ask_show(ask, "jobs", NULL, err);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports processes that still have files of a job's storage open after that
 * was removed, at once and by name; the node is drained if that lasts longer
 * than HeldFor. */
#include "config.h"
#include "burst_buffer/node/teardown/holders.h"

#include <stdio.h>
#include "burst_buffer/node/talk.h"
#include "burst_buffer/storage/held_storage.h"
#include "common/size.h"

void slu_holders_report(struct slu_node *n, const struct slu_err *who)
{
	struct slu_report r = {.step = "held",
			       .ok = true,
			       .text = (char *)who->text,
			       .phase = "teardown"};

	slu_node_log(n, SLU_WARN,
		     "its storage is removed, but some of it is still in "
		     "use: %s",
		     who->text);
	slu_talk_step(n, &r, &(struct slu_err){0});
}

struct look {
	int64_t most; /* seconds; 0: for ever */
	char *why;
};

static void look_at(void *arg, const struct slu_held_storage *held)
{
	const struct look *look = arg;
	char age[SLU_TIME_TEXT];

	if (!look->most || held->age < look->most || *look->why)
		return;
	snprintf(look->why, SLU_ERR_TEXT, "%s was given up %s ago, and %.400s",
		 held->name, slu_seconds_text((double)held->age, age),
		 held->who);
}

void slu_holders_too_long(struct slu_node *n, const char *storage,
			  char why[SLU_ERR_TEXT])
{
	struct look look = {.most = n->conf->held_for, .why = why};
	struct slu_uptime up;
	struct slu_err err;

	if (slu_uptime_now(&up, &err))
		slu_node_log(n, SLU_ERROR, "%s", err.text);
	else
		slu_held_storage_each(storage, &up, look_at, &look);
}

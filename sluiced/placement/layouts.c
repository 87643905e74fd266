/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses the layout (lfs setstripe) of a job's directory on Lustre. If the job
 * asked for a number of targets, those with the least load are chosen by the
 * servers' last reports, and the choice is remembered for later placements.
 * Otherwise the layout is planned from the expected size, the kind of access
 * and the number of readers (slu_stripe_plan()).
 */
#include <stdlib.h>
#include <string.h>

#include "burst_buffer/plan/plan.h"
#include "common/jsonx.h"
#include "common/size.h"
#include "select_io/ost/choose.h"
#include "select_io/ost/recent_placements.h"
#include "select_io/stripe/composite_layout.h"
#include "sluiced/ingestion/server_reports.h"
#include "sluiced/questions/answerers.h"
#include "sluiced/placement/layouts.h"
#include "sluiced/questions/io/question_stripe.h"

#define COMMAND "lfs setstripe "

/* "lfs setstripe ARGUMENTS" without the first two words. Caller frees. */
static char *arguments(const char *command, struct slu_err *err)
{
	char *text = strdup(command + strlen(COMMAND));

	if (!text)
		slu_err(err, SLU_NOMEM, "out of memory");
	return text;
}

static struct json_object *choose(struct json_object *live,
				  const struct slu_layout_ask *ask,
				  struct slu_err *err)
{
	const struct slu_ost_choose_settings set = slu_osts_settings(live);
	struct slu_ost_choose_request r = {
		.stripes = ask->stripes,
		.size = ask->size,
		.fsname = ask->fsname,
	};
	struct json_object *servers = NULL, *answer;
	bool predicted = false;

	slu_json_u64_opt(live, "seed", &r.seed, NULL);
	json_object_object_get_ex(live, "servers", &servers);
	json_object_object_get_ex(live, "ranking", &r.ranking);
	for (size_t i = 0; ask->later && i < SLU_JOB_LATER; i++)
		predicted = predicted || ask->later[i] > 0;
	if (predicted && !r.ranking) {
		r.predicted = ask->later;
		r.n_predicted = SLU_JOB_LATER;
	}
	if (!slu_ost_choose(&set, servers, &r, &answer, err))
		return answer;
	/* several file systems, and it is not known which: as without reports
	 */
	return err->kind == SLU_NOTFOUND ? json_object_new_object() : NULL;
}

/* How much of what the job's later runs are predicted to write does not fit
 * beside this. */
static size_t left_out(struct json_object *answer)
{
	struct json_object *list = NULL;
	size_t n = 0;

	json_object_object_get_ex(answer, "predicted", &list);
	for (size_t i = 0; list && i < json_object_array_length(list); i++)
		n += !json_object_get_boolean(json_object_object_get(
			json_object_array_get_idx(list, i), "fits"));
	return n;
}

/* The layout on the number of targets that the job asked for. */
static char *placed(struct json_object *answer,
		    const struct slu_layout_ask *ask, char **why,
		    struct slu_err *err)
{
	struct json_object *list = NULL;
	size_t later = left_out(answer);

	json_object_object_get_ex(answer, "commands", &list);
	if (!list || json_object_array_length(list) == 0) {
		*why = strdup("no server has reported a target that can be "
			      "used");
		return slu_asprintf("-c %u", ask->stripes);
	}
	*why = later ? slu_asprintf("the least busy targets, without room "
				    "for %zu of its later runs",
				    later)
		     : strdup("the least busy targets");
	return arguments(
		json_object_get_string(json_object_array_get_idx(list, 0)),
		err);
}

/* The layout that follows from size and access. */
static char *planned(const struct slu_daemon *d, struct json_object *live,
		     struct json_object *answer,
		     const struct slu_layout_ask *ask, char **why,
		     struct slu_err *err)
{
	struct slu_stripe_request r = {
		.size = ask->size,
		.access =
			ask->random ? SLU_STRIPE_RANDOM : SLU_STRIPE_SEQUENTIAL,
		.readers = ask->readers,
		.tasks = ask->tasks,
		.narrow = !d->conf->wide_striping,
		.mdt = d->conf->data_on_mdt,
		.pool = ask->pool,
	};
	struct slu_stripe_layout layout;
	struct slu_buf command = {0};
	char size[SLU_SIZE_TEXT], *text;
	uint64_t *room = slu_stripe_count_targets(
		answer, json_object_object_get(live, "servers"), &r);
	int rc;

	if (ask->pool)
		r.room = NULL; /* of its targets not known */
	rc = slu_stripe_plan(&r, &layout, err);
	free(room);
	if (rc)
		return NULL;
	slu_stripe_command("setstripe", &layout, &command);
	text = command.data ? arguments(command.data, err) : NULL;
	slu_buf_free(&command);
	*why = slu_asprintf(
		"%s access, %s%s%s, %u targets",
		ask->random ? "random" : "sequential",
		ask->size ? "up to " : "of unknown size",
		ask->size ? slu_size_text(ask->size, size) : "",
		ask->size && ask->predicted ? " as its last runs predict" : "",
		r.targets);
	return text;
}

static void remember(struct slu_daemon *d, struct json_object *answer)
{
	struct json_object *lesson = slu_recent_placements_of_answer(answer);

	slu_osts_learn(d, 0, lesson);
	json_object_put(lesson);
}

char *slu_daemon_layout(struct slu_daemon *d, const struct slu_layout_ask *ask,
			bool *known, char **why, struct slu_err *err)
{
	struct json_object *live, *answer, *list = NULL;
	char *text = NULL;

	*why = NULL;
	*known = false;
	if (ask->pool && ask->stripes) {
		*why = slu_asprintf("Lustre chooses targets of the pool %s",
				    ask->pool);
		return slu_asprintf("-c %u -p %s", ask->stripes, ask->pool);
	}
	live = slu_osts_prepare(d, NULL, NULL);
	answer = choose(live, ask, err);
	if (answer) {
		json_object_object_get_ex(answer, "osts", &list);
		*known = list && json_object_array_length(list) > 0;
		text = ask->stripes ? placed(answer, ask, why, err)
				    : planned(d, live, answer, ask, why, err);
	}
	if (text && ask->stripes)
		remember(d, answer);
	json_object_put(answer);
	json_object_put(live);
	return text;
}

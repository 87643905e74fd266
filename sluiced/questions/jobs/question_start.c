/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers the question "start": when does a waiting job start, and where?
 * squeue and sinfo, run as SlurmUser, show what runs and waits; a predictor
 * that was trained with the history estimates how long that takes;
 * job_submit/simulation/start_forecast.h computes the rest. Users get answers
 * about their own jobs only.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "common/hostlist.h"
#include "common/jsonx.h"
#include "sluiced/questions/answerers.h"
#include "sluiced/queue/start_queue.h"
#include "sluiced/queue/start_sentence.h"

#define NODES_TOLD 20
#define SOON	   600 /* s */
#define FIRST	   16  /* jobs of which nodes are predicted: by priority */
#define TOLD	   32  /* jobs of which starts are told: by priority, */
#define LONG	   20  /* s, after which none is begun any more */

static void put_nodes(struct json_object *obj, const struct slu_start_queue *a,
		      const struct slu_start_forecast *start)
{
	struct json_object *list = json_object_new_array();
	struct slu_hosts hosts = {0};
	char *text = NULL;

	for (size_t i = 0; i < start->n_likely; i++)
		slu_hosts_add(&hosts, a->nodes.name[start->likely[i]]);
	text = slu_hosts_text(&hosts);
	slu_json_set_str(obj, "likely_nodes", text);
	slu_json_set_double(obj, "sure", round(start->sure * 100) / 100);
	for (size_t i = 0; i < a->nodes.n; i++) {
		struct json_object *node;

		if (start->node[i] < 0.005 ||
		    json_object_array_length(list) == NODES_TOLD)
			continue;
		node = json_object_new_object();
		slu_json_set_str(node, "node", a->nodes.name[i]);
		slu_json_set_double(node, "share",
				    round(start->node[i] * 100) / 100);
		json_object_array_add(list, node);
	}
	json_object_object_add(obj, "node", list);
	slu_hosts_free(&hosts);
	free(text);
}

static struct json_object *render(const struct slu_start_queue *a,
				  const struct slu_queued *target,
				  const struct slu_start_forecast *start,
				  int64_t now)
{
	static const struct {
		const char *key;
		double share;
	} quantile[] = {
		{"start_10", 0.1}, {"start_50", 0.5}, {"start_90", 0.9}};
	struct json_object *obj = json_object_new_object();

	slu_json_set_u64(obj, "job_id", target->job_id);
	slu_json_set_str(obj, "partition", a->partition);
	slu_json_set_str(obj, "reason", target->reason);
	slu_json_set_u64(obj, "nodes", target->nodes);
	slu_json_set_u64(obj, "running", a->running);
	slu_json_set_u64(obj, "ahead", a->ahead);
	if (target->planned)
		slu_json_set_i64(obj, "planned", target->planned);
	if (target->planned_on && *target->planned_on &&
	    strcmp(target->planned_on, "(null)") != 0)
		slu_json_set_str(obj, "planned_nodes", target->planned_on);
	for (size_t i = 0; i < 3; i++)
		slu_json_set_i64(obj, quantile[i].key,
				 now + slu_start_forecast_quantile(
					       start, quantile[i].share));
	slu_json_set_double(obj, "within_10min",
			    round(slu_start_forecast_within(start, 600) * 100) /
				    100);
	slu_json_set_double(
		obj, "within_1h",
		round(slu_start_forecast_within(start, 3600) * 100) / 100);
	if (a->whole)
		put_nodes(obj, a, start);
	return obj;
}

int slu_start_answer(struct slu_db *db, const struct slu_asker *who,
		     struct json_object *args, struct slu_buf *out,
		     struct slu_err *err)
{
	const struct slu_queued *target = NULL;
	struct slu_start_forecast start = {0};
	struct json_object *obj;
	struct slu_start_queue a = {0};
	uint64_t job_id;
	int rc = slu_json_u64(args, "job_id", &job_id, err);

	if (rc == 0)
		rc = slu_start_queue_ask(&a, err);
	if (rc == 0) {
		target = slu_start_queue_find(&a, job_id, who);
		rc = slu_start_queue_forecast(&a, db, who, target, job_id,
					      &start, err);
	}
	if (rc == 0) {
		obj = render(&a, target, &start, (int64_t)time(NULL));
		slu_buf_puts(out, slu_json_utf8(obj));
		json_object_put(obj);
	}
	slu_start_forecast_free(&start);
	slu_start_queue_free(&a);
	return rc < 0 ? -1 : 0;
}

/* Jobs that wait, and their nodes, for PrestageTo */

static void add_node(struct json_object *list, const char *name, double share)
{
	struct json_object *node = json_object_new_object();

	slu_json_set_str(node, "node", name);
	slu_json_set_double(node, "share", share);
	json_object_array_add(list, node);
}

/* A plan of Slurm's limits the nodes: it knows what the job asks of its nodes.
 * Where nodes are shared only the plan names them, and the probability that
 * counts is that of an early start. */
static void put_likely(struct json_object *obj, const struct slu_start_queue *a,
		       const struct slu_queued *target,
		       const struct slu_start_forecast *start)
{
	struct json_object *list = json_object_new_array();
	struct slu_hosts planned = {0};
	double soon = slu_start_forecast_within(start, SOON);
	bool has_plan =
		target->planned_on && *target->planned_on &&
		strcmp(target->planned_on, "(null)") != 0 &&
		slu_hosts_parse(target->planned_on, &planned, NULL) >= 0 &&
		planned.n;

	for (size_t i = 0; a->whole && i < start->n_likely; i++) {
		uint32_t at = start->likely[i];
		const char *name = a->nodes.name[at];

		if (!has_plan || slu_hosts_find(&planned, name) >= 0)
			add_node(list, name, start->node[at]);
	}
	for (size_t i = 0; !a->whole && has_plan && i < planned.n; i++)
		add_node(list, planned.name[i], soon);
	slu_json_set_double(obj, "sure", a->whole ? start->sure : soon);
	json_object_object_add(obj, "node", list);
	slu_hosts_free(&planned);
}

static struct json_object *likely_of(struct slu_start_queue *a,
				     struct slu_db *db,
				     const struct slu_asker *who,
				     const struct slu_queued *target, bool look)
{
	struct json_object *obj = json_object_new_object();
	struct slu_start_forecast start = {0};
	struct slu_err unknown;

	slu_json_set_u64(obj, "job_id", target->job_id);
	slu_start_queue_forget_job(a);
	if (look && !slu_start_queue_forecast(a, db, who, target,
					      target->job_id, &start, &unknown))
		put_likely(obj, a, target, &start);
	slu_start_forecast_free(&start);
	return obj;
}

static bool is_asked(struct json_object *jobs, uint32_t job_id)
{
	for (size_t i = 0; i < slu_json_length(jobs); i++)
		if (json_object_get_int64(json_object_array_get_idx(jobs, i)) ==
		    job_id)
			return true;
	return false;
}

int slu_predicted_answer(struct slu_db *db, const struct slu_asker *who,
			 struct json_object *args, struct slu_buf *out,
			 struct slu_err *err)
{
	struct json_object *jobs = NULL, *list;
	struct slu_start_queue a = {0};
	size_t n = 0;

	if (!who->admin)
		return slu_err(err, SLU_DENIED,
			       "only root and SlurmUser may see all jobs");
	if (slu_start_queue_ask(&a, err) < 0) {
		slu_start_queue_free(&a);
		return -1;
	}
	json_object_object_get_ex(args, "jobs", &jobs);
	list = json_object_new_array();
	for (size_t i = 0; i < a.n_queued; i++)
		if (a.queued[i].waits && is_asked(jobs, a.queued[i].job_id))
			json_object_array_add(list, likely_of(&a, db, who,
							      &a.queued[i],
							      n++ < FIRST));
	slu_buf_puts(out, slu_json_utf8(list));
	json_object_put(list);
	slu_start_queue_free(&a);
	return 0;
}

/* Jobs that wait, and when they start, for their comments */

static struct json_object *told_of(struct slu_start_queue *a, struct slu_db *db,
				   const struct slu_asker *who,
				   const struct slu_queued *target)
{
	struct slu_start_forecast start = {0};
	struct json_object *obj = NULL;
	struct slu_buf text = {0};
	struct slu_err unknown;

	slu_start_queue_forget_job(a);
	if (!slu_start_queue_forecast(a, db, who, target, target->job_id,
				      &start, &unknown)) {
		slu_start_sentence(&start, a->whole ? &a->nodes : NULL,
				   (int64_t)time(NULL), &text);
		obj = json_object_new_object();
		slu_json_set_u64(obj, "job_id", target->job_id);
		slu_json_set_str(obj, "text", text.data);
	}
	slu_buf_free(&text);
	slu_start_forecast_free(&start);
	return obj;
}

/* Tasks of an array that are not split off yet have one number. */
static bool is_first(const struct slu_start_queue *a, size_t i)
{
	return !i || a->queued[i - 1].job_id != a->queued[i].job_id;
}

int slu_starts_answer(struct slu_db *db, const struct slu_asker *who,
		      struct json_object *args, struct slu_buf *out,
		      struct slu_err *err)
{
	time_t until = time(NULL) + LONG;
	struct slu_start_queue a = {0};
	struct json_object *list, *one;

	(void)args;
	if (!who->admin)
		return slu_err(err, SLU_DENIED,
			       "only root and SlurmUser may see all jobs");
	if (slu_start_queue_ask(&a, err) < 0) {
		slu_start_queue_free(&a);
		return -1;
	}
	list = json_object_new_array();
	for (size_t i = 0; i < a.n_queued && slu_json_length(list) < TOLD &&
			   time(NULL) < until;
	     i++)
		if (a.queued[i].waits && is_first(&a, i) &&
		    (one = told_of(&a, db, who, &a.queued[i])))
			json_object_array_add(list, one);
	slu_buf_puts(out, slu_json_utf8(list));
	json_object_put(list);
	slu_start_queue_free(&a);
	return 0;
}

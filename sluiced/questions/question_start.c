/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When does a job that waits start, and where? Slurm is asked what runs and
 * waits, as by any user of squeue, but as SlurmUser; how long that takes says a
 * predictor that has been taught the history; the rest is
 * job_submit/simulation/start_forecast.h. Whoever asks is told of his own job
 * alone.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "common/hostlist.h"
#include "common/jsonx.h"
#include "common/proc.h"
#include "job_submit/history/job_history.h"
#include "job_submit/simulation/start_forecast.h"
#include "sluiced/questions/answerers.h"
#include "sluiced/questions/partition_queue.h"

#define SECONDS	   60 /* that squeue or sinfo may take */
#define SAMPLES	   100
#define MANY	   2000 /* jobs, of which fewer samples are drawn */
#define FEW	   30
#define NODES_TOLD 20
#define EVER	   (10 * 366 * 86400LL)

struct asked {
	struct slu_buf queue_text, nodes_text;
	struct slu_queued *queued; /* all of Slurm's */
	size_t n_queued;
	struct slu_hosts nodes; /* that can be used, in sinfo's order */
	uint32_t *cpus;		/* of each */
	uint64_t all_cpus;
	/* those that compete, as start_forecast.h has them, */
	struct slu_start_forecast_job *job;
	const struct slu_queued **of; /* and as squeue has them */
	size_t n, target, running, ahead;
	uint32_t **node; /* to be freed */
	bool whole;	 /* nodes are not shared: sizes are in nodes */
	struct slu_predictor *p;
	struct slu_outlook *outlook;
};

static int nomem(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "out of memory");
}

static int ask_slurm(struct asked *a, struct slu_err *err)
{
	char *squeue[] = {"squeue", "-h",
			  "-a",	    "-r",
			  "-t",	    "PENDING,RUNNING,SUSPENDED",
			  "-o",	    SLU_QUEUE_FORMAT,
			  NULL};
	struct slu_queued job;
	size_t room = 0;
	char *at;

	setenv("SLURM_TIME_FORMAT", "%s", 1);
	if (slu_run(squeue, SECONDS, &a->queue_text, err) < 0)
		return slu_err_prefix(err, "squeue");
	for (at = a->queue_text.data; slu_partition_queue_next(&at, &job);) {
		if (a->n_queued == room) {
			size_t more = room ? 2 * room : 256;
			struct slu_queued *p =
				realloc(a->queued, more * sizeof(*a->queued));

			if (!p)
				return nomem(err);
			a->queued = p;
			room = more;
		}
		a->queued[a->n_queued++] = job;
	}
	return 0;
}

static int ask_nodes(struct asked *a, const char *partition,
		     struct slu_err *err)
{
	char *sinfo[] = {"sinfo",
			 "-h",
			 "-N",
			 "-p",
			 (char *)(uintptr_t)partition,
			 "-o",
			 SLU_NODES_FORMAT,
			 NULL};
	struct slu_usable node;
	char *at;

	if (slu_run(sinfo, SECONDS, &a->nodes_text, err) < 0)
		return slu_err_prefix(err, "sinfo");
	for (at = a->nodes_text.data; slu_nodes_next(&at, &node);) {
		size_t n = a->nodes.n;
		uint32_t *cpus = realloc(a->cpus, (n + 1) * sizeof(*a->cpus));

		if (!cpus)
			return nomem(err);
		a->cpus = cpus;
		if (slu_hosts_add(&a->nodes, node.name) < 0)
			return nomem(err);
		if (a->nodes.n == n)
			continue;
		cpus[n] = node.cpus;
		a->all_cpus += node.cpus;
	}
	return 0;
}

static const struct slu_queued *find(const struct asked *a, uint64_t job_id,
				     const struct slu_asker *who)
{
	for (size_t i = 0; i < a->n_queued; i++) {
		const struct slu_queued *q = &a->queued[i];

		if (q->job_id == job_id && q->waits &&
		    (who->admin || q->uid == who->uid))
			return q;
	}
	return NULL;
}

/* Its nodes among those that can be used; whether it has them for itself. */
static int place(struct asked *a, const struct slu_queued *q, uint32_t **node,
		 uint32_t *n, struct slu_err *err)
{
	struct slu_hosts hosts;
	uint64_t cpus = 0;

	if (slu_hosts_parse(q->on, &hosts, err) < 0)
		return -1;
	*n = 0;
	*node = calloc(hosts.n + 1, sizeof(**node));
	for (size_t i = 0; *node && i < hosts.n; i++) {
		long at = slu_hosts_find(&a->nodes, hosts.name[i]);

		if (at < 0)
			continue;
		(*node)[(*n)++] = (uint32_t)at;
		cpus += a->cpus[at];
	}
	a->whole &= !*n || q->cpus >= cpus;
	slu_hosts_free(&hosts);
	return *node ? 0 : nomem(err);
}

static int add_running(struct asked *a, const struct slu_queued *q,
		       struct slu_err *err)
{
	int64_t limit = q->limit ? q->limit : EVER;
	uint32_t *node, n;

	if (place(a, q, &node, &n, err) < 0)
		return -1;
	if (!n) {
		free(node);
		return 0;
	}
	a->node[a->n] = node;
	a->of[a->n] = q;
	a->job[a->n++] = (struct slu_start_forecast_job){
		.size = n,
		.elapsed = q->elapsed,
		.limit = limit > q->elapsed ? limit : q->elapsed + 1,
		.node = node,
	};
	return 0;
}

static void add_waiting(struct asked *a, const struct slu_queued *q)
{
	a->of[a->n] = q;
	a->job[a->n++] = (struct slu_start_forecast_job){
		.size = q->nodes ? q->nodes : 1,
		.elapsed = -1,
		.limit = q->limit ? q->limit : EVER,
	};
}

static int by_priority(const void *a, const void *b)
{
	const struct slu_queued *x = a, *y = b;

	if (x->priority != y->priority)
		return x->priority > y->priority ? -1 : 1;
	return (x->job_id > y->job_id) - (x->job_id < y->job_id);
}

static bool competes(const struct asked *a, const struct slu_queued *q,
		     const struct slu_queued *target)
{
	return slu_partition_queue_in(q, target->partition) &&
	       !slu_partition_queue_apart(q) && q->nodes <= a->nodes.n &&
	       q->cpus <= a->all_cpus;
}

/* Where nodes are shared, sizes are processors. */
static void count_cpus(struct asked *a)
{
	for (size_t i = 0; i < a->n; i++) {
		a->job[i].size = a->of[i]->cpus ? a->of[i]->cpus : 1;
		a->job[i].node = NULL;
	}
}

static int list_jobs(struct asked *a, const struct slu_queued *target,
		     struct slu_err *err)
{
	a->job = calloc(a->n_queued + 1, sizeof(*a->job));
	a->of = calloc(a->n_queued + 1, sizeof(*a->of));
	a->node = calloc(a->n_queued + 1, sizeof(*a->node));
	if (!a->job || !a->of || !a->node)
		return nomem(err);
	a->whole = true;
	for (size_t i = 0; i < a->n_queued; i++)
		if (!a->queued[i].waits &&
		    add_running(a, &a->queued[i], err) < 0)
			return -1;
	a->running = a->n;
	for (size_t i = 0; i < a->n_queued; i++) {
		const struct slu_queued *q = &a->queued[i];

		if (q->job_id == target->job_id && q->waits) {
			a->target = a->n;
			add_waiting(a, q);
			break; /* array tasks are alike: the first */
		}
		if (!q->waits || !competes(a, q, target))
			continue;
		a->ahead++;
		add_waiting(a, q);
	}
	for (size_t i = 0; i < a->n_queued; i++) {
		const struct slu_queued *q = &a->queued[i];

		if (q->waits && q->job_id != target->job_id &&
		    by_priority(target, q) < 0 && competes(a, q, target))
			add_waiting(a, q);
	}
	if (!a->whole)
		count_cpus(a);
	return 0;
}

static int teach(void *arg, const struct slu_history_row *row,
		 struct slu_err *err)
{
	(void)err;
	slu_learn(arg, &row->job);
	return 0;
}

static struct slu_job as_job(const struct slu_queued *q)
{
	return (struct slu_job){
		.uid = q->uid,
		.name = q->name,
		.account = q->account,
		.partition = q->partition,
		.node_cnt = q->nodes,
		.limit_asked = (uint32_t)((q->limit + 59) / 60),
	};
}

static int look(struct asked *a, struct slu_db *db, const struct slu_asker *who,
		struct slu_err *err)
{
	const struct slu_history_query query = {
		.uid = SLU_NO_ID, .last = who->replay, .brief = true};

	a->outlook = calloc(a->n + 1, sizeof(*a->outlook));
	if (!a->outlook)
		return nomem(err);
	a->p = slu_predictor_new(SLU_PREDICT_CLASSES, who->quantile,
				 (int64_t)who->floor, err);
	if (!a->p || slu_history_each(db, &query, teach, a->p, err) < 0)
		return -1;
	for (size_t i = 0; i < a->n; i++) {
		struct slu_job job = as_job(a->of[i]);

		slu_predict_outlook(a->p, &job, &a->outlook[i]);
	}
	return 0;
}

static double run_time(void *arg, size_t i, double share)
{
	const struct asked *a = arg;
	double gone = (double)(a->job[i].elapsed > 0 ? a->job[i].elapsed : 0);
	double q = slu_predict_quantile(a->p, &a->outlook[i], share, gone);

	return q > 0 ? q : (double)a->job[i].limit; /* nothing is known */
}

static void put_nodes(struct json_object *obj, const struct asked *a,
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

static struct json_object *render(const struct asked *a,
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
	slu_json_set_str(obj, "partition", target->partition);
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

static int check(const struct asked *a, const struct slu_queued *target,
		 uint64_t job_id, struct slu_err *err)
{
	if (!target)
		return slu_err(err, SLU_NOTFOUND,
			       "job %llu does not wait, or is not yours",
			       (unsigned long long)job_id);
	if (slu_partition_queue_apart(target))
		return slu_err(err, SLU_INVALID,
			       "job %u waits for something else (%s): nobody "
			       "knows when",
			       target->job_id, target->reason);
	if (a->nodes.name && target->nodes > a->nodes.n)
		return slu_err(err, SLU_INVALID,
			       "job %u wants %u nodes, and %zu of its "
			       "partition can be used",
			       target->job_id, target->nodes, a->nodes.n);
	return 0;
}

static int predict(struct asked *a, const struct slu_queued *target,
		   struct json_object **out, struct slu_err *err)
{
	struct slu_start_forecast_input ask = {
		.job = a->job,
		.n = a->n,
		.target = a->target,
		.machine =
			a->whole ? (int64_t)a->nodes.n : (int64_t)a->all_cpus,
		.nodes = a->whole ? (uint32_t)a->nodes.n : 0,
		.run = run_time,
		.arg = a,
		.samples = a->n > MANY ? FEW : SAMPLES,
		.seed = target->job_id,
	};
	struct slu_start_forecast start;
	int rc = slu_start_forecast_make(&ask, &start, err);

	if (rc == 0)
		*out = render(a, target, &start, (int64_t)time(NULL));
	slu_start_forecast_free(&start);
	return rc;
}

static int work(struct asked *a, struct slu_db *db, const struct slu_asker *who,
		uint64_t job_id, struct json_object **out, struct slu_err *err)
{
	const struct slu_queued *target;
	char *first;

	if (ask_slurm(a, err) < 0)
		return -1;
	if (a->n_queued)
		qsort(a->queued, a->n_queued, sizeof(*a->queued), by_priority);
	target = find(a, job_id, who);
	if (check(a, target, job_id, err) < 0)
		return -1;
	first = strchr(target->partition, ',');
	if (first)
		*first = '\0'; /* of several, the first */
	if (ask_nodes(a, target->partition, err) < 0 ||
	    check(a, target, job_id, err) < 0 ||
	    list_jobs(a, target, err) < 0 || look(a, db, who, err) < 0)
		return -1;
	return predict(a, target, out, err);
}

int slu_start_answer(struct slu_db *db, const struct slu_asker *who,
		     struct json_object *args, struct slu_buf *out,
		     struct slu_err *err)
{
	struct json_object *obj = NULL;
	struct asked a = {0};
	uint64_t job_id;
	int rc = slu_json_u64(args, "job_id", &job_id, err);

	if (rc == 0)
		rc = work(&a, db, who, job_id, &obj, err);
	if (rc == 0)
		slu_buf_puts(out, slu_json_utf8(obj));
	json_object_put(obj);
	for (size_t i = 0; i < a.n; i++)
		free(a.node[i]);
	free(a.queued);
	free(a.job);
	free(a.of);
	free(a.node);
	free(a.cpus);
	free(a.outlook);
	slu_hosts_free(&a.nodes);
	slu_predictor_free(a.p);
	slu_buf_free(&a.queue_text);
	slu_buf_free(&a.nodes_text);
	return rc < 0 ? -1 : 0;
}

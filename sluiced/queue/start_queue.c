/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs squeue and sinfo, divides the jobs into those that run, those ahead of
 * the job in question, and those behind it, and forecasts that job's start.
 */
#include "sluiced/queue/start_queue.h"

#include <stdlib.h>
#include <string.h>
#include "common/proc.h"
#include "job_submit/history/job_history.h"

#define SECONDS 60 /* that squeue or sinfo may take */
#define SAMPLES 100
#define MANY	2000 /* jobs, of which fewer samples are drawn */
#define FEW	30
#define EVER	(10 * 366 * 86400LL)

static int nomem(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "out of memory");
}

static int by_priority(const void *a, const void *b)
{
	const struct slu_queued *x = a, *y = b;

	if (x->priority != y->priority)
		return x->priority > y->priority ? -1 : 1;
	return (x->job_id > y->job_id) - (x->job_id < y->job_id);
}

int slu_start_queue_ask(struct slu_start_queue *a, struct slu_err *err)
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
	at = a->queue_text.data;
	while (slu_partition_queue_next(&at, &job)) {
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
	if (a->n_queued)
		qsort(a->queued, a->n_queued, sizeof(*a->queued), by_priority);
	return 0;
}

static void forget_nodes(struct slu_start_queue *a)
{
	free(a->cpus);
	a->cpus = NULL;
	a->all_cpus = 0;
	slu_hosts_free(&a->nodes);
	slu_buf_free(&a->nodes_text);
}

static int ask_nodes(struct slu_start_queue *a, struct slu_err *err)
{
	char *sinfo[] = {"sinfo",	   "-h", "-N", "-p", a->partition, "-o",
			 SLU_NODES_FORMAT, NULL};
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

const struct slu_queued *slu_start_queue_find(const struct slu_start_queue *a,
					      uint64_t job_id,
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

/* Finds a running job's nodes among those that can be used, and whether it has
 * them for itself. */
static int place(struct slu_start_queue *a, const struct slu_queued *q,
		 uint32_t **node, uint32_t *n, struct slu_err *err)
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

static int add_running(struct slu_start_queue *a, const struct slu_queued *q,
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

static void add_waiting(struct slu_start_queue *a, const struct slu_queued *q)
{
	a->of[a->n] = q;
	a->job[a->n++] = (struct slu_start_forecast_job){
		.size = q->nodes ? q->nodes : 1,
		.elapsed = -1,
		.limit = q->limit ? q->limit : EVER,
	};
}

static bool competes(const struct slu_start_queue *a,
		     const struct slu_queued *q)
{
	return slu_partition_queue_in(q, a->partition) &&
	       !slu_partition_queue_apart(q) && q->nodes <= a->nodes.n &&
	       q->cpus <= a->all_cpus;
}

/* Counts sizes of jobs in processors, where nodes are shared. */
static void count_cpus(struct slu_start_queue *a)
{
	for (size_t i = 0; i < a->n; i++) {
		a->job[i].size = a->of[i]->cpus ? a->of[i]->cpus : 1;
		a->job[i].node = NULL;
	}
}

static int list_jobs(struct slu_start_queue *a, const struct slu_queued *target,
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
		if (!q->waits || !competes(a, q))
			continue;
		a->ahead++;
		add_waiting(a, q);
	}
	for (size_t i = 0; i < a->n_queued; i++) {
		const struct slu_queued *q = &a->queued[i];

		if (q->waits && q->job_id != target->job_id &&
		    by_priority(target, q) < 0 && competes(a, q))
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

static int look(struct slu_start_queue *a, struct slu_db *db,
		const struct slu_asker *who, struct slu_err *err)
{
	const struct slu_history_query query = {
		.uid = SLU_NO_ID, .last = who->replay, .brief = true};

	a->outlook = calloc(a->n + 1, sizeof(*a->outlook));
	if (!a->outlook)
		return nomem(err);
	if (!a->p) {
		a->p = slu_predictor_new(SLU_PREDICT_CLASSES, who->quantile,
					 (int64_t)who->floor, err);
		if (!a->p || slu_history_each(db, &query, teach, a->p, err) < 0)
			return -1;
	}
	for (size_t i = 0; i < a->n; i++) {
		struct slu_job job = as_job(a->of[i]);

		slu_predict_outlook(a->p, &job, &a->outlook[i]);
	}
	return 0;
}

static double run_time(void *arg, size_t i, double share)
{
	const struct slu_start_queue *a = arg;
	double gone = (double)(a->job[i].elapsed > 0 ? a->job[i].elapsed : 0);
	double q = slu_predict_quantile(a->p, &a->outlook[i], share, gone);

	return q > 0 ? q : (double)a->job[i].limit; /* nothing is known */
}

static int check(const struct slu_queued *target, uint64_t job_id,
		 struct slu_err *err)
{
	if (!target)
		return slu_err(err, SLU_NOTFOUND,
			       "job %llu does not wait, or is not yours",
			       (unsigned long long)job_id);
	if (slu_partition_queue_apart(target))
		return slu_err(err, SLU_INVALID,
			       "job %u waits for something whose end cannot "
			       "be predicted (%s)",
			       target->job_id, target->reason);
	return 0;
}

static int check_size(const struct slu_start_queue *a,
		      const struct slu_queued *target, struct slu_err *err)
{
	if (a->nodes.n && target->nodes > a->nodes.n)
		return slu_err(err, SLU_INVALID,
			       "job %u wants %u nodes, and %zu of its "
			       "partition can be used",
			       target->job_id, target->nodes, a->nodes.n);
	return 0;
}

static int predict(const struct slu_start_queue *a,
		   const struct slu_queued *target,
		   struct slu_start_forecast *start, struct slu_err *err)
{
	struct slu_start_forecast_input ask = {
		.job = a->job,
		.n = a->n,
		.target = a->target,
		.machine =
			a->whole ? (int64_t)a->nodes.n : (int64_t)a->all_cpus,
		.nodes = a->whole ? (uint32_t)a->nodes.n : 0,
		.run = run_time,
		.arg = (void *)(uintptr_t)a,
		.samples = a->n > MANY ? FEW : SAMPLES,
		.seed = target->job_id,
	};

	return slu_start_forecast_make(&ask, start, err);
}

/* Forgets what belongs to one job only. */
void slu_start_queue_forget_job(struct slu_start_queue *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->node[i]);
	free(a->job);
	free(a->of);
	free(a->node);
	free(a->outlook);
	a->job = NULL;
	a->of = NULL;
	a->node = NULL;
	a->outlook = NULL;
	a->n = a->running = a->ahead = 0;
}

void slu_start_queue_free(struct slu_start_queue *a)
{
	slu_start_queue_forget_job(a);
	forget_nodes(a);
	free(a->queued);
	slu_predictor_free(a->p);
	slu_buf_free(&a->queue_text);
}

/* The first of the job's; its nodes, if they were not asked for already. */
static int choose_partition(struct slu_start_queue *a,
			    const struct slu_queued *target,
			    struct slu_err *err)
{
	char name[sizeof(a->partition)];

	slu_copy(name, sizeof(name), target->partition);
	name[strcspn(name, ",")] = '\0';
	if (a->nodes.n && slu_eq(name, a->partition))
		return 0;
	forget_nodes(a);
	slu_copy(a->partition, sizeof(a->partition), name);
	if (ask_nodes(a, err) == 0)
		return 0;
	forget_nodes(a);
	return -1;
}

int slu_start_queue_forecast(struct slu_start_queue *a, struct slu_db *db,
			     const struct slu_asker *who,
			     const struct slu_queued *target, uint64_t job_id,
			     struct slu_start_forecast *start,
			     struct slu_err *err)
{
	if (check(target, job_id, err) < 0 ||
	    choose_partition(a, target, err) < 0 ||
	    check_size(a, target, err) < 0 || list_jobs(a, target, err) < 0 ||
	    look(a, db, who, err) < 0)
		return -1;
	return predict(a, target, start, err);
}

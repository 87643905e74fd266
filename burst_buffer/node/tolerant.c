/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Staging that goes on when nodes are lost (tolerate=), for a file system that
 * loses nothing with them. Who came to a gate before it opened is the same in
 * everybody's answer, whenever it is asked for: those who did not were lost.
 * When one was, the next round begins: what it had taken is free again, every
 * node plays its copy again (its journal tells what it need not do), and all is
 * verified. When the one was lost that had made the manifest, the next one
 * makes another, and everything is copied anew: nobody knows what it counted.
 *
 * A round has its own gates and notes, so that a node whose worker was killed
 * walks the same way again.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/host/aside.h"
#include "burst_buffer/node/staging.h"
#include "burst_buffer/staging/claims.h"

struct tolerant {
	struct slu_staging *q;
	bool *alive;	/* of the members */
	unsigned maker; /* of the manifest */
	unsigned n_round;
	bool made; /* it is there */
	bool lost; /* somebody, since claims were last given free */
	char round[SLU_STAGING_SUFFIX], epoch[SLU_STAGING_SUFFIX];
};

static unsigned first_alive(const struct tolerant *t)
{
	unsigned i = 0;

	while (i < t->q->members && !t->alive[i])
		i++;
	return i;
}

static bool came(const struct slu_barrier_answer *a, const char *node)
{
	for (size_t i = 0; i < a->n_attr; i++)
		if (!strcmp(a->attr[i].key, node))
			return true;
	return false;
}

/* Who of the members has not come does not take part any more. */
static void note_lost(struct tolerant *t, const struct slu_barrier_answer *a)
{
	const struct slu_plan *plan = &t->q->n->plan;
	unsigned member = 0;

	for (size_t i = 0; i < plan->n_node; i++) {
		if (!plan->node[i].staging)
			continue;
		if (t->alive[member] && !came(a, plan->node[i].name)) {
			t->alive[member] = false;
			t->lost = true;
			slu_node_log(t->q->n, SLU_WARN,
				     "stage_%s %zu: goes on without %s",
				     t->q->way, t->q->r, plan->node[i].name);
		}
		member++;
	}
}

/* 1: somebody was lost; 0: nobody; -1. */
static int meet(struct tolerant *t, const char *what, struct slu_err *err)
{
	struct slu_barrier_answer answer;
	struct slu_node *n = t->q->n;
	bool was = t->lost;
	char name[64];
	int rc;

	snprintf(name, sizeof(name), "%s.%zu.%s%s", t->q->way, t->q->r, what,
		 t->round);
	if (slu_talk_barrier(n, name, NULL, &answer, err))
		return -1;
	t->lost = false;
	rc = came(&answer, n->name) ? 0
				    : slu_err(err, SLU_DENIED,
					      "the others went on without us");
	if (!rc)
		note_lost(t, &answer);
	slu_msg_clear(&slu_barrier_answer_desc, &answer);
	if (!rc && first_alive(t) == t->q->members)
		rc = slu_err(err, SLU_IO,
			     "all nodes that were to copy are lost");
	if (!rc)
		rc = t->lost;
	t->lost = t->lost || was;
	return rc;
}

static int give_free(struct slu_aside *aside, void *arg, void *out,
		     struct slu_err *err)
{
	const struct tolerant *t = arg;
	char path[PATH_MAX];

	(void)aside, (void)out;
	slu_staging_claims_path(t->q, path);
	return slu_claims_free(path, t->alive, t->q->members, err);
}

/* By one of them, while the others wait. */
static int share_anew(struct tolerant *t, struct slu_err *err)
{
	struct slu_aside aside = {
		.fn = give_free,
		.arg = t,
		.seconds = t->q->n->deadline - slu_clock(),
	};

	if (!t->lost)
		return 0;
	t->lost = false;
	if (t->q->members > 1 && t->q->self == first_alive(t) &&
	    slu_aside(&aside, "the job's file system", NULL, err))
		return -1;
	return meet(t, "shared", err);
}

static int make_manifest(struct tolerant *t, struct slu_err *err)
{
	int rc;

	if (t->made)
		return 0;
	t->maker = first_alive(t);
	t->q->total = t->q->copied = (struct slu_stage_result){0};
	snprintf(t->epoch, sizeof(t->epoch), "%s", t->round);
	if (t->q->self == t->maker && slu_staging_act(t->q, SLU_PREPARE, err))
		return -1;
	rc = meet(t, "manifest", err);
	t->made = rc >= 0 && t->alive[t->maker];
	return rc;
}

/* 1: somebody was lost, and all begin another; 0: it is done; -1. */
static int play_round(struct tolerant *t, struct slu_err *err)
{
	bool member = t->q->self != UINT_MAX;
	struct slu_node *n = t->q->n;
	int rc;

	rc = make_manifest(t, err);
	if (rc < 0 || !t->made)
		return rc;
	rc = share_anew(t, err);
	if (rc)
		return rc;
	if (member && slu_staging_act(t->q, SLU_COPY, err))
		return -1;
	rc = meet(t, "copied", err);
	if (rc)
		return rc;
	if ((member && slu_staging_act(t->q, SLU_VERIFY, err)) ||
	    n->driver->check(&n->in, err))
		return -1;
	return meet(t, "verified", err);
}

int slu_staging_tolerant(struct slu_staging *q, double start,
			 struct slu_err *err)
{
	struct tolerant t = {.q = q,
			     .alive = calloc(q->members + 1, sizeof(bool))};
	int rc;

	if (!t.alive)
		return slu_err(err, SLU_NOMEM, "out of memory");
	for (unsigned i = 0; i < q->members; i++)
		t.alive[i] = true;
	q->alive = t.alive;
	q->round = t.round;
	q->epoch = t.epoch;
	while ((rc = play_round(&t, err)) == 1) {
		t.made = t.made && t.alive[t.maker];
		snprintf(t.round, sizeof(t.round), ".%u", ++t.n_round);
	}
	if (!rc)
		rc = slu_staging_report(q, start, err);
	if (!rc && q->self == first_alive(&t))
		rc = slu_staging_act(q, SLU_FINISH, err);
	q->alive = NULL;
	free(t.alive);
	return rc;
}

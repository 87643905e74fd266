/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps parked requests in groups (longpoll.h), each a queue in the order of
 * deadlines. An empty group is freed. `changed`: the head has not been tried
 * since the last change.
 */
#include "sluiced/http/longpoll.h"

#include <stdlib.h>
#include <string.h>

struct group {
	struct group *next;
	uint32_t job_id;
	bool changed;
	struct slu_parked *head, **tail;
	char what[];
};

struct slu_longpoll {
	slu_parked_f *fn;
	void *arg;
	struct group *groups;
	size_t count;
};

struct slu_longpoll *slu_longpoll_new(slu_parked_f *fn, void *arg)
{
	struct slu_longpoll *lp = calloc(1, sizeof(*lp));

	if (lp) {
		lp->fn = fn;
		lp->arg = arg;
	}
	return lp;
}

/* Tries the head; if it is answered it leaves the queue. It may be freed by
 * then, so it is unlinked before. */
static bool ask_head(struct slu_longpoll *lp, struct group *g, bool expired)
{
	struct slu_parked *head = g->head, *next = head->next;

	if (!lp->fn(lp->arg, head, expired))
		return false;
	g->head = next;
	if (!next)
		g->tail = &g->head;
	lp->count--;
	return true;
}

void slu_longpoll_free(struct slu_longpoll *lp)
{
	struct group *g;

	if (!lp)
		return;
	while ((g = lp->groups)) {
		lp->groups = g->next;
		while (g->head)
			ask_head(lp, g, true);
		free(g);
	}
	free(lp);
}

static struct group *find_group(struct slu_longpoll *lp, uint32_t job_id,
				const char *what)
{
	size_t size = strlen(what) + 1;
	struct group *g;

	for (g = lp->groups; g; g = g->next)
		if (g->job_id == job_id && !strcmp(g->what, what))
			return g;
	g = calloc(1, sizeof(*g) + size);
	if (!g)
		return NULL;
	memcpy(g->what, what, size);
	g->job_id = job_id;
	g->tail = &g->head;
	g->next = lp->groups;
	lp->groups = g;
	return g;
}

int slu_longpoll_park(struct slu_longpoll *lp, struct slu_parked *parked,
		      uint32_t job_id, const char *what, double deadline)
{
	struct group *g = find_group(lp, job_id, what);

	if (!g)
		return -1;
	parked->next = NULL;
	parked->deadline = deadline;
	*g->tail = parked;
	g->tail = &parked->next;
	lp->count++;
	return 0;
}

void slu_longpoll_changed(struct slu_longpoll *lp, uint32_t job_id)
{
	for (struct group *g = lp->groups; g; g = g->next)
		if (!job_id || g->job_id == job_id)
			g->changed = true;
}

/* Returns when the group has to be checked again. */
static double run_group(struct slu_longpoll *lp, struct group *g, double now,
			size_t *budget)
{
	while (g->head) {
		bool expired = g->head->deadline <= now;

		if (!expired && !g->changed)
			return g->head->deadline;
		if (!*budget)
			return now;
		--*budget;
		if (!ask_head(lp, g, expired))
			g->changed = false;
	}
	return 0;
}

double slu_longpoll_run(struct slu_longpoll *lp, double now, size_t budget)
{
	struct group **p = &lp->groups, *g;
	double first = 0;

	while ((g = *p)) {
		double when = run_group(lp, g, now, &budget);

		if (when && (!first || when < first))
			first = when;
		if (g->head) {
			p = &g->next;
		} else {
			*p = g->next;
			free(g);
		}
	}
	return first;
}

size_t slu_longpoll_count(const struct slu_longpoll *lp)
{
	return lp->count;
}

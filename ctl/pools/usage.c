/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums the usage of each pool, in all and by user. The sums are updated with
 * every change of the mirror and of the claims, as the scheduler asks for every
 * waiting job. All under the mirror's mutex.
 */
#include "config.h"
#include "ctl/pools/usage.h"

#include <stdlib.h>
#include <string.h>

struct slu_usage {
	struct slu_usage *next; /* of the same user in another pool */
	uint64_t size;		/* bytes, never 0 */
	char pool[];
};

static struct slu_usage **find(struct slu_usage **at, const char *pool)
{
	while (*at && strcmp((*at)->pool, pool))
		at = &(*at)->next;
	return at;
}

static int add(struct slu_mirror *m, uint32_t uid, const char *pool,
	       uint64_t size)
{
	struct slu_usage *head = slu_map_get(&m->taken, uid), *t;
	size_t len = strlen(pool) + 1;

	t = *find(&head, pool);
	if (t) {
		t->size += size;
		return 0;
	}
	t = calloc(1, sizeof(*t) + len);
	if (!t)
		return -1;
	t->next = head;
	t->size = size;
	memcpy(t->pool, pool, len);
	if (slu_map_put(&m->taken, uid, t) == 0)
		return 0;
	free(t);
	return -1;
}

static void take_away(struct slu_mirror *m, uint32_t uid, const char *pool,
		      uint64_t size)
{
	struct slu_usage *head = slu_map_get(&m->taken, uid), **at, *gone;

	at = find(&head, pool);
	gone = *at;
	if (!gone)
		return; /* no memory to add it */
	if (gone->size > size) {
		gone->size -= size;
		return;
	}
	*at = gone->next;
	free(gone);
	if (head)
		slu_map_put(&m->taken, uid, head); /* replaces: no growth */
	else
		slu_map_del(&m->taken, uid);
}

void slu_usage_more(struct slu_mirror *m, const char *pool, uint32_t uid,
		    uint64_t size)
{
	m->version++;
	if (!pool || !size)
		return;
	if (add(m, SLU_NO_ID, pool, size) < 0 || add(m, uid, pool, size) < 0)
		m->taken_unknown = true;
}

void slu_usage_less(struct slu_mirror *m, const char *pool, uint32_t uid,
		    uint64_t size)
{
	m->version++;
	if (!pool || !size)
		return;
	take_away(m, SLU_NO_ID, pool, size);
	take_away(m, uid, pool, size);
}

bool slu_usage_sum(struct slu_mirror *m, const char *pool, uint32_t uid,
		   uint64_t *size)
{
	struct slu_usage *head = slu_map_get(&m->taken, uid), *t;

	t = *find(&head, pool);
	*size = t ? t->size : 0;
	return !m->taken_unknown;
}

void slu_usage_fini(struct slu_mirror *m)
{
	struct slu_usage *t, *next;

	for (size_t i = 0; (t = slu_map_next(&m->taken, &i));)
		for (; t; t = next) {
			next = t->next;
			free(t);
		}
	slu_map_free(&m->taken);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the mirror of sluiced's buffers. A job normally has one buffer; a job
 * that was requeued while its first run is still being cleaned up has two. The
 * buffers of a job are a list, newest first. Buffers that outlive jobs are also
 * in a hash table, by the job that they wait for or by name, as the scheduler
 * asks for every job that wants one.
 */
#include "config.h"
#include "ctl/pools/claims.h"
#include "ctl/pools/usage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "common/size.h"

struct slu_mirror_item {
	struct slu_buffer_state state;
	struct slu_mirror_item *next;
	/* the next in the same row of the table */
	struct slu_mirror_item *kept;
};

void slu_mirror_init(struct slu_mirror *m)
{
	*m = (struct slu_mirror){0};
	pthread_mutex_init(&m->lock, NULL);
}

static void item_free(struct slu_mirror_item *item)
{
	slu_msg_clear(&slu_buffer_desc, &item->state);
	free(item);
}

static struct slu_mirror_item **row_of_name(struct slu_mirror *m,
					    const char *name)
{
	uint64_t hash = name ? XXH3_64bits(name, strlen(name)) : 0;

	return &m->kept[hash % SLU_MIRROR_KEPT];
}

static struct slu_mirror_item **row_of_job(struct slu_mirror *m,
					   uint32_t job_id)
{
	return &m->kept[job_id % SLU_MIRROR_KEPT];
}

/* NULL: it is the job's alone. */
static struct slu_mirror_item **row_of(struct slu_mirror *m,
				       const struct slu_buffer_state *b)
{
	if (b->early)
		return row_of_job(m, b->creator);
	return b->persistent ? row_of_name(m, b->name) : NULL;
}

/* Add it to table and lists. */
static void enter(struct slu_mirror *m, struct slu_mirror_item *item)
{
	const struct slu_buffer_state *b = &item->state;
	struct slu_mirror_item **row = row_of(m, b);

	slu_usage_more(m, b->pool, b->uid, b->size);
	if (row) {
		item->kept = *row;
		*row = item;
	}
}

static void leave(struct slu_mirror *m, struct slu_mirror_item *item)
{
	const struct slu_buffer_state *b = &item->state;
	struct slu_mirror_item **row = row_of(m, b);

	slu_usage_less(m, b->pool, b->uid, b->size);
	while (row && *row != item)
		row = &(*row)->kept;
	if (row)
		*row = item->kept;
}

void slu_mirror_clear(struct slu_mirror *m)
{
	struct slu_mirror_item *item, *next;

	for (size_t i = 0; (item = slu_map_next(&m->job, &i));)
		for (; item; item = next) {
			next = item->next;
			leave(m, item);
			item_free(item);
		}
	slu_map_free(&m->job);
	m->n = 0;
	slu_pools_recount(m, 0);
}

void slu_mirror_fini(struct slu_mirror *m)
{
	pthread_mutex_destroy(&m->lock);
}

/* Lists are changed by building the new head and putting it. */
static void put_list(struct slu_mirror *m, uint32_t job_id,
		     struct slu_mirror_item *head)
{
	if (head)
		slu_map_put(&m->job, job_id, head); /* replaces: no growth */
	else
		slu_map_del(&m->job, job_id);
}

static void drop(struct slu_mirror *m, const struct slu_buffer_state *state)
{
	struct slu_mirror_item *head = slu_map_get(&m->job, state->job_id),
			       **at, *gone;

	for (at = &head; *at; at = &(*at)->next)
		if ((*at)->state.buffer == state->buffer)
			break;
	gone = *at;
	if (!gone)
		return;
	*at = gone->next;
	put_list(m, state->job_id, head);
	slu_pools_recount(m, state->job_id);
	leave(m, gone);
	item_free(gone);
	m->n--;
}

static int add(struct slu_mirror *m, struct slu_buffer_state *state)
{
	struct slu_mirror_item *item = calloc(1, sizeof(*item));

	if (!item)
		return -1;
	item->next = slu_map_get(&m->job, state->job_id);
	if (slu_map_put(&m->job, state->job_id, item) < 0) {
		free(item);
		return -1;
	}
	item->state = *state;
	*state = (struct slu_buffer_state){0};
	slu_pools_recount(m, item->state.job_id);
	enter(m, item);
	m->n++;
	return 0;
}

static struct slu_mirror_item *find(struct slu_mirror *m,
				    const struct slu_buffer_state *state)
{
	struct slu_mirror_item *item = slu_map_get(&m->job, state->job_id);

	while (item && item->state.buffer != state->buffer)
		item = item->next;
	return item;
}

static int set(struct slu_mirror *m, struct slu_buffer_state *state)
{
	struct slu_mirror_item *item = find(m, state);
	int rc = 0;

	if (!item) /* its claim is counted here from now on */
		slu_pools_drop_claim(m, state->persistent ? state->creator
							  : state->job_id);
	if (slu_eq(state->state, "DONE")) {
		drop(m, state);
	} else if (item) {
		leave(m, item);
		slu_msg_clear(&slu_buffer_desc, &item->state);
		item->state = *state;
		*state = (struct slu_buffer_state){0};
		enter(m, item);
	} else {
		rc = add(m, state);
	}
	slu_msg_clear(&slu_buffer_desc, state);
	return rc;
}

int slu_mirror_set(struct slu_mirror *m, struct slu_buffer_state *state)
{
	int rc;

	pthread_mutex_lock(&m->lock);
	rc = set(m, state);
	pthread_mutex_unlock(&m->lock);
	return rc;
}

static void list_jobs(struct slu_mirror *m, struct slu_buf *ids)
{
	const struct slu_mirror_item *item;

	for (size_t i = 0; (item = slu_map_next(&m->job, &i));)
		slu_buf_add(ids, &item->state.job_id, sizeof(uint32_t));
}

int slu_mirror_replace(struct slu_mirror *m, struct slu_buffer_state *state,
		       size_t n, struct slu_buf *gone)
{
	struct slu_buf before = {0};
	uint32_t id;
	int rc = 0;

	pthread_mutex_lock(&m->lock);
	list_jobs(m, &before);
	slu_mirror_clear(m);
	for (size_t i = 0; i < n; i++)
		rc |= set(m, &state[i]);
	for (size_t at = 0; at < before.len; at += sizeof(id)) {
		memcpy(&id, before.data + at, sizeof(id));
		if (!slu_map_get(&m->job, id))
			slu_buf_add(gone, &id, sizeof(id));
	}
	pthread_mutex_unlock(&m->lock);
	slu_buf_free(&before);
	return rc;
}

bool slu_mirror_alive(struct slu_mirror *m, uint32_t job_id)
{
	bool alive;

	pthread_mutex_lock(&m->lock);
	alive = slu_map_get(&m->job, job_id);
	pthread_mutex_unlock(&m->lock);
	return alive;
}

void slu_mirror_over(struct slu_mirror *m, const struct slu_buffer_state *state,
		     time_t now)
{
	struct slu_mirror_over *o = &m->over[state->job_id % SLU_MIRROR_OVER];

	pthread_mutex_lock(&m->lock);
	if (o->job_id != state->job_id || o->buffer < state->buffer)
		*o = (struct slu_mirror_over){state->job_id, state->buffer,
					      now};
	pthread_mutex_unlock(&m->lock);
}

time_t slu_mirror_was_over(struct slu_mirror *m, uint32_t job_id)
{
	time_t at = 0;

	pthread_mutex_lock(&m->lock);
	if (m->over[job_id % SLU_MIRROR_OVER].job_id == job_id)
		at = m->over[job_id % SLU_MIRROR_OVER].at;
	pthread_mutex_unlock(&m->lock);
	return at;
}

static bool concerns(const struct slu_buffer_state *b, uint32_t job_id)
{
	return b->job_id == job_id || (b->early && b->creator == job_id);
}

size_t slu_mirror_walk(struct slu_mirror *m, uint32_t uid, uint32_t job_id,
		       void (*fn)(void *arg, const struct slu_buffer_state *b),
		       void *arg)
{
	const struct slu_mirror_item *item;
	size_t n = 0;

	pthread_mutex_lock(&m->lock);
	for (size_t i = 0; (item = slu_map_next(&m->job, &i));)
		for (; item; item = item->next) {
			if ((uid != SLU_NO_ID && uid != item->state.uid) ||
			    (job_id && !concerns(&item->state, job_id)))
				continue;
			if (fn)
				fn(arg, &item->state);
			n++;
		}
	pthread_mutex_unlock(&m->lock);
	return n;
}

void slu_mirror_job(struct slu_mirror *m, uint32_t job_id,
		    void (*fn)(void *arg, const struct slu_buffer_state *b),
		    void *arg)
{
	const struct slu_mirror_item *item;

	pthread_mutex_lock(&m->lock);
	for (item = slu_map_get(&m->job, job_id); item; item = item->next)
		fn(arg, &item->state);
	pthread_mutex_unlock(&m->lock);
}

void slu_mirror_each(struct slu_mirror *m,
		     void (*fn)(void *arg, const struct slu_buffer_state *b),
		     void *arg)
{
	const struct slu_mirror_item *item;

	for (size_t i = 0; (item = slu_map_next(&m->job, &i));)
		for (; item; item = item->next)
			fn(arg, &item->state);
}

void slu_mirror_named(struct slu_mirror *m, const char *name,
		      void (*fn)(void *arg, const struct slu_buffer_state *b),
		      void *arg)
{
	const struct slu_mirror_item *item;

	for (item = *row_of_name(m, name); item; item = item->kept)
		if (!item->state.early && slu_eq(item->state.name, name))
			fn(arg, &item->state);
}

void slu_mirror_early_stage_in(struct slu_mirror *m, uint32_t job_id,
			       void (*fn)(void *arg,
					  const struct slu_buffer_state *b),
			       void *arg)
{
	const struct slu_mirror_item *item;

	for (item = *row_of_job(m, job_id); item; item = item->kept)
		if (item->state.early && item->state.creator == job_id)
			fn(arg, &item->state);
}

/* The nodes that it is on, or that it waits for, if the text does not name
 * them. */
static void print_nodes(const struct slu_buffer_state *b, struct slu_buf *out)
{
	const char *nodes = b->pending ? b->pending : "";
	const bool named = b->text && *nodes && strstr(b->text, nodes);

	if (*nodes && !named)
		slu_buf_printf(out, "%s%s%s",
			       slu_eq(b->state, "RUNNING") ? "" : "waits for ",
			       nodes, b->text && *b->text ? "  " : "");
	slu_buf_puts(out, b->text ? b->text : "");
}

/* A text that does not fit behind the other columns goes on a line of its
 * own. */
#define ROOM 25

static void print_one(void *arg, const struct slu_buffer_state *b)
{
	char size[SLU_SIZE_TEXT], job[16] = "-"; /* persistent: without a job */
	struct slu_buf text = {0};

	if (b->early || !b->persistent)
		snprintf(job, sizeof(job), "%u",
			 b->early ? b->creator : b->job_id);
	print_nodes(b, &text);
	slu_buf_printf(arg, "%-10s %-10s %-9s%s %10s %-9s%s%s\n", job,
		       b->name ? b->name : "", b->state ? b->state : "",
		       b->failed ? "!" : " ", slu_size_text(b->size, size),
		       b->coherence ? b->coherence : "",
		       text.len > ROOM ? "\n    " : "  ",
		       text.data ? text.data : "");
	slu_buf_free(&text);
}

/* Space that no buffer in the list uses. */
static void print_kept(struct slu_mirror *m, struct slu_buf *out)
{
	const struct slu_pool_capacity *p;
	char size[SLU_SIZE_TEXT];

	pthread_mutex_lock(&m->lock);
	for (size_t i = 0; i < m->supply.n_pools; i++) {
		p = &m->supply.pools[i];
		if (p->kept)
			slu_buf_printf(out,
				       "(pool %s: %s of it is data that failed "
				       "stage-outs have left: sysquery "
				       "buffers)\n",
				       p->name, slu_size_text(p->kept, size));
	}
	pthread_mutex_unlock(&m->lock);
}

void slu_mirror_print(struct slu_mirror *m, uint32_t job_id,
		      struct slu_buf *out)
{
	size_t n;

	slu_buf_printf(out, "%-10s %-10s %-10s %10s %-9s  %s\n", "JobID",
		       "Name", "State", "Size", "Coherence",
		       "Nodes, what is going on");
	n = slu_mirror_walk(m, SLU_NO_ID, job_id, print_one, out);
	if (!n && job_id)
		slu_buf_printf(out,
			       "(job %u has none now; what it had: sysquery "
			       "buffers %u)\n",
			       (unsigned)job_id, (unsigned)job_id);
	else if (!n)
		slu_buf_puts(out, "(no buffer)\n");
	if (!job_id)
		print_kept(m, out);
}

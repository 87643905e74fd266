/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides whether a pool has space for a job, and when it will. Usage is kept
 * as sums (usage.c). The order in which usage ends is computed at most once a
 * second, for jobs that have to wait.
 */
#include "config.h"
#include "ctl/pools/pools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/size.h"
#include "ctl/pools/usage.h"
#include "ctl/pools/waiters.h"

/* A job's share of a pool, for fn. */
struct share {
	uint32_t job_id, uid;
	uint64_t size;
	int64_t end; /* Unix seconds; 0: that of its job */
};

struct walk {
	const char *pool;
	void (*fn)(void *arg, const struct share *share);
	void *arg;
};

struct ending {
	int64_t end;
	uint64_t size;
	uint32_t uid;
};

/* The ends of one pool's usage, sorted; valid for one second and one version of
 * the mirror. */
struct slu_pool_endings {
	struct slu_pool_endings *next;
	struct ending *one;
	size_t n, cap;
	uint64_t version;
	int64_t now;
	int64_t (*end_of)(uint32_t job_id);
	char pool[];
};

/* A buffer that stays as long as a job waits has no known end. */
static int64_t end_of_persistent(const struct slu_buffer_state *b)
{
	if (!b->persistent)
		return 0;
	return b->expires ? b->expires : INT64_MAX;
}

static void walk_buffer(void *arg, const struct slu_buffer_state *b)
{
	const struct walk *w = arg;
	const struct share share = {b->job_id, b->uid, b->size,
				    end_of_persistent(b)};

	if (b->pool && !strcmp(b->pool, w->pool))
		w->fn(w->arg, &share);
}

/* Under the lock. A claim does not count any more when its job has a buffer. */
static void walk(struct slu_mirror *m, const struct walk *w)
{
	const struct slu_claim *c;

	slu_mirror_each(m, walk_buffer, (void *)(uintptr_t)w);
	for (size_t i = 0; (c = slu_map_next(&m->claim, &i));) {
		/* how long one waits is not known */
		const struct share share = {c->job_id, c->uid, c->size,
					    c->until < INT64_MAX ? INT64_MAX
								 : 0};

		if (!strcmp(c->pool, w->pool) &&
		    !slu_map_get(&m->job, c->job_id))
			w->fn(w->arg, &share);
	}
}

static void endings_free(struct slu_mirror *m)
{
	struct slu_pool_endings *all;

	while ((all = m->endings)) {
		m->endings = all->next;
		free(all->one);
		free(all);
	}
}

void slu_pools_fini(struct slu_mirror *m)
{
	struct slu_wait_notice *notice;

	slu_mirror_clear(m);
	slu_pools_expire(m, INT64_MAX);
	for (size_t i = 0; (notice = slu_map_next(&m->notice, &i));)
		free(notice);
	slu_map_free(&m->claim);
	slu_map_free(&m->notice);
	slu_pools_forget_reservation(m, 0);
	slu_usage_fini(m);
	endings_free(m);
	slu_msg_clear(&slu_capacity_desc, &m->supply);
}

struct sum {
	uint32_t uid; /* SLU_NO_ID: all users */
	uint64_t size;
};

static void add(void *arg, const struct share *share)
{
	struct sum *sum = arg;

	if (sum->uid == SLU_NO_ID || sum->uid == share->uid)
		sum->size += share->size;
}

/* Under the lock. */
static uint64_t sum_of(struct slu_mirror *m, const char *pool, uint32_t uid)
{
	struct sum sum = {.uid = uid};
	uint64_t size;

	if (slu_usage_sum(m, pool, uid, &size))
		return size;
	walk(m, &(struct walk){pool, add, &sum});
	return sum.size;
}

static void use(struct slu_mirror *m, const char *pool,
		struct slu_pool_use *out)
{
	const struct slu_pool_capacity *p = slu_capacity_of(m, pool);
	uint64_t gone;

	*out = (struct slu_pool_use){.used = sum_of(m, pool, SLU_NO_ID)};
	if (p) {
		out->kept = p->kept;
		out->used += p->kept;
		out->total = p->total;
		out->largest = p->largest;
		out->together = p->together;
		out->devices = p->devices;
		out->nodes = p->nodes;
		out->complete = p->complete && p->total;
	}
	gone = p && p->available < p->total ? p->total - p->available : 0;
	out->unfree = out->used > gone ? out->used : gone;
	if (out->unfree > out->total)
		out->unfree = out->total;
}

void slu_pools_use(struct slu_mirror *m, const char *pool,
		   struct slu_pool_use *out)
{
	pthread_mutex_lock(&m->lock);
	use(m, pool, out);
	pthread_mutex_unlock(&m->lock);
}

/* Under the lock: of the kept data, this user's. */
static uint64_t kept_of(const struct slu_mirror *m, const char *pool,
			uint32_t uid)
{
	const struct slu_pool_capacity *p = slu_capacity_of(m, pool);

	for (size_t i = 0; p && i < p->n_owners; i++)
		if (p->owners[i].uid == uid)
			return p->owners[i].size;
	return 0;
}

/* Would `taken` and `size` be more than `most`? */
static bool too_much(uint64_t taken, uint64_t size, uint64_t most)
{
	return taken > most || size > most - taken;
}

/* Under the lock: what it has to wait for; false: nothing. */
static bool lacks(struct slu_mirror *m, const struct slu_pool_need *need,
		  struct slu_pool_use *all, uint64_t *of_user)
{
	use(m, need->pool, all);
	all->used = slu_pools_add(all->used, need->reserved);
	*of_user = 0;
	if (need->max_per_user) {
		all->kept_of_user = kept_of(m, need->pool, need->uid);
		*of_user = slu_pools_add(sum_of(m, need->pool, need->uid),
					 all->kept_of_user);
	}
	return (all->complete && too_much(all->used, need->size, all->total)) ||
	       (need->max_per_user &&
		too_much(*of_user, need->size, need->max_per_user));
}

static void say_why(const struct slu_pool_need *need,
		    const struct slu_pool_use *all, uint64_t of_user,
		    char why[SLU_POOL_WHY])
{
	char wants[SLU_SIZE_TEXT], has[SLU_SIZE_TEXT], most[SLU_SIZE_TEXT];
	char kept[SLU_SIZE_TEXT], reserved[SLU_SIZE_TEXT];
	const uint64_t used = all->used - need->reserved;

	slu_size_text(need->size, wants);
	if (all->complete && need->size > all->total)
		snprintf(why, SLU_POOL_WHY,
			 "waits for %s of pool %.64s, which has %s in all: it "
			 "cannot start before nodes are added",
			 wants, need->pool, slu_size_text(all->total, most));
	else if (all->complete && too_much(all->used, need->size, all->total))
		snprintf(why, SLU_POOL_WHY,
			 "waits for %s of pool %.64s: jobs have %s of its "
			 "%s%s%s%s%s",
			 wants, need->pool, slu_size_text(used, has),
			 slu_size_text(all->total, most),
			 all->kept ? ", data of failed stage-outs " : "",
			 all->kept ? slu_size_text(all->kept, kept) : "",
			 need->reserved ? ", reservations " : "",
			 need->reserved
				 ? slu_size_text(need->reserved, reserved)
				 : "");
	else
		snprintf(why, SLU_POOL_WHY,
			 "waits for %s of pool %.64s: its user has %s of the "
			 "%s that one may have (MaxPerUser)%s%s",
			 wants, need->pool, slu_size_text(of_user, has),
			 slu_size_text(need->max_per_user, most),
			 all->kept_of_user ? ", data of failed stage-outs "
					   : "",
			 all->kept_of_user
				 ? slu_size_text(all->kept_of_user, kept)
				 : "");
}

bool slu_pools_room(struct slu_mirror *m, const struct slu_pool_need *need,
		    char why[SLU_POOL_WHY])
{
	struct slu_pool_use all;
	uint64_t of_user;
	bool lack;

	if (!need->pool)
		return true;
	pthread_mutex_lock(&m->lock);
	lack = lacks(m, need, &all, &of_user);
	pthread_mutex_unlock(&m->lock);
	if (lack)
		say_why(need, &all, of_user, why);
	return !lack;
}

/* A job past its end is about to release what it has; a buffer that lives on
 * after that has no known end. */
static int64_t end_at(const struct share *share,
		      int64_t (*end_of)(uint32_t job_id), int64_t now)
{
	int64_t end = share->end ? share->end : end_of(share->job_id);

	if (end > now)
		return end;
	return share->end ? INT64_MAX : now + 1;
}

static void add_ending(void *arg, const struct share *share)
{
	struct slu_pool_endings *all = arg;

	if (all->n == all->cap) {
		size_t cap = all->cap ? 2 * all->cap : 64;
		struct ending *more = realloc(all->one, cap * sizeof(*more));

		if (!more)
			return;
		all->one = more;
		all->cap = cap;
	}
	all->one[all->n++] = (struct ending){
		end_at(share, all->end_of, all->now), share->size, share->uid};
}

static int by_end(const void *a, const void *b)
{
	const struct ending *x = a, *y = b;

	return (x->end > y->end) - (x->end < y->end);
}

/* Under the lock: the shares of the pool by their ends, at most one second old.
 * NULL: no memory. */
static const struct slu_pool_endings *
endings_of(struct slu_mirror *m, const char *pool,
	   int64_t (*end_of)(uint32_t job_id), int64_t now)
{
	struct slu_pool_endings *all = m->endings;
	size_t len = strlen(pool) + 1;

	while (all && strcmp(all->pool, pool))
		all = all->next;
	if (all && all->version == m->version && all->now == now)
		return all;
	if (!all) {
		all = calloc(1, sizeof(*all) + len);
		if (!all)
			return NULL;
		memcpy(all->pool, pool, len);
		all->next = m->endings;
		m->endings = all;
	}
	all->version = m->version;
	all->now = now;
	all->end_of = end_of;
	all->n = 0;
	walk(m, &(struct walk){pool, add_ending, all});
	if (all->n)
		qsort(all->one, all->n, sizeof(*all->one), by_end);
	return all;
}

/* Under the lock, for one that has to wait: the time when enough others have
 * ended. */
static int64_t wait_until(const struct slu_pool_endings *all,
			  const struct slu_pool_need *need,
			  struct slu_pool_use *pool, uint64_t of_user)
{
	const struct ending *e;

	for (size_t i = 0; all && i < all->n; i++) {
		e = &all->one[i];
		pool->used -= e->size;
		of_user -= e->uid == need->uid ? e->size : 0;
		if ((!pool->complete ||
		     !too_much(pool->used, need->size, pool->total)) &&
		    (!need->max_per_user ||
		     !too_much(of_user, need->size, need->max_per_user)))
			return e->end;
	}
	return 0;
}

int64_t slu_pools_when(struct slu_mirror *m, const struct slu_pool_need *need,
		       int64_t (*end_of)(uint32_t job_id), int64_t now)
{
	struct slu_pool_use pool;
	uint64_t of_user;
	int64_t when = now;

	if (!need->pool)
		return now;
	pthread_mutex_lock(&m->lock);
	if (lacks(m, need, &pool, &of_user))
		when = wait_until(endings_of(m, need->pool, end_of, now), need,
				  &pool, of_user);
	pthread_mutex_unlock(&m->lock);
	return when;
}

uint64_t slu_pools_held(struct slu_mirror *m, const char *pool, int64_t when,
			int64_t (*end_of)(uint32_t job_id), int64_t now)
{
	const struct slu_pool_endings *all;
	const struct slu_pool_capacity *p;
	uint64_t size;

	pthread_mutex_lock(&m->lock);
	p = slu_capacity_of(m, pool);
	size = p ? p->kept : 0;
	all = endings_of(m, pool, end_of, now);
	for (size_t i = all ? all->n : 0; i && all->one[i - 1].end > when; i--)
		size += all->one[i - 1].size;
	pthread_mutex_unlock(&m->lock);
	return size;
}

static void look_staged(void *arg, const struct slu_buffer_state *b)
{
	*(bool *)arg |= !b->leaving;
}

/* Under the lock. The data that was staged in before the job has its space
 * already, which the run takes over. */
static bool is_staged(struct slu_mirror *m, uint32_t job_id)
{
	bool is = false;

	slu_mirror_early_stage_in(m, job_id, look_staged, &is);
	return is;
}

/* Under the lock. A job that is refused for another reason does not hold others
 * back. */
static bool was_refused(struct slu_mirror *m, uint32_t job_id)
{
	const struct slu_wait_notice *notice = slu_map_get(&m->notice, job_id);

	return notice && notice->why[0];
}

void slu_pools_claim(struct slu_mirror *m, uint32_t job_id,
		     const struct slu_pool_need *need, int64_t until)
{
	struct slu_claim *c = need->pool ? calloc(1, sizeof(*c)) : NULL;
	struct slu_claim *old;

	if (!c)
		return;
	*c = (struct slu_claim){.job_id = job_id,
				.uid = need->uid,
				.size = need->size,
				.until = until ? until : INT64_MAX};
	slu_copy(c->pool, sizeof(c->pool), need->pool);
	pthread_mutex_lock(&m->lock);
	slu_pools_forget_reservation(m, job_id);
	old = slu_map_get(&m->claim, job_id);
	if (is_staged(m, job_id) || (until && was_refused(m, job_id)) ||
	    slu_map_put(&m->claim, job_id, c) < 0)
		old = c; /* not counted */
	else
		slu_claim_recount(m, c);
	slu_claim_free(m, old);
	pthread_mutex_unlock(&m->lock);
}

void slu_pools_unclaim(struct slu_mirror *m, uint32_t job_id)
{
	struct slu_wait_notice *notice;

	pthread_mutex_lock(&m->lock);
	slu_pools_drop_claim(m, job_id);
	notice = slu_map_del(&m->notice, job_id);
	slu_pools_forget_reservation(m, job_id);
	pthread_mutex_unlock(&m->lock);
	free(notice);
}

int slu_pools_never(struct slu_mirror *m, const struct slu_pool_need *need,
		    const char *with, struct slu_err *err)
{
	char wants[SLU_SIZE_TEXT], most[SLU_SIZE_TEXT];
	struct slu_pool_use use;

	slu_pools_use(m, need->pool, &use);
	slu_size_text(need->size, wants);
	if (use.complete && need->size > use.total)
		return slu_err(err, SLU_INVALID,
			       "%s%s is more than pool %s has, which is %s",
			       with, wants, need->pool,
			       slu_size_text(use.total, most));
	if (need->max_per_user && need->size > need->max_per_user)
		return slu_err(err, SLU_DENIED,
			       "%s%s is more than the %s that a user may have "
			       "of pool %s (MaxPerUser)",
			       with, wants,
			       slu_size_text(need->max_per_user, most),
			       need->pool);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides whether a waiting job may start: if its pool has space for it, also
 * beside reservations, and no earlier run of it is being cleaned up.
 */
#include "config.h"
#include "ctl/pools/reservation.h"
#include "ctl/jobs/pending/persistent_state.h"
#include "ctl/private.h"

#include <string.h>
#include <time.h>

#include "burst_buffer/request/site/pool.h"

/* Seconds: the shortest time after which it makes sense to ask again. */
#define SOON 60

uint64_t slu_ctl_capacity(struct slu_ctl *ctl, uint32_t job_id,
			  const char *text)
{
	const struct slu_request *req =
		slu_parsed_of(&ctl->parsed, job_id, text);
	uint64_t capacity = req ? req->capacity : 0;

	for (size_t i = 0; req && i < req->n_persist; i++)
		capacity = slu_pools_add(capacity, req->persist[i].capacity);
	slu_parsed_put(&ctl->parsed, req);
	return capacity;
}

/* Finds what the request needs of a pool; need->pool is NULL where it needs
 * none. Under the site's lock. */
static void need_of(struct slu_ctl *ctl, uint32_t job_id, const char *text,
		    uint32_t uid, struct slu_pool_need *need)
{
	const struct slu_conf *conf = ctl->site->conf;
	const struct slu_pool_conf *pool;
	const struct slu_request *req;

	*need = (struct slu_pool_need){.uid = uid};
	req = conf && slu_ctl_has_buffer(text)
		      ? slu_parsed_of(&ctl->parsed, job_id, text)
		      : NULL;
	pool = req ? slu_request_pool(req, conf) : NULL;
	if (pool) {
		need->pool = pool->name;
		need->size = req->capacity;
		need->max_per_user = pool->max_per_user;
	}
	slu_parsed_put(&ctl->parsed, req);
}

static bool may_start(struct slu_ctl *ctl, uint32_t job_id, const char *text,
		      uint32_t uid, char why[SLU_CTL_WHY])
{
	struct slu_pool_need need;
	bool may;

	if (!slu_ctl_has_buffer(text))
		return true;
	if (!ctl->linked) {
		slu_copy(why, SLU_CTL_WHY,
			 "sluiced does not answer: the job starts when it "
			 "does");
		return false;
	}
	pthread_rwlock_rdlock(&ctl->site_lock);
	need_of(ctl, job_id, text, uid, &need);
	may = slu_pools_room(&ctl->mirror, &need, why);
	pthread_rwlock_unlock(&ctl->site_lock);
	return may;
}

bool slu_ctl_may_start(struct slu_ctl *ctl, const char *text, uint32_t uid,
		       char why[SLU_CTL_WHY])
{
	return may_start(ctl, 0, text, uid, why);
}

static uint32_t own_number(const struct slu_ctl_reservation *job)
{
	return job->own ? job->own : job->job_id;
}

/* Under the site's lock. */
static void add_others(struct slu_ctl *ctl,
		       const struct slu_ctl_reservation *job,
		       struct slu_pool_need *need)
{
	struct slu_pool_need other;

	for (size_t i = 0; need->pool && i < job->n_with; i++) {
		need_of(ctl, job->with[i].job_id, job->with[i].text, job->uid,
			&other);
		if (other.pool && !strcmp(other.pool, need->pool))
			need->size = slu_pools_add(need->size, other.size);
	}
}

/* Under the site's lock, for a job that cannot start. */
static enum slu_wait lacking(struct slu_ctl *ctl,
			     const struct slu_pool_need *need)
{
	struct slu_pool_need now = *need;
	char unused[SLU_POOL_WHY];

	now.reserved = 0;
	return slu_pools_room(&ctl->mirror, &now, unused) ? SLU_WAIT_PROMISED
							  : SLU_WAIT_STORAGE;
}

static bool has_turn(struct slu_ctl *ctl, const char *text,
		     const struct slu_ctl_reservation *job,
		     int64_t (*end_of)(uint32_t job_id), int64_t now,
		     char why[SLU_CTL_WHY], enum slu_wait *what)
{
	const struct slu_pool_reservation turn = {job->job_id, job->priority,
						  job->start, job->end};
	struct slu_pool_need need;
	bool may;

	pthread_rwlock_rdlock(&ctl->site_lock);
	need_of(ctl, own_number(job), text, job->uid, &need);
	add_others(ctl, job, &need);
	if (need.pool && job->reserved)
		need.reserved = job->reserved(
			job->reserved_arg, need.pool,
			!strcmp(need.pool, ctl->site->conf->pool[0].name));
	may = slu_pools_reservation(&ctl->mirror, &turn, &need, end_of, now,
				    why);
	*what = may ? SLU_WAIT_NOTHING : lacking(ctl, &need);
	pthread_rwlock_unlock(&ctl->site_lock);
	return may;
}

bool slu_ctl_reservation(struct slu_ctl *ctl, const char *text,
			 const struct slu_ctl_reservation *job,
			 int64_t (*end_of)(uint32_t job_id), int64_t now,
			 char why[SLU_CTL_WHY])
{
	enum slu_wait what = SLU_WAIT_SLUICED;
	bool may;

	if (slu_ctl_has_buffer(text) && ctl->linked)
		may = has_turn(ctl, text, job, end_of, now, why, &what);
	else
		may = may_start(ctl, own_number(job), text, job->uid, why);
	slu_waits_note(&ctl->waits, job->job_id, may ? SLU_WAIT_NOTHING : what,
		       why, now);
	return may;
}

int64_t slu_ctl_est_start(struct slu_ctl *ctl, uint32_t job_id,
			  const char *text, uint32_t uid,
			  int64_t (*end_of)(uint32_t job_id), int64_t now)
{
	bool persistent = slu_persistent_is_named(ctl, job_id, text);
	struct slu_pool_need need;
	int64_t when;

	if (!slu_ctl_has_buffer(text) && !persistent)
		return now;
	if (!ctl->linked || persistent)
		return now + SOON;
	pthread_rwlock_rdlock(&ctl->site_lock);
	need_of(ctl, job_id, text, uid, &need);
	when = slu_pools_when(&ctl->mirror, &need, end_of, now);
	pthread_rwlock_unlock(&ctl->site_lock);
	return when && when < INT64_MAX ? when : now + SOON;
}

void slu_ctl_claim(struct slu_ctl *ctl, uint32_t job_id, const char *text,
		   uint32_t uid, bool begins)
{
	int64_t until = begins ? 0 : time(NULL) + SLU_CLAIM_WAITS;
	struct slu_pool_need need;

	pthread_rwlock_rdlock(&ctl->site_lock);
	need_of(ctl, job_id, text, uid, &need);
	slu_pools_claim(&ctl->mirror, job_id, &need, until);
	pthread_rwlock_unlock(&ctl->site_lock);
}

static void look_for_data(void *arg, const struct slu_buffer_state *b)
{
	bool *found = arg;

	*found |= !slu_eq(b->state, "TEARDOWN");
}

/* Seconds after its end during which a job is not started again: slurmd removes
 * ended jobs at most every two seconds (_clear_expired_job_states()), takes a
 * run that starts before that for the same one and runs no prolog; in the same
 * second its credentials count as revoked. */
#define REST 4

bool slu_ctl_earlier_run(struct slu_ctl *ctl, uint32_t job_id, time_t now,
			 char why[SLU_CTL_WHY])
{
	time_t over = slu_mirror_was_over(&ctl->mirror, job_id);
	bool found = false;

	slu_mirror_job(&ctl->mirror, job_id, look_for_data, &found);
	if (found)
		slu_copy(why, SLU_CTL_WHY,
			 "the job's earlier run has not staged out its data "
			 "yet");
	else if (over && now > over - REST && now < over + REST)
		slu_copy(
			why, SLU_CTL_WHY,
			"the job's earlier run has ended just now: slurmd would "
			"take this one for the same");
	else
		return false;
	slu_waits_note(&ctl->waits, job_id, SLU_WAIT_RUN, why, now);
	return true;
}

bool slu_ctl_claimed(struct slu_ctl *ctl, uint32_t job_id)
{
	return slu_pools_claimed(&ctl->mirror, job_id);
}

void slu_ctl_unclaim(struct slu_ctl *ctl, uint32_t job_id)
{
	slu_pools_unclaim(&ctl->mirror, job_id);
	slu_waits_take(&ctl->waits, job_id, 0, NULL);
}

size_t slu_ctl_pools(struct slu_ctl *ctl,
		     void (*fn)(void *arg, const struct slu_ctl_pool *pool),
		     void *arg)
{
	const struct slu_conf *conf;
	struct slu_pool_use use;
	size_t n = 0;

	pthread_rwlock_rdlock(&ctl->site_lock);
	conf = ctl->site->conf;
	for (; conf && n < conf->n_pool; n++) {
		const struct slu_pool_conf *pool = &conf->pool[n];
		struct slu_ctl_pool out = {.name = pool->name,
					   .granularity = pool->granularity};

		slu_pools_use(&ctl->mirror, pool->name, &use);
		out.total = use.total;
		out.unfree = use.unfree;
		out.used = use.used;
		fn(arg, &out);
	}
	pthread_rwlock_unlock(&ctl->site_lock);
	return n;
}

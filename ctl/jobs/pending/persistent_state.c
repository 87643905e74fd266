/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lets jobs wait for persistent buffers. sluiced is sent the requests of
 * pending jobs to create or destroy one; a job starts when the mirror shows
 * that this is done, and that the buffer it uses exists. From memory only.
 */
#include "config.h"
#include "ctl/jobs/pending/pool_choice.h"
#include "ctl/pools/pools.h"
#include "ctl/jobs/pending/persistent_state.h"

#include "ctl/private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "burst_buffer/request/site/pool.h"
#include "common/size.h"

/* The next request in canonical text; quoted text may look like one, which does
 * no harm. */
static const char *next_request(const char *text)
{
	const char *end = strstr(text, "; ");

	return end ? end + 2 : NULL;
}

bool slu_ctl_has_persistent(const char *text)
{
	for (; text; text = next_request(text))
		if (!strncmp(text, "persistent", 10))
			return true;
	return false;
}

/* The state of the buffer with this name, from the mirror. */
struct found {
	bool is, running, group, leaving;
	enum slu_coherence coherence;
	uint32_t uid, creator;
	int64_t created; /* Unix seconds */
	char text[160];	 /* sluiced's text, or "" */
};

static void look(void *arg, const struct slu_buffer_state *b)
{
	struct found *f = arg;

	f->is = true;
	f->running = slu_eq(b->state, "RUNNING");
	f->group = b->group;
	f->leaving = b->leaving;
	f->uid = b->uid;
	f->creator = b->creator;
	f->coherence = b->coherence ? slu_coherence_word(b->coherence)
				    : SLU_COHERENCE_STRICT; /* not known here,
							       but to sluiced */
	f->created = b->created;
	snprintf(f->text, sizeof(f->text), "%.150s", b->text ? b->text : "");
}

static struct found find(struct slu_mirror *m, const char *name)
{
	struct found f = {0};

	pthread_mutex_lock(&m->lock);
	slu_mirror_named(m, name, look, &f);
	pthread_mutex_unlock(&m->lock);
	return f;
}

/* A buffer created after the job could have started (Unix seconds, 0: unknown)
 * is not the one that its request wants destroyed. */
static bool is_due(const struct found *f, int64_t eligible)
{
	return f->is && !(eligible && f->created > eligible);
}

/* Submission */

static int submit_create(struct slu_mirror *m, const struct slu_ctl_ask *ask,
			 const struct slu_request_persist *one,
			 const struct slu_conf *conf, const char *user,
			 struct slu_err *err)
{
	const struct slu_request req = slu_persist_as_fs(one);
	struct found f = find(m, one->name);
	char has[SLU_SIZE_TEXT];

	if (f.is && !f.leaving)
		return slu_err(err, SLU_INVALID,
			       "there is a persistent buffer %s already%s",
			       one->name,
			       f.uid == ask->uid ? "" : ", of another user");
	if (slu_ctl_large_enough(one->capacity, err) < 0)
		return -1;
	if (conf->max_capacity && one->capacity > conf->max_capacity)
		return slu_err(err, SLU_INVALID,
			       "capacity is more than MaxCapacity, %s",
			       slu_size_text(conf->max_capacity, has));
	return slu_pool_check(&req, conf, user, ask->account, err);
}

static struct slu_pool_need *add_need(struct slu_pool_need *need, size_t *n,
				      const struct slu_pool_conf *pool,
				      uint32_t uid, uint64_t size)
{
	size_t i = 0;

	while (i < *n && !slu_eq(need[i].pool, pool->name))
		i++;
	if (i == *n)
		need[(*n)++] = (struct slu_pool_need){
			.pool = pool->name,
			.uid = uid,
			.max_per_user = pool->max_per_user,
		};
	need[i].size = slu_pools_add(need[i].size, size);
	return &need[i];
}

/* A buffer that the job creates outlives it, and exists when it starts: can
 * both fit together with the job's own file system? */
static int fits_together(struct slu_mirror *m, const struct slu_request *req,
			 const struct slu_conf *conf, struct slu_err *err)
{
	struct slu_pool_need need[SLU_REQUEST_PERSIST_MAX + 1], *of;
	size_t n = 0, before;

	for (size_t i = 0; i <= req->n_persist; i++) {
		const struct slu_request fs =
			i < req->n_persist ? slu_persist_as_fs(&req->persist[i])
					   : *req;
		const struct slu_pool_conf *pool = slu_request_pool(&fs, conf);

		if (!pool)
			continue;
		before = n;
		of = add_need(need, &n, pool, 0, fs.capacity);
		if (slu_pools_never(m, of,
				    n > before ? ""
					       : "with the persistent buffers "
						 "made before ",
				    err))
			return slu_err_prefix(err, i < req->n_persist
							   ? "persistent_create"
							   : "jobfs");
	}
	return 0;
}

static int stranger(const char *name, struct slu_err *err)
{
	return slu_err(err, SLU_DENIED,
		       "the persistent buffer %s belongs to another user",
		       name);
}

int slu_persistent_submit(struct slu_mirror *m, const struct slu_ctl_ask *ask,
			  const struct slu_request *req,
			  const struct slu_conf *conf, const char *user,
			  struct slu_err *err)
{
	struct found f;

	if (req->n_persist && ask->array) {
		slu_err(err, SLU_INVALID,
			"persistent_create and persistent_destroy are done "
			"once, not by each task of a job array: submit a job "
			"of its own for them");
		return slu_request_at(req->persist[0].line, err);
	}
	for (size_t i = 0; i < req->n_persist; i++) {
		const struct slu_request_persist *one = &req->persist[i];

		if (!one->destroy &&
		    submit_create(m, ask, one, conf, user, err)) {
			slu_err_prefix(err, "persistent_create");
			return slu_request_at(one->line, err);
		}
		f = find(m, one->name);
		if (one->destroy && f.is && f.uid != ask->uid && ask->uid) {
			stranger(one->name, err);
			return slu_request_at(one->line, err);
		}
	}
	if (req->n_persist && fits_together(m, req, conf, err))
		return slu_request_at(req->persist[0].line, err);
	if (!req->persistent)
		return 0;
	f = find(m, req->name);
	if (!f.is)
		return 0;
	/* only sluiced can look up its group's members; after one that is being
	 * destroyed there may be another of this name */
	if (f.uid != ask->uid && !f.group)
		stranger(req->name, err);
	else if (f.leaving ||
		 slu_check_persist_gives(req, f.coherence, err) == 0)
		return 0;
	return slu_request_at(req->line, err);
}

/* Pending */

struct wait {
	struct slu_ctl *ctl;
	uint32_t job_id;
	int64_t eligible; /* Unix seconds; 0: unknown */
	bool (*is_pending)(uint32_t job_id);
	bool tell; /* sluiced has something to do */
	char *why;
};

static bool waits(struct wait *w, const char *fmt, const char *name,
		  const char *more)
{
	int n = snprintf(w->why, SLU_CTL_WHY, fmt, name);

	if (more && *more && n > 0 && n < SLU_CTL_WHY)
		snprintf(w->why + n, SLU_CTL_WHY - (size_t)n, ": %s", more);
	return true;
}

/* Each returns whether the job has to wait. */

/* What the creates from `from` on still need of each pool; returns of how many
 * pools. sluiced makes them at once, up to the first one that follows a
 * destroy. */
static size_t needs_of(const struct wait *w, const struct slu_request *req,
		       size_t from, uint32_t uid,
		       struct slu_pool_need need[SLU_REQUEST_PERSIST_MAX])
{
	const struct slu_conf *conf = w->ctl->site->conf;
	size_t n = 0;

	for (size_t i = from; i < req->n_persist; i++) {
		const struct slu_request_persist *one = &req->persist[i];
		const struct slu_request fs = slu_persist_as_fs(one);
		const struct slu_pool_conf *pool = slu_request_pool(&fs, conf);
		const struct found f = find(&w->ctl->mirror, one->name);

		if (one->destroy && is_due(&f, w->eligible))
			break;
		if (!one->destroy && !f.is && pool)
			add_need(need, &n, pool, uid, one->capacity);
	}
	return n;
}

/* Is there space for all buffers that the job creates? Claims space in the pool
 * of the first; in the others it is only checked. */
static bool has_room(struct wait *w, const struct slu_request *req, size_t from,
		     uint32_t uid)
{
	struct slu_pool_need need[SLU_REQUEST_PERSIST_MAX];
	struct slu_mirror *m = &w->ctl->mirror;
	size_t n = needs_of(w, req, from, uid, need);

	if (!slu_pools_claimed(m, w->job_id))
		for (size_t i = 0; i < n; i++)
			if (!slu_pools_room(m, &need[i], w->why))
				return false;
	if (n)
		slu_pools_claim(m, w->job_id, &need[0],
				time(NULL) + SLU_CLAIM_WAITS);
	return true;
}

static bool wait_create(struct wait *w, const struct slu_request *req, size_t i,
			uint32_t uid)
{
	struct slu_mirror *m = &w->ctl->mirror;
	const struct slu_request_persist *one = &req->persist[i];
	struct found f = find(m, one->name);
	char said[SLU_CTL_WHY] = "";

	if (f.is && f.creator == w->job_id)
		return f.running ? false
				 : waits(w, "waits until %s is made", one->name,
					 f.text);
	if (f.is)
		return waits(w,
			     "waits until the persistent buffer %s of "
			     "another job is gone",
			     one->name, f.text);
	if (!has_room(w, req, i, uid))
		return true;
	w->tell = true;
	slu_persistent_wait_why(m, w->job_id, said);
	return waits(w, "waits until %s is made", one->name, said);
}

static bool wait_destroy(struct wait *w, const struct slu_request_persist *one)
{
	struct found f = find(&w->ctl->mirror, one->name);

	if (!is_due(&f, w->eligible))
		return false;
	w->tell = true;
	return waits(w, "waits until %s is destroyed", one->name, f.text);
}

/* An earlier job whose buffer is destroyed before it begins would have it made
 * anew. Earlier ones only, and none that waits for other jobs itself: no two
 * wait for each other. */
static bool wait_creators(struct wait *w, const struct slu_request *req)
{
	for (size_t i = 0; i < req->n_persist; i++) {
		const struct slu_request_persist *one = &req->persist[i];
		struct found f = find(&w->ctl->mirror, one->name);
		char job[32];

		if (!one->destroy || one->force || !is_due(&f, w->eligible) ||
		    f.creator >= w->job_id || !w->is_pending(f.creator))
			continue;
		snprintf(job, sizeof(job), "job %u", (unsigned)f.creator);
		return waits(w, "waits until %s, which creates it, begins", job,
			     NULL);
	}
	return false;
}

static bool wait_use(struct wait *w, const struct slu_request *req)
{
	const char *name = req->name;
	struct found f = find(&w->ctl->mirror, name);
	struct slu_err why;

	if (!f.is)
		return waits(w, "waits for a persistent buffer %s", name, NULL);
	if (f.leaving)
		return waits(w, "%s is being destroyed", name, f.text);
	if (slu_check_persist_gives(req, f.coherence, &why)) {
		w->tell = true; /* sluiced will hold the job */
		return waits(w, "%.200s", why.text, NULL);
	}
	return f.running ? false
			 : waits(w, "waits until %s is made", name, f.text);
}

/* Under the lock. NULL: no memory. */
static struct slu_wait_notice *get_notice(struct slu_mirror *m, uint32_t job_id)
{
	struct slu_wait_notice *t = slu_map_get(&m->notice, job_id);

	if (t)
		return t;
	t = calloc(1, sizeof(*t));
	if (t && slu_map_put(&m->notice, job_id, t) == 0)
		return t;
	free(t);
	return NULL;
}

/* An answer is outdated when a later report to sluiced had no answer. */
bool slu_persistent_wait_due(struct slu_mirror *m, uint32_t job_id,
			     unsigned every)
{
	struct slu_wait_notice *t;
	time_t now = time(NULL);
	bool due;

	pthread_mutex_lock(&m->lock);
	t = get_notice(m, job_id);
	due = !t || now >= t->at + (time_t)every;
	if (t && due) {
		t->at = now;
		if (t->unanswered++)
			t->why[0] = '\0';
	}
	pthread_mutex_unlock(&m->lock);
	return due;
}

void slu_persistent_wait_answer(struct slu_mirror *m, uint32_t job_id,
				const char *text)
{
	struct slu_wait_notice *t;

	pthread_mutex_lock(&m->lock);
	t = slu_map_get(&m->notice, job_id);
	if (t) {
		slu_copy(t->why, sizeof(t->why), text ? text : "");
		t->unanswered = 0;
	}
	pthread_mutex_unlock(&m->lock);
}

void slu_persistent_wait_why(struct slu_mirror *m, uint32_t job_id,
			     char why[SLU_CTL_WHY])
{
	struct slu_wait_notice *t;

	pthread_mutex_lock(&m->lock);
	t = slu_map_get(&m->notice, job_id);
	if (t && t->why[0])
		slu_copy(why, SLU_CTL_WHY, t->why);
	pthread_mutex_unlock(&m->lock);
}

static bool wait_for(struct wait *w, const struct slu_request *req,
		     uint32_t uid)
{
	bool wait = wait_creators(w, req);

	for (size_t i = 0; !wait && i < req->n_persist; i++)
		wait = req->persist[i].destroy
			       ? wait_destroy(w, &req->persist[i])
			       : wait_create(w, req, i, uid);
	return wait || (req->persistent && wait_use(w, req));
}

static bool names_any(const struct slu_request *req)
{
	return req && (req->n_persist || req->persistent);
}

bool slu_persistent_is_named(struct slu_ctl *ctl, uint32_t job_id,
			     const char *text)
{
	const struct slu_request *req =
		slu_parsed_of(&ctl->parsed, job_id, text);
	bool any = names_any(req);

	slu_parsed_put(&ctl->parsed, req);
	return any;
}

bool slu_ctl_persistent(struct slu_ctl *ctl, uint32_t job_id, uint32_t uid,
			int64_t eligible, const char *text,
			void (*copy)(void *arg, struct slu_job *job), void *arg,
			bool (*is_pending)(uint32_t job_id),
			char why[SLU_CTL_WHY])
{
	struct wait w = {.ctl = ctl,
			 .job_id = job_id,
			 .eligible = eligible,
			 .is_pending = is_pending,
			 .why = why};
	const struct slu_request *req =
		slu_parsed_of(&ctl->parsed, job_id, text);
	struct slu_job job;
	bool wait;

	if (!names_any(req)) {
		slu_parsed_put(&ctl->parsed, req);
		return true;
	}
	if (!ctl->linked) {
		slu_copy(why, SLU_CTL_WHY, "sluiced does not answer");
		slu_waits_note(&ctl->waits, job_id, SLU_WAIT_SLUICED, why,
			       time(NULL));
		slu_parsed_put(&ctl->parsed, req);
		return false;
	}
	pthread_rwlock_rdlock(&ctl->site_lock);
	wait = !ctl->site->conf || wait_for(&w, req, uid);
	if (!ctl->site->conf)
		slu_copy(why, SLU_CTL_WHY, "sluice.conf cannot be read");
	pthread_rwlock_unlock(&ctl->site_lock);
	slu_parsed_put(&ctl->parsed, req);
	if (w.tell &&
	    slu_persistent_wait_due(&ctl->mirror, job_id, SLU_WAIT_AGAIN)) {
		copy(arg, &job);
		slu_ctl_waits(ctl, &job);
	}
	if (wait)
		slu_waits_note(&ctl->waits, job_id, SLU_WAIT_PERSISTENT, why,
			       time(NULL));
	return !wait;
}

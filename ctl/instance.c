/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Creates and destroys the object of libsluice (struct slu_ctl), and implements
 * the hooks, which plugins call, that need more than one part of it. Hooks may
 * run under slurmctld's locks, so they never wait: they read the configuration
 * (site.h) under a read lock whose only writer swaps a pointer, queue events
 * for the main thread (jobs/running/event_queue.h), and look up buffers in the
 * copy of sluiced's state (link/mirror.h).
 */
#include "config.h"
#include "ctl/pools/pools.h"
#include "ctl/private.h"
#include "ctl/thread.h"
#include "ctl/threads.h"
#include "ctl/iostart/hooks.h"
#include "ctl/jobs/running/event_hooks.h"
#include "ctl/jobs/running/limit_guard.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "burst_buffer/request/site/fstype.h"

#define EVENTS	     16384
#define HISTORY	     16384
#define JOIN_SECONDS 2
#define PATIENCE     3600 /* seconds that records of jobs wait for sluiced */

static pthread_mutex_t instance_lock = PTHREAD_MUTEX_INITIALIZER;
static struct slu_ctl *instance; /* guarded by instance_lock */

static void ctl_free(struct slu_ctl *ctl)
{
	if (!ctl)
		return;
	slu_ctl_thread_fini(ctl);
	slu_history_queue_fini(&ctl->history);
	slu_event_queue_fini(&ctl->queue);
	slu_mail_queue_free(&ctl->mail_queue);
	slu_pools_fini(&ctl->mirror);
	slu_mirror_fini(&ctl->mirror);
	slu_waits_fini(&ctl->waits);
	slu_every_io(s, ctl) slu_iostart_fini(s);
	slu_setup_times_fini(&ctl->ready);
	slu_parsed_fini(&ctl->parsed);
	slu_site_free(ctl->site);
	if (ctl->guard_timer >= 0)
		close(ctl->guard_timer);
	pthread_rwlock_destroy(&ctl->site_lock);
	free(ctl->conf_path);
	free(ctl->conf_wrong);
	free(ctl->slurm_advice);
	free(ctl);
}

static const struct slu_ctl_parts parts = {
	.thread = slu_ctl_thread,
	.guard = slu_guard_thread,
	.link_lost = slu_ctl_link_lost,
	.free = ctl_free,
};

static struct slu_ctl *ctl_new(const struct slu_ctl_ops *ops,
			       const char *conf_path)
{
	struct slu_ctl *ctl = calloc(1, sizeof(*ctl));
	bool ready;

	if (!ctl)
		return NULL;
	ctl->ops = *ops;
	ctl->parts = &parts;
	ctl->log = (struct slu_log){
		.fn = ops->log, .arg = ops->arg, .max = SLU_DEBUG};
	ctl->link = (struct slu_link)SLU_LINK_CLOSED;
	ctl->owners = 1;
	pthread_rwlock_init(&ctl->site_lock, NULL);
	ctl->guard_timer = slu_guard_timer();
	slu_mirror_init(&ctl->mirror);
	slu_waits_init(&ctl->waits);
	slu_io_start_init(ctl);
	slu_mail_queue_init(&ctl->mail_queue);
	ready = slu_setup_times_init(&ctl->ready) == 0 &&
		slu_parsed_init(&ctl->parsed, ops->max_jobs) == 0;
	ctl->conf_path = conf_path ? strdup(conf_path) : slu_conf_path();
	if (slu_event_queue_init(&ctl->queue, EVENTS, NULL) < 0 ||
	    slu_history_queue_init(&ctl->history, HISTORY) < 0 || !ready ||
	    ctl->guard_timer < 0 || !ctl->conf_path)
		goto fail;
	ctl->site = slu_site_new(ctl->conf_path);
	if (!ctl->site)
		goto fail;
	if (ctl->site->why_not)
		ctl_log(ctl, SLU_ERROR, "nothing is done for any job: %s",
			ctl->site->why_not);
	else
		slu_io_start_configure(ctl);
	return ctl;
fail:
	ctl_free(ctl);
	return NULL;
}

struct slu_ctl *slu_ctl_acquire(const struct slu_ctl_ops *ops,
				const char *conf_path)
{
	struct slu_ctl *ctl;

	if (ops->size != sizeof(*ops))
		return NULL;
	pthread_mutex_lock(&instance_lock);
	if (!instance)
		instance = ctl_new(ops, conf_path);
	ctl = instance;
	if (ctl)
		ctl->refs++;
	pthread_mutex_unlock(&instance_lock);
	return ctl;
}

static void stop_threads(struct slu_ctl *ctl)
{
	struct timespec until;

	ctl->stop = true;
	slu_event_queue_wake(&ctl->queue);
	slu_ctl_guard_look(ctl);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += JOIN_SECONDS;
	slu_threads_join(ctl, &until);
}

void slu_ctl_release(struct slu_ctl *ctl)
{
	bool last;

	if (!ctl)
		return;
	pthread_mutex_lock(&instance_lock);
	last = --ctl->refs == 0;
	if (last)
		instance = NULL;
	pthread_mutex_unlock(&instance_lock);
	if (!last)
		return;
	stop_threads(ctl);
	slu_threads_let_go(ctl);
	slu_ctl_unref(ctl);
}

void slu_ctl_inactive(struct slu_ctl *ctl)
{
	if (!ctl)
		return;
	slu_threads_stand_by(ctl);
	slu_waits_forget(&ctl->waits);
	if (!ctl->started)
		return;
	stop_threads(ctl);
	ctl->linked = false;
	/* another controller hears what happens to these jobs */
	slu_event_queue_clear(&ctl->queue);
	slu_pools_expire(&ctl->mirror, INT64_MAX);
	slu_every_io(s, ctl) slu_iostart_forget(s);
	ctl->start_again = 0;
	ctl->started = false;
}

void slu_ctl_reload(struct slu_ctl *ctl)
{
	if (ctl->started)
		slu_event_report(ctl, SLU_EV_RELOAD, 0, NULL);
}

static bool below(const char *path, const char *dir)
{
	size_t n = dir ? strlen(dir) : 0;

	return n && !strncmp(path, dir, n) && path[n] == '/';
}

/*
 * Removes a library from a list separated by colons or blanks, in one pass:
 * users choose its length, and slurmctld waits.
 */
static void drop_library(char *list, const char *library)
{
	size_t n = strlen(library);
	char *end = list;

	for (const char *p = list; *p;) {
		size_t name = strcspn(p, ": ");
		size_t item = name + (p[name] != '\0');

		if (name != n || memcmp(p, library, n)) {
			memmove(end, p, item);
			end += item;
		}
		p += item;
	}
	while (end > list && strchr(": ", end[-1]))
		end--;
	*end = '\0';
}

/* A later job must not inherit the library of a job file system: it would end
 * every program. */
static bool clean_preload(struct slu_ctl *ctl, char *value)
{
	const struct slu_conf *conf;

	pthread_rwlock_rdlock(&ctl->site_lock);
	conf = ctl->site->conf;
	for (size_t i = 0; conf && i < conf->n_fs; i++) {
		const char *library = slu_fstype_library(&conf->fs[i]);

		if (library)
			drop_library(value, library);
	}
	pthread_rwlock_unlock(&ctl->site_lock);
	return !*value;
}

bool slu_ctl_stale_env(struct slu_ctl *ctl, char *entry)
{
	char *value = strchr(entry, '=');
	bool stale = false, spank = false;

	if (!strchr("SLBD", *entry)) /* none of those below */
		return false;
	/* Slurm adds this prefix for prologs; no other program sets our
	 * variables with it. */
	for (; !strncmp(entry, "SPANK_", 6); entry += 6)
		spank = true;

	if (!strncmp(entry, "SLUICE_", 7))
		return true;
	if (spank)
		return false;
	if (!strncmp(entry, "LD_PRELOAD=", 11))
		return clean_preload(ctl, value + 1);
	if (!value ||
	    (strncmp(entry, "BB_", 3) && strncmp(entry, "DW_JOB_", 7) &&
	     strncmp(entry, "DW_PERSISTENT_", 14) &&
	     strncmp(entry, "LIBGKFS_HOSTS_FILE=", 19) &&
	     strncmp(entry, "LIBGKFS_FORWARDING_MAP_FILE=", 28)))
		return false;
	pthread_rwlock_rdlock(&ctl->site_lock);
	if (ctl->site->conf)
		stale = below(value + 1, ctl->site->conf->run_dir) ||
			below(value + 1, ctl->site->conf->mapping_dir);
	pthread_rwlock_unlock(&ctl->site_lock);
	return stale;
}

void slu_ctl_ended(struct slu_ctl *ctl, struct slu_job *job)
{
	slu_ctl_unclaim(ctl, job->job_id);
	slu_ctl_io_ended(ctl, job->job_id);
	slu_event_report(ctl, SLU_EV_ENDED, job->job_id, job);
}

void slu_ctl_cancelled(struct slu_ctl *ctl, uint32_t job_id, int64_t start)
{
	struct slu_job job = {.job_id = job_id, .start = start};

	slu_ctl_unclaim(ctl, job_id);
	slu_ctl_io_ended(ctl, job_id);
	slu_event_report(ctl, SLU_EV_CANCELLED, job_id, &job);
}

/* Any buffer may be alive until sluiced has reported which are. */
bool slu_ctl_alive(struct slu_ctl *ctl, uint32_t job_id)
{
	if (!ctl->heard && time(NULL) - slu_ctl_active_since() < PATIENCE)
		return true;
	return slu_mirror_alive(&ctl->mirror, job_id);
}

size_t slu_ctl_buffers(struct slu_ctl *ctl, uint32_t uid,
		       void (*fn)(void *arg,
				  const struct slu_buffer_state *buffer),
		       void *arg)
{
	return slu_mirror_walk(&ctl->mirror, uid, 0, fn, arg);
}

struct slu_stopwatch slu_ctl_enter(void)
{
	return slu_watch_start();
}

void slu_ctl_leave(struct slu_ctl *ctl, enum slu_hook hook,
		   struct slu_stopwatch start)
{
	slu_watch_stop(&ctl->times, hook, start);
}

void slu_ctl_timeouts(struct slu_ctl *ctl, uint32_t *stage_in,
		      uint32_t *stage_out)
{
	*stage_in = *stage_out = 0;
	pthread_rwlock_rdlock(&ctl->site_lock);
	if (ctl->site->conf) {
		*stage_in = (uint32_t)ctl->site->conf->stage_in_timeout;
		*stage_out = (uint32_t)ctl->site->conf->stage_out_timeout;
	}
	pthread_rwlock_unlock(&ctl->site_lock);
}

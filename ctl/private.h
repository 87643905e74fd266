/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_PRIVATE_H
#define SLU_CTL_PRIVATE_H

/*
 * The inside of libsluice. Hooks touch only the first half of struct slu_ctl;
 * the second half belongs to the thread, so it needs no lock:
 *
 *   ctl.c          what the plugins call; the object's life
 *   mail.c         mails to users: a thread of its own
 *   users.c        who the configuration's users are: a thread of its own
 *   thread.c       the loop: what is due when; the link's two ends
 *   jobs/          requests.c, persistent_state.c, prestage_state.c: what the
 * plugins call about requests; submit.c: what is forecast, and the limit;
 *                  limit_guard.c: the limits that we have set, a thread of its
 *                  own; events.c: what the hooks said; followed.c: held
 *                  launches, ends, nodes that leave COMPLETING
 *   pools/         capacity, usage and the reservations of those who wait
 *   iostart/       who waits for bandwidth of the parallel file system
 *   link/          the socket to sluiced, what it said, the buffers it told of
 *   predictor/     who teaches it; history until it is stored
 *   arbiter/       solve, publish, mark the I/O nodes
 *
 * `now` is CLOCK_MONOTONIC in seconds.
 */

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include "common/hostlist.h"
#include "burst_buffer/request/request.h"
#include "ctl/ctl.h"
#include "ctl/predictor/history_queue.h"
#include "ctl/predictor/seen_runs.h"
#include "ctl/link/link.h"
#include "ctl/link/mirror.h"
#include "ctl/jobs/parsed.h"
#include "ctl/jobs/event_queue.h"
#include "ctl/jobs/setup_times.h"
#include "ctl/jobs/waits.h"
#include "ctl/iostart/iostart.h"
#include "ctl/mail.h"
#include "ctl/site.h"
#include "job_submit/io/volumes.h"
#include "select_io/ion/arbiter.h"
#include "wire/assignment.h"

/* A job that runs, or ended a moment ago, or whose nodes are being cleaned. */
struct slu_followed {
	uint32_t job_id;
	int64_t start; /* of this run, Unix seconds */
	uint32_t restarts;
	bool has_buffer; /* asked for a file system */
	bool ended;
	bool learned; /* the run has been taught and recorded */
	/* as the daemon knows it, see wire/job.h */
	int64_t suspended, suspended_since;
	double forget_at; /* ended: when it may be forgotten */
	/* Its launch waits in prolog_slurmctld until this epoch is published,
	 * or until the time is over. */
	bool held;
	double held_until;
	uint64_t epoch; /* 0: not solved yet */
	bool unmapped;	/* it was launched before */
	/* It is being set up: its end is kept ahead. After that, what it was
	 * given back, seconds: Slurm forgets it when a job is resumed, or its
	 * limit changed. */
	bool setting_up;
	int64_t gave_back;
	/* Ended, with a buffer: the nodes whose epilog has not ended. */
	struct slu_hosts remaining;
};

struct slu_look {
	uint32_t job_id;
	double due;
};

struct slu_ctl {
	/* Fixed, or with locks of their own. */
	struct slu_ctl_ops ops;
	char *conf_path;
	unsigned refs; /* guarded by ctl.c's lock */
	struct slu_log log;
	struct slu_event_queue queue;
	struct slu_mirror mirror;
	struct slu_setup_times ready;
	struct slu_waits waits;
	struct slu_parsed_set parsed;
	struct slu_times times;
	struct slu_iostart iostart;
	pthread_rwlock_t site_lock; /* guards the pointer `site`: hooks read,
				     * the thread replaces */
	struct slu_site *site;
	/* Guarded likewise: why a newer sluice.conf could not be used, NULL if
	 * there is none; and lines of what is to be changed in slurm.conf. */
	char *conf_wrong, *slurm_advice;
	void (*_Atomic prolog_done)(int rc, uint32_t job_id, bool timed_out);
	atomic_bool het_leader; /* that was validated last: has a request */
	_Atomic uint32_t begun; /* the highest number of a job */
	atomic_bool linked;	/* both hellos were said */
	atomic_bool heard; /* since this controller is active, at least once */
	atomic_bool stop;
	atomic_bool started;
	_Atomic int64_t start_again; /* Unix seconds; 0: all threads run */
	atomic_bool standby;	     /* was active, and is not any more */
	atomic_int owners;	     /* the plugins together, and each thread */
	bool has_thread, has_guard;  /* to be joined */
	struct slu_mails mails;
	atomic_bool asking; /* the thread of users.c runs */
	pthread_t thread, guard;
	int guard_timer;
	_Atomic int64_t guard_beat; /* when it last looked, CLOCK_MONOTONIC */

	/* The thread's own. */
	struct slu_link link;
	uint32_t kept;	 /* of `begun`, by the host */
	bool hello_said; /* on this connection */
	bool stale;	 /* what we know of the jobs must be looked up */
	bool recall;	 /* ended jobs in the snapshot: history may lack them */
	double reload_at; /* read the configuration again; 0: no need */
	double users_at;  /* ask for users again; 0: no need */
	bool asked;	  /* somebody: it has not been told yet */
	bool replayed;	  /* this connection has told its history */
	/* What history has taught whom: it is not taught twice. */
	struct slu_history_position predictor_heard, arbiter_heard,
		volumes_heard, ready_heard, rates_heard;
	double io_tell_at;	      /* sluiced is told of IOStart then */
	struct slu_seen_runs lessons; /* until predictor_heard.all */
	/* Who is taught in the site's place, to replace it when history has
	 * been read; NULL: the site's own. */
	struct slu_predictor *pupil;
	char link_why[256]; /* why the link is down, as last logged */
	struct slu_map live;
	struct slu_look *look;
	size_t n_look;
	size_t ending; /* of them with `remaining` nodes */
	size_t poll_from;
	double next_poll, next_keep, next_sweep, next_suspended, next_unheard;
	double away_since; /* that there is no link, as last tried; 0: there is
			    * one */
	uint32_t *lost;	   /* jobs whose launch was lost in a restart */
	size_t n_lost;
	double next_launch;
	struct slu_history_queue history;
	struct slu_arbiter *arbiter; /* NULL: no I/O nodes */
	struct slu_assignment assignment;
	bool assignment_said;		/* on this connection */
	struct slu_distances distances; /* of the I/O nodes */
	struct slu_hosts misnamed;	/* nodes, sorted */
	struct slu_volumes *volumes;	/* for jobs that name no patterns */
	bool ions_dirty;
	double solve_at; /* not before: the last attempt has failed */
	bool ions_stale; /* the configuration is another */
	char ion_event[128];
	char *ions_unusable; /* host list, as last seen; NULL: never */
	double next_watch;
	uint64_t epoch, published;	  /* the last solved, and published */
	struct slu_ctl_node_label *marks; /* as last set, one per I/O node */
	size_t n_marks;
	uint64_t rows;	   /* of history, heard on this connection */
	uint64_t bad_rows; /* the same of those that are not understood */
	bool unknown_said; /* that there are messages we do not know */
};

#define ctl_log(ctl, level, ...) slu_log(&(ctl)->log, level, __VA_ARGS__)

/* ctl.c */
/* A hook was called that only an active controller sees: start the threads. */
void slu_ctl_wake(struct slu_ctl *ctl);
/* An owner less; the last one frees it. */
void slu_ctl_unref(struct slu_ctl *ctl);
/* A thread that nobody joins; it is an owner until it calls slu_ctl_unref(). */
bool slu_ctl_detach(struct slu_ctl *ctl, void *(*fn)(void *ctl));

/* jobs/persistent_state.c: was sluiced not told just now what this job waits
 * for? If so, it is to be told. */
bool slu_persistent_wait_due(struct slu_mirror *m, uint32_t job_id);
/* sluiced: not yet, and why. */
void slu_persistent_wait_answer(struct slu_mirror *m, uint32_t job_id,
				const char *text);
/* What it has said; *why is left alone if it has not. */
void slu_persistent_wait_why(struct slu_mirror *m, uint32_t job_id,
			     char why[SLU_CTL_WHY]);
/* jobs/requests.c: what is too small to be a file system is refused. */
int slu_ctl_large_enough(uint64_t capacity, struct slu_err *err);
/* jobs/persistent_state.c: does the job make, use or destroy any? */
bool slu_persistent_is_named(struct slu_ctl *ctl, uint32_t job_id,
			     const char *text);
/* What of persistent buffers is refused at submission. */
int slu_persistent_submit(struct slu_mirror *m, const struct slu_ctl_ask *ask,
			  const struct slu_request *req,
			  const struct slu_conf *conf, const char *user,
			  struct slu_err *err);

/* iostart/hooks.c */
/* A new configuration. */
void slu_io_start_use(struct slu_ctl *ctl);
/* A row of the history that is told, and one of which the I/O is known now. */
void slu_io_start_history(struct slu_ctl *ctl,
			  const struct slu_history_row *row);
void slu_io_start_row(struct slu_ctl *ctl, const struct slu_history_row *row);
/* Log what hooks have noted. */
void slu_io_start_log(struct slu_ctl *ctl);
/* Tell sluiced twice a minute. */
void slu_io_start_tell(struct slu_ctl *ctl, double now);

/* jobs/limit_guard.c */
int slu_guard_timer(void);
void *slu_guard_thread(void *ctl);
/* Look at all limits that are ours, at Unix time `now`; returns when to look
 * again. */
int64_t slu_guard_step(struct slu_ctl *ctl, int64_t now);
/* Has it looked lately? Any thread. */
bool slu_guard_alive(struct slu_ctl *ctl);

/* users.c */
/* Have those asked for that are to be; returns when it is to be called again,
 * but for the end of that. */
double slu_users_tick(struct slu_ctl *ctl, double now);

/* thread.c */
void *slu_ctl_thread(void *ctl);
/* One turn of the loop without waiting: returns when the next is due. */
double slu_ctl_step(struct slu_ctl *ctl, double now);
void slu_ctl_thread_fini(struct slu_ctl *ctl);
/* Send, if the link is up; an error closes it. */
void slu_ctl_send(struct slu_ctl *ctl, const struct slu_desc *desc,
		  const void *msg, double now);
/* The same; one that is too long a line goes without what is only shown. */
void slu_ctl_send_assignment(struct slu_ctl *ctl, struct slu_assignment *a,
			     double now);
void slu_ctl_link_down(struct slu_ctl *ctl, const struct slu_err *why,
		       double now);

/* jobs/events.c */
void slu_ctl_events(struct slu_ctl *ctl, double now);
/* Look at all jobs and nodes, follow those that run, say hello if the link is
 * new. */
void slu_ctl_snapshot(struct slu_ctl *ctl, double now);
void slu_ctl_looks(struct slu_ctl *ctl, double now);
/* Tell of the running jobs that were suspended or resumed. Returns when to do
 * so again. */
double slu_ctl_suspended(struct slu_ctl *ctl, double now);

/* predictor/training.c */
/* Teach the predictor, or the pupil, a run. */
void slu_training_add(struct slu_ctl *ctl, const struct slu_job *job);
/* One that has ended just now. */
void slu_training_add_once(struct slu_ctl *ctl, const struct slu_job *job);
/* Those that wait for history: it has been read, or is not going to be. */
void slu_training_add_waiting(struct slu_ctl *ctl);
/* Let the new site have the predictor that has learnt, if there is one, and its
 * own be the pupil. Under site_lock. */
void slu_training_keep(struct slu_ctl *ctl, struct slu_site *site);
/* Who is taught is a new one, and is to be taught all again. */
void slu_training_restart(struct slu_ctl *ctl);
/* The pupil has been taught all history. */
void slu_training_complete(struct slu_ctl *ctl);
void slu_training_fini(struct slu_ctl *ctl);

/* link/commands.c */
void slu_ctl_hear(struct slu_ctl *ctl, const char *line, size_t len,
		  double now);

/* jobs/followed.c */
struct slu_followed *slu_followed_get(struct slu_ctl *ctl, uint32_t job_id);
/* Follow a job's (new) run; NULL without memory. */
struct slu_followed *slu_followed_start(struct slu_ctl *ctl,
					const struct slu_job *job);
/* Its launch waits for an answer, at most until then. */
void slu_followed_hold(struct slu_ctl *ctl, struct slu_followed *live,
		       double until);
/* Its run has ended; with a buffer, its nodes are watched. */
void slu_followed_end(struct slu_ctl *ctl, struct slu_followed *live,
		      const struct slu_job *job, double now);
void slu_followed_forget_nodes(struct slu_ctl *ctl, struct slu_followed *live);
void slu_followed_release(struct slu_ctl *ctl, struct slu_followed *live);
/* Let go on whose epoch this covers. */
/* `ok`: it is in place; launches do not wait for what will not be. */
void slu_followed_published(struct slu_ctl *ctl, uint64_t epoch, bool ok);
void slu_followed_release_all(struct slu_ctl *ctl);
/* Its launch was lost: see that it is made up for. */
void slu_followed_lost(struct slu_ctl *ctl, uint32_t job_id);
/* What is due; returns when the next is. */
double slu_followed_tick(struct slu_ctl *ctl, double now);
void slu_followed_fini(struct slu_ctl *ctl);
/* Keep one job's end ahead of its set-up, at_least seconds after its start, or
 * give back what it took. */
int slu_followed_keep(struct slu_ctl *ctl, const struct slu_followed *live,
		      int64_t at_least, struct slu_err *err);

/* jobs/unheard.c: while sluiced is away, and after how long to do it again. */
double slu_unheard_look(struct slu_ctl *ctl, double now);

/* arbiter/hostnames.c: who is not called as Slurm does. */
void slu_hostnames_set(struct slu_ctl *ctl, const struct slu_ctl_node *nodes,
		       size_t n_nodes);
/* Has a job such a node? */
bool slu_hostnames_any(const struct slu_ctl *ctl, const char *nodes);
/* I/O nodes that are none of Slurm's count as down: say so, once for each
 * configuration. Before slu_ions_configure(). */
void slu_unknown_ions(struct slu_ctl *ctl, const struct slu_ctl_node *nodes,
		      size_t n_nodes);

/* arbiter/ions.c */
/* Make the arbiter for these nodes, or fit it to them and to the
 * configuration. A new one continues what the nodes' comments say. */
void slu_ions_configure(struct slu_ctl *ctl, const struct slu_ctl_node *nodes,
			size_t n_nodes, const struct slu_job *running,
			size_t n_running);
void slu_ions_start(struct slu_ctl *ctl, const struct slu_job *job);
/* The history is known, or the site's table is another one. */
void slu_ions_predict(struct slu_ctl *ctl);
/* What a job that starts is predicted to write: in one call, and into a file;
 * as far as it is known. */
void slu_ions_sizes(struct slu_ctl *ctl, struct slu_job *job);
/* It runs, and was seen before; with other nodes? */
void slu_ions_resize(struct slu_ctl *ctl, const struct slu_job *job);
void slu_ions_end(struct slu_ctl *ctl, uint32_t job_id);
void slu_ions_changed(struct slu_ctl *ctl, const char *what, uint32_t job_id);
/* Has an I/O node failed, been drained, or come back? Returns when to look
 * again. */
double slu_ions_watch(struct slu_ctl *ctl, double now);
void slu_ions_solve(struct slu_ctl *ctl, double now);
void slu_ions_fini(struct slu_ctl *ctl);

#endif

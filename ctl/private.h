/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_PRIVATE_H
#define SLU_CTL_PRIVATE_H

/*
 * The one object of libsluice, private to ctl/. Hooks, which slurmctld calls
 * from its threads, touch only the first half of struct slu_ctl; the second
 * half belongs to the thread of thread.c, so it needs no lock. `now` is
 * CLOCK_MONOTONIC in seconds.
 */

/*
 * What the files of ctl/ do with it:
 *
 * instance.c  the object's life; hooks that need more than one room
 * threads.c   who owns the object; its threads
 * thread.c    the loop of the main thread: what is due when
 * mail.c      notification mail to users, in a thread of its own
 * users.c     user ids of names in sluice.conf, in a thread of its own
 * jobs/       requests at submission (requests.c, submit.c,
 *             persistent_state.c, early_stage_in_state.c); events of jobs
 *             (event_hooks.c, events.c); the jobs that run (followed.c,
 *             unheard.c); limits that we have set (limit_guard.c, a thread)
 * pools/      capacity, usage, reservations of waiting jobs
 * iostart/    jobs that wait for bandwidth of the parallel file system
 * link/       the socket to sluiced, its commands, the mirror of buffers
 * predictor/  training of the predictor; history until it is stored
 * arbiter/    division of the I/O nodes: solve, publish, label
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
#include "ctl/jobs/pending/parsed.h"
#include "ctl/jobs/running/event_queue.h"
#include "ctl/jobs/running/setup_times.h"
#include "ctl/jobs/pending/waits.h"
#include "ctl/iostart/iostart.h"
#include "ctl/mail_queue.h"
#include "ctl/site.h"
#include "job_submit/io/volumes.h"
#include "select_io/ion/arbiter/arbiter.h"
#include "wire/ion_assignment.h"

struct slu_ctl;

struct slu_look {
	uint32_t job_id;
	double due;
};

/* What lower files call of higher ones, handed in when the object is made. */
struct slu_ctl_parts {
	void *(*thread)(void *ctl), *(*guard)(void *ctl);
	void (*link_lost)(struct slu_ctl *ctl); /* in the main thread */
	void (*free)(struct slu_ctl *ctl);
};

struct slu_ctl {
	/* Fixed, or with locks of their own. */
	struct slu_ctl_ops ops;
	const struct slu_ctl_parts *parts;
	char *conf_path;
	unsigned refs; /* guarded by instance.c's lock */
	struct slu_log log;
	struct slu_event_queue queue;
	struct slu_mirror mirror;
	struct slu_setup_times ready;
	struct slu_waits waits;
	struct slu_parsed_set parsed;
	struct slu_times times;
	struct slu_iostart iostart[SLU_IO_OBJECTS];
	_Atomic unsigned n_io; /* of these have been in use; it only grows */
	pthread_rwlock_t site_lock; /* guards the pointer `site`: hooks read,
				     * the thread replaces */
	struct slu_site *site;
	/* Guarded by the same lock: why a newer sluice.conf could not be used
	 * (NULL: there is none), and lines of what should be changed in
	 * slurm.conf. */
	char *conf_wrong, *slurm_advice;
	void (*_Atomic prolog_done)(int rc, uint32_t job_id, bool timed_out);
	atomic_bool het_leader; /* the one validated last has a request */
	_Atomic uint32_t begun; /* the highest number of a job */
	atomic_bool store_jobs; /* see slu_ctl_store_jobs() */
	atomic_bool linked;	/* both sides have sent hello */
	atomic_bool heard; /* at least once since this controller is active */
	atomic_bool stop;
	atomic_bool started;
	_Atomic int64_t start_again; /* Unix seconds; 0: all threads run */
	atomic_bool standby;	     /* was active, and is not any more */
	atomic_int owners;	     /* the plugins as one, and each thread */
	bool has_thread, has_guard;  /* to be joined */
	struct slu_mail_queue mail_queue;
	atomic_bool asking; /* the thread of users.c runs */
	pthread_t thread, guard;
	int guard_timer;
	_Atomic int64_t guard_beat; /* its last turn, CLOCK_MONOTONIC */

	/* Only for the main thread. */
	struct slu_link link;
	uint32_t kept;	  /* the number that slurmctld has stored */
	bool hello_said;  /* on this connection */
	bool stale;	  /* all jobs must be read again */
	bool recall;	  /* also ended jobs, which history may lack */
	double reload_at; /* when to read the configuration; 0: no need */
	double users_at;  /* when to look up users; 0: no need */
	bool wants_pass;  /* of Slurm's scheduler, as jobs may start */
	double passed;	  /* when the last one was begun */
	bool asked;	  /* a look-up has run, and is not logged yet */
	bool replayed;	  /* this connection has replayed its history */
	/* How far each learner has got in history, so that it learns no row
	 * twice. */
	struct slu_history_position predictor_heard, arbiter_heard,
		volumes_heard, ready_heard, rates_heard[SLU_IO_OBJECTS];
	double io_tell_at; /* when sluiced is sent the state of IOStart next */
	struct slu_seen_runs seen_runs; /* until predictor_heard.all */
	/* The predictor that is being trained, and replaces the site's when
	 * history has been read; NULL: none is. */
	struct slu_predictor *in_training;
	char link_why[256]; /* why the link is down, as last logged */
	struct slu_map live;
	struct slu_look *look;
	size_t n_look;
	size_t ending; /* jobs with `remaining` nodes */
	size_t poll_from;
	double next_poll, next_keep, next_sweep, next_suspended, next_unheard;
	double away_since; /* since when there is no link; 0: there is one */
	uint32_t *lost;	   /* jobs whose launch was lost in a restart */
	size_t n_lost;
	double next_launch;
	struct slu_history_queue history;
	struct slu_arbiter *arbiter; /* NULL: no I/O nodes */
	struct slu_assignment assignment;
	bool assignment_said;		/* sent on this connection */
	struct slu_distances distances; /* of the I/O nodes */
	/* nodes with another host name, sorted */
	struct slu_hosts other_hostnames;
	struct slu_volumes *volumes; /* for jobs that name no patterns */
	bool ions_dirty;
	double solve_at; /* not before, as the last attempt failed */
	bool ions_stale; /* the configuration has changed */
	char ion_event[128];
	char *ions_unusable; /* host list, at the last look; NULL: never */
	double next_watch;
	uint64_t epoch, published; /* the last solved, and published */
	/* as last set, one for each I/O node */
	struct slu_ctl_node_label *labels;
	size_t n_labels;
	uint64_t rows;	   /* of history, received on this connection */
	uint64_t bad_rows; /* those of them that are malformed */
	bool unknown_said; /* an unknown message was logged */
};

#define ctl_log(ctl, level, ...) slu_log(&(ctl)->log, level, __VA_ARGS__)

#endif

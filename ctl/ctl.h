/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_CTL_H
#define SLU_CTL_CTL_H

/*
 * The interface of libsluice, which all of our plugins in slurmctld share: one
 * object, counted by the plugins that hold it; one thread, which owns the link
 * to sluiced.
 *
 * The functions below are the plugins' hooks in plain terms. They are called
 * under slurmctld's locks, so they touch memory only: no file, no socket, no
 * lock of Slurm, and mutexes of ours only for a few instructions. Any thread
 * may call them. The thread starts at the first hook that only an active
 * controller calls (slu_ctl_active and the job hooks), not before.
 */

#include "ctl/ops.h"
#include "ctl/submission.h"
#include "ctl/times.h"
#include "wire/job.h"

struct slu_ctl;

/* Get the object, made at the first call. Reads the configuration file; a bad
 * one is logged and leaves everything off until it is corrected and slurmctld
 * reconfigures. conf_path NULL: the usual sluice.conf. NULL: out of memory, or
 * ops of another release. The ops of later calls are not used. */
struct slu_ctl *slu_ctl_acquire(const struct slu_ctl_ops *ops,
				const char *conf_path);
/* Release it. The last one stops the thread and waits at most two seconds, as
 * the caller may hold a lock that the thread waits for; then the thread frees
 * the object. */
void slu_ctl_release(struct slu_ctl *ctl);

/* This controller has become the active one. */
void slu_ctl_active(struct slu_ctl *ctl);
/* It is not active any more: another controller has taken over, or it ends.
 * Stops the threads, with the same wait; they start again after
 * slu_ctl_active(). NULL: nothing is done. */
void slu_ctl_inactive(struct slu_ctl *ctl);
/* Since when it is active, Unix seconds; 0: it is not. A standby may have
 * started weeks before it took over. */
int64_t slu_ctl_active_since(void);
/* Read the configuration again. */
void slu_ctl_reload(struct slu_ctl *ctl);

/* The request of a job of slurmctld, which never changes a text in place. */
struct slu_ctl_request {
	uint32_t job_id;
	const char *text; /* NULL: none */
};
/* Call the first when there is a new job, or slurmctld has just started, and
 * the second when the job is gone. Between the two its text is parsed only
 * once. */
void slu_ctl_request_seen(struct slu_ctl *ctl, uint32_t job_id,
			  const char *text);
void slu_ctl_request_gone(struct slu_ctl *ctl, uint32_t job_id);
/* The storage that the request asks for, bytes; job_id 0: the job has no number
 * yet. */
uint64_t slu_ctl_capacity(struct slu_ctl *ctl, uint32_t job_id,
			  const char *text);

/* May a job of this user with this request start: is sluiced reachable, and has
 * its pool space? If not, *why is the sentence for the user. */
#define SLU_CTL_WHY 256
bool slu_ctl_may_start(struct slu_ctl *ctl, const char *text, uint32_t uid,
		       char why[SLU_CTL_WHY]);
/* The same for persistent buffers; eligible is the first time when the job
 * could have started, as in slu_job. If sluiced has to get the job's request to
 * create or destroy some, *copy is filled in by copy(arg). is_pending says of
 * an earlier job whether it is about to begin: what it had made is not
 * destroyed before, but by force. */
bool slu_ctl_persistent(struct slu_ctl *ctl, uint32_t job_id, uint32_t uid,
			int64_t eligible, const char *text,
			void (*copy)(void *arg, struct slu_job *job), void *arg,
			bool (*is_pending)(uint32_t job_id),
			char why[SLU_CTL_WHY]);
/* State of the stage-in of a pending job without nodes. NO: the job's nodes
 * will do it; NEW: not begun; BUSY: *why says how far it is; DONE. */
enum slu_ctl_prestage {
	SLU_PRESTAGE_NO,
	SLU_PRESTAGE_NEW,
	SLU_PRESTAGE_BUSY,
	SLU_PRESTAGE_DONE,
};
enum slu_ctl_prestage slu_ctl_prestage(struct slu_ctl *ctl, uint32_t job_id,
				       const char *text, char why[SLU_CTL_WHY]);
/* Begins it, or confirms that the job still waits for it; *copy as above. */
void slu_ctl_prestage_want(struct slu_ctl *ctl, uint32_t job_id,
			   void (*copy)(void *arg, struct slu_job *job),
			   void *arg);
/* With PrestageTo: reports to sluiced at intervals that the job waits; sluiced
 * may then bring its inputs to the nodes that it will probably get. Nothing
 * waits for that. */
void slu_ctl_predict_want(struct slu_ctl *ctl, uint32_t job_id,
			  const char *text,
			  void (*copy)(void *arg, struct slu_job *job),
			  void *arg);
/* Reports a job that waits for persistent buffers; takes over the content of
 * *job. */
void slu_ctl_waits(struct slu_ctl *ctl, struct slu_job *job);
/* The same with reservations: jobs that need little space must not overtake one
 * that needs much for ever. Times are Unix seconds, 0: unknown; end_of as
 * below. */
#define SLU_CTL_OTHERS 128
struct slu_ctl_reservation {
	uint32_t job_id, uid, priority; /* of a component: the whole job's */
	uint32_t own;			/* its own number; 0: the same */
	int64_t start, end;		/* as planned; if it started now */
	/* Requests of what can only start together with it. */
	const struct slu_ctl_request *with;
	size_t n_with;
	/* Bytes of the pool (first: the site's first one) that are reserved for
	 * others; called without a mutex of ours. May be NULL. */
	uint64_t (*reserved)(void *arg, const char *pool, bool first);
	void *reserved_arg;
};
bool slu_ctl_reservation(struct slu_ctl *ctl, const char *text,
			 const struct slu_ctl_reservation *job,
			 int64_t (*end_of)(uint32_t job_id), int64_t now,
			 char why[SLU_CTL_WHY]);
/* Is this text the progress of a job's own buffer, as in BurstBufferState, and
 * no sentence about what the job waits for? NULL is fine. */
bool slu_ctl_shows_buffer(const char *text);
/* When the job can probably start, Unix seconds, by the ends of the jobs before
 * it: end_of is called under a mutex of ours; 0: no such job. */
int64_t slu_ctl_est_start(struct slu_ctl *ctl, uint32_t job_id,
			  const char *text, uint32_t uid,
			  int64_t (*end_of)(uint32_t job_id), int64_t now);
/* Does an earlier run of this waiting job have data to stage out, or is its end
 * not known, for example as slurmctld was killed and has forgotten its start?
 * Then the next run would overwrite its results. Or did it end so recently that
 * slurmd would take the next run for it? */
bool slu_ctl_earlier_run(struct slu_ctl *ctl, uint32_t job_id, time_t now,
			 char why[SLU_CTL_WHY]);
/* The job starts (or, second function, is staged in before it starts): claims
 * the space that it needs. The second claim lasts some minutes and has to be
 * repeated. */
void slu_ctl_claim(struct slu_ctl *ctl, uint32_t job_id, const char *text,
		   uint32_t uid, bool begins);
bool slu_ctl_claimed(struct slu_ctl *ctl, uint32_t job_id);
/* It starts: its comment, without notes of an earlier run and with what it has
 * waited for; under the number `array` (0: none) if its own is new. Caller
 * frees; NULL: leave the comment as it is. */
char *slu_ctl_begin_note(struct slu_ctl *ctl, uint32_t job_id, uint32_t array,
			 const char *comment, int64_t now);
/* The job does not start after all: gives up its claim. */
void slu_ctl_unclaim(struct slu_ctl *ctl, uint32_t job_id);
/*
 * IOStart: a borrowed job, as far as its bandwidth of the parallel file system
 * matters; of `job` are used: what slu_predict() uses, the limit, nodes
 * (needed, or allocated) and start.
 */
struct slu_ctl_io {
	struct slu_job job;
	int64_t predicted; /* s, by its note; 0: not */
	int64_t since;	   /* when it first had to wait, Unix seconds */
	bool no_wait;	   /* bandwidth wait=no: IOWaitOptional decides */
};
/* Can any job have to wait? If not, slurmctld need not ask. */
bool slu_ctl_io_is_on(struct slu_ctl *ctl);
/* Must a job wait for bandwidth, although there are nodes for it? *why is the
 * sentence for the user. The plugin stores `since` with the job. */
bool slu_ctl_io_waits(struct slu_ctl *ctl, const struct slu_ctl_io *io,
		      int64_t now, char why[SLU_CTL_WHY]);
/* Does this request contain bandwidth wait=no? */
bool slu_ctl_no_io_wait(const char *text);
/* When IOStart can probably let the job start, Unix seconds; `now`: the job
 * does not wait. */
int64_t slu_ctl_io_when(struct slu_ctl *ctl, uint32_t job_id, int64_t now);
/* A job starts, or is found running when slurmctld starts; harmless twice. Its
 * end is reported by slu_ctl_ended(). */
void slu_ctl_io_begun(struct slu_ctl *ctl, const struct slu_ctl_io *io,
		      int64_t now);
/* The job got no nodes after all, or is gone. */
void slu_ctl_io_ended(struct slu_ctl *ctl, uint32_t job_id);
/* A hook has changed a job's record: slurmctld is to store its jobs soon. The
 * main thread tells it, once for many calls: each such message of Slurm's wakes
 * a thread, for whose lock the next one may have to wait. Any thread. */
void slu_ctl_store_jobs(struct slu_ctl *ctl);
/* A job with this number starts: the thread stores the highest. Any thread. */
void slu_ctl_begun(struct slu_ctl *ctl, uint32_t number);
/* The job is about to start or to be resized, or has started and may be known:
 * the thread will read it. */
void slu_ctl_look(struct slu_ctl *ctl, uint32_t job_id);
/* How a held launch is released (Slurm's prep callback: exit status, job, timed
 * out); it takes locks. Without it no launch is held. */
void slu_ctl_set_prolog_done(struct slu_ctl *ctl,
			     void (*fn)(int rc, uint32_t job_id,
					bool timed_out));
/* A job has started; takes over the content of *job. True: hold its launch
 * until the function above is called for it. */
bool slu_ctl_started(struct slu_ctl *ctl, struct slu_job *job);
/* This controller has just started and found the job waiting for its prologs.
 * Slurm keeps the launch that follows them in memory only, so it is lost: the
 * thread launches the job when they have ended. */
void slu_ctl_launch_lost(struct slu_ctl *ctl, uint32_t job_id);
/* A job, or this run of it, has ended; takes over the content of *job. */
void slu_ctl_ended(struct slu_ctl *ctl, struct slu_job *job);
/* A job ended without ever having had nodes (start is 0), or the run that
 * started then must stop staging out. */
void slu_ctl_cancelled(struct slu_ctl *ctl, uint32_t job_id, int64_t start);
/* Is a buffer of this job still alive? Until sluiced has reported its buffers,
 * for an hour at most, the answer is yes. */
bool slu_ctl_alive(struct slu_ctl *ctl, uint32_t job_id);

/* The buffers as sluiced last reported them, under a mutex of ours: fn must be
 * short. uid SLU_NO_ID: all users. Returns their number; fn may be NULL. */
size_t slu_ctl_buffers(struct slu_ctl *ctl, uint32_t uid,
		       void (*fn)(void *arg,
				  const struct slu_buffer_state *buffer),
		       void *arg);
/* The pools in the order of sluice.conf, and how full they are; fn must be
 * short. Returns their number. */
struct slu_ctl_pool {
	const char *name;
	uint64_t granularity, total, unfree, used; /* bytes */
};
size_t slu_ctl_pools(struct slu_ctl *ctl,
		     void (*fn)(void *arg, const struct slu_ctl_pool *pool),
		     void *arg);
/* Text of `scontrol show bbstat [JOBID|hooks]`. The words come from any client,
 * and may be NULL where one is missing; hidden: jobs are private. Callers
 * free. */
char *slu_ctl_status(struct slu_ctl *ctl, const char *word, bool hidden);
/* Around every hook: bbstat shows its time. */
struct slu_stopwatch slu_ctl_enter(void);
void slu_ctl_leave(struct slu_ctl *ctl, enum slu_hook hook,
		   struct slu_stopwatch start);

/* The configured time limits of phases, for display; seconds. */
void slu_ctl_timeouts(struct slu_ctl *ctl, uint32_t *stage_in,
		      uint32_t *stage_out);

#endif

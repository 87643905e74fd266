/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_NODE_H
#define SLU_NODE_NODE_H

/*
 * sluice-node: what all its subcommands share. One process, one job, one node.
 *
 * What is known of a job on this node lies in RunDir/JOB (root, 0711):
 *	plan.json	the plan, without its secret (0600); its `buffer` is
 *			the instance this node has
 *	env		variables for the job's tasks; only once it is ready
 *	env.steps	more of them for the tasks of its steps, and what else
 *			these need (drivers/driver.h: env)
 *	hosts		gekkofs: where its daemons are (the user's)
 *	refused		one sentence: tasks may not start (theirs to read)
 *	restarted	the node was, since the instance was made
 *	log		what happened, for the user (theirs, 0400)
 *	kept		where data of a failed stage-out is
 *	up.pid, down.pid, watch.pid, early.pid	who works on it
 *	down.lock, watch.lock	held by the one that does
 *	reserve		room for what is noted when the job ends
 *	receipts	what sluiced has acknowledged of its end
 *	early, early.at	what was declared ready, and how much of that is done
 *	ready		the socket where it is declared
 *	tell		what the job's output is to begin with
 *	used		how full the storage was: empty, and at most
 *	output		the file of the job's output: inode and path
 *	result		how the last `down` ended: "clean", or why not
 *	done.*		acts of staging that need not be done again
 *	mnt/data	the job's file system, as users see it
 *	mnt/private	a part of it for this node alone, where that is wanted
 *	wd/		the driver's own (0700)
 *	wd/log/		logs of its daemons (host/logs.h)
 * and in RunDir itself sluice.conf, see slu_node_conf(). One that was
 * fetched is kept by common/conf_host.h.
 */

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include "burst_buffer/drivers/driver.h"
#include "burst_buffer/host/aside.h"
#include "burst_buffer/staging/temporary_file.h"
#include "burst_buffer/staging/stage.h"
#include "burst_buffer/storage/storage.h"
#include "common/conf_host.h"
#include "common/hostlist.h"
#include "common/http.h"
#include "common/log.h"
#include "common/proc.h"
#include "wire/node.h"

#define SLU_NODE_PATH 4000 /* of a job's directory */

struct slu_node_options {
	uint32_t job_id;
	const char *node; /* --node; NULL: $SLURMD_NODENAME, the host name */
	const char *log;  /* --log; "-" is stderr; NULL: the default */
	const char *to;	  /* --to */
	double period;	  /* --period, seconds; 0: the default */
	bool json, dry_run, push, wide, drop;
	bool strict;	     /* a bad sluice.conf is an error */
	double conf_seconds; /* to fetch one in */
};

/* Bytes of data on this node's storage, without what it took when it was empty.
 */
struct slu_used {
	bool known; /* false: nothing of the file system lies here */
	uint64_t now, most;
};

struct slu_input_cache;
struct slu_node {
	const struct slu_node_options *opt;
	struct slu_conf *conf;
	struct slu_conf_origin origin; /* of it */
	struct slu_http *http;	       /* made at the first call */
	struct slu_log log;
	FILE *log_file, *job_log;
	char name[256];
	uint32_t job_id;
	char dir[SLU_NODE_PATH];	     /* RunDir/JOB */
	char beside[SLU_TEMPORARY_FILE_TAG]; /* what it stages out is called so
					      * until it is verified */
	struct {
		struct stat file;
		uint64_t buffer;
	} noted;	   /* what slu_noted_is() has read */
	bool has_receipts; /* what is told of the end is noted: receipts.h */
	bool is_ready;	   /* sluiced hears that the job can run, or has */
	bool mistake;	   /* the failure is the request's, for ever */
	bool no_room;	   /* it is that there is none for storage here */
	bool mapped; /* what is staged out may be changed through memory */
	const char *offer; /* and what is noted of it, if sluiced wants that */
	double deadline;   /* of this phase, slu_now_mono() */

	/* Once there is a plan: */
	bool planned;
	struct slu_plan plan;
	char *whole; /* what is to be noted of one that is split; or NULL */
	size_t self;
	bool first; /* of all the job's nodes (self 0: of its part) */
	const struct slu_driver *driver;
	struct slu_storage storage;
	struct slu_instance in;
	const char *root; /* of the file system, once attached; of a
			   * persistent one, this job's corner of it */
	/* A job that uses a persistent buffer is a client more of it: its
	 * driver sees that one's plan. */
	struct slu_plan view;
	char corner[PATH_MAX];
	struct slu_input_cache *cache; /* of its stage-in, or NULL */
	char *told; /* by sluiced at the last barrier; NULL: nothing */
	struct slu_hosts away; /* who had not come to the last barrier */
	/* Of the request that is being staged, as /v1/poll tells it. */
	uint64_t copied, to_copy, copied_files, files_to_copy;
	struct slu_used used;  /* serve: as it was looked at just now */
	struct slu_fill *fill; /* serve: what is to be told of all of them */
	size_t n_fill;
	char work[PATH_MAX], top[PATH_MAX], data[PATH_MAX], mnt[PATH_MAX];
	char log_dir[PATH_MAX];
};

/* Unix seconds. */
int64_t slu_today(void);

/* A job's number as a user gives it; -1: it is none. */
int slu_node_parse_job(const char *text, uint32_t *job_id);

/* Configuration, names, log. The job's directory is not made. */
int slu_node_open(struct slu_node *n, const struct slu_node_options *opt,
		  struct slu_err *err);
void slu_node_close(struct slu_node *n);

/* sluice.conf was fetched, and sluiced has said meanwhile that it has another
 * one: that is ours from now on, but for RunDir. If it cannot be had, the one
 * of before stays, and the log says why. */
void slu_node_renew_conf(struct slu_node *n);

/* Take over a plan (it is the node's then, also on failure): find ourselves
 * and the driver in it. Of one that is split only our own part is kept: it is a
 * file system like any other, whose nodes meet the rest at barriers. What is
 * noted is the whole: a sluiced whose database was restored must know it by
 * that. */
int slu_node_take_plan(struct slu_node *n, struct slu_plan *plan,
		       struct slu_err *err);

/* One line into the program's log and the job's. */
void slu_node_log(struct slu_node *n, enum slu_level level, const char *fmt,
		  ...) __attribute__((format(printf, 3, 4)));

/* node_conf.c: sluice.conf from `path`, or, if that is bad, what was last read
 * without an error on this node: then *err says why. NULL: there is no such
 * thing. Caller frees. */
struct slu_conf *slu_node_conf(const char *path, struct slu_err *err);

/* notes.c: files in the job's directory. */
void slu_note_path(const struct slu_node *n, const char *name,
		   char path[PATH_MAX]);
/* Storage of the instance may be there: without it there never was any. */
#define SLU_STORAGE_NOTE "storage"
bool slu_note_has(const struct slu_node *n, const char *name);
/* Seconds since it was written; -1: there is none. */
long slu_note_age(const struct slu_node *n, const char *name);
/* The text, or NULL. Caller frees. */
char *slu_note_get(const struct slu_node *n, const char *name);
int slu_note_put(struct slu_node *n, const char *name, mode_t mode,
		 const char *text, struct slu_err *err);
/* One that the job's user may read and nobody else; everybody, where there are
 * no lists or it is not known who that is. */
int slu_note_put_for_user(struct slu_node *n, const char *name,
			  const char *text, struct slu_err *err);
void slu_note_drop(const struct slu_node *n, const char *name);
/* Does whoever this file names (up.pid, ...) live? */
bool slu_note_lives(const struct slu_node *n, const char *pid_file,
		    struct slu_pid *pid);
/* It has to end, unless it is ourselves. */
int slu_note_end(const struct slu_node *n, const char *pid_file,
		 struct slu_err *err);
/* Set room aside for what is noted at the end (and make down.lock), so that
 * whatever else fills RunDir meanwhile does not hinder that; give it back. */
int slu_note_reserve(const struct slu_node *n, struct slu_err *err);
void slu_note_release(const struct slu_node *n);
/* Be the only one that does `what` ("down", "watch") for the job, until this
 * process ends. False: another one is, which WHAT.pid names again. */
bool slu_note_lock(struct slu_node *n, const char *what);
/* Nobody else begins an instance of the job, or takes one over, from here to
 * slu_note_begun() of what is returned; -1: another still did after so many
 * seconds. */
int slu_note_begin(const struct slu_node *n, double seconds,
		   struct slu_err *err);
void slu_note_begun(int begin);
int slu_note_plan(struct slu_node *n, struct slu_err *err);
/* As it is noted: without the secret, which who needs it later fetches again,
 * and whatever sluiced said with it. NULL: no memory. Caller frees. */
char *slu_plan_note(const struct slu_plan *plan);
/* The plan that was noted; SLU_NOTFOUND: none. */
int slu_noted_plan(const struct slu_node *n, struct slu_plan *plan,
		   struct slu_err *err);
/* Is this the instance that is noted? Cheap to ask again: the plan, which may
 * be of thousands of nodes, is read only when its file is another. */
bool slu_noted_is(struct slu_node *n, uint64_t buffer);

/* job_env.c: leave for its tasks what is to be in their environment. */
int slu_note_env(struct slu_node *n, struct slu_err *err);

/* peak_used.c: how full the storage is, now and at most so far. */
/* It is empty: all that comes from here on is data. */
void slu_peak_used_begin(struct slu_node *n);
struct slu_used slu_peak_used_sample(struct slu_node *n);

/* Remove the job's directory; nothing there is success. */
int slu_notes_forget(struct slu_node *n, struct slu_err *err);
/* The same, if it is that of an `up` which has ended without a plan, and so has
 * made nothing, or is this process. */
int slu_notes_forget_begun(struct slu_node *n, struct slu_err *err);
/* Remove what earlier removals, cut short, left in RunDir. */
void slu_notes_sweep(struct slu_node *n);

/*
 * talk.c: what is asked of sluiced, again and again until n->deadline while it
 * cannot be reached or has nothing to say. SLU_DENIED is its abort, with the
 * reason; SLU_TIMEOUT: the deadline has passed.
 */
int slu_talk_plan(struct slu_node *n, uint32_t restarts, struct slu_plan *plan,
		  struct slu_err *err);
/* What sluiced has on record of this node; slu_msg_clear of
 * slu_node_inventory_desc. */
int slu_talk_inventory(struct slu_node *n, struct slu_node_inventory *owed,
		       struct slu_err *err);
/* Fills in who reports. *answer is the caller's to clear. */
int slu_talk_report(struct slu_node *n, struct slu_report *report,
		    struct slu_answer *answer, struct slu_err *err);
/* The same where only go or abort matters. */
int slu_talk_step(struct slu_node *n, struct slu_report *report,
		  struct slu_err *err);
/* attrs, n_attr: what the others brought (NULL: not wanted); freed with
 * slu_msg_clear of slu_barrier_answer_desc. */
int slu_talk_barrier(struct slu_node *n, const char *name, const char *attr,
		     struct slu_barrier_answer *answer, struct slu_err *err);
int slu_talk_meet(struct slu_node *n, const char *name, struct slu_err *err);
/* One try, for at most so many seconds. */
int slu_talk_once(struct slu_node *n, const char *path, const char *body,
		  double seconds, struct slu_buf *reply, struct slu_err *err);
/* The same of /v1/poll: the word, or an error. */
int slu_talk_poll(struct slu_node *n, double seconds, struct slu_answer *answer,
		  struct slu_err *err);

/* staging.c: request r of the plan, with all nodes (or alone, where each has
 * its own data), from the walk to the last check. */
int slu_node_stage(struct slu_node *n, size_t r, struct slu_err *err);

/* stripe_directories.c: the layouts that the plan asks for, by the first node,
 * as the job's user; the others wait for it. */
int slu_node_stripe(struct slu_node *n, struct slu_err *err);

/* What a stage_out puts below its destination, where the job has several file
 * systems: the name of this node or of its part. NULL: nothing. */
const char *slu_node_below(const struct slu_node *n);
/* The kind of source that the plan's word stands for. */
enum slu_stage_what slu_stage_what(const char *type);

/* Subcommands: exit codes. */
int slu_cmd_up(struct slu_node *n);
int slu_cmd_down(struct slu_node *n);
int slu_cmd_missed(struct slu_node *n);
int slu_cmd_discard(struct slu_node *n);
int slu_cmd_status(struct slu_node *n);
int slu_cmd_cache(struct slu_node *n);
int slu_cmd_probe(struct slu_node *n);
int slu_cmd_fetch(struct slu_node *n);
int slu_cmd_cancel(struct slu_node *n);
int slu_cmd_begin(struct slu_node *n);
int slu_cmd_io(struct slu_node *n);
int slu_cmd_watch(struct slu_node *n);
int slu_cmd_recover(struct slu_node *n);
int slu_cmd_serve(struct slu_node *n);

/* down.c: take down the instance that is noted; returns when nothing is left,
 * or says why something is. */
int slu_down(struct slu_node *n, struct slu_err *err);
/* The same with that instance, which was noted when the caller looked; returns
 * when its worker will not touch the directory any more. */
int slu_down_older(struct slu_node *n, uint64_t buffer, struct slu_err *err);
/* worker.c: the detached part of it. */
int slu_worker_start(struct slu_node *n, struct slu_err *err);
/* The same in a child, which is waited for, where not even a pid file can be
 * written. */
void slu_worker_run(struct slu_node *n);
/* watch.c */
int slu_watcher_start(struct slu_node *n, struct slu_err *err);

#endif

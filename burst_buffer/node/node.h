/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_NODE_H
#define SLU_NODE_NODE_H

/*
 * Shared by all subcommands of `sluice-node`, which makes and removes jobs'
 * file systems on a compute node: the context of a call (struct slu_node) and
 * the notes, files in which calls for the same job leave each other their
 * state. One process works on one job.
 */

/*
 * The notes of a job on this node lie in RunDir/JOB (root, 0711):
 *
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
 *	up.pid, down.pid, watch.pid, early.pid	the process of that subcommand
 *	down.lock, watch.lock	held by that process
 *	reserve		disk space for what is noted when the job ends
 *	receipts	reports about its end that sluiced has acknowledged
 *	early, early.at	queue of early stage-out, and how much of it is done
 *	ready		the socket for early stage-out
 *	tell		the first lines of the job's output
 *	used		how full the storage was: empty, and at most
 *	output		the file of the job's output: inode and path
 *	result		how the last `down` ended: "clean", or why not
 *	done.*		acts of staging that need not be done again
 *	mnt/data	the job's file system, as users see it
 *	mnt/private	a part of it for this node alone, where that is wanted
 *	wd/		the driver's own (0700)
 *	wd/log/		logs of its daemons (host/logs.h)
 *
 * RunDir itself has a copy of sluice.conf, see slu_node_conf(); one that was
 * fetched is kept by common/conf_host.h.
 */

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include "burst_buffer/drivers/driver.h"
#include "burst_buffer/host/aside.h"
#include "burst_buffer/staging/files/temporary_file.h"
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
	double conf_seconds; /* seconds to fetch one */
};

/* Bytes of data on this node's storage, without the bytes of an empty file
 * system. */
struct slu_used {
	bool known; /* false: nothing of the file system is here */
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
	char beside[SLU_TEMPORARY_FILE_TAG]; /* names of unverified files begin
						with this */
	struct {
		struct stat file;
		uint64_t buffer;
	} noted;	   /* what slu_noted_is() has read */
	bool has_receipts; /* reports about the end are noted: receipts.h */
	bool is_ready;	   /* tasks may run or have run; sluiced is told so */
	bool mistake;	   /* the failure is due to the request and permanent */
	bool no_room;	   /* the failure is lack of space on this node */
	bool mapped;	   /* data may change through a shared map */
	const char *offer; /* the noted plan, if sluiced asks for it */
	double deadline;   /* of this phase, slu_now_mono() */

	/* Valid once there is a plan: */
	bool planned;
	struct slu_plan plan;
	char *whole; /* the note of a plan that is split; or NULL */
	size_t self;
	bool first; /* the first of all the job's nodes (self 0: of its part) */
	const struct slu_driver *driver;
	struct slu_storage storage;
	/* Of the further devices of a share that is spread (devices.h); paths
	 * of their `fs`. */
	struct slu_storage *more;
	const char **more_fs;
	size_t n_more;
	struct slu_instance in;
	const char *root; /* of the file system, once attached; in a persistent
			     buffer, this job's corner */
	/* A job that uses a persistent buffer is one more client of it: its
	 * driver gets that buffer's plan. */
	struct slu_plan view;
	char corner[PATH_MAX];
	struct slu_input_cache *cache; /* of its stage-in, or NULL */
	char *user_text;       /* sluiced's text at the last barrier; or NULL */
	struct slu_hosts away; /* nodes that did not come to the last barrier */
	/* Of the request that is being staged, as /v1/poll tells it. */
	uint64_t copied, to_copy, copied_files, files_to_copy;
	struct slu_used used;  /* serve: as of the last look */
	struct slu_fill *fill; /* serve: to be reported, of all buffers */
	size_t n_fill;
	struct slu_prefetch_report
		*prefetch; /* serve: likewise, of what is prefetched */
	size_t n_prefetch;
	char work[PATH_MAX], top[PATH_MAX], data[PATH_MAX], mnt[PATH_MAX];
	char log_dir[PATH_MAX];
};

/* Unix seconds. */
int64_t slu_today(void);

/* A job id as users give it; -1: it is none. */
int slu_node_parse_job(const char *text, uint32_t *job_id);

/* Reads the configuration, finds the node's name, opens the log. Does not make
 * the job's directory. */
int slu_node_open(struct slu_node *n, const struct slu_node_options *opt,
		  struct slu_err *err);
/* Opens the context of a job within a service, of which it borrows the
 * configuration and the log; opt is filled in, and must outlive it. */
int slu_node_open_job(const struct slu_node *service, uint32_t job_id,
		      struct slu_node_options *opt, struct slu_node *out,
		      struct slu_err *err);
void slu_node_close(struct slu_node *n);

/* If sluice.conf was fetched and sluiced has since said that it has another
 * one: fetch that, and use all of it but RunDir. If that fails, the old one
 * stays in use, and the log says why. */
void slu_node_renew_conf(struct slu_node *n);

/* Takes over a plan (also on failure): finds this node and the driver in it. Of
 * a split plan only this node's part is kept, which is a file system of its
 * own; its nodes meet those of other parts at barriers. The note keeps the
 * whole plan, by which a sluiced with a restored database recognises it. */
int slu_node_take_plan(struct slu_node *n, struct slu_plan *plan,
		       struct slu_err *err);

/* Is there something that other nodes of the job may still be using? */
bool slu_in_common(const struct slu_node *n);

/* node_log.c: writes one line to the program's log and the job's. */
void slu_node_log(struct slu_node *n, enum slu_level level, const char *fmt,
		  ...) __attribute__((format(printf, 3, 4)));

/* node_conf.c: reads sluice.conf at `path`; if it is bad, the last one that
 * this node has read without an error: then *err says why. NULL: there is
 * neither. Caller frees. */
struct slu_conf *slu_node_conf(const char *path, struct slu_err *err);

/* notes.c: files in the job's directory. */
void slu_note_path(const struct slu_node *n, const char *name,
		   char path[PATH_MAX]);
/* There may be storage of the instance: without this note there never was
 * any. */
#define SLU_STORAGE_NOTE "storage"
bool slu_note_has(const struct slu_node *n, const char *name);
/* Seconds since it was written; -1: there is none. */
long slu_note_age(const struct slu_node *n, const char *name);
/* The text, or NULL. Caller frees. */
char *slu_note_get(const struct slu_node *n, const char *name);
int slu_note_put(struct slu_node *n, const char *name, mode_t mode,
		 const char *text, struct slu_err *err);
/* Writes a note that only the job's user may read; everybody, where there are
 * no ACLs or the user is not known. */
int slu_note_put_for_user(struct slu_node *n, const char *name,
			  const char *text, struct slu_err *err);
void slu_note_drop(const struct slu_node *n, const char *name);
/* Is the process named by this file (up.pid, ...) alive? */
bool slu_note_lives(const struct slu_node *n, const char *pid_file,
		    struct slu_pid *pid);
/* Ends that process, unless it is the calling one. */
int slu_note_end(const struct slu_node *n, const char *pid_file,
		 struct slu_err *err);
/* Reserves space for notes at the end (and makes down.lock), in case RunDir is
 * full then; releases it. */
int slu_note_reserve(const struct slu_node *n, struct slu_err *err);
void slu_note_release(const struct slu_node *n);
/* Makes this process the only one that does `what` ("down", "watch") for the
 * job, until it ends. False: another process does it; WHAT.pid names that one
 * again. */
bool slu_note_lock(struct slu_node *n, const char *what);
/* Takes the lock under which an instance of the job is begun or taken over,
 * until slu_note_begun() of the result; -1: another process has held it for so
 * many seconds. */
int slu_note_begin(const struct slu_node *n, double seconds,
		   struct slu_err *err);
void slu_note_begun(int begin);
/* receipts.c: note the plan; it begins, and has no receipts yet. */
int slu_note_plan(struct slu_node *n, struct slu_err *err);
/* The plan as it is noted: without the secret, which is fetched again when it
 * is needed, and without what sluiced sends along. NULL: no memory. Caller
 * frees. */
char *slu_plan_note(const struct slu_plan *plan);
/* The plan that was noted; SLU_NOTFOUND: none. */
int slu_noted_plan(const struct slu_node *n, struct slu_plan *plan,
		   struct slu_err *err);
/* Is this the instance that is noted? Cheap: the plan, which may be large, is
 * read again only if its file has changed. */
bool slu_noted_is(struct slu_node *n, uint64_t buffer);

/* peak_used.c: how full the storage is, now and at most so far. */
/* Call it while the file system is empty: everything from here on is data. */
void slu_peak_used_begin(struct slu_node *n);
struct slu_used slu_peak_used_sample(struct slu_node *n);

/* Remove the job's directory; 0 also if there is none. */
int slu_notes_remove(struct slu_node *n, struct slu_err *err);
/* As slu_notes_remove(), but only if the directory was made by this process, or
 * by an `up` that has ended without a plan, and so has made nothing. */
int slu_notes_remove_begun(struct slu_node *n, struct slu_err *err);
/* Remove what interrupted removals have left in RunDir. */
void slu_notes_sweep(struct slu_node *n);

/* A directory that a stage_out adds to its destination, where the job has
 * several file systems: the name of this node or of its part. NULL: none. */
const char *slu_node_below(const struct slu_node *n);
/* stage_what.c: the enum for the plan's word. */
enum slu_stage_what slu_stage_what(const char *type);
/* Does the site's program (Mover=) copy request r of the plan, which has so
 * many bytes? */
bool slu_stage_uses_mover(const struct slu_node *n, size_t r, uint64_t bytes);
#endif

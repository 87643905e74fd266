/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_SUBMISSION_H
#define SLU_CTL_SUBMISSION_H

/*
 * Declares the functions of libsluice that plugins call when a job is
 * submitted. As in ctl.h: under slurmctld's locks, memory only, any thread.
 */

#include "common/err.h"
#include "common/hostlist.h"
#include "job_submit/time_limit.h"
#include "wire/job.h"
#include "wire/note.h"

struct slu_ctl;

/*
 * Submission, before the job has a number. In mode fill a job without a limit
 * gets one, in mode tighten every job a tighter one (job_submit/time_limit.h);
 * those that are tighter are given back, before they end the job, up to what
 * the job would have had without us. The note says which one is meant; it is
 * set once slurmctld has checked the job by what was asked for.
 */
#define SLU_CTL_ACCOUNT 128
struct slu_ctl_submit {
	/* uid, account and partition as they will be when it has ended, name,
	 * tasks, limit_asked and node_cnt (0: the user named none, the fewest
	 * that hold the tasks are meant) are used; borrowed */
	struct slu_job job;
	char default_account[SLU_CTL_ACCOUNT]; /* where account may be kept */
	uint32_t tasks_per_node;	       /* asked for; 0: not */
	uint32_t cpus_per_task;		       /* 0: 1 */
	uint32_t cpus_per_node; /* of the partition; 0: unknown */
	uint32_t max_limit;	/* that the job may have, minutes; 0: any */
	uint32_t default_limit; /* that Slurm fills in, minutes; 0: no end */
	bool default_unknown;	/* before the job starts: at most that */
	bool has_limit;	    /* the user gave one, limit_asked 0: unlimited */
	bool guarded;	    /* see slu_ctl_guard_look(): its start is checked */
	bool watched;	    /* signals or the like depend on its limit */
	const char *option; /* --bb and the script, or NULL: not known */
	const char *script; /* "limit tighten=no" keeps the limit */
	/* Does a reservation begin between these minutes from now on nodes that
	 * the job may get? NULL: none does. */
	bool (*reserved)(const void *host, uint32_t from, uint32_t to);
	const void *host;
	struct slu_note note; /* out: for the administrator's comment */
	char *tell;	      /* out: for the user, or NULL; caller frees */
};
void slu_ctl_submit(struct slu_ctl *ctl, struct slu_ctl_submit *submit);
/* For a job with such a note that slurmctld has checked: decides again by its
 * rules as they are now (other plugins may have changed them), and updates the
 * note. Returns the limit to set, minutes; 0: none. */
uint32_t slu_ctl_reconsider_limit(const struct slu_limit_rules *rules,
				  struct slu_note *note);
/* A job cannot start with its tightened limit: have the guard check soon
 * whether it should get its whole limit. */
void slu_ctl_guard_look(struct slu_ctl *ctl);
/* Was this environment entry ("NAME=value") left by a job of ours, so that a
 * new job must not inherit it? If only a part of it was, that part is removed.
 */
bool slu_ctl_stale_env(struct slu_ctl *ctl, char *entry);

/* Checks what --bb and the script ask for against the site: *text (caller
 * frees) is its canonical form, "" for nothing. */
enum slu_ctl_may_get { SLU_GET_NO, SLU_GET_MAY, SLU_GET_MUST };

struct slu_ctl_ask {
	const char *option, *script; /* either may be NULL */
	const char *account;	     /* NULL: none */
	uint32_t uid;
	uint32_t min_nodes; /* that the job asks for; 0: not known */
	uint32_t max_nodes;
	/* A component of a heterogeneous job, and which; they are asked about
	 * in their order, under one lock of slurmctld. */
	bool het;
	uint32_t het_offset;
	bool array;
	bool prolog_flags; /* PrologFlags has Alloc and DeferBatch */
	/* May the job get this node, by its partitions and the nodes that it
	 * names and excludes? NULL: not known. */
	enum slu_ctl_may_get (*may_get)(void *arg, const char *node);
	/* The only nodes that the job can use (sorted or not), as its file
	 * system is on all of its nodes and the pool does not have all nodes of
	 * the site. May be NULL. */
	void (*keep_to)(void *arg, const struct slu_hosts *nodes);
	void *arg;
	uint32_t named; /* nodes that the job names and so must get */
	/* seconds after which its client gives up waiting; 0: never (sbatch),
	 * or not known */
	uint32_t client_timeout;
};
int slu_ctl_validate(struct slu_ctl *ctl, const struct slu_ctl_ask *ask,
		     char **text, struct slu_err *err);
/* slu_request_quote() for a message of slu_ctl_validate(). */
char *slu_ctl_quote(const char *mistakes, const char *option,
		    const char *script);
/* See slu_request_component(). */
char *slu_ctl_component(const char *script, uint32_t component);
/* Does canonical text ask for a file system, and of which size? NULL is
 * allowed. */
bool slu_ctl_has_buffer(const char *text);
/* Does canonical text name persistent buffers to create, use or destroy? */
bool slu_ctl_has_persistent(const char *text);

#endif

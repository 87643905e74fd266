/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_OPS_H
#define SLU_CTL_OPS_H

/*
 * The functions of slurmctld that libsluice needs, as a table.
 * plugins/ctl_ops.c fills it in for slurmctld, the tests with a fake. Every
 * function takes slurmctld's locks itself, for microseconds unless said
 * otherwise, and is called by libsluice's own threads only, never while a mutex
 * of libsluice is held. All are idempotent: a command may come twice.
 *
 * A slurmctld that has saved its state for the last time refuses commands with
 * SLU_BUSY. "No such job" is SLU_NOTFOUND. Returned structures belong to the
 * caller.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/err.h"
#include "common/log.h"
#include "wire/control.h"

/* The settings of slurm.conf that matter to Sluice. */
struct slu_ctl_settings {
	char version[32]; /* of Slurm */
	char cluster[64];
	bool prolog_alloc, prolog_defer_batch, prolog_serial;
	bool prep_script, prep_sluice;
	bool bb_sluice, job_submit_sluice, node_features_sluice;
	uint32_t prolog_epilog_timeout; /* s, UINT32_MAX: none */
	uint32_t batch_start_timeout;	/* s */
	uint32_t suspend_resume;	/* SuspendTimeout + ResumeTimeout, s */
	uint32_t resume;		/* of that ResumeTimeout */
	uint32_t boot; /* ResumeTimeout of nodes that are powered down, s */
	uint32_t complete_wait; /* s */
	bool job_container;
};

struct slu_ctl_node {
	struct slu_node_addr addr;
	char *comment; /* our part of it, see slu_ctl_node_label; else NULL */
	bool hostname_differs; /* its short host name is not its NodeName */
};

/* The label of a node that forwards I/O: its feature and the jobs that use
 * it. */
struct slu_ctl_node_label {
	char *node;
	const char *feature; /* ion_free, ion_assigned or ion_shared; "": not an
				I/O node any more */
	/* "sluice: 17,23*", or NULL: 17 holds it, 23 shares it; text of others
	 * before it stays */
	char *comment;
};

/* Why a pending job cannot start with its tightened limit: if it started now,
 * between the end of the tightened and of the whole limit a reservation would
 * begin on nodes that it may get; or the whole limit exceeds what its
 * partitions, association or QOS allow now. */
enum slu_limit_bar {
	SLU_LIMIT_BAR_NONE,
	SLU_LIMIT_BAR_RESERVATION,
	SLU_LIMIT_BAR_MAXIMUM,
};

/* A pending or running job (none whose nodes are still booting) whose limit is
 * ours, by its note (wire/note.h). */
struct slu_ctl_limit {
	uint32_t job_id;
	bool running; /* or suspended */
	bool suspended;
	bool whole_asked; /* the user had asked for a limit */
	enum slu_limit_bar bar;
	int64_t end; /* running: the present one, Unix seconds; suspended: if it
			resumed now */
	uint32_t limit;	       /* the present one, minutes */
	uint32_t tight, whole; /* whole: SLU_NOTE_UNLIMITED for none */
};

/* What set_ends() needs to know of a run. */
#define SLU_CTL_ENDS 256
struct slu_ctl_end {
	uint32_t job_id;
	int64_t start;	   /* of this run, Unix seconds */
	int64_t give_back; /* s, since then */
	bool final;
};

/* Planned starts that a longer limit delays. */
struct slu_ctl_late {
	uint32_t jobs, first; /* how many; the id of the first */
	int64_t longest;      /* s, at most */
	char reservation[64]; /* a reservation of its nodes that begins before
				 its end; or "" */
};

/* What set_limits() has to do to a job, and whether it was done. */
struct slu_ctl_put {
	uint32_t job_id;
	bool whole;
	bool done;		  /* out */
	struct slu_ctl_late late; /* out */
};

/* Users have written much of it. */
struct slu_ctl_mail {
	uint32_t job_id;
	uint32_t array_job_id; /* only the first of its tasks is mailed; 0: all
				  are */
	char *program;	       /* Slurm's program, a path */
	char *to;
	char *kind; /* "Held", "Requeued", "Failed", ..., in Slurm's words */
	char *subject;
};

struct slu_ctl_ops {
	size_t size;	   /* of this structure, which shows its release */
	void *arg;	   /* first argument of all below */
	uint32_t max_jobs; /* that slurmctld has at once; 0: not known */

	slu_log_f *log;
	void (*settings)(void *arg, struct slu_ctl_settings *out);

	/* A consistent copy of all jobs that are not pending (ended ones
	 * included, as long as slurmctld remembers them) and of all nodes, made
	 * under read locks: the only function whose time grows with the
	 * machine. *jobs as for slu_hello_ctl. */
	int (*snapshot)(void *arg, struct slu_job **jobs, size_t *n_jobs,
			struct slu_ctl_node **nodes, size_t *n_nodes,
			struct slu_err *err);
	/* Reads n jobs under one read lock; out[i].job_id is 0 for one that
	 * does not exist. */
	void (*jobs)(void *arg, const uint32_t *id, size_t n,
		     struct slu_job *out);
	/* Which of these nodes (host list) are down; drained: or drained; NULL:
	 * none. */
	char *(*down)(void *arg, const char *nodes, bool drained);
	/* The present NodeAddr of a node; NULL: there is no such node. Caller
	 * frees. */
	char *(*node_addr)(void *arg, const char *node);

	/*
	 * Set the end of a running job with a finite limit to
	 *   start + limit + suspended time + extra,
	 * extra being what of `give_back` (seconds since `start`) slurmctld has
	 * not added itself (suspension; its own start, which Slurm moves when
	 * nodes have booted), `max` seconds at most, but not beyond a
	 * reservation of its nodes, and never before the end it would have
	 * without us. `final` fixes extra for this run by a note with the job:
	 * later calls use it again.
	 */
	int (*set_end)(void *arg, const struct slu_ctl_end *end, int64_t max,
		       struct slu_err *err);
	/* The same for at most SLU_CTL_ENDS jobs that may have ended: compares
	 * under a read lock, and takes the write lock only for those that
	 * differ. True: some are suspended, and should be checked soon after
	 * they resume. */
	bool (*set_ends)(void *arg, const struct slu_ctl_end *end, size_t n,
			 int64_t max);
	/* Reads those jobs, under a read lock; the caller frees *out. */
	int (*limits)(void *arg, int64_t now, struct slu_ctl_limit **out,
		      size_t *n, struct slu_err *err);
	/* Gives such jobs their whole limits or, only to pending ones, their
	 * tightened ones again, in this order and many under one lock. A
	 * running job keeps the whole limit; its note says so, and which jobs
	 * are delayed. Those whose limit is not ours any more, or may not be
	 * changed yet, are not `done`. */
	void (*set_limits)(void *arg, struct slu_ctl_put *put, size_t n);
	/* A run that the verdict does not mean (any more) is not changed: these
	 * five then return 1. This one puts it back into the queue, held; one
	 * that cannot be requeued fails instead. `reason`: one sentence, shown
	 * as the job's reason. */
	int (*hold)(void *arg, const struct slu_verdict *verdict,
		    struct slu_err *err);
	int (*requeue)(void *arg, const struct slu_verdict *verdict,
		       struct slu_err *err);
	/* A job that has COMPLETED becomes FAILED, in accounting too; one that
	 * still runs is ended as FAILED; any other keeps its state. */
	int (*fail)(void *arg, const struct slu_verdict *verdict,
		    struct slu_err *err);
	/* Cancel a job that has not run yet. */
	int (*cancel)(void *arg, const struct slu_verdict *verdict,
		      struct slu_err *err);
	/* A job that has run keeps its state; the reason is noted with it. */
	int (*complete)(void *arg, const struct slu_verdict *verdict,
			struct slu_err *err);
	/* The mail to the job's user about what was just done to the job, if
	 * the user wants it (`staged`: only that its data has arrived). 1:
	 * none. The caller frees the strings. */
	int (*mail)(void *arg, const struct slu_verdict *verdict, bool staged,
		    struct slu_ctl_mail *out);
	/* Sends it with Slurm's mail program, in a thread without locks; takes
	 * as long as that does, a few seconds at most. */
	int (*send_mail)(void *arg, const struct slu_ctl_mail *mail,
			 struct slu_err *err);
	/* Show a text as the job's reason; NULL removes ours. A job that was
	 * requeued keeps the reason for that. */
	int (*annotate)(void *arg, uint32_t job_id, const char *text,
			struct slu_err *err);
	/* Note in the comments of jobs that wait when they will start (ordered
	 * by job_id), and in no other's. Looks at all jobs under a read lock,
	 * and takes the write lock only for those whose comments change. */
	void (*tell_starts)(void *arg, const struct slu_start_told *starts,
			    size_t n);
	/* Show the state of its buffer in `scontrol show job`. */
	void (*show)(void *arg, uint32_t job_id, const char *text);
	int (*drain)(void *arg, const char *node, const char *reason,
		     struct slu_err *err);
	/* Only if the reason of the drain is ours. */
	int (*resume)(void *arg, const char *node, struct slu_err *err);
	/* Does every node show its label, checked under a read lock?
	 * Administrators overwrite features and comments, registrations reset
	 * them. */
	bool (*marked)(void *arg, const struct slu_ctl_node_label *mark,
		       size_t n);
	void (*mark)(void *arg, const struct slu_ctl_node_label *mark,
		     size_t n);
	/* Launch the batch script of a job whose launch was lost with an
	 * earlier slurmctld: SLU_BUSY while its prologs run. */
	int (*relaunch)(void *arg, uint32_t job_id, struct slu_err *err);
	/* Something changed that may let pending jobs start: Slurm begins a
	 * pass at once, in a thread of its own. */
	void (*schedule)(void *arg);
	/* Store the jobs' records soon. */
	void (*store_jobs)(void *arg);
	/* Keep slurmctld from reusing numbers of jobs that have started and
	 * that it has forgotten; called when the thread starts, before a job is
	 * submitted. May take milliseconds under slurmctld's lock. Returns the
	 * last number that slurmctld will not use. */
	uint32_t (*pass_numbers)(void *arg);
	/* Store the highest number of a job that has started. */
	void (*keep_number)(void *arg, uint32_t last);
};

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_IOSTART_H
#define SLU_CTL_IOSTART_H

/*
 * IOStart makes jobs wait so that the running jobs do not ask more of the
 * parallel file system than it can do (the rule:
 * select_io/bandwidth/admission.h). There is one object for bytes and one for
 * metadata operations, of all file systems as one or, where IOBandwidth and
 * IOMetadata name them, of each; a job waits while any says so. Kept in memory;
 * one mutex, held for one look at all that runs where much has changed, and for
 * one sum over it where a job starts or ends. Any thread.
 *
 * No job waits before history has been read, when sluiced has been away for
 * SLU_IOSTART_GRACE seconds, or when IOStart is off. Exception: a job that
 * waited when slurmctld was restarted waits until history has been read. `now`
 * is in Unix seconds.
 */

#include <pthread.h>
#include "common/conf.h"
#include "common/str.h"
#include "ctl/map.h"
#include "select_io/bandwidth/admission.h"
#include "select_io/bandwidth/busy_times.h"
#include "select_io/bandwidth/rate_steps.h"
#include "select_io/bandwidth/rates.h"
#include "wire/control.h"

enum slu_io_resource {
	SLU_IO_BANDWIDTH,    /* IOBandwidth, bytes */
	SLU_IO_METADATA_OPS, /* IOMetadata, operations of MDTs */
	SLU_IO_RESOURCES,
};
/* One for each resource of each file system that can be named. */
#define SLU_IO_OBJECTS (SLU_IO_RESOURCES * SLU_IO_FS)
/* Each one of a struct slu_ctl that has been in use; and all of them. */
#define slu_each_io(s, ctl)                          \
	for (struct slu_iostart *s = (ctl)->iostart; \
	     s < (ctl)->iostart + (ctl)->n_io; s++)
#define slu_every_io(s, ctl)                         \
	for (struct slu_iostart *s = (ctl)->iostart; \
	     s < (ctl)->iostart + SLU_IO_OBJECTS; s++)

#define SLU_IOSTART_GRACE 60
#define SLU_IOSTART_WHY	  256
#define SLU_IOSTART_LOG	  32
#define SLU_IO_HEAVY	  3

/* A job, borrowed. */
struct slu_io_job {
	uint32_t job_id, uid;
	const char *name;
	double nodes;	/* that it needs at least, or has */
	double seconds; /* predicted run time; > 0 */
	int64_t since;	/* when it first had to wait; 0: never */
	int64_t start;	/* of one that runs */
};

/* For the log: a job that has started after waiting, or (advise) would have
 * waited. */
struct slu_iostart_log_entry {
	uint32_t job_id;
	int64_t waited; /* s; advised: at most so long */
	bool bound;	/* until MaxIOWait */
	bool advised;
	char why[SLU_IOSTART_WHY];
};

/* Counts since slurmctld started. */
struct slu_io_totals {
	/* jobs; those of them that waited until the limit */
	uint64_t waited, bound;
	uint64_t advised; /* jobs that would have waited */
};

/* With auto: the last runs, from which capacity is learned. Used by the
 * thread that learns only, not guarded. */
struct slu_io_ran {
	struct slu_ended_run *run; /* a ring; NULL: not auto */
	size_t n, next;
	size_t news; /* since it was judged */
};

struct slu_iostart {
	struct slu_io_ran ran;
	unsigned place; /* of its limits in struct slu_conf; set after init */
	pthread_mutex_t lock; /* guards all below */
	char fs[SLU_FS_NAME]; /* whose I/O counts; "": all */
	enum slu_io_start mode;
	unsigned scope; /* of enum slu_io_scope: what counts */
	struct slu_admission_site site;
	bool is_auto;			/* site.capacity is, 0: not known yet */
	struct slu_io_capacity reached; /* by Lustre's servers, */
	int64_t heard;	 /* when servers last reported it; 0: never */
	double ran_well; /* bytes/s, by history; 0: not known */
	struct slu_rates *rates;
	int64_t active; /* since when, */
	bool taught;	/* and history has been read since */
	bool linked;
	int64_t lost;		/* when the link was lost */
	struct slu_map running; /* of struct io_run */
	struct slu_map waiting; /* of struct io_wait */
	struct slu_admission admit;
	bool looked;	  /* `admit` is up to date */
	bool busy;	  /* the file system is, by the last measurement */
	double moved;	  /* bytes, at the time */
	bool published;	  /* servers of this kind have reported some job */
	int64_t moved_at; /* of this measurement */
	struct slu_busy_times busy_times;
	uint32_t heavy[SLU_IO_HEAVY]; /* the jobs that move most; 0: none */
	bool heavy_known;
	struct slu_iostart_log_entry said[SLU_IOSTART_LOG];
	size_t n_said;
	struct slu_io_totals totals;
};

void slu_iostart_init(struct slu_iostart *s);
/* After that: it counts operations of metadata (IOMetadata), not bytes. "bytes"
 * and "bytes/s" below, and in what is computed with them, then are operations.
 */
void slu_iostart_count_metadata(struct slu_iostart *s);
void slu_iostart_fini(struct slu_iostart *s);
/* True: history is to be passed to it from the first row on. */
bool slu_iostart_configure(struct slu_iostart *s, const struct slu_conf *conf);
/* Takes over the running jobs that `from` knows: this one has not been in use
 * yet. */
void slu_iostart_adopt(struct slu_iostart *s, struct slu_iostart *from);
/* This controller is the active one. */
void slu_iostart_active(struct slu_iostart *s, int64_t now);
/* Another controller has taken over: forgets running and waiting jobs, and what
 * servers reported. */
void slu_iostart_forget(struct slu_iostart *s);
/* The thread ends: another one will train it again. */
void slu_iostart_unlearn(struct slu_iostart *s);

/* A run that has ended has moved so much; 0 and 0: not known. This and the
 * next: one thread, that which configures. */
struct slu_io_ended {
	uint32_t uid;
	const char *name;
	double nodes;
	int64_t start, end;
	double read_bytes, written_bytes;
	double metadata_ops; /* 0: not known */
	const char *by_fs;   /* of it (wire/fs_shares.h); NULL: not known */
};
void slu_iostart_learn(struct slu_iostart *s, const struct slu_io_ended *run);
/* History has been read: predicts the running jobs again. */
void slu_iostart_taught(struct slu_iostart *s);
/* Takes the capacity of Lustre's servers as reported by sluiced; an unknown
 * capacity does not replace a known one. Ignored if it is of another IOScope
 * or file system. */
void slu_iostart_reached(struct slu_iostart *s,
			 const struct slu_io_capacity *said, int64_t now);
/* Drops the servers' values when there was no report for a day. True, once,
 * when that happens. */
bool slu_iostart_forget_servers(struct slu_iostart *s, int64_t now);
void slu_iostart_link(struct slu_iostart *s, bool up, int64_t now);

/* Running jobs have moved so much since their starts, as measured; a job that
 * was measured before and is not listed has moved nothing since. Unknown jobs
 * are ignored, and zeros where the servers of this resource do not publish. */
void slu_iostart_measured(struct slu_iostart *s,
			  const struct slu_job_moved *moved, size_t n,
			  int64_t now);

/* Could a job have to wait at all? If not, the plugin need not look anything
 * up. Very cheap. */
bool slu_iostart_is_on(struct slu_iostart *s);
/* Must a job wait, although there are nodes for it? *why is the sentence for
 * the user. Always false in mode advise. */
bool slu_iostart_waits(struct slu_iostart *s, const struct slu_io_job *job,
		       int64_t now, char why[SLU_IOSTART_WHY]);
/* When a job can start at the latest, as far as is known; `now`: it does not
 * wait. */
int64_t slu_iostart_when(struct slu_iostart *s, uint32_t job_id, int64_t now);
/* A job starts, or runs when slurmctld starts. Harmless twice. */
void slu_iostart_begun(struct slu_iostart *s, const struct slu_io_job *job,
		       int64_t now);
/* A job has ended, has lost its nodes, or will not start. */
void slu_iostart_ended(struct slu_iostart *s, uint32_t job_id);

/* Entries to be logged, oldest first; returns their number, and in *lost how
 * many more there were. */
size_t
slu_iostart_log_entries(struct slu_iostart *s,
			struct slu_iostart_log_entry out[SLU_IOSTART_LOG],
			uint64_t *lost);
/* For metrics; false, when it is off. */
bool slu_iostart_use(struct slu_iostart *s, int64_t now,
		     struct slu_io_use *out);
/* A line for `scontrol show bbstat`; nothing when it is off. */
void slu_iostart_print(struct slu_iostart *s, int64_t now, struct slu_buf *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_WIRE_JOB_H
#define SLU_WIRE_JOB_H

/*
 * Describes a job as slurmctld knows it, without any Slurm type. libsluice
 * copies it under slurmctld's lock and sends it to sluiced; the predictor
 * learns from it. Times are Unix seconds, 0 when not yet known.
 */

#include "wire/codec.h"

#define SLU_NO_ID     UINT32_MAX
#define SLU_JOB_LATER 3 /* runs that are predicted after the next one */

struct slu_job {
	uint32_t job_id;
	uint32_t array_job_id;	/* 0: not in an array */
	uint32_t array_task_id; /* SLU_NO_ID: none */
	uint32_t uid, gid;
	char *user; /* may be NULL: then use the uid */
	char *account, *partition, *qos;
	char *name;
	char *work_dir;
	char *script; /* hash of the batch script, 16 hex digits, or NULL */
	char *nodes;  /* host list; NULL while pending */
	uint32_t node_cnt;
	uint32_t tasks;
	uint32_t cpus;
	uint64_t mem_mb; /* per node */
	int64_t submit, eligible, start, end;
	uint32_t limit;	      /* granted, minutes; 0: none */
	uint32_t limit_asked; /* by the user, minutes; 0: none */
	uint32_t tightened;   /* limit set by us, minutes; 0: never */
	bool extended;	      /* and had to be restored */
	int64_t late_by;      /* s by which this may delay planned starts */
	uint32_t predicted;   /* run time predicted at submission, s; 0: none */
	char *predicted_from; /* the rule that predicted it */
	char *waited; /* what it waited for besides nodes, see wire/waits.h, or
			 NULL */
	int64_t prepared;  /* seconds from its start until its file system was
			      ready or had failed; 0: unknown */
	int64_t suspended; /* seconds of its run that it could not use, as Slurm
			      counts them: suspended, or while its nodes were
			      made ready; 0: none, or unknown */
	int64_t suspended_since; /* suspended at present, since then; 0: it is
				    not */
	char *state;		 /* PENDING, RUNNING, COMPLETED, FAILED, ... */
	bool completing;	 /* an epilog still runs somewhere */
	bool unlaunched;	 /* no task of this run was ever launched */
	bool hurry;		 /* cancelled with scancel --hurry */
	uint32_t exit_code;	 /* wait status */
	uint32_t restarts;
	/* Seconds that its nodes may take to boot before one can contact
	 * sluiced: Slurm gives up nodes that take longer; 0: they are up */
	int64_t boot_timeout;
	char *request;		/* buffer request in canonical text, or NULL */
	char *completing_nodes; /* host list: their epilog has not ended */
	char *down_nodes; /* those of its nodes that slurmctld holds DOWN */
	/* A component of a heterogeneous job: the id of the first component, 0:
	 * not one; and how many components have buffer requests. */
	uint32_t het_job, het_buffers;
	uint32_t ion_max;  /* #BB forward max=; SLU_NO_ID: not given */
	char *ion_pattern; /* #BB forward pattern=, or NULL */
	/* bytes of a read or write call, predicted at its start; 0: unknown */
	double request_size;
	/* bytes of a file that it will write, predicted likewise */
	double file_size;
	/* bytes that the runs after it will write, the next one first,
	 * predicted at its start, too; all 0: unknown */
	double later[SLU_JOB_LATER];
	/* Of an ended job: how many I/O nodes it had of its own, all the time.
	 * SLU_NO_ID: not known, or it shared one, or the number changed. */
	uint32_t ions;
	/* If that is SLU_NO_ID: the seconds with each number of I/O nodes,
	 * "2:1200,4:300" (select_io/curves/ion_times.h), or NULL: not known. */
	char *ion_times;
	/* And the bandwidth that was predicted
	 * (select_io/ion/arbiter/forecast.h), MB/s; 0: none. */
	double ion_predicted, ion_static, ion_alone, ion_error;
};
extern const struct slu_desc slu_job_desc;
/* The same as messages to sluiced: it has started, has ended, is over and to be
 * kept in history, waits for persistent buffers (control.h). */
extern const struct slu_desc slu_job_started_desc, slu_job_ended_desc,
	slu_history_desc, slu_job_waits_desc;

/* Deep copy; -1 without memory. */
int slu_job_copy(struct slu_job *dst, const struct slu_job *src);

/* Where the numbers of a job's I/O come from, the most trusted first. */
enum slu_io_source {
	SLU_IO_BUFFER = 1, /* the job's own file system */
	SLU_IO_TASKS = 2, /* the kernel's counters of its steps, on each node */
	SLU_IO_LLITE =
		3, /* Lustre's counters on nodes that it had for itself */
	SLU_IO_JOBSTATS = 4, /* counters of Lustre's servers */
	SLU_IO_DARSHAN = 5,
	SLU_IO_ACCOUNTING = 6, /* JobAcctGather, for its steps */
	/* The forwarding daemons, by client: other counters do not see what
	   goes through them, so this is trusted first. 0 bytes: not known. */
	SLU_IO_FORWARDERS = 7,
	/* Lustre's MDTs: operations of metadata, no bytes. */
	SLU_IO_METADATA = 8,
};

/* Seconds from its start to its end, without the time in which it was
 * suspended; 0: it did not run, or has not ended. */
int64_t slu_job_ran(const struct slu_job *job);
/* The same for a running job, up to now. */
int64_t slu_job_runs(const struct slu_job *job, int64_t now);

/* /v1/import: ended jobs recorded by other programs, for the history. The
 * answer is {"added": N, "io": N, "io_changed": N, "old": N, "unknown": N}: new
 * jobs, new I/O records, changed I/O records, jobs that are not stored because
 * they ended more than HistoryDays ago, and I/O records whose jobs are not
 * known. */
#define SLU_IMPORT_JOBS 200 /* in one request */
struct slu_import_io {	    /* what a program did in a job */
	uint32_t job_id;
	int64_t start; /* of the program, Unix seconds */
	/* Distinguishes programs with the same start, 0: only one. The upper
	 * half is the program's number, the lower its execution's; 0 there:
	 * any. */
	uint64_t log;
	double read_bytes, written_bytes;
	/* What is known of its calls (calls 0: nothing): the number of read and
	 * write calls, the bytes that they moved, those of them in files shared
	 * by all of its processes, and the calls that began where the previous
	 * one of the same process had ended. */
	double calls, called_bytes, shared_bytes, consecutive;
	uint32_t source; /* SLU_IO_ACCOUNTING, else SLU_IO_DARSHAN */
};
#define SLU_IO_MOST	    1e18 /* most bytes that a record may claim */
#define SLU_IO_PROGRAM(log) ((log) & ~(uint64_t)UINT32_MAX)
struct slu_import_jobs {
	struct slu_job *jobs;
	size_t n_jobs;
	struct slu_import_io *io; /* of known jobs */
	size_t n_io;
};
extern const struct slu_desc slu_import_jobs_desc;

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_WIRE_ION_ASSIGNMENT_H
#define SLU_WIRE_ION_ASSIGNMENT_H

/*
 * Messages on the control socket (wire/control.h) about I/O nodes: which job
 * has which of them, and how far each is from the compute nodes.
 */

#include "wire/codec.h"

struct slu_job_ref {
	uint32_t job_id;
};

/* A job's known bandwidth with so many I/O nodes. */
struct slu_ion_point {
	uint32_t ions;
	uint32_t runs;	  /* 0: not measured by runs of this job */
	double mean;	  /* MB/s */
	double spread;	  /* standard deviation of the runs */
	double error;	  /* standard error of `bandwidth` */
	double bandwidth; /* the estimate */
};

struct slu_ion_share {
	uint32_t job_id;
	char *name;  /* the job's, for people */
	char *nodes; /* its compute nodes, host list in order */
	char *ions;  /* its I/O nodes, host list; "" for direct access */
	uint32_t
		wanted; /* what it would get if no job's I/O nodes were fixed */
	uint32_t in_effect; /* the number of its own that it has */
	double bandwidth;   /* predicted with these, MB/s; 0: unknown */
	bool shared;	    /* through the shared I/O node */
	char *why;	    /* which curve, for people */
	uint32_t node_cnt, tasks;
	uint32_t limit; /* the most it may have, by the site and its user */
	uint32_t uid;
	char *account;
	double counts; /* weight of its bandwidth; 0: 1 */
	struct slu_ion_point
		*curve; /* none: unknown, gets what the policy STATIC gives */
	size_t n_curve;
};

struct slu_assignment { /* "assignment", after each event */
	uint64_t epoch;
	/* 0: this is the whole assignment. Else it has only the jobs that have
	 * changed or gone since that epoch, which was sent before it on the
	 * same connection (select_io/ion/assignment_delta.h). */
	uint64_t base;
	struct slu_job_ref *gone;
	size_t n_gone;
	int64_t time; /* Unix seconds */
	char *policy;
	char *event;	  /* "start 17", "end 17", "reload" */
	char *ions;	  /* all I/O nodes, host list */
	uint32_t pool;	  /* how many of them can be given now */
	uint32_t compute; /* compute nodes of the system */
	bool direct; /* a job may have none, and access the file system directly
		      */
	/* Limits: I/O nodes of a job at least; of a user in an account, and of
	 * an account, at most; 0: no limit */
	uint32_t least, user_most, account_most;
	double total; /* predicted, MB/s, of jobs with measured runs; until
			 there are any, by the site's table */
	double static_total; /* the same for STATIC's division, MB/s */
	/* The same for jobs of which only the site's table is known, if others
	 * are measured; not comparable, as these are results of benchmarks. */
	double table_total, table_static;
	double bound; /* upper bound for any division, MB/s; 0: unknown */
	bool proved;  /* this one is proved optimal, given what is fixed */
	struct slu_ion_share *jobs;
	size_t n_jobs;
};
extern const struct slu_desc slu_assignment_desc;

/* Hops between hosts and I/O nodes, by the topology in the resource map. */
struct slu_distance {
	char *hosts; /* host list: a group under the same switch */
	char *hops;  /* "2 4 -": to each entry of `to`; -: no path is known */
};
struct slu_distances { /* "distances": sent when they change; none: unknown */
	struct slu_distance *to; /* the I/O nodes; without hops */
	size_t n_to;
	struct slu_distance *from;
	size_t n_from;
};
extern const struct slu_desc slu_distances_desc;

#endif

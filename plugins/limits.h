/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PLUGINS_LIMITS_H
#define SLU_PLUGINS_LIMITS_H

/*
 * Manages, in slurmctld, the time limits that we have set
 * (ctl/jobs/running/limit_guard.c, wire/note.h).
 */

#include "ctl/ctl.h"
#include "plugins/compat.h"

/* Functions of the table (ctl/ops.h). */
int slu_limits(void *arg, int64_t now, struct slu_ctl_limit **out, size_t *n,
	       struct slu_err *err);
void slu_limits_set(void *arg, struct slu_ctl_put *put, size_t n);

/* Must this pending job not start with its tight limit, because it could not be
 * extended to its whole one: a reservation would prevent that, or a maximum
 * that was lowered since its submission? job, node and part READ; it takes
 * assoc and qos READ. */
bool slu_limit_barred(const job_record_t *job);

/* The rules for the limit of a submission, which slu_copy_submit() has copied
 * to `job`; part: its first partition, or NULL. part READ; it takes assoc, qos,
 * tres and user READ. */
struct slu_limit_rules slu_limit_rules_asked(const job_desc_msg_t *desc,
					     const struct slu_job *job,
					     const part_record_t *part);
/* The rules for the limit of an existing job. part READ; it takes assoc and qos
 * READ. */
struct slu_limit_rules slu_limit_rules_of(const job_record_t *job,
					  const struct slu_note *note);
/* For slu_ctl_submit: host is the job_desc_msg_t. node READ, part READ. */
bool slu_limit_reserved(const void *host, uint32_t from, uint32_t to);

/* A submitted job was accepted, and Slurm has checked it with its requested or
 * default limit: that is its whole one, and now it gets the tight one in its
 * note. job WRITE, node READ, part READ. */
void slu_limit_reconsider(job_record_t *job);

/* A job begins: without a limit it gets the partition's present one. If the
 * limit was extended in an earlier run, or changed by somebody before this one,
 * we no longer manage it. job WRITE, part READ. */
void slu_limit_begin(job_record_t *job);

/* Somebody changes the job: Slurm checks the change with the whole limit, and a
 * new limit is no longer managed by us; but a limit between the tight and the
 * whole one may be an increment of the tight one that they saw, so it only
 * replaces that. A change to the administrator's comment leaves our note in it.
 * job WRITE, part READ. */
void slu_limit_modify(job_desc_msg_t *desc, job_record_t *job);

#define SLU_MAIL_AT_LIMIT \
	(MAIL_JOB_TIME100 | MAIL_JOB_TIME90 | MAIL_JOB_TIME80 | MAIL_JOB_TIME50)

/* For limits*.c and planned_starts.c. Do we manage the job's limit? */
bool slu_limit_guarded(const job_record_t *job, struct slu_note *note);
/* A first look, which rules most jobs out. */
bool slu_limit_may_be_guarded(const job_record_t *job);
/* The limit it would have without us, minutes. part READ */
uint32_t slu_limit_whole(const job_record_t *job, const struct slu_note *note);
/* Do its partitions, its association and its QOS allow so many minutes (or
 * INFINITE) now? part READ; it takes assoc and qos READ. */
bool slu_limit_allowed(const job_record_t *job, uint32_t limit);
/* When does a running job with this limit (minutes or INFINITE) end? At the
 * latest at the end of its grace time, if it is being preempted. */
time_t slu_limit_end(const job_record_t *job, uint32_t limit);
/* Finds the planned starts that are delayed when running jobs get their whole
 * limits. Reads the present plan, before the limits are changed. No lock. */
struct slu_planned_starts *slu_planned_starts_read(struct slu_ctl_put *put,
						   size_t n);
/* After it: count the delayed starts into `late` of the limits that were set,
 * and store them in the jobs' notes. Takes its time: starts that were not
 * examined by `until` are not counted. No lock; frees. */
void slu_planned_starts_count_delayed(struct slu_planned_starts *late,
				      time_t until);
/* job WRITE. Does what `scontrol update TimeLimit` would do. */
void slu_limit_put(job_record_t *job, uint32_t limit);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PLUGINS_LIMITS_H
#define SLU_PLUGINS_LIMITS_H

/* Time limits that we have set (ctl/jobs/limit_guard.c, wire/note.h). */

#include "ctl/ctl.h"
#include "plugins/compat.h"

/* Functions of the table (ctl/ops.h). */
int slu_limits(void *arg, int64_t now, struct slu_ctl_limit **out, size_t *n,
	       struct slu_err *err);
void slu_limits_set(void *arg, struct slu_ctl_put *put, size_t n);

/* Is this a pending job that must not start with its tight limit, because it
 * could not start with its whole one: a reservation is in the way of that, or
 * a maximum that was lowered since its submission? job, node and part READ; it
 * takes assoc and qos READ. */
bool slu_limit_barred(const job_record_t *job);

/* What will hold for the limit of a submission, which slu_copy_submit() has
 * copied to `job`; part: the first that it names, or NULL. part READ; it takes
 * assoc, qos, tres and user READ. */
struct slu_limit_rules slu_limit_rules_asked(const job_desc_msg_t *desc,
					     const struct slu_job *job,
					     const part_record_t *part);
/* What holds for that of a job which has been made of it. part READ; it takes
 * assoc and qos READ. */
struct slu_limit_rules slu_limit_rules_of(const job_record_t *job,
					  const struct slu_note *note);
/* For slu_ctl_submit: host is the job_desc_msg_t. node READ, part READ. */
bool slu_limit_reserved(const void *host, uint32_t from, uint32_t to);

/* A job was made of what was submitted, and Slurm has judged it by the limit
 * that was asked for or filled one in: this is its whole one, and it gets the
 * one that the note means. job WRITE, node READ, part READ. */
void slu_limit_reconsider(job_record_t *job);

/* A job begins: one without a limit has the partition's of this moment. Where
 * the limit was extended in an earlier run, or changed by somebody before this
 * one, it has none of ours. job WRITE, part READ. */
void slu_limit_begin(job_record_t *job);

/* Somebody changes the job: Slurm judges that by its whole limit, and a limit
 * is theirs from now on; but one between the tight and the whole one, which may
 * be what was added to the tight one that they saw, is only a new tight one. A
 * change to the administrator's comment leaves our note in it. job WRITE, part
 * READ. */
void slu_limit_modify(job_desc_msg_t *desc, job_record_t *job);

#define SLU_MAIL_AT_LIMIT \
	(MAIL_JOB_TIME100 | MAIL_JOB_TIME90 | MAIL_JOB_TIME80 | MAIL_JOB_TIME50)

/* For limits*.c and planned_starts.c. Is it a limit of ours? */
bool slu_limit_guarded(const job_record_t *job, struct slu_note *note);
/* The limit it would have without us, minutes. part READ */
uint32_t slu_limit_whole(const job_record_t *job, const struct slu_note *note);
/* Do the partitions that it may start in, its association and QOS let it have
 * so many minutes (or INFINITE) now? part READ; it takes assoc and qos READ. */
bool slu_limit_allowed(const job_record_t *job, uint32_t limit);
/* When does a running job with this limit (minutes or INFINITE) end? No later
 * than its grace time, if it is being preempted. */
time_t slu_limit_end(const job_record_t *job, uint32_t limit);
/* Who is late when running jobs get their whole limits? Before that: what is
 * planned by now. No lock. */
struct slu_planned_starts *slu_planned_starts_read(struct slu_ctl_put *put,
						   size_t n);
/* After it, since it may take its time: fill in `late` of those that have been
 * done, and say it in their notes. What is not looked at by `until` does not
 * count. No lock; frees. */
void slu_planned_starts_count_delayed(struct slu_planned_starts *late,
				      time_t until);
/* job WRITE. What `scontrol update TimeLimit` would do. */
void slu_limit_put(job_record_t *job, uint32_t limit);

#endif

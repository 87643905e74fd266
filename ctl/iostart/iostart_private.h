/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_IOSTART_PRIVATE_H
#define SLU_CTL_IOSTART_PRIVATE_H

/*
 * Private to ctl/iostart: records of running and waiting jobs, and functions
 * that its files share. Callers hold the lock.
 */

#include "ctl/iostart/iostart.h"

#define SLU_IO_NAME 64 /* bytes of a plain name, as in volumes.c */
/* s that a job is expected to run on when it runs longer than predicted */
#define SLU_IO_LEFT 60

struct io_run {
	uint32_t job_id, uid;
	char name[SLU_IO_NAME];
	struct slu_demand foretold;
	int64_t start;
	double moved; /* bytes, */
	int64_t at;   /* at that time; 0: not measured */
	int64_t told; /* when servers last said something of it */
	/* bytes/s between the last two times; taken to last until then */
	double lately;
	int64_t lasts;
	double rate; /* as it is counted */
};

struct io_wait {
	uint32_t job_id;
	int64_t since, asked, when;
	bool bound; /* it was started because it has waited for long */
	char why[SLU_IOSTART_WHY];
};

/* capacity.c */
/* Sets the capacity to the best known estimate. */
void slu_io_set_capacity(struct slu_iostart *s);
enum slu_io_known slu_io_known(const struct slu_iostart *s);
/* When servers last reported, if that is long ago; else 0. */
int64_t slu_io_unheard(const struct slu_iostart *s, int64_t now);
/* Not guarded: */
void slu_io_ran_start(struct slu_io_ran *ran, bool is_auto);
void slu_io_ran_add(struct slu_iostart *s, const struct slu_io_ended *run,
		    const char *plain, double bytes);
/* Learn the capacity from them, in some ten milliseconds. */
void slu_io_ran_judge(struct slu_iostart *s);

/* running.c */
/* bytes/s of a job, predicted by its plain name */
double slu_io_foretell(const struct slu_iostart *s, uint32_t uid,
		       const char *plain, double nodes, double seconds);
/* The part of what a job moved that IOScope and the file system count; of a job
 * of which the file systems are not known all of it. */
double slu_io_counts(const struct slu_iostart *s,
		     const struct slu_job_moved *moved);
/* Is it known what the job moved in this file system? */
bool slu_io_is_known(const struct slu_iostart *s,
		     const struct slu_job_moved *moved);
/* Looks at all that runs, in O(n log n); false without memory, or when IOStart
 * is off. */
bool slu_io_look_anew(struct slu_iostart *s);
/* Brings `admit` up to date, as that, unless it is: then only its clock. */
bool slu_io_look(struct slu_iostart *s, int64_t now);

/* heaviest.c */
/* Which jobs move most. */
void slu_io_find_heavy(struct slu_iostart *s);

/* waiting.c */
/* Can any job have to wait now? */
bool slu_io_is_able(const struct slu_iostart *s, int64_t now);
/* NULL: it does not wait, or was asked about too long ago. */
struct io_wait *slu_io_wait(struct slu_iostart *s, uint32_t job_id,
			    int64_t now);
void slu_io_forget_stale(struct slu_iostart *s, int64_t now);
/* The job does not wait any more. */
void slu_io_forget_wait(struct slu_iostart *s, uint32_t job_id);

/* sentences.c */
void slu_io_explain(struct slu_iostart *s, const struct slu_demand *d,
		    int64_t when, char why[SLU_IOSTART_WHY]);
/* Notes for the log that a job starts which has waited, or would have. */
void slu_io_log(struct slu_iostart *s, const struct io_wait *wait, int64_t now);

#endif

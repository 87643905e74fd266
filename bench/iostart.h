/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_IOSTART_H
#define SLU_BENCH_IOSTART_H

/*
 * Shared by the parts of bench/iostart: job logs with I/O (mix), predictions of
 * it (teller), the policies, and the simulation of one.
 */

#include <stdbool.h>
#include "bench/io_runs.h"
#include "bench/shared_fs.h"
#include "bench/swf.h"
#include "select_io/bandwidth/admission.h"

/* What determines the I/O of a job: its application, its user, or chance. */
enum likeness { BY_APPLICATION, BY_USER, BY_NOTHING };

/* A job log with I/O (iostart_mix.c). */
struct mix {
	const struct swf_log *log;
	int64_t procs;	 /* of the machine */
	double capacity; /* bytes/s of the file system */
	struct fs_io *io;
	double *alone; /* s that each takes if it runs alone */
	double *bytes; /* moved by each */
};

/* Assigns recorded I/O to the jobs, and a capacity to the file system such that
 * their demand is the share `intensity` of it over the log's time. Another
 * `number` gives each application other I/O. -1 without memory, or if no
 * application has enough runs; 1: too few jobs move anything at the same time.
 * Free with mix_free. */
int mix_draw(const struct swf_log *log, const struct io_run *run, size_t n_run,
	     double intensity, enum likeness like, uint64_t number,
	     struct mix *out);
void mix_free(struct mix *mix);

/* mean bytes/s if it runs alone */
static inline double mix_rate(const struct mix *mix, size_t i)
{
	return mix->bytes[i] / mix->alone[i];
}

/* Predictions of a job at its submission (iostart_foretell.c). */
struct foretold {
	double rate; /* bytes/s; for new applications see below */
	double seconds;
};

enum knowledge {
	TRUTH,
	VOLUMES,    /* shipped (volumes.h) with the predicted run time; new
		     * applications have no I/O */
	RATES,	    /* shipped (rates.h) */
	SHUFFLED,   /* those of another job */
	TRUE_RATES, /* with the predicted run time */
	TRUE_TIMES, /* with RATES */
	TRUE_BOUND, /* RATES; a wait's bound goes by the true run time */
};

struct teller;
struct teller *teller_new(const struct mix *mix, enum knowledge what);
void teller_free(struct teller *t);
struct foretold teller_ask(struct teller *t, size_t i, int64_t now);
/* calm: the part of its time in which the file system was not busy. */
void teller_learn(struct teller *t, size_t i, int64_t start, int64_t end,
		  double calm);

enum rule {
	ANY,	  /* plain Slurm */
	CAP,	  /* a bound on jobs with more than negligible I/O */
	LICENCES, /* units of the capacity, by each job's prediction */
	PAPER,	  /* LICENCES, and the paper's two groups */
	OURS,
};

struct policy {
	const char *name;
	enum rule rule;
	enum knowledge knowledge;
	double over; /* of OURS, see admission.h; 0: the shipped value */
};
/* The first is Slurm, then ours; ends with NULL. */
extern const struct policy policies[];
enum { POLICY_SLURM, POLICY_OURS };

/* Its parameters; see iostart_run.c. */
extern struct slu_admission_site iostart_site;

enum { MAKESPAN, SLOWDOWN, LOST, SPREAD, UTILISATION, HOLD, MEASURES };
extern const char *const measure_name[MEASURES], *const measure_unit[MEASURES];

/* Simulates the log under a policy. -1 without memory. */
int iostart_run(const struct mix *mix, const struct policy *policy,
		double out[MEASURES]);

#endif

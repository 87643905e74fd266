/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_IOSTART_H
#define SLU_BENCH_IOSTART_H

/* bench/iostart: what its parts share. */

#include <stdbool.h>
#include "bench/io_runs.h"
#include "bench/shared_fs.h"
#include "bench/swf.h"
#include "select_io/bandwidth/admit.h"

/* What the I/O of a job is like: that of its application's other runs, of all
 * that its user runs, or of nothing. */
enum likeness { BY_APPLICATION, BY_USER, BY_NOTHING };

/* A job log whose jobs read and write (iostart_mix.c). */
struct mix {
	const struct swf_log *log;
	int64_t procs;	 /* of the machine */
	double capacity; /* bytes/s of the file system */
	struct fs_io *io;
	double *alone; /* s that each runs where it is alone */
	double *bytes; /* that each moves */
};

/* Give the jobs I/O as it was recorded, and the file system a capacity of which
 * they need the share `intensity` in the time that the log takes. -1 without
 * memory, or where no application has enough runs. Free with mix_free. */
int mix_draw(const struct swf_log *log, const struct io_run *run, size_t n_run,
	     double intensity, enum likeness like, struct mix *out);
void mix_free(struct mix *mix);

/* bytes/s that it moves on average, where it is alone */
static inline double mix_rate(const struct mix *mix, size_t i)
{
	return mix->bytes[i] / mix->alone[i];
}

/* What is foretold of a job at its submission (iostart_foretell.c). */
struct foretold {
	double rate; /* bytes/s; of a new application: see below */
	double seconds, soon;
};

enum knowledge {
	TRUTH,
	VOLUMES,  /* shipped (volumes.h), by the run time foretold; new
		   * applications move nothing */
	RATES,	  /* shipped (rates.h) */
	SHUFFLED, /* those of some other job */
};

struct teller;
struct teller *teller_new(const struct mix *mix, enum knowledge what);
void teller_free(struct teller *t);
struct foretold teller_ask(struct teller *t, size_t i, int64_t now);
void teller_learn(struct teller *t, size_t i, int64_t start, int64_t end);

enum rule {
	ANY,	  /* Slurm as it is */
	CAP,	  /* so many jobs that need more than noise */
	LICENCES, /* of the capacity, as much as each is foretold to need */
	PAPER,	  /* these, and its two groups */
	OURS,
};

struct policy {
	const char *name;
	enum rule rule;
	enum knowledge knowledge;
	double over; /* of OURS, see admit.h; 0: as it is shipped */
};
/* The first is Slurm, then ours; NULL ends them. */
extern const struct policy policies[];
enum { POLICY_SLURM, POLICY_OURS };

/* Its parameters; see iostart_run.c. */
extern struct slu_admit_site iostart_site;

enum { MAKESPAN, SLOWDOWN, LOST, SPREAD, UTILISATION, HOLD, MEASURES };
extern const char *const measure_name[MEASURES], *const measure_unit[MEASURES];

/* The log under a policy. -1 without memory. */
int iostart_run(const struct mix *mix, const struct policy *policy,
		double out[MEASURES]);

#endif

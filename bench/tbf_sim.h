/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_TBF_SIM_H
#define SLU_BENCH_TBF_SIM_H

/*
 * Simulates one storage target under Lustre's TBF, in steps of 0.2 ms. It
 * serves `capacity` RPCs a second of any kind. Its clients are processes that
 * keep up to `window` RPCs in flight. All RPCs of a node arrive on one CPT.
 */

/*
 * Without the policy RPCs are served first come, first served. With it, each
 * job (under "tbf jobid"; under "tbf uid" it is a user, of its number, whose
 * programs are called "p") or each of a job's processes, which are on as many
 * nodes (under "tbf"), has a class on each CPT that it reaches, with a bucket
 * of depth 3: the class whose next token is due first is served first; a
 * changed rule fills the bucket and is noticed when the class's next RPC
 * arrives (lustre/ptlrpc/nrs_tbf.c: nrs_tbf_res_get, nrs_tbf_req_get).
 */

#include <stdint.h>
#include "select_io/tbfd/lustre/lustre_access.h"
#include "tests/fakes/fake_tbf.h"

#define SIM_JOBS      8
#define SIM_PROCESSES 64
#define SIM_CLASSES   64
#define SIM_STEP      0.0002 /* seconds */
#define SIM_QUEUE     4096
#define SIM_WINDOW    16  /* RPCs in flight of a process, at most */
#define SIM_LATENCIES 512 /* steps of the distribution, each 2.2 % more */

/* A process: from `begin` on, either its whole volume as fast as it can, or
 * `burst` RPCs every `interval` seconds. */
struct sim_process {
	int job;
	double begin, interval; /* interval 0: continuous */
	unsigned burst;
	uint64_t volume; /* RPCs; then it ends */
	unsigned window;
	unsigned client; /* whose processes have the window together; 0: its own
			  * alone */
	/* state */
	uint64_t issued, done;
	double next;	  /* time of the next burst */
	uint64_t allowed; /* RPCs issued so far plus the rest of the burst */
	double finished;  /* 0: not yet */
	double issued_at[SIM_WINDOW];
};

struct sim_class {
	struct fake_class bucket;
	unsigned queued, queue[SIM_QUEUE / 16]; /* ring of processes */
	unsigned head;
};

struct sim {
	struct slu_lustre lustre; /* the controller's interface */
	struct fake_tbf fake;
	double now, capacity, credit;
	struct sim_process process[SIM_PROCESSES];
	size_t n_processes;
	size_t n_jobs;
	unsigned cpts;
	struct sim_class class[SIM_CLASSES];
	size_t n_classes;
	unsigned fifo[SIM_QUEUE], fifo_head, fifo_n;
	uint64_t served[SIM_JOBS];
	uint64_t bytes[SIM_JOBS];
	unsigned rpc_bytes[SIM_JOBS]; /* of an RPC from now on; 0: 1 MiB */
	double start[SIM_JOBS];	      /* of the record in job_stats */
	double wait[SIM_JOBS];	      /* sum of the bursts' times */
	uint64_t bursts[SIM_JOBS];    /* number of bursts */
	double burst_begin[SIM_PROCESSES];
	double busy[SIM_JOBS];	  /* seconds in which it waited for RPCs */
	double latency[SIM_JOBS]; /* of an RPC, sum */
	uint32_t latencies[SIM_JOBS][SIM_LATENCIES];
};

int sim_init(struct sim *sim, double capacity, unsigned cpts);
void sim_free(struct sim *sim);
void sim_add(struct sim *sim, int job, struct sim_process process);
/* One step; false when all processes have ended. */
bool sim_step(struct sim *sim);
/* Seconds from issue to completion that so large a part (0 to 1) of the job's
 * RPCs took at most; 0: it has done none. */
double sim_latency(const struct sim *sim, int job, double part);

#endif

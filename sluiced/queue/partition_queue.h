/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_QUESTIONS_PARTITION_QUEUE_H
#define SLU_SLUICED_QUESTIONS_PARTITION_QUEUE_H

/* Parses what Slurm's squeue and sinfo print of one partition: running and
 * waiting jobs, and usable nodes. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/err.h"

/* Formats of squeue -h -r and of sinfo -h -N, with SLURM_TIME_FORMAT=%s. */
#define SLU_QUEUE_FORMAT "%A|%T|%P|%D|%C|%Q|%l|%M|%U|%S|%N|%Y|%a|%r|%j"
#define SLU_NODES_FORMAT "%N|%T|%c"

struct slu_queued {
	uint32_t job_id, uid;
	bool waits; /* else it runs, or is suspended */
	uint32_t nodes, cpus;
	uint64_t priority; /* 0: it is held */
	int64_t limit;	   /* s; 0: none */
	int64_t elapsed;   /* s */
	int64_t planned;   /* Unix s of its start, real or planned; 0: none */
	/* pointers into the text that was read */
	char *partition, *on, *planned_on, *account, *reason, *name;
};

/* The next job in *text, which is changed and advanced; malformed lines are
 * skipped. false: there is none. */
bool slu_partition_queue_next(char **text, struct slu_queued *out);
/* The same for nodes: only those that can be used, now or when they become
 * free. */
struct slu_usable {
	char *name;
	uint32_t cpus;
};
bool slu_nodes_next(char **text, struct slu_usable *out);
/* The limit, in minutes, of a job without --time, by what sinfo -h prints in
 * this format: in the partition (NULL: in the default one); 0: none, or not
 * known. The text is changed. */
#define SLU_DEFAULTS_FORMAT "%P|%L|%l"
uint32_t slu_default_limit(char *text, const char *partition);
/* Is the partition in a list such as "main,big"? */
bool slu_partition_queue_in(const struct slu_queued *job,
			    const char *partition);
/* Does the job wait for something other than nodes or earlier jobs? */
bool slu_partition_queue_apart(const struct slu_queued *job);

#endif

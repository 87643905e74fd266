/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_VOLUMES_H
#define SLU_JOB_SUBMIT_VOLUMES_H

/*
 * How much the next run of an application will read and write, foretold by the
 * Markov chains of profile.h from its earlier runs. An application is a user
 * and a name without its counters, whatever the number of nodes. One thread.
 */

#include "wire/control.h"

struct slu_volumes;

/* max_classes bounds the memory, at about 600 bytes each: sets of 8, a full
 * one drops the application that was taught longest ago. */
struct slu_volumes *slu_volumes_new(size_t max_classes, struct slu_err *err);
void slu_volumes_free(struct slu_volumes *volumes);

/* One more run, in the order of ends; one without I/O is ignored. */
void slu_volumes_learn(struct slu_volumes *volumes,
		       const struct slu_history_row *row);

/* Bytes of the next run of this job's application; returns how many runs say
 * so, 0: none, and nothing is written. */
uint32_t slu_volumes_foretell(const struct slu_volumes *volumes,
			      const struct slu_job *job, double *read_bytes,
			      double *written_bytes);

#endif

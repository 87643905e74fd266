/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_IO_VOLUMES_H
#define SLU_JOB_SUBMIT_IO_VOLUMES_H

/*
 * Predicts how much the next run of an application will read and write, by the
 * Markov chains of io_profile.h from its earlier runs, and with which access
 * pattern, from runs that Darshan has recorded. An application is a user and a
 * job name without its counters, with any number of nodes. One thread.
 */

#include "wire/control.h"

struct slu_volumes;

/* max_classes bounds the memory, at about 1500 bytes each: sets of 8, a full
 * one evicts the least recently updated application. */
struct slu_volumes *slu_volumes_new(size_t max_classes, struct slu_err *err);
void slu_volumes_free(struct slu_volumes *volumes);

/* Forgets everything that was learnt. */
void slu_volumes_forget(struct slu_volumes *volumes);

/* Learns from a run, in the order of ends; a run without I/O is ignored. */
void slu_volumes_learn(struct slu_volumes *volumes,
		       const struct slu_history_row *row);

struct slu_volumes_next {
	double read_bytes, written_bytes;
	double later[SLU_JOB_LATER]; /* bytes written by the runs after the next
					one */
	uint32_t runs;		     /* with known I/O */
	/* The access pattern, over all runs with Darshan logs. */
	bool seen;
	double request;	   /* bytes of a call, mean */
	double shared;	   /* share of the bytes in files of several ranks */
	double contiguous; /* share of consecutive calls */
};

/* Predicts the next run of this job's application; false if no run is known;
 * *out is then not changed. */
bool slu_volumes_predict(const struct slu_volumes *volumes,
			 const struct slu_job *job,
			 struct slu_volumes_next *next);

#endif

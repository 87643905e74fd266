/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_PREDICTOR_JOB_CLASSES_H
#define SLU_JOB_SUBMIT_PREDICTOR_JOB_CLASSES_H

/*
 * Stores the last runs of each class of similar jobs, in a table of bounded
 * size: 100 bytes per class. One writer and any number of readers may use it at
 * the same time. A reader that finds its class being written tries again a few
 * times and then ignores the class: so a writer that is preempted there delays
 * no reader.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/err.h"

#define SLU_CLASS_RUNS	  7		   /* run times of a class */
#define SLU_CLASS_JOBS	  ((1u << 25) - 1) /* to be counted, at most */
#define SLU_CLASS_EXPERTS 12		   /* see model.h */
#define SLU_CLASSES_MAX	  (1u << 30)
#define SLU_CLASS_BYTES	  100 /* of memory, each */

struct slu_class {
	uint64_t key;	    /* a hash of what its jobs have in common, not 0 */
	uint32_t jobs : 25; /* that taught it; of the last ones, the latest
			       first: */
	uint32_t failed : SLU_CLASS_RUNS; /* whether it failed, bit by bit */
	uint32_t end[SLU_CLASS_RUNS];	  /* when it ended, Unix seconds */
	uint16_t run[SLU_CLASS_RUNS];	  /* its run time, see distribution.h */
	uint16_t asked[SLU_CLASS_RUNS];	  /* its request, likewise */
	uint16_t weight[SLU_CLASS_EXPERTS];
};

struct slu_classes;

/* max is rounded up to 8 times a power of two. The table is divided in sets of
 * 8 classes; a full set evicts the one that was updated longest ago. */
struct slu_classes *slu_classes_new(size_t max, struct slu_err *err);
void slu_classes_free(struct slu_classes *t);

/*
 * Copy out the classes of n (at most SLU_CLASSES_READ) keys; one that is not
 * known gets its key and jobs 0. Of classes that the writer always writes in
 * the order of these keys none is newer than one before it, or known while that
 * one has never been written or was dropped.
 */
#define SLU_CLASSES_READ 16
void slu_classes_read(const struct slu_classes *t, const uint64_t *key,
		      size_t n, struct slu_class *out);
/* Prefetches the class of this key into the processor's caches. */
void slu_classes_prefetch(const struct slu_classes *t, uint64_t key);
/* Store it, under its key. One thread. */
void slu_classes_write(struct slu_classes *t, const struct slu_class *in);

#endif

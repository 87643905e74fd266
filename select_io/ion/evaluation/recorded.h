/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_ION_RECORDED_H
#define SLU_ION_RECORDED_H

/*
 * Replays the recorded jobs of the history with another policy or pool
 * (replay.h). A job's bandwidth with other numbers of I/O nodes is that of all
 * runs of its application, also later ones: the arbiter under test knows it
 * from the start. A run that was faster or slower than its application's mean
 * keeps that factor. With a number that was never measured, such as direct
 * access, a job takes as long as recorded. Jobs start when they did; none waits
 * for nodes.
 */

#include "select_io/ion/evaluation/replay.h"

struct slu_recorded;

struct slu_recorded *slu_recorded_new(struct slu_err *err);
void slu_recorded_free(struct slu_recorded *r);

/* Adds a copy of the row, in any order. */
int slu_recorded_add(struct slu_recorded *r, const struct slu_history_row *row,
		     struct slu_err *err);

/* All have been added: those that ended at `since` (Unix seconds) or later are
 * to be run again. direct: may they do without I/O nodes? */
int slu_recorded_prepare(struct slu_recorded *r, int64_t since, bool direct,
			 struct slu_err *err);

struct slu_recorded_facts {
	size_t jobs, known; /* jobs; those with an application's curve */
	uint32_t nodes;	    /* maximum in use at a time */
	double seconds;	    /* from the first start to the last end */
};
struct slu_recorded_facts slu_recorded_facts(const struct slu_recorded *r);

/* compute > 0: nodes of the system. */
int slu_recorded_replay(const struct slu_recorded *r,
			const struct slu_conf *conf, uint32_t compute,
			struct slu_replayed *out, struct slu_err *err);

#endif

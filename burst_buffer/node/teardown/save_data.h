/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_SAVE_DATA_H
#define SLU_NODE_SAVE_DATA_H

/*
 * First half of `down`: brings the job's data on this node to safety;
 * afterwards all of it is staged out or will be kept. The second half is
 * teardown.h.
 */

#include "burst_buffer/node/node.h"

struct slu_saving {
	struct slu_node *n;
	bool ended; /* sluiced has said that the job has ended */
	bool late;  /* the answer comes after this node was cleaned: what it had
		       is detached */
	/* The rest is set by slu_save_data(). */
	bool success;		/* of the job */
	char why[SLU_ERR_TEXT]; /* why nothing is staged out; "": no reason is
				   known */
	bool doubted; /* sluiced answers that there is nothing to save, but does
			 not know that the job has run here */
	bool keep;    /* data is to be kept, if the site keeps any */
};

/* Sets save->ended and save->keep; errors are logged, reported to sluiced and
 * written into the job's output. */
void slu_save_data(struct slu_saving *save);

/* Will data be kept: save->keep, KeepFailed > 0, and the buffer is the job's
 * own? */
bool slu_saving_keeps(const struct slu_saving *save);

#endif

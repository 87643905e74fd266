/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_SITE_H
#define SLU_TESTS_SITE_H

/*
 * Fills a database with a month of a simulated site: hosts on switches, ended
 * jobs with predictions and I/O, buffers in all phases and with failures, I/O
 * nodes that move between jobs. The same arguments give the same site.
 */

#include "store/db.h"

struct site {
	uint32_t nodes, jobs;
	int64_t now; /* Unix seconds; the month before it */
	/* Put into every name that a user or a node can choose; NULL: nothing.
	 */
	const char *hostile;
};

/* Fill an empty database; -1: failed. */
int site_fill(struct slu_db *db, const struct site *site, struct slu_err *err);

#endif

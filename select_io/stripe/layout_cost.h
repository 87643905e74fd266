/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_STRIPE_LAYOUT_COST_H
#define SLU_SELECT_IO_STRIPE_LAYOUT_COST_H

/*
 * Estimates what a layout costs: the seconds to open a file and to go through
 * it once, by the model of bench/stripe, but in closed form.
 *
 * Sequentially, the parts of a file are read one after the other, each as fast
 * as the slowest of three: the target with most of the part, the server with
 * most of it, and the nodes that read. At random, as many reads as the file has
 * MiB each fetch a stripe of at most 4 MiB, after a seek, from as many targets
 * at once as there are readers (the paper's explanation of its measurements).
 * Opening queries each stripe for its size. Any thread.
 */

#include "select_io/stripe/composite_layout.h"
#include "select_io/stripe/file_layout.h"

#define SLU_STRIPE_PORT	 6800e6	    /* bytes/s of a server's network */
#define SLU_STRIPE_SEEK	 4e-3	    /* s */
#define SLU_STRIPE_NODE	 2880e6	    /* bytes/s of a node's network */
#define SLU_STRIPE_FETCH (4u << 20) /* the most that a random read fetches */

/* The targets, by their index; an index may be missing (total 0). */
struct slu_cost_target {
	uint64_t total, available; /* bytes */
	uint32_t server;	   /* from 1; 0: unknown */
};

struct slu_cost_site {
	const struct slu_cost_target *target;
	size_t n;	  /* indexes; 0: nothing is known of them */
	uint32_t servers; /* 0: unknown */
	double server;	  /* bytes/s that one moves; 0: SLU_STRIPE_PORT */
	double disk;	  /* bytes/s of a target; 0: SLU_STRIPE_DISK */
	enum slu_stripe_access access;
	uint32_t readers; /* 0: unknown, as 1 */
};

/* Bytes/s of a target. */
double slu_stripe_disk(const struct slu_cost_site *site);

/* Seconds of a file of so many bytes. */
double slu_stripe_seconds(const struct slu_file_layout *layout, uint64_t size,
			  const struct slu_cost_site *site);

/* Bytes of a part's stripe, of a file of that size. */
uint64_t slu_stripe_bytes(const struct slu_file_part *part, uint64_t size,
			  uint32_t stripe);

/* A layout that is planned, as if there were a file: targets are not known,
 * and taken to be on as many servers as there are. */
void slu_stripe_as_file(const struct slu_stripe_layout *planned, uint64_t size,
			struct slu_file_layout *out);

#endif

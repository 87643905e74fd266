/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_STRIPE_LAYOUT_REVIEW_H
#define SLU_SELECT_IO_STRIPE_LAYOUT_REVIEW_H

/*
 * Finds the files, among many, whose layout costs most (layout_cost.h) compared
 * with the one that slu_stripe_plan() has for them, with the `lfs migrate` that
 * changes it. The part of a file on a full target counts as the time to write
 * it elsewhere. Only `top` files are kept in memory. One thread.
 */

#include "select_io/stripe/layout_cost.h"

/* Part of a target that has to be free, or it is full; and by how much, and
 * how many seconds, a layout has to be better to be worth a word. */
#define SLU_REVIEW_FREE	   0.05
#define SLU_REVIEW_BETTER  1.25
#define SLU_REVIEW_SECONDS 0.005

enum slu_review_why {
	SLU_REVIEW_FULL,   /* on a target without room */
	SLU_REVIEW_NARROW, /* fewer targets than it needs */
	SLU_REVIEW_WIDE,   /* more stripes than it needs */
	SLU_REVIEW_SERVER, /* its stripes share a server or a target */
	SLU_REVIEW_WIDTH,  /* stripes that move data which no read asked for */
	SLU_REVIEW_WHYS,
};
/* "few targets", one or two words. */
extern const char *const slu_review_words[SLU_REVIEW_WHYS];

struct slu_review_file {
	char *path, *command;
	uint64_t size;
	uint32_t stripes;   /* that there are */
	double now, better; /* seconds */
	double full;	    /* bytes on full targets */
	double saved;	    /* what they are ordered by, seconds */
	enum slu_review_why why;
};

struct slu_review {
	const struct slu_cost_site *site;
	struct slu_stripe_request request; /* size is each file's */
	size_t top;
	/* The worst first, once slu_review_sort() was called; a heap with the
	 * least at the root before. */
	struct slu_review_file *file;
	size_t n;
	uint64_t files;	  /* that were looked at */
	uint64_t special; /* that are to be left as they are */
	uint64_t no_room; /* that no layout has room for */
	struct {
		uint64_t files;
		double saved;
	} of[SLU_REVIEW_WHYS]; /* of all, not only of the top */
};

/* Start from {.site, .request, .top}; path is copied. SLU_NOMEM. */
int slu_review_add(struct slu_review *review, const char *path, uint64_t size,
		   const struct slu_file_layout *layout, struct slu_err *err);
void slu_review_sort(struct slu_review *review);
void slu_review_free(struct slu_review *review);

/* The path as a word of a shell, whatever is in it; in ASCII, on one line. */
void slu_review_quote(const char *path, struct slu_buf *out);

#endif

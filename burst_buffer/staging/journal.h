/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_JOURNAL_H
#define SLU_STAGING_JOURNAL_H

/*
 * What COPY has done, for who does it again after a crash: stretches of the
 * line of cost (share.h), in a file of this node. One record of 16 bytes is
 * written over and over while one thread goes on without a gap, so the file
 * stays small, and what is noted is exact to the file and the range.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "burst_buffer/staging/manifest.h"

/* So many records are kept: what does not fit is done again after a crash. */
#define SLU_JOURNAL_RECORDS (1u << 20)

struct slu_stretch {
	uint64_t begin, end;
};

/* Instead of writing it: hand over a record, the first of which (number 0)
 * says that the journal begins anew. From any thread. */
typedef void slu_journal_record_f(uint64_t number,
				  const struct slu_stretch *is);

struct slu_journal {
	int fd;	      /* the caller's; -1: nothing is kept */
	bool resumed; /* it was begun before, for the same manifest */
	struct slu_stretch *done; /* of earlier times; sorted, disjoint */
	size_t n;
	_Atomic uint64_t next; /* free record */
	slu_journal_record_f *tell;
};

/* Where one thread writes; zero it. */
struct slu_journal_record {
	uint64_t number; /* 0: none yet */
	struct slu_stretch is;
};

/* `fd` is open for reading and writing, or only for reading if records are told
 * (tell: NULL if not); one that does not belong to a manifest
 * with these totals is begun anew. Zero or less: no journal. */
int slu_journal_open(struct slu_journal *j, int fd, slu_journal_record_f *tell,
		     const struct slu_totals *totals, struct slu_err *err);
void slu_journal_close(struct slu_journal *j); /* frees; fd stays open */

/* Was all of it done at an earlier time? From any thread. */
bool slu_journal_has(const struct slu_journal *j, uint64_t begin, uint64_t end);
/* It is done now. From any thread, each with a record of its own. */
void slu_journal_note(struct slu_journal *j, struct slu_journal_record *record,
		      uint64_t begin, uint64_t end);

/* Write what was told, by somebody who need not be believed: the file grows to
 * no more than its records. */
int slu_journal_keep(int fd, uint64_t number, const struct slu_stretch *is);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_JOURNAL_H
#define SLU_STAGING_JOURNAL_H

/*
 * Records which files the act COPY of staging has copied, so that it can
 * continue after a crash: stretches of the line of cost (all files in a row,
 * share.h), in a file of this node. While a thread copies without a gap it
 * overwrites the same record of 16 bytes, so the file stays small, and it is
 * exact to the file and the range.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "burst_buffer/staging/manifest.h"

/* Most records: what does not fit is copied again after a crash. */
#define SLU_JOURNAL_RECORDS (1u << 20)

struct slu_stretch {
	uint64_t begin, end;
};

/* Receives records instead of the file; record number 0 means that the journal
 * begins anew. From any thread. */
typedef void slu_journal_record_f(uint64_t number,
				  const struct slu_stretch *is);

struct slu_journal {
	int fd;	      /* the caller's; -1: no journal is kept */
	bool resumed; /* it was begun before a crash, for the same manifest */
	struct slu_stretch *done; /* from before the crash; sorted, disjoint */
	size_t n;
	_Atomic uint64_t next; /* the next free record */
	slu_journal_record_f *tell;
};

/* The record that a thread writes; initialise with zero. */
struct slu_journal_record {
	uint64_t number; /* 0: none yet */
	struct slu_stretch is;
};

/* `fd` is open for reading and writing, or only for reading with `tell` (else
 * NULL); a journal that does not belong to a manifest with these totals is
 * begun anew. Zero or less: no journal. */
int slu_journal_open(struct slu_journal *j, int fd, slu_journal_record_f *tell,
		     const struct slu_totals *totals, struct slu_err *err);
void slu_journal_close(struct slu_journal *j); /* frees; fd stays open */

/* Was all of it done before the crash? From any thread. */
bool slu_journal_has(const struct slu_journal *j, uint64_t begin, uint64_t end);
/* Note it as done. From any thread, each with a record of its own. */
void slu_journal_note(struct slu_journal *j, struct slu_journal_record *record,
		      uint64_t begin, uint64_t end);

/* Write a record from a sender that is not trusted: the file never grows beyond
 * its fixed number of records. */
int slu_journal_keep(int fd, uint64_t number, const struct slu_stretch *is);

#endif

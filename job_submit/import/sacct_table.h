/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_IMPORT_SACCT_TABLE_H
#define SLU_JOB_SUBMIT_IMPORT_SACCT_TABLE_H

/*
 * Tables of sacct: splits a record into columns.
 *
 * Slurm quotes nothing: a job's name, and other text of its user, may contain
 * the delimiter and newlines. Columns that are not free text have a format (a
 * time, a state, a number...), by which they are found in a line with too many
 * delimiters. If that leaves a needed column open, the line is ambiguous and
 * refused.
 */

#include <stdbool.h>
#include <stddef.h>
#include "common/err.h"

/* The columns that are read. Values of the first ones must have their form, or
 * the line is broken; for the others that only helps to find them. */
enum slu_sacct_column {
	SLU_SACCT_JOB_ID,
	SLU_SACCT_JOB_ID_RAW,
	SLU_SACCT_UID,
	SLU_SACCT_SUBMIT,
	SLU_SACCT_ELIGIBLE,
	SLU_SACCT_START,
	SLU_SACCT_END,
	SLU_SACCT_ELAPSED,
	SLU_SACCT_STATE,
	SLU_SACCT_NODES,
	SLU_SACCT_CPUS,
	SLU_SACCT_TIME_LIMIT,
	SLU_SACCT_STRICT = SLU_SACCT_TIME_LIMIT,
	SLU_SACCT_GID,
	SLU_SACCT_EXIT_CODE,
	SLU_SACCT_MEMORY,
	SLU_SACCT_TASKS,
	SLU_SACCT_ALLOC_TRES,
	SLU_SACCT_READ,
	SLU_SACCT_WRITTEN,
	SLU_SACCT_NODE_LIST,
	SLU_SACCT_PARTITION,
	SLU_SACCT_QOS,
	SLU_SACCT_ACCOUNT,
	SLU_SACCT_USER,
	SLU_SACCT_NAME,
	SLU_SACCT_WORK_DIR,
	SLU_SACCT_COMMENT,
	SLU_SACCT_COLUMNS
};

#define SLU_SACCT_MOST 256 /* columns; --format=ALL has some 120 */

/* The forms of values. */
enum slu_sacct_form {
	SLU_SACCT_FREE,	  /* what a user wrote: anything */
	SLU_SACCT_EMPTY,  /* behind the last delimiter of `sacct -p` */
	SLU_SACCT_WORD,	  /* a name: neither delimiters nor ends of lines */
	SLU_SACCT_ID,	  /* 171_3, 172+0, 173.batch */
	SLU_SACCT_NUMBER, /* 5, 1.50K */
	SLU_SACCT_TIME,	  /* 2016-12-22T07:15:12, or of the epoch */
	SLU_SACCT_SPAN,	  /* 1-02:03:04, 22:53.824 */
	SLU_SACCT_STATUS, /* CANCELLED by 7 */
	SLU_SACCT_TRES,	  /* cpu=1,mem=4G */
	SLU_SACCT_EXIT,	  /* 0:9 */
	SLU_SACCT_SIZE,	  /* 4000Mn */
	SLU_SACCT_LIST,	  /* of nodes */
};

struct slu_sacct_table {
	struct {
		enum slu_sacct_column column; /* or SLU_SACCT_COLUMNS */
		enum slu_sacct_form form;
	} at[SLU_SACCT_MOST];
	size_t n;
	char delimiter[8];
	bool implied; /* there was no header */
};

/* The length of a line without a '\r' at its end. */
size_t slu_sacct_length(const char *line);

/* A column's title, as sacct prints it. */
const char *slu_sacct_title(enum slu_sacct_column column);

/* Is the text empty, or one of Slurm's words for unknown or unlimited values?
 */
bool slu_sacct_unknown(const char *text);

/* 1: the line is a header, and *out its columns; 0: it is not; -1: it is the
 * header of a table that cannot be read, see err. line is not changed. */
int slu_sacct_header(const char *line, struct slu_sacct_table *out,
		     struct slu_err *err);
/* The columns of Open XDMoD's files, which have no header. */
void slu_sacct_implied(struct slu_sacct_table *out);
bool slu_sacct_has(const struct slu_sacct_table *table,
		   enum slu_sacct_column column);

/* Can the line be a record of the table, or (begins) be the first line of one?
 * The latter is false where the first column has no form. line: unchanged. */
bool slu_sacct_fits(const struct slu_sacct_table *table, const char *line);
bool slu_sacct_begins(const struct slu_sacct_table *table, const char *line);
/* Cut a record (lines of it may be separated by '\n'): at[] points into it,
 * NULL for columns that are not there. Else SLU_INVALID, and it is
 * unchanged. */
int slu_sacct_cut(const struct slu_sacct_table *table, char *line,
		  char *at[SLU_SACCT_COLUMNS], struct slu_err *err);

#endif

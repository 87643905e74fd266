/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_IMPORT_SACCT_COLUMNS_H
#define SLU_JOB_SUBMIT_IMPORT_SACCT_COLUMNS_H

/*
 * Lists the columns of sacct's tables that are read, and the forms that the
 * text of a column may have.
 */

#include <stdbool.h>
#include <stddef.h>

/* Those that are read. What the first ones hold must have its form, or the line
 * is broken; of the others it only helps to find them. */
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

#define SLU_SACCT_MOST	256 /* columns; --format=ALL has some 120 */
#define SLU_SACCT_LINES 100 /* of a record */

/* How the text of a column looks. */
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

#endif

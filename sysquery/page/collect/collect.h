/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PAGE_COLLECT_H
#define SLU_PAGE_COLLECT_H

/*
 * Declares the functions that collect the parts of the page's document (page.h)
 * from the database; private to collect*.c. Each returns NULL on an error; the
 * caller frees with json_object_put().
 */

#include "sysquery/page/page.h"

struct json_object *slu_page_collect_buffers(struct slu_db *db,
					     const struct slu_page_query *q,
					     struct slu_err *err);
struct json_object *slu_page_collect_holds(struct slu_db *db,
					   const struct slu_page_query *q,
					   struct slu_err *err);
struct json_object *slu_page_collect_drained(struct slu_db *db,
					     const struct slu_page_query *q,
					     struct slu_err *err);
struct json_object *slu_page_collect_machine(struct slu_db *db,
					     const struct slu_page_query *q,
					     struct slu_err *err);

/* The results of one pass over the history: errors, limits, and the runs that
 * had I/O nodes, in the order of their job_id. */
struct slu_page_run {
	uint32_t job_id;
	int64_t start, end;
	double mbps; /* reached; 0: unknown */
	char user[32];
};
struct slu_page_jobs {
	struct json_object *errors, *limits;
	struct slu_page_run *run;
	size_t n_runs;
};
int slu_page_collect_jobs(struct slu_db *db, const struct slu_page_query *q,
			  struct slu_page_jobs *out, struct slu_err *err);
void slu_page_jobs_free(struct slu_page_jobs *jobs);

struct json_object *slu_page_collect_ions(struct slu_db *db,
					  const struct slu_page_query *q,
					  const struct slu_page_jobs *jobs,
					  struct slu_err *err);

/* bins.c: add `value` to the means of the bins from time `from` to `to`. */
void slu_bins_add(double bin[SLU_BINS], const struct slu_page_query *q,
		  double from, double to, double value);
/* Rounded to thousandths; caller puts. */
struct json_object *slu_bins_json(const double bin[SLU_BINS]);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collects the data of the HTML page of `sysquery page` as one JSON document,
 * from one snapshot of the database. */
#include "config.h"
#include "common/jsonx.h"
#include "sysquery/page/collect/collect.h"
#include "wire/job.h"

#define HOUR 3600

typedef struct json_object *
part_f(struct slu_db *db, const struct slu_page_query *q, struct slu_err *err);

static const struct {
	const char *name;
	part_f *collect;
} parts[] = {
	{"buffers", slu_page_collect_buffers},
	{"holds", slu_page_collect_holds},
	{"drained", slu_page_collect_drained},
	{"machine", slu_page_collect_machine},
};

static int add(struct json_object *all, const char *name,
	       struct json_object *part)
{
	if (part)
		json_object_object_add(all, name, part);
	return part ? 0 : -1;
}

static int add_parts(struct json_object *all, struct slu_db *db,
		     const struct slu_page_query *q, struct slu_err *err)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (add(all, parts[i].name, parts[i].collect(db, q, err)) < 0)
			return slu_err_prefix(err, "%s", parts[i].name);
	return 0;
}

static int add_jobs(struct json_object *all, struct slu_db *db,
		    const struct slu_page_query *q, struct slu_err *err)
{
	struct slu_page_jobs jobs;
	int rc;

	if (slu_page_collect_jobs(db, q, &jobs, err) < 0)
		return slu_err_prefix(err, "jobs");
	add(all, "errors", json_object_get(jobs.errors));
	add(all, "limits", json_object_get(jobs.limits));
	rc = add(all, "ions", slu_page_collect_ions(db, q, &jobs, err));
	slu_page_jobs_free(&jobs);
	return rc < 0 ? slu_err_prefix(err, "I/O nodes") : 0;
}

/* On a new site the page begins with the first job instead of empty days, but
 * at least an hour ago. */
static int begin_with_first(struct slu_db *db, struct slu_page_query *q,
			    struct slu_err *err)
{
	struct slu_rows *rows = slu_db_query(
		db, err,
		"SELECT min(t) FROM (SELECT min(Created) AS t FROM Buffer"
		" WHERE BID = (SELECT min(BID) FROM Buffer)"
		" UNION ALL SELECT min(StartTime) FROM History WHERE EndTime ="
		" (SELECT min(EndTime) FROM History)"
		" UNION ALL SELECT min(Time) FROM Assignment)",
		"");
	int64_t first = 0;
	int rc = -1;

	while (rows && (rc = slu_db_step(rows, err)) > 0)
		first = slu_db_int(rows, 0);
	slu_db_done(rows);
	if (first > q->now - HOUR)
		first = q->now - HOUR;
	if (q->since < first)
		q->since = first;
	return rc;
}

static int collect(struct json_object *all, struct slu_db *db,
		   struct slu_page_query *q, struct slu_err *err)
{
	int rc;

	if (q->since >= q->now)
		return slu_err(err, SLU_INVALID, "since: it is not before now");
	if (slu_db_begin(db, err))
		return -1;
	rc = begin_with_first(db, q, err);
	slu_json_set_i64(all, "since", q->since);
	if (rc == 0 &&
	    (add_parts(all, db, q, err) || add_jobs(all, db, q, err)))
		rc = -1;
	slu_db_rollback(db);
	return rc;
}

struct json_object *slu_page_collect(struct slu_db *db,
				     const struct slu_page_query *q,
				     struct slu_err *err)
{
	struct json_object *all = json_object_new_object();
	struct slu_page_query asked = *q;
	int rc;

	slu_json_set_str(all, "schema", "sluice.page");
	slu_json_set_u64(all, "version", 1);
	slu_json_set_i64(all, "now", q->now);
	slu_json_set_bool(all, "own", q->uid != SLU_NO_ID);
	rc = collect(all, db, &asked, err);
	if (rc == 0)
		return all;
	json_object_put(all);
	return NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums up ended jobs (node time, I/O), in SQLite: of a user, an account or the
 * site, and of the job names with the most node time.
 */
#include "common/jsonx.h"
#include "job_submit/history/job_history.h"

/* The filter of all queries here. */
#define WHERE                                                        \
	" FROM History WHERE EndTime >= ?1 AND (?2 < 0 OR Uid = ?2)" \
	" AND (?3 IS NULL OR Account = ?3)"
#define RAN "max(EndTime - StartTime - coalesce(Suspended, 0), 0)"

static const char jobs[] =
	"SELECT json_object('count', COUNT(*),"
	" 'completed', coalesce(SUM(State = 'COMPLETED'), 0),"
	" 'failed', coalesce(SUM(State = 'FAILED'), 0),"
	" 'timeout', coalesce(SUM(State = 'TIMEOUT'), 0),"
	" 'cancelled', coalesce(SUM(State = 'CANCELLED'), 0),"
	" 'with_request', COUNT(Request),"
	" 'node_seconds', CAST(total(max(NodeCnt, 1) * " RAN ") AS INTEGER),"
	" 'queued_seconds', CAST(total(max(StartTime - max(coalesce("
	"  EligibleTime, 0), coalesce(SubmitTime, 0)), 0)"
	"  * (coalesce(SubmitTime, 0) > 0)) AS INTEGER),"
	" 'limited', coalesce(SUM(LimitAsked > 0), 0),"
	" 'asked_seconds', CAST(total(60 * LimitAsked) AS INTEGER),"
	" 'granted_seconds', CAST(total(CASE WHEN LimitAsked > 0 THEN"
	"  60 * TimeLimit END) AS INTEGER),"
	" 'used_seconds', CAST(total(CASE WHEN LimitAsked > 0 THEN " RAN
	"  END) AS INTEGER),"
	" 'tightened', coalesce(SUM(Tightened > 0), 0),"
	" 'extended', coalesce(SUM(Tightened > 0 AND Extended), 0))" WHERE;

static const char names[] =
	"SELECT json_group_array(json(Line)) FROM (SELECT json_object("
	"'uid', Uid, 'user', MAX(User), 'name', PlainName, 'count', COUNT(*),"
	" 'node_seconds', CAST(total(max(NodeCnt, 1) * " RAN ") AS INTEGER),"
	" 'used_seconds_mean', CAST(avg(" RAN ") AS INTEGER),"
	" 'asked_seconds_mean', CAST(avg(CASE WHEN LimitAsked > 0 THEN"
	"  60 * LimitAsked END) AS INTEGER),"
	" 'timeout', coalesce(SUM(State = 'TIMEOUT'), 0)) AS Line" WHERE
	" GROUP BY Uid, PlainName ORDER BY"
	" total(max(NodeCnt, 1) * " RAN ") DESC, Uid, PlainName LIMIT ?4)";

static struct json_object *ask(struct slu_db *db, const char *sql,
			       const struct slu_history_part *part,
			       int64_t limit, struct slu_err *err)
{
	const int64_t uid = part->uid == SLU_NO_ID ? -1 : (int64_t)part->uid;
	struct json_object *obj = NULL;
	struct slu_rows *rows =
		limit ? slu_db_query(db, err, sql, "IIsI", part->since, uid,
				     part->account, limit)
		      : slu_db_query(db, err, sql, "IIs", part->since, uid,
				     part->account);

	if (rows && slu_db_step(rows, err) > 0)
		obj = slu_json_parse(slu_db_text(rows, 0),
				     slu_db_bytes(rows, 0), err);
	slu_db_done(rows);
	return obj;
}

/* Bytes read and written, of each job by its best source. */
struct io {
	const char *account;
	double read, written;
	uint64_t known;
};

static int add_io(void *arg, const struct slu_history_row *row,
		  struct slu_err *err)
{
	struct io *io = arg;

	(void)err;
	if ((io->account && !slu_eq(row->job.account, io->account)) ||
	    row->read_bytes + row->written_bytes <= 0)
		return 0;
	io->known++;
	io->read += row->read_bytes;
	io->written += row->written_bytes;
	return 0;
}

static struct json_object *sum_io(struct slu_db *db,
				  const struct slu_history_part *part,
				  struct slu_err *err)
{
	const struct slu_history_query query = {
		.uid = part->uid, .since = part->since, .brief = true};
	struct io io = {.account = part->account};
	struct json_object *obj;

	if (slu_history_each(db, &query, add_io, &io, err))
		return NULL;
	obj = json_object_new_object();
	slu_json_set_u64(obj, "jobs", io.known);
	slu_json_set_u64(obj, "read_bytes", (uint64_t)io.read);
	slu_json_set_u64(obj, "written_bytes", (uint64_t)io.written);
	return obj;
}

int slu_history_sums(struct slu_db *db, const struct slu_history_part *part,
		     size_t most, struct json_object *out, struct slu_err *err)
{
	struct json_object *all = ask(db, jobs, part, 0, err), *io, *by_name;

	if (!all)
		return -1;
	json_object_object_add(out, "jobs", all);
	by_name = ask(db, names, part, (int64_t)most, err);
	if (!by_name)
		return -1;
	json_object_object_add(out, "names", by_name);
	io = sum_io(db, part, err);
	if (!io)
		return -1;
	json_object_object_add(out, "io", io);
	return 0;
}

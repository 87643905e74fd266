/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Holds assignments of I/O nodes to jobs: reference counts, comparison, and the
 * database table Assignment.
 */
#include "sluiced/publication/assignment.h"

#include <stdlib.h>
#include <string.h>

#include "common/hostlist.h"
#include "common/jsonx.h"
#include "common/str.h"

static int by_job(const void *a, const void *b)
{
	const struct slu_ion_share *x = a, *y = b;

	return (x->job_id > y->job_id) - (x->job_id < y->job_id);
}

struct slu_epoch *slu_epoch_new(struct slu_assignment *a)
{
	struct slu_epoch *epoch = calloc(1, sizeof(*epoch));

	if (!epoch)
		return NULL;
	epoch->refs = 1;
	epoch->a = *a;
	memset(a, 0, sizeof(*a));
	if (epoch->a.n_jobs)
		qsort(epoch->a.jobs, epoch->a.n_jobs, sizeof(*epoch->a.jobs),
		      by_job);
	return epoch;
}

struct slu_epoch *slu_epoch_ref(struct slu_epoch *epoch)
{
	if (epoch)
		epoch->refs++;
	return epoch;
}

void slu_epoch_unref(struct slu_epoch *epoch)
{
	if (!epoch || --epoch->refs)
		return;
	slu_msg_clear(&slu_assignment_desc, &epoch->a);
	free(epoch);
}

const struct slu_ion_share *slu_epoch_share(const struct slu_epoch *epoch,
					    uint32_t job_id)
{
	struct slu_ion_share key = {.job_id = job_id};

	if (!epoch || !epoch->a.n_jobs)
		return NULL;
	return bsearch(&key, epoch->a.jobs, epoch->a.n_jobs, sizeof(key),
		       by_job);
}

bool slu_share_same(const struct slu_ion_share *a,
		    const struct slu_ion_share *b)
{
	return a && b && slu_eq(a->nodes, b->nodes) &&
	       slu_eq(a->ions, b->ions) && a->shared == b->shared;
}

size_t slu_share_count(const struct slu_ion_share *share)
{
	struct slu_hosts hosts;
	size_t n;

	if (!share->ions || slu_hosts_parse(share->ions, &hosts, NULL) < 0)
		return 0;
	n = hosts.n;
	slu_hosts_free(&hosts);
	return n;
}

static void add_change(struct json_object *list,
		       const struct slu_ion_share *share, size_t ions)
{
	struct json_object *change = json_object_new_object();

	slu_json_set_u64(change, "job_id", share->job_id);
	slu_json_set_str(change, "name", share->name);
	slu_json_set_u64(change, "ions", ions);
	if (ions && share->bandwidth > 0)
		slu_json_set_double(change, "bandwidth", share->bandwidth);
	json_object_array_add(list, change);
}

struct json_object *slu_epoch_changes(const struct slu_epoch *old,
				      const struct slu_epoch *now)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < now->a.n_jobs; i++) {
		const struct slu_ion_share *share = &now->a.jobs[i], *was;

		was = slu_epoch_share(old, share->job_id);
		if (!was || !slu_eq(was->ions, share->ions))
			add_change(list, share, slu_share_count(share));
	}
	for (size_t i = 0; old && i < old->a.n_jobs; i++)
		if (!slu_epoch_share(now, old->a.jobs[i].job_id))
			add_change(list, &old->a.jobs[i], 0);
	return list;
}

struct slu_epoch *slu_epoch_head(const struct slu_epoch *epoch)
{
	struct slu_assignment head = epoch->a, copy;
	char *text;
	int rc = -1;

	head.n_jobs = head.n_gone = 0;
	text = slu_encode_text(&slu_assignment_desc, &head);
	if (text)
		rc = slu_decode_text(&slu_assignment_desc, text, strlen(text),
				     &copy, NULL);
	free(text);
	return rc < 0 ? NULL : slu_epoch_new(&copy);
}

int slu_epoch_store(struct slu_db *db, const struct slu_epoch *now,
		    struct json_object *changes, struct slu_err *err)
{
	const struct slu_assignment *a = &now->a;

	if (slu_db_begin(db, err) < 0)
		return -1;
	if (slu_db_exec(db, err,
			"INSERT INTO Assignment (Epoch, Time, Event, Policy,"
			" Total, StaticTotal, Json) VALUES (?,?,?,?,?,?,?)",
			"IIssdds", (int64_t)a->epoch, a->time, a->event,
			a->policy, a->total, a->static_total,
			slu_json_text(changes)) < 0 ||
	    slu_db_exec(db, err, "DELETE FROM Assignment WHERE Time < ?", "I",
			a->time - SLU_ASSIGNMENT_KEEP) < 0 ||
	    slu_db_commit(db, err) < 0) {
		slu_db_rollback(db);
		return -1;
	}
	return 0;
}

static struct json_object *event_json(struct slu_rows *rows)
{
	struct json_object *event = json_object_new_object();
	const char *changed = slu_db_text(rows, 5);

	slu_json_set_i64(event, "time", slu_db_int(rows, 0));
	slu_json_set_str(event, "event", slu_db_text(rows, 1));
	slu_json_set_str(event, "policy", slu_db_text(rows, 2));
	slu_json_set_double(event, "total", slu_db_double(rows, 3));
	slu_json_set_double(event, "static_total", slu_db_double(rows, 4));
	json_object_object_add(
		event, "changed",
		slu_json_parse(changed, slu_db_bytes(rows, 5), NULL));
	return event;
}

/* A time during which both totals were these. */
struct stretch {
	int64_t from;
	double total, fixed;
};

struct json_object *slu_epoch_gain(struct slu_db *db, int64_t since,
				   int64_t until, struct slu_err *err)
{
	struct slu_rows *rows = slu_db_query(
		db, err,
		"SELECT Time, Total, StaticTotal FROM Assignment WHERE AID >="
		" coalesce((SELECT max(AID) FROM Assignment WHERE Time <= ?),"
		" 0) ORDER BY AID",
		"I", since);
	double seconds = 0, total = 0, fixed = 0;
	struct stretch s = {.from = -1};
	struct json_object *gain;
	int rc = -1;

	while (rows && (rc = slu_db_step(rows, err)) >= 0) {
		int64_t at = rc ? slu_db_int(rows, 0) : until;

		at = at < since ? since : at;
		if (s.from >= 0 && at > s.from) {
			seconds += (double)(at - s.from);
			total += s.total * (double)(at - s.from);
			fixed += s.fixed * (double)(at - s.from);
		}
		if (rc == 0)
			break;
		s = (struct stretch){at, slu_db_double(rows, 1),
				     slu_db_double(rows, 2)};
	}
	slu_db_done(rows);
	if (rc < 0)
		return NULL;
	gain = json_object_new_object();
	slu_json_set_i64(gain, "since", since);
	slu_json_set_i64(gain, "until", until);
	slu_json_set_double(gain, "seconds", seconds);
	slu_json_set_double(gain, "total", seconds ? total / seconds : 0);
	slu_json_set_double(gain, "static_total",
			    seconds ? fixed / seconds : 0);
	return gain;
}

struct json_object *slu_epoch_history(struct slu_db *db, uint32_t job_id,
				      int64_t limit, struct slu_err *err)
{
	int64_t job = job_id;
	struct json_object *list = json_object_new_array();
	struct slu_rows *rows = slu_db_query(
		db, err,
		"SELECT Time, Event, Policy, Total, StaticTotal, Changed FROM"
		" (SELECT *, (SELECT json_group_array(json(value)) FROM"
		" json_each(CASE WHEN json_valid(Assignment.Json)"
		"  THEN Assignment.Json ELSE '[]' END)"
		" WHERE ?1 = 0 OR json_extract(value, '$.job_id') = ?1) Changed"
		" FROM Assignment WHERE ?1 = 0 OR Changed <> '[]'"
		" ORDER BY AID DESC LIMIT ?2) ORDER BY AID",
		"II", job, limit);
	int rc = -1;

	while (rows && (rc = slu_db_step(rows, err)) > 0)
		json_object_array_add(list, event_json(rows));
	slu_db_done(rows);
	if (rc == 0)
		return list;
	json_object_put(list);
	return NULL;
}

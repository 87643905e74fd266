/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks jobs for the question "doctor": phases that are longer than usual,
 * failures of the last day, verdicts that slurmctld has not answered, jobs that
 * ran without their file system, and data of failed stage-outs that is kept, or
 * is held open by a process.
 */
#include "config.h"
#include "sluiced/doctor/doctor_jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/events/job_runs.h"
#include "common/jsonx.h"
#include "common/str.h"
#include "common/size.h"
#include "sysmap/extract.h"
#include "sluiced/doctor/doctor_findings.h"

#define DAY	   86400.0
#define LIKE	   200	/* ended buffers for comparison */
#define LIKE_MIN   20	/* with fewer there is no comparison */
#define LONG_MIN   60.0 /* s; shorter phases are never long */
#define LONG_TOLD  20	/* each with its job; the others are counted */
#define UNANSWERED 60.0 /* s */
#define HELD_TOLD  20	/* the last ones */

static uint32_t job_of(struct json_object *row)
{
	return (uint32_t)slu_json_number_at(row, "job");
}

/* Phases */

static int cmp_double(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The time that 95 of 100 did not exceed in this phase, seconds; 0: too few
 * have ended. */
static int usual(struct slu_db *db, struct json_object *phase, double *seconds,
		 struct slu_err *err)
{
	struct slu_rows *rows = slu_db_query(
		db, err,
		"SELECT (SELECT min(Time) FROM BufferHistory h WHERE"
		" h.BID = b.BID AND h.State > ?1) - (SELECT min(Time) FROM"
		" BufferHistory h WHERE h.BID = b.BID AND h.State = ?1)"
		" FROM (SELECT BID FROM Buffer WHERE State = 6 AND"
		" Failure IS NULL AND Driver = ?2 ORDER BY BID DESC LIMIT ?3)"
		" AS b",
		"isi", (int)slu_json_number_at(phase, "state"),
		slu_doctor_text(phase, "driver"), LIKE);
	double took[LIKE];
	size_t n = 0;
	int rc = -1;

	while (rows && (rc = slu_db_step(rows, err)) > 0)
		if (slu_db_type(rows, 0) != SLU_DB_NULL && n < LIKE)
			took[n++] = slu_db_double(rows, 0);
	slu_db_done(rows);
	qsort(took, n, sizeof(*took), cmp_double);
	*seconds = n < LIKE_MIN ? 0 : took[n - 1 - n / 20];
	return rc;
}

/* The time after which the phase counts as long; with too few for comparison,
 * half of its time limit. 0: never. */
static double limit_of(struct json_object *phase, double like)
{
	const double since = slu_json_number_at(phase, "since");
	const double deadline = slu_json_number_at(phase, "deadline");
	double limit = like > 0 ? 2 * like : (deadline - since) / 2;

	if (like <= 0 && deadline <= 0)
		return 0;
	return limit < LONG_MIN ? LONG_MIN : limit;
}

/* A phase that copies makes progress. */
static void tell_long(struct json_object *phase, double like, double now,
		      struct json_object *findings)
{
	const char *waits = slu_doctor_text(phase, "waits_for");
	const char *text = slu_doctor_text(phase, "text");
	char took[SLU_TIME_TEXT], usually[SLU_TIME_TEXT] = "";
	struct json_object *row;

	slu_seconds_text(like, usually);
	row = slu_finding(
		findings,
		strstr(text, "copied") ? SLU_SEVERE_NOTE : SLU_SEVERE_WARNING,
		"phase", "job %u is in %s for %s%s%s%s: waits for %.400s%s",
		job_of(phase), slu_doctor_text(phase, "phase"),
		slu_seconds_text(now - slu_json_number_at(phase, "since"),
				 took),
		like > 0 ? " (95 of 100 took at most " : "",
		like > 0 ? usually : "", like > 0 ? ")" : "",
		*waits ? waits : "slurmctld",
		slu_json_bool_at(phase, "boots") ? " to boot" : "");
	slu_finding_since(row, slu_json_number_at(phase, "since"));
	if (*waits)
		slu_finding_command(row, waits, "sluice-node status");
	else
		slu_finding_command(row, NULL, "sysquery buffers %u",
				    job_of(phase));
}

static int check_phases(struct slu_db *db, struct json_object *phases,
			double now, struct json_object *findings,
			struct slu_err *err)
{
	struct json_object *phase;
	double like, limit;
	size_t n = 0;

	for (size_t i = 0; i < json_object_array_length(phases); i++) {
		phase = json_object_array_get_idx(phases, i);
		if (now - slu_json_number_at(phase, "since") < LONG_MIN)
			continue;
		if (usual(db, phase, &like, err))
			return -1;
		limit = limit_of(phase, like);
		if (limit <= 0 ||
		    now - slu_json_number_at(phase, "since") <= limit)
			continue;
		if (n++ < LONG_TOLD)
			tell_long(phase, like, now, findings);
	}
	if (n > LONG_TOLD)
		slu_finding_command(
			slu_finding(findings, SLU_SEVERE_WARNING, "phase",
				    "%zu more job%s in one phase for "
				    "unusually long",
				    n - LONG_TOLD,
				    n - LONG_TOLD == 1 ? " is" : "s are"),
			NULL, "sysquery buffers");
	return 0;
}

static void check_unanswered(struct json_object *rows, double now,
			     struct json_object *findings)
{
	struct json_object *one;

	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		one = json_object_array_get_idx(rows, i);
		if (now - slu_json_number_at(one, "since") < UNANSWERED)
			continue;
		slu_finding_since(
			slu_finding_command(
				slu_finding(findings, SLU_SEVERE_WARNING,
					    "verdict",
					    "slurmctld has not yet confirmed "
					    "the order to hold, requeue or "
					    "fail job %u: %s",
					    job_of(one),
					    slu_doctor_text(one, "text")),
				NULL, "scontrol ping"),
			slu_json_number_at(one, "since"));
	}
}

/* Failures: one finding for each phase and verdict. */

static int check_failures(struct slu_db *db, const struct slu_asker *who,
			  double now, struct json_object *findings,
			  struct slu_err *err)
{
	static const char *const phases[] = {"",    "setup",	 "stage-in",
					     "run", "stage-out", "teardown"};
	struct slu_rows *rows = slu_db_query(
		db, err,
		"SELECT count(*), max(JobID), FailedIn, Failure FROM Buffer"
		" WHERE Since > ?1 AND FailedAt > ?1 AND Failure IS NOT NULL"
		" AND (?2 < 0 OR Uid = ?2) GROUP BY FailedIn",
		"dI", now - DAY, who->admin ? (int64_t)-1 : (int64_t)who->uid);
	int64_t in;
	int rc = -1;

	while (rows && (rc = slu_db_step(rows, err)) > 0) {
		in = slu_db_int(rows, 2);
		slu_finding_command(
			slu_finding(findings, SLU_SEVERE_NOTE, "failure",
				    "%lld job%s failed in the last day in %s; "
				    "job %lld: %s",
				    (long long)slu_db_int(rows, 0),
				    slu_db_int(rows, 0) == 1 ? "" : "s",
				    in >= 1 && in <= 5 ? phases[in] : "?",
				    (long long)slu_db_int(rows, 1),
				    slu_db_text(rows, 3)),
			NULL, "sysquery buffers %lld",
			(long long)slu_db_int(rows, 1));
	}
	slu_db_done(rows);
	return rc;
}

/* Runs without the file system that they had asked for: the slurmd of their
 * nodes has no line of ours in its plugstack. Of each node the last run, unless
 * a later one had a file system. */

static void tell_without(struct json_object *jobs, bool admin,
			 struct json_object *findings)
{
	struct json_object *row;
	char *hosts;

	json_object_object_foreach(jobs, job, names)
	{
		hosts = slu_group_hosts(names);
		row = slu_finding(
			findings, SLU_SEVERE_ERROR, "without",
			"%.400s: job %s ran without its file system, "
			"as no node asked what to do: the line of "
			"plugstack.conf is missing, or slurmd has not "
			"read it",
			hosts ? hosts : "", job);
		if (admin)
			slu_finding_command(row, hosts,
					    "sluice-node probe --push");
		else
			slu_finding_command(row, NULL, "sysquery buffers %s",
					    job);
		free(hosts);
	}
}

static int check_without(struct slu_db *db, const struct slu_asker *who,
			 double now, struct json_object *findings,
			 struct slu_err *err)
{
	struct slu_rows *rows = slu_db_query(
		db, err,
		"WITH w AS (SELECT n.Node, max(b.JobID) AS Job,"
		" max(b.Since) AS Since FROM Buffer b"
		" JOIN BufferHistory h ON h.BID = b.BID"
		" JOIN BufferNode n ON n.BID = b.BID WHERE b.Since > ?1"
		" AND (?2 < 0 OR b.Uid = ?2)"
		" AND h.Text LIKE '%" SLU_RAN_WITHOUT "%' GROUP BY n.Node)"
		" SELECT Job, Node FROM w WHERE NOT EXISTS (SELECT 1 FROM"
		" Buffer c JOIN BufferNode m ON m.BID = c.BID WHERE c.Since >"
		" w.Since AND c.Ready > 0 AND m.Node = w.Node)",
		"dI", now - DAY, who->admin ? (int64_t)-1 : (int64_t)who->uid);
	struct json_object *jobs = json_object_new_object();
	char job[24];
	int rc = -1;

	while (rows && (rc = slu_db_step(rows, err)) > 0) {
		snprintf(job, sizeof(job), "%lld",
			 (long long)slu_db_int(rows, 0));
		slu_group_add(jobs, job, slu_db_text(rows, 1));
	}
	slu_db_done(rows);
	if (rc == 0)
		tell_without(jobs, who->admin, findings);
	json_object_put(jobs);
	return rc;
}

/* Processes that have a file of an ended job's file system open, or their
 * working directory there: from the line of its history, "n2: some of the
 * storage is held: ...", until a later probe of that node (the map keeps whole
 * seconds) reports the present state. After HeldFor the node is drained, which
 * is a finding of its own. */
static int check_held(struct slu_db *db, const struct slu_asker *who,
		      double now, struct json_object *findings,
		      struct slu_err *err)
{
	struct slu_rows *rows = slu_db_query(
		db, err,
		"SELECT b.JobID, h.Time, h.Text FROM Buffer b"
		" JOIN BufferHistory h ON h.BID = b.BID WHERE b.Since > ?1"
		" AND (?2 < 0 OR b.Uid = ?2) AND h.Text LIKE"
		" '%: some of the storage is held: %' AND NOT EXISTS (SELECT 1"
		" FROM Hostseen s JOIN Hosttable o ON o.HostID = s.HostID"
		" WHERE o.Hostname = substr(h.Text, 1, instr(h.Text, ':') - 1)"
		" AND s.EID = (SELECT EID FROM Extractortable WHERE Name = ?4)"
		" AND max(s.Since, s.LastSeen) > h.Time)"
		" ORDER BY h.Time DESC LIMIT ?3",
		"dIis", now - DAY, who->admin ? (int64_t)-1 : (int64_t)who->uid,
		HELD_TOLD, SLU_DOCUMENT_PROBE);
	struct json_object *row;
	const char *text;
	char node[256];
	int rc = -1;

	while (rows && (rc = slu_db_step(rows, err)) > 0) {
		text = slu_db_text(rows, 2);
		slu_copy(node, sizeof(node), text);
		node[strcspn(node, ":")] = '\0';
		row = slu_finding(findings, SLU_SEVERE_NOTE, "held",
				  "job %lld has ended, and %s",
				  (long long)slu_db_int(rows, 0), text);
		slu_finding_command(row, node, "sluice-node probe --push");
		slu_finding_since(row, slu_db_double(rows, 1));
	}
	slu_db_done(rows);
	return rc;
}

/* Kept data of failed stage-outs, by user */

struct kept {
	const char *user;
	uint32_t uid, job; /* of the job whose data expires first */
	size_t jobs;
	uint64_t bytes, room; /* of files; taken on disk */
	double oldest, until;
};

static struct kept *kept_of(struct kept *all, size_t *n, uint32_t uid)
{
	for (size_t i = 0; i < *n; i++)
		if (all[i].uid == uid)
			return &all[i];
	all[*n].uid = uid;
	return &all[(*n)++];
}

static void add_kept(struct kept *k, struct json_object *one)
{
	const double since = slu_json_number_at(one, "since");
	const double until = slu_json_number_at(one, "until");

	k->user = slu_doctor_text(one, "user");
	k->bytes += (uint64_t)slu_json_number_at(one, "bytes");
	k->room += (uint64_t)slu_json_number_at(one, "room");
	if (!k->jobs++ || since < k->oldest)
		k->oldest = since;
	if (!k->until || until < k->until) {
		k->until = until;
		k->job = job_of(one);
	}
}

static void tell_kept(const struct kept *k, double now,
		      struct json_object *findings)
{
	char size[SLU_SIZE_TEXT], room[SLU_SIZE_TEXT];
	char age[SLU_TIME_TEXT], left[SLU_TIME_TEXT];
	char uid[24];

	snprintf(uid, sizeof(uid), "uid %u", k->uid);
	slu_finding_since(
		slu_finding_command(
			slu_finding(findings, SLU_SEVERE_NOTE, "kept",
				    "%s: %s of %zu failed stage-out%s %s kept "
				    "(with room for %s), %s%s; job %u's goes "
				    "in %s",
				    *k->user ? k->user : uid,
				    slu_size_text(k->bytes, size), k->jobs,
				    k->jobs == 1 ? "" : "s",
				    k->jobs == 1 ? "is" : "are",
				    slu_size_text(k->room, room),
				    k->jobs == 1 ? "for " : "the oldest for ",
				    slu_seconds_text(now - k->oldest, age),
				    k->job,
				    slu_seconds_text(
					    k->until > now ? k->until - now : 0,
					    left)),
			NULL, "sysquery buffers %u", k->job),
		k->oldest);
}

static int check_kept(struct json_object *rows, double now,
		      struct json_object *findings, struct slu_err *err)
{
	const size_t most = json_object_array_length(rows);
	struct kept *all = calloc(most + 1, sizeof(*all));
	struct json_object *one;
	size_t n = 0;

	if (!all)
		return slu_err(err, SLU_NOMEM, "out of memory");
	for (size_t i = 0; i < most; i++) {
		one = json_object_array_get_idx(rows, i);
		add_kept(kept_of(all, &n,
				 (uint32_t)slu_json_number_at(one, "uid")),
			 one);
	}
	for (size_t i = 0; i < n; i++)
		tell_kept(&all[i], now, findings);
	free(all);
	return 0;
}

int slu_doctor_jobs(struct slu_db *db, const struct slu_asker *who,
		    struct json_object *findings, double now,
		    struct slu_err *err)
{
	struct json_object *b = slu_json_at(who->live, "buffers");

	check_unanswered(slu_json_at(b, "unanswered"), now, findings);
	if (check_phases(db, slu_json_at(b, "phases"), now, findings, err) ||
	    check_failures(db, who, now, findings, err) ||
	    check_without(db, who, now, findings, err) ||
	    check_held(db, who, now, findings, err))
		return -1;
	return check_kept(slu_json_at(b, "kept"), now, findings, err);
}

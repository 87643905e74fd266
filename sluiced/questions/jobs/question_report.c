/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers the question "report": the figures of "job", summed over the ended
 * jobs of a user, an account or the site.
 */
#include "sluiced/questions/answerers.h"

#include "burst_buffer/lifecycle/reports/buffer_report.h"
#include "common/jsonx.h"
#include "common/clock.h"
#include "job_submit/history/job_history.h"
#include "sluiced/questions/jobs/job_file_system.h"
#include "sysquery/answers/report_advice.h"

#define SCHEMA	"sluice.report"
#define VERSION 1
#define DAYS	30 /* unless asked */
#define NAMES	10

/* Reads the arguments and checks them; the account is borrowed. */
static int read_part(const struct slu_asker *who, struct json_object *args,
		     int64_t now, struct slu_history_part *part,
		     struct slu_err *err)
{
	uint64_t uid = who->admin ? SLU_NO_ID : who->uid;

	*part = (struct slu_history_part){.since = now - DAYS * 86400};
	if (slu_json_u64_opt(args, "uid", &uid, err) < 0 ||
	    slu_json_i64_opt(args, "since", &part->since, err) < 0 ||
	    slu_json_str_opt(args, "account", &part->account, err) < 0)
		return -1;
	if (!who->admin && uid != who->uid)
		return slu_err(err, SLU_DENIED, "uid %u may not see this",
			       who->uid);
	part->uid = uid < SLU_NO_ID ? (uint32_t)uid : SLU_NO_ID;
	return 0;
}

static void add_head(const struct slu_history_part *part, int64_t now,
		     struct json_object *out)
{
	slu_json_set_str(out, "schema", SCHEMA);
	slu_json_set_u64(out, "version", VERSION);
	slu_json_set_i64(out, "since_unix", part->since);
	slu_json_set_i64(out, "until_unix", now);
	if (part->uid != SLU_NO_ID)
		slu_json_set_u64(out, "uid", part->uid);
	slu_json_set_str(out, "account", part->account);
}

/* Rates, which follow from the sums. */
static void add_rates(struct json_object *phases)
{
	for (size_t i = 0; i < json_object_array_length(phases); i++) {
		struct json_object *one = json_object_array_get_idx(phases, i);
		const double seconds = slu_json_number_at(one, "seconds");

		if (seconds > 0 && slu_json_number_at(one, "bytes") > 0)
			slu_json_set_double(
				one, "bytes_per_second",
				slu_job_round(slu_json_number_at(one, "bytes") /
					      seconds));
	}
}

static double before_run(struct json_object *phases)
{
	double sum = 0;

	for (size_t i = 0; i < json_object_array_length(phases); i++) {
		struct json_object *one = json_object_array_get_idx(phases, i);
		const char *name = NULL;

		slu_json_str_opt(one, "name", &name, NULL);
		if (slu_eq(name, "setup") || slu_eq(name, "stage_in"))
			sum += slu_json_number_at(one, "node_seconds");
	}
	return sum;
}

static void add_advice(struct json_object *out)
{
	struct json_object *jobs = slu_json_at(out, "jobs"),
			   *fs = slu_json_at(out, "file_systems"),
			   *full = slu_json_at(fs, "fullness");
	const struct slu_report_facts facts = {
		.jobs = (uint64_t)slu_json_number_at(jobs, "count"),
		.timeouts = (uint64_t)slu_json_number_at(jobs, "timeout"),
		.limited = (uint64_t)slu_json_number_at(jobs, "limited"),
		.asked = slu_json_number_at(jobs, "asked_seconds"),
		.used = slu_json_number_at(jobs, "used_seconds"),
		.node_seconds = slu_json_number_at(jobs, "node_seconds"),
		.staging = before_run(slu_json_at(fs, "phases")),
		.known = (uint64_t)slu_json_number_at(full, "known"),
		.capacity = slu_json_number_at(full, "capacity_bytes"),
		.most = slu_json_number_at(full, "used_most_bytes"),
		.third = (uint64_t)slu_json_number_at(full, "at_most_a_third"),
		.systems = (uint64_t)slu_json_number_at(fs, "count"),
		.failed = (uint64_t)(slu_json_number_at(fs, "failed_in_setup") +
				     slu_json_number_at(fs,
							"failed_in_stage_in") +
				     slu_json_number_at(fs, "failed_in_run") +
				     slu_json_number_at(fs,
							"failed_in_stage_out")),
	};

	json_object_object_add(out, "advice", slu_report_advice(&facts));
}

static int fill(struct slu_db *db, const struct slu_history_part *part,
		int64_t now, struct json_object *out, struct slu_err *err)
{
	struct json_object *fs;

	add_head(part, now, out);
	if (slu_history_sums(db, part, NAMES, out, err))
		return -1;
	fs = slu_buffers_sums(db, part->since, part->uid, part->account, err);
	if (!fs)
		return -1;
	json_object_object_add(out, "file_systems", fs);
	add_rates(slu_json_at(fs, "phases"));
	add_advice(out);
	return 0;
}

int slu_answer_report(struct slu_db *db, const struct slu_asker *who,
		      struct json_object *args, struct slu_buf *out,
		      struct slu_err *err)
{
	struct json_object *obj = json_object_new_object();
	const int64_t now = (int64_t)slu_now_wall();
	struct slu_history_part part;
	int rc = read_part(who, args, now, &part, err);

	if (rc == 0)
		rc = fill(db, &part, now, obj, err);
	if (rc == 0)
		slu_buf_puts(out, slu_json_utf8(obj));
	json_object_put(obj);
	if (rc == 0 && out->failed)
		rc = slu_err(err, SLU_NOMEM, "too long an answer");
	return rc;
}

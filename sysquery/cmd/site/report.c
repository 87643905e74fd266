/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysquery report: prints the facts of `sysquery job`, summed over many jobs.
 */
#include "config.h"
#include "sysquery/cli/ask.h"

#include <pwd.h>
#include <time.h>
#include "common/jsonx.h"
#include "common/size.h"
#include "sysquery/cli/paragraph.h"

#define HOUR 3600.0

static const struct slu_column phases[] = {
	{"name", "PHASE", .type = SLU_COL_PLAIN},
	{"count", "JOBS", .type = SLU_COL_PLAIN},
	{"seconds", "TOOK", .type = SLU_COL_SECONDS},
	{"node_seconds", "OF_NODES", .type = SLU_COL_SECONDS},
	{"bytes", "BYTES", .type = SLU_COL_BYTES},
	{"files", "FILES", .type = SLU_COL_PLAIN, .drop = 1},
	{"bytes_per_second", "PER_SECOND", .type = SLU_COL_BYTES, .drop = 2},
	{.key = NULL},
};
static const struct slu_column names[] = {
	{"who", "USER", .type = SLU_COL_PLAIN},
	{"name", "NAME", .type = SLU_COL_PLAIN},
	{"count", "JOBS", .type = SLU_COL_PLAIN},
	{"node_seconds", "OF_NODES", .type = SLU_COL_SECONDS},
	{"asked_seconds_mean", "ASKED", .type = SLU_COL_SECONDS, .drop = 2},
	{"used_seconds_mean", "USED", .type = SLU_COL_SECONDS},
	{"timeout", "TIMEOUTS", .type = SLU_COL_PLAIN, .drop = 1},
	{.key = NULL},
};

static const char *user_of(double uid, char out[32])
{
	const struct passwd *pw = getpwuid((uid_t)uid);

	if (!pw || !slu_copy(out, 32, pw->pw_name))
		snprintf(out, 32, "%.0f", uid);
	return out;
}

static void add_head(struct json_object *r, struct slu_text_page *out)
{
	time_t since = (time_t)slu_json_number_at(r, "since_unix");
	char time[32] = "?", user[32];
	struct tm tm;

	if (localtime_r(&since, &tm))
		strftime(time, sizeof(time), "%Y-%m-%dT%H:%M:%S", &tm);
	slu_paragraphf(out, "Report", "%s%s%s, ended since %s",
		       slu_json_at(r, "uid")
			       ? user_of(slu_json_number_at(r, "uid"), user)
			       : "all users",
		       slu_json_str_at(r, "account") ? ", account " : "",
		       slu_json_str_at(r, "account")
			       ? slu_json_str_at(r, "account")
			       : "",
		       time);
}

static double phase_seconds(struct json_object *fs, const char *name)
{
	struct json_object *list = slu_json_at(fs, "phases"), *one;

	for (size_t i = 0; json_object_is_type(list, json_type_array) &&
			   i < json_object_array_length(list);
	     i++) {
		one = json_object_array_get_idx(list, i);
		if (slu_eq(slu_json_str_at(one, "name"), name))
			return slu_json_number_at(one, "seconds");
	}
	return 0;
}

static void add_waited(struct json_object *j, struct json_object *fs,
		       struct slu_text_page *out)
{
	const double count = slu_json_number_at(j, "count"),
		     queued = slu_json_number_at(j, "queued_seconds");
	char mean[SLU_TIME_TEXT], all[SLU_TIME_TEXT];
	char setup[SLU_TIME_TEXT], in[SLU_TIME_TEXT];

	if (count <= 0)
		return;
	slu_paragraphf(
		out, "Waited",
		"%s in the queue on average; in all %s there, %s for the "
		"setup of file systems, %s for what was staged in",
		slu_seconds_text(queued / count, mean),
		slu_seconds_text(queued, all),
		slu_seconds_text(phase_seconds(fs, "setup"), setup),
		slu_seconds_text(phase_seconds(fs, "stage_in"), in));
}

static void add_jobs(struct json_object *j, struct slu_text_page *out)
{
	const double count = slu_json_number_at(j, "count");
	const double completed = slu_json_number_at(j, "completed"),
		     failed = slu_json_number_at(j, "failed"),
		     timeout = slu_json_number_at(j, "timeout"),
		     cancelled = slu_json_number_at(j, "cancelled");

	/* the rest: REQUEUED, NODE_FAIL, ... */
	slu_paragraphf(
		out, "Jobs",
		"%.0f: %.0f completed, %.0f failed, %.0f at their limit, "
		"%.0f cancelled, %.0f put back or lost; %.3g node-hours; "
		"%.0f with a request for a file system",
		count, completed, failed, timeout, cancelled,
		count - completed - failed - timeout - cancelled,
		slu_json_number_at(j, "node_seconds") / HOUR,
		slu_json_number_at(j, "with_request"));
}

static void add_limits(struct json_object *j, struct slu_text_page *out)
{
	char asked[SLU_TIME_TEXT], granted[SLU_TIME_TEXT], used[SLU_TIME_TEXT];
	const double n = slu_json_number_at(j, "limited");

	if (n <= 0)
		return;
	slu_paragraphf(
		out, "Limits",
		"on average asked %s, granted %s, used %s (%.0f %%); "
		"%.0f tightened, of which %.0f were given back",
		slu_seconds_text(slu_json_number_at(j, "asked_seconds") / n,
				 asked),
		slu_seconds_text(slu_json_number_at(j, "granted_seconds") / n,
				 granted),
		slu_seconds_text(slu_json_number_at(j, "used_seconds") / n,
				 used),
		slu_json_number_at(j, "asked_seconds") > 0
			? slu_json_number_at(j, "used_seconds") /
				  slu_json_number_at(j, "asked_seconds") * 100
			: 0,
		slu_json_number_at(j, "tightened"),
		slu_json_number_at(j, "extended"));
}

static void add_io(struct json_object *io, struct slu_text_page *out)
{
	char r[SLU_SIZE_TEXT], w[SLU_SIZE_TEXT];

	if (slu_json_number_at(io, "jobs") > 0)
		slu_paragraphf(
			out, "I/O",
			"read %s, written %s, by the %.0f jobs with known "
			"I/O volume",
			slu_bytes_text(slu_json_number_at(io, "read_bytes"), r),
			slu_bytes_text(slu_json_number_at(io, "written_bytes"),
				       w),
			slu_json_number_at(io, "jobs"));
}

static void add_file_systems(struct json_object *fs, struct slu_text_page *out)
{
	struct json_object *full = slu_json_at(fs, "fullness");
	char asked[SLU_SIZE_TEXT], most[SLU_SIZE_TEXT];

	if (slu_json_number_at(fs, "count") <= 0)
		return;
	slu_paragraphf(out, "Buffers",
		       "%.0f; failed: %.0f in setup, %.0f in stage-in, %.0f "
		       "while the job ran, %.0f in stage-out",
		       slu_json_number_at(fs, "count"),
		       slu_json_number_at(fs, "failed_in_setup"),
		       slu_json_number_at(fs, "failed_in_stage_in"),
		       slu_json_number_at(fs, "failed_in_run"),
		       slu_json_number_at(fs, "failed_in_stage_out"));
	if (slu_json_number_at(full, "known") > 0)
		slu_paragraphf(out, "In use",
			       "at most %s of %s, in the %.0f buffers whose "
			       "use is known; %.0f of them were never more "
			       "than a third full",
			       slu_bytes_text(slu_json_number_at(
						      full, "used_most_bytes"),
					      most),
			       slu_bytes_text(slu_json_number_at(
						      full, "capacity_bytes"),
					      asked),
			       slu_json_number_at(full, "known"),
			       slu_json_number_at(full, "at_most_a_third"));
}

/* Slurm does not always send the user name. */
static void name_users(struct json_object *rows)
{
	char user[32];

	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		struct json_object *one = json_object_array_get_idx(rows, i);

		slu_json_set_str(
			one, "who",
			slu_json_str_at(one, "user")
				? slu_json_str_at(one, "user")
				: user_of(slu_json_number_at(one, "uid"),
					  user));
	}
}

static void add_advice(struct json_object *list, struct slu_text_page *out)
{
	size_t n = json_object_is_type(list, json_type_array)
			   ? json_object_array_length(list)
			   : 0;

	if (n)
		slu_buf_puts(out->text, "\n");
	for (size_t i = 0; i < n; i++)
		slu_paragraph(
			out, i ? "" : "Advice",
			slu_json_str_at(json_object_array_get_idx(list, i),
					"text"));
}

/* A value that is not an array has no rows. */
static int section(const struct slu_ask *ask, struct json_object *rows,
		   const struct slu_column *columns, struct slu_buf *out,
		   struct slu_err *err)
{
	if (!json_object_is_type(rows, json_type_array))
		return 0;
	return slu_ask_section(ask, NULL, rows, columns, out, err);
}

static int show(const struct slu_ask *ask, struct json_object *r,
		struct slu_buf *out, struct slu_err *err)
{
	struct json_object *fs = slu_json_at(r, "file_systems"),
			   *rows = slu_json_at(r, "names");
	struct slu_text_page page = {out, slu_ask_look(ask).width};

	add_head(r, &page);
	add_jobs(slu_json_at(r, "jobs"), &page);
	add_waited(slu_json_at(r, "jobs"), fs, &page);
	add_limits(slu_json_at(r, "jobs"), &page);
	add_io(slu_json_at(r, "io"), &page);
	add_file_systems(fs, &page);
	if (json_object_is_type(rows, json_type_array))
		name_users(rows);
	if (section(ask, slu_json_at(fs, "phases"), phases, out, err) ||
	    section(ask, rows, names, out, err))
		return -1;
	add_advice(slu_json_at(r, "advice"), &page);
	return out->failed ? slu_err(err, SLU_NOMEM, "out of memory") : 0;
}

int slu_cmd_report(struct slu_ask *ask, struct slu_err *err)
{
	return slu_ask_render(ask, "report", show, err);
}

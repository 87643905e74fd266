/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysquery job: prints one page about a job's I/O, time limit and waits, like
 * Slurm's seff. */
#include "config.h"
#include "sysquery/cli/ask.h"

#include <math.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "common/size.h"
#include "sysquery/cli/paragraph.h"
#include "sysquery/cli/request_paragraph.h"
#include "sysquery/cli/time_text.h"
#include "sysquery/cmd/jobs/job_storage.h"

#define MOST_ADVICE 3
#define MOST_EVENTS 6 /* changes of its I/O nodes that are shown */

static struct json_object *item(struct json_object *list, size_t i)
{
	return json_object_array_get_idx(list, i);
}

/* Times that are known to the second have no fractions. */
static const char *span(double seconds, char out[SLU_TIME_TEXT])
{
	if (seconds >= 60 || seconds != floor(seconds))
		return slu_seconds_text(seconds, out);
	snprintf(out, SLU_TIME_TEXT, "%.0f s", seconds);
	return out;
}

/* Slurm does not always send the user name. */
static const char *owner(struct json_object *job, char out[16])
{
	struct passwd *pw;
	double uid = -1;

	if (slu_json_str_at(job, "user"))
		return slu_json_str_at(job, "user");
	slu_json_double_opt(job, "uid", &uid, NULL);
	pw = uid >= 0 ? getpwuid((uid_t)uid) : NULL;
	if (pw)
		return pw->pw_name;
	snprintf(out, 16, "%.0f", uid);
	return out;
}

static void add_head(struct json_object *job, struct slu_text_page *out)
{
	const char *account = slu_json_str_at(job, "account"),
		   *partition = slu_json_str_at(job, "partition"),
		   *state = slu_json_str_at(job, "state"),
		   *name = slu_json_str_at(job, "name");
	char user[16], task[32] = "";

	if (slu_json_at(job, "array_job_id"))
		snprintf(task, sizeof(task), " (%.0f_%.0f)",
			 slu_json_number_at(job, "array_job_id"),
			 slu_json_number_at(job, "array_task_id"));
	slu_paragraphf(out, "Job", "%.0f%s, %s, of %s%s%s%s%s: %s",
		       slu_json_number_at(job, "job_id"), task,
		       name ? name : "?", owner(job, user),
		       account ? ", account " : "", account ? account : "",
		       partition ? ", partition " : "",
		       partition ? partition : "",
		       state ? state : "no run has ended yet");
}

static void add_times(struct json_object *job, struct slu_text_page *out)
{
	char submitted[SLU_WHEN_TEXT], started[SLU_WHEN_TEXT],
		ended[SLU_WHEN_TEXT];
	const double begin = slu_json_number_at(job, "started_unix"),
		     end = slu_json_number_at(job, "ended_unix");

	if (slu_json_number_at(job, "submitted_unix") <= 0 || begin <= 0)
		return;
	slu_paragraphf(out, "Times", "submitted %s, started %s%s%s",
		       slu_when_text(slu_json_number_at(job, "submitted_unix"),
				     submitted),
		       slu_when_text(begin, started), end > 0 ? ", ended " : "",
		       end > 0 ? slu_when_text(end, ended) : "");
	if (slu_json_str_at(job, "nodes"))
		slu_paragraphf(out, "Nodes", "%s (%.0f)",
			       slu_json_str_at(job, "nodes"),
			       slu_json_number_at(job, "node_count"));
}

static void add_limit(struct json_object *limit, struct slu_text_page *out)
{
	char t[5][SLU_TIME_TEXT];
	const double asked = slu_json_number_at(limit, "asked_seconds"),
		     granted = slu_json_number_at(limit, "granted_seconds"),
		     predicted = slu_json_number_at(limit, "predicted_seconds"),
		     tight = slu_json_number_at(limit, "tightened_seconds"),
		     used = slu_json_number_at(limit, "used_seconds");
	struct slu_buf line = {0};

	if (!limit)
		return;
	slu_buf_printf(&line, "asked %s, ",
		       asked > 0 ? span(asked, t[0]) : "none");
	if (predicted > 0)
		slu_buf_printf(&line, "predicted %s, ", span(predicted, t[1]));
	slu_buf_printf(&line, "granted %s, used %s",
		       granted > 0 ? span(granted, t[2]) : "no limit",
		       span(used, t[3]));
	if (granted > 0)
		slu_buf_printf(&line, " (%.0f %%)", used / granted * 100);
	if (tight > 0)
		slu_buf_printf(&line, "; tightened to %s%s", span(tight, t[4]),
			       slu_json_bool_at(limit, "extended")
				       ? ", then given back"
				       : "");
	slu_paragraph(out, "Limit", line.data);
	slu_buf_free(&line);
}

/* Waits */

static const struct {
	const char *what, *words;
} waits[] = {
	{"not-eligible",
	 "before it was eligible (held, --begin, or a dependency)"},
	{"queue", "in the queue"},
	{"storage", "of that for storage that others had"},
	{"promised-storage", "of that for storage kept for others"},
	{"persistent-buffer", "of that for a persistent buffer"},
	{"input", "of that for its input to be staged in"},
	{"earlier-run", "of that for its earlier run to be over"},
	{"sluiced", "of that because sluiced did not answer"},
	{"bandwidth", "of that for bandwidth of the parallel file system"},
	{"boot", "for its nodes to boot"},
	{"file-system", "for its file system and what was staged in"},
	{"setup", "for the setup of its file system"},
	{"stage-in", "for what was staged in"},
	{"held", "held, and then in the queue"},
	{"put-back", "put back, until it began again"},
	{"suspended", "suspended"},
};

static const char *wait_words(const char *what)
{
	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
		if (slu_eq(waits[i].what, what))
			return waits[i].words;
	return what ? what : "?";
}

static void add_last_nodes(struct json_object *fs, struct slu_buf *line)
{
	struct json_object *phases = slu_json_at(fs, "phases"), *last;
	char time[SLU_TIME_TEXT];

	for (size_t i = 0; i < slu_json_length(phases); i++) {
		last = slu_json_at(item(phases, i), "last_node");
		if (!last || slu_json_number_at(last, "behind_seconds") < 1)
			continue;
		slu_buf_printf(line, "%s%s in %s for %s, the last to be done",
			       line->len ? "; " : "",
			       slu_seconds_text(slu_json_number_at(
							last, "behind_seconds"),
						time),
			       slu_json_str_at(item(phases, i), "name"),
			       slu_json_str_at(last, "node"));
	}
}

static void add_waits(struct json_object *job, struct json_object *fs,
		      struct slu_text_page *out)
{
	struct json_object *list = slu_json_at(job, "waits"), *one;
	struct slu_buf line = {0};
	char time[SLU_TIME_TEXT];

	for (size_t i = 0; i < slu_json_length(list); i++) {
		one = item(list, i);
		slu_buf_printf(&line, "%s%s %s", i ? "; " : "",
			       span(slu_json_number_at(one, "seconds"), time),
			       wait_words(slu_json_str_at(one, "what")));
	}
	add_last_nodes(fs, &line);
	slu_paragraph(out, "Waited", line.data);
	slu_buf_free(&line);
}

static const char *counter(const char *source)
{
	static const char *const words[][2] = {
		{"buffer", "its own file system"},
		{"tasks", "the kernels of its nodes"},
		{"llite", "Lustre on its nodes"},
		{"job_stats", "Lustre's servers"},
		{"darshan", "Darshan"},
		{"accounting", "Slurm's accounting"}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (slu_eq(source, words[i][0]))
			return words[i][1];
	return "?";
}

static void add_io(struct json_object *io, struct slu_text_page *out)
{
	char r[SLU_SIZE_TEXT], w[SLU_SIZE_TEXT], rate[SLU_SIZE_TEXT];
	bool rated;

	if (!io)
		return;
	rated = slu_json_at(io, "bytes_per_second");
	slu_paragraphf(
		out, "I/O", "read %s, written %s%s%s%s, as %s counted",
		slu_bytes_text(slu_json_number_at(io, "read_bytes"), r),
		slu_bytes_text(slu_json_number_at(io, "written_bytes"), w),
		rated ? ", " : "",
		rated ? slu_bytes_text(
				slu_json_number_at(io, "bytes_per_second"),
				rate)
		      : "",
		rated ? "/s of its run time" : "",
		counter(slu_json_str_at(io, "source")));
}

/* Adds what went to which of Lustre's file systems, if to more than one. */
static void add_by_fs(struct json_object *list, struct slu_text_page *out)
{
	char r[SLU_SIZE_TEXT], w[SLU_SIZE_TEXT];
	struct json_object *one;

	for (size_t i = 0;
	     slu_json_length(list) > 1 && i < slu_json_length(list); i++) {
		one = item(list, i);
		slu_paragraphf(
			out, slu_json_str_at(one, "name"),
			"read %s, written %s, %.0f operations of metadata, as "
			"Lustre's servers counted",
			slu_bytes_text(slu_json_number_at(one, "read_bytes"),
				       r),
			slu_bytes_text(slu_json_number_at(one, "written_bytes"),
				       w),
			slu_json_number_at(one, "metadata_ops"));
	}
}

static void add_io_nodes(struct json_object *ions, struct slu_text_page *out)
{
	struct json_object *now = slu_json_at(ions, "now"),
			   *list = slu_json_at(ions, "changes");
	size_t n = slu_json_length(list),
	       first = n > MOST_EVENTS ? n - MOST_EVENTS : 0;
	struct slu_buf line = {0};
	char time[SLU_WHEN_TEXT];

	if (!ions)
		return;
	if (now)
		slu_buf_printf(&line, "now %.0f%s%s%s",
			       slu_json_number_at(now, "count"),
			       slu_json_number_at(now, "count") > 0 ? ": " : "",
			       slu_json_str_at(now, "nodes")
				       ? slu_json_str_at(now, "nodes")
				       : "",
			       slu_json_bool_at(now, "shared") ? ", shared"
							       : "");
	for (size_t i = first; i < n; i++)
		slu_buf_printf(&line, "%s%.0f from %s", line.len ? "; " : "",
			       slu_json_number_at(item(list, i), "count"),
			       slu_when_text(slu_json_number_at(item(list, i),
								"time_unix"),
					     time));
	slu_paragraph(out, "I/O nodes", line.data);
	slu_buf_free(&line);
}

static void add_advice(struct json_object *list, struct slu_text_page *out)
{
	size_t n = slu_json_length(list) < MOST_ADVICE ? slu_json_length(list)
						       : MOST_ADVICE;

	if (n)
		slu_buf_puts(out->text, "\n");
	for (size_t i = 0; i < n; i++)
		slu_paragraph(out, i ? "" : "Advice",
			      slu_json_str_at(item(list, i), "text"));
}

static int show(const struct slu_ask *ask, struct json_object *job,
		struct slu_buf *out, struct slu_err *err)
{
	struct json_object *list = slu_json_at(job, "file_systems"),
			   *fs = slu_json_length(list)
					 ? item(list, slu_json_length(list) - 1)
					 : NULL;
	struct slu_text_page page = {out, slu_ask_look(ask).width};

	add_head(job, &page);
	add_times(job, &page);
	slu_request_paragraph(slu_json_str_at(job, "request"), &page);
	if (fs)
		slu_job_storage(fs, &page);
	slu_job_storage_before(list, &page);
	add_limit(slu_json_at(job, "limit"), &page);
	add_io(slu_json_at(job, "io"), &page);
	if (slu_json_number_at(job, "metadata_ops") > 0)
		slu_paragraphf(&page, "Metadata",
			       "%.0f operations, as Lustre's MDTs counted",
			       slu_json_number_at(job, "metadata_ops"));
	add_by_fs(slu_json_at(job, "by_file_system"), &page);
	add_io_nodes(slu_json_at(job, "io_nodes"), &page);
	add_waits(job, fs, &page);
	if (fs)
		slu_job_timeline(fs, &page);
	add_advice(slu_json_at(job, "advice"), &page);
	return out->failed ? slu_err(err, SLU_NOMEM, "out of memory") : 0;
}

/* Parses "17", or "17_3" for the task of an array. */
static int take_job(struct slu_ask *ask, const char *word, struct slu_err *err)
{
	unsigned long long job, task = 0;
	char *end;

	job = strtoull(word, &end, 10);
	if (end > word && *end == '_' && end[1] >= '0' && end[1] <= '9') {
		task = strtoull(end + 1, &end, 10);
		slu_json_set_u64(ask->args, "task", task);
	}
	if (*word < '0' || *word > '9' || *end || !job || job >= UINT32_MAX ||
	    task >= UINT32_MAX)
		return slu_err(err, SLU_INVALID,
			       "\"%s\" is no job (see sysquery --help)", word);
	slu_json_set_u64(ask->args, "job_id", job);
	return 0;
}

int slu_cmd_job(struct slu_ask *ask, struct slu_err *err)
{
	if (!ask->n_operands)
		return slu_err(err, SLU_INVALID,
			       "which job? (see sysquery --help)");
	if (take_job(ask, ask->operand[0], err))
		return -1;
	return slu_ask_render(ask, "job", show, err)
		       ? slu_err_prefix(err, "job %s", ask->operand[0])
		       : 0;
}

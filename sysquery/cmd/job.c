/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysquery job: one page of a job, as seff is for its processors. */
#include "config.h"
#include "sysquery/ask.h"

#include <math.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "common/jsonx.h"
#include "common/size.h"
#include "sysquery/paragraph.h"
#include "sysquery/timeline.h"

#define MOST_SPANS  32
#define MOST_ADVICE 3
#define MOST_EVENTS 6 /* changes of its I/O nodes */

static const char *text(struct json_object *obj, const char *key)
{
	const char *value = NULL;

	slu_json_str_opt(obj, key, &value, NULL);
	return value;
}

static double number(struct json_object *obj, const char *key)
{
	double n = 0;

	slu_json_double_opt(obj, key, &n, NULL);
	return n;
}

static bool yes(struct json_object *obj, const char *key)
{
	bool is = false;

	slu_json_bool_opt(obj, key, &is, NULL);
	return is;
}

static struct json_object *get(struct json_object *obj, const char *key)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(obj, key, &value);
	return value;
}

static struct json_object *item(struct json_object *list, size_t i)
{
	return json_object_array_get_idx(list, i);
}

static size_t length(struct json_object *list)
{
	return json_object_is_type(list, json_type_array)
		       ? json_object_array_length(list)
		       : 0;
}

static const char *size(double bytes, char out[SLU_SIZE_TEXT])
{
	return slu_size_text(bytes > 0 ? (uint64_t)bytes : 0, out);
}

/* What is only known to the second is not shown with fractions. */
static const char *span(double seconds, char out[SLU_TIME_TEXT])
{
	if (seconds >= 60 || seconds != floor(seconds))
		return slu_seconds_text(seconds, out);
	snprintf(out, SLU_TIME_TEXT, "%.0f s", seconds);
	return out;
}

static const char *when(double seconds, char out[32])
{
	time_t t = (time_t)seconds;
	struct tm tm;

	if (seconds <= 0 || !localtime_r(&t, &tm) ||
	    !strftime(out, 32, "%Y-%m-%dT%H:%M:%S", &tm))
		slu_copy(out, 32, "?");
	return out;
}

/* Slurm does not always tell the name of a job's owner. */
static const char *owner(struct json_object *job, char out[16])
{
	struct passwd *pw;
	double uid = -1;

	if (text(job, "user"))
		return text(job, "user");
	slu_json_double_opt(job, "uid", &uid, NULL);
	pw = uid >= 0 ? getpwuid((uid_t)uid) : NULL;
	if (pw)
		return pw->pw_name;
	snprintf(out, 16, "%.0f", uid);
	return out;
}

static void add_head(struct json_object *job, struct slu_page *out)
{
	const char *account = text(job, "account"),
		   *partition = text(job, "partition"),
		   *state = text(job, "state"), *name = text(job, "name");
	char user[16], task[32] = "";

	if (get(job, "array_job_id"))
		snprintf(task, sizeof(task), " (%.0f_%.0f)",
			 number(job, "array_job_id"),
			 number(job, "array_task_id"));
	slu_paragraphf(out, "Job", "%.0f%s, %s, of %s%s%s%s%s: %s",
		       number(job, "job_id"), task, name ? name : "?",
		       owner(job, user), account ? ", account " : "",
		       account ? account : "", partition ? ", partition " : "",
		       partition ? partition : "",
		       state ? state : "no run has ended yet");
}

static void add_times(struct json_object *job, struct slu_page *out)
{
	char submitted[32], started[32], ended[32];
	const double begin = number(job, "started_unix"),
		     end = number(job, "ended_unix");

	if (number(job, "submitted_unix") <= 0 || begin <= 0)
		return;
	slu_paragraphf(out, "Times", "submitted %s, started %s%s%s",
		       when(number(job, "submitted_unix"), submitted),
		       when(begin, started), end > 0 ? ", ended " : "",
		       end > 0 ? when(end, ended) : "");
	if (text(job, "nodes"))
		slu_paragraphf(out, "Nodes", "%s (%.0f)", text(job, "nodes"),
			       number(job, "node_count"));
}

static void add_limit(struct json_object *limit, struct slu_page *out)
{
	char t[5][SLU_TIME_TEXT];
	const double asked = number(limit, "asked_seconds"),
		     granted = number(limit, "granted_seconds"),
		     predicted = number(limit, "predicted_seconds"),
		     tight = number(limit, "tightened_seconds"),
		     used = number(limit, "used_seconds");
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
			       yes(limit, "extended") ? ", then given back"
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
	{"file-system", "for its file system and what was staged in"},
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
	struct json_object *phases = get(fs, "phases"), *last;
	char time[SLU_TIME_TEXT];

	for (size_t i = 0; i < length(phases); i++) {
		last = get(item(phases, i), "last_node");
		if (!last || number(last, "behind_seconds") < 1)
			continue;
		slu_buf_printf(
			line, "%s%s in %s for %s, the last to be done",
			line->len ? "; " : "",
			slu_seconds_text(number(last, "behind_seconds"), time),
			text(item(phases, i), "name"), text(last, "node"));
	}
}

static void add_waits(struct json_object *job, struct json_object *fs,
		      struct slu_page *out)
{
	struct json_object *list = get(job, "waits"), *one;
	struct slu_buf line = {0};
	char time[SLU_TIME_TEXT];

	for (size_t i = 0; i < length(list); i++) {
		one = item(list, i);
		slu_buf_printf(&line, "%s%s %s", i ? "; " : "",
			       span(number(one, "seconds"), time),
			       wait_words(text(one, "what")));
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

static void add_io(struct json_object *io, struct slu_page *out)
{
	char r[SLU_SIZE_TEXT], w[SLU_SIZE_TEXT], rate[SLU_SIZE_TEXT];
	bool rated;

	if (!io)
		return;
	rated = get(io, "bytes_per_second");
	slu_paragraphf(out, "I/O", "read %s, written %s%s%s%s, as %s counted",
		       size(number(io, "read_bytes"), r),
		       size(number(io, "written_bytes"), w), rated ? ", " : "",
		       rated ? size(number(io, "bytes_per_second"), rate) : "",
		       rated ? "/s of its run time" : "",
		       counter(text(io, "source")));
}

static void add_io_nodes(struct json_object *ions, struct slu_page *out)
{
	struct json_object *now = get(ions, "now"),
			   *list = get(ions, "changes");
	size_t n = length(list), first = n > MOST_EVENTS ? n - MOST_EVENTS : 0;
	struct slu_buf line = {0};
	char time[32];

	if (!ions)
		return;
	if (now)
		slu_buf_printf(&line, "now %.0f%s%s%s", number(now, "count"),
			       number(now, "count") > 0 ? ": " : "",
			       text(now, "nodes") ? text(now, "nodes") : "",
			       yes(now, "shared") ? ", shared" : "");
	for (size_t i = first; i < n; i++)
		slu_buf_printf(&line, "%s%.0f from %s", line.len ? "; " : "",
			       number(item(list, i), "count"),
			       when(number(item(list, i), "time_unix"), time));
	slu_paragraph(out, "I/O nodes", line.data);
	slu_buf_free(&line);
}

/* Its file system */

static void add_got(struct json_object *fs, struct slu_page *out)
{
	char capacity[SLU_SIZE_TEXT], until[32];

	if (number(fs, "uses_buffer_of") > 0) {
		slu_paragraphf(out, "Got", "the persistent buffer %s, %s",
			       text(fs, "name"), text(fs, "driver"));
		return;
	}
	slu_paragraphf(out, "Got", "%s of %s on %.0f node%s%s%s%s%s: %s",
		       size(number(fs, "capacity_bytes"), capacity),
		       text(fs, "filesystem") ? text(fs, "filesystem") : "?",
		       number(fs, "node_count"),
		       number(fs, "node_count") == 1 ? "" : "s",
		       text(fs, "coherence") ? ", coherence " : "",
		       text(fs, "coherence") ? text(fs, "coherence") : "",
		       number(fs, "expires_unix") > 0 ? ", until " : "",
		       number(fs, "expires_unix") > 0
			       ? when(number(fs, "expires_unix"), until)
			       : "",
		       text(fs, "state"));
	slu_paragraph(out, "", text(fs, "progress"));
}

static void add_fullness(struct json_object *fs, struct slu_page *out)
{
	struct json_object *fullest = get(fs, "fullest_node");
	char now[SLU_SIZE_TEXT], most[SLU_SIZE_TEXT], all[SLU_SIZE_TEXT];
	struct slu_buf line = {0};

	if (get(fs, "used_bytes"))
		slu_buf_printf(&line, "now %s%s",
			       size(number(fs, "used_bytes"), now),
			       fullest ? ", " : "");
	if (fullest)
		slu_buf_printf(&line,
			       "at most %s of %s (%.0f %%); fullest node %s: "
			       "%.0f %%",
			       size(number(fs, "used_most_bytes"), most),
			       size(number(fs, "of_bytes"), all),
			       number(fs, "used_most_bytes") /
				       number(fs, "of_bytes") * 100,
			       text(fullest, "node"),
			       number(fullest, "used_most_bytes") /
				       number(fullest, "of_bytes") * 100);
	slu_paragraph(out, "In use", line.data);
	slu_buf_free(&line);
}

static void add_timeline(struct json_object *phases, struct slu_page *out)
{
	struct slu_span spans[MOST_SPANS];
	size_t n = 0;

	for (size_t i = 0; i < length(phases) && n < MOST_SPANS; i++) {
		struct json_object *one = item(phases, i);

		spans[n++] = (struct slu_span){
			.name = text(one, "name") ? text(one, "name") : "?",
			.began = number(one, "began_unix"),
			.seconds = number(one, "seconds"),
			.goes_on = yes(one, "goes_on")};
	}
	if (n)
		slu_buf_puts(out->text, "\n");
	slu_timeline(spans, n, out->width, out->text);
}

/* What was reached, of what the storage can do in that direction. */
static void add_share(double rate, double best, struct slu_buf *line)
{
	if (best > 0)
		slu_buf_printf(line, ", %.0f %% of what its storage does",
			       rate / best * 100);
}

static void add_staged(struct json_object *phase, struct json_object *devices,
		       struct slu_page *out)
{
	const bool in = slu_eq(text(phase, "name"), "stage_in");
	const double rate = number(phase, "bytes_per_second");
	char bytes[SLU_SIZE_TEXT], each[SLU_SIZE_TEXT];
	struct slu_buf line = {0};

	if (!get(phase, "bytes") || number(phase, "files") <= 0)
		return;
	slu_buf_printf(&line, "%s in %.0f files",
		       size(number(phase, "bytes"), bytes),
		       number(phase, "files"));
	if (rate > 0) {
		slu_buf_printf(&line, ", %s/s", size(rate, each));
		add_share(rate,
			  number(devices, in ? "storage_write_bytes_per_second"
					     : "storage_read_bytes_per_second"),
			  &line);
	}
	slu_paragraph(out, in ? "Staged in" : "Staged out", line.data);
	slu_buf_free(&line);
}

static void add_devices(struct json_object *devices, struct slu_page *out)
{
	char r[SLU_SIZE_TEXT], w[SLU_SIZE_TEXT], net[SLU_SIZE_TEXT];
	const double measured = number(devices, "storage_measured_nodes"),
		     known = number(devices, "network_known_nodes");
	struct slu_buf line = {0};

	if (measured > 0)
		slu_buf_printf(
			&line,
			"the storage of %.0f node%s writes %s/s and "
			"reads %s/s, as measured",
			measured, measured == 1 ? "" : "s",
			size(number(devices, "storage_write_bytes_per_second"),
			     w),
			size(number(devices, "storage_read_bytes_per_second"),
			     r));
	if (known > 0)
		slu_buf_printf(
			&line, "%sthe links of %.0f node%s carry %s/s",
			line.len ? "; " : "", known, known == 1 ? "" : "s",
			size(number(devices, "network_bytes_per_second"), net));
	slu_paragraph(out, "Devices", line.data);
	slu_buf_free(&line);
}

static void add_file_system(struct json_object *fs, struct slu_page *out)
{
	struct json_object *phases = get(fs, "phases");

	add_got(fs, out);
	add_fullness(fs, out);
	for (size_t i = 0; i < length(phases); i++)
		add_staged(item(phases, i), get(fs, "devices"), out);
	add_devices(get(fs, "devices"), out);
	if (text(fs, "failure"))
		slu_paragraphf(out, "Failed", "in %s: %s",
			       text(fs, "failed_in") ? text(fs, "failed_in")
						     : "?",
			       text(fs, "failure"));
	slu_paragraph(out, "Not saved", text(fs, "unsaved"));
}

/* Runs before the last one, and what was staged in ahead of it, in a line. */
static void add_earlier(struct json_object *list, struct slu_page *out)
{
	size_t n = length(list);

	for (size_t i = 0; i + 1 < n; i++) {
		struct json_object *fs = item(list, i);
		char time[32];

		slu_paragraphf(out, i ? "" : "Before", "%s: %s, %s%s%s",
			       when(number(fs, "created_unix"), time),
			       text(fs, "name"), text(fs, "state"),
			       text(fs, "failure") ? ", failed: " : "",
			       text(fs, "failure") ? text(fs, "failure") : "");
	}
}

static void add_advice(struct json_object *list, struct slu_page *out)
{
	size_t n = length(list) < MOST_ADVICE ? length(list) : MOST_ADVICE;

	if (n)
		slu_buf_puts(out->text, "\n");
	for (size_t i = 0; i < n; i++)
		slu_paragraph(out, i ? "" : "Advice",
			      text(item(list, i), "text"));
}

static int show(const struct slu_ask *ask, struct json_object *job,
		struct slu_buf *out, struct slu_err *err)
{
	struct json_object *list = get(job, "file_systems"),
			   *fs = length(list) ? item(list, length(list) - 1)
					      : NULL;
	struct slu_page page = {out, slu_ask_look(ask).width};

	add_head(job, &page);
	add_times(job, &page);
	slu_paragraph(&page, "Asked", text(job, "request"));
	if (fs)
		add_file_system(fs, &page);
	add_earlier(list, &page);
	add_limit(get(job, "limit"), &page);
	add_io(get(job, "io"), &page);
	add_io_nodes(get(job, "io_nodes"), &page);
	add_waits(job, fs, &page);
	if (fs)
		add_timeline(get(fs, "phases"), &page);
	add_advice(get(job, "advice"), &page);
	return out->failed ? slu_err(err, SLU_NOMEM, "out of memory") : 0;
}

/* "17" or, as Slurm writes the task of an array, "17_3". */
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
		return slu_err(err, SLU_INVALID, "\"%s\" is no job", word);
	slu_json_set_u64(ask->args, "job_id", job);
	return 0;
}

int slu_cmd_job(struct slu_ask *ask, struct slu_err *err)
{
	if (!ask->n_operands)
		return slu_err(err, SLU_INVALID, "which job?");
	if (take_job(ask, ask->operand[0], err))
		return -1;
	return slu_ask_render(ask, "job", show, err)
		       ? slu_err_prefix(err, "job %s", ask->operand[0])
		       : 0;
}

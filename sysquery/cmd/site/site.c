/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysquery, sysquery site: shows a summary of the site on one screen, from
 * several answers; parts that are not available, such as Lustre, are left out.
 */
#include "config.h"
#include "sysquery/cli/ask.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "common/jsonx.h"
#include "common/size.h"

#define DAY	     86400
#define FAILURES     8 /* shown at most */
#define SILENT_SHOWN 16

static struct json_object *ask_for(const struct slu_ask *ask,
				   const char *question, int64_t since,
				   struct slu_err *err)
{
	struct slu_ask one = *ask;
	struct json_object *answer;

	one.args = json_object_new_object();
	if (since)
		slu_json_set_i64(one.args, "since", since);
	answer = slu_ask_object(&one, question, err);
	json_object_put(one.args);
	return answer;
}

static const char *text(struct json_object *row, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(row, key, &value) || !value)
		return NULL;
	return json_object_get_string(value);
}

/* {"RUNNING": 3, ...} */
static struct json_object *count_states(struct json_object *rows)
{
	struct json_object *states = json_object_new_object();
	const char *state;

	for (size_t i = 0; i < slu_json_length(rows); i++) {
		state = text(json_object_array_get_idx(rows, i), "state");
		if (state)
			slu_json_set_u64(states, state,
					 slu_json_u64_at(states, state) + 1);
	}
	return states;
}

static uint64_t sum(struct json_object *rows, const char *key)
{
	uint64_t all = 0;

	for (size_t i = 0; i < slu_json_length(rows); i++)
		all += slu_json_u64_at(json_object_array_get_idx(rows, i), key);
	return all;
}

static struct json_object *hosts(struct json_object *rows, int64_t now)
{
	struct json_object *out = json_object_new_object(), *row;
	struct json_object *silent = json_object_new_array();
	uint64_t seen;

	for (size_t i = 0; i < slu_json_length(rows); i++) {
		row = json_object_array_get_idx(rows, i);
		seen = slu_json_u64_at(row, "last_seen");
		if (seen && (int64_t)seen < now - DAY && text(row, "host"))
			json_object_array_add(
				silent,
				json_object_new_string(text(row, "host")));
	}
	slu_json_set_u64(out, "count", slu_json_length(rows));
	slu_json_set_u64(out, "silent_count", slu_json_length(silent));
	json_object_object_add(out, "silent", silent);
	return out;
}

static struct json_object *failure(struct json_object *buffer)
{
	static const char *const keys[] = {"job", "user", "state", "failure"};
	struct json_object *out = json_object_new_object(), *value;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (json_object_object_get_ex(buffer, keys[i], &value))
			json_object_object_add(out, keys[i],
					       json_object_get(value));
	return out;
}

static struct json_object *buffers(struct json_object *rows)
{
	struct json_object *out = json_object_new_object(), *row;
	struct json_object *failed = json_object_new_array();
	uint64_t capacity = 0;

	for (size_t i = 0; i < slu_json_length(rows); i++) {
		double ended = 0;

		row = json_object_array_get_idx(rows, i);
		if (text(row, "failure"))
			json_object_array_add(failed, failure(row));
		slu_json_double_opt(row, "ended", &ended, NULL);
		if (ended <= 0)
			capacity += slu_json_u64_at(row, "capacity");
	}
	slu_json_set_u64(out, "count", slu_json_length(rows));
	slu_json_set_u64(out, "capacity_bytes", capacity);
	json_object_object_add(out, "states", count_states(rows));
	json_object_object_add(out, "failed", failed);
	return out;
}

static struct json_object *jobs(struct json_object *rows)
{
	struct json_object *out = json_object_new_object();

	slu_json_set_u64(out, "count", slu_json_length(rows));
	json_object_object_add(out, "states", count_states(rows));
	slu_json_set_u64(out, "read_bytes", sum(rows, "read_bytes"));
	slu_json_set_u64(out, "written_bytes", sum(rows, "written_bytes"));
	return out;
}

static struct json_object *ions(struct json_object *said)
{
	struct json_object *out, *list = NULL;
	double total = 0, fixed = 0;

	if (!text(said, "ions") || !*text(said, "ions"))
		return NULL;
	out = json_object_new_object();
	json_object_object_get_ex(said, "jobs", &list);
	slu_json_double_opt(said, "total", &total, NULL);
	slu_json_double_opt(said, "static_total", &fixed, NULL);
	slu_json_set_str(out, "policy", text(said, "policy"));
	slu_json_set_str(out, "ion_list", text(said, "ions"));
	slu_json_set_u64(out, "job_count", slu_json_length(list));
	slu_json_set_double(out, "total_bytes_per_second", total * 1e6);
	slu_json_set_double(out, "static_total_bytes_per_second", fixed * 1e6);
	return out;
}

static struct json_object *osts(struct json_object *said)
{
	struct json_object *out, *list = NULL;
	uint64_t left_out = 0;

	json_object_object_get_ex(said, "osts", &list);
	if (!slu_json_length(list))
		return NULL;
	out = json_object_new_object();
	for (size_t i = 0; i < slu_json_length(list); i++)
		left_out += text(json_object_array_get_idx(list, i),
				 "left_out") != NULL;
	slu_json_set_u64(out, "count", slu_json_length(list));
	slu_json_set_u64(out, "left_out_count", left_out);
	slu_json_set_u64(out, "size_bytes", sum(list, "total"));
	slu_json_set_u64(out, "available_bytes", sum(list, "available"));
	return out;
}

static void add(struct json_object *site, const char *key,
		struct json_object *part)
{
	if (part)
		json_object_object_add(site, key, part);
}

/* If the first question fails, sluiced does not answer: that error is shown. */
static struct json_object *ask_all(const struct slu_ask *ask,
				   struct slu_err *err)
{
	struct json_object *site, *said = ask_for(ask, "hosts", 0, err);
	int64_t now = time(NULL);

	if (!said)
		return NULL;
	site = json_object_new_object();
	add(site, "hosts", hosts(said, now));
	json_object_put(said);
	if ((said = ask_for(ask, "buffers", 0, NULL)))
		add(site, "buffers", buffers(said));
	json_object_put(said);
	if ((said = ask_for(ask, "jobs", now - DAY, NULL)))
		add(site, "jobs", jobs(said));
	json_object_put(said);
	if ((said = ask_for(ask, "ions", 0, NULL)))
		add(site, "ions", ions(said));
	json_object_put(said);
	if ((said = ask_for(ask, "osts", 0, NULL)))
		add(site, "osts", osts(said));
	json_object_put(said);
	return site;
}

static struct json_object *part_of(struct json_object *site, const char *key)
{
	struct json_object *part = NULL;

	json_object_object_get_ex(site, key, &part);
	return part;
}

/* ": 3 RUNNING, 1 STAGE_IN" */
static char *states_text(struct json_object *part)
{
	struct json_object *states = part_of(part, "states");
	struct slu_buf out = {0};

	if (states) {
		json_object_object_foreach(states, state, n) slu_buf_printf(
			&out, "%s%lu %s", out.len ? ", " : ": ",
			(unsigned long)json_object_get_int64(n), state);
	}
	return slu_buf_steal(&out);
}

static void say_hosts(const struct slu_ask *ask, struct json_object *part,
		      struct slu_buf *out)
{
	struct json_object *silent = part_of(part, "silent");
	struct slu_buf names = {0};

	for (size_t i = 0; i < slu_json_length(silent) && i < SILENT_SHOWN; i++)
		slu_buf_printf(&names, " %s",
			       json_object_get_string(
				       json_object_array_get_idx(silent, i)));
	slu_ask_say(ask, out, "Hosts      %lu in the resource map",
		    slu_json_u64_at(part, "count"));
	if (slu_json_length(silent))
		slu_ask_say(
			ask, out, "           %lu not heard of for a day:%s%s",
			slu_json_u64_at(part, "silent_count"), names.data,
			slu_json_length(silent) > SILENT_SHOWN ? " ..." : "");
	slu_buf_free(&names);
}

static void say_buffers(const struct slu_ask *ask, struct json_object *part,
			struct slu_buf *out)
{
	char size[SLU_SIZE_TEXT], *states = states_text(part);

	slu_ask_say(ask, out, "Buffers    %lu%s",
		    slu_json_u64_at(part, "count"), states ? states : "");
	if (slu_json_u64_at(part, "capacity_bytes"))
		slu_ask_say(
			ask, out, "           %s of capacity taken",
			slu_size_text(slu_json_u64_at(part, "capacity_bytes"),
				      size));
	free(states);
}

static void say_jobs(const struct slu_ask *ask, struct json_object *part,
		     struct slu_buf *out)
{
	char in[SLU_SIZE_TEXT], written[SLU_SIZE_TEXT];
	char *states = states_text(part);

	slu_ask_say(ask, out, "Jobs       %lu ended within a day%s",
		    slu_json_u64_at(part, "count"), states ? states : "");
	if (slu_json_u64_at(part, "read_bytes") ||
	    slu_json_u64_at(part, "written_bytes"))
		slu_ask_say(
			ask, out, "           read %s, wrote %s",
			slu_size_text(slu_json_u64_at(part, "read_bytes"), in),
			slu_size_text(slu_json_u64_at(part, "written_bytes"),
				      written));
	free(states);
}

static void say_ions(const struct slu_ask *ask, struct json_object *part,
		     struct slu_buf *out)
{
	double total = 0, fixed = 0;

	slu_json_double_opt(part, "total_bytes_per_second", &total, NULL);
	slu_json_double_opt(part, "static_total_bytes_per_second", &fixed,
			    NULL);
	slu_ask_say(ask, out,
		    "I/O nodes  %s for %lu jobs by %s: %.6g MB/s predicted "
		    "(STATIC: %.6g)",
		    text(part, "ion_list"), slu_json_u64_at(part, "job_count"),
		    text(part, "policy") ? text(part, "policy") : "-",
		    total / 1e6, fixed / 1e6);
}

static void say_osts(const struct slu_ask *ask, struct json_object *part,
		     struct slu_buf *out)
{
	char free_bytes[SLU_SIZE_TEXT], size[SLU_SIZE_TEXT];

	slu_ask_say(ask, out,
		    "Lustre     %lu targets, %lu left out; %s of %s available",
		    slu_json_u64_at(part, "count"),
		    slu_json_u64_at(part, "left_out_count"),
		    slu_size_text(slu_json_u64_at(part, "available_bytes"),
				  free_bytes),
		    slu_size_text(slu_json_u64_at(part, "size_bytes"), size));
}

/* The newest ones, at the end of the list. */
static int show_failed(const struct slu_ask *ask, struct json_object *part,
		       struct slu_buf *out, struct slu_err *err)
{
	const struct slu_answer_key *keys =
		slu_key_find(slu_form_site.keys, "buffers")->of;
	struct json_object *rows = part_of(part, "failed");
	size_t n = slu_json_length(rows);

	if (n > FAILURES)
		json_object_array_del_idx(rows, 0, n - FAILURES);
	return n ? slu_ask_part(ask, "What failed last:", part, keys, "failed",
				out, err)
		 : 0;
}

static int show(const struct slu_ask *ask, struct json_object *site,
		struct slu_buf *out, struct slu_err *err)
{
	static const struct {
		const char *key;
		void (*say)(const struct slu_ask *ask, struct json_object *part,
			    struct slu_buf *out);
	} parts[] = {{"hosts", say_hosts},
		     {"buffers", say_buffers},
		     {"jobs", say_jobs},
		     {"ions", say_ions},
		     {"osts", say_osts}};
	struct json_object *part;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if ((part = part_of(site, parts[i].key)))
			parts[i].say(ask, part, out);
	if (show_failed(ask, part_of(site, "buffers"), out, err))
		return -1;
	slu_buf_puts(out, "\n");
	slu_ask_say(ask, out,
		    "More: sysquery buffers, jobs, ions, osts, resources, "
		    "check; sysquery --help.");
	slu_ask_say(ask, out,
		    "The documents of all hosts, which sysquery alone printed "
		    "before: sysquery resources --json.");
	return 0;
}

int slu_cmd_site(struct slu_ask *ask, struct slu_err *err)
{
	struct json_object *site = ask_all(ask, err);
	int ret = site ? slu_ask_present(ask, "site", site, show, err) : -1;

	json_object_put(site);
	return ret;
}

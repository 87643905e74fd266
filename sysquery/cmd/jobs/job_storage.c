/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the section of `sysquery job` about the job's file system: the layout,
 * used bytes, staged data and rates, failures, and a timeline of the phases. */
#include "config.h"
#include "sysquery/cmd/jobs/job_storage.h"

#include "common/jsonx.h"
#include "common/size.h"
#include "sysquery/cli/time_text.h"
#include "sysquery/cli/timeline.h"

#define MOST_SPANS 32

static void add_got(struct json_object *fs, struct slu_text_page *out)
{
	char capacity[SLU_SIZE_TEXT], until[SLU_WHEN_TEXT];

	if (slu_json_number_at(fs, "uses_buffer_of") > 0) {
		slu_paragraphf(out, "Got", "the persistent buffer %s, %s",
			       slu_json_str_at(fs, "name"),
			       slu_json_str_at(fs, "driver"));
		return;
	}
	if (slu_json_number_at(fs, "capacity_bytes") <= 0 &&
	    slu_json_str_at(fs, "failure")) {
		slu_paragraph(out, "Got", "nothing, as it failed before");
		return;
	}
	slu_paragraphf(
		out, "Got", "%s of %s on %.0f node%s%s%s%s%s: %s",
		slu_bytes_text(slu_json_number_at(fs, "capacity_bytes"),
			       capacity),
		slu_json_str_at(fs, "filesystem")
			? slu_json_str_at(fs, "filesystem")
			: "?",
		slu_json_number_at(fs, "node_count"),
		slu_json_number_at(fs, "node_count") == 1 ? "" : "s",
		slu_json_str_at(fs, "coherence") ? ", coherence " : "",
		slu_json_str_at(fs, "coherence")
			? slu_json_str_at(fs, "coherence")
			: "",
		slu_json_number_at(fs, "expires_unix") > 0 ? ", until " : "",
		slu_json_number_at(fs, "expires_unix") > 0
			? slu_when_text(slu_json_number_at(fs, "expires_unix"),
					until)
			: "",
		slu_json_str_at(fs, "state"));
	slu_paragraph(out, "", slu_json_str_at(fs, "progress"));
}

static void add_fullness(struct json_object *fs, struct slu_text_page *out)
{
	struct json_object *fullest = slu_json_at(fs, "fullest_node");
	char now[SLU_SIZE_TEXT], most[SLU_SIZE_TEXT], all[SLU_SIZE_TEXT];
	struct slu_buf line = {0};

	if (slu_json_at(fs, "used_bytes"))
		slu_buf_printf(
			&line, "now %s%s",
			slu_bytes_text(slu_json_number_at(fs, "used_bytes"),
				       now),
			fullest ? ", " : "");
	if (fullest)
		slu_buf_printf(
			&line,
			"at most %s of %s (%.0f %%); fullest node %s: "
			"%.0f %%",
			slu_bytes_text(
				slu_json_number_at(fs, "used_most_bytes"),
				most),
			slu_bytes_text(slu_json_number_at(fs, "of_bytes"), all),
			slu_json_number_at(fs, "used_most_bytes") /
				slu_json_number_at(fs, "of_bytes") * 100,
			slu_json_str_at(fullest, "node"),
			slu_json_number_at(fullest, "used_most_bytes") /
				slu_json_number_at(fullest, "of_bytes") * 100);
	slu_paragraph(out, "In use", line.data);
	slu_buf_free(&line);
}

void slu_job_timeline(struct json_object *fs, struct slu_text_page *out)
{
	struct json_object *phases = slu_json_at(fs, "phases");
	struct slu_span spans[MOST_SPANS];
	size_t n = 0;

	for (size_t i = 0; i < slu_json_length(phases) && n < MOST_SPANS; i++) {
		struct json_object *one = json_object_array_get_idx(phases, i);

		spans[n++] = (struct slu_span){
			.name = slu_json_str_at(one, "name")
					? slu_json_str_at(one, "name")
					: "?",
			.began = slu_json_number_at(one, "began_unix"),
			.seconds = slu_json_number_at(one, "seconds"),
			.goes_on = slu_json_bool_at(one, "goes_on")};
	}
	if (n)
		slu_buf_puts(out->text, "\n");
	slu_timeline(spans, n, out->width, out->text);
}

/* The rate as a share of the storage's best in that direction. */
static void add_share(double rate, double best, struct slu_buf *line)
{
	if (best > 0)
		slu_buf_printf(line, ", %.0f %% of what its storage does",
			       rate / best * 100);
}

static void add_staged(struct json_object *phase, struct json_object *devices,
		       struct slu_text_page *out)
{
	const bool in = slu_eq(slu_json_str_at(phase, "name"), "stage_in");
	const double rate = slu_json_number_at(phase, "bytes_per_second");
	char bytes[SLU_SIZE_TEXT], each[SLU_SIZE_TEXT];
	struct slu_buf line = {0};

	if (!slu_json_at(phase, "bytes") ||
	    slu_json_number_at(phase, "files") <= 0)
		return;
	slu_buf_printf(
		&line, "%s in %.0f file%s",
		slu_bytes_text(slu_json_number_at(phase, "bytes"), bytes),
		slu_json_number_at(phase, "files"),
		slu_json_number_at(phase, "files") == 1 ? "" : "s");
	if (rate > 0) {
		slu_buf_printf(&line, ", %s/s", slu_bytes_text(rate, each));
		add_share(
			rate,
			slu_json_number_at(
				devices, in ? "storage_write_bytes_per_second"
					    : "storage_read_bytes_per_second"),
			&line);
	}
	if (slu_json_number_at(phase, "cache_hits") > 0)
		slu_buf_printf(
			&line, ", %s of it from the nodes' stage caches",
			slu_bytes_text(slu_json_number_at(phase, "cache_bytes"),
				       each));
	slu_paragraph(out, in ? "Staged in" : "Staged out", line.data);
	slu_buf_free(&line);
}

static void add_devices(struct json_object *devices, struct slu_text_page *out)
{
	char r[SLU_SIZE_TEXT], w[SLU_SIZE_TEXT], net[SLU_SIZE_TEXT];
	const double measured = slu_json_number_at(devices,
						   "storage_measured_nodes"),
		     known = slu_json_number_at(devices, "network_known_nodes");
	struct slu_buf line = {0};

	if (measured > 0)
		slu_buf_printf(
			&line,
			"the storage of %.0f node%s writes %s/s and "
			"reads %s/s, as measured",
			measured, measured == 1 ? "" : "s",
			slu_bytes_text(
				slu_json_number_at(
					devices,
					"storage_write_bytes_per_second"),
				w),
			slu_bytes_text(slu_json_number_at(
					       devices,
					       "storage_read_bytes_per_second"),
				       r));
	if (known > 0)
		slu_buf_printf(
			&line, "%sthe links of %.0f node%s carry %s/s",
			line.len ? "; " : "", known, known == 1 ? "" : "s",
			slu_bytes_text(
				slu_json_number_at(devices,
						   "network_bytes_per_second"),
				net));
	slu_paragraph(out, "Devices", line.data);
	slu_buf_free(&line);
}

void slu_job_storage(struct json_object *fs, struct slu_text_page *out)
{
	struct json_object *phases = slu_json_at(fs, "phases");

	add_got(fs, out);
	add_fullness(fs, out);
	for (size_t i = 0; i < slu_json_length(phases); i++)
		add_staged(json_object_array_get_idx(phases, i),
			   slu_json_at(fs, "devices"), out);
	add_devices(slu_json_at(fs, "devices"), out);
	if (slu_json_str_at(fs, "failure"))
		slu_paragraphf(out, "Failed", "in %s: %s",
			       slu_json_str_at(fs, "failed_in")
				       ? slu_json_str_at(fs, "failed_in")
				       : "?",
			       slu_json_str_at(fs, "failure"));
	slu_paragraph(out, "Not saved", slu_json_str_at(fs, "unsaved"));
}

void slu_job_storage_before(struct json_object *list, struct slu_text_page *out)
{
	size_t n = slu_json_length(list);

	for (size_t i = 0; i + 1 < n; i++) {
		struct json_object *fs = json_object_array_get_idx(list, i);
		char time[SLU_WHEN_TEXT];

		slu_paragraphf(
			out, i ? "" : "Before", "%s: %s, %s%s%s",
			slu_when_text(slu_json_number_at(fs, "created_unix"),
				      time),
			slu_json_str_at(fs, "name"),
			slu_json_str_at(fs, "state"),
			slu_json_str_at(fs, "failure") ? ", failed: " : "",
			slu_json_str_at(fs, "failure")
				? slu_json_str_at(fs, "failure")
				: "");
	}
}

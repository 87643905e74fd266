/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysquery iostart: shows whether the parallel file system is a bottleneck, and
 * what IOStart would gain. */
#include "config.h"
#include "sysquery/cli/ask.h"

#include <stdio.h>
#include "common/jsonx.h"
#include "common/size.h"
#include "common/str.h"
#include "sysquery/cli/paragraph.h"
#include "sysquery/cli/time_text.h"

#define HOUR   3600.0
#define SELDOM 0.01 /* of the time */
#define EQUAL  1.05 /* times as long */

static double at(struct json_object *answer, const char *key)
{
	return slu_json_number_at(answer, key);
}

static void add_moved(struct json_object *a, struct slu_text_page *out)
{
	char text[4][SLU_RATE_TEXT];

	slu_paragraphf(out, "Jobs", "%.0f with known I/O volume, %.0f without",
		       at(a, "runs"), at(a, "unknown"));
	slu_paragraphf(out, "Together",
		       "at most %s; for 99 %% of the time at most %s, for "
		       "half of it %s (each job's I/O is assumed to be even "
		       "over its run)",
		       slu_rate_text(at(a, "highest"), text[0]),
		       slu_rate_text(at(a, "most_99"), text[1]),
		       slu_rate_text(at(a, "median"), text[2]));
	slu_paragraphf(out, "Busy",
		       "80 %% of %s (%s) were in use for %.2g %% of the "
		       "time; %.0f jobs began although their bandwidth "
		       "exceeded what was free: with IOStart=on they would "
		       "have waited",
		       slu_rate_text(at(a, "capacity"), text[3]),
		       slu_json_bool_at(a, "configured")
			       ? "IOBandwidth"
			       : "the highest bandwidth seen",
		       at(a, "busy") * 100, at(a, "crowded"));
}

static const char *how_known(const char *by)
{
	if (slu_eq(by, "servers"))
		return "what Lustre's servers reached under load";
	if (slu_eq(by, "held"))
		return "what Lustre's servers sustained for ten minutes, "
		       "more than was known before";
	return "the highest total rate at which jobs did not run longer";
}

/* Adds the servers of Lustre whose last report is still used, but old. */
static void add_silent(struct json_object *a, struct slu_text_page *out)
{
	char since[SLU_WHEN_TEXT];

	if (at(a, "unheard") > 0)
		slu_paragraphf(out, "Silent",
			       "no Lustre server has reported since %s (is "
			       "sluice-tbfd --publish running there?); after "
			       "a day their last reports are ignored",
			       slu_when_text(at(a, "unheard"), since));
	else if (at(a, "silent") > 0)
		slu_paragraphf(out, "Silent",
			       "%.0f Lustre servers have not reported for "
			       "ten minutes or longer (is sluice-tbfd "
			       "--publish running there?); after a day they "
			       "are ignored",
			       at(a, "silent"));
}

/* Adds the value of IOBandwidth=auto, and where it comes from. */
static void add_auto(struct json_object *a, const char *by,
		     struct slu_text_page *out)
{
	char all[SLU_RATE_TEXT], less[80] = "";

	if (at(a, "degraded") > 0)
		snprintf(less, sizeof(less),
			 "; %.0f of %.0f targets are degraded and "
			 "subtracted",
			 at(a, "degraded"), at(a, "targets"));
	if (at(a, "targets") > 0 && at(a, "degraded") >= at(a, "targets"))
		slu_paragraphf(out, "Auto",
			       "IOStart holds no job back: all %.0f Lustre "
			       "targets are degraded or read-only",
			       at(a, "targets"));
	else if (slu_eq(by, "unknown"))
		slu_paragraph(out, "Auto",
			      "IOBandwidth=auto is not known, and IOStart "
			      "holds no job back: no Lustre server was seen "
			      "at its limit (sluice-tbfd --publish), and the "
			      "job history does not show one");
	else
		slu_paragraphf(out, "Auto", "IOBandwidth=auto is %s: %s%s",
			       slu_rate_text(at(a, "capacity"), all),
			       how_known(by), less);
	add_silent(a, out);
}

/* Adds the bandwidth at which, by the history, jobs do not run longer yet. */
static void add_well(struct json_object *a, struct slu_text_page *out)
{
	char text[SLU_RATE_TEXT];

	if (at(a, "ran_well") > 0)
		slu_paragraphf(out, "Well",
			       "at up to %s in total jobs did not run "
			       "longer; %.0f jobs that ran beside more took "
			       "%.3g times as long",
			       slu_rate_text(at(a, "ran_well"), text),
			       at(a, "slow_runs"), at(a, "slow_by"));
	else
		slu_paragraphf(out, "Well",
			       "the total bandwidth from which jobs run "
			       "longer is not known: up to %s no slowdown is "
			       "seen",
			       slu_rate_text(at(a, "met"), text));
}

/* Adds the present value of IOMetadata. */
static void add_metadata(struct json_object *a, struct slu_text_page *out)
{
	const char *by = slu_json_str_at(a, "metadata_auto");

	if (at(a, "metadata_capacity") > 0)
		slu_paragraphf(out, "Metadata",
			       "%.0f of %.0f operations/s (IOMetadata) are in "
			       "use now; %.0f jobs wait for them",
			       at(a, "metadata_demand"),
			       at(a, "metadata_capacity"),
			       at(a, "metadata_waiting"));
	if (slu_eq(by, "unknown"))
		slu_paragraph(
			out, "Metadata",
			"IOMetadata=auto is not known, and no job is held "
			"back for metadata operations: no metadata server "
			"was seen at its limit (sluice-tbfd --publish), "
			"and the job history does not show one");
	else if (by && *by)
		slu_paragraphf(out, "Metadata",
			       "IOMetadata=auto is %.0f operations/s: %s",
			       at(a, "metadata_capacity"), how_known(by));
}

static void add_file_systems(struct json_object *a, struct slu_text_page *out)
{
	const char *names = slu_json_str_at(a, "file_systems");
	const char *fs = slu_json_str_at(a, "fs");
	const char *others = slu_json_str_at(a, "others");

	if (fs && *fs)
		slu_paragraphf(out, "Counted",
			       "what went to the file system %s, and of jobs "
			       "of which that is not known all they moved%s%s",
			       fs,
			       others && *others
				       ? "; --fsname tells of the others: "
				       : "",
			       others ? others : "");
	if (names && *names)
		slu_paragraphf(out, "Counted",
			       "servers report more than one Lustre file "
			       "system (%s): IOBandwidth and the I/O of jobs "
			       "count for all of them together",
			       names);
}

static void add_gain(struct json_object *a, struct slu_text_page *out)
{
	bool seldom = at(a, "busy") < SELDOM;

	if (at(a, "kinds") > 0)
		slu_paragraphf(
			out, "Slower",
			"equal jobs (%.0f groups) took %.3g times as long in "
			"busy time: at most %.1f of their %.1f node hours "
			"there can be saved",
			at(a, "kinds"), at(a, "slower"),
			at(a, "lost_node_seconds") / HOUR,
			at(a, "busy_node_seconds") / HOUR);
	else
		slu_paragraph(
			out, "Slower",
			"no equal jobs ran both in busy and in calm time");
	if (seldom || (at(a, "kinds") > 0 && at(a, "slower") < EQUAL))
		slu_paragraph(out, "So",
			      "the file system is no bottleneck: there is "
			      "nothing to gain by IOStart");
	else
		slu_paragraph(out, "So",
			      "IOStart=advise tells which jobs would wait, "
			      "without letting any wait");
}

static int show(const struct slu_ask *ask, struct json_object *answer,
		struct slu_buf *out, struct slu_err *err)
{
	struct slu_text_page page = {out, slu_ask_look(ask).width};
	const char *by = NULL;

	if (!at(answer, "runs"))
		return slu_err(err, SLU_NOTFOUND,
			       "no ended job has a known I/O volume: "
			       "JobTotals=, sluice-tbfd --publish and "
			       "sysquery import darshan provide it");
	slu_json_str_opt(answer, "auto", &by, NULL);
	add_moved(answer, &page);
	add_well(answer, &page);
	if (by)
		add_auto(answer, by, &page);
	add_metadata(answer, &page);
	add_file_systems(answer, &page);
	add_gain(answer, &page);
	return 0;
}

int slu_cmd_iostart(struct slu_ask *ask, struct slu_err *err)
{
	return slu_ask_render(ask, "iostart", show, err);
}

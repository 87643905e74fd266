/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts local times, as printed by sacct, to Unix times. For an hour, when
 * daylight saving time ends, a local time has two meanings: other times of the
 * job decide between both.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "job_submit/import/import_formats.h"
#include "job_submit/import/sacct_table.h"

#define DAY 86400 /* more than any offset from UTC */

/* The offset of local time from UTC at that moment, s. */
static int64_t offset(const struct slu_import *import, int64_t when)
{
	time_t time = when;
	struct tm tm;

	return import->to_local(&time, &tm) ? tm.tm_gmtoff : 0;
}

/* The broken-down time as UTC; 0: there is no such day. */
static int64_t clock_of(struct tm *tm)
{
	const int day = tm->tm_mday;
	int64_t clock = timegm(tm);

	return tm->tm_mday == day ? clock : 0;
}

/* The moments with this local time, two if it is ambiguous. A time that is
 * skipped in spring is interpreted by the offset before. */
static struct slu_local moments(const struct slu_import *import, int64_t clock)
{
	int64_t before = clock - offset(import, clock - DAY);
	int64_t after = clock - offset(import, clock + DAY);
	bool is_before = before + offset(import, before) == clock;
	bool is_after = after + offset(import, after) == clock;

	return (struct slu_local){is_before || !is_after ? before : after,
				  is_after ? after : before};
}

/* Takes "2016-12-22T07:15:12", also with a blank in place of the T or a
 * fraction, which does not count, and returns what is behind it. NULL: it is
 * another text.
 */
static const char *take_clock(const char *text, struct tm *tm)
{
	const char *end = strptime(text, "%Y-%m-%d", tm);

	if (!end || (*end != 'T' && *end != ' '))
		return NULL;
	end = strptime(end + 1, "%H:%M:%S", tm);
	if (end && *end == '.' && isdigit((unsigned char)end[1]))
		end += 1 + strspn(end + 1, "0123456789");
	return end;
}

/* The moment of a time with "Z" or an offset from UTC behind it; 0: none. */
static int64_t zoned(const char *zone, struct tm *tm)
{
	const char *end = strptime(zone, "%z", tm);
	long offset = tm->tm_gmtoff; /* timegm() resets it */
	int64_t clock = end && !*end ? clock_of(tm) : 0;

	return clock > 0 ? clock - offset : 0;
}

int slu_import_local(const struct slu_import *import, const char *text,
		     struct slu_local *out, struct slu_err *err)
{
	struct tm tm = {0};
	const char *zone;
	int64_t clock;
	long long seconds;
	char *end;

	*out = (struct slu_local){0};
	if (slu_sacct_unknown(text))
		return 0;
	seconds = strtoll(text, &end, 10);
	if (!*end && seconds > 0) {
		*out = (struct slu_local){seconds, seconds};
		return 0;
	}
	zone = take_clock(text, &tm);
	clock = zone && !*zone ? clock_of(&tm) : 0;
	if (clock > 0)
		*out = moments(import, clock);
	else if (zone && *zone)
		out->early = out->late = zoned(zone, &tm);
	return out->early > 0
		       ? 0
		       : slu_err(err, SLU_INVALID,
				 "\"%.30s\" is no time as sacct prints it "
				 "(2026-03-02T10:01:00)",
				 text);
}

int64_t slu_import_until(struct slu_local when, int64_t latest)
{
	return when.late <= latest ? when.late : when.early;
}

void slu_import_run(struct slu_local start, struct slu_local end,
		    int64_t elapsed, struct slu_job *job)
{
	const int64_t runs[][2] = {{start.late, end.early},
				   {start.early, end.early},
				   {start.late, end.late},
				   {start.early, end.late}};

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		job->start = runs[i][0];
		job->end = runs[i][1];
		if (job->end - job->start >= elapsed)
			return;
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses and prints our note in a job's AdminComment (note.h). The note begins
 * with "sluice: " and runs to the comment's end; its parts are separated by ";
 * ", each recognised by its first words. A part that is not understood, written
 * by another release or edited by a person, is skipped; the others are used.
 */
#include "config.h"
#include "wire/note.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/str.h"

#define MARK	   "sluice: "
#define BY_DEFAULT " by default"
#define IN_PLACE   "in place "
#define WAITED	   "waited "
#define IO_SINCE   "waits for I/O since "

static const char *note_part(const char *comment)
{
	const char *part = NULL;

	for (const char *p = comment; p && (p = strstr(p, MARK)); p++)
		if (p == comment || p[-1] == ' ')
			part = part ? part : p;
	return part;
}

static int64_t hms(long h, long m, long s)
{
	return (int64_t)h * 3600 + m * 60 + s;
}

/* A limit in minutes: a text that a person has edited may have too large a
 * value. */
static uint32_t minutes(int64_t seconds)
{
	if (seconds < 0)
		return 0;
	return seconds / 60 < SLU_NOTE_UNLIMITED ? (uint32_t)(seconds / 60)
						 : SLU_NOTE_UNLIMITED;
}

static void parse_predicted(const char *piece, struct slu_note *out)
{
	long h, m, s;
	int used = 0;

	if (sscanf(piece, "predicted %8ld:%2ld:%2ld (%15[a-z], %u jobs)%n", &h,
		   &m, &s, out->from, &out->jobs, &used) < 5 ||
	    !used)
		return;
	out->predicted = hms(h, m, s);
	piece += used;
	if (sscanf(piece, ", asked %8ld:%2ld:%2ld", &h, &m, &s) == 3) {
		out->has_asked = true;
		out->asked = hms(h, m, s);
	} else if (!strncmp(piece, ", no limit asked", 16)) {
		out->has_asked = true;
	}
}

static void parse_late(const char *piece, struct slu_note *out)
{
	unsigned late;
	long h, m, s;

	if (sscanf(piece, ", %u planned starts later by up to %8ld:%2ld:%2ld",
		   &late, &h, &m, &s) != 4)
		return;
	out->late = late;
	out->late_by = hms(h, m, s);
}

/* Minutes, or a word; *piece moves behind it. */
static bool parse_whole(const char **piece, struct slu_note *out)
{
	long h, m, s;
	int used = 0;

	if (!strncmp(*piece, "none", 4)) {
		*piece += 4;
		out->whole = 0;
	} else if (!strncmp(*piece, "unlimited", 9)) {
		*piece += 9;
		out->whole = SLU_NOTE_UNLIMITED;
		out->by_default =
			!strncmp(*piece, BY_DEFAULT, strlen(BY_DEFAULT));
		*piece += out->by_default ? strlen(BY_DEFAULT) : 0;
	} else if (sscanf(*piece, "%8ld:%2ld:%2ld%n", &h, &m, &s, &used) == 3) {
		*piece += used;
		out->whole = minutes(hms(h, m, s));
	} else {
		return false;
	}
	return true;
}

static bool parse_limit(const char *piece, struct slu_note *out)
{
	long h, m, s;
	int used = 0;

	if (sscanf(piece, "limit %8ld:%2ld:%2ld %n", &h, &m, &s, &used) < 3 ||
	    !used || hms(h, m, s) < 60)
		return false;
	piece += used;
	if (!strncmp(piece, IN_PLACE, strlen(IN_PLACE)))
		piece += strlen(IN_PLACE);
	if (strncmp(piece, "of ", 3) != 0)
		return false;
	piece += 3;
	if (!parse_whole(&piece, out))
		return false;
	out->tight = minutes(hms(h, m, s));
	out->limit = SLU_LIMIT_GUARDED;
	if (!strncmp(piece, ", extended", 10)) {
		out->limit = SLU_LIMIT_EXTENDED;
		parse_late(piece + 10, out);
	} else if (!strncmp(piece, ", changed", 9)) {
		out->limit = SLU_LIMIT_LEFT;
	} else if (!strncmp(piece, ", meant", 7)) {
		out->limit = SLU_LIMIT_MEANT;
	}
	return true;
}

/* In UTC, so that a change to summer time makes no job wait longer. */
static bool parse_io_since(const char *piece, struct slu_note *out)
{
	struct tm tm = {0};

	if (sscanf(piece, IO_SINCE "%4d-%2d-%2dT%2d:%2d:%2dZ", &tm.tm_year,
		   &tm.tm_mon, &tm.tm_mday, &tm.tm_hour, &tm.tm_min,
		   &tm.tm_sec) != 6)
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	out->io_since = timegm(&tm);
	return true;
}

static void parse_piece(const char *piece, struct slu_note *out)
{
	long h, m, s;

	if (!strncmp(piece, "predicted ", 10))
		parse_predicted(piece, out);
	else if (sscanf(piece, "gave back %8ld:%2ld:%2ld", &h, &m, &s) == 3)
		out->gave_back = hms(h, m, s);
	else if (!strncmp(piece, WAITED, strlen(WAITED)))
		slu_waited_parse(piece + strlen(WAITED), &out->waited);
	else if (sscanf(piece, "script %16" SCNx64, &out->script) == 1 ||
		 parse_limit(piece, out) || parse_io_since(piece, out))
		;
	else
		slu_copy(out->why, sizeof(out->why), piece);
}

static bool is_ours(const char *piece)
{
	static const char *const begin[] = {"predicted ", "limit ",
					    "script ",	  WAITED,
					    "gave back ", IO_SINCE};

	for (size_t i = 0; i < sizeof(begin) / sizeof(begin[0]); i++)
		if (!strncmp(piece, begin[i], strlen(begin[i])))
			return true;
	return false;
}

bool slu_ctl_note_parse(const char *comment, struct slu_note *out)
{
	const char *part = note_part(comment), *end;
	char piece[SLU_NOTE_WHY];

	*out = (struct slu_note){.gave_back = -1};
	if (!part)
		return false;
	for (part += strlen(MARK); *part; part = end) {
		/* The reason is last, and may contain the separator. */
		end = strstr(part, "; ");
		if (!end || !is_ours(part))
			end = part + strlen(part);
		snprintf(piece, sizeof(piece), "%.*s", (int)(end - part), part);
		parse_piece(piece, out);
		if (*end)
			end += 2;
	}
	return true;
}

static void put_time(struct slu_buf *buf, const char *what, int64_t seconds)
{
	slu_buf_printf(buf, "%s%lld:%02d:%02d", what, (long long)seconds / 3600,
		       (int)(seconds / 60 % 60), (int)(seconds % 60));
}

/* A sentence for squeue begins with our name, which the note has already. */
static const char *without_mark(const char *why)
{
	return strncmp(why, MARK, strlen(MARK)) ? why : why + strlen(MARK);
}

static void print_predicted(struct slu_buf *buf, const struct slu_note *note)
{
	put_time(buf, "predicted ", note->predicted);
	slu_buf_printf(buf, " (%s, %u jobs)", note->from, note->jobs);
	if (note->has_asked && note->asked)
		put_time(buf, ", asked ", note->asked);
	else if (note->has_asked)
		slu_buf_puts(buf, ", no limit asked");
}

static void print_limit(struct slu_buf *buf, const struct slu_note *note)
{
	put_time(buf, "limit ", (int64_t)note->tight * 60);
	if (slu_note_filled(note))
		slu_buf_puts(buf, " in place");
	if (note->whole == SLU_NOTE_UNLIMITED)
		slu_buf_printf(buf, " of unlimited%s",
			       note->by_default ? BY_DEFAULT : "");
	else if (!note->whole)
		slu_buf_puts(buf, " of none");
	else
		put_time(buf, " of ", (int64_t)note->whole * 60);
	if (note->limit == SLU_LIMIT_LEFT)
		slu_buf_puts(buf, ", changed since");
	if (note->limit == SLU_LIMIT_MEANT)
		slu_buf_puts(buf, ", meant");
	if (note->limit != SLU_LIMIT_EXTENDED)
		return;
	slu_buf_puts(buf, ", extended");
	if (!note->late)
		return;
	slu_buf_printf(buf, ", %u planned starts", note->late);
	put_time(buf, " later by up to ", note->late_by);
}

static void print_io_since(struct slu_buf *buf, int64_t since)
{
	time_t t = (time_t)since;
	char text[32] = "";
	struct tm tm;

	if (gmtime_r(&t, &tm))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	slu_buf_printf(buf, IO_SINCE "%s", text);
}

static void print_note(struct slu_buf *buf, const struct slu_note *note)
{
	char waited[SLU_WAITS_TEXT];
	const char *sep = "";

	if (note->predicted > 0) {
		print_predicted(buf, note);
		sep = "; ";
	}
	if (note->limit != SLU_LIMIT_USERS) {
		slu_buf_puts(buf, sep);
		print_limit(buf, note);
		sep = "; ";
	}
	if (note->script) {
		slu_buf_printf(buf, "%sscript %016" PRIx64, sep, note->script);
		sep = "; ";
	}
	if (*slu_waited_print(&note->waited, 1, waited)) {
		slu_buf_printf(buf, "%s" WAITED "%s", sep, waited);
		sep = "; ";
	}
	if (note->gave_back >= 0) {
		slu_buf_puts(buf, sep);
		put_time(buf, "gave back ", note->gave_back);
		sep = "; ";
	}
	if (note->io_since > 0) {
		slu_buf_puts(buf, sep);
		print_io_since(buf, note->io_since);
		sep = "; ";
	}
	if (note->why[0])
		slu_buf_printf(buf, "%s%s", sep, without_mark(note->why));
}

/* Append the n characters at `text` without separators at either end. */
static void put_words(struct slu_buf *all, const char *text, size_t n,
		      bool cut_end)
{
	while (n && all->len && (*text == ' ' || *text == ';'))
		text++, n--;
	while (n && (text[n - 1] == ' ' || (cut_end && text[n - 1] == ';')))
		n--;
	if (n)
		slu_buf_printf(all, "%s%.*s", all->len ? "; " : "", (int)n,
			       text);
}

/* The comment with `ours` at its end, and without the n characters at `part`
 * (NULL: none). */
static char *put_part(const char *comment, const char *part, size_t n,
		      const char *ours)
{
	struct slu_buf all = {0};
	size_t len = comment ? strlen(comment) : 0;
	size_t head = part ? (size_t)(part - comment) : len;

	slu_buf_puts(&all, "");
	put_words(&all, comment ? comment : "", head, part != NULL);
	if (part) {
		part += n;
		part += strspn(part, " ;");
		put_words(&all, part, strlen(part), false);
	}
	if (ours && *ours)
		slu_buf_printf(&all, "%s%s", all.len ? "; " : "", ours);
	return slu_buf_steal(&all);
}

/* The length of "sluice: 17,23*" at p, or 0. */
static size_t mark_length(const char *p)
{
	size_t n = strlen(MARK), digits;

	if (strncmp(p, MARK, n) != 0)
		return 0;
	do {
		digits = strspn(p + n, "0123456789");
		n += digits;
		n += digits && p[n] == '*';
	} while (digits && p[n] == ',' && ++n);
	return digits && (!p[n] || p[n] == ' ' || p[n] == ';') ? n : 0;
}

/* Where a comment, or a part of it, begins. */
static bool begins(const char *comment, const char *p)
{
	while (p > comment && p[-1] == ' ')
		p--;
	return p == comment || p[-1] == ';';
}

static const char *mark_part(const char *comment, size_t *n)
{
	for (const char *p = comment; p && (p = strstr(p, MARK)); p++)
		if (begins(comment, p) && (*n = mark_length(p)))
			return p;
	*n = 0;
	return NULL;
}

char *slu_ctl_comment_ours(const char *comment)
{
	size_t n;
	const char *part = mark_part(comment, &n);

	return part ? strndup(part, n) : NULL;
}

char *slu_ctl_comment_put(const char *comment, const char *ours)
{
	size_t n;
	const char *part = mark_part(comment, &n);

	return put_part(comment, part, n, ours);
}

char *slu_ctl_note_apply(const char *comment, const struct slu_note *note)
{
	const char *part = note_part(comment);
	struct slu_buf ours = {0};
	char *all = NULL;

	slu_buf_puts(&ours, MARK);
	print_note(&ours, note);
	if (!ours.failed)
		all = put_part(comment, part, part ? strlen(part) : 0,
			       ours.len > strlen(MARK) ? ours.data : NULL);
	slu_buf_free(&ours);
	return all;
}

void slu_ctl_note_to_job(const char *comment, struct slu_job *job)
{
	char waited[SLU_WAITS_TEXT];
	struct slu_note note;

	if (!slu_ctl_note_parse(comment, &note))
		return;
	job->tightened = note.limit == SLU_LIMIT_MEANT || slu_note_filled(&note)
				 ? 0
				 : note.tight;
	job->extended = note.limit == SLU_LIMIT_EXTENDED;
	job->late_by = note.late_by;
	job->prepared = note.gave_back > 0 ? note.gave_back : 0;
	if (*slu_waited_print(&note.waited, 1, waited)) {
		free(job->waited);
		job->waited = strdup(waited);
	}
	if (note.script) {
		free(job->script);
		job->script = slu_asprintf("%016" PRIx64, note.script);
	}
	if (!note.predicted)
		return;
	job->predicted = (uint32_t)note.predicted;
	free(job->predicted_from);
	job->predicted_from = strdup(note.from);
	if (note.has_asked)
		job->limit_asked = (uint32_t)(note.asked / 60);
}

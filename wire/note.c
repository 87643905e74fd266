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
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/str.h"

#define MARK	   "sluice: "
#define BY_DEFAULT " by default"
#define IN_PLACE   "in place "
#define WAITED	   "waited "
#define GAVE_BACK  "gave back "
#define IO_SINCE   "waits for I/O since "
#define START	   "start: "

static const char *note_part(const char *comment)
{
	const char *part = NULL;

	for (const char *p = comment; p && (p = strstr(p, MARK)); p++)
		if (p == comment || p[-1] == ' ')
			part = part ? part : p;
	return part;
}

/* Moves *p behind a word that begins there. */
static bool take(const char **p, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*p, word, n) != 0)
		return false;
	*p += n;
	return true;
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

/* The rule and the number of jobs, "(class, 3 jobs)". */
static bool parse_from(const char **p, struct slu_note *out)
{
	size_t n;
	int64_t jobs;

	if (!take(p, " ("))
		return false;
	n = strspn(*p, "abcdefghijklmnopqrstuvwxyz");
	if (!n || n >= sizeof(out->from))
		return false;
	memcpy(out->from, *p, n);
	out->from[n] = '\0';
	*p += n;
	if (!take(p, ", ") || !slu_take_number(p, UINT32_MAX, &jobs) ||
	    jobs < 0 || !take(p, " jobs)"))
		return false;
	out->jobs = (uint32_t)jobs;
	return true;
}

static void parse_predicted(const char *p, struct slu_note *out)
{
	int64_t seconds, asked;

	if (!slu_take_hms(&p, &seconds) || !parse_from(&p, out))
		return;
	out->predicted = seconds;
	if (take(&p, ", no limit asked")) {
		out->has_asked = true;
	} else if (take(&p, ", asked ") && slu_take_hms(&p, &asked)) {
		out->has_asked = true;
		out->asked = asked;
	}
}

static void parse_late(const char *p, struct slu_note *out)
{
	int64_t late, by;

	if (!take(&p, ", ") || !slu_take_number(&p, UINT32_MAX, &late) ||
	    late < 0 || !take(&p, " planned starts later by up to ") ||
	    !slu_take_hms(&p, &by))
		return;
	out->late = (uint32_t)late;
	out->late_by = by;
}

/* Minutes, or a word; *p moves behind it. */
static bool parse_whole(const char **p, struct slu_note *out)
{
	int64_t seconds;

	if (take(p, "none")) {
		out->whole = 0;
	} else if (take(p, "unlimited")) {
		out->whole = SLU_NOTE_UNLIMITED;
		out->by_default = take(p, BY_DEFAULT);
	} else if (slu_take_hms(p, &seconds)) {
		out->whole = minutes(seconds);
	} else {
		return false;
	}
	return true;
}

static bool parse_limit(const char *p, struct slu_note *out)
{
	int64_t tight;

	if (!take(&p, "limit ") || !slu_take_hms(&p, &tight) || tight < 60 ||
	    !take(&p, " "))
		return false;
	take(&p, IN_PLACE);
	if (!take(&p, "of ") || !parse_whole(&p, out))
		return false;
	out->tight = minutes(tight);
	out->limit = SLU_LIMIT_GUARDED;
	if (take(&p, ", extended")) {
		out->limit = SLU_LIMIT_EXTENDED;
		parse_late(p, out);
	} else if (take(&p, ", changed")) {
		out->limit = SLU_LIMIT_LEFT;
	} else if (take(&p, ", meant")) {
		out->limit = SLU_LIMIT_MEANT;
	}
	return true;
}

static bool parse_script(const char *p, struct slu_note *out)
{
	char *end;
	uint64_t hash;

	if (!take(&p, "script "))
		return false;
	hash = strtoull(p, &end, 16);
	if (end == p || end - p > 16)
		return false;
	out->script = hash;
	return true;
}

/* In UTC, so that a change to summer time makes no job wait longer. */
static bool parse_io_since(const char *p, struct slu_note *out)
{
	static const char behind[] = "--T::Z";
	int64_t n[sizeof(behind) - 1];
	struct tm tm = {0};

	if (!take(&p, IO_SINCE))
		return false;
	for (size_t i = 0; behind[i]; i++)
		if (!slu_take_number(&p, i ? 99 : 9999, &n[i]) ||
		    *p++ != behind[i])
			return false;
	tm.tm_year = (int)n[0] - 1900;
	tm.tm_mon = (int)n[1] - 1;
	tm.tm_mday = (int)n[2];
	tm.tm_hour = (int)n[3];
	tm.tm_min = (int)n[4];
	tm.tm_sec = (int)n[5];
	out->io_since = timegm(&tm);
	return true;
}

static bool parse_gave_back(const char *p, struct slu_note *out)
{
	int64_t seconds;

	if (!take(&p, GAVE_BACK) || !slu_take_hms(&p, &seconds))
		return false;
	out->gave_back = seconds;
	return true;
}

static bool parse_start(const char *p, struct slu_note *out)
{
	if (!take(&p, START))
		return false;
	slu_copy(out->start, sizeof(out->start), p);
	return true;
}

static bool parse_waited(const char *p, struct slu_note *out)
{
	if (!take(&p, WAITED))
		return false;
	slu_waited_parse(p, &out->waited);
	return true;
}

static void parse_piece(const char *piece, struct slu_note *out)
{
	if (take(&piece, "predicted "))
		parse_predicted(piece, out);
	else if (!parse_gave_back(piece, out) && !parse_waited(piece, out) &&
		 !parse_script(piece, out) && !parse_limit(piece, out) &&
		 !parse_io_since(piece, out) && !parse_start(piece, out))
		slu_copy(out->why, sizeof(out->why), piece);
}

static bool is_ours(const char *piece)
{
	static const char *const begin[] = {"predicted ", "limit ",  "script ",
					    WAITED,	  GAVE_BACK, IO_SINCE,
					    START};

	for (size_t i = 0; i < sizeof(begin) / sizeof(begin[0]); i++)
		if (!strncmp(piece, begin[i], strlen(begin[i])))
			return true;
	return false;
}

bool slu_ctl_note_parse(const char *comment, struct slu_note *out)
{
	const char *part = note_part(comment), *end;
	char piece[SLU_NOTE_WHY];
	size_t n;

	*out = (struct slu_note){.gave_back = -1};
	if (!part)
		return false;
	for (part += strlen(MARK); *part; part = end) {
		/* The reason is last, and may contain the separator. */
		end = strstr(part, "; ");
		if (!end || !is_ours(part))
			end = part + strlen(part);
		n = (size_t)(end - part);
		n = n < sizeof(piece) ? n : sizeof(piece) - 1;
		memcpy(piece, part, n);
		piece[n] = '\0';
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
		put_time(buf, GAVE_BACK, note->gave_back);
		sep = "; ";
	}
	if (note->io_since > 0) {
		slu_buf_puts(buf, sep);
		print_io_since(buf, note->io_since);
		sep = "; ";
	}
	if (note->start[0]) {
		slu_buf_printf(buf, "%s" START "%s", sep, note->start);
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

/* Few comments have anything to change, and all are looked at under a lock of
 * slurmctld. */
char *slu_ctl_note_start(const char *comment, const char *start)
{
	struct slu_note note, old;

	if (!(start && *start) && (!comment || !strstr(comment, START)))
		return NULL;
	slu_ctl_note_parse(comment, &old);
	note = old;
	slu_copy(note.start, sizeof(note.start), start ? start : "");
	return strcmp(note.start, old.start)
		       ? slu_ctl_note_apply(comment, &note)
		       : NULL;
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds lines of a batch script that look like requests but have no effect:
 * after the first command, or almost #BB. A line is reported only if it has a
 * verb and a key=value pair; ##BB is the way to disable a request. Text in a
 * here-document or in quotes may be another script and is not reported. A shell
 * script cannot be parsed without running it, so such a text counts only if its
 * end is found. In other languages, which quote in other ways, a line after the
 * first command is reported as doubtful. One pass that allocates nothing, as it
 * runs in slurmctld.
 */
#include "config.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "burst_buffer/request/request.h"
#include "burst_buffer/request/script/interpreter.h"
#include "burst_buffer/request/script/lookalike.h"
#include "burst_buffer/request/script/stray_meaning.h"
#include "common/str.h"

#define LOOK_MAX     4096 /* comments like requests that are examined */
#define REPORTED_MAX 64	  /* mistakes of a script that are reported */
#define DOUBT_MAX    16	  /* lines that are reported if a text does not end */
#define HERE_MAX     16 /* here-documents that one line begins: bash's limit */
#define DEPTH_MAX    16 /* of quotes in substitutions in quotes ... */
#define TEXT_MAX     256

struct stray {
	enum slu_stray_why why;
	int line;
	const char *text, *end;
};

struct here {
	const char *word, *end; /* with its quotes */
	bool tabs;		/* <<-: tabs may stand before its end */
};

struct scan {
	const char *p, *end; /* what is left of the line */
	int line;
	int command; /* the line of the first command; 0: none so far */
	bool shell;  /* a shell script: the lines after that are understood */
	/* The quotes (', " or $ for $') and substitutions ("(", in which there
	 * is code again) around the present place, the innermost last. */
	char in[DEPTH_MAX];
	size_t depth;
	/* The line's next (( ... )), in which << is no here-document; NULL: no
	 * more. */
	const char *sum, *sum_end;
	size_t n_here; /* here-documents begun; the text is of the first */
	struct here here[HERE_MAX];
	struct stray doubt[DOUBT_MAX];
	size_t n_doubt, reported, looked;
	slu_stray_f *tell;
	void *arg;
};

static char within(const struct scan *s)
{
	return s->depth ? s->in[s->depth - 1] : '\0';
}

static bool in_text(const struct scan *s)
{
	return s->depth && within(s) != '(';
}

static void enter(struct scan *s, char what)
{
	if (s->depth < DEPTH_MAX)
		s->in[s->depth++] = what;
}

static void tell(struct scan *s, const struct stray *one)
{
	const char *const magic = slu_stray_magic(one->text, one->end);
	char begin[SLU_SHOWN], text[TEXT_MAX];
	int n;
	char *to;
	size_t room;

	slu_shown(one->text, one->end, begin);
	n = snprintf(text, sizeof(text), "\"%s\" ", begin);
	to = text + n;
	room = sizeof(text) - (size_t)n;
	switch (one->why) {
	case SLU_STRAY_NEAR:
		snprintf(to, room,
			 "is a comment: write #%s and a blank, or ##%s to "
			 "leave it out",
			 magic, magic);
		break;
	case SLU_STRAY_LUA:
		snprintf(to, room, "is for another plugin: write #BB");
		break;
	case SLU_STRAY_BARE:
		snprintf(to, room,
			 "is a command here: begin the line with #BB");
		break;
	case SLU_STRAY_HIDDEN:
		snprintf(to, room, "is a command: %s, begin the line with #%s",
			 *one->text == '#'
				 ? "a character before it is no blank"
				 : "its first character only looks like #",
			 magic);
		break;
	case SLU_STRAY_BESIDE:
		snprintf(to, room,
			 "has no effect behind a command: give it a line "
			 "above the first one");
		break;
	case SLU_STRAY_LATE:
		snprintf(to, room,
			 "has no effect behind the first command (line %d): "
			 "move it up, or write ##%s to leave it out",
			 s->command, magic);
		break;
	case SLU_STRAY_FINE:
		return;
	}
	s->reported++;
	s->tell(s->arg, one->line, text,
		s->shell || one->why == SLU_STRAY_NEAR ||
			one->why == SLU_STRAY_BARE ||
			one->why == SLU_STRAY_HIDDEN);
}

static void tell_doubts(struct scan *s)
{
	for (size_t i = 0; i < s->n_doubt; i++)
		tell(s, &s->doubt[i]);
	s->n_doubt = 0;
}

/* Examines a comment that begins at p. beside: there is something before it in
 * its line. doubt: it is in a text, and is reported only if the text does not
 * end. */
static void look(struct scan *s, const char *p, bool beside, bool doubt)
{
	struct stray one = {.line = s->line, .text = p, .end = s->end};

	if (!slu_stray_begins(p, s->end) || s->looked++ >= LOOK_MAX)
		return;
	one.why = slu_stray_meant(p, s->end);
	if (one.why == SLU_STRAY_FINE)
		return;
	if (!s->command && one.why == SLU_STRAY_LATE)
		return; /* a valid request, which has its effect */
	if (s->command && one.why != SLU_STRAY_LUA)
		one.why = beside ? SLU_STRAY_BESIDE : SLU_STRAY_LATE;
	if (!doubt)
		tell(s, &one);
	else if (s->n_doubt < DOUBT_MAX)
		s->doubt[s->n_doubt++] = one;
}

/* Skips a shell word that begins at p, with its quotes. */
static const char *skip_word(const char *p, const char *end)
{
	while (p < end && !strchr(" \t;&|<>()", *p)) {
		const char quote = *p == '\'' || *p == '"' ? *p : 0;

		p += *p == '\\' && p + 1 < end ? 2 : 1;
		while (quote && p < end && *p != quote)
			p++;
		p += quote && p < end;
	}
	return p;
}

static void next_sum(struct scan *s, const char *from)
{
	s->sum_end = NULL;
	s->sum = memmem(from, (size_t)(s->end - from), "((", 2);
	if (s->sum)
		s->sum_end = memmem(s->sum, (size_t)(s->end - s->sum), "))", 2);
	if (!s->sum_end) /* "((cd a; b) ..." */
		s->sum = NULL;
}

static bool in_sum(struct scan *s, const char *p)
{
	while (s->sum && s->sum_end < p)
		next_sum(s, s->sum_end);
	return s->sum && s->sum < p;
}

/* Begins the here-document whose <<WORD is at p. */
static const char *begin_here(struct scan *s, const char *p)
{
	struct here h = {0};

	p += 2;
	if (p < s->end && *p == '<') /* a here-string */
		return p + 1;
	h.tabs = p < s->end && *p == '-';
	h.word = slu_stray_skip_blanks(p + h.tabs, s->end);
	h.end = skip_word(h.word, s->end);
	if (h.end > h.word && !isdigit((unsigned char)*h.word) &&
	    !in_sum(s, p) && s->n_here < HERE_MAX)
		s->here[s->n_here++] = h;
	return h.end;
}

/* Skips quoted text: up to the end of the quotes, to a substitution in them, or
 * to the end of the line. */
static const char *in_quotes(struct scan *s, const char *p)
{
	const char quote = within(s), close = quote == '"' ? '"' : '\'';

	for (; p < s->end && *p != close; p++) {
		if (*p == '\\' && quote != '\'')
			p++;
		else if (quote == '"' && *p == '$' && p + 1 < s->end &&
			 p[1] == '(' && s->depth < DEPTH_MAX) {
			enter(s, '(');
			return p + 2;
		}
	}
	if (p >= s->end)
		return s->end;
	s->depth--;
	s->n_doubt = 0; /* it was a text */
	return p + 1;
}

/* One step of code; NULL: the rest of the line is a comment. */
static const char *step(struct scan *s, const char *line, const char *p)
{
	switch (*p) {
	case '\\':
		return p + 2;
	case '"':
	case '\'':
		enter(s, *p == '\'' && p > line && p[-1] == '$' ? '$' : *p);
		break;
	case '(': /* only those of substitutions have an end that matters */
		if (s->depth || (p > line && p[-1] == '$'))
			enter(s, '(');
		break;
	case ')':
		s->depth -= within(s) == '(';
		break;
	case '#':
		if (p > line && !strchr(" \t;&|()", p[-1]))
			break;
		look(s, p, slu_stray_skip_blanks(line, s->end) < p, false);
		return NULL;
	case '<':
		if (p + 1 < s->end && p[1] == '<')
			return begin_here(s, p);
	}
	return p + 1;
}

/* Code, up to what ends the line or leads out of it. */
static void read_code(struct scan *s, const char *line)
{
	const char *p = line;

	next_sum(s, line);
	while (p && p < s->end)
		p = in_text(s) ? in_quotes(s, p) : step(s, line, p);
}

/* Is this the line that ends it? It has the word without its quotes. */
static bool is_end(const struct here *h, const char *p, const char *end)
{
	char quote = 0;

	for (const char *w = h->word; w < h->end; w++) {
		if (quote ? *w == quote : *w == '\'' || *w == '"') {
			quote = quote ? 0 : *w;
			continue;
		}
		if (*w == '\\' && !quote && w + 1 < h->end)
			w++;
		if (p == end || *p++ != *w)
			return false;
	}
	return p == end;
}

static bool ends_here(struct scan *s, const char *p)
{
	const struct here *h = &s->here[0];

	while (h->tabs && p < s->end && *p == '\t')
		p++;
	if (!is_end(h, p, s->end))
		return false;
	memmove(s->here, s->here + 1, --s->n_here * sizeof(*s->here));
	if (!s->n_here)
		s->n_doubt = 0;
	return true;
}

/* In the text of a here-document or of quotes. */
static void look_in_text(struct scan *s, const char *line)
{
	const char *p = slu_stray_skip_blanks(line, s->end);

	if (p < s->end && *p == '#')
		look(s, p, false, true);
}

/* Examines the first command; true: it was meant for a comment. */
static bool look_at_command(struct scan *s, const char *first)
{
	const char *hash = slu_stray_skip_strange(first, s->end);
	struct stray one = {SLU_STRAY_BARE, s->line, first, s->end};

	s->command = s->line;
	if (hash < s->end && slu_behind_letter(hash, '#'))
		hash = slu_behind_letter(hash, '#') - 1;
	if (hash > first && hash < s->end) {
		one = (struct stray){SLU_STRAY_HIDDEN, s->line, hash, s->end};
		if (!slu_stray_begins(hash, s->end) ||
		    slu_stray_meant(hash, s->end) == SLU_STRAY_FINE)
			return false;
		tell(s, &one);
		return true;
	}
	if (isalpha((unsigned char)*first) && strchr(first, '=') &&
	    slu_stray_asks(first, s->end, false) &&
	    !memchr(first, '=', strcspn(first, " \t\n")))
		tell(s, &one);
	return false;
}

static void read_line(struct scan *s, const char *line)
{
	const char *first = slu_stray_skip_blanks(line, s->end);

	if (s->n_here) {
		if (!ends_here(s, line))
			look_in_text(s, line);
		return;
	}
	if (!s->command && first < s->end && *first != '#' &&
	    look_at_command(s, first))
		return;
	if (in_text(s))
		look_in_text(s, line);
	read_code(s, line);
}

/* Is there a comment in it that begins like a request? A quick check. */
static bool worth_it(const char *p)
{
	const char *end = p;

	for (; (p = strchr(p, '#')); p++) {
		if (p >= end) /* once a line: it may be all of # */
			end = p + strcspn(p, "\n");
		if (slu_stray_begins(p, end))
			return true;
	}
	return false;
}

void slu_request_strays(const char *script, bool option, slu_stray_f *tell,
			void *arg)
{
	struct scan s = {.tell = tell,
			 .arg = arg,
			 .shell = option || slu_script_is_shell(script)};
	bool all; /* else its first command will do */

	script += slu_byte_order_mark(script);
	all = worth_it(script);
	for (const char *p = script;
	     *p && s.reported < REPORTED_MAX && (all || !s.command);) {
		const char *next = p + strcspn(p, "\n"), *first;

		s.line++;
		s.end = next > p && next[-1] == '\r' ? next - 1 : next;
		first = slu_stray_skip_blanks(p, s.end);
		if (!option)
			read_line(&s, p);
		else if (first < s.end && *first == '#')
			look(&s, first, false, false);
		p = next + (*next == '\n');
	}
	tell_doubts(&s);
}

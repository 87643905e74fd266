/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shows a user the line that has a mistake, with a caret below the wrong word.
 * An error has only its text and a line number, so the place is found from the
 * text: by "(column 14)", by a word of the line at the beginning of the
 * sentence, in quotes or as key=value, or by the words before its colons, as in
 * "line 2: stage_in: source: ...", each after the previous one. Where none of
 * these is in the line, the error stands alone.
 */
#include "config.h"
#include "burst_buffer/request/request.h"

#include <stdlib.h>
#include <string.h>
#include "common/str.h"
#include "common/width.h"

#define ROOM   60 /* columns of a line: sbatch's name comes before them */
#define WRONG  24 /* of these, at least so many from the wrong word on */
#define INDENT "    "
#define CUT    "..."
#define OPTION "--bb: "
#define ENDS   " \t;=\""

struct mark {
	const char *at; /* NULL: the line does not have it */
	size_t len;
};

/* The line of this number, of which the caller has a copy to free; NULL: there
 * is none. */
static char *line_of(const char *text, unsigned long number)
{
	while (text && --number > 0) {
		text = strchr(text, '\n');
		text += text != NULL;
	}
	return text ? slu_asprintf("%.*s", (int)strcspn(text, "\r\n"), text)
		    : NULL;
}

static bool ends(char c)
{
	return !c || strchr(ENDS, c);
}

/* Finds a whole word in the line, from `from` on. */
static struct mark find_word(const char *line, const char *from,
			     const char *word, size_t len)
{
	for (const char *p = from; len; p++) {
		p = memmem(p, strlen(p), word, len);
		if (!p)
			break;
		if ((p == line || ends(p[-1])) && ends(p[len]))
			return (struct mark){p, len};
	}
	return (struct mark){NULL, 0};
}

/* "(column 14)", which counts characters. */
static struct mark by_column(const char *line, const char *said)
{
	static const char word[] = " (column ";
	const char *p = strstr(said, word);
	unsigned long n = p ? strtoul(p + strlen(word), NULL, 10) : 0;

	if (!n)
		return (struct mark){NULL, 0};
	for (p = line; *p; p++)
		if (((unsigned char)*p & 0xc0) != 0x80 && --n == 0)
			break;
	return (struct mark){p, strcspn(p, ENDS)};
}

/* Finds the text that the sentence has before a colon, or its last word. */
static struct mark find_words(const char *line, const char *from,
			      const char *said, size_t len)
{
	const char *blank = memrchr(said, ' ', len);
	struct mark all = find_word(line, from, said, len);

	return all.at || !blank ? all
				: find_word(line, from, blank + 1,
					    len - (size_t)(blank + 1 - said));
}

/* Finds the last of the sentence's words before colons that is in the line.
 * *rest: the text after the last colon. */
static struct mark by_words(const char *line, const char *said,
			    const char **rest)
{
	struct mark last = {NULL, 0}, one;
	const char *colon;

	for (; (colon = strstr(said, ": ")); said = colon + 2) {
		one = find_words(line, last.at ? last.at + last.len : line,
				 said, (size_t)(colon - said));
		if (one.at)
			last = one;
	}
	*rest = said;
	return last;
}

/* Finds the word with which the sentence begins, or else the first of its words
 * in quotes or of the form key=value or key= that is in the line. */
static struct mark by_quote(const char *line, const char *from,
			    const char *said)
{
	struct mark found = find_word(line, from, said, strcspn(said, " "));
	size_t len;

	for (; *said && !found.at; said += len + (said[len] != '\0')) {
		const bool quoted = *said == '"';

		said += quoted;
		len = strcspn(said, quoted ? "\"" : " ;,");
		if (quoted || memchr(said, '=', len))
			found = find_word(line, from, said,
					  len - (len && said[len - 1] == '='));
	}
	return found;
}

static struct mark find(const char *line, const char *said)
{
	struct mark mark = by_column(line, said), quoted;
	const char *rest;

	if (mark.at)
		return mark;
	mark = by_words(line, said, &rest);
	quoted = by_quote(line, mark.at ? mark.at : line, rest);
	return quoted.at ? quoted : mark;
}

static void fill(struct slu_buf *out, char c, size_t n)
{
	while (n--)
		slu_buf_add(out, &c, 1);
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* before: the text before the mark; word: the marked text. Of a line that is
 * too wide, only the part around the mark. */
static void show(const char *line, const char *before, const char *word,
		 struct slu_buf *out)
{
	const size_t at = slu_width(before), width = slu_width(word);
	const size_t rest = slu_width(line + strlen(before));
	const size_t most = ROOM - least(rest, WRONG); /* before it */
	const size_t from = at > most ? slu_width_prefix(before, at - most) : 0;
	const size_t end = from + slu_width_prefix(line + from, ROOM);
	const size_t left = slu_width(before + from);

	slu_buf_printf(out, "\n" INDENT "%s%.*s%s\n" INDENT, from ? CUT : "",
		       (int)(end - from), line + from, line[end] ? CUT : "");
	fill(out, ' ', left + (from ? strlen(CUT) : 0));
	slu_buf_puts(out, "^");
	fill(out, '~', width ? least(width, ROOM - left) - 1 : 0);
}

static void show_mark(const char *line, const struct mark *mark,
		      struct slu_buf *out)
{
	char *before = slu_asprintf("%.*s", (int)(mark->at - line), line);
	char *word = slu_asprintf("%.*s", (int)mark->len, mark->at);

	if (before && word)
		show(line, before, word, out);
	free(word);
	free(before);
}

static bool quote(const char *text, unsigned long number, const char *said,
		  struct slu_buf *out)
{
	char *line = line_of(text, number);
	struct mark mark = {NULL, 0};

	if (line) {
		slu_one_line(line);
		mark = find(line, said);
		if (mark.at)
			show_mark(line, &mark, out);
	}
	free(line);
	return mark.at;
}

/* A mistake without a line number is in a --bb of one line. With a number it
 * may be in --bb or in the script: whichever has its words is shown. */
static void quote_one(const char *said, const char *option, const char *script,
		      struct slu_buf *out)
{
	const bool of_option = !strncmp(said, OPTION, strlen(OPTION));
	unsigned long number = 0;
	char *end;

	said += of_option ? strlen(OPTION) : 0;
	if (!strncmp(said, "line ", 5)) {
		number = strtoul(said + 5, &end, 10);
		said = !strncmp(end, ": ", 2) ? end + 2 : said;
	}
	if (*said == '"') /* the sentence quotes the line itself */
		return;
	if (number && !of_option && quote(script, number, said, out))
		return;
	if (number || !option || !strchr(option, '\n'))
		quote(option, number ? number : 1, said, out);
}

char *slu_request_quote(const char *mistakes, const char *option,
			const char *script)
{
	struct slu_buf out = {0};

	for (const char *p = mistakes; *p;) {
		const size_t len = strcspn(p, "\n");
		char *one = slu_asprintf("%.*s", (int)len, p);

		slu_buf_printf(&out, "%s%s", p > mistakes ? "\n" : "",
			       one ? one : "");
		if (one)
			quote_one(one, option, script, &out);
		free(one);
		p += len + (p[len] == '\n');
	}
	return slu_buf_steal(&out);
}

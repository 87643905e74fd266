/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guesses what a line of a script that is no request was meant for: a misspelt
 * #BB or #DW, an #SBATCH --bb that comes too late, a line for another plugin.
 * Looks only at the line itself; stray.c knows where in the script it stands.
 */
#include "config.h"
#include "burst_buffer/request/script/stray_meaning.h"
#include "burst_buffer/request/script/lookalike.h"
#include "burst_buffer/request/verbs/grammar.h"

#include <ctype.h>
#include <string.h>

#define OPTION_MAX 4096 /* bytes in which an option is looked for */
#define WORD_MAX   24	/* every verb and key is shorter */

static bool blank(char c)
{
	return c == ' ' || c == '\t';
}

const char *slu_stray_skip_blanks(const char *p, const char *end)
{
	while (p < end && blank(*p))
		p++;
	return p;
}

/* The word at p, in lower case; returns what follows it. */
static const char *read_word(const char *p, const char *end,
			     char word[WORD_MAX])
{
	size_t n = 0;

	while (p + n < end && n + 1 < WORD_MAX &&
	       strchr(SLU_WORD_CHARS, p[n])) {
		word[n] = (char)tolower((unsigned char)p[n]);
		n++;
	}
	word[n] = '\0';
	return p + n;
}

bool slu_stray_asks(const char *p, const char *end, bool loose)
{
	char word[WORD_MAX];
	bool verb;

	p = read_word(slu_stray_skip_blanks(p, end), end, word);
	if (p < end && *p == '=')
		return loose ? slu_request_is_key(word)
			     : !strcmp(word, "capacity");
	verb = (p == end || blank(*p) || *p == ';') &&
	       slu_request_is_verb(word);
	if (!verb && !loose)
		return false;
	while (p < end && !blank(*p))
		p++;
	p = slu_stray_skip_blanks(p, end);
	if (p == end)
		return verb && loose;
	p = read_word(p, end, word);
	return p < end && *p == '=' && slu_request_is_key(word);
}

/* #SBATCH with an option for us, at p behind the #. */
static bool is_option(const char *p, const char *end)
{
	if (end - p < 6 || strncmp(p, "SBATCH", 6))
		return false;
	if (end - p > OPTION_MAX)
		end = p + OPTION_MAX;
	p = memmem(p, (size_t)(end - p), "--bb", 4);
	if (!p || !blank(p[-1]))
		return false;
	p += 4 + (p + 4 < end && p[4] == 'f');
	return p < end && (blank(*p) || *p == '=');
}

bool slu_stray_begins(const char *p, const char *end)
{
	return is_option(p + 1, end) || slu_behind_magic(p + 1, end);
}

const char *slu_stray_skip_strange(const char *p, const char *end)
{
	while (p < end && !slu_behind_letter(p, '#') &&
	       (blank(*p) || (unsigned char)*p >= 0x80 ||
		iscntrl((unsigned char)*p)))
		p++;
	return p;
}

/* Past what stands between #BB and a request. */
static const char *skip_between(const char *p, const char *end)
{
	const char *rest = slu_stray_skip_strange(p, end);

	return rest == p && p < end && ispunct((unsigned char)*p) && *p != '_'
		       ? p + 1
		       : rest;
}

enum slu_stray_why slu_stray_meant(const char *p, const char *end)
{
	const char *magic = p + 1, *rest = slu_behind_magic(magic, end);
	bool near = strncmp(magic, "BB", 2) && strncmp(magic, "DW", 2);

	if (is_option(p + 1, end))
		return SLU_STRAY_LATE;
	if (!near && end - rest >= 4 && !strncmp(magic, "BB_LUA", 6) &&
	    (end - rest == 4 || blank(rest[4])))
		return slu_stray_skip_blanks(rest + 4, end) < end
			       ? SLU_STRAY_LUA
			       : SLU_STRAY_FINE;
	near |= !blank(*rest);
	return slu_stray_asks(near ? skip_between(rest, end) : rest, end, !near)
		       ? near ? SLU_STRAY_NEAR : SLU_STRAY_LATE
		       : SLU_STRAY_FINE;
}

const char *slu_stray_magic(const char *p, const char *end)
{
	if (is_option(p + 1, end))
		return "SBATCH";
	return slu_behind_letter(slu_find_magic(p + 1, end), 'D') ? "DW" : "BB";
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scans JSON text token by token, by the grammar of RFC 8259, to find what
 * json-c would accept although it is not JSON.
 */
#include "config.h"
#include "common/jsonlex.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* Each skips the token that begins at `at`, and returns its end; `at` if there
 * is none. */

static size_t digits(const char *text, size_t len, size_t at)
{
	while (at < len && isdigit((unsigned char)text[at]))
		at++;
	return at;
}

static size_t number(const char *text, size_t len, size_t at)
{
	size_t whole = at + (text[at] == '-'), end, from;

	end = digits(text, len, whole);
	if (end == whole || (text[whole] == '0' && end > whole + 1))
		return at;
	if (end < len && text[end] == '.') {
		from = end + 1;
		end = digits(text, len, from);
		if (end == from)
			return at;
	}
	if (end < len && (text[end] == 'e' || text[end] == 'E')) {
		from = end + 1;
		if (from < len && (text[from] == '+' || text[from] == '-'))
			from++;
		end = digits(text, len, from);
		if (end == from)
			return at;
	}
	return end;
}

static size_t string(const char *text, size_t len, size_t at)
{
	size_t end = at + 1;

	while (end < len && text[end] != '"')
		end += text[end] == '\\' ? 2 : 1;
	return end < len ? end + 1 : at;
}

static size_t word(const char *text, size_t len, size_t at, const char *word)
{
	size_t n = strlen(word);

	return len - at >= n && !memcmp(text + at, word, n) ? at + n : at;
}

static size_t token(const char *text, size_t len, size_t at)
{
	switch (text[at]) {
	case '"':
		return string(text, len, at);
	case 't':
		return word(text, len, at, "true");
	case 'f':
		return word(text, len, at, "false");
	case 'n':
		return word(text, len, at, "null");
	default:
		return strchr("{}[]:, \t\n\r", text[at]) && text[at]
			       ? at + 1
			       : number(text, len, at);
	}
}

size_t slu_json_lax(const char *text, size_t len)
{
	bool comma = false; /* before this */
	size_t next;

	for (size_t at = 0; at < len; at = next) {
		char c = text[at];

		next = token(text, len, at);
		if (next == at || (comma && (c == ']' || c == '}')))
			return at;
		if (!isspace((unsigned char)c))
			comma = c == ',';
	}
	return len;
}

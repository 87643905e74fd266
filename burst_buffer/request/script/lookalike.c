/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recognises characters that people mistake for others, so that a line or a
 * value that was pasted does not silently mean something else: special or
 * invisible blanks from web pages and word processors, letters of other
 * alphabets in #BB and #DW, and {a,b}, which only a shell expands.
 */
#include "config.h"
#include "burst_buffer/request/script/lookalike.h"
#include <ctype.h>
#include <string.h>
#include "common/str.h"

/* What looks like #, B, D or W, from other alphabets. */
static const struct {
	char is;
	const char *like;
} alike[] = {
	{'#', "\xef\xbc\x83"}, {'#', "\xef\xb9\x9f"}, {'B', "\xef\xbc\xa2"},
	{'b', "\xef\xbd\x82"}, {'B', "\xd0\x92"},     {'B', "\xce\x92"},
	{'D', "\xef\xbc\xa4"}, {'d', "\xef\xbd\x84"}, {'W', "\xef\xbc\xb7"},
	{'w', "\xef\xbd\x97"}, {'W', "\xd4\x9c"},
};

const char *slu_behind_letter(const char *p, char letter)
{
	if (toupper((unsigned char)*p) == letter)
		return p + 1;
	for (size_t i = 0; i < sizeof(alike) / sizeof(*alike); i++)
		if (toupper(alike[i].is) == letter &&
		    !strncmp(p, alike[i].like, strlen(alike[i].like)))
			return p + strlen(alike[i].like);
	return NULL;
}

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

static const char *skip_invisible(const char *p, const char *end)
{
	while (p < end && slu_invisible(p))
		p += slu_invisible(p);
	return p;
}

const char *slu_find_magic(const char *p, const char *end)
{
	const char *next = p;

	do {
		p = next;
		next = skip_blanks(skip_invisible(p, end), end);
	} while (next > p);
	return p;
}

const char *slu_behind_magic(const char *p, const char *end)
{
	static const char *const magics[] = {"BB", "DW"};

	for (int i = 0; i < 2; i++) {
		const char *at = slu_find_magic(p, end);

		for (const char *m = magics[i]; at && *m; m++)
			at = slu_behind_letter(skip_invisible(at, end), *m);
		if (at && at < end)
			return at;
	}
	return NULL;
}

void slu_shown(const char *p, const char *end, char out[SLU_SHOWN])
{
	size_t n = 0;

	for (; p < end && n + 1 < SLU_SHOWN; p++)
		if (*p >= ' ' && *p <= '~')
			out[n++] = *p;
		else if (!n || out[n - 1] != '?')
			out[n++] = '?';
	out[n] = '\0';
}

/* {a,b} of a shell; ${a} is a variable. */
static bool has_braces(const char *p)
{
	size_t n = strcspn(p, "} \t\n");

	return *p == '{' && p[n] == '}' && memchr(p, ',', n);
}

int slu_hardly_meant(const char *p, struct slu_err *err)
{
	if (slu_invisible(p))
		return slu_err(err, SLU_INVALID,
			       "there is a character in it that cannot be "
			       "seen, as pages and editors put them for a "
			       "blank; put the value in double quotes if it "
			       "is meant");
	if (has_braces(p))
		return slu_err(err, SLU_INVALID,
			       "{a,b} is not expanded here, only *, ? and [] "
			       "are: write a line for each, or put the value "
			       "in double quotes if the braces are meant");
	return 0;
}

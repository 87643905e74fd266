/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures the widths of characters on a terminal, with the C library's
 * wcwidth(3) in a UTF-8 locale.
 */
#include "config.h"
#include "common/width.h"

#include <locale.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

#define WIDE		2
#define EMOJI_VARIATION 0xfe0f /* makes the character before it wide */

static int unit(const unsigned char **s)
{
	return **s ? *(*s)++ & 0x3f : 0;
}

/* The character at *s; moves *s behind it. */
static wchar_t next(const unsigned char **s)
{
	int c = *(*s)++;

	for (int more = c < 0xc0   ? 0
			: c < 0xe0 ? (c &= 0x1f, 1)
			: c < 0xf0 ? (c &= 0x0f, 2)
				   : (c &= 0x07, 3);
	     more > 0; more--)
		c = c << 6 | unit(s);
	return c;
}

static size_t columns_of(wchar_t c)
{
	int n = c == EMOJI_VARIATION ? 1 : wcwidth(c);

	return n < 0 ? WIDE : (size_t)n;
}

/* Counts characters that fit into so many columns, and their width. */
static size_t measure(const char *text, size_t most, size_t *columns)
{
	const unsigned char *s = (const unsigned char *)text, *end = s;

	*columns = 0;
	while (*s) {
		size_t n = columns_of(next(&s));

		if (n > most - *columns)
			break;
		*columns += n;
		end = s;
	}
	return (size_t)(end - (const unsigned char *)text);
}

static size_t measure_in_utf8(const char *text, size_t most, size_t *columns)
{
	locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
	size_t end = measure(text, most, columns);

	if (utf8) {
		uselocale(before);
		freelocale(utf8);
	}
	return end;
}

/* Most texts are ASCII, which needs no look-up. */
static size_t ascii(const char *text, size_t most)
{
	size_t n = 0;

	while (n < most && text[n] && !(text[n] & 0x80))
		n++;
	return n;
}

size_t slu_width(const char *text)
{
	size_t n = ascii(text, SIZE_MAX), rest = 0;

	if (text[n])
		measure_in_utf8(text + n, SIZE_MAX, &rest);
	return n + rest;
}

size_t slu_width_prefix(const char *text, size_t columns)
{
	size_t n = ascii(text, columns), rest;

	if (text[n] & 0x80)
		n += measure_in_utf8(text + n, columns - n, &rest);
	return n;
}

size_t slu_width_line(const char *text, size_t columns)
{
	size_t fits = slu_width_prefix(text, columns), n = fits;

	if (!text[fits])
		return fits;
	while (n && text[n] != ' ')
		n--;
	return n ? n : fits ? fits : strlen(text);
}

void slu_width_cut(char *text, size_t columns)
{
	if (slu_width(text) <= columns)
		return;
	text += columns ? slu_width_prefix(text, columns - 1) : 0;
	strcpy(text, columns ? SLU_ELLIPSIS : "");
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Strings and growing buffers. Invariant of a buffer: data is NULL, or
 * data[len] is NUL and len < cap; len never exceeds the limit. A buffer that
 * has failed keeps its content, and further additions do nothing.
 */
#include "config.h"
#include "common/str.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DEFAULT_MAX ((size_t)1 << 30)
#define FIRST_CAP   64

/* Make room for `more` bytes and the final NUL. */
static bool reserve(struct slu_buf *buf, size_t more)
{
	size_t max = buf->max ? buf->max : DEFAULT_MAX;
	size_t cap = buf->cap ? buf->cap : FIRST_CAP;
	char *data;

	if (max > SIZE_MAX / 2)
		max = SIZE_MAX / 2; /* so that no sum below can overflow */
	if (buf->failed || buf->len > max || more > max - buf->len)
		goto fail;
	while (cap < buf->len + more + 1)
		cap *= 2;
	if (cap == buf->cap)
		return true;
	data = realloc(buf->data, cap);
	if (!data)
		goto fail;
	buf->data = data;
	buf->cap = cap;
	return true;
fail:
	buf->failed = true;
	return false;
}

void slu_buf_add(struct slu_buf *buf, const void *data, size_t len)
{
	if (!reserve(buf, len))
		return;
	if (len)
		memcpy(buf->data + buf->len, data, len);
	buf->len += len;
	buf->data[buf->len] = '\0';
}

#define FOLDED "    " /* indentation of a continued line */

/* Where to break a line: at the last blank within so many bytes, else at the
 * first one behind its first word; its length if there is none. */
static size_t fold_at(const char *line, size_t len, size_t most)
{
	const size_t front = strspn(line, " ");
	size_t at = most < len ? most : len;

	while (at < len && at > front && line[at] != ' ')
		at--;
	if (at == len || at > front)
		return at;
	at = front + strcspn(line + front, " \n");
	return at < len ? at : len;
}

void slu_buf_fold(struct slu_buf *buf, const char *text, size_t columns)
{
	size_t len, at, room = columns;

	for (; *text; text += at) {
		len = strcspn(text, "\n");
		at = fold_at(text, len, room);
		slu_buf_add(buf, text, at);
		at += strspn(text + at, " ");
		slu_buf_puts(buf, "\n");
		room = columns;
		if (text[at] == '\n') {
			at++;
		} else if (text[at]) {
			slu_buf_puts(buf, FOLDED);
			room -= strlen(FOLDED);
		}
	}
}

char *slu_buf_room(struct slu_buf *buf, size_t n)
{
	return reserve(buf, n) ? buf->data + buf->len : NULL;
}

void slu_buf_puts(struct slu_buf *buf, const char *text)
{
	slu_buf_add(buf, text, strlen(text));
}

/* Usually there is room, so that it is formatted only once. */
void slu_buf_printf(struct slu_buf *buf, const char *fmt, ...)
{
	size_t room = buf->cap - buf->len;
	char *end = room ? buf->data + buf->len : NULL;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(end, room, fmt, ap);
	va_end(ap);
	if (len < 0 || !reserve(buf, (size_t)len)) {
		buf->failed = true;
		if (end)
			*end = '\0';
		return;
	}
	if ((size_t)len >= room) {
		va_start(ap, fmt);
		vsnprintf(buf->data + buf->len, (size_t)len + 1, fmt, ap);
		va_end(ap);
	}
	buf->len += (size_t)len;
}

void slu_buf_reset(struct slu_buf *buf)
{
	buf->failed = false;
	slu_buf_cut(buf, 0);
}

void slu_buf_cut(struct slu_buf *buf, size_t n)
{
	buf->len = n;
	if (buf->data)
		buf->data[n] = '\0';
}

void slu_buf_drop(struct slu_buf *buf, size_t n)
{
	if (n == 0)
		return;
	buf->len -= n;
	memmove(buf->data, buf->data + n, buf->len + 1);
}

void slu_buf_free(struct slu_buf *buf)
{
	free(buf->data);
	*buf = (struct slu_buf){0};
}

char *slu_buf_steal(struct slu_buf *buf)
{
	char *text = NULL;

	slu_buf_add(buf, "", 0); /* an empty buffer becomes "" */
	if (!buf->failed) {
		text = buf->data;
		buf->data = NULL;
	}
	slu_buf_free(buf);
	return text;
}

char *slu_asprintf(const char *fmt, ...)
{
	char *text;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	return len < 0 ? NULL : text;
}

bool slu_copy(char *dst, size_t size, const char *src)
{
	size_t n = src ? strnlen(src, size) : 0;
	bool fits = n < size;

	if (!size)
		return false;
	n -= !fits;
	if (n)
		memmove(dst, src, n);
	dst[n] = '\0';
	return fits;
}

size_t slu_byte_order_mark(const char *text)
{
	static const char mark[] = "\xef\xbb\xbf";

	return strncmp(text, mark, sizeof(mark) - 1) ? 0 : sizeof(mark) - 1;
}

size_t slu_invisible(const char *text)
{
	/* Ranges of two or three bytes, each with the last value of its last
	 * byte. */
	static const struct {
		const char *first;
		unsigned char last;
	} all[] = {{"\xc2\x85", 0x85},	   {"\xc2\xa0", 0xa0},
		   {"\xc2\xad", 0xad},	   {"\xe1\x9a\x80", 0x80},
		   {"\xe1\xa0\x8e", 0x8e}, {"\xe2\x80\x80", 0x8f},
		   {"\xe2\x80\xa8", 0xaf}, {"\xe2\x81\x9f", 0xaf},
		   {"\xe3\x80\x80", 0x80}, {"\xef\xbb\xbf", 0xbf}};

	if (!((unsigned char)*text & 0x80)) /* as nearly all are */
		return 0;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		const char *first = all[i].first;
		size_t n = strlen(first) - 1;

		if (!strncmp(text, first, n) &&
		    (unsigned char)text[n] >= (unsigned char)first[n] &&
		    (unsigned char)text[n] <= all[i].last)
			return n + 1;
	}
	return 0;
}

char *slu_trim(char *s)
{
	char *end;

	while (isspace((unsigned char)*s))
		s++;
	end = s + strlen(s);
	while (end > s && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	return s;
}

bool slu_eq(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

bool slu_is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 && (!path[n] || path[n] == '/');
}

bool slu_has_word(const char *list, const char *word)
{
	size_t n;

	for (; *list; list += n) {
		list += strspn(list, " ");
		n = strcspn(list, " ");
		if (n && n == strlen(word) && !memcmp(list, word, n))
			return true;
	}
	return false;
}

bool slu_is_listed(const char *list, const char *word)
{
	size_t n = strlen(word), len;

	for (; *list; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		if (len == n && strncasecmp(list, word, n) == 0)
			return true;
	}
	return false;
}

size_t slu_split(char *s, const char *seps, char **out, size_t max)
{
	size_t n = 0;

	for (char *save, *p = strtok_r(s, seps, &save); p;
	     p = strtok_r(NULL, seps, &save)) {
		if (n == max)
			return max + 1;
		out[n++] = p;
	}
	return n;
}

#define WORD_MAX 63

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;

	return m < c ? m : c;
}

/* Levenshtein's distance by rows; b is at most WORD_MAX long. */
static size_t distance(const char *a, const char *b)
{
	size_t row[WORD_MAX + 1], n = strlen(b);

	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 1; *a; i++, a++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			bool same = tolower((unsigned char)*a) ==
				    tolower((unsigned char)b[j - 1]);
			size_t replace = diagonal + !same;

			diagonal = row[j];
			row[j] = min3(replace, row[j] + 1, row[j - 1] + 1);
		}
	}
	return row[n];
}

bool slu_list_word(const char *list, size_t i, char *out, size_t size)
{
	for (; i && *list; i--) {
		list += strcspn(list, ",");
		list += *list == ',';
	}
	snprintf(out, size, "%.*s", (int)strcspn(list, ","), list);
	return *out;
}

const char *slu_nearest(const char *word, const char *const *words)
{
	const char *nearest = NULL;
	size_t len = strlen(word), best = len / 2 + 1;

	if (len > WORD_MAX)
		return NULL;
	for (; *words; words++) {
		size_t d = distance(*words, word);

		if (d < best) {
			best = d;
			nearest = *words;
		}
	}
	return nearest;
}

/* Bytes of the character at s; 0: it is none (RFC 3629: none is longer than it
 * need be, a surrogate, or beyond U+10FFFF). */
static size_t utf8_length(const unsigned char *s)
{
	size_t n = s[0] < 0x80	 ? 1
		   : s[0] < 0xc2 ? 0
		   : s[0] < 0xe0 ? 2
		   : s[0] < 0xf0 ? 3
		   : s[0] < 0xf5 ? 4
				 : 0;

	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

void slu_utf8_clean(char *s)
{
	while (*s) {
		size_t n = utf8_length((unsigned char *)s);

		if (!n)
			*s = '?';
		s += n ? n : 1;
	}
}

/* Does the character at s control a terminal: a control character, an end of
 * line (U+2028, U+2029), one that marks a direction (U+061C, U+200E, U+200F),
 * embeds, overrides (U+202A to U+202E) or isolates (U+2066 to U+2069)? */
static bool commands(const unsigned char *s)
{
	switch (s[0]) {
	case 0xc2:
		return s[1] < 0xa0;
	case 0xd8:
		return s[1] == 0x9c;
	case 0xe2:
		return (s[1] == 0x80 && s[2] >= 0xa8 && s[2] <= 0xae) ||
		       (s[1] == 0x80 && (s[2] == 0x8e || s[2] == 0x8f)) ||
		       (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9);
	default:
		return s[0] < ' ' || s[0] == 0x7f;
	}
}

size_t slu_terminal_control(const char *text, size_t len, unsigned *code)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t n;

	if (len == 0 || s[0] < 0x7f)
		return 0;
	n = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : 3;
	if (n > len || !commands(s))
		return 0;
	*code = n == 1	 ? s[0]
		: n == 2 ? (s[0] & 0x1fu) << 6 | (s[1] & 0x3fu)
			 : (s[0] & 0x0fu) << 12 | (s[1] & 0x3fu) << 6 |
				   (s[2] & 0x3fu);
	return n;
}

char *slu_printable(char *s)
{
	unsigned char *c = (unsigned char *)s;

	slu_utf8_clean(s);
	for (size_t n; *c; c += n) {
		n = utf8_length(c);
		if (commands(c))
			memset(c, '?', n);
	}
	return s;
}

char *slu_one_line(char *s)
{
	for (char *c = s; *c; c++)
		if ((unsigned char)*c < ' ')
			*c = ' ';
	return slu_printable(s);
}

void slu_strv_free(char **v)
{
	for (char **p = v; p && *p; p++)
		free(*p);
	free(v);
}

size_t slu_strv_len(char *const *v)
{
	size_t n = 0;

	while (v && v[n])
		n++;
	return n;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses and formats the text of an index, and finds the part of an offset. */
#include "config.h"
#include "select_io/segments/index.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Parses a decimal number followed by `end`; NULL: there is none. */
static const char *number(const char *at, const char *stop, char end,
			  uint64_t *out)
{
	uint64_t v = 0;
	int digits = 0;

	for (; at < stop && *at >= '0' && *at <= '9' && digits < 19; digits++)
		v = v * 10 + (uint64_t)(*at++ - '0');
	if (digits == 0 || at == stop || *at != end || v > INT64_MAX)
		return NULL;
	*out = v;
	return at + 1;
}

bool slu_segments_peek(const char *text, size_t len, uint64_t *size)
{
	size_t n = strlen(SLU_SEGMENTS_MAGIC);

	return len > n && !memcmp(text, SLU_SEGMENTS_MAGIC, n) &&
	       number(text + n, text + len, '\n', size);
}

/* Is it a normalised relative path: no component is empty, "." or ".."? */
static bool is_below(const char *name)
{
	size_t n;

	do {
		n = strcspn(name, "/");
		if (n == 0 || (n == 1 && name[0] == '.') ||
		    (n == 2 && name[0] == '.' && name[1] == '.'))
			return false;
		name += n;
	} while (*name++ == '/');
	return true;
}

static const char *take(const char *at, const char *stop, struct slu_segment *s)
{
	const char *end;

	at = number(at, stop, ' ', &s->size);
	end = at ? memchr(at, '\n', (size_t)(stop - at)) : NULL;
	if (!end || (size_t)(end - at) >= sizeof(s->name) ||
	    memchr(at, '\0', (size_t)(end - at)))
		return NULL;
	memcpy(s->name, at, (size_t)(end - at));
	s->name[end - at] = '\0';
	return is_below(s->name) ? end + 1 : NULL;
}

bool slu_segments_parse(const char *text, size_t len, struct slu_segments *out)
{
	const char *at = memchr(text, '\n', len), *stop = text + len;
	uint64_t sum = 0;

	out->n = 0;
	if (!slu_segments_peek(text, len, &out->size))
		return false;
	for (at++; at < stop; out->n++) {
		struct slu_segment *s = &out->part[out->n];

		if (out->n == SLU_SEGMENTS_MAX)
			return false;
		at = take(at, stop, s);
		if (!at || s->size == 0 || s->size > INT64_MAX - sum)
			return false;
		s->begin = sum;
		sum += s->size;
	}
	return sum == out->size;
}

size_t slu_segments_text(const struct slu_segments *segments, char *text,
			 size_t size)
{
	size_t n = (size_t)snprintf(
		text, size, SLU_SEGMENTS_MAGIC "%" PRIu64 "\n", segments->size);

	for (size_t i = 0; i < segments->n && n < size; i++)
		n += (size_t)snprintf(text + n, size - n, "%" PRIu64 " %s\n",
				      segments->part[i].size,
				      segments->part[i].name);
	return n < size ? n : 0;
}

size_t slu_segments_find(const struct slu_segments *segments, uint64_t at)
{
	size_t i = 0;

	while (i < segments->n &&
	       at >= segments->part[i].begin + segments->part[i].size)
		i++;
	return i;
}

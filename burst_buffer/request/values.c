/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Helpers for setters of keys: check words and numbers, and suggest the right
 * word where an unknown one is given, by its spelling or as other programs call
 * it (size for capacity).
 */
#include "config.h"
#include "burst_buffer/request/values.h"

#include <stdlib.h>
#include <string.h>
#include "common/size.h"
#include "common/str.h"

int slu_set_word(char **field, const char *value, struct slu_err *err)
{
	char *copy = strdup(value);

	if (!copy)
		return slu_err(err, SLU_NOMEM, "out of memory");
	free(*field);
	*field = copy;
	return 0;
}

size_t slu_plain(const char *p, const char *end)
{
	const size_t n = strspn(p, SLU_PLAIN_CHARS), left = (size_t)(end - p);

	return n < left ? n : left;
}

/* The one of `words` that other programs call `value`, or NULL. */
static const char *called(const char *value, const char *const *words)
{
	static const char *const names[][2] = {
		{"size", "capacity"},	{"space", "capacity"},
		{"src", "source"},	{"from", "source"},
		{"dst", "destination"}, {"dest", "destination"},
		{"to", "destination"},	{"target", "destination"},
		{"filesystem", "type"}, {"fs", "type"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		for (size_t k = 0; words[k]; k++)
			if (strcmp(names[i][0], value) == 0 &&
			    strcmp(names[i][1], words[k]) == 0)
				return words[k];
	return NULL;
}

int slu_not_known(const char *before, const char *value, const char *after,
		  const char *const *words, const char *lead,
		  struct slu_err *err)
{
	const char *near;
	struct slu_buf all = {.max = 300};

	if (!err)
		return -1;
	near = called(value, words);
	if (!near)
		near = slu_nearest(value, words);
	for (int i = 0; !near && words[i]; i++)
		slu_buf_printf(&all, "%s%s", i ? ", " : "", words[i]);
	slu_err(err, SLU_INVALID, "%s\"%.64s\"%s; %s%s", before, value, after,
		near ? "did you mean " : lead,
		near	   ? near
		: all.data ? all.data
			   : "");
	slu_buf_free(&all);
	return -1;
}

int slu_choose(const char *value, const char *const *words, struct slu_err *err)
{
	for (int i = 0; words[i]; i++)
		if (strcmp(value, words[i]) == 0)
			return i;
	return slu_not_known("", value, " is not known", words, "it may be ",
			     err);
}

bool slu_set_number(const char *value, uint32_t *out)
{
	if (strlen(value) > 6 || value[strspn(value, "0123456789")])
		return false;
	*out = (uint32_t)strtoul(value, NULL, 10);
	return true;
}

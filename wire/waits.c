/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names the reasons why jobs wait, and prints and parses how long they waited
 * for each ("0:10:00 for storage").
 */
#include "config.h"
#include "wire/waits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/str.h"

static const struct {
	const char *name, *words;
} waits[SLU_N_WAIT] = {
	[SLU_WAIT_STORAGE] = {"storage", "storage"},
	[SLU_WAIT_PROMISED] = {"promised-storage", "promised storage"},
	[SLU_WAIT_PERSISTENT] = {"persistent-buffer", "a persistent buffer"},
	[SLU_WAIT_INPUT] = {"input", "its input"},
	[SLU_WAIT_RUN] = {"earlier-run", "its earlier run"},
	[SLU_WAIT_SLUICED] = {"sluiced", "sluiced"},
	[SLU_WAIT_BANDWIDTH] = {"bandwidth", "bandwidth"},
	[SLU_WAIT_METADATA] = {"metadata", "metadata operations"},
};

const char *slu_wait_name(enum slu_wait wait)
{
	return wait < SLU_N_WAIT ? waits[wait].name : NULL;
}

const char *slu_waited_print(const struct slu_waited *waited, int64_t least,
			     char text[SLU_WAITS_TEXT])
{
	size_t n = 0;

	*text = '\0';
	for (int i = 0; i < SLU_N_WAIT; i++) {
		const int64_t s = waited->seconds[i];

		if (!waits[i].words || s <= 0 || s < least)
			continue;
		n += (size_t)snprintf(text + n, SLU_WAITS_TEXT - n,
				      "%s%lld:%02d:%02d for %s", n ? ", " : "",
				      (long long)s / 3600, (int)(s / 60 % 60),
				      (int)(s % 60), waits[i].words);
	}
	return text;
}

static enum slu_wait find(const char *words, size_t len)
{
	for (int i = 0; i < SLU_N_WAIT; i++)
		if (waits[i].words && strlen(waits[i].words) == len &&
		    !strncmp(waits[i].words, words, len))
			return (enum slu_wait)i;
	return SLU_WAIT_NOTHING;
}

bool slu_take_number(const char **text, int64_t most, int64_t *out)
{
	char *end;
	const long n = strtol(*text, &end, 10);

	if (end == *text || n > most || n < -most)
		return false;
	*text = end;
	*out = n;
	return true;
}

bool slu_take_hms(const char **text, int64_t *seconds)
{
	const char *p = *text;
	int64_t h, m, s;

	if (!slu_take_number(&p, 99999999, &h) || *p++ != ':' ||
	    !slu_take_number(&p, 99, &m) || *p++ != ':' ||
	    !slu_take_number(&p, 99, &s))
		return false;
	*text = p;
	*seconds = h * 3600 + m * 60 + s;
	return true;
}

void slu_waited_parse(const char *text, struct slu_waited *waited)
{
	static const char words[] = " for ";

	*waited = (struct slu_waited){0};
	while (text && *text) {
		const char *p = text, *end = text + strcspn(text, ",");
		int64_t s;

		if (slu_take_hms(&p, &s) &&
		    !strncmp(p, words, sizeof(words) - 1)) {
			p += sizeof(words) - 1;
			waited->seconds[find(p, (size_t)(end - p))] += s;
		}
		text = end + strspn(end, ", ");
	}
	waited->seconds[SLU_WAIT_NOTHING] = 0;
}

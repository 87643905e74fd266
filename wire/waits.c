/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names the reasons why jobs wait, and prints and parses how long they waited
 * for each ("0:10:00 for storage").
 */
#include "config.h"
#include "wire/waits.h"

#include <stdio.h>
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

void slu_waited_parse(const char *text, struct slu_waited *waited)
{
	long h, m, s;
	int used;

	*waited = (struct slu_waited){0};
	while (text && *text) {
		const size_t len = strcspn(text, ",");

		used = 0;
		if (sscanf(text, "%8ld:%2ld:%2ld for %n", &h, &m, &s, &used) ==
			    3 &&
		    used && (size_t)used <= len)
			waited->seconds[find(text + used,
					     len - (size_t)used)] +=
				(int64_t)h * 3600 + m * 60 + s;
		text += len;
		text += strspn(text, ", ");
	}
	waited->seconds[SLU_WAIT_NOTHING] = 0;
}

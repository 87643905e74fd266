/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Puts a forecast of a start into a few words. */
#include "sluiced/queue/start_sentence.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "wire/note.h"

#define NAMED 4	  /* nodes */
#define LEAST 0.1 /* probability of one that is named */
#define MARKS 16  /* bytes beside its name, and of the end */

static int64_t rounded_up(int64_t at, int64_t now)
{
	int64_t step = at - now < 3600 ? 60 : at - now < 86400 ? 600 : 3600;

	return (at + step - 1) / step * step;
}

static void put_by(struct slu_buf *out, const char *share, int64_t at)
{
	time_t t = (time_t)at;
	char text[32] = "";
	struct tm tm;

	if (localtime_r(&t, &tm))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M", &tm);
	slu_buf_printf(out, "%s %% by %s", share, text);
}

/* ".8", and "1" for what is nearly certain. */
static void put_node(struct slu_buf *out, const char *before, const char *name,
		     double share)
{
	int tenths = (int)round(share * 10);

	if (tenths >= 10)
		slu_buf_printf(out, "%s%s 1", before, name);
	else
		slu_buf_printf(out, "%s%s .%d", before, name, tenths);
}

/* The most probable node of those that are not named yet, the first of equals;
 * -1: none. `named`: n_named numbers. */
static long next_node(const struct slu_start_forecast *start, size_t n,
		      const size_t *named, size_t n_named)
{
	long best = -1;

	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (k < n_named && named[k] != i)
			k++;
		if (k == n_named && round(start->node[i] * 10) / 10 >= LEAST &&
		    (best < 0 || round(start->node[i] * 10) >
					 round(start->node[best] * 10)))
			best = (long)i;
	}
	return best;
}

static bool has_room(const struct slu_buf *out, const char *name)
{
	return out->len + strlen(name) + MARKS < SLU_NOTE_START;
}

static void put_nodes(struct slu_buf *out,
		      const struct slu_start_forecast *start,
		      const struct slu_hosts *nodes)
{
	size_t named[NAMED], n = 0;
	long at;

	while ((at = next_node(start, nodes->n, named, n)) >= 0 && n < NAMED &&
	       has_room(out, nodes->name[at])) {
		put_node(out, n ? ", " : ", on ", nodes->name[at],
			 start->node[at]);
		named[n++] = (size_t)at;
	}
	if (at >= 0)
		slu_buf_puts(out, ", ...");
}

void slu_start_sentence(const struct slu_start_forecast *start,
			const struct slu_hosts *nodes, int64_t now,
			struct slu_buf *out)
{
	int64_t half = now + slu_start_forecast_quantile(start, 0.5),
		most = now + slu_start_forecast_quantile(start, 0.9);

	put_by(out, "50", rounded_up(half, now));
	put_by(out, ", 90", rounded_up(most, now));
	if (nodes)
		put_nodes(out, start, nodes);
}

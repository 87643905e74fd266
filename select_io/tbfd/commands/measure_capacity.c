/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures how many RPCs a second a target can serve: the busiest second of an
 * observation under full load, without rules.
 */
#include "config.h"
#include "select_io/tbfd/tbfd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "common/clock.h"

#define TARGETS 256

struct seen {
	char name[64];
	double rpcs, most; /* of the last reading; the highest rate */
	double bytes, most_bytes;
	bool known;
};

static struct seen *find(struct seen *seen, const char *name)
{
	for (size_t i = 0; i < TARGETS; i++) {
		if (!*seen[i].name)
			slu_copy(seen[i].name, sizeof(seen[i].name), name);
		if (strcmp(seen[i].name, name) == 0)
			return &seen[i];
	}
	return NULL;
}

static void note(struct seen *seen, const struct slu_jobstats *stats,
		 double elapsed)
{
	bool metadata = stats->count_requests;

	for (size_t k = 0; k < stats->n_targets; k++) {
		const struct slu_jobstats_target *t = &stats->target[k];
		struct seen *s = find(seen, t->name);
		double all = 0, bytes = 0;

		for (size_t i = t->first; i < t->first + t->n; i++) {
			const struct slu_jobstat *j = &stats->job[i];

			all += (double)(metadata
						? j->requests
						: j->read_rpcs + j->write_rpcs);
			bytes += metadata ? 0
					  : (double)(j->read_bytes +
						     j->write_bytes);
		}
		if (!s)
			continue;
		if (s->known && elapsed > 0) {
			s->most = fmax(s->most, (all - s->rpcs) / elapsed);
			s->most_bytes = fmax(s->most_bytes,
					     (bytes - s->bytes) / elapsed);
		}
		s->known = true;
		s->rpcs = all;
		s->bytes = bytes;
	}
}

/* Is its rate so much lower that it needs one of its own? */
static bool is_slower(const struct seen *s, double most)
{
	return s->most >= 1 && rint(s->most) < most;
}

/* The same in bytes a second, in whole MB; as a comment. */
static void print_bytes(const struct seen *seen, struct slu_buf *out)
{
	double most = 0;

	for (const struct seen *s = seen; s < seen + TARGETS && *s->name; s++)
		most = fmax(most, rint(s->most_bytes / 1e6));
	if (most < 1)
		return;
	slu_buf_printf(out, "# RATES=\"--rate %.0fMB/s", most);
	for (const struct seen *s = seen; s < seen + TARGETS && *s->name; s++)
		if (s->most_bytes >= 1e6 && rint(s->most_bytes / 1e6) < most)
			slu_buf_printf(out, " --target-rate %s=%.0fMB/s",
				       s->name, rint(s->most_bytes / 1e6));
	slu_buf_puts(out, "\"\n");
}

/* Prints the options for the unit file, after the observations. */
static int print(const struct seen *seen, struct slu_buf *out,
		 struct slu_err *err)
{
	size_t slower = 0;
	double most = 0;

	for (const struct seen *s = seen; s < seen + TARGETS && *s->name; s++) {
		slu_buf_printf(out, "# %s %.0f\n", s->name, s->most);
		most = fmax(most, rint(s->most));
	}
	if (most < 1)
		return slu_err(err, SLU_NOTFOUND,
			       "nothing was served: measure under full load");
	for (const struct seen *s = seen; s < seen + TARGETS && *s->name; s++)
		slower += is_slower(s, most);
	if (slower > SLU_TBFD_RATES_MAX)
		return slu_err(err, SLU_INVALID,
			       "%zu targets are slower than the fastest: "
			       "--target-rate may name at most %d",
			       slower, SLU_TBFD_RATES_MAX);
	slu_buf_printf(out, "RATES=\"--rate %.0f", most);
	for (const struct seen *s = seen; s < seen + TARGETS && *s->name; s++)
		if (is_slower(s, most))
			slu_buf_printf(out, " --target-rate %s=%.0f", s->name,
				       s->most);
	slu_buf_puts(out, "\"\n");
	print_bytes(seen, out);
	return 0;
}

int slu_tbfd_measure(struct slu_lustre *lustre, double seconds,
		     struct slu_buf *out, struct slu_err *err)
{
	struct seen *seen = calloc(TARGETS, sizeof(*seen));
	struct timespec second = {.tv_sec = 1};
	struct slu_jobstats stats = {0};
	double begin = slu_now_mono(), then = begin, t = begin;
	int ret = seen ? 0 : slu_err(err, SLU_NOMEM, "targets");

	while (ret == 0) {
		ret = lustre->job_stats(lustre, &stats, err);
		t = slu_now_mono();
		if (ret == 0)
			note(seen, &stats, t - then);
		then = t;
		if (t - begin >= seconds)
			break;
		nanosleep(&second, NULL);
	}
	if (ret == 0)
		ret = print(seen, out, err);
	free(seen);
	slu_jobstats_free(&stats);
	return ret;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Initialises and configures the state of IOStart, and learns applications' I/O
 * from history.
 */
#include "config.h"
#include "ctl/iostart/iostart_private.h"

#include <stdlib.h>
#include "job_submit/name.h"

#define APPLICATIONS 16384 /* applications and users, 32 bytes each */

/* Values found with bench/iostart (bench/README.md). */
static const struct slu_admission_site rule = {
	.wait_factor = 20,
	.small = 0.01,
	.over = 1,
	.left = SLU_IO_LEFT,
};

void slu_iostart_init(struct slu_iostart *s)
{
	*s = (struct slu_iostart){0};
	pthread_mutex_init(&s->lock, NULL);
}

void slu_iostart_count_metadata(struct slu_iostart *s)
{
	s->scope = SLU_IO_OPS;
}

void slu_iostart_active(struct slu_iostart *s, int64_t now)
{
	pthread_mutex_lock(&s->lock);
	s->active = now;
	pthread_mutex_unlock(&s->lock);
}

static void free_map(struct slu_map *map)
{
	void *each;

	for (size_t i = 0; (each = slu_map_next(map, &i));)
		free(each);
	slu_map_free(map);
	*map = (struct slu_map){0};
}

void slu_iostart_fini(struct slu_iostart *s)
{
	slu_io_ran_start(&s->ran, false);
	free_map(&s->running);
	free_map(&s->waiting);
	slu_admission_free(&s->admit);
	slu_busy_times_free(&s->busy_times);
	slu_rates_free(s->rates);
	pthread_mutex_destroy(&s->lock);
}

void slu_iostart_forget(struct slu_iostart *s)
{
	pthread_mutex_lock(&s->lock);
	free_map(&s->running);
	free_map(&s->waiting);
	s->busy = s->heavy_known = false;
	slu_busy_times_free(&s->busy_times);
	s->looked = false;
	s->moved_at = s->heard = 0;
	s->reached = (struct slu_io_capacity){0};
	slu_io_set_capacity(s);
	s->n_said = 0;
	pthread_mutex_unlock(&s->lock);
}

/* Starts to learn from scratch. Without memory no job waits. */
static bool learn_anew(struct slu_iostart *s)
{
	s->taught = false;
	if (s->rates)
		slu_rates_forget(s->rates);
	else
		s->rates = slu_rates_new(APPLICATIONS, NULL);
	return s->rates;
}

void slu_iostart_unlearn(struct slu_iostart *s)
{
	pthread_mutex_lock(&s->lock);
	s->taught = s->linked = false;
	s->lost = 0;
	slu_io_ran_start(&s->ran, s->is_auto);
	if (s->rates)
		slu_rates_forget(s->rates);
	pthread_mutex_unlock(&s->lock);
}

bool slu_iostart_configure(struct slu_iostart *s, const struct slu_conf *conf)
{
	bool metadata = s->scope == SLU_IO_OPS;
	unsigned scope = metadata ? SLU_IO_OPS : conf->io_scope;
	const struct slu_io_limits *io = &conf->io[s->place];
	uint64_t most = metadata ? io->metadata : io->bandwidth;
	enum slu_io_start mode = most ? conf->io_start : SLU_IOSTART_OFF;
	bool is_auto = mode != SLU_IOSTART_OFF && most == SLU_IO_AUTO;
	bool anew = false;

	pthread_mutex_lock(&s->lock);
	s->site = rule;
	s->site.capacity = is_auto ? 0 : (double)most;
	s->site.max_wait = conf->max_io_wait;
	if (mode == SLU_IOSTART_OFF)
		free_map(&s->waiting);
	else if (s->mode == SLU_IOSTART_OFF || s->scope != scope ||
		 is_auto != s->is_auto || !slu_eq(s->fs, io->fs))
		anew = learn_anew(s);
	if (anew || !is_auto)
		slu_io_ran_start(&s->ran, is_auto);
	if (anew) {
		s->reached = (struct slu_io_capacity){0};
		s->heard = 0;
		s->ran_well = 0;
	}
	slu_copy(s->fs, sizeof(s->fs), io->fs);
	s->is_auto = is_auto;
	slu_io_set_capacity(s);
	s->mode = mode;
	s->scope = scope;
	slu_io_look_anew(s);
	pthread_mutex_unlock(&s->lock);
	return anew;
}

void slu_iostart_learn(struct slu_iostart *s, const struct slu_io_ended *run)
{
	const struct slu_job_moved moved = {
		.read_bytes = run->read_bytes,
		.written_bytes = run->written_bytes,
		.metadata_ops = run->metadata_ops,
		.by_fs = (char *)(uintptr_t)run->by_fs,
	};
	char plain[SLU_IO_NAME];
	double bytes, calm;

	if (!slu_io_is_known(s, &moved))
		return;
	slu_plain_name(run->name, plain, sizeof(plain));
	pthread_mutex_lock(&s->lock);
	bytes = slu_io_counts(s, &moved);
	calm = 1 - slu_busy_times_share(&s->busy_times, run->start, run->end);
	if (s->mode != SLU_IOSTART_OFF && s->rates)
		slu_rates_learn_disturbed(s->rates, run->uid, plain, run->nodes,
					  (double)(run->end - run->start),
					  bytes, calm);
	pthread_mutex_unlock(&s->lock);
	slu_io_ran_add(s, run, plain, bytes);
}

void slu_iostart_taught(struct slu_iostart *s)
{
	struct io_run *run;

	slu_io_ran_judge(s);
	pthread_mutex_lock(&s->lock);
	s->taught = s->rates;
	for (size_t i = 0; s->taught && (run = slu_map_next(&s->running, &i));)
		run->foretold.rate = slu_io_foretell(s, run->uid, run->name,
						     run->foretold.nodes,
						     run->foretold.seconds);
	slu_io_look_anew(s);
	pthread_mutex_unlock(&s->lock);
}

void slu_iostart_link(struct slu_iostart *s, bool up, int64_t now)
{
	pthread_mutex_lock(&s->lock);
	if (s->linked && !up)
		s->lost = now;
	s->linked = up;
	pthread_mutex_unlock(&s->lock);
}

bool slu_iostart_is_on(struct slu_iostart *s)
{
	bool on;

	pthread_mutex_lock(&s->lock);
	on = s->mode != SLU_IOSTART_OFF;
	pthread_mutex_unlock(&s->lock);
	return on;
}

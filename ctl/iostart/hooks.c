/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Implements the hooks that plugins call for IOStart, and passes what the main
 * thread learns (history, measured I/O, configuration) on to both of its
 * objects, for bytes and for metadata operations.
 */
#include "config.h"
#include "ctl/iostart/hooks.h"

#include "burst_buffer/request/request.h"
#include "ctl/private.h"
#include "ctl/link/session.h"

#include <string.h>
#include <time.h>

#define TELL 30.0    /* s */
#define DAY  86400.0 /* s: assumed run time if unknown */

/* The limit is better than no estimate. */
static double seconds_of(const struct slu_ctl_io *io)
{
	if (io->predicted > 0)
		return (double)io->predicted;
	return io->job.limit ? io->job.limit * 60.0 : DAY;
}

static struct slu_io_job job_of(const struct slu_ctl_io *io)
{
	return (struct slu_io_job){
		.job_id = io->job.job_id,
		.uid = io->job.uid,
		.name = io->job.name,
		.nodes = io->job.node_cnt ? io->job.node_cnt : 1,
		.seconds = seconds_of(io),
		.since = io->since,
		.start = io->job.start,
	};
}

bool slu_ctl_io_is_on(struct slu_ctl *ctl)
{
	bool on = false;

	slu_each_io(s, ctl) on |= slu_iostart_is_on(s);
	return on;
}

bool slu_ctl_io_waits(struct slu_ctl *ctl, const struct slu_ctl_io *io,
		      int64_t now, char why[SLU_CTL_WHY])
{
	static const enum slu_wait kind[SLU_IO_RESOURCES] = {
		[SLU_IO_BANDWIDTH] = SLU_WAIT_BANDWIDTH,
		[SLU_IO_METADATA_OPS] = SLU_WAIT_METADATA,
	};
	struct slu_io_job job = job_of(io);
	enum slu_wait what = SLU_WAIT_NOTHING;
	bool may;

	_Static_assert(SLU_CTL_WHY >= SLU_IOSTART_WHY, "there is room for it");
	pthread_rwlock_rdlock(&ctl->site_lock);
	may = !(io->no_wait && ctl->site->conf &&
		ctl->site->conf->io_wait_optional);
	for (unsigned i = 0; may && !what && i < ctl->n_io; i++)
		if (slu_iostart_waits(&ctl->iostart[i], &job, now, why))
			what = kind[i % SLU_IO_RESOURCES];
	pthread_rwlock_unlock(&ctl->site_lock);
	slu_waits_note(&ctl->waits, job.job_id, what, what ? why : "", now);
	return what;
}

bool slu_ctl_no_io_wait(const char *text)
{
	return slu_request_no_io_wait(text);
}

int64_t slu_ctl_io_when(struct slu_ctl *ctl, uint32_t job_id, int64_t now)
{
	int64_t when = now, of;

	slu_each_io(s, ctl)
	{
		of = slu_iostart_when(s, job_id, now);
		when = of > when ? of : when;
	}
	return when;
}

void slu_ctl_io_begun(struct slu_ctl *ctl, const struct slu_ctl_io *io,
		      int64_t now)
{
	struct slu_io_job job = job_of(io);

	slu_each_io(s, ctl) slu_iostart_begun(s, &job, now);
}

void slu_ctl_io_ended(struct slu_ctl *ctl, uint32_t job_id)
{
	slu_each_io(s, ctl) slu_iostart_ended(s, job_id);
}

/* The row's I/O went to the job's own file system, if it had one. */
static void learn(struct slu_ctl *ctl, unsigned object,
		  const struct slu_history_row *row)
{
	const struct slu_job *job = &row->job;

	const struct slu_io_ended run = {
		.uid = job->uid,
		.name = job->name,
		.nodes = job->node_cnt,
		.start = job->end - slu_job_ran(job),
		.end = job->end,
		.read_bytes = row->read_bytes,
		.written_bytes = row->written_bytes,
		.metadata_ops = row->metadata_ops,
		.by_fs = row->by_fs,
	};

	if (!slu_ctl_has_buffer(job->request))
		slu_iostart_learn(&ctl->iostart[object], &run);
}

void slu_io_start_history(struct slu_ctl *ctl,
			  const struct slu_history_row *row)
{
	for (unsigned i = 0; i < ctl->n_io; i++)
		if (slu_history_position_is_new(&ctl->rates_heard[i],
						&row->job))
			learn(ctl, i, row);
}

/* A row that is not of the replay, for the objects of a resource that count all
 * file systems as one, or (named) those that count only one. */
static void learn_new(struct slu_ctl *ctl, enum slu_io_resource resource,
		      bool named, const struct slu_history_row *row)
{
	for (unsigned i = resource; i < ctl->n_io; i += SLU_IO_RESOURCES)
		if (!*ctl->iostart[i].fs == !named &&
		    (ctl->replayed || !slu_history_position_expects(
					      &ctl->rates_heard[i], &row->job)))
			learn(ctl, i, row);
}

void slu_io_start_row(struct slu_ctl *ctl, const struct slu_history_row *row)
{
	learn_new(ctl, SLU_IO_BANDWIDTH, false, row);
}

void slu_io_start_metadata(struct slu_ctl *ctl,
			   const struct slu_history_row *row)
{
	learn_new(ctl, SLU_IO_METADATA_OPS, false, row);
}

void slu_io_start_fs_row(struct slu_ctl *ctl, const struct slu_history_row *row)
{
	learn_new(ctl, SLU_IO_BANDWIDTH, true, row);
	learn_new(ctl, SLU_IO_METADATA_OPS, true, row);
}

void slu_io_start_init(struct slu_ctl *ctl)
{
	for (unsigned i = 0; i < SLU_IO_OBJECTS; i++) {
		slu_iostart_init(&ctl->iostart[i]);
		ctl->iostart[i].place = i / SLU_IO_RESOURCES;
		if (i % SLU_IO_RESOURCES == SLU_IO_METADATA_OPS)
			slu_iostart_count_metadata(&ctl->iostart[i]);
	}
	ctl->n_io = SLU_IO_RESOURCES;
}

/* How many objects the configuration needs. */
static unsigned objects(const struct slu_conf *conf)
{
	unsigned n = SLU_IO_RESOURCES;

	for (unsigned i = 0; i < SLU_IO_FS; i++)
		if (conf->io[i].bandwidth || conf->io[i].metadata)
			n = (i + 1) * SLU_IO_RESOURCES;
	return n;
}

/* Hooks use the objects up to n_io: of what begins meanwhile they tell those
 * that are new, too, before these hear of what runs. */
void slu_io_start_configure(struct slu_ctl *ctl)
{
	unsigned before = ctl->n_io, n = objects(ctl->site->conf);

	if (n > before)
		ctl->n_io = n;
	for (unsigned i = before; i < n; i++)
		slu_iostart_adopt(&ctl->iostart[i],
				  &ctl->iostart[SLU_IO_BANDWIDTH]);
	for (unsigned i = 0; i < ctl->n_io; i++)
		if (slu_iostart_configure(&ctl->iostart[i], ctl->site->conf))
			ctl->rates_heard[i] = (struct slu_history_position){0};
}

void slu_io_start_use(struct slu_ctl *ctl)
{
	slu_io_start_configure(ctl);
	ctl->wants_pass = true; /* so that a job that waited may start */
}

static void log_one(struct slu_ctl *ctl,
		    const struct slu_iostart_log_entry *said)
{
	if (said->advised)
		ctl_log(ctl, SLU_INFO,
			"IOStart=advise: JobId=%u would have waited, for %lld "
			"s at most: %s",
			said->job_id, (long long)said->waited, said->why);
	else
		ctl_log(ctl, SLU_INFO,
			"IOStart: JobId=%u starts after a wait of %lld s%s",
			said->job_id, (long long)said->waited,
			said->bound ? ", the most that MaxIOWait allows" : "");
}

static void log_entries(struct slu_ctl *ctl, struct slu_iostart *s)
{
	struct slu_iostart_log_entry said[SLU_IOSTART_LOG];
	uint64_t lost;
	size_t n = slu_iostart_log_entries(s, said, &lost);

	for (size_t i = 0; i < n; i++)
		log_one(ctl, &said[i]);
	if (lost)
		ctl_log(ctl, SLU_INFO, "IOStart: %llu more like that",
			(unsigned long long)lost);
}

static void log_silent(struct slu_ctl *ctl, const struct slu_iostart *s)
{
	ctl_log(ctl, SLU_WARN,
		"%s=%s%sauto: no Lustre server has reported for a day "
		"(is sluice-tbfd --publish running there?): their earlier "
		"reports are ignored",
		slu_io_key(s->scope), s->fs, *s->fs ? ":" : "");
}

void slu_io_start_log(struct slu_ctl *ctl)
{
	slu_each_io(s, ctl)
	{
		log_entries(ctl, s);
		if (slu_iostart_forget_servers(s, time(NULL)))
			log_silent(ctl, s);
	}
}

/* Fills in what a file system's two objects know; false: both are off. */
static bool use_of(struct slu_iostart *s, struct slu_io_use *use)
{
	struct slu_io_use metadata;
	bool on = slu_iostart_use(&s[SLU_IO_BANDWIDTH], time(NULL), use);

	if (!on)
		*use = (struct slu_io_use){0};
	if (slu_iostart_use(&s[SLU_IO_METADATA_OPS], time(NULL), &metadata)) {
		use->metadata_capacity = metadata.capacity;
		use->metadata_demand = metadata.demand;
		use->metadata_waiting = metadata.waiting;
		use->metadata_known = metadata.known;
		use->metadata_targets = metadata.targets;
		use->metadata_degraded = metadata.degraded;
		use->metadata_silent = metadata.silent;
		use->metadata_unheard = metadata.unheard;
		on = true;
	}
	use->place = s->place;
	use->fs = *s->fs ? s->fs : NULL;
	return on;
}

void slu_io_start_report(struct slu_ctl *ctl, double now)
{
	struct slu_io_use use;

	if (!ctl->hello_said || now < ctl->io_tell_at)
		return;
	ctl->io_tell_at = now + TELL;
	for (unsigned i = 0; i < ctl->n_io; i += SLU_IO_RESOURCES)
		if (use_of(&ctl->iostart[i], &use))
			slu_ctl_send(ctl, &slu_io_use_desc, &use, now);
}

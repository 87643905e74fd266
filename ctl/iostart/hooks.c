/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What plugins call for IOStart, and what the main thread passes on to it. */
#include "config.h"
#include "ctl/iostart/hooks.h"

#include "burst_buffer/request/request.h"
#include "ctl/private.h"
#include "ctl/link/session.h"

#include <string.h>
#include <time.h>

#define TELL 30.0    /* s */
#define DAY  86400.0 /* s: what a job runs of which nothing is known */

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
	return slu_iostart_is_on(&ctl->iostart);
}

bool slu_ctl_io_waits(struct slu_ctl *ctl, const struct slu_ctl_io *io,
		      int64_t now, char why[SLU_CTL_WHY])
{
	struct slu_io_job job = job_of(io);
	bool waits;

	_Static_assert(SLU_CTL_WHY >= SLU_IOSTART_WHY, "there is room for it");
	pthread_rwlock_rdlock(&ctl->site_lock);
	waits = !(io->no_wait && ctl->site->conf &&
		  ctl->site->conf->io_wait_optional) &&
		slu_iostart_waits(&ctl->iostart, &job, now, why);
	pthread_rwlock_unlock(&ctl->site_lock);
	slu_waits_note(&ctl->waits, job.job_id,
		       waits ? SLU_WAIT_BANDWIDTH : SLU_WAIT_NOTHING,
		       waits ? why : "", now);
	return waits;
}

bool slu_ctl_no_io_wait(const char *text)
{
	return slu_request_no_io_wait(text);
}

int64_t slu_ctl_io_when(struct slu_ctl *ctl, uint32_t job_id, int64_t now)
{
	return slu_iostart_when(&ctl->iostart, job_id, now);
}

void slu_ctl_io_begun(struct slu_ctl *ctl, const struct slu_ctl_io *io,
		      int64_t now)
{
	struct slu_io_job job = job_of(io);

	slu_iostart_begun(&ctl->iostart, &job, now);
}

void slu_ctl_io_ended(struct slu_ctl *ctl, uint32_t job_id)
{
	slu_iostart_ended(&ctl->iostart, job_id);
}

/* The row's I/O went to the job's own file system, if it had one. */
static void learn(struct slu_ctl *ctl, const struct slu_history_row *row)
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
	};

	if (!slu_ctl_has_buffer(job->request))
		slu_iostart_learn(&ctl->iostart, &run);
}

void slu_io_start_history(struct slu_ctl *ctl,
			  const struct slu_history_row *row)
{
	if (slu_history_position_is_new(&ctl->rates_heard, &row->job))
		learn(ctl, row);
}

void slu_io_start_row(struct slu_ctl *ctl, const struct slu_history_row *row)
{
	if (ctl->replayed ||
	    !slu_history_position_expects(&ctl->rates_heard, &row->job))
		learn(ctl, row);
}

void slu_io_start_use(struct slu_ctl *ctl)
{
	if (slu_iostart_configure(&ctl->iostart, ctl->site->conf))
		ctl->rates_heard = (struct slu_history_position){0};
	/* so that a job that waited may start */
	ctl->ops.schedule(ctl->ops.arg);
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
			"IOStart: JobId=%u begins, it has waited for %lld s%s",
			said->job_id, (long long)said->waited,
			said->bound ? ", as long as anybody does" : "");
}

void slu_io_start_log(struct slu_ctl *ctl)
{
	struct slu_iostart_log_entry said[SLU_IOSTART_LOG];
	uint64_t lost;
	size_t n = slu_iostart_log_entries(&ctl->iostart, said, &lost);

	for (size_t i = 0; i < n; i++)
		log_one(ctl, &said[i]);
	if (lost)
		ctl_log(ctl, SLU_INFO, "IOStart: %llu more like that",
			(unsigned long long)lost);
	if (slu_iostart_forget_servers(&ctl->iostart, time(NULL)))
		ctl_log(ctl, SLU_WARN,
			"IOBandwidth=auto: Lustre's servers have said nothing "
			"for a day (sluice-tbfd --publish): what they reached "
			"does not count any more");
}

void slu_io_start_report(struct slu_ctl *ctl, double now)
{
	struct slu_io_use use;

	if (!ctl->hello_said || now < ctl->io_tell_at)
		return;
	ctl->io_tell_at = now + TELL;
	if (slu_iostart_use(&ctl->iostart, time(NULL), &use))
		slu_ctl_send(ctl, &slu_io_use_desc, &use, now);
}

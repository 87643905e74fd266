/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Computes totals per job, since Lustre's counters are per job and target and
 * may be reset. `count` has the last reading by job and target; `job` the sums
 * of the increments by job and file system. A record that was reset, or is new,
 * counts as a whole.
 */
#include "config.h"
#include "select_io/tbf/job_totals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "wire/fs_shares.h"

#define TARGETS 256 /* of one server */
/* Of one server, the first of which is "?": targets with other names, and
 * file systems for which there is no room. */
#define FS 5
/* s until an unknown job is sent again: at first, and at most, as it may be
 * slurmctld that was away */
#define RETRY	   60.0
#define RETRY_MOST SLU_JOB_TOTALS_EVERY

enum { READ, WRITTEN, RPCS, METADATA, N_SUMS };

struct count {
	uint32_t job, target;
	uint64_t start; /* of the record */
	uint64_t value[N_SUMS];
};

struct job {
	uint32_t id;
	bool present; /* in the last reading */
	double sum[FS][N_SUMS], reported[N_SUMS];
	double added, changed; /* times: it was first seen, it moved; */
	double said, next;     /* the last and the next message */
	double retry;	       /* s; 0: the job is known to sluiced */
};

struct slu_job_totals {
	char target[TARGETS][64];
	uint8_t fs_of[TARGETS]; /* each target's, in: */
	size_t n_targets;
	char fs[FS][SLU_FS_NAME];
	size_t n_fs;
	struct count *count;
	size_t n_counts;
	struct job *job; /* by id */
	size_t n, cap;
	uint32_t after; /* the last one that was returned as due */
	char shares[SLU_SERVER_JOBS][FS * SLU_FS_SHARE_TEXT]; /* of those */
};

struct slu_job_totals *slu_job_totals_new(void)
{
	struct slu_job_totals *io = calloc(1, sizeof(*io));

	if (io)
		strcpy(io->fs[io->n_fs++], SLU_FS_UNKNOWN);
	return io;
}

void slu_job_totals_free(struct slu_job_totals *io)
{
	if (!io)
		return;
	free(io->count);
	free(io->job);
	free(io);
}

size_t slu_job_totals_count(const struct slu_job_totals *io)
{
	return io->n;
}

/* 0: not a Slurm job id. */
static uint32_t number_of(const char *text)
{
	uint64_t v = 0;

	if (*text < '1' || *text > '9')
		return 0;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return 0;
		v = v * 10 + (uint64_t)(*text - '0');
		if (v >= SLU_PERSIST_FIRST)
			return 0;
	}
	return (uint32_t)v;
}

static uint8_t fs_of(struct slu_job_totals *io, const char *target)
{
	char fs[SLU_FS_NAME];
	size_t i = 1;

	if (!slu_fs_name_of_target(target, fs))
		return 0;
	while (i < io->n_fs && strcmp(io->fs[i], fs) != 0)
		i++;
	if (i == FS)
		return 0;
	if (i == io->n_fs)
		strcpy(io->fs[io->n_fs++], fs);
	return (uint8_t)i;
}

/* TARGETS: the table is full. */
static uint32_t target_of(struct slu_job_totals *io, const char *name)
{
	uint32_t i = 0;

	while (i < io->n_targets && strcmp(io->target[i], name) != 0)
		i++;
	if (i == io->n_targets && i < TARGETS) {
		io->fs_of[i] = fs_of(io, name);
		strcpy(io->target[io->n_targets++], name);
	}
	return i;
}

static int by_job_and_target(const void *a, const void *b)
{
	const struct count *x = a, *y = b;

	if (x->job != y->job)
		return x->job < y->job ? -1 : 1;
	return (x->target > y->target) - (x->target < y->target);
}

/* The reading as sorted counts, with the previous counts of targets that could
 * not be read; NULL without memory. */
static struct count *take(struct slu_job_totals *io,
			  const struct slu_jobstats *s, size_t *n)
{
	struct count *out = malloc((s->n + io->n_counts + 1) * sizeof(*out));
	bool read[TARGETS + 1] = {false};

	*n = 0;
	for (size_t t = 0; out && t < s->n_targets; t++) {
		uint32_t target = target_of(io, s->target[t].name);
		const struct slu_jobstat *job = &s->job[s->target[t].first];

		read[target] = true;
		for (size_t i = 0; target < TARGETS && i < s->target[t].n;
		     i++, job++) {
			uint32_t id = number_of(job->job);

			if (id)
				out[(*n)++] = (struct count){
					id,
					target,
					job->start,
					{job->read_bytes, job->write_bytes,
					 job->read_rpcs + job->write_rpcs,
					 job->requests}};
		}
	}
	for (size_t i = 0; out && i < io->n_counts; i++)
		if (!read[io->count[i].target])
			out[(*n)++] = io->count[i];
	if (out)
		qsort(out, *n, sizeof(*out), by_job_and_target);
	return out;
}

static size_t lower_bound(const struct slu_job_totals *io, uint32_t id)
{
	size_t low = 0, high = io->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (io->job[mid].id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* NULL: no memory, or too many jobs. */
static struct job *find_or_add(struct slu_job_totals *io, uint32_t id,
			       double now)
{
	size_t at = lower_bound(io, id);

	if (at < io->n && io->job[at].id == id)
		return &io->job[at];
	if (io->n == SLU_JOB_TOTALS_MAX)
		return NULL;
	if (io->n == io->cap) {
		size_t cap = io->cap ? 2 * io->cap : 64;
		struct job *more = realloc(io->job, cap * sizeof(*more));

		if (!more)
			return NULL;
		io->job = more;
		io->cap = cap;
	}
	memmove(&io->job[at + 1], &io->job[at],
		(io->n - at) * sizeof(*io->job));
	io->n++;
	io->job[at] = (struct job){
		.id = id, .added = now, .changed = now, .said = now};
	return &io->job[at];
}

/* Adds the increment since the previous reading (NULL: it was not there) to
 * what the job did in a file system. */
static void add(struct job *job, size_t fs, const struct count *c,
		const struct count *before, double now)
{
	bool anew = !before || before->start != c->start;

	for (int k = 0; before && k < N_SUMS; k++)
		anew |= c->value[k] < before->value[k];
	for (int k = 0; k < N_SUMS; k++) {
		uint64_t more = c->value[k] - (anew ? 0 : before->value[k]);

		if (more)
			job->changed = now;
		job->sum[fs][k] += (double)more;
	}
}

/* Removes jobs that have been idle since then and are not in job_stats. */
static void forget(struct slu_job_totals *io, double before)
{
	size_t kept = 0;

	for (size_t i = 0; i < io->n; i++)
		if (io->job[i].present || io->job[i].changed > before)
			io->job[kept++] = io->job[i];
	io->n = kept;
}

/* Removes idle jobs after a day; while the table would be full, after half the
 * time, and so on. */
static void make_room(struct slu_job_totals *io, size_t news, double now)
{
	double age = SLU_JOB_TOTALS_FORGET;

	forget(io, now - age);
	while (io->n + news > SLU_JOB_TOTALS_MAX && age > 1)
		forget(io, now - (age /= 2));
}

static size_t how_many_new(const struct slu_job_totals *io,
			   const struct count *c, size_t n)
{
	size_t news = 0;

	for (size_t i = 0; i < n; i++) {
		size_t at = lower_bound(io, c[i].job);

		news += (i == 0 || c[i].job != c[i - 1].job) &&
			(at == io->n || io->job[at].id != c[i].job);
	}
	return news;
}

int slu_job_totals_read(struct slu_job_totals *io,
			const struct slu_jobstats *stats, double now,
			struct slu_err *err)
{
	size_t n, old = 0, kept = 0;
	struct count *c = take(io, stats, &n);

	if (!c)
		return slu_err(err, SLU_NOMEM, "out of memory");
	make_room(io, how_many_new(io, c, n), now);
	for (size_t i = 0; i < io->n; i++)
		io->job[i].present = false;
	for (size_t i = 0; i < n; i++) {
		struct job *job = find_or_add(io, c[i].job, now);
		const struct count *before = NULL;

		while (old < io->n_counts &&
		       by_job_and_target(&io->count[old], &c[i]) < 0)
			old++;
		if (old < io->n_counts &&
		    by_job_and_target(&io->count[old], &c[i]) == 0)
			before = &io->count[old];
		if (!job)
			continue; /* once there is space it counts whole */
		job->present = true;
		add(job, io->fs_of[c[i].target], &c[i], before, now);
		c[kept++] = c[i];
	}
	free(io->count);
	io->count = c;
	io->n_counts = kept;
	return 0;
}

static void add_up(const struct job *job, double sum[N_SUMS])
{
	for (int k = 0; k < N_SUMS; k++) {
		sum[k] = 0;
		for (int fs = 0; fs < FS; fs++)
			sum[k] += job->sum[fs][k];
	}
}

/* s between two messages of a job that goes on: a tenth of its time so far, so
 * that what is known of it is not much older. */
static double interval(const struct job *job, double now)
{
	return fmin(fmax((now - job->added) / 10, SLU_JOB_TOTALS_SOON),
		    SLU_JOB_TOTALS_EVERY);
}

static bool is_due(const struct job *job, const double sum[N_SUMS], double now)
{
	return memcmp(sum, job->reported, sizeof(job->reported)) != 0 &&
	       now >= job->next &&
	       (now - job->changed >= SLU_JOB_TOTALS_QUIET ||
		now - job->said >= interval(job, now));
}

/* NULL: no file system is known. */
static char *shares_of(const struct slu_job_totals *io, const struct job *job,
		       char text[FS * SLU_FS_SHARE_TEXT])
{
	struct slu_buf out = {0};
	struct slu_fs_share share;
	bool known = false;

	for (size_t i = 0; i < io->n_fs; i++) {
		share = (struct slu_fs_share){
			.read_bytes = job->sum[i][READ],
			.written_bytes = job->sum[i][WRITTEN],
			.rpcs = job->sum[i][RPCS],
			.metadata_ops = job->sum[i][METADATA]};
		if (!(share.read_bytes + share.written_bytes + share.rpcs +
			      share.metadata_ops >
		      0))
			continue;
		strcpy(share.fs, io->fs[i]);
		slu_fs_share_put(&out, &share);
		known |= i > 0;
	}
	known = known && slu_copy(text, FS * SLU_FS_SHARE_TEXT, out.data);
	slu_buf_free(&out);
	return known ? text : NULL;
}

/* Round robin, so that jobs that stay due do not block others. */
size_t slu_job_totals_due(struct slu_job_totals *io, double now,
			  struct slu_server_job *out, size_t max)
{
	size_t first = lower_bound(io, io->after + 1), n = 0;
	double sum[N_SUMS];

	max = max < SLU_SERVER_JOBS ? max : SLU_SERVER_JOBS;
	for (size_t i = 0; i < io->n && n < max; i++) {
		const struct job *job = &io->job[(first + i) % io->n];

		add_up(job, sum);
		if (!is_due(job, sum, now))
			continue;
		out[n] = (struct slu_server_job){
			.job_id = job->id,
			.read_bytes = sum[READ],
			.written_bytes = sum[WRITTEN],
			.rpcs = sum[RPCS],
			.metadata_ops = sum[METADATA],
			.by_fs = shares_of(io, job, io->shares[n]),
			.idle = now - job->changed};
		n++;
		io->after = job->id;
	}
	return n;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = ((const struct slu_job_number *)a)->job_id;
	uint32_t y = ((const struct slu_job_number *)b)->job_id;

	return (x > y) - (x < y);
}

static void refused(struct job *job, double now)
{
	job->retry = job->retry > 0 ? 2 * job->retry : RETRY;
	if (job->retry > RETRY_MOST)
		job->retry = RETRY_MOST;
	job->next = now + job->retry;
}

void slu_job_totals_stored(struct slu_job_totals *io, double now,
			   const struct slu_server_job *said, size_t n,
			   const struct slu_job_number *unknown,
			   size_t n_unknown)
{
	for (size_t i = 0; i < n; i++) {
		struct slu_job_number key = {said[i].job_id};
		size_t at = lower_bound(io, key.job_id);
		struct job *job = &io->job[at];

		if (at == io->n || job->id != key.job_id)
			continue;
		job->said = now;
		if (n_unknown &&
		    bsearch(&key, unknown, n_unknown, sizeof(key), by_number)) {
			refused(job, now);
			continue;
		}
		job->retry = 0;
		job->reported[READ] = said[i].read_bytes;
		job->reported[WRITTEN] = said[i].written_bytes;
		job->reported[RPCS] = said[i].rpcs;
		job->reported[METADATA] = said[i].metadata_ops;
	}
}

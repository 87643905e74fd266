/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses job_stats as a stream. A server with a thousand jobs outputs two
 * megabytes several times a second, of which three lines per job are needed:
 * lines are classified by their first letters, and only the needed ones are
 * parsed.
 */
#include "config.h"
#include "sysmap/lustre/jobstats.h"
#include "sysmap/lustre/counters.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool starts(const char *line, const char *end, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(end - line) >= n && memcmp(line, word, n) == 0;
}

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

/* A decimal number, saturating. NULL: none. */
static const char *number(const char *p, const char *end, uint64_t *out)
{
	uint64_t v = 0;

	p = skip_blanks(p, end);
	if (p == end || !isdigit((unsigned char)*p))
		return NULL;
	for (; p < end && isdigit((unsigned char)*p); p++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v))
			v = UINT64_MAX;
	*out = v;
	return p;
}

/* The number after "word:", before a brace or the end of the line. */
static bool value(const char *p, const char *end, const char *word,
		  uint64_t *out)
{
	size_t n = strlen(word);

	for (; p + n < end && *p != '{'; p++)
		if (*p == *word && memcmp(p, word, n) == 0 && p[n] == ':' &&
		    !isalnum((unsigned char)p[-1]) && p[-1] != '_')
			return number(p + n + 1, end, out);
	return false;
}

/* "{ samples: N, unit: bytes, min: ..., max: ..., sum: N, ... }" */
static bool counter(const char *p, const char *end, uint64_t *samples,
		    uint64_t *sum)
{
	uint64_t count, bytes = 0;
	const char *open = memchr(p, '{', (size_t)(end - p));

	if (!open || !value(open + 1, end, "samples", &count))
		return false;
	value(open + 1, end, "sum", &bytes); /* 2.10: not when it is 0 */
	*samples = count;
	*sum = bytes;
	return true;
}

/* "1700000000.123456789 secs.nsecs" in nanoseconds. */
static uint64_t nanoseconds(const char *p, const char *end)
{
	uint64_t whole, part = 0;
	int digits = 0;

	p = number(p, end, &whole);
	if (!p || whole > UINT64_MAX / 1000000000 - 1)
		return 0;
	if (p < end && *p == '.')
		for (p++; p < end && isdigit((unsigned char)*p) && digits < 9;
		     p++, digits++)
			part = part * 10 + (uint64_t)(*p - '0');
	for (; digits < 9; digits++)
		part *= 10;
	return whole * 1000000000 + part;
}

static int hex(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = tolower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A job id, plain or quoted, where \xHH stands for other bytes. */
static bool job_id(const char *p, const char *end, char out[SLU_JOBID_SIZE])
{
	bool quoted;
	size_t n = 0;

	p = skip_blanks(p, end);
	while (end > p && isspace((unsigned char)end[-1]))
		end--;
	quoted = end - p >= 2 && *p == '"' && end[-1] == '"';
	p += quoted;
	end -= quoted;
	for (; p < end; p++) {
		int c = (unsigned char)*p;

		if (quoted && c == '\\' && end - p >= 4 && p[1] == 'x' &&
		    hex(p[2]) >= 0 && hex(p[3]) >= 0) {
			c = hex(p[2]) * 16 + hex(p[3]);
			p += 3;
		}
		if (c == '\0' || n + 1 >= SLU_JOBID_SIZE)
			return false;
		out[n++] = (char)c;
	}
	out[n] = '\0';
	return true;
}

static struct slu_jobstats_target *new_target(struct slu_jobstats *s,
					      const char *name, size_t len,
					      struct slu_err *err)
{
	struct slu_jobstats_target *t;

	if (s->n_targets == s->cap_targets) {
		size_t cap = s->cap_targets ? 2 * s->cap_targets : 8;

		t = realloc(s->target, cap * sizeof(*t));
		if (!t) {
			slu_err(err, SLU_NOMEM, "job_stats");
			return NULL;
		}
		s->target = t;
		s->cap_targets = cap;
	}
	t = &s->target[s->n_targets++];
	*t = (struct slu_jobstats_target){.first = s->n};
	if (len < sizeof(t->name))
		memcpy(t->name, name, len);
	return t;
}

static struct slu_jobstat *new_job(struct slu_jobstats *s, struct slu_err *err)
{
	struct slu_jobstat *job;

	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 64;

		job = realloc(s->job, cap * sizeof(*job));
		if (!job) {
			slu_err(err, SLU_NOMEM, "job_stats of %zu jobs", cap);
			return NULL;
		}
		s->job = job;
		s->cap = cap;
	}
	job = &s->job[s->n];
	*job = (struct slu_jobstat){0};
	return job;
}

/* "obdfilter.lustre-OST0000.job_stats=...": the target's name. */
static const char *target_name(const char *line, const char *end, size_t *len)
{
	static const char tail[] = ".job_stats=";
	const char *dot = memchr(line, '.', (size_t)(end - line)), *stop;

	if (!dot)
		return NULL;
	dot++;
	stop = memmem(dot, (size_t)(end - dot), tail, sizeof(tail) - 1);
	*len = stop ? (size_t)(stop - dot) : 0;
	return stop ? dot : NULL;
}

static void add_requests(struct slu_jobstat *job, const char *p,
			 const char *end)
{
	uint64_t n, unused;

	if (slu_stats_is_metadata(p, end) && counter(p, end, &n, &unused))
		job->requests += n;
}

/* Parses a line of a job's record. */
static void job_line(struct slu_jobstat *job, bool count_requests,
		     const char *p, const char *end)
{
	p = skip_blanks(p, end);
	if (starts(p, end, "read_bytes:"))
		counter(p, end, &job->read_rpcs, &job->read_bytes);
	else if (starts(p, end, "write_bytes:"))
		counter(p, end, &job->write_rpcs, &job->write_bytes);
	else if (starts(p, end, "start_time:"))
		job->start = nanoseconds(p + strlen("start_time:"), end);
	else if (starts(p, end, "snapshot_time:"))
		job->last = nanoseconds(p + strlen("snapshot_time:"), end);
	else if (count_requests)
		add_requests(job, p, end);
}

/* Begins a job's record at its first line. */
static int begin_job(struct slu_jobstats *s, const char *id, const char *end,
		     struct slu_err *err)
{
	struct slu_jobstat *job;

	if (s->n_targets == 0 && !new_target(s, "", 0, err))
		return -1;
	job = new_job(s, err);
	if (!job)
		return -1;
	s->inside = job_id(id, end, job->job);
	if (s->inside) {
		s->n++;
		s->target[s->n_targets - 1].n++;
	} else {
		s->skipped++;
	}
	return 0;
}

static int line(struct slu_jobstats *s, const char *p, const char *end,
		struct slu_err *err)
{
	const char *name;
	size_t len;

	if (*p == ' ') {
		if (s->inside)
			job_line(&s->job[s->n - 1], s->count_requests, p, end);
		return 0;
	}
	s->inside = false;
	if (starts(p, end, "- job_id:"))
		return begin_job(s, p + strlen("- job_id:"), end, err);
	name = target_name(p, end, &len);
	return !name || new_target(s, name, len, err) ? 0 : -1;
}

void slu_jobstats_clear(struct slu_jobstats *s)
{
	s->n = s->n_targets = s->skipped = 0;
	s->inside = false;
}

int slu_jobstats_add(struct slu_jobstats *out, const char *text, size_t len,
		     struct slu_err *err)
{
	const char *p = text, *stop = text + len, *end;

	for (; p < stop; p = end + 1) {
		end = memchr(p, '\n', (size_t)(stop - p));
		if (!end)
			end = stop;
		if (end > p && line(out, p, end, err))
			return -1;
	}
	return 0;
}

int slu_jobstats_parse(struct slu_jobstats *out, const char *text, size_t len,
		       struct slu_err *err)
{
	slu_jobstats_clear(out);
	return slu_jobstats_add(out, text, len, err);
}

void slu_jobstats_free(struct slu_jobstats *s)
{
	free(s->job);
	free(s->target);
	*s = (struct slu_jobstats){0};
}

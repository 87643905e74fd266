/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a Lustre server's parameters, processor and memory use, and composes
 * the report. Where Lustre has its parameters depends on the version: every
 * place is tried, and what is missing is left out.
 */
#include "config.h"
#include "select_io/ost/server_report.h"

#include <ctype.h>
#include <glob.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "common/str.h"
#include "select_io/ost/parameter_files.h"

#define FEW    100.0 /* disk I/Os */
#define ENOUGH 20.0  /* disk I/Os of which a mean says something */

long slu_ost_index(const char *name)
{
	const char *ost = strstr(name, "-OST");
	char *end;
	long index;

	if (!ost || !isxdigit((unsigned char)ost[4]))
		return -1;
	index = strtol(ost + 4, &end, 16);
	return *end || index > 0xffff ? -1 : index;
}

/* The first reading may span years: it counts as FEW I/Os only. */
double slu_ost_io_mean(struct slu_ost_io *io, double n, double sum, double now)
{
	bool anew = n < io->seen_n || sum < io->seen_sum;
	double more_n = n - (anew ? 0 : io->seen_n);
	double more = sum - (anew ? 0 : io->seen_sum);
	double fade = exp(-fmax(0, now - io->time) / SLU_OST_IO_SECONDS);
	double first = io->time == 0 && n > FEW ? FEW / n : 1;

	io->n = io->n * fade + more_n * first;
	io->sum = io->sum * fade + more * first;
	io->seen_n = n;
	io->seen_sum = sum;
	io->time = now;
	return n >= ENOUGH && io->n > 1e-9 ? io->sum / io->n : -1;
}

static struct slu_ost_disk *disk_of(struct slu_ost_meter *m, const char *ost)
{
	struct slu_ost_disk *end = m->disk + m->n_disk;

	for (struct slu_ost_disk *d = m->disk; d < end; d++)
		if (strcmp(d->name, ost) == 0)
			return d;
	if (m->n_disk == SLU_STATS_TARGETS ||
	    !slu_copy(end->name, sizeof(end->name), ost))
		return NULL;
	m->n_disk++;
	return end;
}

/* Reads a target's parameter, from /sys or /proc. */
static bool parameter_of(const char *kind, const char *root, const char *ost,
			 const char *name, double *out)
{
	static const char *const trees[] = {"sys", "proc"};
	const char *text = NULL;
	char *end;

	for (size_t i = 0; i < 2 && !text; i++)
		text = slu_ost_text("%s/%s/fs/lustre/%s/%s/%s", root, trees[i],
				    kind, ost, name);
	if (!text)
		return false;
	*out = strtod(text, &end);
	return end != text;
}

static bool parameter(const char *root, const char *ost, const char *name,
		      double *out)
{
	return parameter_of("obdfilter", root, ost, name, out);
}

/* Sizes may only be known to the layer below the target. */
static bool size(const char *root, const char *ost, const char *name,
		 double *out)
{
	return parameter(root, ost, name, out) ||
	       parameter_of("osd-ldiskfs", root, ost, name, out) ||
	       parameter_of("osd-zfs", root, ost, name, out);
}

static bool is_set(const char *root, const char *ost, const char *name)
{
	double v = 0;

	return parameter(root, ost, name, &v) && v != 0;
}

/* -1: not known. */
static double mean_now(const char *text, const char *histogram, double now,
		       struct slu_ost_io *io)
{
	double n, sum;

	slu_ost_io_sum(text, histogram, &n, &sum);
	return slu_ost_io_mean(io, n, sum, now);
}

static void add_disk(const char *root, const char *ost, double now,
		     struct slu_ost_meter *m, struct json_object *obj)
{
	static const char *const places[] = {"sys/kernel/debug/lustre",
					     "proc/fs/lustre"};
	static const char *const kinds[] = {"osd-ldiskfs", "osd-zfs"};
	struct slu_ost_disk *disk = disk_of(m, ost);
	const char *text = NULL;
	double ms, bytes;

	for (int i = 0; i < 4 && !text; i++)
		text = slu_ost_text("%s/%s/%s/%s/brw_stats", root,
				    places[i / 2], kinds[i % 2], ost);
	if (!text || !disk)
		return;
	ms = mean_now(text, SLU_OST_IO_TIME, now, &disk->time);
	if (ms >= 0)
		slu_json_set_double(obj, "io_ms", ms);
	bytes = mean_now(text, SLU_OST_IO_SIZE, now, &disk->size);
	if (bytes >= 0)
		slu_json_set_double(obj, "io_bytes", rint(bytes));
}

static struct json_object *target(const char *root, const char *ost, double now,
				  struct slu_ost_meter *m)
{
	struct json_object *obj;
	double total = 0, available = 0;

	if (slu_ost_index(ost) < 0 || !size(root, ost, "kbytestotal", &total) ||
	    !size(root, ost, "kbytesavail", &available))
		return NULL;
	obj = json_object_new_object();
	slu_json_set_str(obj, "name", ost);
	slu_json_set_u64(obj, "index", (uint64_t)slu_ost_index(ost));
	slu_json_set_double(obj, "total", total);
	slu_json_set_double(obj, "available", available);
	add_disk(root, ost, now, m, obj);
	if (is_set(root, ost, "readonly"))
		slu_json_set_str(obj, "state", "readonly");
	else if (is_set(root, ost, "no_create") ||
		 is_set(root, ost, "no_precreate"))
		slu_json_set_str(obj, "state", "no_create");
	else if (is_set(root, ost, "degraded"))
		slu_json_set_str(obj, "state", "degraded");
	return obj;
}

/* All targets, each once even if its directory exists in several places. */
static struct json_object *targets(const char *root, double now,
				   struct slu_ost_meter *m)
{
	static const char *const places[] = {"sys/fs/lustre/obdfilter/*",
					     "proc/fs/lustre/obdfilter/*"};
	struct json_object *list = json_object_new_array(), *one;
	char pattern[PATH_MAX];
	glob_t found;

	for (size_t p = 0; p < 2 && json_object_array_length(list) == 0; p++) {
		snprintf(pattern, sizeof(pattern), "%s/%s", root, places[p]);
		if (glob(pattern, 0, NULL, &found))
			continue;
		for (size_t i = 0; i < found.gl_pathc; i++) {
			one = target(root, strrchr(found.gl_pathv[i], '/') + 1,
				     now, m);
			if (one)
				json_object_array_add(list, one);
		}
		globfree(&found);
	}
	return list;
}

static void add_cpu(const char *root, struct slu_ost_meter *m,
		    struct json_object *obj)
{
	const char *text = slu_ost_text("%s/proc/stat", root);
	uint64_t all, busy;

	if (!text || !slu_stats_cpu(text, &busy, &all))
		return;
	if (m->all > 0 && all > m->all && busy >= m->busy)
		slu_json_set_double(obj, "cpu",
				    100.0 * (double)(busy - m->busy) /
					    (double)(all - m->all));
	m->all = all;
	m->busy = busy;
}

static void add_memory(const char *root, struct json_object *obj)
{
	const char *text = slu_ost_text("%s/proc/meminfo", root);
	double percent;

	if (text && slu_stats_memory(text, &percent))
		slu_json_set_double(obj, "memory", percent);
}

void slu_ost_moved_add(struct slu_ost_moved *m, double rate, double seconds)
{
	m->seconds = fmin(m->seconds + seconds, SLU_OST_MOVED_SECONDS);
	m->mean += (rate - m->mean) * fmin(1, seconds / m->seconds);
	m->peak *= 1 - fmin(1, seconds / SLU_OST_PEAK_SECONDS);
	m->peak = fmax(m->peak, rate);
}

bool slu_ost_moved_known(const struct slu_ost_moved *m)
{
	return m->seconds >= SLU_OST_MOVED_SECONDS / 4;
}

static void add_network(const char *root, double now, struct slu_ost_meter *m,
			struct json_object *obj)
{
	const char *text = slu_ost_text("%s/sys/kernel/debug/lnet/stats", root);
	uint64_t sent, received, bytes;

	if (!text)
		text = slu_ost_text("%s/proc/sys/lnet/stats", root);
	if (!text || !slu_stats_lnet(text, &sent, &received))
		return;
	bytes = sent + received;
	if (m->time > 0 && now > m->time && bytes >= m->bytes) {
		double rate = (double)(bytes - m->bytes) / (now - m->time);

		slu_ost_moved_add(&m->moved, rate, now - m->time);
		slu_json_set_double(obj, "network", rate);
		if (slu_ost_moved_known(&m->moved)) {
			slu_json_set_double(obj, "moved", rint(m->moved.mean));
			slu_json_set_double(obj, "peak", rint(m->moved.peak));
		}
	}
	m->bytes = bytes;
}

/* "2.15.8"; before 2.11 "lustre: 2.5.3" with further lines, in /proc. */
static void add_version(const char *root, struct json_object *obj)
{
	const char *text = slu_ost_text("%s/sys/fs/lustre/version", root);
	char version[32];

	if (!text)
		text = slu_ost_text("%s/proc/fs/lustre/version", root);
	if (!text)
		return;
	text += strncmp(text, "lustre: ", 8) ? 0 : 8;
	snprintf(version, sizeof(version), "%.*s",
		 (int)strspn(text, "0123456789._"), text);
	if (*version)
		slu_json_set_str(obj, "lustre", version);
}

int slu_ost_server_read(const char *root, double now, struct slu_ost_meter *m,
			struct json_object **out, struct slu_err *err)
{
	struct json_object *list = targets(root, now, m), *obj, *one;
	struct json_object *mdts = slu_stats_mdts(root, now, &m->stats);
	struct json_object *closed;

	if (json_object_array_length(list) == 0 && !mdts) {
		json_object_put(list);
		return slu_err(err, SLU_NOTFOUND,
			       "there are no targets of Lustre on this server");
	}
	obj = json_object_new_object();
	add_version(root, obj);
	add_cpu(root, m, obj);
	add_memory(root, obj);
	add_network(root, now, m, obj);
	m->time = now;
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		one = json_object_array_get_idx(list, i);
		slu_stats_ost(root,
			      json_object_get_string(
				      json_object_object_get(one, "name")),
			      now, &m->stats, one);
	}
	json_object_object_add(obj, "osts", list);
	if (mdts)
		json_object_object_add(obj, "mdts", mdts);
	closed = mdts ? slu_stats_closed(root) : NULL;
	if (closed)
		json_object_object_add(obj, "closed", closed);
	*out = obj;
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the load of a Lustre server and its targets (table I of the load
 * balancing paper): the present counters, of which readers subtract two to
 * compute rates. The files' places depend on Lustre's version: every known one
 * is tried, and what is missing is left out.
 */
#include "config.h"
#include "sysmap/lustre/lustre.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "sysmap/lustre/counters.h"
#include "sysmap/lustre/jobstats.h"

#define TEXT_MAX    (1u << 20)
#define JOBS_TEXT   (64u << 20) /* most bytes of a target's job_stats */
#define TARGETS_MAX 1024

static const char *const trees[] = {"sys/kernel/debug/lustre", "proc/fs/lustre",
				    "sys/fs/lustre", NULL};

/* Reads KIND/NAME/FILE from the tree that has it. */
static bool slurp(const struct slu_root *root, const char *kind,
		  const char *name, const char *file, size_t max,
		  struct slu_buf *out)
{
	char path[512];

	for (const char *const *tree = trees; *tree; tree++) {
		snprintf(path, sizeof(path), "%s/%s/%s/%s", *tree, kind, name,
			 file);
		if (slu_root_read(root, path, max, out, NULL) == 0)
			return true;
	}
	return false;
}

static void add_counter(struct json_object *obj, const char *key,
			const char *text, const char *row)
{
	uint64_t samples, sum;

	if (slu_stats_row(text, row, &samples, &sum))
		slu_json_set_u64(obj, key, sum);
}

/* Adds a parameter of the target, or of the layer below. */
static void add_kib(const struct slu_root *root, const char *name,
		    const char *file, const char *key, struct json_object *obj)
{
	static const char *const kinds[] = {"obdfilter", "osd-ldiskfs",
					    "osd-zfs"};
	struct slu_buf text = {0};
	char *end;

	for (int i = 0; i < 3; i++) {
		unsigned long long kib;

		if (!slurp(root, kinds[i], name, file, TEXT_MAX, &text))
			continue;
		kib = strtoull(text.data, &end, 10);
		if (end == text.data || kib > UINT64_MAX >> 10)
			continue;
		slu_json_set_u64(obj, key, (uint64_t)kib << 10);
		break;
	}
	slu_buf_free(&text);
}

static void add_mean(struct json_object *obj, const char *key, const char *text,
		     const char *histogram)
{
	double mean = slu_ost_io(text, histogram);

	if (mean >= 0)
		slu_json_set_double(obj, key, rint(mean * 1000) / 1000);
}

static struct json_object *ost(const struct slu_root *root, const char *name)
{
	struct json_object *obj = json_object_new_object();
	struct slu_buf text = {0};

	slu_json_set_str(obj, "name", name);
	add_kib(root, name, "kbytestotal", "total_bytes", obj);
	add_kib(root, name, "kbytesfree", "free_bytes", obj);
	add_kib(root, name, "kbytesavail", "available_bytes", obj);
	if (slurp(root, "obdfilter", name, "stats", TEXT_MAX, &text)) {
		add_counter(obj, "read_bytes", text.data, "read_bytes");
		add_counter(obj, "written_bytes", text.data, "write_bytes");
		slu_json_set_u64(obj, "requests",
				 slu_stats_requests(text.data));
	}
	if (slurp(root, "osd-ldiskfs", name, "brw_stats", TEXT_MAX, &text) ||
	    slurp(root, "osd-zfs", name, "brw_stats", TEXT_MAX, &text) ||
	    slurp(root, "obdfilter", name, "brw_stats", TEXT_MAX, &text)) {
		add_mean(obj, "io_ms", text.data, SLU_OST_IO_TIME);
		add_mean(obj, "io_bytes", text.data, SLU_OST_IO_SIZE);
	}
	slu_buf_free(&text);
	return obj;
}

static struct json_object *mdt(const struct slu_root *root, const char *name)
{
	struct json_object *obj = json_object_new_object();
	struct slu_buf text = {0};

	slu_json_set_str(obj, "name", name);
	if (slurp(root, "mdt", name, "md_stats", TEXT_MAX, &text))
		slu_json_set_u64(obj, "requests",
				 slu_stats_requests(text.data));
	slu_buf_free(&text);
	return obj;
}

/* Calls (*each)(root, name, arg) once for each target of a kind, sorted by
 * name.
 */
typedef void target_f(const struct slu_root *root, const char *name, void *arg);

static void targets(const struct slu_root *root, const char *kind,
		    target_f *each, void *arg)
{
	char path[64], **names;
	bool found = false;
	size_t n = 0;

	for (const char *const *tree = trees; *tree && !found; tree++) {
		snprintf(path, sizeof(path), "%s/%s", *tree, kind);
		names = slu_root_list(root, path, NULL);
		for (char **name = names; name && *name; name++) {
			slu_printable(*name);
			if (!strstr(*name, "-OST") && !strstr(*name, "-MDT"))
				continue; /* a file such as num_refs */
			found = true;
			if (n++ < TARGETS_MAX)
				each(root, *name, arg);
		}
		slu_strv_free(names);
	}
}

static void add_ost(const struct slu_root *root, const char *name, void *list)
{
	json_object_array_add(list, ost(root, name));
}

static void add_mdt(const struct slu_root *root, const char *name, void *list)
{
	json_object_array_add(list, mdt(root, name));
}

static void add_server(const struct slu_root *root, struct json_object *obj)
{
	struct slu_buf text = {0};
	uint64_t a, b;
	double percent;

	if (!slu_root_read(root, "proc/loadavg", TEXT_MAX, &text, NULL))
		slu_json_set_double(obj, "load", strtod(text.data, NULL));
	if (!slu_root_read(root, "proc/stat", TEXT_MAX, &text, NULL) &&
	    slu_stats_cpu(text.data, &a, &b)) {
		slu_json_set_u64(obj, "cpu_busy", a);
		slu_json_set_u64(obj, "cpu_all", b);
	}
	if (!slu_root_read(root, "proc/meminfo", TEXT_MAX, &text, NULL) &&
	    slu_stats_memory(text.data, &percent))
		slu_json_set_double(obj, "memory", rint(percent * 10) / 10);
	if ((!slu_root_read(root, "sys/kernel/debug/lnet/stats", TEXT_MAX,
			    &text, NULL) ||
	     !slu_root_read(root, "proc/sys/lnet/stats", TEXT_MAX, &text,
			    NULL)) &&
	    slu_stats_lnet(text.data, &a, &b)) {
		slu_json_set_u64(obj, "sent_bytes", a);
		slu_json_set_u64(obj, "received_bytes", b);
	}
	slu_buf_free(&text);
}

int slu_lustre_stats(const struct slu_root *root, struct json_object **out,
		     struct slu_err *err)
{
	struct json_object *osts = json_object_new_array();
	struct json_object *mdts = json_object_new_array();

	targets(root, "obdfilter", add_ost, osts);
	targets(root, "mdt", add_mdt, mdts);
	if (json_object_array_length(osts) + json_object_array_length(mdts) ==
	    0) {
		json_object_put(osts);
		json_object_put(mdts);
		return slu_err(err, SLU_NOTFOUND,
			       "no targets of Lustre are served here");
	}
	*out = json_object_new_object();
	add_server(root, *out);
	json_object_object_add(*out, "osts", osts);
	json_object_object_add(*out, "mdts", mdts);
	return 0;
}

struct jobs {
	const char *kind;
	struct json_object *list;
};

static void add_jobs(const struct slu_root *root, const char *name, void *arg)
{
	struct slu_jobstats stats = {0};
	struct slu_buf text = {0};
	struct jobs *jobs = arg;
	struct json_object *obj;

	if (slurp(root, jobs->kind, name, "job_stats", JOBS_TEXT, &text) &&
	    slu_jobstats_parse(&stats, text.data, text.len, NULL) == 0)
		for (size_t i = 0; i < stats.n; i++) {
			const struct slu_jobstat *job = &stats.job[i];

			obj = json_object_new_object();
			slu_json_set_str(obj, "target", name);
			slu_json_set_str(obj, "job",
					 slu_printable(stats.job[i].job));
			slu_json_set_u64(obj, "reads", job->read_rpcs);
			slu_json_set_u64(obj, "read_bytes", job->read_bytes);
			slu_json_set_u64(obj, "writes", job->write_rpcs);
			slu_json_set_u64(obj, "written_bytes",
					 job->write_bytes);
			json_object_array_add(jobs->list, obj);
		}
	slu_jobstats_free(&stats);
	slu_buf_free(&text);
}

int slu_lustre_jobs(const struct slu_root *root, struct json_object **out,
		    struct slu_err *err)
{
	struct jobs jobs = {"obdfilter", json_object_new_array()};

	targets(root, "obdfilter", add_jobs, &jobs);
	jobs.kind = "mdt";
	targets(root, "mdt", add_jobs, &jobs);
	if (json_object_array_length(jobs.list) == 0) {
		json_object_put(jobs.list);
		return slu_err(err, SLU_NOTFOUND,
			       "no job has used a target of Lustre here");
	}
	*out = jobs.list;
	return 0;
}

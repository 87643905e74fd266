/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Computes rates as differences of counters over the time between two readings.
 * After a counter was cleared, there is no rate for one period.
 */
#include "config.h"
#include "select_io/ost/counter_rates.h"

#include <ctype.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "common/str.h"
#include "select_io/ost/parameter_files.h"

static const char *const trees[] = {"sys/kernel/debug/lustre", "proc/fs/lustre",
				    "sys/fs/lustre"};

/* Reads a target's file from the tree that has it; NULL: none. The text is
 * valid until the next call. */
static const char *slurp(const char *root, const char *kind, const char *name,
			 const char *file)
{
	const char *text = NULL;

	for (size_t i = 0; i < 3 && !text; i++)
		text = slu_ost_text("%s/%s/%s/%s/%s", root, trees[i], kind,
				    name, file);
	return text;
}

/* Stores both counters, and returns their rates; false: not known. */
static bool grow(struct slu_stats_meter *m, const char *name, double now,
		 const uint64_t value[2], double rate[2])
{
	bool known = false;
	size_t i = 0;

	while (i < m->n && strcmp(m->target[i].name, name) != 0)
		i++;
	if (i == SLU_STATS_TARGETS ||
	    !slu_copy(m->target[i].name, sizeof(m->target[i].name), name))
		return false;
	if (i == m->n) {
		m->n++;
	} else if (now > m->target[i].time &&
		   value[0] >= m->target[i].value[0] &&
		   value[1] >= m->target[i].value[1]) {
		for (int k = 0; k < 2; k++)
			rate[k] = (double)(value[k] - m->target[i].value[k]) /
				  (now - m->target[i].time);
		known = true;
	}
	memcpy(m->target[i].value, value, sizeof(m->target[i].value));
	m->target[i].time = now;
	return known;
}

void slu_stats_ost(const char *root, const char *name, double now,
		   struct slu_stats_meter *m, struct json_object *obj)
{
	const char *text = slurp(root, "obdfilter", name, "stats");
	uint64_t value[2] = {0, 0}, samples;
	double rate[2];

	if (text) { /* rows exist only after the first request */
		slu_stats_row(text, "read_bytes", &samples, &value[0]);
		slu_stats_row(text, "write_bytes", &samples, &value[1]);
		if (grow(m, name, now, value, rate)) {
			slu_json_set_double(obj, "read", rate[0]);
			slu_json_set_double(obj, "write", rate[1]);
		}
	}
}

/* What an MDT takes of a file now, also where its room has become little (which
 * it tells since 2.16); false: it does not say. */
static bool takes_of_file(const char *root, const char *name, uint64_t *bytes)
{
	char lod[64];
	const char *text;
	unsigned shift = 10;

	snprintf(lod, sizeof(lod), "%.48s-mdtlov", name);
	text = slurp(root, "lod", lod, "dom_stripesize_cur_kb");
	if (!text) {
		shift = 0;
		text = slurp(root, "lod", lod, "dom_stripesize");
	}
	if (!text || !isdigit((unsigned char)*text))
		return false;
	*bytes = strtoull(text, NULL, 10) << shift;
	return true;
}

static struct json_object *mdt(const char *root, const char *name, double now,
			       struct slu_stats_meter *m)
{
	const char *text = slurp(root, "mdt", name, "md_stats");
	struct json_object *obj;
	uint64_t value[2] = {0, 0}, bytes;
	double rate[2];

	if (!text)
		return NULL;
	obj = json_object_new_object();
	slu_json_set_str(obj, "name", name);
	value[0] = slu_stats_requests(text);
	value[1] = slu_stats_metadata(text);
	if (grow(m, name, now, value, rate)) {
		slu_json_set_double(obj, "ops", rate[0]);
		slu_json_set_double(obj, "metadata", rate[1]);
	}
	if (takes_of_file(root, name, &bytes))
		slu_json_set_u64(obj, "file_bytes", bytes);
	return obj;
}

struct json_object *slu_stats_mdts(const char *root, double now,
				   struct slu_stats_meter *m)
{
	static const char *const places[] = {"sys/fs/lustre/mdt/*-MDT*",
					     "proc/fs/lustre/mdt/*-MDT*"};
	struct json_object *list = NULL, *one;
	char pattern[PATH_MAX];
	glob_t found;

	for (size_t p = 0; p < 2 && !list; p++) {
		snprintf(pattern, sizeof(pattern), "%s/%s", root, places[p]);
		if (glob(pattern, 0, NULL, &found))
			continue;
		for (size_t i = 0; i < found.gl_pathc; i++) {
			one = mdt(root, strrchr(found.gl_pathv[i], '/') + 1,
				  now, m);
			if (one && !list)
				list = json_object_new_array();
			if (one)
				json_object_array_add(list, one);
		}
		globfree(&found);
	}
	return list;
}

static bool number_of(const char *root, const char *osp, const char *file,
		      long *out)
{
	const char *text = slurp(root, "osp", osp, file);
	char *end;

	if (!text)
		return false;
	*out = strtol(text, &end, 10);
	return end != text;
}

/* Why an MDT creates no objects on a target; the administrator's setting comes
 * first. The name is "fs-OST0002-osc-MDT0000". */
static bool is_closed(const char *root, const char *osp, char *why, size_t size)
{
	static const struct {
		const char *file;
		bool closed_at_0;
	} says[] = {{"active", true},
		    {"max_create_count", true},
		    {"prealloc_status", false}};
	const char *ost = strstr(osp, "-OST"), *mdt = strstr(osp, "-osc-MDT");
	long v;

	for (size_t i = 0; ost && mdt && i < 3; i++)
		if (number_of(root, osp, says[i].file, &v) &&
		    (v == 0) == says[i].closed_at_0) {
			snprintf(why, size, "%s=%ld on %.*s-%.16s",
				 says[i].file, v, (int)(ost - osp), osp,
				 mdt + strlen("-osc-"));
			return true;
		}
	return false;
}

struct json_object *slu_stats_closed(const char *root)
{
	struct json_object *list = NULL, *one;
	char pattern[PATH_MAX], why[128], name[64];
	glob_t found;

	for (size_t p = 0; p < 3 && !list; p++) {
		snprintf(pattern, sizeof(pattern), "%s/%s/osp/*-OST*-osc-MDT*",
			 root, trees[p]);
		if (glob(pattern, 0, NULL, &found))
			continue;
		for (size_t i = 0; i < found.gl_pathc; i++) {
			const char *osp = strrchr(found.gl_pathv[i], '/') + 1;

			if (!is_closed(root, osp, why, sizeof(why)) ||
			    snprintf(name, sizeof(name), "%.*s",
				     (int)(strstr(osp, "-osc-MDT") - osp),
				     osp) >= (int)sizeof(name))
				continue;
			one = json_object_new_object();
			slu_json_set_str(one, "name", name);
			slu_json_set_str(one, "why", why);
			list = list ? list : json_object_new_array();
			json_object_array_add(list, one);
		}
		globfree(&found);
	}
	return list;
}

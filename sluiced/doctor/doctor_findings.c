/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds the findings of the question "doctor", and groups hosts or jobs that
 * have the same one.
 */
#include "sluiced/doctor/doctor_findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "common/hostlist.h"
#include "common/jsonx.h"

struct json_object *slu_finding(struct json_object *list,
				enum slu_severity severity, const char *kind,
				const char *fmt, ...)
{
	static const char *const words[] = {
		[SLU_SEVERE_ERROR] = "error",
		[SLU_SEVERE_WARNING] = "warning",
		[SLU_SEVERE_NOTE] = "note",
	};
	struct json_object *row = json_object_new_object();
	char what[1200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	slu_json_set_str(row, "severity", words[severity]);
	slu_json_set_str(row, "kind", kind);
	slu_json_set_str(row, "what", what);
	json_object_array_add(list, row);
	return row;
}

struct json_object *slu_finding_command(struct json_object *finding,
					const char *hosts, const char *fmt, ...)
{
	char type[400];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(type, sizeof(type), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(type))
		return finding; /* a part of a command must not be typed */
	if (hosts && *hosts)
		slu_json_set_str(finding, "on", hosts);
	slu_json_set_str(finding, "type", type);
	return finding;
}

struct json_object *slu_finding_since(struct json_object *finding, double since)
{
	if (since > 0)
		slu_json_set_i64(finding, "since", (int64_t)since);
	return finding;
}

void slu_group_add(struct json_object *groups, const char *key,
		   const char *host)
{
	struct json_object *names;

	if (!json_object_object_get_ex(groups, key, &names)) {
		names = json_object_new_array();
		json_object_object_add(groups, key, names);
	}
	json_object_array_add(names, json_object_new_string(host));
}

char *slu_group_hosts(struct json_object *names)
{
	const size_t n = json_object_array_length(names);
	struct slu_hosts hosts = {.name = calloc(n + 1, sizeof(*hosts.name))};
	char *text = NULL;

	for (; hosts.name && hosts.n < n; hosts.n++)
		hosts.name[hosts.n] = (char *)(uintptr_t)json_object_get_string(
			json_object_array_get_idx(names, hosts.n));
	if (hosts.name)
		text = slu_hosts_text(&hosts);
	free(hosts.name); /* the names are borrowed from the array */
	return text;
}

const char *slu_doctor_text(struct json_object *obj, const char *key)
{
	const char *text = NULL;

	slu_json_str_opt(obj, key, &text, NULL);
	return text ? text : "";
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collects, for the HTML page of `sysquery page`, the hosts of the resource map
 * (what nodes push about their hardware), and the switches to which they are
 * connected. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "common/hostlist.h"
#include "common/jsonx.h"
#include "sysmap/topology.h"
#include "sysquery/page/collect/collect.h"

#define SILENT (2 * 86400) /* s */

/* Appends a copy of the name. */
static int add_name(struct slu_hosts *hosts, const char *name)
{
	char **more = realloc(hosts->name, (hosts->n + 1) * sizeof(*more));

	if (!more)
		return -1;
	hosts->name = more;
	more[hosts->n] = strdup(name);
	return more[hosts->n] ? (hosts->n++, 0) : -1;
}

static int add_hosts(struct json_object *out, struct slu_db *db,
		     const char *key, const char *sql, int64_t before,
		     struct slu_err *err)
{
	struct slu_rows *rows = slu_db_query(db, err, sql, "I", before);
	struct slu_hosts hosts = {0};
	char *text = NULL;
	int rc = -1;

	while (rows && (rc = slu_db_step(rows, err)) > 0)
		if (slu_db_text(rows, 0) &&
		    add_name(&hosts, slu_db_text(rows, 0)) < 0) {
			rc = slu_err(err, SLU_NOMEM, "out of memory");
			break;
		}
	slu_db_done(rows);
	if (rc == 0)
		text = slu_hosts_text(&hosts);
	slu_json_set_str(out, key, text);
	free(text);
	slu_hosts_free(&hosts);
	return rc;
}

/* Switches to which hosts are connected. */
static struct json_object *switches(struct slu_db *db)
{
	struct json_object *list = json_object_new_array(), *obj;
	struct slu_topology t;
	char *hosts;

	if (slu_topology_read(db, &t, NULL) < 0)
		return list;
	for (uint32_t i = 0; i < t.n; i++) {
		if (!t.sw[i].hosts.n)
			continue;
		hosts = slu_hosts_text(&t.sw[i].hosts);
		obj = json_object_new_object();
		slu_json_set_str(obj, "switch", t.sw[i].name);
		slu_json_set_u64(obj, "level", t.sw[i].level);
		slu_json_set_str(obj, "hosts", hosts);
		json_object_array_add(list, obj);
		free(hosts);
	}
	slu_topology_free(&t);
	return list;
}

struct json_object *slu_page_collect_machine(struct slu_db *db,
					     const struct slu_page_query *q,
					     struct slu_err *err)
{
	struct json_object *out = json_object_new_object();
	int rc = 0;

	if (slu_db_has(db, "Hosttable"))
		rc = add_hosts(out, db, "hosts",
			       "SELECT Hostname FROM Hosttable WHERE ? > 0"
			       " ORDER BY HostID",
			       1, err);
	if (rc == 0 && slu_db_has(db, "Hostseen"))
		rc = add_hosts(out, db, "silent",
			       "SELECT Hostname FROM Hosttable JOIN (SELECT"
			       " HostID, max(LastSeen) AS Last FROM Hostseen"
			       " GROUP BY HostID) USING (HostID) WHERE Last < ?"
			       " ORDER BY HostID",
			       q->now - SILENT, err);
	if (rc == 0) {
		json_object_object_add(out, "switches", switches(db));
		return out;
	}
	json_object_put(out);
	return NULL;
}

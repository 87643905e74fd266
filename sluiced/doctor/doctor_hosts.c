/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks hosts for the question "doctor": those with another release of Sluice
 * or another sluice.conf, failed checks of `sluice-node probe --push`, silent
 * and drained nodes. Hosts with the same finding are reported as one.
 */
#include "config.h"
#include "sluiced/doctor/doctor_hosts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/clock.h"
#include "common/jsonx.h"
#include "common/str.h"
#include "sysmap/extract.h"
#include "sluiced/doctor/doctor_findings.h"

#define LATELY 86400.0 /* seconds for which failures count */
#define SPEAKS 20.0    /* minutes within which a healthy node sends something */

/* Merging findings that differ only in numbers: the first text and the earliest
 * time represent all of them. */

struct said {
	struct json_object *hosts;	  /* text without numbers -> names */
	struct json_object *text, *since; /* the same -> of the first */
};

static struct said said_new(void)
{
	return (struct said){json_object_new_object(), json_object_new_object(),
			     json_object_new_object()};
}

static void said_free(struct said *s)
{
	json_object_put(s->hosts);
	json_object_put(s->text);
	json_object_put(s->since);
}

/* Runs of digits become one '#'. Returns key. */
static char *without_numbers(char *key)
{
	char *to = key;

	for (const char *at = key; *at; at++)
		if (!isdigit((unsigned char)*at))
			*to++ = *at;
		else if (to == key || to[-1] != '#')
			*to++ = '#';
	*to = '\0';
	return key;
}

static void said_add(struct said *s, const char *host, const char *text,
		     double since)
{
	char *key = strdup(text);
	double first = since;

	if (!key)
		return;
	without_numbers(key);
	slu_group_add(s->hosts, key, host);
	if (!slu_json_at(s->text, key))
		slu_json_set_str(s->text, key, text);
	slu_json_double_opt(s->since, key, &first, NULL);
	slu_json_set_double(s->since, key, since < first ? since : first);
	free(key);
}

static void said_tell(const struct said *s, enum slu_severity severity,
		      const char *kind, const char *between, const char *type,
		      struct json_object *findings)
{
	struct json_object *row;
	char *hosts;

	json_object_object_foreach(s->hosts, key, names)
	{
		hosts = slu_group_hosts(names);
		row = slu_finding(findings, severity, kind, "%.400s%s%.700s",
				  hosts ? hosts : "", between,
				  slu_doctor_text(s->text, key));
		slu_finding_since(row, slu_json_number_at(s->since, key));
		slu_finding_command(row, hosts, "%s", type);
		free(hosts);
	}
}

/* Versions */

static void check_versions(struct json_object *live,
			   struct json_object *findings)
{
	struct json_object *groups = json_object_new_object();
	const char *ours = slu_doctor_text(live, "release"), *theirs;
	char *hosts;

	json_object_object_foreach(slu_json_at(live, "nodes"), name, node)
	{
		theirs = slu_doctor_text(node, "release");
		if (slu_json_number_at(node, "heard") > 0 &&
		    !slu_eq(theirs, ours))
			slu_group_add(groups, theirs, name);
	}
	json_object_object_foreach(groups, release, names)
	{
		hosts = slu_group_hosts(names);
		slu_finding_command(
			slu_finding(findings, SLU_SEVERE_WARNING, "version",
				    "%.400s: Sluice %s, sluiced is %s",
				    hosts ? hosts : "",
				    *release ? release : "of an older release",
				    ours),
			hosts, "sluice-node --version");
		free(hosts);
	}
	json_object_put(groups);
}

/* Probes. A document may belong to many hosts: it is read once. */

struct probes {
	struct json_object *live, *nodes;
	struct said bad, held;	   /* held: of jobs that have ended */
	struct json_object *stale; /* "" -> hosts with another sluice.conf */
	struct json_object *seen;  /* host -> true */
};

/* An I/O node needs no space for jobs' file systems. */
static bool is_needless(struct json_object *node, struct json_object *row)
{
	const char *check = slu_doctor_text(row, "check");

	return slu_json_bool_at(node, "only_io") &&
	       (slu_eq(check, "storage") || slu_eq(check, "resource map"));
}

static void take_row(struct probes *p, struct json_object *row,
		     const char *host, double since)
{
	const bool held = slu_eq(slu_doctor_text(row, "check"), "held");
	char *text;

	if (!(held || slu_eq(slu_doctor_text(row, "result"), "bad")) ||
	    is_needless(slu_json_at(p->nodes, host), row))
		return;
	text = slu_asprintf("%s: %s", slu_doctor_text(row, "check"),
			    slu_doctor_text(row, "text"));
	if (text)
		said_add(held ? &p->held : &p->bad, host, text, since);
	free(text);
}

static void take_probe(struct probes *p, struct json_object *doc,
		       const char *host, double since)
{
	const char *hash = slu_doctor_text(doc, "conf");
	struct json_object *rows = slu_json_at(doc, "rows");

	if (!slu_json_at(p->nodes, host))
		return; /* slurmctld does not have it any more */
	slu_json_set_bool(p->seen, host, true);
	if (*hash && !slu_eq(hash, slu_doctor_text(p->live, "conf_hash")))
		slu_group_add(p->stale, "", host);
	for (size_t i = 0; json_object_is_type(rows, json_type_array) &&
			   i < json_object_array_length(rows);
	     i++)
		take_row(p, json_object_array_get_idx(rows, i), host, since);
}

static int read_probes(struct slu_db *db, struct probes *p, struct slu_err *err)
{
	struct slu_rows *rows = slu_db_query(
		db, err,
		"SELECT s.DID, h.Hostname, s.Since, d.Data FROM Hostseen s"
		" JOIN Hosttable h ON h.HostID = s.HostID"
		" JOIN Datatable d ON d.DID = s.DID WHERE s.EID ="
		" (SELECT EID FROM Extractortable WHERE Name = ?)"
		" ORDER BY s.DID",
		"s", SLU_DOCUMENT_PROBE);
	struct json_object *doc = NULL;
	int64_t did = -1;
	int rc = -1;

	while (rows && (rc = slu_db_step(rows, err)) > 0) {
		if (slu_db_int(rows, 0) != did) {
			json_object_put(doc);
			doc = slu_json_parse(slu_db_text(rows, 3),
					     slu_db_bytes(rows, 3), NULL);
			did = slu_db_int(rows, 0);
		}
		if (json_object_is_type(doc, json_type_object))
			take_probe(p, doc, slu_db_text(rows, 1),
				   slu_db_double(rows, 2));
	}
	json_object_put(doc);
	slu_db_done(rows);
	return rc;
}

static void tell_stale(struct probes *p, struct json_object *findings)
{
	struct json_object *names = slu_json_at(p->stale, "");
	char *hosts = names ? slu_group_hosts(names) : NULL;

	if (hosts)
		slu_finding_command(
			slu_finding(findings, SLU_SEVERE_WARNING, "sluice.conf",
				    "%.400s: another sluice.conf than sluiced "
				    "has read, when it was probed last",
				    hosts),
			hosts, "sluice-node probe --push");
	free(hosts);
}

static void tell_unprobed(struct probes *p, struct json_object *findings)
{
	struct json_object *groups = json_object_new_object();
	struct json_object *names;
	char *hosts;

	json_object_object_foreach(p->nodes, name, node)
	{
		if (json_object_get_boolean(slu_json_at(node, "is_node")) &&
		    !slu_json_at(p->seen, name))
			slu_group_add(groups, "", name);
	}
	names = slu_json_at(groups, "");
	hosts = names ? slu_group_hosts(names) : NULL;
	if (hosts)
		slu_finding_command(slu_finding(findings, SLU_SEVERE_NOTE,
						"probe", "%.400s: never probed",
						hosts),
				    hosts, "sluice-node probe --push");
	free(hosts);
	json_object_put(groups);
}

static int check_probes(struct slu_db *db, struct json_object *live,
			struct json_object *findings, struct slu_err *err)
{
	struct probes p = {.live = live,
			   .nodes = slu_json_at(live, "nodes"),
			   .bad = said_new(),
			   .held = said_new(),
			   .stale = json_object_new_object(),
			   .seen = json_object_new_object()};
	int rc = read_probes(db, &p, err);

	if (rc == 0) {
		said_tell(&p.bad, SLU_SEVERE_ERROR, "probe", ": ",
			  "sluice-node probe --push", findings);
		said_tell(&p.held, SLU_SEVERE_NOTE, "held", ": ",
			  "sluice-node probe --push", findings);
		tell_stale(&p, findings);
		tell_unprobed(&p, findings);
	}
	said_free(&p.bad);
	said_free(&p.held);
	json_object_put(p.stale);
	json_object_put(p.seen);
	return rc;
}

/* Nodes that did not arrive in time and have sent nothing since: no other check
 * reports that munged, slurmd or the network is dead there. Not for runs
 * without a plan, for which no node asks, nor before a node could have cleaned
 * up. */

static void tell_silent(struct json_object *silent,
			struct json_object *findings)
{
	char *hosts;

	json_object_object_foreach(silent, job, names)
	{
		hosts = slu_group_hosts(names);
		slu_finding_command(
			slu_finding(findings, SLU_SEVERE_ERROR, "silent",
				    "%.400s: has sent no request to sluiced "
				    "since job %s waited for it in vain: "
				    "slurmd, munged or its network is down, "
				    "or the line of plugstack.conf is "
				    "missing",
				    hosts ? hosts : "", job),
			hosts, "sluice-node probe --push");
		free(hosts);
	}
}

static int check_silent(struct slu_db *db, struct json_object *live,
			struct json_object *findings, struct slu_err *err)
{
	struct json_object *nodes = slu_json_at(live, "nodes"), *node;
	struct json_object *silent = json_object_new_object();
	const double started = slu_json_number_at(live, "started");
	const double now = slu_now_wall();
	struct slu_rows *rows = slu_db_query(
		db, err,
		"SELECT b.JobID, max(b.Created), n.Node FROM Buffer b"
		" JOIN BufferNode n ON n.BID = b.BID WHERE b.Since > ?"
		" AND b.Created > ? AND b.Failure IS NOT NULL"
		" AND b.FailedIn <= 2 AND b.FailedAt < ? AND b.Driver <> ''"
		" GROUP BY n.Node",
		"ddd", now - LATELY, started, now - SPEAKS);
	char job[24];
	int rc = -1;

	while (rows && (rc = slu_db_step(rows, err)) > 0) {
		node = slu_json_at(nodes, slu_db_text(rows, 2));
		if (!node ||
		    slu_json_number_at(node, "heard") >= slu_db_double(rows, 1))
			continue;
		snprintf(job, sizeof(job), "%lld",
			 (long long)slu_db_int(rows, 0));
		slu_group_add(silent, job, slu_db_text(rows, 2));
	}
	slu_db_done(rows);
	if (rc == 0)
		tell_silent(silent, findings);
	json_object_put(silent);
	return rc;
}

/* Drained by Sluice */

static void check_drained(struct json_object *live,
			  struct json_object *findings)
{
	struct json_object *buffers = slu_json_at(live, "buffers");
	struct json_object *drained = slu_json_at(buffers, "drained"), *one;
	struct said said = said_new();

	for (size_t i = 0; i < json_object_array_length(drained); i++) {
		one = json_object_array_get_idx(drained, i);
		said_add(&said, slu_doctor_text(one, "node"),
			 slu_doctor_text(one, "reason"),
			 slu_json_number_at(one, "since"));
	}
	said_tell(&said, SLU_SEVERE_WARNING, "drained",
		  " drained: ", "sluice-node recover", findings);
	said_free(&said);
}

int slu_doctor_hosts(struct slu_db *db, struct json_object *live,
		     struct json_object *findings, struct slu_err *err)
{
	check_versions(live, findings);
	check_drained(live, findings);
	if (check_silent(db, live, findings, err))
		return -1;
	return check_probes(db, live, findings, err);
}

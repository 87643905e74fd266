/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers the question "doctor". This file checks the link to slurmctld,
 * releases, configuration files, IOStart's sources, mapping files and the
 * database; doctor_hosts.c and doctor_jobs.c check the rest. Each check is a
 * function that adds its findings.
 */
#include "config.h"
#include "sluiced/doctor/doctor.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include "burst_buffer/request/site/fstype.h"
#include "common/clock.h"
#include "common/cred.h"
#include "common/jsonx.h"
#include "common/str.h"
#include "common/size.h"
#include "sluiced/doctor/doctor_findings.h"
#include "sluiced/doctor/doctor_hosts.h"
#include "sluiced/doctor/doctor_jobs.h"

/* bytes; with less, writes will soon fail */
#define ROOM_MIN (UINT64_C(100) << 20)

/* slurmctld */

static void check_link(struct json_object *live, struct json_object *findings)
{
	struct json_object *peer = slu_json_at(live, "slurmctld"), *row;
	bool connected = false;

	slu_json_bool_opt(peer, "connected", &connected, NULL);
	if (connected)
		return;
	row = slu_finding(findings, SLU_SEVERE_ERROR, "link",
			  "slurmctld is not connected to sluiced: jobs with "
			  "a buffer wait; slurmctld is not running, or "
			  "cannot use its sluice.conf: see its log");
	slu_finding_command(row, slu_doctor_text(live, "host"),
			    "scontrol ping");
	slu_finding_since(row, slu_json_number_at(peer, "since"));
}

static void check_release(struct json_object *live,
			  struct json_object *findings)
{
	struct json_object *peer = slu_json_at(live, "slurmctld");
	const char *theirs = slu_doctor_text(peer, "release");
	const char *ours = slu_doctor_text(live, "release");

	if (*theirs && strcmp(theirs, ours) != 0)
		slu_finding_command(
			slu_finding(findings, SLU_SEVERE_WARNING, "version",
				    "slurmctld has loaded Sluice %s, "
				    "sluiced is %s",
				    theirs, ours),
			slu_doctor_text(live, "host"),
			"systemctl restart slurmctld sluiced");
}

/* Adds one finding for each line of advice on slurm.conf; the line's end is the
 * setting to write. */
static void check_slurm_conf(struct json_object *live,
			     struct json_object *findings)
{
	struct json_object *peer = slu_json_at(live, "slurmctld");
	const char *line = slu_doctor_text(peer, "slurm_advice");
	size_t len;

	for (; *line; line += len + (line[len] == '\n')) {
		len = strcspn(line, "\n");
		slu_finding_command(
			slu_finding(findings, SLU_SEVERE_WARNING, "slurm.conf",
				    "slurm.conf: %.*s, and then", (int)len,
				    line),
			slu_doctor_text(live, "host"), "scontrol reconfigure");
	}
}

/* IOBandwidth=auto and IOMetadata=auto */
static void check_io_capacity(struct json_object *io, const char *what,
			      const char *host, struct json_object *findings)
{
	double targets = slu_json_number_at(io, "targets");
	double degraded = slu_json_number_at(io, "degraded");
	bool none_left = degraded > 0 && degraded >= targets;

	if (none_left)
		slu_finding_command(
			slu_finding(findings, SLU_SEVERE_WARNING, what,
				    "IOStart holds no job back: all %.0f "
				    "Lustre targets are degraded or "
				    "read-only",
				    targets),
			host, "sysquery osts");
	else if (degraded > 0)
		slu_finding_command(
			slu_finding(findings, SLU_SEVERE_NOTE, what,
				    "%.0f of %.0f targets of Lustre are "
				    "degraded: %s=auto is as much "
				    "less",
				    degraded, targets,
				    slu_json_str_at(io, "key")),
			host, "sysquery osts");
	if (!none_left && slu_json_bool_at(io, "unknown"))
		slu_finding_command(
			slu_finding(findings, SLU_SEVERE_NOTE, what,
				    "IOStart holds no job back: what the "
				    "file system can do (%s=auto) "
				    "is not known yet",
				    slu_json_str_at(io, "key")),
			host, "sysquery iostart");
}

/* Adds "IOBandwidth=auto", or "IOMetadata=auto". */
static void put_key(struct slu_buf *keys, struct json_object *io)
{
	slu_buf_printf(keys, "%s%s=auto", keys->len ? " and " : "",
		       slu_json_str_at(io, "key"));
}

/* Servers that do not report any more: io[0] is about those with OSTs, io[1]
 * about those with MDTs. */
static void check_io_servers(struct json_object *const io[2], const char *what,
			     const char *host, struct json_object *findings)
{
	static const char *const with[] = {"OSTs", "MDTs"};
	struct slu_buf none = {0}, silent = {0}, servers = {0};

	for (int i = 0; i < 2; i++) {
		double n = slu_json_number_at(io[i], "silent");

		if (slu_json_number_at(io[i], "unheard") > 0) {
			put_key(&none, io[i]);
		} else if (n > 0) {
			put_key(&silent, io[i]);
			slu_buf_printf(&servers, "%s%.0f with %s",
				       servers.len ? ", " : "", n, with[i]);
		}
	}
	if (none.len)
		slu_finding_command(
			slu_finding(findings, SLU_SEVERE_WARNING, what,
				    "no Lustre server reports its load any "
				    "more (is sluice-tbfd --publish running "
				    "there?): after a day their earlier "
				    "reports do not count for %s",
				    none.data),
			host, "sysquery osts");
	if (silent.len)
		slu_finding_command(
			slu_finding(findings, SLU_SEVERE_WARNING, what,
				    "Lustre servers do not report their load "
				    "any more (%s; is sluice-tbfd --publish "
				    "running there?): after a day their "
				    "earlier reports do not count for %s",
				    servers.data, silent.data),
			host, "sysquery osts");
	slu_buf_free(&none);
	slu_buf_free(&silent);
	slu_buf_free(&servers);
}

/* Of each file system the list has two: bytes, and metadata operations. */
static void check_io(struct json_object *live, struct json_object *findings)
{
	struct json_object *list =
		slu_json_at(slu_json_at(live, "slurmctld"), "io");
	const char *host = slu_doctor_text(live, "host");
	char what[24 + SLU_FS_NAME];

	for (size_t i = 0; i + 1 < slu_json_length(list); i += 2) {
		struct json_object *const io[] = {
			json_object_array_get_idx(list, i),
			json_object_array_get_idx(list, i + 1)};

		snprintf(what, sizeof(what), "IOStart%s%s",
			 slu_json_str_at(io[0], "fs") ? " " : "",
			 slu_doctor_text(io[0], "fs"));
		check_io_capacity(io[0], what, host, findings);
		check_io_capacity(io[1], what, host, findings);
		check_io_servers(io, what, host, findings);
	}
}

/* sluice.conf */

/* The file is valid, but not the one in use. */
static void check_stale(struct json_object *live, const struct slu_buf *text,
			const char *path, struct json_object *findings)
{
	struct json_object *peer = slu_json_at(live, "slurmctld");
	const char *wrong = slu_doctor_text(peer, "conf_wrong");
	const double read = slu_json_number_at(peer, "conf_read");
	char hash[65];
	struct stat st;

	slu_sha256(text->data, text->len, hash);
	if (!slu_eq(hash, slu_doctor_text(live, "conf_hash")))
		slu_finding_command(
			slu_finding(findings, SLU_SEVERE_WARNING, "sluice.conf",
				    "%s differs from what sluiced has read",
				    path),
			slu_doctor_text(live, "host"),
			"systemctl reload sluiced");
	if (*wrong)
		slu_finding_command(
			slu_finding(findings, SLU_SEVERE_ERROR, "sluice.conf",
				    "slurmctld could not use %s, and "
				    "goes on with the old one: %s",
				    path, wrong),
			slu_doctor_text(live, "host"), "scontrol reconfigure");
	else if (read > 0 && stat(path, &st) == 0 && (double)st.st_mtime > read)
		slu_finding_command(
			slu_finding(findings, SLU_SEVERE_WARNING, "sluice.conf",
				    "%s was written after slurmctld "
				    "had read it",
				    path),
			slu_doctor_text(live, "host"), "scontrol reconfigure");
}

static void check_conf(struct json_object *live, struct json_object *findings)
{
	const char *path = slu_doctor_text(live, "conf_path");
	struct slu_buf text = {0};
	struct slu_err err;
	struct slu_conf *conf = slu_site_load(path, &text, &err);

	if (!conf)
		slu_finding_command(
			slu_finding(findings, SLU_SEVERE_ERROR, "sluice.conf",
				    "%s; the old one is used, and none "
				    "after a restart",
				    err.text),
			slu_doctor_text(live, "host"), "sluiced --check-conf");
	else
		check_stale(live, &text, path, findings);
	slu_conf_free(conf);
	slu_buf_free(&text);
}

/* Mappings */

static void check_mappings(struct json_object *live,
			   struct json_object *findings)
{
	const char *wrong = slu_doctor_text(live, "publish_wrong");
	const char *dir = slu_doctor_text(live, "mapping_dir");
	struct json_object *row;

	if (!*wrong)
		return;
	row = slu_finding(findings, SLU_SEVERE_ERROR, "mapping",
			  "the mapping of I/O nodes cannot be published, and "
			  "jobs start without theirs: %s",
			  wrong);
	slu_finding_since(row, slu_json_number_at(live, "publish_since"));
	slu_finding_command(row, slu_doctor_text(live, "host"), "ls -ld %s",
			    dir);
}

/* The database */

static uint64_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

static void check_room(const char *host, const char *path, uint64_t size,
		       struct json_object *findings)
{
	char dir[PATH_MAX], have[SLU_SIZE_TEXT], left[SLU_SIZE_TEXT];
	struct statvfs st;
	uint64_t room;

	slu_copy(dir, sizeof(dir), path);
	if (statvfs(dirname(dir), &st) < 0)
		return;
	room = st.f_bavail * st.f_frsize;
	if (room >= ROOM_MIN && room >= size / 4)
		return;
	slu_finding_command(
		slu_finding(findings,
			    room < ROOM_MIN ? SLU_SEVERE_ERROR
					    : SLU_SEVERE_WARNING,
			    "database",
			    "%s has %s, and there is room for %s more: without "
			    "any, jobs with a buffer neither start nor end",
			    path, slu_size_text(size, have),
			    slu_size_text(room, left)),
		host, "df %s", path);
}

static void check_database(struct json_object *live,
			   struct json_object *findings)
{
	const char *path = slu_doctor_text(live, "database");
	const char *host = slu_doctor_text(live, "host");
	const double lost = slu_json_number_at(live, "lost_turns");
	char wal[PATH_MAX];

	snprintf(wal, sizeof(wal), "%s-wal", path);
	check_room(host, path, size_of(path) + size_of(wal), findings);
	if (lost > 0)
		slu_finding_command(
			slu_finding(findings, SLU_SEVERE_NOTE, "database",
				    "it could not be written %.0f time%s since "
				    "sluiced was started; nodes ask again",
				    lost, lost == 1 ? "" : "s"),
			host, "journalctl -u sluiced -p err");
}

/* All of it */

static int cmp_severity(const void *a, const void *b)
{
	static const char order[] = "ewn"; /* error, warning, note */
	const char *x =
		slu_doctor_text(*(struct json_object *const *)a, "severity");
	const char *y =
		slu_doctor_text(*(struct json_object *const *)b, "severity");

	return (int)(strchr(order, *x) - strchr(order, *y));
}

int slu_doctor_answer(struct slu_db *db, const struct slu_asker *who,
		      struct json_object *args, struct slu_buf *out,
		      struct slu_err *err)
{
	struct json_object *all = json_object_new_object();
	struct json_object *findings = json_object_new_array();
	const double now = slu_now_wall();
	int rc = 0;

	(void)args;
	slu_json_set_i64(all, "time", (int64_t)now);
	json_object_object_add(all, "findings", findings);
	check_link(who->live, findings);
	if (who->admin) {
		check_release(who->live, findings);
		check_conf(who->live, findings);
		check_slurm_conf(who->live, findings);
		check_io(who->live, findings);
		check_mappings(who->live, findings);
		check_database(who->live, findings);
		rc = slu_doctor_hosts(db, who->live, findings, err);
	}
	if (rc == 0)
		rc = slu_doctor_jobs(db, who, findings, now, err);
	json_object_array_sort(findings, cmp_severity);
	if (rc == 0)
		slu_buf_puts(out, slu_json_utf8(all));
	json_object_put(all);
	return rc == 0 && out->failed ? slu_err(err, SLU_NOMEM, "out of memory")
				      : rc;
}

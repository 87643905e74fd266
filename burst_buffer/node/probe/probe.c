/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `sluice-node probe`: checks what this node can offer, and what prevents it;
 * each result says what to do. Leaves nothing behind; as root it makes and
 * removes storage as a trial.
 */
#include "config.h"
#include "burst_buffer/node/probe/probe.h"

#include <errno.h>
#include <libgen.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <linux/magic.h>
#include "burst_buffer/host/aside.h"
#include "burst_buffer/node/verbs.h"
#include "burst_buffer/request/site/fstype.h"
#include "common/cred.h"
#include "common/file.h"
#include "common/jsonx.h"
#include "common/proc.h"
#include "sysmap/extract.h"
#include "wire/control.h"

#define SECONDS	    10.0
#define CLOCK_APART 60.0 /* MUNGE's credentials last five minutes */

static const struct slu_column columns[] = {
	{"check", NULL, .type = SLU_COL_PLAIN},
	{"result", NULL, .type = SLU_COL_PLAIN},
	{"text", NULL, .type = SLU_COL_TEXT},
	{NULL, NULL, .type = SLU_COL_PLAIN},
};

/* Drivers */

static void note_fs(struct slu_probe *p, const char *name, bool ok,
		    const char *why)
{
	struct json_object *one = json_object_new_object();
	char text[200];

	slu_copy(text, sizeof(text), why ? why : "");
	text[strcspn(text, "\n")] = '\0'; /* the first line is enough */
	slu_json_set_str(one, "name", name);
	json_object_object_add(one, "ok", json_object_new_boolean(ok));
	slu_json_set_str(one, "text", text);
	json_object_array_add(p->fs, one);
}

static void probe_fs(struct slu_probe *p, const struct slu_fs_conf *fs)
{
	const struct slu_driver *driver = slu_driver_find(fs->driver);
	char *line, *rest, check[100], release[64] = "";
	struct slu_buf why = {0};
	int bad;

	snprintf(check, sizeof(check), "FileSystem %.80s", fs->name);
	if (!driver) {
		slu_probe_add(p, SLU_PROBE_BAD, check, "there is no driver %s",
			      fs->driver);
		return;
	}
	bad = driver->probe(fs, &why);
	note_fs(p, fs->name, !bad, why.data);
	if (!bad && driver->release)
		driver->release(fs, release);
	if (!bad)
		slu_probe_add(p, SLU_PROBE_OK, check, "driver %s%s%s%s",
			      driver->name, *release ? " " : "", release,
			      fs->is_default ? ", the default" : "");
	rest = why.data;
	while ((line = strsep(&rest, "\n")))
		if (*line)
			slu_probe_add(p, SLU_PROBE_BAD, check, "%s", line);
	slu_buf_free(&why);
}

static void probe_mover(struct slu_node *n, struct slu_probe *p)
{
	char why[200];

	if (!n->conf->mover)
		return;
	if (!access(n->conf->mover[0], X_OK)) {
		note_fs(p, SLU_CAPACITY_MOVER, true, NULL);
		slu_probe_add(p, SLU_PROBE_OK, "Mover", "%s",
			      n->conf->mover[0]);
		return;
	}
	snprintf(why, sizeof(why), "Mover: %.150s: %s", n->conf->mover[0],
		 strerror(errno));
	note_fs(p, SLU_CAPACITY_MOVER, false, why);
	slu_probe_add(p, SLU_PROBE_BAD, "Mover",
		      "%s: %s; install it, or jobs that stage directories are "
		      "refused",
		      n->conf->mover[0], strerror(errno));
}

static void probe_drivers(struct slu_node *n, struct slu_probe *p)
{
	for (size_t i = 0; i < n->conf->n_fs; i++)
		probe_fs(p, &n->conf->fs[i]);
	if (!n->conf->n_fs)
		slu_probe_add(p, SLU_PROBE_NOTE, "FileSystem",
			      "sluice.conf offers none");
}

/* munged here, sluiced, and what it knows of this node */

/* The address that munged uses for this host is the one that servers of jobs
 * bind, too. */
static void probe_address(struct slu_probe *p, struct in_addr addr)
{
	char text[INET_ADDRSTRLEN];

	if (ntohl(addr.s_addr) >> 24 != IN_LOOPBACKNET)
		return;
	inet_ntop(AF_INET, &addr, text, sizeof(text));
	slu_probe_add(p, SLU_PROBE_NOTE, "address",
		      "this host's name means %s here, where no other reaches "
		      "it: write its address into /etc/hosts, restart munge",
		      text);
}

static bool probe_munge(struct slu_node *n, struct slu_probe *p)
{
	struct slu_caller self;
	struct slu_err err;
	char nonce[SLU_NONCE_TEXT];
	char *cred = slu_cred_request("POST", "/", "", 0, nonce, &err);
	bool good = cred && !slu_cred_check_request(cred, "POST", "/", "", 0,
						    &self, &err);

	(void)n;
	free(cred);
	if (!good) {
		slu_probe_add(p, SLU_PROBE_BAD, "munge", "%s", err.text);
		return false;
	}
	slu_probe_add(p, SLU_PROBE_OK, "munge", "works");
	probe_address(p, self.addr);
	return true;
}

static void probe_clock(struct slu_probe *p, double offset)
{
	if (isnan(offset))
		return;
	if (fabs(offset) > CLOCK_APART)
		slu_probe_add(p, SLU_PROBE_BAD, "clock",
			      "sluiced's is %.0f s %s: set both by NTP",
			      fabs(offset), offset > 0 ? "ahead" : "behind");
	else
		slu_probe_add(p, SLU_PROBE_NOW, "clock",
			      "%.0f s from sluiced's", fabs(offset));
}

static void probe_sluiced(struct slu_node *n, struct slu_probe *p)
{
	struct slu_err err;
	struct json_object *rows = slu_probe_ask_map(n, "summary", &err);

	if (slu_choice_is_path(n->conf->node_storage))
		slu_copy(p->storage, sizeof(p->storage), n->conf->node_storage);
	if (!rows) {
		slu_probe_add(p, SLU_PROBE_BAD, "sluiced", "%s", err.text);
		return;
	}
	slu_probe_add(p, SLU_PROBE_OK, "sluiced", "answers");
	probe_clock(p, slu_http_clock_offset(n->http));
	slu_probe_find_storage(n, p, rows);
	json_object_put(rows);
}

static void probe_run_dir(struct slu_node *n, struct slu_probe *p)
{
	const char *dir = n->conf->run_dir;
	char copy[PATH_MAX], *at = copy;
	struct statfs st;

	slu_copy(copy, sizeof(copy), dir);
	while (statfs(at, &st) && errno == ENOENT && strcmp(at, "/"))
		at = dirname(at);
	if (st.f_type == TMPFS_MAGIC || st.f_type == RAMFS_MAGIC)
		slu_probe_add(p, SLU_PROBE_OK, "RunDir", "%s, in memory", dir);
	else
		slu_probe_add(p, SLU_PROBE_NOTE, "RunDir",
			      "%s must not survive a reboot, but it is not in "
			      "memory",
			      dir);
}

/* Slurm */

static void probe_slurm(struct slu_node *n, struct slu_probe *p)
{
	char *argv[] = {"scontrol", "show", "config", NULL};
	struct slu_buf config = {0};
	struct slu_err err;
	char dir[PATH_MAX], *path;

	path = slu_conf_slurm_path();
	snprintf(dir, sizeof(dir), "%s", path ? dirname(path) : "");
	free(path);
	if (slu_run(argv, SECONDS, &config, &err))
		slu_probe_add(p, SLU_PROBE_NOTE, "slurm",
			      "scontrol show config: %s", err.text);
	else
		slu_probe_slurm(p, n->conf, config.data ? config.data : "",
				dir);
	slu_buf_free(&config);
}

/* Which configuration is in use, and from where; after a request to sluiced. */
static void probe_conf(struct slu_node *n, struct slu_probe *p)
{
	const char *now = n->http ? slu_http_conf(n->http) : "";
	const struct slu_conf_origin *o = &n->origin;

	slu_node_renew_conf(n);
	if (!*o->from)
		slu_probe_add(p, SLU_PROBE_OK, "sluice.conf", "%s", o->path);
	else if (!*o->path)
		slu_probe_add(p, SLU_PROBE_NOTE, "sluice.conf",
			      "fetched from sluiced at %s, and not kept: only "
			      "root can",
			      o->from);
	else if (!*now)
		slu_probe_add(p, SLU_PROBE_NOTE, "sluice.conf",
			      "%s, fetched from sluiced at %s, which does "
			      "not answer whether it is the present version",
			      o->path, o->from);
	else if (strcmp(now, o->hash))
		slu_probe_add(p, SLU_PROBE_BAD, "sluice.conf",
			      "%s, fetched from sluiced at %s, which now has "
			      "another version that cannot be used here",
			      o->path, o->from);
	else
		slu_probe_add(p, SLU_PROBE_OK, "sluice.conf",
			      "%s, fetched from sluiced at %s", o->path,
			      o->from);
}

int slu_cmd_probe(struct slu_node *n)
{
	struct slu_probe p = {.rows = json_object_new_array(),
			      .stable = json_object_new_array(),
			      .fs = json_object_new_array()};
	struct slu_err err;
	int rc;

	probe_drivers(n, &p);
	probe_mover(n, &p);
	probe_munge(n, &p);
	probe_sluiced(n, &p);
	probe_conf(n, &p);
	slu_probe_storage(n, &p);
	probe_run_dir(n, &p);
	probe_slurm(n, &p);
	rc = slu_print_rows(n, p.rows, columns, &err);
	if (rc == 0 && n->opt->push)
		rc = slu_probe_push(n, &p, &err);
	slu_strv_free(p.tiers);
	json_object_put(p.rows);
	json_object_put(p.stable);
	json_object_put(p.fs);
	if (rc)
		return slu_verb_failed("probe", &err);
	return p.bad ? EXIT_FAILURE : EXIT_SUCCESS;
}

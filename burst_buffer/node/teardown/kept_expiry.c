/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Removes kept data of failed stage-outs when KeepFailed is over: from this
 * node's storage and, where a driver keeps it there, from file systems that all
 * nodes have in common. A detached process does it, as it may take long.
 */
#include "config.h"
#include "burst_buffer/node/teardown/kept_expiry.h"
#include "burst_buffer/node/teardown/leftovers.h"

#include <limits.h>
#include <strings.h>
#include <unistd.h>
#include "burst_buffer/node/verbs.h"
#include "common/file.h"

#define EXPIRE_WAIT 5.0 /* seconds to wait: usually it takes no time */

struct expiry {
	struct slu_node *n;
	bool common;
	int64_t now;
	struct slu_uptime up;
};

static void expire_storages(const struct expiry *x)
{
	struct slu_err err;
	char **storage = slu_storages(x->n->conf, &err);

	if (!storage)
		slu_node_log(x->n, SLU_ERROR, "%s", err.text);
	for (size_t i = 0; storage && storage[i]; i++)
		if (!access(storage[i], F_OK) &&
		    slu_storage_expire(storage[i], x->now, &x->up,
				       x->n->conf->keep_failed, &err))
			slu_node_log(x->n, SLU_ERROR, "%s", err.text);
	slu_strv_free(storage);
}

static void expire_root(const struct expiry *x, const struct slu_driver *driver,
			const struct slu_option *option, size_t n)
{
	struct slu_err err;

	for (size_t i = 0; i < n; i++)
		if (!strcasecmp(option[i].key, "root") &&
		    driver->expire(option[i].value, x->now, &x->up,
				   x->n->conf->keep_failed, &err))
			slu_node_log(x->n, SLU_ERROR, "%s", err.text);
}

/* A profile's root= belongs to a file system that the profile does not name
 * here. */
static void expire_in_common(const struct expiry *x)
{
	const struct slu_conf *conf = x->n->conf;

	for (size_t i = 0; i < conf->n_fs; i++) {
		const struct slu_fs_conf *fs = &conf->fs[i];
		const struct slu_driver *driver = slu_driver_find(fs->driver);

		if (!driver || !driver->expire)
			continue;
		expire_root(x, driver, fs->option, fs->n_option);
		for (size_t p = 0; p < conf->n_profile; p++)
			expire_root(x, driver, conf->profile[p].option,
				    conf->profile[p].n_option);
	}
}

/* The detached process; it opens a node of its own, as the caller's log is
 * closed. */
static int expire(void *arg)
{
	struct expiry x = *(const struct expiry *)arg;
	struct slu_node own;
	struct slu_err err;
	int rc = slu_node_open(&own, x.n->opt, &err);

	x.n = &own;
	if (rc == 0 && slu_uptime_now(&x.up, &err)) {
		slu_node_log(x.n, SLU_ERROR, "%s", err.text);
		rc = -1;
	}
	if (rc == 0)
		expire_storages(&x);
	if (rc == 0 && x.common)
		expire_in_common(&x);
	slu_node_close(&own);
	return rc ? 1 : 0;
}

void slu_kept_expire(struct slu_node *n, bool common)
{
	struct expiry x = {
		.n = n, .common = common, .now = slu_leftovers_clock(n)};
	struct slu_node all = {0};
	char path[PATH_MAX];
	struct slu_pid pid;
	struct slu_err err;

	if (slu_mkdirs(n->conf->run_dir, 0755, &err))
		slu_node_log(n, SLU_ERROR, "%s", err.text);
	slu_copy(all.dir, sizeof(all.dir), n->conf->run_dir);
	slu_note_path(&all, "expire.pid", path);
	if (x.now && !slu_note_lives(&all, "expire.pid", &pid) &&
	    slu_detach(expire, &x, path, NULL, &err))
		slu_node_log(n, SLU_ERROR, "%s", err.text);
	else if (x.now && slu_note_lives(&all, "expire.pid", &pid))
		slu_pid_wait(&pid, EXPIRE_WAIT, NULL);
}

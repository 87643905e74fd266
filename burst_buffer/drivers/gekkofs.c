/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gekkofs: one name space over the storage of all nodes, in user space. Every
 * node runs daemons as the job's user. There is no mount: programs reach it
 * through a library that they are started with, and the lines of all daemons
 * in a hosts file, which each node writes from what the nodes tell each other
 * (the user's, 0600: GekkoFS asks nobody who he is).
 */
#include "config.h"
#include "burst_buffer/drivers/gekkofs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "burst_buffer/host/aside.h"
#include "common/file.h"
#include "common/proc.h"

#define CHECK_SECONDS 20.0 /* for a client to see the file system */

static void hosts_path(const struct slu_instance *in, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/hosts", in->dir);
}

/* probe */

static int probe_file(const char *path, int how, const char *what,
		      struct slu_buf *why)
{
	if (*path == '/' && !access(path, how))
		return 0;
	slu_buf_printf(why,
		       "%s is missing: install GekkoFS and name its full path "
		       "with %s=\n",
		       path, what);
	return 1;
}

static int probe(const struct slu_fs_conf *conf, struct slu_buf *why)
{
	return probe_file(slu_fs_option(conf, "server", "/usr/bin/gkfs_daemon"),
			  X_OK, "server", why) +
	       probe_file(slu_fs_option(conf, "library",
					"/usr/lib/libgkfs_intercept.so"),
			  R_OK, "library", why);
}

/* check */

static int env(const struct slu_instance *in, struct slu_buf *out,
	       struct slu_err *err)
{
	char hosts[PATH_MAX];

	hosts_path(in, hosts);
	slu_buf_printf(out,
		       "LIBGKFS_HOSTS_FILE=%s\nLIBGKFS_LOG=none\n"
		       "IPATH_NO_BACKTRACE=1\nLD_PRELOAD=%s\n",
		       hosts,
		       slu_plan_option(in->plan, "library",
				       "/usr/lib/libgkfs_intercept.so"));
	return out->failed ? slu_err(err, SLU_NOMEM, "out of memory") : 0;
}

static void set_env(char *text)
{
	char *line, *value;

	while ((line = strsep(&text, "\n")))
		if ((value = strchr(line, '='))) {
			*value++ = '\0';
			setenv(line, value, 1);
		}
}

/* A client, with the user's rights, asks for the root of the file system. */
static int look(struct slu_aside *aside, void *arg, void *out,
		struct slu_err *err)
{
	const struct slu_instance *in = arg;
	char *argv[] = {"stat", (char *)in->mnt, NULL};
	struct slu_buf text = {0};

	(void)out;
	if (slu_aside_become(aside, in->plan->uid, in->plan->gid, err) ||
	    env(in, &text, err))
		return -1;
	set_env(text.data);
	return slu_run(argv, CHECK_SECONDS - 1, NULL, err);
}

static int check(const struct slu_instance *in, struct slu_err *err)
{
	struct slu_aside aside = {
		.fn = look, .arg = (void *)in, .seconds = CHECK_SECONDS};
	char hosts[PATH_MAX];

	hosts_path(in, hosts);
	if (slu_gkfs_hosts_try(in, hosts, err))
		return -1;
	return slu_aside(&aside, "the job's file system", NULL, err);
}

/* attach and detach */

static int attach(const struct slu_instance *in, const struct slu_pair *attrs,
		  size_t n_attr, const char **root, struct slu_err *err)
{
	char path[PATH_MAX];

	*root = in->mnt;
	if (slu_mkdirs(in->mnt, 0711, err))
		return -1;
	hosts_path(in, path);
	return slu_gkfs_hosts_write(in, path, attrs, n_attr, err);
}

/* Programs that are started from now on fail at once. */
static int detach(const struct slu_instance *in, struct slu_err *err)
{
	char path[PATH_MAX];

	hosts_path(in, path);
	if (unlink(path) && errno != ENOENT)
		return slu_errno(err, SLU_IO, "cannot remove %s", path);
	return 0;
}

const struct slu_driver slu_driver_gekkofs = {
	.name = "gekkofs",
	.shared = true,
	.interposed = true,
	.probe = probe,
	.start = slu_gkfs_start,
	.attach = attach,
	.check = check,
	.env = env,
	.counters = slu_gkfs_counters,
	.detach = detach,
	.stop = slu_gkfs_stop,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Driver "gekkofs": makes one name space over the storage of all nodes, in user
 * space, by GekkoFS's daemons, which run as the job's user. There is no mount:
 * programs reach the file system through a preloaded library, which finds the
 * daemons in a hosts file. Each node writes that file from the addresses that
 * the nodes exchange; only the user can read it, since GekkoFS authenticates
 * nobody.
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

#define CHECK_SECONDS 20.0 /* for a client to reach the file system */

static void hosts_path(const struct slu_instance *in, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/hosts", in->dir);
}

static const char *library(const struct slu_instance *in)
{
	return slu_plan_option(in->plan, "library",
			       "/usr/lib/libgkfs_intercept.so");
}

/* check */

/* Our library beside the client's, which ends calls that would wait for ever
 * (burst_buffer/preload); "": not installed. */
static const char *guard(const struct slu_instance *in)
{
	const char *path = slu_plan_option(
		in->plan, "guard", SLU_PKGLIBDIR "/libsluice_forked.so");

	return access(path, R_OK) ? "" : path;
}

/* Environment of clients. A client obeys every variable of its own that it
 * finds, and uses a proxy if there is a file in a default place where anybody
 * can create one; so all are unset, and the proxy's file is set to a path where
 * no user can create one. Its descriptors are the highest that it was built
 * for, and it aborts if it may not use them. */
static int env(const struct slu_instance *in, struct slu_buf *out,
	       struct slu_err *err)
{
	const char *ours = guard(in);
	char hosts[PATH_MAX];

	hosts_path(in, hosts);
	slu_buf_printf(out,
		       "-LIBGKFS_\n-SLUICE_IONS\nnofile %s\n"
		       "LIBGKFS_HOSTS_FILE=%s\n"
		       "LIBGKFS_PROXY_PID_FILE=%s/no_proxy\n"
		       "LIBGKFS_LOG=none\nIPATH_NO_BACKTRACE=1\n"
		       "SLUICE_INTERPOSED=%s\n",
		       slu_plan_option(in->plan, "files", SLU_GKFS_FILES),
		       hosts, in->dir, in->mnt);
	slu_gkfs_put_env(slu_plan_option(in->plan, "client_env", ""), out);
	slu_buf_printf(out, "LD_PRELOAD=%s%s%s\n", library(in),
		       *ours ? ":" : "", ours);
	return out->failed ? slu_err(err, SLU_NOMEM, "out of memory") : 0;
}

/* Runs a client, with the user's rights, that reads the root of the file
 * system. */
static int look(struct slu_aside *aside, void *arg, void *out,
		struct slu_err *err)
{
	const struct slu_instance *in = arg;
	char *argv[] = {"stat", (char *)in->mnt, NULL};
	struct slu_buf text = {0};

	(void)out;
	if (env(in, &text, err))
		return -1;
	slu_instance_enter(text.data);
	if (slu_aside_become(aside, in->plan->uid, in->plan->gid, err))
		return -1;
	return slu_run(argv, CHECK_SECONDS - 1, NULL, err);
}

static int check(const struct slu_instance *in, struct slu_err *err)
{
	struct slu_aside aside = {
		.fn = look, .arg = (void *)in, .seconds = CHECK_SECONDS};
	char hosts[PATH_MAX];

	hosts_path(in, hosts);
	if (slu_gkfs_check_daemons(in, hosts, err))
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

/* Programs that start from now on fail at once. */
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
	.probe = slu_gkfs_probe,
	.release = slu_gkfs_release,
	.start = slu_gkfs_start,
	.attach = attach,
	.check = check,
	.lives = slu_gkfs_lives,
	.env = env,
	.counters = slu_gkfs_counters,
	.detach = detach,
	.stop = slu_gkfs_stop,
	.mark = slu_gkfs_mark,
	.join = slu_gkfs_join,
};

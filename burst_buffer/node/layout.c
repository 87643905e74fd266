/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The root of a job's file system belongs to root and is out of users' reach
 * (a mount may tell its secrets there); what they get is data/ of it, bound to
 * RunDir/JOB/mnt/data. The mount points under both are root's, mode 0000.
 */
#include "config.h"
#include "burst_buffer/node/node.h"

#include <errno.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/host/aside.h"
#include "burst_buffer/host/mtab.h"
#include "common/file.h"

#define SECONDS 30.0

static int in_child(struct slu_node *n, slu_aside_f *fn, struct slu_err *err)
{
	struct slu_aside aside = {.fn = fn, .arg = n, .seconds = SECONDS};

	return slu_aside(&aside, "the job's file system", NULL, err);
}

static int make_dir(const char *root, const char *name, mode_t mode, uid_t uid,
		    gid_t gid, struct slu_err *err)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	if ((mkdir(path, 0700) && errno != EEXIST) || chown(path, uid, gid) ||
	    chmod(path, mode))
		return slu_errno(err, SLU_IO,
				 "cannot make %s in the job's file system",
				 name);
	return 0;
}

static int make(struct slu_aside *aside, void *arg, void *out,
		struct slu_err *err)
{
	struct slu_node *n = arg;

	(void)aside, (void)out;
	return make_dir(n->root, ".sluice", 0700, 0, 0, err) ||
			       make_dir(n->root, "data", 0700, n->plan.uid,
					n->plan.gid, err)
		       ? -1
		       : 0;
}

int slu_layout_make(struct slu_node *n, struct slu_err *err)
{
	return in_child(n, make, err);
}

static int bind_data(struct slu_aside *aside, void *arg, void *out,
		     struct slu_err *err)
{
	struct slu_node *n = arg;
	char from[PATH_MAX];

	(void)aside, (void)out;
	snprintf(from, sizeof(from), "%s/data", n->root);
	if (mount(from, n->data, NULL, MS_BIND, NULL))
		return slu_errno(err, SLU_IO, "cannot mount %s", n->data);
	return 0;
}

int slu_layout_show(struct slu_node *n, struct slu_err *err)
{
	char mnt[PATH_MAX];

	if (slu_mounted(n->data))
		return 0;
	slu_note_path(n, "mnt", mnt);
	if (slu_mkdirs(mnt, 0711, err))
		return -1;
	if ((mkdir(n->data, 0) && errno != EEXIST) || chmod(n->data, 0))
		return slu_errno(err, SLU_IO, "cannot make %s", n->data);
	return in_child(n, bind_data, err);
}

static int unbind(struct slu_aside *aside, void *arg, void *out,
		  struct slu_err *err)
{
	struct slu_node *n = arg;

	(void)aside, (void)out;
	return slu_unmount_below(n->data, n->plan.uid, 3, err);
}

/* What cannot be had in order goes all the same where the file system has a
 * client to be ended; storage of this node must be let go of by its users. */
int slu_layout_hide(struct slu_node *n, struct slu_err *err)
{
	if (!in_child(n, unbind, err))
		return 0;
	if (!n->driver->abort)
		return -1;
	slu_node_log(n, SLU_WARN, "%s; its client is ended", err->text);
	return n->driver->abort(&n->in, err) || slu_unmount_lazily(n->data, err)
		       ? -1
		       : 0;
}

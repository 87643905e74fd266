/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Helpers of the driver glusterfs: writes volume files, adds the cause from a
 * log to an error, computes time limits that grow with the number of bricks,
 * and proves that the preloaded library works.
 */
#include "config.h"
#include "burst_buffer/drivers/glusterfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>
#include "burst_buffer/host/logs.h"
#include "common/file.h"

#define PATIENCE_MAX 120.0 /* upper bound of the addition, seconds */

void slu_gluster_path(const struct slu_instance *in, const char *name,
		      char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/%s", in->work, name);
}

int slu_gluster_volfile(const char *path, struct slu_buf *text,
			struct slu_err *err)
{
	int rc;

	if (text->failed)
		rc = slu_err(err, SLU_NOMEM, "out of memory");
	else
		rc = slu_file_write(AT_FDCWD, path, text->data, text->len, 0600,
				    false, err);
	slu_buf_free(text);
	return rc;
}

int slu_gluster_add_log(const struct slu_instance *in, const char *log,
			struct slu_err *err)
{
	struct slu_err first = *err;
	char why[200];

	slu_logs_find(in->log, log, " E ", why, sizeof(why));
	return slu_err(err, first.kind, "%s%s%s", first.text, *why ? ": " : "",
		       why);
}

unsigned slu_gluster_bricks(const struct slu_plan *plan)
{
	unsigned n = 0;

	for (size_t i = 0; i < plan->n_node; i++)
		if (!plan->node[i].client)
			n += (unsigned)slu_plan_devices(&plan->node[i]);
	return n;
}

unsigned slu_gluster_servers(const struct slu_plan *plan)
{
	unsigned n = 0;

	for (size_t i = 0; i < plan->n_node; i++)
		n += !plan->node[i].client;
	return n;
}

double slu_gluster_timeout(const struct slu_plan *plan, double least)
{
	return least + fmin(slu_gluster_bricks(plan), PATIENCE_MAX);
}

int slu_gluster_preload(const struct slu_instance *in, const char *file,
			struct slu_gluster_preload *env, struct slu_err *err)
{
	char path[PATH_MAX];

	slu_gluster_path(in, file, path);
	if (unlink(path) && errno != ENOENT)
		return slu_errno(err, SLU_IO, "cannot remove %s", path);
	snprintf(env->file, sizeof(env->file), "SLUICE_TOLD=%s", path);
	snprintf(env->library, sizeof(env->library), "LD_PRELOAD=%s",
		 slu_plan_option(in->plan, "client_library",
				 SLU_GLUSTER_LIBRARY));
	return 0;
}

int slu_gluster_check_preload(const struct slu_instance *in, const char *file,
			      const char *program, struct slu_err *err)
{
	char path[PATH_MAX];

	slu_gluster_path(in, file, path);
	if (!access(path, F_OK))
		return 0;
	return slu_err(err, SLU_IO, "glusterfs: the %s does not load %s",
		       program,
		       slu_plan_option(in->plan, "client_library",
				       SLU_GLUSTER_LIBRARY));
}

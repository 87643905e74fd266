/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of what each file system driver can do and which options it has.
 * The drivers themselves are only in programs that run on the nodes; a unit
 * test compares their names, and which are shared, with this table
 * (test_volfile).
 */
#include "config.h"
#include "burst_buffer/request/site/fstype.h"
#include "burst_buffer/request/request.h"
#include "burst_buffer/request/site/fsoption.h"

#include <string.h>
#include <strings.h>
#include "common/str.h"
#include "wire/node.h"

static const char *const no_options[] = {NULL};
static const char *const glusterfs_options[] = {
	"server",	  "client",  "ports",	"shard", "coherence",
	"client_library", "servers", "threads", NULL};
static const char *const gekkofs_options[] = {
	"server",     "library",	 "listen", "protocol", "daemons",
	"preload",    "files",		 "guard",  "args",     "env",
	"client_env", "unauthenticated", NULL};
static const char *const beeond_options[] = {"server", "config", "meta",
					     "remote", "chunk",	 NULL};
static const char *const lustre_options[] = {
	"root",		"lfs",	       "fsname",   "layout",
	"stripe_count", "stripe_size", "ost_pool", NULL};

const struct slu_fstype slu_fstypes[] = {
	{.name = "scratch",
	 .coherence = SLU_COHERENCE_PRIVATE,
	 .options = no_options},
	{.name = "glusterfs",
	 .coherence = SLU_COHERENCE_STRICT,
	 .shared = true,
	 .binds = true,
	 .persistent = true,
	 .uneven = true,
	 .spreads = true,
	 .striped = "shard",
	 .options = glusterfs_options},
	{.name = "gekkofs",
	 .coherence = SLU_COHERENCE_SHARED,
	 .shared = true,
	 .binds = true,
	 .pieces = true,
	 .joined = true,
	 .unauthenticated = "GekkoFS does not authenticate its users: "
			    "whoever reaches its ports can read and remove a "
			    "job's data",
	 .library = "/usr/lib/libgkfs_intercept.so",
	 .options = gekkofs_options,
	 .missing = "client",
	 .missing_why = "programs reach it by its library only; its FUSE "
			"client is in no release that Sluice was tested "
			"with"},
	{.name = "lustre",
	 .coherence = SLU_COHERENCE_STRICT,
	 .shared = true,
	 .remote = true,
	 .persistent = true,
	 .required = "root",
	 .options = lustre_options},
	{.name = "beeond",
	 .coherence = SLU_COHERENCE_SHARED,
	 .shared = true,
	 .all_nodes = true,
	 .uneven = true,
	 .pieces = true,
	 .options = beeond_options},
	{0},
};

const struct slu_fstype *slu_fstype_find(const char *name)
{
	for (const struct slu_fstype *k = slu_fstypes; name && k->name; k++)
		if (!strcasecmp(k->name, name))
			return k;
	return NULL;
}

bool slu_fstype_has(const struct slu_fstype *type, const char *option)
{
	for (int i = 0; type && type->options[i]; i++)
		if (!strcasecmp(type->options[i], option))
			return true;
	return type && !type->remote && !strcasecmp(option, "storage");
}

bool slu_fstype_striped(const struct slu_plan *plan)
{
	const struct slu_fstype *type = slu_fstype_find(plan->driver);

	return type && type->striped &&
	       slu_plan_option(plan, type->striped, NULL);
}

bool slu_fstype_in_pieces(const struct slu_plan *plan)
{
	const struct slu_fstype *type = slu_fstype_find(plan->driver);

	return (type && type->pieces) || slu_fstype_striped(plan);
}

const char *slu_fstype_library(const struct slu_fs_conf *fs)
{
	const struct slu_fstype *type = slu_fstype_find(fs->driver);

	return type && type->library
		       ? slu_fs_option(fs, "library", type->library)
		       : NULL;
}

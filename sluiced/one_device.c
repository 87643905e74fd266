/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Warns, as sluiced reads sluice.conf, of shares that NodeDevices=all does not
 * spread over the devices of a node: which file systems can be is a matter of
 * their drivers, and a share in a directory that is named lies there alone.
 */
#include "config.h"
#include "sluiced/one_device.h"

#include <strings.h>
#include "burst_buffer/request/site/fstype.h"
#include "common/str.h"
#include "common/tiers.h"

/* The directory that storage= names, if it does. */
static const char *directory_of(const struct slu_option *option, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcasecmp(option[i].key, "storage") &&
		    slu_choice_is_path(option[i].value))
			return option[i].value;
	return NULL;
}

bool slu_fs_spreads(const struct slu_fs_conf *fs)
{
	const struct slu_fstype *type = slu_fstype_find(fs->driver);

	return type && type->spreads && !directory_of(fs->option, fs->n_option);
}

static void check_fs(const struct slu_fs_conf *fs, const struct slu_log *log)
{
	const struct slu_fstype *type = slu_fstype_find(fs->driver);
	const char *directory = directory_of(fs->option, fs->n_option);

	if (!type || type->remote)
		return;
	if (!type->spreads)
		slu_log(log, SLU_WARN,
			"NodeDevices=all: shares of FileSystem=%s lie on one "
			"device of a node each, as the driver %s uses one",
			fs->name, type->name);
	else if (directory)
		slu_log(log, SLU_WARN,
			"NodeDevices=all: shares of FileSystem=%s lie on one "
			"device of a node each, as storage=%s is one directory",
			fs->name, directory);
}

void slu_one_device_check(const struct slu_conf *conf,
			  const struct slu_log *log)
{
	const char *directory;

	if (conf->node_devices != SLU_DEVICES_ALL)
		return;
	for (size_t i = 0; i < conf->n_fs; i++)
		check_fs(&conf->fs[i], log);
	for (size_t i = 0; i < conf->n_profile; i++) {
		const struct slu_profile_conf *p = &conf->profile[i];

		directory = directory_of(p->option, p->n_option);
		if (directory)
			slu_log(log, SLU_WARN,
				"NodeDevices=all: shares by Profile=%s lie on "
				"one device of a node each, as storage=%s is "
				"one directory",
				p->name, directory);
	}
	if (slu_choice_is_path(conf->node_storage))
		slu_log(log, SLU_WARN,
			"NodeDevices=all: shares lie on one device of a node "
			"each where NodeStorage says so, as %s is one "
			"directory: give a list of tiers or patterns",
			conf->node_storage);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_ONE_DEVICE_H
#define SLU_SLUICED_ONE_DEVICE_H

/* Names what a site with NodeDevices=all may believe to be spread over the
 * devices of a node, and is not. */

#include "common/conf.h"
#include "common/log.h"

/* With NodeDevices=all, logs one line for each file system, profile and pool of
 * which a node's share lies on one device nevertheless: by its driver, or as
 * its storage is one directory. */
void slu_one_device_check(const struct slu_conf *conf,
			  const struct slu_log *log);

/* Are shares of this file system spread over devices with NodeDevices=all,
 * where neither a profile nor NodeStorage names one directory? */
bool slu_fs_spreads(const struct slu_fs_conf *fs);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_CONF_FS_H
#define SLU_COMMON_CONF_FS_H

/* Inside of conf: the readers of FileSystem=NAME and Profile=NAME lines. */

#include "common/conf.h"

/* Append the file system that `value` ("NAME Driver=x key=value ...")
 * describes to the struct slu_conf at `conf`. */
int slu_conf_read_fs(const char *value, void *conf, struct slu_err *err);

/* Append the profile that `value` ("NAME key=value ...") describes. */
int slu_conf_read_profile(const char *value, void *conf, struct slu_err *err);

/* Free what it owns. */
void slu_fs_conf_clear(struct slu_fs_conf *fs);
void slu_profile_conf_clear(struct slu_profile_conf *profile);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_LINUX_KCONFIG_H
#define SLU_SYSMAP_LINUX_KCONFIG_H

/* Reads those options of a kernel configuration ("CONFIG_FUSE_FS=m" lines) that
 * matter to I/O. */

#include <json-c/json.h>
#include "sysmap/root.h"

#define SLU_KERNEL_CONFIG_MAX (2u << 20) /* bytes, unpacked */

/* Adds the options that matter to I/O to the object, without "CONFIG_"; one
 * that is not set is "n". Splits the text in place; any text is accepted. */
void slu_kernel_config_parse(char *text, struct json_object *out);

/* /proc/config.gz, unpacked; -1 without one, or when built without zlib. */
int slu_kernel_config_gz(const struct slu_root *root, struct slu_buf *out);

/* Unpack what gzip packed, at most `max` bytes of it. */
int slu_gunzip(const void *data, size_t len, size_t max, struct slu_buf *out);

#endif

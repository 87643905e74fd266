/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_FS_NAME_H
#define SLU_COMMON_FS_NAME_H

/*
 * Names of Lustre's file systems (fsname), as in the names of their targets:
 * "scratch-OST0001" is one of "scratch".
 */

#include <stdbool.h>

#define SLU_FS_NAME 16 /* bytes of a name with its end; Lustre's have 8 */

/* One to eight letters, digits, "_" and "-". */
bool slu_fs_name_is_valid(const char *name);
/* The file system of an OST or MDT; false: it is no name of one. */
bool slu_fs_name_of_target(const char *target, char fs[SLU_FS_NAME]);

#endif

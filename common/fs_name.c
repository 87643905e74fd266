/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks names of Lustre's file systems, and finds them in names of targets. */
#include "common/fs_name.h"

#include <stdio.h>
#include <string.h>

#define LONGEST 8 /* Lustre's limit */

bool slu_fs_name_is_valid(const char *name)
{
	size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz"
				  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");

	return len > 0 && len <= LONGEST && !name[len];
}

/* The name may have dashes itself. */
bool slu_fs_name_of_target(const char *target, char fs[SLU_FS_NAME])
{
	const char *dash = strrchr(target, '-');

	if (!dash || dash - target > LONGEST ||
	    (strncmp(dash, "-OST", 4) != 0 && strncmp(dash, "-MDT", 4) != 0))
		return false;
	snprintf(fs, SLU_FS_NAME, "%.*s", (int)(dash - target), target);
	return slu_fs_name_is_valid(fs);
}

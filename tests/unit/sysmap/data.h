/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_DATA_H
#define SLU_TESTS_DATA_H

/* Finds recordings that are not part of the project: in the folder
 * $SLUICE_DATA, else in ../shared/data beside the sources. */

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Path of one; good until the next call but three. */
static inline const char *data_path(const char *name)
{
	const char *data = getenv("SLUICE_DATA"), *src = getenv("srcdir");
	static char path[4][PATH_MAX];
	static int turn;

	turn = (turn + 1) % 4;
	if (data)
		snprintf(path[turn], PATH_MAX, "%s/%s", data, name);
	else
		snprintf(path[turn], PATH_MAX, "%s/../shared/data/%s",
			 src ? src : ".", name);
	return path[turn];
}

/* End the program as skipped when there is none of this name. */
static inline void need_data(const char *name)
{
	if (access(data_path(name), R_OK) == 0)
		return;
	printf("skipped: there is no %s; see SLUICE_DATA\n", data_path(name));
	exit(77);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Converts the type= of a staging request ("file", "list", "auto", else a
 * directory) to the enum of staging/stage.h. */
#include "config.h"
#include "burst_buffer/node/node.h"

#include <string.h>

enum slu_stage_what slu_stage_what(const char *type)
{
	static const char *const words[] = {
		[SLU_WHAT_FILE] = "file",
		[SLU_WHAT_LIST] = "list",
		[SLU_WHAT_ANY] = "auto",
	};

	for (int i = SLU_WHAT_FILE; i <= SLU_WHAT_ANY; i++)
		if (slu_eq(type, words[i]))
			return (enum slu_stage_what)i;
	return SLU_WHAT_DIRECTORY;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses JOB.BUFFER strictly, as such names may come from directories with
 * other files. */
#include "config.h"
#include "burst_buffer/node/instance_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int slu_instance_parse(const char *name, uint32_t *job_id, uint64_t *buffer)
{
	unsigned long long job, instance;
	int end = 0;

	if (strspn(name, "0123456789.") != strlen(name) ||
	    sscanf(name, "%llu.%llu%n", &job, &instance, &end) != 2 ||
	    name[end] || !job || job > UINT32_MAX)
		return -1;
	*job_id = (uint32_t)job;
	*buffer = instance;
	return 0;
}

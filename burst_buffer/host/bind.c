/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Binds a thread to the processors of a list such as "0-7,16-23", as far as it
 * may run on them. */
#include "config.h"
#include "burst_buffer/host/bind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CPUS 8192 /* more than any Linux kernel supports */

static int parse(const char *text, cpu_set_t *set)
{
	unsigned long from, to;
	char *end;

	CPU_ZERO_S(CPU_ALLOC_SIZE(CPUS), set);
	for (; *text; text = end + (*end == ',')) {
		if (*text < '0' || *text > '9')
			return -1;
		from = to = strtoul(text, &end, 10);
		if (*end == '-' && end[1] >= '0' && end[1] <= '9')
			to = strtoul(end + 1, &end, 10);
		if ((*end && *end != ',') || from > to || to >= CPUS)
			return -1;
		for (; from <= to; from++)
			CPU_SET_S(from, CPU_ALLOC_SIZE(CPUS), set);
	}
	return 0;
}

int slu_bind(const char *cpus, struct slu_bound *bound, struct slu_err *err)
{
	cpu_set_t *before = CPU_ALLOC(CPUS), *set = CPU_ALLOC(CPUS);
	size_t size = CPU_ALLOC_SIZE(CPUS);
	int rc = 0;

	*bound = (struct slu_bound){NULL};
	if (!before || !set)
		rc = slu_err(err, SLU_NOMEM, "out of memory");
	else if (parse(cpus, set))
		rc = slu_err(err, SLU_INVALID, "\"%.60s\" is no list of CPUs",
			     cpus);
	else if (sched_getaffinity(0, size, before))
		rc = slu_errno(err, SLU_IO, "sched_getaffinity");
	else {
		CPU_AND_S(size, set, set, before);
		if (CPU_COUNT_S(size, set) == 0)
			rc = slu_err(err, SLU_INVALID,
				     "may not run on CPUs %.60s", cpus);
		else if (sched_setaffinity(0, size, set))
			rc = slu_errno(err, SLU_IO, "sched_setaffinity");
	}
	if (rc == 0)
		bound->before = before;
	else
		CPU_FREE(before);
	CPU_FREE(set);
	return rc;
}

void slu_unbind(struct slu_bound *bound)
{
	if (bound->before)
		(void)sched_setaffinity(0, CPU_ALLOC_SIZE(CPUS), bound->before);
	CPU_FREE(bound->before);
	bound->before = NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looks up a job's partitions in slurmctld, from their comma-separated names.
 */
#include "config.h"
#include "plugins/partitions.h"

const part_record_t *slu_first_partition(const char *names)
{
	const part_record_t *part = default_part_loc;
	char *first;

	if (names) {
		first = xstrdup(names);
		first[strcspn(first, ",")] = '\0';
		part = find_part_record(first);
		xfree(first);
	}
	return part;
}

void slu_each_partition(const char *names,
			void (*fn)(void *arg, const part_record_t *part),
			void *arg)
{
	char *copy, *name, *rest;

	if (!names) {
		fn(arg, default_part_loc);
		return;
	}
	copy = xstrdup(names);
	for (rest = copy; (name = strsep(&rest, ","));)
		fn(arg, find_part_record(name));
	xfree(copy);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PLUGINS_PARTITIONS_H
#define SLU_PLUGINS_PARTITIONS_H

/* Looks up the partitions of a job by their names. */

#include "plugins/compat.h"

/* The first partition in the list, or the default one (NULL); NULL: it does not
 * exist. part READ. */
const part_record_t *slu_first_partition(const char *names);

/* Call fn for each partition in the list, or for the default one (NULL); with
 * NULL for a name that does not exist. part READ. */
void slu_each_partition(const char *names,
			void (*fn)(void *arg, const part_record_t *part),
			void *arg);

#endif

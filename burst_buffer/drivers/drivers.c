/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of drivers. */
#include "config.h"
#include "burst_buffer/drivers/driver.h"

#include <string.h>
#include <strings.h>

extern const struct slu_driver slu_driver_scratch, slu_driver_glusterfs;

const struct slu_driver *const slu_drivers[] = {&slu_driver_scratch,
						&slu_driver_glusterfs, NULL};

const struct slu_driver *slu_driver_find(const char *name)
{
	for (size_t i = 0; name && slu_drivers[i]; i++)
		if (!strcasecmp(slu_drivers[i]->name, name))
			return slu_drivers[i];
	return NULL;
}

const char *slu_plan_option(const struct slu_plan *plan, const char *key,
			    const char *fallback)
{
	for (size_t i = 0; i < plan->n_option; i++)
		if (!strcasecmp(plan->option[i].key, key))
			return plan->option[i].value;
	return fallback;
}

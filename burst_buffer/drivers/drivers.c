/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of drivers. */
#include "config.h"
#include "burst_buffer/drivers/driver.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

extern const struct slu_driver slu_driver_scratch, slu_driver_glusterfs,
	slu_driver_gekkofs, slu_driver_lustre, slu_driver_beeond;

const struct slu_driver *const slu_drivers[] = {
	&slu_driver_scratch, &slu_driver_glusterfs, &slu_driver_gekkofs,
	&slu_driver_lustre,  &slu_driver_beeond,    NULL};

const struct slu_driver *slu_driver_find(const char *name)
{
	for (size_t i = 0; name && slu_drivers[i]; i++)
		if (!strcasecmp(slu_drivers[i]->name, name))
			return slu_drivers[i];
	return NULL;
}

/* Each node has a file system of its own for its notes. */
void slu_instance_group(const struct slu_instance *in, char *name, size_t size)
{
	struct stat st = {0};

	(void)stat(in->work, &st);
	snprintf(name, size, "sluice-%u.%llu.%zu-%llx", in->plan->job_id,
		 (unsigned long long)in->plan->buffer, in->self,
		 (unsigned long long)st.st_dev);
}

const char *slu_plan_option(const struct slu_plan *plan, const char *key,
			    const char *fallback)
{
	for (size_t i = 0; i < plan->n_option; i++)
		if (!strcasecmp(plan->option[i].key, key))
			return plan->option[i].value;
	return fallback;
}

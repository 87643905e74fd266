/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists the drivers and finds one by its name. */
#include "config.h"
#include "burst_buffer/drivers/driver.h"

#include <string.h>
#include <strings.h>

extern const struct slu_driver slu_driver_scratch, slu_driver_glusterfs,
	slu_driver_gekkofs, slu_driver_lustre, slu_driver_beeond;

const struct slu_driver *const slu_drivers[] = {
	&slu_driver_scratch, &slu_driver_glusterfs, &slu_driver_gekkofs,
	&slu_driver_lustre,  &slu_driver_beeond,    NULL};

/* "none": no file system, the job only has directories laid out. No
 * configuration line can name it. */

static int nothing(const struct slu_instance *in, struct slu_err *err)
{
	(void)in, (void)err;
	return 0;
}

static const struct slu_driver none = {
	.name = "none",
	.shared = true,
	.check = nothing,
	.counters = slu_instance_no_counters,
	.detach = nothing,
	.stop = nothing,
};

const struct slu_driver *slu_driver_find(const char *name)
{
	for (size_t i = 0; name && slu_drivers[i]; i++)
		if (!strcasecmp(slu_drivers[i]->name, name))
			return slu_drivers[i];
	return name && !strcmp(name, none.name) ? &none : NULL;
}

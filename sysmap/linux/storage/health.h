/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_LINUX_HEALTH_H
#define SLU_SYSMAP_LINUX_HEALTH_H

/* Parses the health data of an NVMe controller. */

#include "sysmap/device_models.h"

#define SLU_SMART_BYTES 512

/* The SMART log page (02h) of NVMe; leaves health->name NULL. Any bytes are
 * taken; counters beyond 64 bits are cut to the largest. */
void slu_nvme_health_parse(const unsigned char log[SLU_SMART_BYTES],
			   struct slu_nvme_health *health);

#endif

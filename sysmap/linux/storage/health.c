/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the SMART log page of the NVMe base specification 1.4, 5.14.1.2,
 * little-endian. Data units are 1000 blocks of 512 bytes. */
#include "config.h"
#include "sysmap/linux/storage/health.h"

#define DATA_UNIT 512000

/* A counter of 16 bytes. */
static uint64_t counter(const unsigned char *byte)
{
	uint64_t value = 0;

	for (int i = 15; i >= 8; i--)
		if (byte[i])
			return UINT64_MAX;
	for (int i = 7; i >= 0; i--)
		value = value << 8 | byte[i];
	return value;
}

void slu_nvme_health_parse(const unsigned char log[SLU_SMART_BYTES],
			   struct slu_nvme_health *health)
{
	uint64_t units = counter(log + 48);

	*health = (struct slu_nvme_health){
		.warning = log[0],
		.spare = log[3],
		.spare_threshold = log[4],
		.used = log[5],
		.written = units > UINT64_MAX / DATA_UNIT ? UINT64_MAX
							  : units * DATA_UNIT,
		.media_errors = counter(log + 160),
	};
}

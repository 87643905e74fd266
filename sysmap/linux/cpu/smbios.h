/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_LINUX_SMBIOS_H
#define SLU_SYSMAP_LINUX_SMBIOS_H

/* Parses memory modules as the firmware describes them (SMBIOS structure type
 * 17). Never reads beyond the given bytes, even if they are damaged. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct slu_dimm {
	uint64_t size;	/* bytes; 0: the slot is empty */
	uint32_t speed; /* MT/s; 0: unknown */
	uint32_t type;	/* as SMBIOS has it: 24 is DDR3, 26 DDR4, 34 DDR5 */
	char locator[32], maker[32], part[32];
};

/* One structure with its strings. False: not of type 17, or cut short. */
bool slu_smbios_dimm(const unsigned char *data, size_t len,
		     struct slu_dimm *out);
/* Length of the structure that data begins with, its strings included; 0: it
 * is not whole. */
size_t slu_smbios_len(const unsigned char *data, size_t len);

/* "DDR4"; NULL: not known here. */
const char *slu_dimm_type_name(uint32_t type);

#endif

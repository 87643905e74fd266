/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses SMBIOS structures (SMBIOS 3.4, 7.18): a formatted part, whose second
 * byte is its length, followed by NUL-terminated strings with another NUL at
 * the end. Bytes of the formatted part that refer to strings count from 1.
 */
#include "config.h"
#include "sysmap/linux/cpu/smbios.h"

#include <stdio.h>
#include <string.h>
#include "common/str.h"
#include "sysmap/root.h"

#define TYPE_DIMM 17

static uint32_t little(const unsigned char *byte, int n)
{
	uint32_t value = 0;

	while (n-- > 0)
		value = value << 8 | byte[n];
	return value;
}

size_t slu_smbios_len(const unsigned char *data, size_t len)
{
	if (len < 6 || data[1] < 4)
		return 0;
	for (size_t at = data[1]; at + 1 < len; at++)
		if (data[at] == 0 && data[at + 1] == 0)
			return at + 2;
	return 0;
}

/* Copies string number `which`; data is terminated by a NUL. */
static void copy_string(const unsigned char *data, size_t len, unsigned which,
			char *out, size_t size)
{
	const char *at = (const char *)data + data[1];
	const char *end = (const char *)data + len;
	char text[256];

	out[0] = '\0';
	for (; which > 1 && at < end && *at; which--)
		at += strlen(at) + 1;
	if (which != 1 || at >= end)
		return;
	slu_copy(text, sizeof(text), at);
	slu_copy(out, size, slu_trim(text));
	slu_printable(out);
}

/* 16 bits in MiB, or in KiB with the top bit set; 0x7fff: see the extension. */
static uint64_t size_of(const unsigned char *data)
{
	uint32_t size = little(data + 0x0c, 2);

	if (size == 0xffff)
		return 0; /* unknown */
	if (size == 0x7fff && data[1] >= 0x20)
		return (uint64_t)(little(data + 0x1c, 4) & 0x7fffffff) << 20;
	return (uint64_t)(size & 0x7fff) << (size & 0x8000 ? 10 : 20);
}

bool slu_smbios_dimm(const unsigned char *data, size_t len,
		     struct slu_dimm *out)
{
	size_t whole = slu_smbios_len(data, len);

	if (whole == 0 || data[0] != TYPE_DIMM || data[1] < 0x15)
		return false;
	*out = (struct slu_dimm){.size = size_of(data), .type = data[0x12]};
	copy_string(data, whole, data[0x10], out->locator,
		    sizeof(out->locator));
	if (data[1] >= 0x17)
		out->speed = little(data + 0x15, 2);
	if (out->speed == 0xffff)
		out->speed = 0;
	if (data[1] >= 0x1b) {
		copy_string(data, whole, data[0x17], out->maker,
			    sizeof(out->maker));
		copy_string(data, whole, data[0x1a], out->part,
			    sizeof(out->part));
	}
	return true;
}

const char *slu_dimm_type_name(uint32_t type)
{
	switch (type) {
	case 18:
		return "DDR";
	case 19:
		return "DDR2";
	case 24:
		return "DDR3";
	case 26:
		return "DDR4";
	case 30:
		return "LPDDR4";
	case 32:
		return "HBM";
	case 33:
		return "HBM2";
	case 34:
		return "DDR5";
	case 35:
		return "LPDDR5";
	case 36:
		return "HBM3";
	default:
		return NULL;
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests sysmap's parsers of data from devices, firmware and kernel. */
#include "config.h"
#include "sysmap/device_models.h"
#include "tests/unit/harness.h"

#include "common/jsonx.h"
#include "sysmap/linux/storage/health.h"
#include "sysmap/linux/kernel/kconfig.h"
#include "sysmap/linux/pci.h"
#include "sysmap/linux/pcinames.h"
#include "sysmap/linux/procs.h"
#include "sysmap/linux/cpu/smbios.h"
#include "sysmap/lustre/lustre.h"

START_TEST(test_pci_address)
{
	static const struct {
		const char *path, *want;
	} cases[] = {
		{"../../devices/pci0000:3a/0000:3a:00.0/0000:3b:00.1/net/ib0",
		 "0000:3b:00.1"},
		{"0000:3b:00.0", "0000:3b:00.0"},
		{"10000:01:00.0/nvme", "10000:01:00.0"},
		{"../../devices/pci0000:00/ata1/block/sda", NULL},
		{"0000:3b:00.8", NULL},
		{"0000:3b:00.0x", NULL},
		{"000:3b:00.0", NULL},
		{"0000:3b:0.0", NULL},
		{"0000:3B:00.0", NULL},
		{"", NULL},
	};
	char out[32];

	each(c, cases) expect(slu_pci_address(c->path, out)
				      ? c->want && strcmp(out, c->want) == 0
				      : !c->want,
			      "%s", c->path);
}
END_TEST

START_TEST(test_pci_names)
{
	char text[] = "# 8086  no\n8086  Intel\n\t0a54  SSD\n\t\t1028 0a54  X\n"
		      "\t0a55  Other\nrubbish\n15b3  Mellanox \n\t0a54  NIC\n"
		      "C 01  Class\n\t0a54  no\n10de  no\n";
	struct slu_pci_name name[] = {{.vendor = 0x8086, .device = 0x0a54},
				      {.vendor = 0x15b3, .device = 0x0a54},
				      {.vendor = 0x10de, .device = 0x0a54},
				      {.vendor = 0x8086, .device = 0x0a54}};

	slu_pci_names_parse(text, name, 4);
	ck_assert_str_eq(name[0].vendor_name, "Intel");
	ck_assert_str_eq(name[0].device_name, "SSD");
	ck_assert_str_eq(name[1].vendor_name, "Mellanox");
	ck_assert_str_eq(name[1].device_name, "NIC");
	ck_assert_str_eq(name[2].vendor_name, "");
	ck_assert_str_eq(name[2].device_name, "");
	ck_assert_str_eq(name[3].device_name, "SSD");
}
END_TEST

START_TEST(test_gpu)
{
	static const struct {
		uint32_t class_code, vendor, device;
		bool want;
	} cases[] = {
		{0x030200, 0x10de, 0x20b2, true},
		{0x030000, 0x1002, 0x740c, true},
		{0x038000, 0x8086, 0x0bd5, true},
		{0x120000, 0x1234, 1, true},
		{0x0b4000, 0x8086, 0x225c, true},  /* Xeon Phi */
		{0x0b4000, 0x8086, 0x37c8, false}, /* QuickAssist */
		{0x0b4000, 0x10de, 1, true},
		{0x0b4000, 0x15b3, 0x2250, false},
		{0x030000, 0x1a03, 0x2000, false},
		{0x030000, 0x102b, 0x0538, false},
		{0x020700, 0x15b3, 0x101b, false},
		{0x0b0000, 0x8086, 0x225c, false},
		{0, 0, 0, false},
	};

	each(c, cases) expect(slu_is_gpu(c->class_code, c->vendor, c->device) ==
				      c->want,
			      "%x %x", c->class_code, c->vendor);
}
END_TEST

/* A structure of type 17, of 34 bytes, and its strings. */
static size_t dimm(unsigned char *out, uint16_t size, uint32_t extended)
{
	static const char strings[] = "DIMM_A1\0 Maker \0PART-1\0";

	memset(out, 0, 256);
	out[0] = 17;
	out[1] = 0x22;
	out[0x0c] = (unsigned char)size;
	out[0x0d] = (unsigned char)(size >> 8);
	out[0x10] = 1;
	out[0x12] = 26;
	out[0x15] = 0x80; /* 2944 */
	out[0x16] = 0x0b;
	out[0x17] = 2;
	out[0x1a] = 3;
	for (int i = 0; i < 4; i++)
		out[0x1c + i] = (unsigned char)(extended >> 8 * i);
	memcpy(out + 0x22, strings, sizeof(strings));
	return 0x22 + sizeof(strings);
}

START_TEST(test_dimm)
{
	static const struct {
		uint16_t size;
		uint32_t extended;
		uint64_t want;
	} cases[] = {
		{0, 0, 0},
		{0x4000, 0, UINT64_C(16) << 30},
		{0x8400, 0, UINT64_C(1) << 20},
		{0xffff, 0, 0},
		{0x7fff, 65536, UINT64_C(64) << 30},
		{0x7fff, 0x80000000u | 65536, UINT64_C(64) << 30},
	};
	unsigned char data[256];
	struct slu_dimm one;
	size_t len;

	each(c, cases)
	{
		len = dimm(data, c->size, c->extended);
		ck_assert_uint_eq(slu_smbios_len(data, sizeof(data)), len);
		ck_assert(slu_smbios_dimm(data, len, &one));
		expect(one.size == c->want, "%x: %lu", c->size, one.size);
		ck_assert_uint_eq(one.speed, 2944);
		ck_assert_str_eq(one.locator, "DIMM_A1");
		ck_assert_str_eq(one.maker, "Maker");
		ck_assert_str_eq(one.part, "PART-1");
		ck_assert_str_eq(slu_dimm_type_name(one.type), "DDR4");
		for (size_t cut = 0; cut < len; cut++)
			expect(!slu_smbios_dimm(data, cut, &one), "%zu", cut);
	}
	data[0x1a] = 9; /* there is no such string */
	ck_assert(slu_smbios_dimm(data, len, &one));
	ck_assert_str_eq(one.part, "");
	data[0] = 16;
	ck_assert(!slu_smbios_dimm(data, len, &one));
}
END_TEST

START_TEST(test_health)
{
	unsigned char log[SLU_SMART_BYTES] = {0};
	struct json_object *array = json_object_new_array();
	struct slu_nvme_health health;

	log[0] = 4;
	log[3] = 99;
	log[4] = 10;
	log[5] = 101;
	log[50] = 0x40; /* 2^22 units of 512,000 bytes: 2.147 TB */
	log[160] = 7;
	slu_nvme_health_parse(log, &health);
	ck_assert_uint_eq(health.written, UINT64_C(512000) << 22);
	health.name = "nvme0";
	slu_nvme_health_add(array, &health);
	ck_assert_str_eq(slu_json_text(array),
			 "[{\"name\":\"nvme0\",\"percentage_used\":101,"
			 "\"available_spare\":99,\"spare_threshold\":10,"
			 "\"critical_warning\":4,\"media_errors\":7,"
			 "\"written_bytes\":2000000000000}]");
	json_object_put(array);
	memset(log, 0xff, sizeof(log));
	slu_nvme_health_parse(log, &health);
	ck_assert_uint_eq(health.written, UINT64_MAX);
}
END_TEST

START_TEST(test_kconfig)
{
	char text[] = "CONFIG_FUSE_FS=m\n# CONFIG_FUSE_DAX is not set\n"
		      "# CONFIG_HZ is a number\nCONFIG_HZ\nCONFIG_SOUND=y\n"
		      "CONFIG_=\n# \nCONFIG_NUMA=y";
	struct json_object *obj = json_object_new_object();

	slu_kernel_config_parse(text, obj);
	ck_assert_str_eq(slu_json_text(obj), "{\"FUSE_FS\":\"m\",\"FUSE_DAX\":"
					     "\"n\",\"NUMA\":\"y\"}");
	json_object_put(obj);
}
END_TEST

#ifdef HAVE_ZLIB
START_TEST(test_gunzip)
{
	/* "CONFIG_HZ=1000\n", by gzip -9 */
	static const unsigned char packed[] = {
		0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02,
		0x03, 0x73, 0xf6, 0xf7, 0x73, 0xf3, 0x74, 0x8f, 0xf7,
		0x88, 0xb2, 0x35, 0x34, 0x30, 0x30, 0xe0, 0x02, 0x00,
		0xc3, 0x43, 0x6e, 0x4d, 0x0f, 0x00, 0x00, 0x00};
	struct slu_buf out = {0};

	ck_assert_int_eq(slu_gunzip(packed, sizeof(packed), 100, &out), 0);
	ck_assert_str_eq(out.data, "CONFIG_HZ=1000\n");
	slu_buf_reset(&out);
	ck_assert_int_eq(slu_gunzip(packed, sizeof(packed), 10, &out), -1);
	slu_buf_reset(&out);
	ck_assert_int_eq(slu_gunzip(packed, 20, 100, &out), -1);
	ck_assert_int_eq(slu_gunzip("", 0, 100, &out), -1);
	slu_buf_free(&out);
}
END_TEST
#endif

START_TEST(test_swaps_and_inet6_lines)
{
	char swaps[] = "Filename Type Size Used Priority\n"
		       "/dev/a\\040b partition 4 1 -2\nshort line\n"
		       "/dev/c file x 1 0\n/dev/d file 8 0 5";
	char inet6[] = "rubbish\nfe80000000000000000000000000000g 05 40 20 80 a"
		       "\n00000000000000000000000000000001 01 80 10 81 lo";
	char one[] = "a [b] c", none[] = "abc", open[] = "a [b";
	char *rest = swaps;
	struct slu_inet6 addr;
	struct slu_swap swap;

	ck_assert(slu_swap_next(&rest, &swap));
	ck_assert_str_eq(swap.device, "/dev/a b");
	ck_assert_uint_eq(swap.size, 4096);
	ck_assert_int_eq(swap.priority, -2);
	ck_assert(slu_swap_next(&rest, &swap));
	ck_assert_str_eq(swap.device, "/dev/d");
	ck_assert(!slu_swap_next(&rest, &swap));
	rest = inet6;
	ck_assert(slu_inet6_next(&rest, &addr));
	ck_assert_str_eq(addr.interface, "lo");
	ck_assert(addr.temporary && addr.address[15] == 1);
	ck_assert(!slu_inet6_next(&rest, &addr));
	ck_assert_str_eq(slu_chosen(one), "b");
	ck_assert_str_eq(slu_chosen(none), "abc");
	ck_assert_str_eq(slu_chosen(open), "a [b");
}
END_TEST

START_TEST(test_lustre)
{
	static const struct {
		const char *device, *fsname;
	} names[] = {{"10.0.0.1@o2ib:10.0.0.2@o2ib:/scratch", "scratch"},
		     {"a@tcp:/fs/sub/dir", "fs"},
		     {"scratch-OST0000", NULL},
		     {"a:/", NULL},
		     {"a:/muchtoolong", NULL},
		     {"", NULL}};
	char text[] = "0: fs-OST0000_UUID ACTIVE\nrubbish\n1 fs-OST0001_UUID "
		      "ACTIVE\n10: fs-OST000a_UUID INACTIVE\n1: fs ACTIVE";
	char out[16], *rest = text;
	struct slu_lustre_ost ost;

	each(n, names) expect(slu_lustre_fsname(n->device, out)
				      ? n->fsname && !strcmp(out, n->fsname)
				      : !n->fsname,
			      "%s", n->device);
	ck_assert(slu_lustre_ost_next(&rest, &ost));
	ck_assert_str_eq(ost.name, "fs-OST0000");
	ck_assert(ost.active);
	ck_assert(slu_lustre_ost_next(&rest, &ost));
	ck_assert_uint_eq(ost.index, 10);
	ck_assert(!ost.active);
	ck_assert(!slu_lustre_ost_next(&rest, &ost));
}
END_TEST

TEST_MAIN("devices", test_pci_address, test_pci_names, test_gpu, test_dimm,
	  test_health, test_kconfig,
#ifdef HAVE_ZLIB
	  test_gunzip,
#endif
	  test_swaps_and_inet6_lines, test_lustre)

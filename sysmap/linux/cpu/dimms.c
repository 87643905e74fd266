/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the installed memory modules ("memorymodules") from the firmware's
 * SMBIOS table, without serial numbers; only root may read it. The kernel shows
 * it in two ways: each structure as a file, and the whole table.
 */
#include "config.h"
#include "sysmap/linux/linux.h"

#include <stdio.h>
#include <string.h>
#include "common/jsonx.h"
#include "sysmap/linux/cpu/smbios.h"

#define ENTRIES	  "sys/firmware/dmi/entries"
#define TABLE	  "sys/firmware/dmi/tables/DMI"
#define ENTRY_MAX 8192
#define TABLE_MAX (1u << 20)

static void add_dimm(const unsigned char *data, size_t len,
		     struct json_object *out)
{
	struct json_object *obj;
	struct slu_dimm dimm;

	if (!slu_smbios_dimm(data, len, &dimm) || dimm.size == 0)
		return;
	obj = json_object_new_object();
	slu_json_set_str(obj, "slot", dimm.locator);
	slu_json_set_u64(obj, "size_bytes", dimm.size);
	slu_json_set_str(obj, "type", slu_dimm_type_name(dimm.type));
	if (dimm.speed)
		slu_json_set_u64(obj, "speed_mts", dimm.speed);
	slu_json_set_str(obj, "manufacturer", dimm.maker);
	slu_json_set_str(obj, "part_number", dimm.part);
	json_object_array_add(out, obj);
}

static int finish(struct json_object *array, struct json_object **out,
		  struct slu_err *err)
{
	if (json_object_array_length(array) == 0) {
		json_object_put(array);
		return slu_err(err, SLU_NOTFOUND,
			       "the firmware's table has no memory module");
	}
	*out = array;
	return 0;
}

int slu_linux_dimms_table(const struct slu_root *root, struct json_object **out,
			  struct slu_err *err)
{
	struct json_object *array;
	const unsigned char *data;
	struct slu_buf table = {0};
	size_t left, len;

	if (slu_root_read(root, TABLE, TABLE_MAX, &table, err)) {
		slu_buf_free(&table);
		return -1;
	}
	array = json_object_new_array();
	data = (const unsigned char *)table.data;
	for (left = table.len; (len = slu_smbios_len(data, left));
	     data += len, left -= len)
		add_dimm(data, len, array);
	slu_buf_free(&table);
	return finish(array, out, err);
}

int slu_linux_dimms(const struct slu_root *root, struct json_object **out,
		    struct slu_err *err)
{
	char **names = slu_root_list(root, ENTRIES, err);
	char path[128];
	struct slu_buf entry = {0};
	struct json_object *array;

	if (!names)
		return -1;
	array = json_object_new_array();
	for (char **name = names; *name; name++) {
		if (strncmp(*name, "17-", 3) != 0)
			continue;
		snprintf(path, sizeof(path), ENTRIES "/%.32s/raw", *name);
		if (slu_root_read(root, path, ENTRY_MAX, &entry, NULL) == 0)
			add_dimm((const unsigned char *)entry.data, entry.len,
				 array);
	}
	slu_buf_free(&entry);
	slu_strv_free(names);
	return finish(array, out, err);
}

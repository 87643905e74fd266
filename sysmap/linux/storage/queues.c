/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the I/O settings of each block device from its queue directory
 * ("blockqueues"), and swap areas ("swap"). Devices without a size (empty loop
 * devices and drives) and RAM disks are left out.
 */
#include "config.h"
#include "sysmap/linux/linux.h"

#include <stdio.h>
#include <string.h>
#include "common/jsonx.h"
#include "sysmap/linux/procs.h"
#include "sysmap/model.h"

#define BLOCK	  "sys/class/block"
#define SWAPS_MAX 256

/* Is it a whole disk, a volume or a RAID set? */
static bool has_queue(const struct slu_root *root, const char *name)
{
	uint64_t sectors = 0;

	return strncmp(name, "loop", 4) != 0 && strncmp(name, "ram", 3) != 0 &&
	       strncmp(name, "zram", 4) != 0 &&
	       slu_root_number(root, &sectors, BLOCK "/%s/size", name) &&
	       sectors && slu_root_exists(root, BLOCK "/%s/queue", name);
}

/* Numbers as numbers, other values as text ("write back"). */
static void add_setting(const struct slu_root *root, const char *name,
			const char *file, struct json_object *out)
{
	char text[256];
	int64_t value;

	if (slu_root_signed(root, &value, BLOCK "/%s/queue/%s", name, file))
		slu_json_set_i64(out, file, value);
	else if (slu_root_attr(root, text, sizeof(text), BLOCK "/%s/queue/%s",
			       name, file))
		slu_json_set_str(out, file, slu_chosen(text));
}

static void add_queue(const struct slu_root *root, const char *name,
		      struct json_object *array)
{
	static const char *const settings[] = {"scheduler",
					       "nr_requests",
					       "read_ahead_kb",
					       "max_sectors_kb",
					       "max_hw_sectors_kb",
					       "max_segments",
					       "logical_block_size",
					       "physical_block_size",
					       "minimum_io_size",
					       "optimal_io_size",
					       "rotational",
					       "write_cache",
					       "fua",
					       "nomerges",
					       "rq_affinity",
					       "io_poll",
					       "io_timeout",
					       "wbt_lat_usec",
					       "discard_granularity",
					       "discard_max_bytes",
					       "dax",
					       "zoned",
					       NULL};
	struct json_object *obj = json_object_new_object();

	slu_json_set_str(obj, "name", name);
	for (const char *const *s = settings; *s; s++)
		add_setting(root, name, *s, obj);
	json_object_array_add(array, obj);
}

int slu_linux_queues(const struct slu_root *root, struct json_object **out,
		     struct slu_err *err)
{
	char **names = slu_root_list(root, BLOCK, err);

	if (!names)
		return -1;
	*out = json_object_new_array();
	for (char **name = names; *name; name++)
		if (has_queue(root, slu_printable(*name)))
			add_queue(root, *name, *out);
	slu_strv_free(names);
	return 0;
}

int slu_linux_swap(const struct slu_root *root, struct json_object **out,
		   struct slu_err *err)
{
	struct json_object *array, *obj;
	struct slu_buf text = {0};
	struct slu_swap swap;
	char *rest;

	if (slu_root_read(root, "proc/swaps", SLU_TABLE_MAX, &text, err)) {
		slu_buf_free(&text);
		return -1;
	}
	array = json_object_new_array();
	rest = text.data;
	for (int n = 0; n < SWAPS_MAX && slu_swap_next(&rest, &swap); n++) {
		obj = json_object_new_object();
		slu_json_set_str(obj, "device", swap.device);
		slu_json_set_str(obj, "type", swap.type);
		slu_json_set_u64(obj, "size_bytes", swap.size);
		slu_json_set_i64(obj, "priority", swap.priority);
		json_object_array_add(array, obj);
	}
	slu_buf_free(&text);
	*out = array;
	return 0;
}

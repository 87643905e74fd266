/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses a kernel configuration. Options are looked up in a sorted list,
 * because a configuration has ten thousand lines. */
#include "config.h"
#include "sysmap/linux/kernel/kconfig.h"

#include <stdlib.h>
#include <string.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#include "common/jsonx.h"

static int compare(const void *key, const void *entry)
{
	return strcmp(key, *(const char *const *)entry);
}

/* Is it in the list, which is sorted? */
static bool matters(const char *option)
{
	static const char *const options[] = {
		"AIO",
		"BFQ_GROUP_IOSCHED",
		"BLK_CGROUP_IOCOST",
		"BLK_CGROUP_IOLATENCY",
		"BLK_DEV_LOOP",
		"BLK_DEV_NVME",
		"BLK_DEV_THROTTLING",
		"BLK_WBT",
		"BTRFS_FS",
		"CGROUPS",
		"CGROUP_PIDS",
		"CGROUP_WRITEBACK",
		"CPUSETS",
		"DAX",
		"EXT4_FS",
		"FS_DAX",
		"FUSE_DAX",
		"FUSE_FS",
		"HUGETLBFS",
		"HZ",
		"INFINIBAND",
		"IOSCHED_BFQ",
		"IO_URING",
		"MD_RAID0",
		"MEMCG",
		"MQ_IOSCHED_DEADLINE",
		"MQ_IOSCHED_KYBER",
		"NET_NS",
		"NUMA",
		"NUMA_BALANCING",
		"NVME_MULTIPATH",
		"NVME_RDMA",
		"NVME_TARGET",
		"NVME_TCP",
		"OVERLAY_FS",
		"PREEMPT",
		"PREEMPT_NONE",
		"PREEMPT_VOLUNTARY",
		"QUOTA",
		"TMPFS",
		"TRANSPARENT_HUGEPAGE",
		"USER_NS",
		"XFS_FS",
		"XFS_QUOTA",
	};

	return bsearch(option, options, sizeof(options) / sizeof(options[0]),
		       sizeof(options[0]), compare) != NULL;
}

/* "CONFIG_A=y" or "# CONFIG_A is not set". */
static bool parse_line(char *line, const char **option, const char **value)
{
	static const char prefix[] = "CONFIG_";
	bool unset = strncmp(line, "# ", 2) == 0;
	char *end;

	line += unset ? 2 : 0;
	if (strncmp(line, prefix, strlen(prefix)) != 0)
		return false;
	*option = line + strlen(prefix);
	end = strchr(line, unset ? ' ' : '=');
	if (!end || (unset && strcmp(end, " is not set") != 0))
		return false;
	*end = '\0';
	*value = unset ? "n" : end + 1;
	return true;
}

void slu_kernel_config_parse(char *text, struct json_object *out)
{
	char *rest = text, *line;
	const char *option, *value;

	while ((line = strsep(&rest, "\n")))
		if (parse_line(line, &option, &value) && matters(option))
			slu_json_set_str(out, option,
					 slu_printable((char *)value));
}

#ifdef HAVE_ZLIB
int slu_gunzip(const void *data, size_t len, size_t max, struct slu_buf *out)
{
	z_stream z = {.next_in = (Bytef *)data, .avail_in = (uInt)len};
	unsigned char chunk[16384];
	int ret;

	if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK)
		return -1;
	do {
		z.next_out = chunk;
		z.avail_out = sizeof(chunk);
		ret = inflate(&z, Z_NO_FLUSH);
		slu_buf_add(out, chunk, sizeof(chunk) - z.avail_out);
	} while (ret == Z_OK && out->len <= max && !out->failed);
	inflateEnd(&z);
	return ret == Z_STREAM_END && out->len <= max && !out->failed ? 0 : -1;
}
#else
int slu_gunzip(const void *data, size_t len, size_t max, struct slu_buf *out)
{
	(void)data, (void)len, (void)max, (void)out;
	return -1;
}
#endif

int slu_kernel_config_gz(const struct slu_root *root, struct slu_buf *out)
{
	struct slu_buf packed = {0};
	int ret = slu_root_read(root, "proc/config.gz", SLU_KERNEL_CONFIG_MAX,
				&packed, NULL);

	slu_buf_reset(out);
	if (ret == 0)
		ret = slu_gunzip(packed.data, packed.len, SLU_KERNEL_CONFIG_MAX,
				 out);
	slu_buf_free(&packed);
	return ret;
}

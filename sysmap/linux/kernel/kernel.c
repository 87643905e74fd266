/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the kernel configuration and settings that matter to I/O
 * ("kernelinfo"). Not the whole configuration (a quarter of a megabyte, and
 * equal on all nodes), nor settings that the kernel derives from the size of
 * memory.
 */
#include "config.h"
#include "sysmap/linux/linux.h"

#include <stdio.h>
#include <string.h>
#include "common/jsonx.h"
#include "sysmap/linux/kernel/kconfig.h"
#include "sysmap/linux/procs.h"

#define TEXT 256

static void add_sysctls(const struct slu_root *root, struct json_object *out)
{
	static const char *const names[] = {"vm.dirty_background_bytes",
					    "vm.dirty_background_ratio",
					    "vm.dirty_bytes",
					    "vm.dirty_expire_centisecs",
					    "vm.dirty_ratio",
					    "vm.dirty_writeback_centisecs",
					    "vm.max_map_count",
					    "vm.nr_hugepages",
					    "vm.nr_overcommit_hugepages",
					    "vm.overcommit_memory",
					    "vm.overcommit_ratio",
					    "vm.swappiness",
					    "vm.vfs_cache_pressure",
					    "vm.zone_reclaim_mode",
					    "kernel.io_uring_disabled",
					    "kernel.numa_balancing",
					    "kernel.sched_autogroup_enabled",
					    "kernel.unprivileged_userns_clone",
					    "kernel.yama.ptrace_scope",
					    "fs.aio-max-nr",
					    "fs.mount-max",
					    "fs.nr_open",
					    "fs.pipe-max-size",
					    "net.core.netdev_max_backlog",
					    "net.core.rmem_default",
					    "net.core.rmem_max",
					    "net.core.somaxconn",
					    "net.core.wmem_default",
					    "net.core.wmem_max",
					    "net.ipv4.tcp_congestion_control",
					    "net.ipv4.tcp_mtu_probing",
					    "net.ipv4.tcp_rmem",
					    "net.ipv4.tcp_wmem",
					    "sunrpc.tcp_slot_table_entries",
					    NULL};
	struct json_object *obj = json_object_new_object();
	char path[128], value[TEXT];

	for (const char *const *name = names; *name; name++) {
		snprintf(path, sizeof(path), "proc/sys/%s", *name);
		for (char *dot = path; (dot = strchr(dot, '.'));)
			*dot = '/';
		if (slu_root_attr(root, value, sizeof(value), "%s", path))
			slu_json_set_str(obj, *name, value);
	}
	json_object_object_add(out, "Sysctl", obj);
}

/* Settings in /sys with the active choice in brackets. */
static void add_choices(const struct slu_root *root, struct json_object *out)
{
	static const struct {
		const char *key, *path;
	} choices[] = {
		{"TransparentHugepage", "sys/kernel/mm/transparent_hugepage/"
					"enabled"},
		{"TransparentHugepageDefrag",
		 "sys/kernel/mm/transparent_hugepage/defrag"},
		{"ClockSource", "sys/devices/system/clocksource/clocksource0/"
				"current_clocksource"},
		{"CpuGovernor",
		 "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"},
		{"CpuIdleDriver",
		 "sys/devices/system/cpu/cpuidle/current_driver"},
		{"NvmeMultipath", "sys/module/nvme_core/parameters/multipath"},
	};
	char value[TEXT];

	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++)
		if (slu_root_attr(root, value, sizeof(value), "%s",
				  choices[i].path))
			slu_json_set_str(out, choices[i].key,
					 slu_chosen(value));
}

/* The command line without node-specific parameters: root device, boot image,
 * name and address. */
static void add_command_line(const struct slu_root *root,
			     struct json_object *out)
{
	static const char *const own[] = {
		"BOOTIF=", "ip=",     "hostname=",     "nodename=",
		"ifname=", "root=",   "rd.iscsi.",     "systemd.hostname=",
		"initrd=", "resume=", "rd.luks.uuid=", "rd.md.uuid=",
		NULL};
	char text[SLU_ROOT_ATTR_MAX], *word[512];
	struct slu_buf line = {0};
	const char *const *o;
	size_t n;

	if (!slu_root_attr(root, text, sizeof(text), "proc/cmdline"))
		return;
	n = slu_split(text, " ", word, 512);
	for (size_t i = 0; i < n && i < 512; i++) {
		for (o = own; *o; o++)
			if (strncmp(word[i], *o, strlen(*o)) == 0)
				break;
		if (!*o)
			slu_buf_printf(&line, "%s%s", line.len ? " " : "",
				       word[i]);
	}
	slu_json_set_str(out, "CommandLine", line.data);
	slu_buf_free(&line);
}

/* The configuration of the running kernel: from /boot, or from the kernel
 * itself (CONFIG_IKCONFIG_PROC). */
static int read_config(const struct slu_root *root, const char *release,
		       struct slu_buf *text)
{
	static const struct {
		const char *before, *after;
	} places[] = {{"boot/config-", ""},
		      {"lib/modules/", "/config"},
		      {"usr/lib/modules/", "/config"}};
	char path[512];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s%s%s", places[i].before,
			 release, places[i].after);
		if (slu_root_read(root, path, SLU_KERNEL_CONFIG_MAX, text,
				  NULL) == 0)
			return 0;
	}
	return slu_kernel_config_gz(root, text);
}

static void add_config(const struct slu_root *root, const char *release,
		       struct json_object *out)
{
	struct json_object *obj = json_object_new_object();
	struct slu_buf text = {0};

	if (read_config(root, release, &text) == 0)
		slu_kernel_config_parse(text.data, obj);
	slu_buf_free(&text);
	if (json_object_object_length(obj))
		json_object_object_add(out, "Config", obj);
	else
		json_object_put(obj);
}

int slu_linux_kernel(const struct slu_root *root, struct json_object **out,
		     struct slu_err *err)
{
	struct json_object *obj;
	char release[TEXT];

	if (!slu_root_attr(root, release, sizeof(release),
			   "proc/sys/kernel/osrelease") &&
	    !slu_root_exists(root, "proc/sys") &&
	    !slu_root_exists(root, "proc/cmdline"))
		return slu_err(err, SLU_NOTFOUND,
			       "neither /proc/sys nor /proc/cmdline");
	obj = json_object_new_object();
	add_command_line(root, obj);
	add_choices(root, obj);
	add_sysctls(root, obj);
	if (!strchr(release, '/'))
		add_config(root, release, obj);
	*out = obj;
	return 0;
}

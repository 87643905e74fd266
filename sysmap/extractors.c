/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Defines the table of extractors: the name, help, sources and columns of each.
 */
#include "config.h"
#include "sysmap/extract.h"

#include "sysmap/hwloc/hwloc.h"
#include "sysmap/infiniband/sources.h"
#include "sysmap/linux/linux.h"
#include "sysmap/lustre/lustre.h"

#define SOURCES(...)                 \
	(const struct slu_source[])  \
	{                            \
		__VA_ARGS__,         \
		{                    \
			.name = NULL \
		}                    \
	}

static const struct slu_column disk_columns[] = {
	{"name", "DISK", .type = SLU_COL_PLAIN},
	{"size_bytes", "SIZE", .type = SLU_COL_BYTES},
	{"vendor", "VENDOR", .type = SLU_COL_PLAIN},
	{"model", "MODEL", .type = SLU_COL_PLAIN},
	{"rotational", "ROTATIONAL", .type = SLU_COL_PLAIN},
	{"device_number", "DEVICE", .type = SLU_COL_PLAIN},
	{.key = NULL},
};
static const struct slu_column partition_columns[] = {
	{"name", "PARTITION", .type = SLU_COL_PLAIN},
	{"size_bytes", "SIZE", .type = SLU_COL_BYTES},
	{"mountpoint", "MOUNTPOINT", .type = SLU_COL_PLAIN},
	{"label", "LABEL", .type = SLU_COL_PLAIN},
	{"uuid", "UUID", .type = SLU_COL_PLAIN},
	{.key = NULL},
};
static const struct slu_column mountpoint_columns[] = {
	{"mountpoint", "MOUNTPOINT", .type = SLU_COL_PLAIN},
	{"filesystem", "TYPE", .type = SLU_COL_PLAIN},
	{"category", "CATEGORY", .type = SLU_COL_PLAIN},
	{"size", "SIZE", .type = SLU_COL_BYTES},
	{"device", "DEVICE", .type = SLU_COL_PLAIN},
	{.key = NULL},
};
static const struct slu_column mountusage_columns[] = {
	{"mountpoint", "MOUNTPOINT", .type = SLU_COL_PLAIN},
	{"size", "SIZE", .type = SLU_COL_BYTES},
	{"available", "AVAILABLE", .type = SLU_COL_BYTES},
	{"files", "FILES", .type = SLU_COL_PLAIN},
	{"files_available", "FREE", .type = SLU_COL_PLAIN},
	{.key = NULL},
};
static const struct slu_column nvme_columns[] = {
	{"name", "CONTROLLER", .type = SLU_COL_PLAIN},
	{"size_bytes", "SIZE", .type = SLU_COL_BYTES},
	{"model", "MODEL", .type = SLU_COL_PLAIN},
	{"firmware", "FIRMWARE", .type = SLU_COL_PLAIN},
	{"numa_node", "NUMA", .type = SLU_COL_PLAIN},
	{"link_gts", "GT/S", .type = SLU_COL_PLAIN},
	{"link_width", "LANES", .type = SLU_COL_PLAIN},
	{"address", "ADDRESS", .type = SLU_COL_PLAIN},
	{.key = NULL},
};
static const struct slu_column pci_columns[] = {
	{"address", "ADDRESS", .type = SLU_COL_PLAIN},
	{"class_name", "CLASS", .type = SLU_COL_PLAIN},
	{"vendor", "VENDOR", .type = SLU_COL_PLAIN},
	{"device", "DEVICE", .type = SLU_COL_PLAIN},
	{"device_name", "NAME", .type = SLU_COL_PLAIN},
	{"driver", "DRIVER", .type = SLU_COL_PLAIN},
	{"numa_node", "NUMA", .type = SLU_COL_PLAIN},
	{.key = NULL},
};
static const struct slu_column queue_columns[] = {
	{"name", "DEVICE", .type = SLU_COL_PLAIN},
	{"scheduler", "SCHEDULER", .type = SLU_COL_PLAIN},
	{"nr_requests", "REQUESTS", .type = SLU_COL_PLAIN},
	{"read_ahead_kb", "READ-AHEAD KIB", .type = SLU_COL_PLAIN},
	{"max_sectors_kb", "LARGEST KIB", .type = SLU_COL_PLAIN},
	{"logical_block_size", "BLOCK", .type = SLU_COL_PLAIN},
	{"write_cache", "CACHE", .type = SLU_COL_PLAIN},
	{.key = NULL},
};
static const struct slu_column swap_columns[] = {
	{"device", "DEVICE", .type = SLU_COL_PLAIN},
	{"type", "TYPE", .type = SLU_COL_PLAIN},
	{"size_bytes", "SIZE", .type = SLU_COL_BYTES},
	{"priority", "PRIORITY", .type = SLU_COL_PLAIN},
	{.key = NULL},
};
static const struct slu_column job_columns[] = {
	{"target", "TARGET", .type = SLU_COL_PLAIN},
	{"job", "JOB", .type = SLU_COL_PLAIN},
	{"reads", "READS", .type = SLU_COL_PLAIN},
	{"read_bytes", "READ", .type = SLU_COL_BYTES},
	{"writes", "WRITES", .type = SLU_COL_PLAIN},
	{"written_bytes", "WRITTEN", .type = SLU_COL_BYTES},
	{.key = NULL},
};

/* Only on request: measuring uses the disk, unlike the other extractors. */
static int not_measured(const struct slu_root *root, struct json_object **out,
			struct slu_err *err)
{
	(void)root, (void)out;
	return slu_err(err, SLU_NOTFOUND, "only with --measure");
}

const struct slu_extractor slu_extractors[] = {
	{
		.name = "disks",
		.help = "block devices with hardware behind them",
		.source = SOURCES({"linux/sysfs", slu_linux_disks},
				  {"hwloc", slu_hwloc_disks}),
		.columns = disk_columns,
	},
	{
		.name = "partitions",
		.help = "partitions, logical volumes and RAID sets",
		.source = SOURCES({"linux/sysfs", slu_linux_partitions}),
		.columns = partition_columns,
	},
	{
		.name = "mountpoints",
		.help = "what is mounted where, and how large it is",
		.source = SOURCES({"linux/mountinfo", slu_linux_mountinfo},
				  {"linux/mounts", slu_linux_mtab}),
		.columns = mountpoint_columns,
	},
	{
		.name = "mountusage",
		.help = "free space of the file systems on disks",
		.dynamic = true,
		.source = SOURCES({"linux/statvfs", slu_linux_mountusage}),
		.columns = mountusage_columns,
	},
	{
		.name = "blockqueues",
		.help = "I/O scheduler and queue of each block device",
		.source = SOURCES({"linux/sysfs", slu_linux_queues}),
		.columns = queue_columns,
	},
	{
		.name = "nvme",
		.help = "NVMe controllers, their links and namespaces",
		.source = SOURCES({"linux/sysfs", slu_linux_nvme},
				  {"linux/block", slu_linux_nvme_blocks}),
		.columns = nvme_columns,
	},
	{
		.name = "nvmehealth",
		.help = "wear of NVMe controllers",
		.dynamic = true,
		.source = SOURCES({"linux/ioctl", slu_linux_nvme_health}),
	},
	{
		.name = "swap",
		.help = "swap space",
		.source = SOURCES({"linux/procfs", slu_linux_swap}),
		.columns = swap_columns,
	},
	{
		.name = "cpuinfo",
		.help = "processors, their arrangement and caches",
		.source = SOURCES({"linux/sysfs", slu_linux_cpus},
				  {"hwloc", slu_hwloc_cpus},
				  {"linux/procfs", slu_linux_cpuinfo}),
	},
	{
		.name = "memoryinfo",
		.help = "memory and its pages",
		.source = SOURCES({"linux/procfs", slu_linux_meminfo},
				  {"linux/sysfs", slu_linux_numa_memory},
				  {"hwloc", slu_hwloc_memory}),
	},
	{
		.name = "memorymodules",
		.help = "memory modules",
		.source = SOURCES({"linux/dmi", slu_linux_dimms},
				  {"linux/dmitable", slu_linux_dimms_table}),
	},
	{
		.name = "numa",
		.help = "NUMA nodes, and what is near each",
		.source = SOURCES({"linux/sysfs", slu_linux_numa},
				  {"hwloc", slu_hwloc_numa}),
	},
	{
		.name = "pcidevices",
		.help = "PCI functions",
		.source = SOURCES({"linux/sysfs", slu_linux_pci},
				  {"hwloc", slu_hwloc_pci}),
		.columns = pci_columns,
	},
	{
		.name = "gpus",
		.help = "graphics processors and other accelerators",
		.source = SOURCES({"linux/sysfs", slu_linux_gpus},
				  {"hwloc", slu_hwloc_gpus}),
	},
	{
		.name = "networkdevices",
		.help = "network interfaces, their speed and place",
		.source = SOURCES({"linux/sysfs", slu_linux_network},
				  {"hwloc", slu_hwloc_network}),
	},
	{
		.name = "networkaddresses",
		.help = "what they are called by others",
		.source = SOURCES({"linux/sysfs", slu_linux_addresses}),
	},
	{
		.name = "infiniband",
		.help = "ports of this node's InfiniBand adapters",
		.source = SOURCES({"linux/sysfs", slu_linux_infiniband}),
	},
	{
		.name = "lustre",
		.help = "Lustre file systems mounted here, and their OSTs",
		.source = SOURCES({"linux/procfs", slu_lustre_mounts}),
	},
	{
		.name = "lustretargets",
		.help = "Lustre targets served here",
		.source = SOURCES({"linux/procfs", slu_lustre_targets}),
	},
	{
		.name = "lustrestats",
		.help = "counters of this Lustre server and its targets",
		.dynamic = true,
		.source = SOURCES({"linux/procfs", slu_lustre_stats}),
	},
	{
		.name = "lustrejobs",
		.help = "what jobs have done on Lustre targets served here",
		.dynamic = true,
		.on_request = true,
		.source = SOURCES({"linux/procfs", slu_lustre_jobs}),
		.columns = job_columns,
	},
	{
		.name = "kernelinfo",
		.help = "the kernel's settings for I/O",
		.source = SOURCES({"linux/procfs", slu_linux_kernel}),
	},
	{
		.name = "moduleinfo",
		.help = "the kernel's modules",
		.source = SOURCES({"linux/procfs", slu_linux_modules}),
	},
	{
		.name = "machineinfo",
		.help = "kernel, operating system and firmware",
		.keys = slu_linux_machine_keys,
		.source = SOURCES({"linux/procfs", slu_linux_machine}),
	},
	{
		.name = "hostid",
		.help = "name of this machine",
		.source = SOURCES({"linux/procfs", slu_linux_hostid}),
	},
	{
		.name = "hosts",
		.help = "adapters on the InfiniBand fabric",
		.on_request = true,
		.source = SOURCES(
			{"ibnetdiscover/recorded", slu_fabric_hosts_recorded},
			{"ibnetdiscover", slu_fabric_hosts_swept}),
	},
	{
		.name = "switches",
		.help = "switches of the fabric",
		.on_request = true,
		.source = SOURCES({"ibnetdiscover/recorded",
				   slu_fabric_switches_recorded},
				  {"ibnetdiscover", slu_fabric_switches_swept}),
	},
	{
		.name = "connections",
		.help = "cables of the fabric",
		.on_request = true,
		.source = SOURCES(
			{"ibnetdiscover/recorded",
			 slu_fabric_connections_recorded},
			{"ibnetdiscover", slu_fabric_connections_swept}),
	},
	{
		.name = "topology",
		.help = "which hosts hang on which switch",
		.on_request = true,
		.source = SOURCES(
			{"ibnetdiscover/recorded", slu_topology_recorded},
			{"ibnetdiscover", slu_topology_swept},
			{"slurm/topology.conf", slu_topology_slurm}),
	},
	{
		.name = "storagespeed",
		.help = "how fast node-local storage is",
		.dynamic = true,
		.on_request = true,
		.source = SOURCES({"measurement", not_measured}),
	},
	{.name = NULL},
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads processors: names and flags from /proc/cpuinfo, the topology from
 * /sys/devices/system/cpu if available. Only online CPUs have a topology there,
 * and only they are counted.
 */
#include "config.h"
#include "sysmap/linux/linux.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sysmap/linux/procs.h"
#include "sysmap/model.h"

#define CPU "sys/devices/system/cpu"

/* Counters, and the CPUs that were counted. */
struct count {
	struct slu_cpus *cpus;
	char first[32];	    /* a CPU with a topology: often "cpu0" */
	uint64_t *packages; /* package ids found, cpus->sockets of them */
};

static double mhz(const struct slu_root *root, const char *cpu,
		  const char *file)
{
	uint64_t khz = 0;

	slu_root_number(root, &khz, CPU "/%s/cpufreq/%s", cpu, file);
	return (double)khz / 1000;
}

static void add_frequencies(const struct slu_root *root, const char *cpu,
			    struct slu_cpus *cpus)
{
	cpus->mhz = mhz(root, cpu, "base_frequency");
	if (cpus->mhz == 0)
		cpus->mhz = slu_model_mhz(cpus->model);
	cpus->mhz_min = mhz(root, cpu, "cpuinfo_min_freq");
	cpus->mhz_max = mhz(root, cpu, "cpuinfo_max_freq");
}

/* "32K", "1M" in KiB. */
static uint64_t cache_size(const char *text)
{
	char *unit;
	unsigned long long value = strtoull(text, &unit, 10);

	return *unit == 'M' ? value * 1024 : value;
}

static void add_caches(const struct slu_root *root, const char *cpu,
		       struct slu_cpus *cpus)
{
	char type[32], size[32];
	uint64_t level;

	for (int i = 0; i < 8; i++) {
		if (slu_root_number(root, &level, CPU "/%s/cache/index%d/level",
				    cpu, i) &&
		    slu_root_attr(root, type, sizeof(type),
				  CPU "/%s/cache/index%d/type", cpu, i) &&
		    slu_root_attr(root, size, sizeof(size),
				  CPU "/%s/cache/index%d/size", cpu, i) &&
		    level >= 1 && level <= 3 &&
		    strcmp(type, "Instruction") != 0)
			cpus->cache[level - 1].size = cache_size(size);
	}
}

static void add_package(struct count *c, uint64_t package)
{
	for (uint32_t i = 0; i < c->cpus->sockets; i++)
		if (c->packages[i] == package)
			return;
	c->packages[c->cpus->sockets++] = package;
}

/* The first CPU of this one's core; -1: not known. New kernels have two names
 * for the list, very old ones only a mask. */
static long first_sibling(const struct slu_root *root, const char *name)
{
	static const char *const files[] = {"thread_siblings_list",
					    "core_cpus_list"};
	char text[SLU_ROOT_ATTR_MAX];
	long first = -1;

	for (size_t i = 0; i < 2 && first < 0; i++)
		if (slu_root_attr(root, text, sizeof(text),
				  CPU "/%s/topology/%s", name, files[i]))
			slu_cpulist_count(text, &first);
	if (first < 0 &&
	    slu_root_attr(root, text, sizeof(text),
			  CPU "/%s/topology/thread_siblings", name))
		first = slu_cpumask_first(text);
	return first;
}

/* Counts one CPU; its core is counted with the first sibling. */
static void add_cpu(const struct slu_root *root, const char *name,
		    struct count *c)
{
	struct slu_cpus *cpus = c->cpus;
	long first = first_sibling(root, name);
	uint64_t package = 0;

	if (!slu_root_exists(root, CPU "/%s/topology", name))
		return;
	if (cpus->cpus++ == 0)
		slu_copy(c->first, sizeof(c->first), name);
	if (first < 0 || first == strtol(name + 3, NULL, 10))
		cpus->cores++;
	slu_root_number(root, &package, CPU "/%s/topology/physical_package_id",
			name);
	add_package(c, package);
}

static int add_topology(const struct slu_root *root, struct count *c,
			struct slu_err *err)
{
	char **names = slu_root_list(root, CPU, err);

	if (!names)
		return -1;
	c->packages = calloc(slu_strv_len(names) + 1, sizeof(*c->packages));
	if (!c->packages) {
		slu_strv_free(names);
		return slu_err(err, SLU_NOMEM, "/" CPU);
	}
	for (char **name = names; *name; name++)
		if (strncmp(*name, "cpu", 3) == 0 && (*name)[3] >= '0' &&
		    (*name)[3] <= '9')
			add_cpu(root, *name, c);
	free(c->packages);
	slu_strv_free(names);
	if (c->cpus->cpus == 0)
		return slu_err(err, SLU_NOTFOUND, "/" CPU ": no topology");
	return 0;
}

static int from_cpuinfo(struct slu_cpus *cpus, const struct slu_cpuinfo *info,
			struct slu_err *err)
{
	cpus->cpus = info->cpus;
	cpus->cores = info->cores ? info->cores : info->cpus;
	cpus->sockets = info->sockets ? info->sockets : 1;
	return info->cpus ? 0
			  : slu_err(err, SLU_NOTFOUND,
				    "/proc/cpuinfo: no processor");
}

static int read_cpus(const struct slu_root *root, bool topology,
		     struct json_object **out, struct slu_err *err)
{
	struct slu_cpuinfo info = {0};
	struct slu_cpus cpus = {0};
	struct count count = {.cpus = &cpus, .first = "cpu0"};
	struct slu_buf text = {0};
	char arm[64];
	int ret = 0;

	if (slu_root_read(root, "proc/cpuinfo", SLU_TABLE_MAX, &text, err) == 0)
		slu_cpuinfo_parse(text.data, &info);
	cpus.model = info.model;
	cpus.vendor = info.vendor;
	cpus.flags = info.flags;
	if (!info.model && info.implementer && info.part) {
		snprintf(arm, sizeof(arm), "ARM implementer %.16s part %.16s",
			 info.implementer, info.part);
		cpus.model = arm;
	}
	ret = topology ? add_topology(root, &count, err)
		       : from_cpuinfo(&cpus, &info, err);
	if (ret == 0) {
		add_frequencies(root, count.first, &cpus);
		add_caches(root, count.first, &cpus);
		*out = slu_cpus_json(&cpus);
	}
	slu_buf_free(&text);
	return ret;
}

int slu_linux_cpus(const struct slu_root *root, struct json_object **out,
		   struct slu_err *err)
{
	return read_cpus(root, true, out, err);
}

int slu_linux_cpuinfo(const struct slu_root *root, struct json_object **out,
		      struct slu_err *err)
{
	return read_cpus(root, false, out, err);
}

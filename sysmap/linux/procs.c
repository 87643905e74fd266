/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/cpuinfo says on each architecture the same things in other words, and
 * on some of them hardly anything; it is read for what it has.
 */
#include "config.h"
#include "sysmap/linux/procs.h"

#include <stdlib.h>
#include <string.h>
#include "common/str.h"
#include "sysmap/root.h"

#define SOCKETS_MAX 1024

bool slu_colon_line(char **rest, char **key, char **value)
{
	char *line = strsep(rest, "\n"), *colon;

	if (!line)
		return false;
	colon = strchr(line, ':');
	if (colon)
		*colon = '\0';
	*value = colon ? slu_trim(colon + 1) : line + strlen(line);
	*key = slu_trim(line);
	return true;
}

uint64_t slu_meminfo_bytes(const char *text, const char *key)
{
	size_t len = strlen(key);
	unsigned long long kib;
	const char *line = text;

	while (line) {
		if (strncmp(line, key, len) == 0 && line[len] == ':') {
			kib = strtoull(line + len + 1, NULL, 10);
			return kib <= UINT64_MAX / 1024 ? kib * 1024 : 0;
		}
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return 0;
}

/* Keep the first one that is said. */
static void first(const char **out, char *value)
{
	if (!*out && *value)
		*out = slu_printable(value);
}

/* Packages by their number, as seen so far. */
struct packages {
	unsigned long id[SOCKETS_MAX];
	uint32_t n;
};

static void add_package(struct packages *seen, const char *value)
{
	unsigned long id = strtoul(value, NULL, 10);

	for (uint32_t i = 0; i < seen->n; i++)
		if (seen->id[i] == id)
			return;
	if (seen->n < SOCKETS_MAX)
		seen->id[seen->n++] = id;
}

static void take(struct slu_cpuinfo *out, struct packages *packages,
		 const char *key, char *value)
{
	if (strcmp(key, "processor") == 0)
		out->cpus++;
	else if (strcmp(key, "physical id") == 0)
		add_package(packages, value);
	else if (strcmp(key, "cpu cores") == 0 && !out->cores)
		out->cores = (uint32_t)strtoul(value, NULL, 10);
	else if (strcmp(key, "model name") == 0 || strcmp(key, "cpu") == 0)
		first(&out->model, value);
	else if (strcmp(key, "vendor_id") == 0)
		first(&out->vendor, value);
	else if (strcmp(key, "flags") == 0 || strcmp(key, "Features") == 0)
		first(&out->flags, value);
	else if (strcmp(key, "CPU implementer") == 0)
		first(&out->implementer, value);
	else if (strcmp(key, "CPU part") == 0)
		first(&out->part, value);
}

void slu_cpuinfo_parse(char *text, struct slu_cpuinfo *out)
{
	struct packages packages = {.n = 0};
	char *rest = text, *key, *value;

	*out = (struct slu_cpuinfo){0};
	while (slu_colon_line(&rest, &key, &value))
		take(out, &packages, key, value);
	out->sockets = packages.n;
	if (out->cores > out->cpus)
		out->cores = 0; /* not of one machine */
	else if (out->sockets)
		out->cores *= out->sockets; /* it is said per package */
	if (out->cores > out->cpus)
		out->cores = out->cpus;
}

double slu_model_mhz(const char *model)
{
	const char *at = model ? strrchr(model, '@') : NULL;
	char *unit;
	double value;

	if (!at)
		return 0;
	value = strtod(at + 1, &unit);
	if (!(value > 0 && value < 1e6))
		return 0;
	if (strncmp(unit, "GHz", 3) == 0)
		return value * 1000;
	return strncmp(unit, "MHz", 3) == 0 ? value : 0;
}

uint32_t slu_cpulist_count(const char *list, long *first)
{
	uint32_t n = 0;
	long from, to;
	char *end;

	*first = -1;
	while (*list >= '0' && *list <= '9') {
		from = to = strtol(list, &end, 10);
		if (*end == '-' && end[1] >= '0' && end[1] <= '9')
			to = strtol(end + 1, &end, 10);
		if (to < from || to > SLU_LIST_MAX)
			break;
		if (*first < 0)
			*first = from;
		n += (uint32_t)(to - from + 1);
		list = *end == ',' ? end + 1 : end;
	}
	return n;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses files of /proc. /proc/cpuinfo has different keys on each architecture,
 * and on some hardly any; missing values are allowed.
 */
#include "config.h"
#include "sysmap/linux/procs.h"

#include <ctype.h>
#include <stdio.h>
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

/* Keeps the first value. */
static void first(const char **out, char *value)
{
	if (!*out && *value)
		*out = slu_printable(value);
}

/* Package ids found so far. */
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
		out->cores = 0; /* inconsistent */
	else if (out->sockets)
		out->cores *= out->sockets; /* the value is per package */
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

long slu_cpumask_first(const char *mask)
{
	long cpu = 0;

	for (size_t i = strlen(mask); i-- > 0;) {
		int digit =
			isxdigit((unsigned char)mask[i])
				? (int)strtol((char[]){mask[i], 0}, NULL, 16)
				: 0;

		if (digit)
			return cpu + __builtin_ctz((unsigned int)digit);
		cpu += mask[i] == '0' ? 4 : 0;
	}
	return -1;
}

/* 32 hexadecimal digits. */
static bool parse_inet6(const char *text, unsigned char out[16])
{
	unsigned int byte;

	if (strlen(text) != 32 || strspn(text, "0123456789abcdef") != 32)
		return false;
	for (int i = 0; i < 16; i++) {
		sscanf(text + 2 * i, "%2x", &byte);
		out[i] = (unsigned char)byte;
	}
	return true;
}

/* ADDRESS INDEX PREFIX SCOPE FLAGS NAME */
bool slu_inet6_next(char **rest, struct slu_inet6 *out)
{
	char *field[6], *line;

	while ((line = strsep(rest, "\n"))) {
		if (slu_split(line, " \t", field, 6) != 6 ||
		    !parse_inet6(field[0], out->address))
			continue;
		out->temporary = strtoul(field[4], NULL, 16) & 1;
		out->interface = slu_printable(field[5]);
		return true;
	}
	return false;
}

/* DEVICE TYPE KIB USED PRIORITY */
bool slu_swap_next(char **rest, struct slu_swap *out)
{
	unsigned long long kib;
	char *field[5], *line, *end;

	while ((line = strsep(rest, "\n"))) {
		if (slu_split(line, " \t", field, 5) != 5 || field[0][0] != '/')
			continue;
		kib = strtoull(field[2], &end, 10);
		if (*end || kib > UINT64_MAX / 1024)
			continue;
		*out = (struct slu_swap){
			.device = slu_unescape(field[0]),
			.type = slu_printable(field[1]),
			.size = kib * 1024,
			.priority = strtoll(field[4], NULL, 10),
		};
		return true;
	}
	return false;
}

char *slu_chosen(char *text)
{
	char *open = strchr(text, '['), *close;

	if (!open || !(close = strchr(open, ']')))
		return text;
	*close = '\0';
	return open + 1;
}

char *slu_unescape(char *text)
{
	char *to = text;

	for (const char *at = text; *at; to++) {
		if (at[0] == '\\' && at[1] >= '0' && at[1] <= '3' &&
		    at[2] >= '0' && at[2] <= '7' && at[3] >= '0' &&
		    at[3] <= '7') {
			*to = (char)((at[1] - '0') << 6 | (at[2] - '0') << 3 |
				     (at[3] - '0'));
			at += 4;
		} else {
			*to = *at++;
		}
	}
	*to = '\0';
	return slu_printable(text);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the counters' texts of Lustre and the kernel. */
#include "config.h"
#include "sysmap/lustre/counters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parses one row; false: it is not a row. unit has space for 16 bytes. */
static bool read_row(const char *row, size_t name_len, uint64_t *samples,
		     uint64_t *sum, char *unit)
{
	unsigned long long n, total = 0;
	char line[256];
	int got;

	snprintf(line, sizeof(line), "%.*s", (int)strcspn(row, "\n"), row);
	if (strlen(line) < name_len)
		return false;
	*unit = '\0';
	got = sscanf(line + name_len, " %llu samples [%15[^]]] %*u %*u %llu",
		     &n, unit, &total);
	if (got < 2)
		return false;
	*samples = n;
	*sum = got == 3 ? total : 0;
	return true;
}

static const char *next_row(const char *row)
{
	row = strchr(row, '\n');
	return row && row[1] ? row + 1 : NULL;
}

bool slu_stats_row(const char *text, const char *name, uint64_t *samples,
		   uint64_t *sum)
{
	size_t len = strlen(name);
	char unit[16];

	for (const char *row = text; row; row = next_row(row))
		if (strncmp(row, name, len) == 0 && row[len] == ' ')
			return read_row(row, len, samples, sum, unit);
	return false;
}

uint64_t slu_stats_requests(const char *text)
{
	uint64_t all = 0, samples, sum;
	char unit[16];

	for (const char *row = text; row; row = next_row(row))
		if (read_row(row, strcspn(row, " \n"), &samples, &sum, unit) &&
		    strcmp(unit, "bytes") != 0)
			all += samples;
	return all;
}

bool slu_stats_is_metadata(const char *row, const char *end)
{
	static const char *const names[] = {
		"open",	    "mknod",  "link",	 "unlink",  "mkdir",
		"rmdir",    "rename", "getattr", "setattr", "getxattr",
		"setxattr", "statfs", "sync",	 "migrate"};
	size_t len = 0;

	while (row + len < end && row[len] >= 'a' && row[len] <= 'z')
		len++;
	if (row + len < end && !strchr(": ", row[len]))
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == len && !memcmp(row, names[i], len))
			return true;
	return false;
}

uint64_t slu_stats_metadata(const char *text)
{
	uint64_t all = 0, samples, sum;
	char unit[16];

	for (const char *row = text; row; row = next_row(row))
		if (slu_stats_is_metadata(row, row + strcspn(row, "\n")) &&
		    read_row(row, strcspn(row, " \n"), &samples, &sum, unit))
			all += samples;
	return all;
}

/* Parses "64:" or "1K:" at the beginning of a row; -1: no row. */
static double label(const char *row)
{
	char *end;
	double v = strtod(row, &end);

	if (end == row)
		return -1;
	v *= *end == 'K' ? 1024 : *end == 'M' ? 1048576 : 1;
	end += *end == 'K' || *end == 'M';
	return *end == ':' ? v : -1;
}

void slu_ost_io_sum(const char *text, const char *histogram, double *n,
		    double *sum)
{
	const char *row = strstr(text, histogram), *bar;

	*n = *sum = 0;
	while (row && (row = strchr(row, '\n')) && label(++row) >= 0) {
		double reads = 0, writes = 0;

		bar = memchr(row, '|', strcspn(row, "\n"));
		sscanf(strchr(row, ':') + 1, "%lf", &reads);
		if (bar)
			sscanf(bar + 1, "%lf", &writes);
		*n += reads + writes;
		*sum += (reads + writes) * label(row);
	}
}

double slu_ost_io(const char *text, const char *histogram)
{
	double n, sum;

	slu_ost_io_sum(text, histogram, &n, &sum);
	return n > 0 ? sum / n : -1;
}

bool slu_stats_lnet(const char *text, uint64_t *sent, uint64_t *received)
{
	unsigned long long out, in;

	if (sscanf(text, "%*s %*s %*s %*s %*s %*s %*s %llu %llu", &out, &in) !=
	    2)
		return false;
	*sent = out;
	*received = in;
	return true;
}

bool slu_stats_cpu(const char *text, uint64_t *busy, uint64_t *all)
{
	unsigned long long v[8] = {0};

	if (sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0],
		   &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]) < 4)
		return false;
	*all = 0;
	for (int i = 0; i < 8; i++)
		*all += v[i];
	*busy = *all - v[3] - v[4]; /* idle, waiting */
	return true;
}

/* A value of /proc/meminfo, KiB: the key must begin a line. */
static bool memory_of(const char *text, const char *key,
		      unsigned long long *kib)
{
	size_t len = strlen(key);
	char *end;

	while (strncmp(text, key, len) != 0) {
		text = strchr(text, '\n');
		if (!text++)
			return false;
	}
	*kib = strtoull(text + len, &end, 10);
	return end != text + len;
}

/* Kernels before 3.14 lack MemAvailable: approximately free memory and the page
 * cache. */
static bool available_of(const char *text, unsigned long long *kib)
{
	unsigned long long buffers = 0, cached = 0;

	if (memory_of(text, "MemAvailable:", kib))
		return true;
	if (!memory_of(text, "MemFree:", kib))
		return false;
	memory_of(text, "Buffers:", &buffers);
	memory_of(text, "Cached:", &cached);
	*kib += buffers + cached;
	return true;
}

bool slu_stats_memory(const char *text, double *percent)
{
	unsigned long long total = 0, available = 0;

	if (!memory_of(text, "MemTotal:", &total) ||
	    !available_of(text, &available) || total == 0 || available > total)
		return false;
	*percent = 100.0 * (double)(total - available) / (double)total;
	return true;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_LINUX_PROCS_H
#define SLU_SYSMAP_LINUX_PROCS_H

/* Parsers of /proc texts. They accept any input and modify it in place; missing
 * values stay zero or NULL. */

#include <stdbool.h>
#include <stdint.h>

/* One "key : value" line at a time. *rest starts as the text and is advanced;
 * returns false at its end. A line without a colon gives "" as value, an empty
 * line "" for both. */
bool slu_colon_line(char **rest, char **key, char **value);

/* /proc/meminfo: a key's value in bytes ("MemTotal: 16 kB"), 0: none. The
 * text is left as it is. */
uint64_t slu_meminfo_bytes(const char *text, const char *key);

/* /proc/cpuinfo. Texts are borrowed from it, of the first processor. */
struct slu_cpuinfo {
	uint32_t cpus, cores, sockets; /* cores, sockets 0: unknown */
	const char *model, *vendor, *flags;
	const char *implementer, *part; /* ARM has these, no model */
};
void slu_cpuinfo_parse(char *text, struct slu_cpuinfo *out);

/* The nominal frequency at the end of a model name, "... @ 2.10GHz", in MHz;
 * 0: none. */
double slu_model_mhz(const char *model);

/* The number of CPUs in a list ("0-3,8"), and the first of them (-1: none). */
uint32_t slu_cpulist_count(const char *list, long *first);

/* The first CPU of a mask in words of 32 bits, the highest first
 * ("00000000,00000010"); -1: none. */
long slu_cpumask_first(const char *mask);

/* A line of /proc/net/if_inet6. */
struct slu_inet6 {
	unsigned char address[16];
	bool temporary;
	const char *interface; /* borrowed from the text */
};
/* The next line, advancing *rest; other lines are skipped. False at the end. */
bool slu_inet6_next(char **rest, struct slu_inet6 *out);

/* A line of /proc/swaps; texts are borrowed from it. */
struct slu_swap {
	const char *device, *type;
	uint64_t size; /* bytes */
	int64_t priority;
};
bool slu_swap_next(char **rest, struct slu_swap *out);

/* The selected item in "none [mq-deadline] kyber", in place; a text without
 * brackets is returned whole. */
char *slu_chosen(char *text);

/* "\040" and the like become the byte that they stand for, in place, and
 * unprintable bytes '?'. */
char *slu_unescape(char *text);

#endif

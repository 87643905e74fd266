/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_HOSTLIST_H
#define SLU_COMMON_HOSTLIST_H

/*
 * Host lists in Slurm's bracket form: "n1", "n[1-3,7]", "a1,b[01-10]x", with
 * several brackets per name allowed. At most SLU_HOSTS_MAX names, duplicates
 * counted.
 */

#include <stddef.h>
#include <stdbool.h>
#include "common/err.h"

#define SLU_HOSTS_MAX 65536

struct slu_hosts {
	char **name; /* owned; in the order of the list, duplicates kept out */
	size_t n;
};

/* Expand a list. "" gives n = 0. Names have 1 to 255 characters: letters,
 * digits, '-', '_' and '.', not beginning with '-' or '.', so that a name is
 * safe as an argument and as a file name. Anything else is SLU_INVALID and
 * names the bad piece. */
int slu_hosts_parse(const char *text, struct slu_hosts *out,
		    struct slu_err *err);
void slu_hosts_free(struct slu_hosts *hosts);

/* Index of `name`, or -1. */
long slu_hosts_find(const struct slu_hosts *hosts, const char *name);
/* Sort by strcmp and drop duplicates; find `name` in a list so sorted, if many
 * are looked up. */
void slu_hosts_sort(struct slu_hosts *hosts);
bool slu_hosts_sorted_has(const struct slu_hosts *hosts, const char *name);
/* Append a copy unless it is there; -1 without memory. */
int slu_hosts_add(struct slu_hosts *hosts, const char *name);
/* Append a copy, even if it is there: for slu_hosts_sort() of many. */
int slu_hosts_append(struct slu_hosts *hosts, const char *name);

/* A short bracket form of the same set ("n[1-4,7]", "r[1-2]n[1-8]"), keeping
 * zero padding, sorted as people count (n2 before n10). NULL without memory;
 * caller frees. */
char *slu_hosts_text(const struct slu_hosts *hosts);

/* strcmp that counts digits as numbers: n2 < n10. */
int slu_host_cmp(const char *a, const char *b);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Splits the comma-separated words that an administrator sets for daemons and
 * clients (options env and args of a FileSystem line) into environment
 * variables and arguments. They were checked by request/site/fsoption.c; no
 * shell interprets them.
 */
#include "config.h"
#include "burst_buffer/drivers/gekkofs.h"

#include <string.h>

void slu_gkfs_put_env(const char *list, struct slu_buf *out)
{
	while (*list) {
		size_t n = strcspn(list, ",");

		if (memchr(list, '=', n))
			slu_buf_printf(out, "%.*s\n", (int)n, list);
		list += n + (list[n] == ',');
	}
}

int slu_gkfs_put_args(char *list, char **argv, int n, int max)
{
	char *word;

	while (n < max && (word = strsep(&list, ",")))
		if (*word)
			argv[n++] = word;
	return n;
}

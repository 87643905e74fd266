/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzzes the parser of host lists: a list that parses has unique, safe names,
 * and its canonical text parses to the same names. */
#include "config.h"
#include "tests/fuzz/fuzz.h"
#include <string.h>
#include "common/hostlist.h"

static int cmp(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void same_set(struct slu_hosts *a, struct slu_hosts *b)
{
	must(a->n == b->n);
	if (a->n == 0)
		return;
	qsort(a->name, a->n, sizeof(*a->name), cmp);
	qsort(b->name, b->n, sizeof(*b->name), cmp);
	for (size_t i = 0; i < a->n; i++) {
		must(strcmp(a->name[i], b->name[i]) == 0);
		must(i == 0 || strcmp(a->name[i], a->name[i - 1]) != 0);
		must(!strchr(a->name[i], '/') && a->name[i][0] != '.');
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *list = strndup((const char *)data, size), *text;
	struct slu_hosts hosts, again;
	struct slu_err err = {0};

	must(list != NULL);
	if (slu_hosts_parse(list, &hosts, &err) < 0) {
		must(err.kind == SLU_INVALID);
		free(list);
		return 0;
	}
	text = slu_hosts_text(&hosts);
	must(text && slu_hosts_parse(text, &again, &err) == 0);
	same_set(&hosts, &again);
	slu_hosts_free(&hosts);
	slu_hosts_free(&again);
	free(text);
	free(list);
	return 0;
}

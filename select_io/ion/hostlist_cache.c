/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Caches expanded host lists in a chained hash table by text; entries are
 * removed only by a sweep.
 */
#include "select_io/ion/hostlist_cache.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static void names_free(struct slu_host_names *names)
{
	slu_hosts_free(&names->full);
	slu_hosts_free(&names->cut);
	free(names->hash);
	free(names->sorted);
	free(names->text);
	free(names);
}

static int by_strcmp(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Computes what depends on the full names. */
static int derive(struct slu_host_names *names)
{
	size_t n = names->full.n;

	names->cut.name = calloc(n + 1, sizeof(*names->cut.name));
	names->hash = calloc(n + 1, sizeof(*names->hash));
	names->sorted = calloc(n + 1, sizeof(*names->sorted));
	if (!names->cut.name || !names->hash || !names->sorted)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const char *name = names->full.name[i];
		size_t len = strcspn(name, ".");

		names->cut.name[i] = strndup(name, len);
		if (!names->cut.name[i])
			return -1;
		names->cut.n++;
		names->hash[i] = XXH3_64bits(name, len);
		names->sorted[i] = names->cut.name[i];
	}
	if (n)
		qsort(names->sorted, n, sizeof(*names->sorted), by_strcmp);
	return 0;
}

static struct slu_host_names *names_new(const char *text, struct slu_err *err)
{
	struct slu_host_names *names = calloc(1, sizeof(*names));

	if (names && slu_hosts_parse(text, &names->full, err) < 0) {
		free(names);
		return NULL;
	}
	if (names)
		names->text = strdup(text);
	if (names && names->text && derive(names) == 0)
		return names;
	if (names)
		names_free(names);
	slu_err(err, SLU_NOMEM, "out of memory");
	return NULL;
}

static struct slu_host_names **place(const struct slu_names_memory *m,
				     const char *text)
{
	return &m->bucket[XXH3_64bits(text, strlen(text)) & (m->n_buckets - 1)];
}

/* Rehashes, so that there are at least as many buckets as names. */
static int grow(struct slu_names_memory *m)
{
	struct slu_names_memory more = {
		.n_buckets = m->n_buckets ? 2 * m->n_buckets : 64, .n = m->n};

	if (m->n < m->n_buckets)
		return 0;
	more.bucket = calloc(more.n_buckets, sizeof(struct slu_host_names *));
	if (!more.bucket)
		return -1;
	for (size_t i = 0; i < m->n_buckets; i++)
		for (struct slu_host_names *names = m->bucket[i], *next; names;
		     names = next) {
			struct slu_host_names **at = place(&more, names->text);

			next = names->next;
			names->next = *at;
			*at = names;
		}
	free(m->bucket);
	*m = more;
	return 0;
}

const struct slu_host_names *slu_names_find(struct slu_names_memory *m,
					    const char *text,
					    struct slu_err *err)
{
	struct slu_host_names *names = NULL, **at;

	text = text ? text : "";
	if (m->n_buckets)
		names = *place(m, text);
	while (names && strcmp(names->text, text) != 0)
		names = names->next;
	if (!names) {
		if (grow(m) < 0) {
			slu_err(err, SLU_NOMEM, "out of memory");
			return NULL;
		}
		names = names_new(text, err);
		if (!names)
			return NULL;
		at = place(m, text);
		names->next = *at;
		*at = names;
		m->n++;
	}
	names->used = true;
	return names;
}

static void drop(struct slu_names_memory *m, bool unused_only)
{
	for (size_t i = 0; i < m->n_buckets; i++)
		for (struct slu_host_names **at = &m->bucket[i], *names;
		     (names = *at);) {
			if (unused_only && names->used) {
				names->used = false;
				at = &names->next;
				continue;
			}
			*at = names->next;
			names_free(names);
			m->n--;
		}
}

void slu_names_sweep(struct slu_names_memory *m)
{
	drop(m, true);
}

void slu_names_clear(struct slu_names_memory *m)
{
	drop(m, false);
	free(m->bucket);
	*m = (struct slu_names_memory){0};
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps job numbers to pointers: open addressing with linear probing, at most
 * half full. Deletion moves later entries back, so there are no tombstones.
 */
#include "config.h"
#include "ctl/map.h"

#include <stdlib.h>

struct slu_map_entry {
	uint32_t key;
	void *value; /* NULL: empty */
};

static size_t home(const struct slu_map *t, uint32_t key)
{
	return (key * 2654435761u) & (t->cap - 1);
}

static size_t find(const struct slu_map *t, uint32_t key)
{
	size_t i = home(t, key);

	while (t->entry[i].value && t->entry[i].key != key)
		i = (i + 1) & (t->cap - 1);
	return i;
}

void *slu_map_get(const struct slu_map *t, uint32_t key)
{
	return t->cap ? t->entry[find(t, key)].value : NULL;
}

static int grow(struct slu_map *t)
{
	struct slu_map bigger = {.cap = t->cap ? 2 * t->cap : 64};

	bigger.entry = calloc(bigger.cap, sizeof(*bigger.entry));
	if (!bigger.entry)
		return -1;
	for (size_t i = 0; i < t->cap; i++)
		if (t->entry[i].value)
			bigger.entry[find(&bigger, t->entry[i].key)] =
				t->entry[i];
	bigger.n = t->n;
	free(t->entry);
	*t = bigger;
	return 0;
}

int slu_map_put(struct slu_map *t, uint32_t key, void *value)
{
	size_t i = t->cap ? find(t, key) : 0;

	if (!t->cap || !t->entry[i].value) {
		if (2 * (t->n + 1) > t->cap && grow(t) < 0)
			return -1;
		i = find(t, key);
	}
	t->n += !t->entry[i].value;
	t->entry[i] = (struct slu_map_entry){.key = key, .value = value};
	return 0;
}

void *slu_map_del(struct slu_map *t, uint32_t key)
{
	size_t mask = t->cap - 1, gap, i;
	void *value;

	if (!t->cap)
		return NULL;
	gap = find(t, key);
	value = t->entry[gap].value;
	if (!value)
		return NULL;
	t->n--;
	for (i = (gap + 1) & mask; t->entry[i].value; i = (i + 1) & mask) {
		/* May entry i move to the gap without passing its home? */
		if (((i - home(t, t->entry[i].key)) & mask) <
		    ((i - gap) & mask))
			continue;
		t->entry[gap] = t->entry[i];
		gap = i;
	}
	t->entry[gap].value = NULL;
	return value;
}

void *slu_map_next(const struct slu_map *t, size_t *i)
{
	while (*i < t->cap)
		if (t->entry[(*i)++].value)
			return t->entry[*i - 1].value;
	return NULL;
}

void slu_map_free(struct slu_map *t)
{
	free(t->entry);
	*t = (struct slu_map){0};
}

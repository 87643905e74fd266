/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interns strings (intern.h) in a hash table with open addressing that is at
 * most half full.
 */
#include "job_submit/simulation/intern.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct slu_intern {
	char **text; /* [0] is NULL */
	uint32_t n, room;
	uint32_t *slot; /* 2 * room ids; 0: free */
};

static uint32_t *find(uint32_t *slot, uint32_t slots, char *const *text,
		      const char *wanted)
{
	uint64_t at = XXH3_64bits(wanted, strlen(wanted));

	while (slot[at % slots] && strcmp(text[slot[at % slots]], wanted) != 0)
		at++;
	return &slot[at % slots];
}

static int grow(struct slu_intern *names)
{
	uint32_t room = 2 * names->room;
	uint32_t *slot = calloc(2 * (size_t)room, sizeof(*slot));
	char **text = realloc(names->text, room * sizeof(*text));

	if (text)
		names->text = text;
	if (!text || !slot) {
		free(slot);
		return -1;
	}
	for (uint32_t i = 1; i < names->n; i++)
		*find(slot, 2 * room, text, text[i]) = i;
	free(names->slot);
	names->slot = slot;
	names->room = room;
	return 0;
}

struct slu_intern *slu_intern_new(void)
{
	struct slu_intern *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->room = 64;
	names->n = 1;
	names->text = calloc(names->room, sizeof(*names->text));
	names->slot = calloc(2 * (size_t)names->room, sizeof(*names->slot));
	if (names->text && names->slot)
		return names;
	slu_intern_free(names);
	return NULL;
}

void slu_intern_free(struct slu_intern *names)
{
	for (uint32_t i = 1; names && names->text && i < names->n; i++)
		free(names->text[i]);
	if (names) {
		free(names->text);
		free(names->slot);
	}
	free(names);
}

uint32_t slu_intern_put(struct slu_intern *names, const char *text)
{
	uint32_t *slot;

	if (!text)
		return 0;
	if (names->n == names->room && grow(names) < 0)
		return SLU_INTERN_NONE;
	slot = find(names->slot, 2 * names->room, names->text, text);
	if (*slot)
		return *slot;
	names->text[names->n] = strdup(text);
	if (!names->text[names->n])
		return SLU_INTERN_NONE;
	*slot = names->n++;
	return *slot;
}

const char *slu_intern_text(const struct slu_intern *names, uint32_t number)
{
	return names->text[number];
}

uint32_t slu_intern_count(const struct slu_intern *names)
{
	return names->n;
}

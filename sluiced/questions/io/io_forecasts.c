/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Caches forecasts of writes, by user and application, in a fixed array; the
 * oldest is replaced.
 */
#include "config.h"
#include "sluiced/questions/io/io_forecasts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct forecast {
	uid_t uid;
	char *name; /* NULL: unused */
	double *bytes;
	size_t n;
	double made;
};

struct slu_io_forecasts {
	struct forecast all[SLU_IO_FORECASTS];
};

static void clear(struct forecast *f)
{
	free(f->name);
	free(f->bytes);
	*f = (struct forecast){0};
}

void slu_io_forecasts_free(struct slu_io_forecasts *f)
{
	for (size_t i = 0; f && i < SLU_IO_FORECASTS; i++)
		clear(&f->all[i]);
	free(f);
}

static bool is_of(const struct forecast *f, uid_t uid, const char *name)
{
	return f->name && f->uid == uid && !strcmp(f->name, name);
}

/* The forecast of this name, else an unused or the oldest slot. */
static struct forecast *slot_of(struct slu_io_forecasts *f, uid_t uid,
				const char *name)
{
	struct forecast *best = f->all;

	for (size_t i = 0; i < SLU_IO_FORECASTS; i++) {
		if (is_of(&f->all[i], uid, name))
			return &f->all[i];
		if (best->name &&
		    (!f->all[i].name || f->all[i].made < best->made))
			best = &f->all[i];
	}
	return best;
}

void slu_io_forecasts_put(struct slu_io_forecasts **f, uid_t uid,
			  const char *name, struct json_object *bytes,
			  double now)
{
	struct forecast new = {.uid = uid, .made = now}, *slot;

	if (!json_object_is_type(bytes, json_type_array))
		return;
	if (!*f)
		*f = calloc(1, sizeof(**f));
	new.n = json_object_array_length(bytes);
	new.name = strdup(name);
	new.bytes = calloc(new.n + 1, sizeof(*new.bytes));
	if (!*f || !new.name || !new.bytes) {
		clear(&new);
		return;
	}
	for (size_t i = 0; i < new.n; i++)
		new.bytes[i] = json_object_get_double(
			json_object_array_get_idx(bytes, i));
	slot = slot_of(*f, uid, name);
	clear(slot);
	*slot = new;
}

const double *slu_io_forecasts_get(const struct slu_io_forecasts *f, uid_t uid,
				   const char *name, double now, size_t *n)
{
	for (size_t i = 0; f && i < SLU_IO_FORECASTS; i++) {
		const struct forecast *one = &f->all[i];

		if (!is_of(one, uid, name) ||
		    now - one->made > SLU_IO_FORECAST_SECONDS)
			continue;
		*n = one->n;
		return one->bytes;
	}
	return NULL;
}

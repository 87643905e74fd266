/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the weights of jobs, "NAME:WEIGHT,...", of sluice.conf. */
#include "config.h"
#include "common/conf_fs.h"

#include <stdlib.h>
#include <string.h>
#include "common/str.h"

#define LEAST 0.01
#define MOST  100.0

void slu_weights_free(struct slu_weights *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->weight[i].name);
	free(w->weight);
	*w = (struct slu_weights){0};
}

static int add(struct slu_weights *w, const char *name, size_t len,
	       double weight)
{
	struct slu_weight *more =
		realloc(w->weight, (w->n + 1) * sizeof(*more));

	if (!more)
		return -1;
	w->weight = more;
	more[w->n] = (struct slu_weight){strndup(name, len), weight};
	if (!more[w->n].name)
		return -1;
	w->n++;
	return 0;
}

int slu_weights_copy(struct slu_weights *dst, const struct slu_weights *src)
{
	struct slu_weights copy = {0};

	for (size_t i = 0; i < src->n; i++)
		if (add(&copy, src->weight[i].name, strlen(src->weight[i].name),
			src->weight[i].weight) < 0) {
			slu_weights_free(&copy);
			return -1;
		}
	slu_weights_free(dst);
	*dst = copy;
	return 0;
}

double slu_weight_of(const struct slu_weights *w, const char *name)
{
	for (size_t i = 0; name && i < w->n; i++)
		if (strcmp(w->weight[i].name, name) == 0)
			return w->weight[i].weight;
	return 1;
}

static bool has(const struct slu_weights *w, const char *name, size_t len)
{
	for (size_t i = 0; i < w->n; i++)
		if (strlen(w->weight[i].name) == len &&
		    memcmp(w->weight[i].name, name, len) == 0)
			return true;
	return false;
}

/* The word at `word` of `len` bytes. */
static int read_one(struct slu_weights *w, const char *word, size_t len,
		    struct slu_err *err)
{
	const char *colon = memchr(word, ':', len);
	size_t name = colon ? (size_t)(colon - word) : 0;
	char *end = NULL;
	double weight = colon ? strtod(colon + 1, &end) : 0;

	if (!name || end != word + len || end == colon + 1 ||
	    !(weight >= LEAST && weight <= MOST))
		return slu_err(err, SLU_INVALID,
			       "\"%.*s\" is not NAME:WEIGHT with a weight from "
			       "%g to %g",
			       (int)len, word, LEAST, MOST);
	if (has(w, word, name))
		return slu_err(err, SLU_INVALID, "%.*s stands twice", (int)name,
			       word);
	return add(w, word, name, weight) < 0
		       ? slu_err(err, SLU_NOMEM, "out of memory")
		       : 0;
}

int slu_conf_read_weights(const char *value, void *field, struct slu_err *err)
{
	struct slu_weights *w = field;

	for (;;) {
		size_t len = strcspn(value, ",");

		if (read_one(w, value, len, err) < 0)
			return -1;
		if (!value[len])
			return 0;
		value += len + 1;
	}
}

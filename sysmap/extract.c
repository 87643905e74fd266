/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the extractors of sysmap/extractors.c and collects their documents. An
 * extractor that fails does not affect the others. */
#include "config.h"
#include "sysmap/extract.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include "common/gcrypt_init.h"
#include "common/jsonx.h"

#define EXTRACTORS_MAX 64 /* more than the table has */

const struct slu_extractor *slu_extractor_find(const char *name)
{
	for (const struct slu_extractor *e = slu_extractors; e->name; e++)
		if (strcmp(e->name, name) == 0)
			return e;
	return NULL;
}

bool slu_document_expected(const char *name)
{
	return slu_extractor_find(name) ||
	       strcmp(name, SLU_DOCUMENT_FILESYSTEMS) == 0 ||
	       strcmp(name, SLU_DOCUMENT_PROBE) == 0;
}

uint64_t slu_document_hash(const char *extractor, const char *text, size_t len)
{
	gcry_buffer_t part[] = {
		{.data = (char *)extractor, .len = strlen(extractor)},
		{.data = (char *)"\n", .len = 1},
		{.data = (char *)text, .len = len},
	};
	uint64_t hash[4]; /* SHA-256 */

	slu_gcrypt_init();
	gcry_md_hash_buffers(GCRY_MD_SHA256, 0, hash, part, 3);
	return le64toh(hash[0]);
}

bool slu_extractor_wanted(const struct slu_extractor *e, char *const *names)
{
	if (!names || !*names)
		return !e->on_request;
	for (; *names; names++)
		if (strcmp(*names, e->name) == 0)
			return true;
	return false;
}

int slu_extractors_check(char *const *names, struct slu_err *err)
{
	const char *known[EXTRACTORS_MAX] = {0}, *nearest;

	for (size_t i = 0; slu_extractors[i].name; i++)
		known[i] = slu_extractors[i].name;
	for (; names && *names; names++) {
		if (slu_extractor_find(*names))
			continue;
		nearest = slu_nearest(*names, known);
		return slu_err(err, SLU_INVALID,
			       "there is no extractor \"%s\"%s%s%s", *names,
			       nearest ? "; did you mean " : "",
			       nearest ? nearest : "", nearest ? "?" : "");
	}
	return 0;
}

int slu_map_add(struct slu_map *map, const char *extractor, const char *source,
		struct json_object *obj, struct slu_err *err)
{
	char *text =
		map->n < EXTRACTORS_MAX ? strdup(slu_json_text(obj)) : NULL;
	struct slu_document *doc = &map->document[map->n];

	json_object_put(obj);
	if (!text)
		return slu_err(err, SLU_NOMEM, "%s", extractor);
	*doc = (struct slu_document){.extractor = extractor,
				     .source = source,
				     .text = text,
				     .len = strlen(text)};
	doc->hash = slu_document_hash(extractor, text, doc->len);
	map->n++;
	return 0;
}

/* An extractor without a source adds no document. If it was asked for by name,
 * errors of existing sources are reported. */
static int extract(const struct slu_root *root, const struct slu_extractor *e,
		   struct slu_map *map, struct slu_err *err)
{
	const struct slu_source *s = e->source, *wrong = NULL;
	struct slu_err why, first;
	struct json_object *obj = NULL;

	for (; s->name && s->read(root, &obj, &why); s++)
		if (why.kind != SLU_NOTFOUND && !wrong) {
			wrong = s;
			first = why;
		}
	if (s->name)
		return slu_map_add(map, e->name, s->name, obj, err);
	if (wrong && e->on_request && !map->wrong.kind)
		slu_err(&map->wrong, first.kind, "%s: %s: %s", e->name,
			wrong->name, first.text);
	return 0;
}

int slu_map_extract(const struct slu_root *root, char *const *names,
		    struct slu_map *out, struct slu_err *err)
{
	struct slu_map map = {
		.document = calloc(EXTRACTORS_MAX, sizeof(*map.document))};
	int ret = map.document ? slu_extractors_check(names, err)
			       : slu_err(err, SLU_NOMEM, "resource map");

	for (const struct slu_extractor *e = slu_extractors;
	     ret == 0 && e->name; e++) {
		if (slu_extractor_wanted(e, names))
			ret = extract(root, e, &map, err);
	}
	if (ret) {
		slu_map_free(&map);
		return -1;
	}
	*out = map;
	return 0;
}

void slu_map_free(struct slu_map *map)
{
	for (size_t i = 0; i < map->n; i++)
		free(map->document[i].text);
	free(map->document);
	*map = (struct slu_map){0};
}

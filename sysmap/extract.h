/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_EXTRACT_H
#define SLU_SYSMAP_EXTRACT_H

/*
 * Reads a machine's map: runs extractors, each of which reads one kind of
 * resource and gives one JSON document. An extractor has one or more sources,
 * tried in order until one has data; a missing source makes the map smaller,
 * never wrong. To add a resource, add a row to the table in extractors.c, a
 * struct to sysmap/model.h, and a function for each source.
 */

#include <json-c/json.h>
#include "common/table.h"
#include "sysmap/root.h"

/* Read a resource; *out is a new object or array. */
typedef int slu_source_f(const struct slu_root *root, struct json_object **out,
			 struct slu_err *err);

struct slu_source {
	const char *name;
	slu_source_f *read;
};

struct slu_extractor {
	const char *name;
	const char *help;
	bool dynamic;	 /* changes by the minute: kept without history */
	bool on_request; /* only if it is named: it queries more than this node
			  */
	const struct slu_source *source;  /* name NULL ends them */
	const struct slu_column *columns; /* of an array, for people */
	const char *const *keys; /* keys of an object that not all machines
				    have; NULL-ended, or NULL: none */
};
extern const struct slu_extractor slu_extractors[]; /* name NULL ends it */

/* NULL: there is none of this name. */
const struct slu_extractor *slu_extractor_find(const char *name);

/* A document of no extractor: the file systems that the node cannot run, by
 * `sluice-node probe --push`. */
#define SLU_DOCUMENT_FILESYSTEMS "filesystems"
/* Another: all that it has found there, {"release":..., "conf": SHA-256 of the
 * sluice.conf that the node uses, "rows":[{"check","result","text"},...]}. */
#define SLU_DOCUMENT_PROBE "probe"

/* May a node push a document of this name? */
bool slu_document_expected(const char *name);

/* Which ones are run for these names: a NULL-ended list; NULL or none: all but
 * those on request. An unknown name is SLU_INVALID. */
bool slu_extractor_wanted(const struct slu_extractor *e, char *const *names);
int slu_extractors_check(char *const *names, struct slu_err *err);

/* A document: what one extractor found on one machine. */
struct slu_document {
	const char *extractor;
	const char *source; /* the source that it came from */
	char *text;	    /* compact JSON */
	size_t len;
	uint64_t hash; /* slu_document_hash */
};

struct slu_map {
	struct slu_document *document;
	size_t n;
	struct slu_err
		wrong; /* kind 0, or the error of the first extractor on request
			  without a document although it has a source here */
};

/* Run the extractors named (a NULL-ended list, in the order of the table; NULL:
 * all but those on request). Extractors without data are left out. An unknown
 * name is SLU_INVALID. Caller frees. */
int slu_map_extract(const struct slu_root *root, char *const *names,
		    struct slu_map *out, struct slu_err *err);
void slu_map_free(struct slu_map *map);
/* Add a document to such a map; frees obj in any case. */
int slu_map_add(struct slu_map *map, const char *extractor, const char *source,
		struct json_object *obj, struct slu_err *err);

/* The first 64 bits (little-endian) of the SHA-256 of extractor, '\n' and text:
 * what nodes send first. It alone links a host to a document that another host
 * has sent, so it must be infeasible to find a second text with the same hash.
 */
uint64_t slu_document_hash(const char *extractor, const char *text, size_t len);

#endif

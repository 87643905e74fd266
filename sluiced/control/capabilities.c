/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts the nodes that cannot make a file system, from the documents
 * "filesystems" that nodes push:
 * [{"name":FILESYSTEM,"ok":false,"text":WHY},...]. A node without a document
 * counts as able. The name SLU_CAPACITY_MOVER stands for the site's Mover.
 */
#include "config.h"
#include "sluiced/control/capabilities.h"

#include <stdlib.h>
#include <string.h>

#include "common/jsonx.h"
#include "common/str.h"
#include "sysmap/database/map_documents.h"
#include "sysmap/extract.h"

static struct slu_fs_capacity *find(struct slu_capacity *supply,
				    const char *name)
{
	for (size_t i = 0; i < supply->n_fs; i++)
		if (slu_eq(supply->fs[i].name, name))
			return &supply->fs[i];
	return NULL;
}

/* One element of a node's document. */
static int take_one(struct slu_capacity *supply, const struct slu_conf *conf,
		    struct json_object *said, const char *node,
		    struct slu_err *err)
{
	const char *name = NULL, *why = NULL;
	struct slu_fs_capacity *fs;
	bool ok = true;

	slu_json_str_opt(said, "name", &name, NULL);
	slu_json_str_opt(said, "text", &why, NULL);
	slu_json_bool_opt(said, "ok", &ok, NULL);
	if (ok || !name ||
	    !(slu_eq(name, SLU_CAPACITY_MOVER)
		      ? conf->mover != NULL
		      : slu_conf_fs(conf, name) != NULL))
		return 0;
	fs = find(supply, name);
	if (!fs) {
		fs = &supply->fs[supply->n_fs++];
		*fs = (struct slu_fs_capacity){.name = strdup(name),
					       .node = strdup(node),
					       .why = strdup(why ? why : "")};
		if (!fs->name || !fs->node || !fs->why)
			return slu_err(err, SLU_NOMEM, "out of memory");
	}
	fs->unable++;
	return 0;
}

static int take_node(struct slu_capacity *supply, const struct slu_conf *conf,
		     struct slu_db *map, const char *node, struct slu_err *err)
{
	struct json_object *said = NULL;
	struct slu_buf text = {0};
	struct slu_err why;
	size_t n = 0;
	int rc = 0;

	if (slu_documents_read(map, node, SLU_DOCUMENT_FILESYSTEMS, &text,
			       &why) == 0)
		said = slu_json_parse(text.data, text.len, NULL);
	else if (why.kind != SLU_NOTFOUND)
		rc = slu_err(err, why.kind, "%s", why.text);
	slu_buf_free(&text);
	if (said && json_object_is_type(said, json_type_array))
		n = json_object_array_length(said);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = take_one(supply, conf, json_object_array_get_idx(said, i),
			      node, err);
	json_object_put(said);
	return rc;
}

int slu_capabilities_count(struct slu_db *map, const struct slu_conf *conf,
			   const struct slu_hosts *nodes,
			   struct slu_capacity *out, struct slu_err *err)
{
	uint32_t all = 0;

	out->fs = calloc(conf->n_fs + 2, sizeof(*out->fs));
	if (!out->fs)
		return slu_err(err, SLU_NOMEM, "out of memory");
	for (size_t i = 0; i < nodes->n; i++) {
		if (slu_conf_only_io(conf, nodes->name[i]))
			continue;
		all++;
		if (take_node(out, conf, map, nodes->name[i], err) < 0)
			return -1;
	}
	for (size_t i = 0; i < out->n_fs; i++)
		out->fs[i].able =
			all > out->fs[i].unable ? all - out->fs[i].unable : 0;
	return 0;
}

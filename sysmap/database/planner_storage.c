/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the documents "mountpoints", "mountusage" and "storagespeed" of a host
 * from the database, and chooses among their file systems with storage_rank.h.
 */
#include "config.h"
#include "sysmap/database/planner_storage.h"

#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "common/str.h"
#include "sysmap/database/map_documents.h"
#include "sysmap/database/storage_rank.h"
#include "sysmap/linux/storage/mounts.h"

static int none(const char *host, const char *choice, struct slu_err *err)
{
	if (!strcmp(choice, "auto"))
		return slu_err(err, SLU_NOTFOUND,
			       "%s has no writable file system on a disk of "
			       "its own: set NodeStorage to a path",
			       host);
	return slu_err(err, SLU_NOTFOUND,
		       "%s has no storage that is %s: \"sysquery resources "
		       "--explain %s\" says why",
		       host, choice, host);
}

static void take(struct slu_node_storage *out, const struct slu_candidate *c)
{
	*out = (struct slu_node_storage){
		.size = c->size, .available = c->size, .tier = c->tier};
	slu_copy(out->path, sizeof(out->path), c->path);
	slu_copy(out->filesystem, sizeof(out->filesystem), c->filesystem);
	slu_copy(out->device, sizeof(out->device), c->device);
}

void slu_storage_read(struct slu_db *db, const char *host, bool speed,
		      struct slu_storage_documents *out)
{
	*out = (struct slu_storage_documents){0};
	out->mounts = slu_documents_array(db, host, "mountpoints", &out->why);
	if (!out->mounts)
		return;
	out->usage = slu_documents_array(db, host, "mountusage", NULL);
	if (speed)
		out->speed = slu_storage_speed(db, host);
}

void slu_storage_documents_free(struct slu_storage_documents *docs)
{
	json_object_put(docs->mounts);
	json_object_put(docs->usage);
	json_object_put(docs->speed);
}

static void add_available(struct json_object *usage,
			  struct slu_node_storage *out, size_t n)
{
	struct json_object *mount;

	for (size_t i = 0; usage && i < n; i++) {
		mount = slu_mount_at(usage, out[i].path);
		if (mount)
			slu_json_u64_opt(mount, "available", &out[i].available,
					 NULL);
	}
}

static int find_path(const struct slu_storage_documents *docs, const char *host,
		     const char *path, struct slu_node_storage *out,
		     struct slu_err *err)
{
	struct slu_candidate best;
	struct slu_node_storage found = {0};

	if (!docs->mounts)
		return slu_err(err, docs->why.kind, "%s", docs->why.text);
	slu_candidate_at(docs->mounts, path, &best);
	if (best.path)
		take(&found, &best);
	if (!found.size)
		return slu_err(err, SLU_NOTFOUND,
			       "the resource map does not show what %s of %s "
			       "lies on",
			       path, host);
	add_available(docs->usage, &found, 1);
	*out = found;
	return 0;
}

int slu_storage_at(struct slu_db *db, const char *host, const char *path,
		   struct slu_node_storage *out, struct slu_err *err)
{
	struct slu_storage_documents docs;
	int rc;

	slu_storage_read(db, host, false, &docs);
	rc = find_path(&docs, host, path, out, err);
	slu_storage_documents_free(&docs);
	return rc;
}

bool slu_storage_same(struct slu_db *db, const char *host, const char *a,
		      const char *b)
{
	struct json_object *mounts =
		slu_documents_array(db, host, "mountpoints", NULL);
	struct slu_candidate x, y;
	bool same = false;

	if (!mounts)
		return false;
	slu_candidate_at(mounts, a, &x);
	slu_candidate_at(mounts, b, &y);
	if (x.path && y.path) /* "tmpfs" and the like have no device */
		same = strcmp(x.path, y.path) == 0 ||
		       (x.device[0] == '/' && strcmp(x.device, y.device) == 0);
	json_object_put(mounts);
	return same;
}

struct json_object *slu_storage_speed(struct slu_db *db, const char *host)
{
	struct json_object *speed = NULL;
	struct slu_buf text = {0};

	if (slu_documents_read(db, host, "storagespeed", &text, NULL) == 0)
		speed = slu_json_parse(text.data, text.len, NULL);
	slu_buf_free(&text);
	return speed;
}

static int no_mounts(const char *host, const struct slu_err *why,
		     struct slu_err *err)
{
	if (why->kind != SLU_NOTFOUND)
		return slu_err(err, why->kind, "%s", why->text);
	return slu_err(err, SLU_NOTFOUND,
		       "the resource map knows nothing of %s: run sysmap "
		       "--push there, or set NodeStorage to a path",
		       host);
}

struct json_object *slu_storage_mounts(struct slu_db *db, const char *host,
				       struct slu_err *err)
{
	struct slu_err why = {0};
	struct json_object *mounts =
		slu_documents_array(db, host, "mountpoints", &why);

	if (!mounts)
		no_mounts(host, &why, err);
	return mounts;
}

/* Of candidates: how many are taken, best first. 0: none fits. */
static size_t take_all(const struct slu_candidate *all, size_t n_all,
		       const char *choice, bool each,
		       const struct slu_candidate **taken,
		       struct slu_node_storage **out)
{
	size_t n = slu_candidates_each(all, n_all, choice, taken);

	n = each ? n : n > 0;
	*out = calloc(n + 1, sizeof(**out));
	for (size_t i = 0; *out && i < n; i++)
		take(&(*out)[i], taken[i]);
	return n;
}

static int choose(struct json_object *mounts, struct json_object *speed,
		  const char *host, const char *choice, bool each,
		  struct slu_node_storage **out, size_t *n, struct slu_err *err)
{
	size_t n_all;
	struct slu_candidate *all = slu_candidates_read(mounts, speed, &n_all);
	const struct slu_candidate **taken =
		all ? calloc(n_all + 1, sizeof(*taken)) : NULL;

	*out = NULL;
	if (taken)
		*n = take_all(all, n_all, choice, each, taken, out);
	free(taken);
	free(all);
	if (*out && *n)
		return 0;
	if (!*out)
		return slu_err(err, SLU_NOMEM, "out of memory");
	free(*out);
	return none(host, choice, err);
}

int slu_storage_choose(struct json_object *mountpoints,
		       struct json_object *speed, const char *name,
		       const char *choice, struct slu_node_storage *out,
		       struct slu_err *err)
{
	struct slu_node_storage *one;
	size_t n;

	if (choose(mountpoints, speed, name, choice, false, &one, &n, err))
		return -1;
	*out = *one;
	free(one);
	return 0;
}

/* What a path lies on. */
static int device_at(const struct slu_storage_documents *docs, const char *host,
		     const char *path, struct slu_node_storage **out,
		     struct slu_err *err)
{
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return slu_err(err, SLU_NOMEM, "out of memory");
	if (find_path(docs, host, path, *out, err) == 0)
		return 0;
	free(*out);
	return -1;
}

int slu_storage_devices_of(const struct slu_storage_documents *docs,
			   const char *host, const char *choice, bool each,
			   struct slu_node_storage **out, size_t *n,
			   struct slu_err *err)
{
	*n = 1;
	if (slu_choice_is_path(choice))
		return device_at(docs, host, choice, out, err);
	if (!docs->mounts)
		return no_mounts(host, &docs->why, err);
	if (choose(docs->mounts, docs->speed, host, choice, each, out, n, err))
		return -1;
	add_available(docs->usage, *out, *n);
	return 0;
}

int slu_storage_devices(struct slu_db *db, const char *host, const char *choice,
			bool each, struct slu_node_storage **out, size_t *n,
			struct slu_err *err)
{
	struct slu_storage_documents docs;
	int rc;

	slu_storage_read(db, host, strcasestr(choice, "fastest"), &docs);
	rc = slu_storage_devices_of(&docs, host, choice, each, out, n, err);
	slu_storage_documents_free(&docs);
	return rc;
}

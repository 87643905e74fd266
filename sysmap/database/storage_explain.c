/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Explains why each file system of a host is used for jobs, or is not. */
#include "config.h"
#include "sysmap/database/planner_storage.h"

#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "common/str.h"
#include "sysmap/database/storage_rank.h"

/* What a choice takes, best first. */
struct taken {
	const struct slu_candidate **at;
	size_t n;
};

static size_t lies_on(struct json_object *mounts,
		      const struct slu_candidate *all, size_t n,
		      const char *path, const struct slu_candidate **out)
{
	struct slu_candidate at;

	slu_candidate_at(mounts, path, &at);
	for (size_t i = 0; at.path && i < n; i++)
		if (strcmp(all[i].path, at.path) == 0) {
			out[0] = &all[i];
			return 1;
		}
	return 0;
}

static void take(struct json_object *mounts, const struct slu_candidate *all,
		 size_t n, const struct slu_storage_choice *choice,
		 struct taken *out)
{
	if (slu_choice_is_path(choice->choice))
		out->n = lies_on(mounts, all, n, choice->choice, out->at);
	else
		out->n = slu_candidates_each(all, n, choice->choice, out->at);
	if (out->n && !choice->each)
		out->n = 1;
}

static bool has(const struct taken *taken, const struct slu_candidate *c)
{
	for (size_t i = 0; i < taken->n; i++)
		if (taken->at[i] == c)
			return true;
	return false;
}

/*
 * Which of the selected file systems explains best why this one is not
 * selected: the one that shares its room, else the best. NULL: none is
 * selected.
 */
static const struct slu_candidate *instead(const struct taken *taken,
					   const struct slu_candidate *c)
{
	for (size_t i = 0; i < taken->n; i++)
		if (slu_candidates_share(taken->at[i], c))
			return taken->at[i];
	return taken->n ? taken->at[0] : NULL;
}

/* The choice whose conditions the file system nearly satisfies. */
static size_t nearest(const struct slu_candidate *c,
		      const struct slu_storage_choice *choice, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!slu_choice_is_path(choice[i].choice) &&
		    slu_candidate_fits(c, choice[i].choice))
			return i;
	return 0;
}

static void explain_not(const struct slu_candidate *c,
			const struct slu_storage_choice *choice,
			const struct taken *taken, size_t n,
			struct slu_buf *why)
{
	const size_t i = nearest(c, choice, n);

	if (n == 0)
		slu_buf_puts(why, "no pool has this node");
	else if (!c->unfit && slu_choice_is_path(choice[i].choice))
		slu_buf_printf(why, "%s does not lie on it", choice[i].choice);
	else
		slu_candidate_why_not(c, instead(&taken[i], c),
				      choice[i].choice, choice[i].each, why);
}

/* Where a job's share lies, of the devices that a choice takes. */
static void add_share(const struct slu_storage_choice *choice, size_t n,
		      struct slu_buf *out)
{
	if (choice->spread)
		slu_buf_printf(out, "all %zu for %s, else one", n,
			       choice->spread);
	else
		slu_buf_printf(out, "one of %zu", n);
}

static void explain_taken(const struct slu_candidate *c,
			  const struct slu_storage_choice *choice,
			  const struct taken *taken, size_t n,
			  struct slu_buf *by, struct slu_buf *share)
{
	for (size_t i = 0; i < n; i++) {
		if (!has(&taken[i], c))
			continue;
		slu_buf_printf(by, "%s%s", by->len ? ", " : "", choice[i].who);
		if (taken[i].n == 1)
			continue;
		if (n > 1)
			slu_buf_printf(share, "%s%s: ", share->len ? "; " : "",
				       choice[i].who);
		add_share(&choice[i], taken[i].n, share);
	}
}

static struct json_object *explain_one(const struct slu_candidate *c,
				       const char *host,
				       const struct slu_storage_choice *choice,
				       const struct taken *taken, size_t n)
{
	struct json_object *row = json_object_new_object();
	struct slu_buf by = {0}, share = {0}, why = {0};

	explain_taken(c, choice, taken, n, &by, &share);
	if (!by.len)
		explain_not(c, choice, taken, n, &why);
	slu_json_set_str(row, "host", host);
	slu_json_set_str(row, "mountpoint", c->path);
	slu_json_set_str(row, "device", c->device);
	slu_json_set_str(row, "filesystem", c->filesystem);
	slu_json_set_str(row, "tier", slu_tier_names[c->tier]);
	slu_json_set_u64(row, "size", c->size);
	slu_json_set_str(row, "taken_for", by.data ? by.data : "");
	slu_json_set_str(row, "share", share.data ? share.data : "");
	slu_json_set_str(row, "why_not", why.data ? why.data : "");
	slu_buf_free(&by);
	slu_buf_free(&share);
	slu_buf_free(&why);
	return row;
}

static void taken_free(struct taken *taken, size_t n)
{
	for (size_t i = 0; taken && i < n; i++)
		free(taken[i].at);
	free(taken);
}

/* Room for what each of n choices takes of n_all. NULL: no memory. */
static struct taken *taken_new(size_t n, size_t n_all)
{
	struct taken *taken = calloc(n + 1, sizeof(*taken));

	for (size_t i = 0; taken && i < n; i++) {
		taken[i].at = calloc(n_all + 1, sizeof(*taken[i].at));
		if (taken[i].at)
			continue;
		taken_free(taken, n);
		return NULL;
	}
	return taken;
}

static int explain_all(struct json_object *mounts, struct json_object *speed,
		       const char *host,
		       const struct slu_storage_choice *choice, size_t n,
		       struct json_object *out, struct slu_err *err)
{
	size_t n_all;
	struct slu_candidate *all = slu_candidates_read(mounts, speed, &n_all);
	struct taken *taken = all ? taken_new(n, n_all) : NULL;
	int rc = taken ? 0 : slu_err(err, SLU_NOMEM, "out of memory");

	for (size_t i = 0; !rc && i < n; i++)
		take(mounts, all, n_all, &choice[i], &taken[i]);
	for (size_t i = 0; !rc && i < n_all; i++)
		json_object_array_add(
			out, explain_one(&all[i], host, choice, taken, n));
	taken_free(taken, n);
	free(all);
	return rc;
}

int slu_storage_explain(struct slu_db *db, const char *host,
			const struct slu_storage_choice *choice, size_t n,
			struct json_object *out, struct slu_err *err)
{
	struct json_object *mounts = slu_storage_mounts(db, host, err);
	struct json_object *speed;
	int rc;

	if (!mounts)
		return -1;
	speed = slu_storage_speed(db, host);
	rc = explain_all(mounts, speed, host, choice, n, out, err);
	json_object_put(speed);
	json_object_put(mounts);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `sluice-node cache`: lists the content of this node's stage cache, or removes
 * it (--drop). The cache's entries are ranges; the list has one row for each
 * version of a source file, with the sums of its ranges.
 */
#include "config.h"
#include "burst_buffer/node/cache/cache_list.h"
#include "burst_buffer/node/verbs.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/storage/stage_cache.h"
#include "common/jsonx.h"
#include "common/size.h"

static const struct slu_column columns[] = {
	{"user", "USER", .type = SLU_COL_PLAIN},
	{"bytes", "KEPT", .type = SLU_COL_BYTES},
	{"size", "SIZE", .type = SLU_COL_BYTES},
	{"ranges", "RANGES", .type = SLU_COL_PLAIN, .drop = 2},
	{"used", "USED", .type = SLU_COL_TIME},
	{"ahead", "AHEAD", .type = SLU_COL_PLAIN, .drop = 3},
	{"storage", "STORAGE", .type = SLU_COL_PLAIN, .drop = 1},
	{"path", "SOURCE", .type = SLU_COL_PLAIN},
	{NULL, NULL, .type = SLU_COL_PLAIN},
};

struct file { /* a row: a source file of which some ranges are cached */
	uid_t uid;
	struct slu_cache_record of; /* path is owned, fs is NULL */
	uint64_t bytes, ranges;
	struct timespec used;
	uint32_t prefetched_for; /* the job that it was prefetched for; 0: none
				  */
};

struct files {
	struct file *file;
	size_t n;
	uint64_t damaged;
};

static int by_source(const void *a, const void *b)
{
	const struct file *x = a, *y = b;
	const int path = strcmp(x->of.path, y->of.path);

	if (x->prefetched_for != y->prefetched_for)
		return x->prefetched_for < y->prefetched_for ? -1 : 1;
	if (x->uid != y->uid)
		return x->uid < y->uid ? -1 : 1;
	if (path)
		return path;
	if (x->of.inode != y->of.inode)
		return x->of.inode < y->of.inode ? -1 : 1;
	if (x->of.ctime.tv_sec != y->of.ctime.tv_sec)
		return x->of.ctime.tv_sec < y->of.ctime.tv_sec ? -1 : 1;
	return (x->of.ctime.tv_nsec > y->of.ctime.tv_nsec) -
	       (x->of.ctime.tv_nsec < y->of.ctime.tv_nsec);
}

static int add(void *arg, const struct slu_cached *is)
{
	struct files *f = arg;
	struct file *grown;

	if (!is->record) {
		f->damaged++;
		return 0;
	}
	grown = realloc(f->file, (f->n + 1) * sizeof(*grown));
	if (!grown)
		return -1;
	f->file = grown;
	f->file[f->n] = (struct file){.uid = is->uid,
				      .of = *is->record,
				      .bytes = is->bytes,
				      .ranges = 1,
				      .used = is->used,
				      .prefetched_for = is->prefetched_for};
	f->file[f->n].of.fs = NULL;
	f->file[f->n].of.path = strdup(is->record->path);
	return f->file[f->n++].of.path ? 0 : -1;
}

/* Sorts the rows and merges those of the same source file. */
static void join(struct files *f)
{
	size_t n = 0;

	if (f->n)
		qsort(f->file, f->n, sizeof(*f->file), by_source);
	for (size_t i = 0; i < f->n; i++) {
		struct file *one = &f->file[i],
			    *last = n ? &f->file[n - 1] : NULL;

		if (!last || by_source(last, one)) {
			f->file[n++] = *one;
			continue;
		}
		last->bytes += one->bytes;
		last->ranges++;
		if (one->used.tv_sec > last->used.tv_sec)
			last->used = one->used;
		free(one->of.path);
	}
	f->n = n;
}

static void add_row(struct json_object *rows, const char *storage,
		    const struct file *f)
{
	struct json_object *row = json_object_new_object();
	const struct passwd *user = getpwuid(f->uid);
	char uid[24];

	snprintf(uid, sizeof(uid), "%u", (unsigned)f->uid);
	slu_json_set_str(row, "user", user ? user->pw_name : uid);
	slu_json_set_u64(row, "uid", f->uid);
	slu_json_set_str(row, "path", f->of.path);
	slu_json_set_u64(row, "size", f->of.size);
	slu_json_set_u64(row, "bytes", f->bytes);
	slu_json_set_u64(row, "ranges", f->ranges);
	slu_json_set_i64(row, "used", f->used.tv_sec);
	if (f->prefetched_for)
		slu_json_set_u64(row, "ahead", f->prefetched_for);
	slu_json_set_str(row, "storage", storage);
	json_object_array_add(rows, row);
}

static int list_one(const char *storage, struct json_object *rows,
		    struct slu_err *err)
{
	struct files f = {0};
	int rc = slu_stage_cache_list(storage, add, &f, err);

	join(&f);
	for (size_t i = 0; i < f.n; i++) {
		add_row(rows, storage, &f.file[i]);
		free(f.file[i].of.path);
	}
	free(f.file);
	if (f.damaged)
		fprintf(stderr,
			"sluice-node cache: %llu entries in %s/cache are "
			"damaged; they are never used, and go with --drop\n",
			(unsigned long long)f.damaged, storage);
	return rc;
}

static int drop_one(const char *storage, struct slu_err *err)
{
	char size[SLU_SIZE_TEXT];
	uint64_t freed;

	if (slu_stage_cache_drop(storage, &freed, err))
		return -1;
	printf("%s: %s removed\n", storage, slu_size_text(freed, size));
	return 0;
}

int slu_cmd_cache(struct slu_node *n)
{
	struct json_object *rows = json_object_new_array();
	struct slu_err err = {.text = "out of memory"};
	char **storage = slu_storages(n->conf, &err);
	int rc = storage ? 0 : -1;

	for (size_t i = 0; !rc && storage[i]; i++)
		rc = n->opt->drop ? drop_one(storage[i], &err)
				  : list_one(storage[i], rows, &err);
	if (!rc && !n->opt->drop && !n->opt->json &&
	    !json_object_array_length(rows))
		puts("nothing is kept of what jobs staged in");
	else if (!rc && !n->opt->drop)
		rc = slu_print_rows(n, rows, columns, &err);
	slu_strv_free(storage);
	json_object_put(rows);
	return rc ? slu_verb_failed("cache", &err) : EXIT_SUCCESS;
}

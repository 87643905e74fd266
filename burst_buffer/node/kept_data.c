/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds Sluice's storage directories on this node, lists the kept data in them,
 * and keeps the data of a failed stage-out there. */
#include "config.h"
#include "burst_buffer/node/kept_data.h"
#include "burst_buffer/node/devices.h"
#include "burst_buffer/node/verbs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "burst_buffer/host/mtab.h"
#include "burst_buffer/host/trust.h"
#include "burst_buffer/request/site/fstype.h"
#include "common/file.h"
#include "common/str.h"
#include "burst_buffer/node/instance_name.h"

#define NAMES_MAX (1 << 20)

/* Is there a tier or a pattern that may lead to memory? */
static bool uses_memory(const struct slu_conf *conf)
{
	const char *choice = conf->node_storage;

	for (size_t i = 0; i < conf->n_pool; i++)
		if (conf->pool[i].tier == SLU_TIER_RAM)
			return true;
	return slu_choice_has_tier(choice, SLU_TIER_RAM) ||
	       (!slu_choice_is_path(choice) && strchr(choice, '/'));
}

/* May a directory sluice/ at this mount be ours? A choice of storage makes it
 * on a disk, or in memory; other file systems get no request, as they may hang.
 * Users' own mounts may name any source, and jobs' file systems are on disks
 * too: a sluice/ there is not ours. */
static bool may_be_ours(const struct slu_conf *conf,
			const struct slu_mtab_line *m)
{
	if (slu_eq(m->type, "tmpfs"))
		return uses_memory(conf);
	if (slu_eq(m->type, "zfs")) /* its source is POOL/DATASET */
		return true;
	return !strncmp(m->source, "/dev/", 5) && !slu_eq(m->type, "fuse") &&
	       strncmp(m->type, "fuse.", 5);
}

static char *storage_at(const struct slu_conf *conf,
			const struct slu_mtab_line *m)
{
	char *path;

	if (!may_be_ours(conf, m) || slu_is_below(m->point, conf->run_dir))
		return NULL;
	path = slu_asprintf("%s/sluice", slu_eq(m->point, "/") ? "" : m->point);
	if (path && !slu_is_below(path, conf->run_dir) && !access(path, F_OK) &&
	    !slu_trust_dir(path, NULL))
		return path;
	free(path);
	return NULL;
}

static bool has(char *const *list, size_t n, const char *path)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i], path))
			return true;
	return false;
}

/* Adds the mounts where a choice of storage may have put it. */
static void add_chosen(const struct slu_conf *conf, const struct slu_mtab *m,
		       char **list)
{
	char *path;
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++) {
		path = storage_at(conf, &m->line[i]);
		if (path && !has(list, n, path))
			list[n++] = path;
		else
			free(path);
	}
}

static bool has_tiers(const struct slu_conf *conf)
{
	for (size_t i = 0; i < conf->n_pool; i++)
		if (conf->pool[i].tier)
			return true;
	return false;
}

static char **storages_begin(const struct slu_conf *conf, struct slu_err *err)
{
	const bool path = slu_choice_is_path(conf->node_storage);
	struct slu_mtab m = {0};
	char **list;
	size_t n = 0;

	if ((!path || has_tiers(conf)) && slu_mtab_read(&m, err))
		return NULL;
	list = calloc(m.n + 2, sizeof(*list));
	if (list) {
		add_chosen(conf, &m, list);
		n = slu_strv_len(list);
	}
	slu_mtab_free(&m);
	if (list && (!path || has(list, n, conf->node_storage) ||
		     (list[n] = strdup(conf->node_storage))))
		return list;
	slu_strv_free(list);
	slu_err(err, SLU_NOMEM, "out of memory");
	return NULL;
}

/* Adds the storage= of file systems and profiles, each path once. */
static int add_named(char **list, const struct slu_option *option, size_t n)
{
	size_t end = 0;

	while (list[end])
		end++;
	for (size_t i = 0; i < n; i++)
		if (!strcasecmp(option[i].key, "storage") &&
		    !has(list, end, option[i].value) &&
		    !(list[end++] = strdup(option[i].value)))
			return -1;
	return 0;
}

char **slu_storages(const struct slu_conf *conf, struct slu_err *err)
{
	char **first = storages_begin(conf, err);

	return first ? slu_storages_with(conf, first, err) : NULL;
}

char **slu_storages_with(const struct slu_conf *conf, char **first,
			 struct slu_err *err)
{
	char **list;
	size_t n = 0;
	int rc = 0;

	while (first[n])
		n++;
	list = calloc(n + conf->n_fs + conf->n_profile + 1, sizeof(*list));
	if (!list) {
		slu_strv_free(first);
		slu_err(err, SLU_NOMEM, "out of memory");
		return NULL;
	}
	memcpy(list, first, n * sizeof(*list));
	free(first);
	for (size_t i = 0; !rc && i < conf->n_fs; i++)
		rc = add_named(list, conf->fs[i].option, conf->fs[i].n_option);
	for (size_t i = 0; !rc && i < conf->n_profile; i++)
		rc = add_named(list, conf->profile[i].option,
			       conf->profile[i].n_option);
	if (!rc)
		return list;
	slu_strv_free(list);
	slu_err(err, SLU_NOMEM, "out of memory");
	return NULL;
}

static int64_t read_until(const char *dir)
{
	struct slu_buf text = {0};
	char path[4200];
	int64_t until = 0;

	snprintf(path, sizeof(path), "%s/until", dir);
	if (slu_file_read(AT_FDCWD, path, 64, &text, NULL) == 0 && text.data)
		until = strtoll(text.data, NULL, 10);
	slu_buf_free(&text);
	return until;
}

struct kept_list {
	struct slu_kept *at;
	size_t n;
};

static int add_kept(struct kept_list *list, const char *dir, const char *name,
		    uint32_t job_id, struct slu_err *err)
{
	struct slu_kept kept = {0}, *more;

	if (slu_instance_parse(name, &kept.job_id, &kept.buffer) ||
	    (job_id && kept.job_id != job_id) ||
	    (size_t)snprintf(kept.dir, sizeof(kept.dir), "%s/%s", dir, name) >=
		    sizeof(kept.dir))
		return 0;
	kept.until = read_until(kept.dir);
	more = realloc(list->at, (list->n + 1) * sizeof(*more));
	if (!more)
		return slu_err(err, SLU_NOMEM, "out of memory");
	list->at = more;
	list->at[list->n++] = kept;
	return 0;
}

static int scan_kept(struct kept_list *list, const char *storage,
		     uint32_t job_id, struct slu_err *err)
{
	char *dir = slu_asprintf("%s/kept", storage);
	DIR *d = dir ? opendir(dir) : NULL;
	struct dirent *e;
	int rc = 0;

	if (d && geteuid() == 0)
		rc = slu_trust_dir(dir, err);
	if (!dir)
		rc = slu_err(err, SLU_NOMEM, "out of memory");
	else if (!d && errno != ENOENT)
		rc = slu_errno(err, SLU_IO, "%s", dir);
	while (d && !rc && (e = readdir(d)))
		rc = add_kept(list, dir, e->d_name, job_id, err);
	if (d)
		closedir(d);
	free(dir);
	return rc;
}

static int by_buffer(const void *a, const void *b)
{
	const struct slu_kept *x = a, *y = b;

	return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

int slu_kept_list(const struct slu_conf *conf, uint32_t job_id,
		  struct slu_kept **out, size_t *n, struct slu_err *err)
{
	char **storage = slu_storages(conf, err);
	struct kept_list list = {0};
	int rc = storage ? 0 : -1;

	for (size_t i = 0; !rc && storage[i]; i++)
		rc = scan_kept(&list, storage[i], job_id, err);
	slu_strv_free(storage);
	if (rc) {
		free(list.at);
		return -1;
	}
	if (list.n)
		qsort(list.at, list.n, sizeof(*list.at), by_buffer);
	*out = list.at;
	*n = list.n;
	return 0;
}

/* Does the directory contain only this entry? */
static bool is_bare(const char *dir, const char *name, const char *but)
{
	char path[4200];
	struct dirent *e;
	bool bare = true;
	DIR *d;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	d = opendir(path);
	if (!d)
		return errno == ENOENT;
	while (bare && (e = readdir(d)))
		bare = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
		       !strcmp(e->d_name, but);
	closedir(d);
	return bare;
}

/* Is kept data gone, because its owner has removed all of it? */
static bool is_empty(const char *dir)
{
	char image[4200];

	snprintf(image, sizeof(image), "%s/image", dir);
	return access(image, F_OK) && errno == ENOENT &&
	       is_bare(dir, "fs", "data") && is_bare(dir, "fs/data", "");
}

char *slu_kept_names(const struct slu_conf *conf)
{
	struct slu_buf names = {.max = NAMES_MAX};
	const struct slu_kept *last = NULL;
	struct slu_kept *list;
	size_t n;

	if (slu_kept_list(conf, 0, &list, &n, NULL))
		return NULL;
	for (size_t i = 0; i < n; i++) {
		/* of several devices, once */
		if (is_empty(list[i].dir) ||
		    (last && last->buffer == list[i].buffer &&
		     last->job_id == list[i].job_id))
			continue;
		last = &list[i];
		slu_buf_printf(&names, "%s%u.%llu", names.len ? " " : "",
			       (unsigned)last->job_id,
			       (unsigned long long)last->buffer);
	}
	free(list);
	return slu_buf_steal(&names);
}

/* When it expires, by sluiced's clock if that is known. */
static int64_t kept_until(const struct slu_node *n)
{
	double offset = n->http ? slu_http_verified_clock_offset(n->http) : NAN;

	return slu_today() + (isnan(offset) ? 0 : (int64_t)offset) +
	       n->plan.keep_failed;
}

int slu_keep_in_common(struct slu_node *n, struct slu_err *err)
{
	char kept[4096], text[4200];

	if (n->driver->keep(&n->in, kept_until(n), kept, err))
		return -1;
	if (!*kept) {
		slu_node_log(n, SLU_WARN,
			     "there is no data to be kept: another node has "
			     "removed it, or there never was any");
		return 0;
	}
	slu_node_log(n, SLU_WARN, "data of the failed stage-out is kept in %s",
		     kept);
	snprintf(text, sizeof(text), "%s\n", kept);
	/* for a person who looks into the directory */
	slu_note_put(n, "kept", 0644, text, NULL);
	return 0;
}

/* Notes beside each device's data where the other ones lie: any of them may not
 * be mounted when the data is fetched. */
static int mark_devices(struct slu_node *n, const char *dir,
			struct slu_err *err)
{
	const struct slu_plan_node *me = &n->plan.node[n->self];
	struct slu_buf lines = {0};
	int rc;

	if (!n->n_more)
		return 0;
	for (size_t k = 0; k <= n->n_more; k++)
		slu_buf_printf(&lines, "%s\n", slu_plan_device(me, k).storage);
	rc = lines.data
		     ? slu_storage_mark(dir, SLU_DEVICES_MARK, lines.data, err)
		     : slu_err(err, SLU_NOMEM, "out of memory");
	slu_buf_free(&lines);
	return rc;
}

/* Marks kept data, so that `fetch` does not mix it with that of other parts,
 * nor takes pieces for files, however complete they look. */
static int mark_kept(struct slu_node *n, const char *dir, struct slu_err *err)
{
	const char *part = n->plan.node[n->self].part;
	char mark[64] = "";

	if (access(dir, F_OK))
		return 0;
	if (mark_devices(n, dir, err))
		return -1;
	if (slu_note_has(n, "restarted") &&
	    slu_storage_mark(dir, SLU_CUT_MARK, "", err))
		return -1;
	if (part && slu_storage_mark(dir, SLU_PART_MARK, part, err))
		return -1;
	if (!slu_fstype_in_pieces(&n->plan))
		return 0;
	if (n->driver->mark)
		n->driver->mark(&n->plan, mark);
	return slu_storage_mark(dir, SLU_PIECES_MARK, mark, err);
}

/* kept: DIR/fs. Notes when its time begins; if that fails, the next check
 * does. */
static void begin_to_age(const char *kept)
{
	struct slu_uptime now;
	char dir[4096];

	slu_copy(dir, sizeof(dir), kept);
	dir[strlen(dir) - strlen("/fs")] = '\0';
	if (!slu_uptime_now(&now, NULL))
		slu_kept_age(dir, &now);
}

static void log_kept(struct slu_node *n, const char *kept)
{
	if (slu_fstype_in_pieces(&n->plan) && !n->driver->join)
		slu_node_log(n, SLU_WARN,
			     "data of the failed stage-out is kept in %s, in "
			     "pieces that only servers of %s can join again",
			     kept, n->driver->name);
	else
		slu_node_log(n, SLU_WARN,
			     "data of the failed stage-out is kept in %s; "
			     "`srun -w %s sluice-node fetch %u DIR` "
			     "copies it%s",
			     kept, n->name, (unsigned)n->job_id,
			     n->driver->join ? ", and on every other node its "
					       "pieces of the same files"
					     : "");
}

/* Keeps what lies on one of the node's devices. Adds its path to `paths`. */
static int keep_on(struct slu_node *n, size_t k, int64_t until,
		   struct slu_buf *paths, struct slu_err *err)
{
	const struct slu_storage *s = slu_devices_storage(n, k);
	char kept[4096];

	if (access(s->dir, F_OK) && (k || !slu_note_has(n, "kept")) &&
	    !slu_storage_is_kept(s)) {
		if (n->n_more) /* else nothing was ever there */
			slu_node_log(n, SLU_WARN,
				     "a part of the data is not kept, as there "
				     "is no %s: is its device mounted?",
				     s->dir);
		return 0;
	}
	if (mark_kept(n, s->dir, err) ||
	    slu_storage_keep(s, n->plan.uid, until, kept, err))
		return -1;
	begin_to_age(kept);
	log_kept(n, kept);
	slu_buf_printf(paths, "%s\n", kept);
	return 0;
}

int slu_keep_data(struct slu_node *n, struct slu_err *err)
{
	const int64_t until = kept_until(n);
	struct slu_buf paths = {0};
	int rc = 0;

	if (!*n->storage.dir)
		return 0; /* a client */
	for (size_t k = 0; !rc && k <= n->n_more; k++)
		rc = keep_on(n, k, until, &paths, err);
	if (!rc && paths.len) /* for a person who looks into the directory */
		slu_note_put(n, "kept", 0644, paths.data, NULL);
	slu_buf_free(&paths);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks for `sluice-node probe` where jobs' file systems would lie on this
 * node, and tries to make storage there. */
#include "config.h"
#include "burst_buffer/node/probe/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include "burst_buffer/node/setup/room.h"
#include "burst_buffer/node/talk.h"
#include "burst_buffer/node/verbs.h"
#include "burst_buffer/request/site/fstype.h"
#include "burst_buffer/request/site/pool.h"
#include "burst_buffer/storage/held_storage.h"
#include "common/file.h"
#include "common/jsonx.h"
#include "common/size.h"

#define SECONDS 10.0
#define TRIAL	(64u << 20) /* bytes */
#define TURN	30	    /* seconds to wait for another probe's trial */

struct json_object *slu_probe_ask_map(struct slu_node *n, const char *question,
				      struct slu_err *err)
{
	struct slu_buf reply = {0};
	struct json_object *rows = NULL;
	char body[400];

	snprintf(body, sizeof(body), "{\"question\":\"%s\",\"hosts\":[\"%s\"]}",
		 question, n->name);
	if (!slu_talk_once(n, "/v1/query", body, SECONDS, &reply, err))
		rows = slu_json_parse(reply.data, reply.len, err);
	slu_buf_free(&reply);
	return rows;
}

/* Does a pool of this file system use NodeStorage? */
static bool goes_by_node_storage(const struct slu_conf *conf,
				 const struct slu_fs_conf *fs)
{
	const struct slu_fstype *type = slu_fstype_find(fs->driver);
	const struct slu_pool_conf *pool;

	if ((type && type->remote) || slu_fs_option(fs, "storage", NULL))
		return false;
	for (size_t i = 0; (pool = slu_pool_nth(conf, fs, i)); i++)
		if (!pool->tier)
			return true;
	return false;
}

static bool uses_node_storage(const struct slu_conf *conf)
{
	for (size_t i = 0; i < conf->n_fs; i++)
		if (goes_by_node_storage(conf, &conf->fs[i]))
			return true;
	return !conf->n_fs;
}

static bool uses_tiers(const struct slu_conf *conf)
{
	for (size_t i = 0; i < conf->n_pool; i++)
		if (conf->pool[i].tier)
			return true;
	return false;
}

/* Does NodeStorage lead to several devices? */
static bool uses_devices(const struct slu_conf *conf)
{
	return slu_conf_has_devices(conf) &&
	       !slu_choice_is_path(conf->node_storage) &&
	       uses_node_storage(conf);
}

static bool is_tried(const struct slu_conf *conf, const char *taken_for)
{
	return strstr(taken_for, "pool ") ||
	       (uses_devices(conf) && strstr(taken_for, "NodeStorage"));
}

/* What pools use on this node; an older sluiced does not answer that. */
static void take_tiers(struct slu_node *n, struct slu_probe *p)
{
	struct json_object *rows =
		uses_tiers(n->conf) || uses_devices(n->conf)
			? slu_probe_ask_map(n, "storage", NULL)
			: NULL;
	const size_t all = json_object_is_type(rows, json_type_array)
				   ? json_object_array_length(rows)
				   : 0;
	size_t k = 0;

	p->tiers = calloc(all + 1, sizeof(*p->tiers));
	for (size_t i = 0; p->tiers && i < all; i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);
		const char *at = slu_json_str_at(row, "mountpoint");
		const char *by = slu_json_str_at(row, "taken_for");

		if (at && by && is_tried(n->conf, by))
			p->tiers[k++] = slu_asprintf("%s/sluice",
						     slu_eq(at, "/") ? "" : at);
		if (k && !p->tiers[k - 1])
			break;
	}
	json_object_put(rows);
}

/* Where a choice leads to, as the planner does it. */
static void take_storage(struct slu_node *n, struct slu_probe *p,
			 struct json_object *rows)
{
	struct json_object *row = json_object_array_get_idx(rows, 0);
	const char *path = NULL;

	if (slu_choice_is_path(n->conf->node_storage) ||
	    !uses_node_storage(n->conf))
		return;
	if (!row)
		slu_probe_add(p, SLU_PROBE_BAD, "resource map",
			      "has no documents of %s: run sysmap --push "
			      "here",
			      n->name);
	else if (slu_json_str(row, "storage", &path, NULL))
		slu_probe_add(p, SLU_PROBE_BAD, "resource map",
			      "knows no storage of %s that is NodeStorage=%s: "
			      "\"sysquery resources --explain %s\" says why",
			      n->name, n->conf->node_storage, n->name);
	else
		snprintf(p->storage, sizeof(p->storage), "%s/sluice",
			 slu_eq(path, "/") ? "" : path);
}

void slu_probe_find_storage(struct slu_node *n, struct slu_probe *p,
			    struct json_object *rows)
{
	take_storage(n, p, rows);
	take_tiers(n, p);
}

/* The trial */

/* Tries it in 0.0, a name that no job, buffer or leftover has. */
static int try_storage(const char *path, bool own_fs, char enforced[8],
		       struct slu_err *err)
{
	struct slu_storage_want want = {
		.storage = path,
		.capacity = TRIAL,
		.own_fs = own_fs,
	};
	struct slu_storage made;

	if (slu_storage_make(&want, &made, err))
		return -1;
	memcpy(enforced, made.enforced, sizeof(made.enforced));
	return slu_storage_wipe(&made, (uid_t)-1, err) < 0 ? -1 : 0;
}

/* Tries the storage under a lock, as one probe at a time may do that. Others
 * wait for their turn, which takes a second or two where the storage does not
 * hang. */
static int trial(const char *path, bool own_fs, char enforced[8],
		 struct slu_err *err)
{
	double end = slu_now_mono() + TURN;
	int fd, rc;

	if (slu_mkdirs(path, 0711, err))
		return -1;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return slu_errno(err, SLU_IO, "cannot open %s", path);
	while ((rc = flock(fd, LOCK_EX | LOCK_NB)) && errno == EWOULDBLOCK &&
	       slu_now_mono() < end)
		usleep(50000);
	rc = rc && errno == EWOULDBLOCK
		     ? slu_err(err, SLU_BUSY,
			       "%s is being tried by another probe, for longer "
			       "than %d s",
			       path, TURN)
		     : try_storage(path, own_fs, enforced, err);
	close(fd);
	return rc;
}

static bool wants_own_fs(const struct slu_conf *conf)
{
	for (size_t i = 0; i < conf->n_fs; i++) {
		const struct slu_driver *d =
			slu_driver_find(conf->fs[i].driver);

		if (d && d->own_fs)
			return true;
	}
	return false;
}

static void probe_storage_at(struct slu_node *n, struct slu_probe *p,
			     const char *path)
{
	char free_text[SLU_SIZE_TEXT], size_text[SLU_SIZE_TEXT];
	char enforced[8], also[8] = "";
	uint64_t available = 0, size = 0;
	struct slu_err err;

	slu_room_of(path, &available, &size);
	slu_size_text(available, free_text);
	slu_size_text(size, size_text);
	if (geteuid() != 0)
		slu_probe_add(p, SLU_PROBE_NOTE, "storage",
			      "%s, %s of %s free; root can try it", path,
			      free_text, size_text);
	else if (trial(path, false, enforced, &err) ||
		 (slu_eq(enforced, "quota") && wants_own_fs(n->conf) &&
		  trial(path, true, also, &err)))
		slu_probe_add(p, SLU_PROBE_BAD, "storage", "%s", err.text);
	else
		slu_probe_add(p, SLU_PROBE_NOW, "storage",
			      "%s, %s of %s free, capacity enforced by %s%s%s",
			      path, free_text, size_text, enforced,
			      *also ? " and " : "", also);
}

/* Adds a row for wiped storage that a process still holds: it does not hinder a
 * job, but an administrator should know. */
static void note_held(void *arg, const struct slu_held_storage *held)
{
	slu_probe_add(arg, SLU_PROBE_NOTE, "held",
		      "of a job that has ended: %s", held->who);
}

static void look_at(struct slu_node *n, struct slu_probe *p, const char *path)
{
	probe_storage_at(n, p, path);
	slu_held_storage_each(path, NULL, note_held, p);
}

void slu_probe_storage(struct slu_node *n, struct slu_probe *p)
{
	char **first = calloc(2, sizeof(*first)), **all = NULL;
	struct slu_err err;

	if (uses_node_storage(n->conf) && !*p->storage)
		slu_probe_add(p, SLU_PROBE_NOTE, "storage",
			      "NodeStorage=%s: where, sluiced must say",
			      n->conf->node_storage);
	else if (first && uses_node_storage(n->conf))
		first[0] = strdup(p->storage);
	if (first)
		all = slu_storages_with(n->conf, first, &err);
	for (size_t i = 0; all && all[i]; i++)
		look_at(n, p, all[i]);
	for (size_t i = 0; p->tiers && p->tiers[i]; i++)
		if (!slu_eq(p->tiers[i], p->storage))
			look_at(n, p, p->tiers[i]);
	if (!all)
		slu_probe_add(p, SLU_PROBE_BAD, "storage", "out of memory");
	slu_strv_free(all);
}

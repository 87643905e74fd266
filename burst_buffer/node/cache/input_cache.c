/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens, commits and trims the stage cache (storage/stage_cache.h) at the steps
 * of a job's file system. What a stage-in has read is kept once all of it is
 * verified; a detached process waits for the disk, so that the job does not.
 */
#include "config.h"
#include "burst_buffer/node/cache/input_cache.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "burst_buffer/node/verbs.h"
#include "common/size.h"

/* linux/ioprio.h, which older headers lack */
#define IOPRIO_WHO_PROCESS 1
#define IOPRIO_IDLE	   (3 << 13)

static bool is_on(const struct slu_node *n)
{
	return n->conf->stage_cache.bytes || n->conf->stage_cache.percent;
}

static bool stages_in(const struct slu_plan *plan)
{
	for (size_t i = 0; i < plan->n_stage; i++)
		if (!plan->stage[i].out)
			return true;
	return false;
}

/* The storage that the job has here, or the first that the node has. */
static char *choose_storage(const struct slu_node *n, struct slu_err *err)
{
	const char *own = n->plan.node[n->self].storage;
	char **all, *found = NULL;

	if (*n->storage.dir && own && *own)
		return strdup(own);
	all = slu_storages(n->conf, err);
	for (size_t i = 0; all && all[i] && !found; i++)
		if (!access(all[i], F_OK))
			found = strdup(all[i]);
	if (all && !found)
		slu_err(err, SLU_NOTFOUND, "this node has no storage");
	slu_strv_free(all);
	return found;
}

/* A cache in memory would take it from the next jobs. */
static bool is_memory(const char *storage)
{
	struct statfs st;

	return !statfs(storage, &st) &&
	       (st.f_type == TMPFS_MAGIC || st.f_type == RAMFS_MAGIC);
}

static void log_wrong(void *arg, const char *text)
{
	slu_node_log(arg, SLU_WARN, "stage cache: %s", text);
}

void slu_input_cache_begin(struct slu_node *n)
{
	struct slu_input_cache *c;
	struct slu_err err;
	char *storage;

	if (!is_on(n) || n->plan.persistent || !stages_in(&n->plan) ||
	    n->driver->interposed)
		return;
	storage = choose_storage(n, &err);
	if (storage && is_memory(storage)) {
		free(storage);
		return;
	}
	c = storage ? calloc(1, sizeof(*c)) : NULL;
	if (!c) {
		log_wrong(n, storage ? "out of memory" : err.text);
		free(storage);
		return;
	}
	c->of = (struct slu_cache_of){.storage = storage,
				      .budget = n->conf->stage_cache,
				      .uid = n->plan.uid,
				      .job_id = n->job_id,
				      .buffer = n->plan.buffer,
				      .wrong = log_wrong,
				      .arg = n};
	clock_gettime(CLOCK_REALTIME, &c->of.began);
	n->cache = c;
	if (!slu_stage_cache_open(&c->cache, storage, &c->of.budget, c->of.uid,
				  c->of.job_id, c->of.buffer, &c->of.began,
				  &err))
		return;
	log_wrong(n, err.text);
	slu_input_cache_end(n);
}

void slu_input_cache_end(struct slu_node *n)
{
	if (!n->cache)
		return;
	slu_stage_cache_close(&n->cache->cache);
	free((char *)n->cache->of.storage);
	free(n->cache);
	n->cache = NULL;
}

/* Lowers this process's I/O priority: the job needs the disk more than the
 * cache does. */
void slu_set_idle_io_priority(void)
{
	(void)syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_IDLE);
}

static int commit(void *arg)
{
	const struct slu_node *of = arg;
	struct slu_cache_of want = of->cache->of;
	struct slu_stage_cache c;
	struct slu_node n;
	struct slu_err err;
	uint64_t bytes;
	char size[SLU_SIZE_TEXT];
	int rc;

	if (slu_node_open(&n, of->opt, &err))
		return 1;
	rc = slu_stage_cache_open(&c, want.storage, &want.budget, want.uid,
				  want.job_id, want.buffer, &want.began, &err);
	if (!rc) {
		rc = slu_stage_cache_commit(&c, &bytes, &err);
		slu_stage_cache_close(&c);
	}
	if (rc)
		log_wrong(&n, err.text);
	else
		slu_node_log(&n, SLU_INFO, "stage cache: %s were added",
			     slu_size_text(bytes, size));
	slu_node_close(&n);
	return rc ? 1 : 0;
}

/* A detached process syncs and commits, so that the job does not wait; at
 * normal priority, as it holds the cache's lock, for which others wait. The
 * fill stays locked until that process has locked it, too, or this one ends. */
void slu_input_cache_keep(struct slu_node *n)
{
	const struct slu_input_cache *c = n->cache;
	struct slu_err err;

	if (c && (c->added || c->cache.prefetch >= 0) &&
	    slu_detach(commit, n, NULL, NULL, &err))
		log_wrong(n, err.text);
}

void slu_input_cache_discard_used(struct slu_node *n)
{
	struct slu_err err;

	if (n->cache && slu_stage_cache_drop_used(&n->cache->cache, &err))
		log_wrong(n, err.text);
}

void slu_input_cache_yield(struct slu_node *n, const char *storage,
			   uint64_t bytes)
{
	uint64_t freed;
	struct slu_err err;
	char size[SLU_SIZE_TEXT];
	int rc = is_on(n) ? slu_stage_cache_yield(storage, bytes, &freed, &err)
			  : slu_stage_cache_drop(storage, &freed, &err);

	if (rc)
		log_wrong(n, err.text);
	else if (freed)
		slu_node_log(n, SLU_INFO, "stage cache: %s were removed%s",
			     slu_size_text(freed, size),
			     is_on(n) ? " for the job's storage"
				      : ", StageCache is off");
}

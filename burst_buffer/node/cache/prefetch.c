/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prefetches inputs of waiting jobs into the stage cache. A child reads them as
 * the job's user, slowly and while the disk is idle, through the same proxy as
 * a stage-in (cache_proxy.h), so that they are checked in the same way. It
 * writes only into the cache; the directories that the walk of a source makes
 * are in a small file system in memory of its own. It ends when its directory
 * in the cache was marked or removed, for which it looks each second: another
 * process needs the space, or begins the job.
 */
#include "config.h"
#include "burst_buffer/node/cache/prefetch.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "burst_buffer/host/aside.h"
#include "burst_buffer/node/cache/input_cache.h"
#include "burst_buffer/node/verbs.h"
#include "common/file.h"
#include "common/size.h"

#define AGAIN	 300.0	 /* seconds until a failed job is retried */
#define LONGEST	 86400.0 /* seconds for one request */
#define TREE_MAX "size=64m,nr_inodes=60000,mode=0711"

/* One stage_in, in a child. */

struct prefetching {
	struct slu_node *n;
	size_t r;
	struct slu_aside *aside;
	double next; /* time of the next read, slu_now_mono() */
	uint64_t bytes;
};

static void pace(void *arg, uint64_t bytes)
{
	struct prefetching *b = arg;
	double now = slu_now_mono();
	struct timespec wait;

	b->next = (b->next > now ? b->next : now) +
		  (double)bytes / (double)b->n->conf->prestage_rate;
	b->bytes += bytes;
	slu_aside_progress(b->aside, b->bytes, 0);
	wait.tv_sec = (time_t)(b->next - now);
	wait.tv_nsec = (long)((b->next - now - (double)wait.tv_sec) * 1e9);
	nanosleep(&wait, NULL);
}

/* Lowers the priority of the process that reads and writes. The proxy and the
 * rest keep theirs: they hold the cache's lock now and then, for which jobs
 * that stage in wait. */
static void be_humble(void)
{
	slu_set_idle_io_priority();
	(void)setpriority(PRIO_PROCESS, 0, 19);
}

/* A directory that the user may fill, and a manifest beside it. */
static int make_place(const struct slu_node *n, char tree[PATH_MAX],
		      char manifest[PATH_MAX], struct slu_err *err)
{
	char top[PATH_MAX];

	snprintf(top, sizeof(top), "%.3900s/prestage", n->conf->run_dir);
	if (slu_mkdirs(top, 0711, err))
		return -1;
	snprintf(tree, PATH_MAX, "%.3950s/tree", top);
	snprintf(manifest, PATH_MAX, "%.3950s/manifest", top);
	if (unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) ||
	    mount("sluice", top, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC,
		  TREE_MAX) ||
	    mkdir(tree, 0700) || chown(tree, n->plan.uid, n->plan.gid))
		return slu_errno(err, SLU_IO, "%s", top);
	return 0;
}

/* Sets this node's place among the nodes that stage in, as when the job runs.
 */
static void find_place(const struct slu_node *n, struct slu_stage_part *part)
{
	part->self = 0;
	part->n = 1;
	if (!n->driver->shared)
		return;
	part->n = 0;
	for (size_t i = 0; i < n->plan.n_node; i++) {
		if (i == n->self)
			part->self = part->n;
		part->n += n->plan.node[i].staging;
	}
}

static int open_manifest(const char *path, int flags, struct slu_err *err)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);

	return fd < 0 ? slu_errno(err, SLU_IO, "%s", path) : fd;
}

/* Walks the source and reads it into the stage cache, as the job's user. */
static int read_all(struct prefetching *b, struct slu_stage_part *part,
		    int readable, struct slu_stage_result *result,
		    struct slu_err *err)
{
	if (slu_stage(SLU_PREPARE, part, result, err))
		return -1;
	if (slu_stage_uses_mover(b->n, b->r, result->total_bytes))
		return 0; /* the mover will copy it, without the cache */
	part->manifest = readable;
	return slu_stage(SLU_COPY, part, result, err);
}

static int prefetch_act(struct slu_aside *aside, void *arg, void *out,
			struct slu_err *err)
{
	struct prefetching *b = arg;
	const struct slu_plan *plan = &b->n->plan;
	char tree[PATH_MAX], manifest[PATH_MAX];
	struct slu_cache_proxy proxy;
	struct slu_stage_part part = {
		.source = plan->stage[b->r].source,
		.destination = tree,
		.what = slu_stage_what(plan->stage[b->r].type),
		.cache = &proxy.use,
		.only_cache = true,
		.pace = pace,
		.arg = b,
		.threads = 1,
	};
	struct slu_stage_result result = {0};
	int readable;

	b->aside = aside;
	find_place(b->n, &part);
	if (make_place(b->n, tree, manifest, err))
		return -1;
	part.manifest = open_manifest(manifest, O_WRONLY | O_CREAT, err);
	readable = open_manifest(manifest, O_RDONLY, err);
	if (part.manifest < 0 || readable < 0 ||
	    slu_cache_proxy_start(&proxy, &b->n->cache->of, err))
		return -1;
	slu_stage_cache_close(&b->n->cache->cache); /* the user's no more */
	be_humble();
	if (slu_aside_become(aside, plan->uid, plan->gid, err) ||
	    read_all(b, &part, readable, &result, err))
		return -1;
	memcpy(out, &result, sizeof(result));
	return 0;
}

/* The prefetch of one job, in a process of its own */

static int is_over(void *arg, uint64_t bytes, uint64_t files)
{
	const struct slu_node *n = arg;

	(void)bytes, (void)files;
	return slu_stage_cache_is_over(&n->cache->cache);
}

static int prefetch_one(struct slu_node *n, size_t r, struct slu_err *err)
{
	struct prefetching b = {.n = n, .r = r};
	struct slu_aside aside = {.fn = prefetch_act,
				  .arg = &b,
				  .seconds = LONGEST,
				  .tick = is_over,
				  .tick_arg = n};
	char out[SLU_ASIDE_OUT];

	return slu_aside(&aside, "prestage", out, err);
}

static int prefetch_all(struct slu_node *n, uint64_t *bytes,
			struct slu_err *err)
{
	if (!n->cache)
		return slu_err(err, SLU_INVALID,
			       "there is no stage cache for it here");
	for (size_t r = 0; r < n->plan.n_stage; r++)
		if (!n->plan.stage[r].out && prefetch_one(n, r, err))
			return -1;
	return slu_stage_cache_commit(&n->cache->cache, bytes, err);
}

/* Returns 0, or 1: it failed, or is not wanted any more. */
static int prefetch(struct slu_node *n)
{
	double start = slu_now_mono();
	struct slu_err err = {0};
	char size[SLU_SIZE_TEXT], time[SLU_TIME_TEXT];
	uint64_t bytes = 0;
	int rc;

	slu_input_cache_begin(n);
	rc = prefetch_all(n, &bytes, &err);
	if (rc && err.kind == SLU_BUSY)
		slu_node_log(n, SLU_INFO,
			     "prestage of job %u: its room is wanted, or it "
			     "has begun",
			     (unsigned)n->job_id);
	else if (rc)
		slu_node_log(n, SLU_WARN, "prestage of job %u: %s",
			     (unsigned)n->job_id, err.text);
	else
		slu_node_log(n, SLU_INFO, "prestage of job %u: %s in %s",
			     (unsigned)n->job_id, slu_size_text(bytes, size),
			     slu_seconds_text(slu_now_mono() - start, time));
	slu_input_cache_end(n);
	return rc ? 1 : 0;
}

static int child(struct slu_node *n, struct slu_plan *plan)
{
	struct slu_node_options opt;
	struct slu_node as;
	struct slu_err err;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	if (slu_node_open_job(n, plan->job_id, &opt, &as, &err) ||
	    slu_node_take_plan(&as, plan, &err)) {
		slu_node_log(n, SLU_ERROR, "prestage: %s", err.text);
		return 1;
	}
	return prefetch(&as);
}

/* What follows runs in the service */

static void reap(struct slu_prefetch *p)
{
	int status;

	if (!p->child || waitpid(p->child, &status, WNOHANG) != p->child)
		return;
	p->child = 0;
	if (status)
		p->failed[p->n_failed++ % SLU_PREFETCH_FAILED] =
			(struct slu_prefetch_failed){p->job_id,
						     slu_now_mono() + AGAIN};
}

static bool failed_lately(const struct slu_prefetch *p, uint32_t job_id)
{
	for (size_t i = 0; i < SLU_PREFETCH_FAILED; i++)
		if (p->failed[i].job_id == job_id &&
		    slu_now_mono() < p->failed[i].until)
			return true;
	return false;
}

static void report(struct slu_node *n, const struct slu_cache_prefetch *is,
		   bool over)
{
	struct slu_prefetch_report *grown =
		realloc(n->prefetch, (n->n_prefetch + 1) * sizeof(*grown));

	if (!grown)
		return;
	n->prefetch = grown;
	n->prefetch[n->n_prefetch++] = (struct slu_prefetch_report){
		.job_id = is->job_id,
		.prefetched = is->prefetched,
		.used = is->used,
		.done = is->done || is->taken,
		.over = over,
	};
}

struct looking {
	struct slu_node *n;
	const struct slu_node_inventory *inventory;
};

static bool look_at(void *arg, const struct slu_cache_prefetch *is)
{
	const struct looking *l = arg;
	char job[16];
	bool over;

	snprintf(job, sizeof(job), "%u", (unsigned)is->job_id);
	over = l->inventory->prefetch_complete ||
	       slu_has_word(l->inventory->prefetch_dropped, job);
	for (size_t i = 0; i < l->inventory->n_prefetch; i++)
		over &= l->inventory->prefetch[i].job_id != is->job_id;
	report(l->n, is, over);
	return over;
}

/* Reports of what is in the cache are made again, those of what was removed are
 * kept until sluiced has them. */
static void look(struct slu_node *n, const struct slu_node_inventory *inventory)
{
	struct looking l = {n, inventory};
	struct slu_err err = {.text = "out of memory"};
	char **storage = slu_storages(n->conf, &err);
	bool wrong = !storage;
	size_t kept = 0;

	for (size_t i = 0; i < n->n_prefetch; i++)
		if (n->prefetch[i].over)
			n->prefetch[kept++] = n->prefetch[i];
	n->n_prefetch = kept;
	for (size_t i = 0; storage && storage[i]; i++)
		wrong |= slu_stage_cache_walk_prefetches(storage[i], look_at,
							 &l, &err) != 0;
	if (wrong)
		slu_node_log(n, SLU_WARN, "prestage: %s", err.text);
	slu_strv_free(storage);
}

static bool is_done(const struct slu_node *n, uint32_t job_id)
{
	for (size_t i = 0; i < n->n_prefetch; i++)
		if (n->prefetch[i].job_id == job_id && n->prefetch[i].done)
			return true;
	return false;
}

static void start(struct slu_prefetch *p, struct slu_node *n,
		  struct slu_plan *plan)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(child(n, plan));
	p->child = pid > 0 ? pid : 0;
	p->job_id = plan->job_id;
}

void slu_prefetch_tend(struct slu_prefetch *p, struct slu_node *n,
		       struct slu_node_inventory *inventory)
{
	reap(p);
	look(n, inventory);
	for (size_t i = 0; !p->child && i < inventory->n_prefetch; i++) {
		struct slu_plan *plan = &inventory->prefetch[i];

		if (!plan->over && !is_done(n, plan->job_id) &&
		    !failed_lately(p, plan->job_id))
			start(p, n, plan);
	}
}

void slu_prefetch_stop(struct slu_prefetch *p)
{
	if (!p->child)
		return;
	kill(p->child, SIGKILL);
	waitpid(p->child, NULL, 0);
	p->child = 0;
}

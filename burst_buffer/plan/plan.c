/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes a plan from a job's request: its nodes, file system, capacities and
 * staging. The request is parsed and checked again here: slurmctld checked it
 * at submission, perhaps long ago and with another configuration.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "burst_buffer/plan/plan.h"
#include "burst_buffer/request/request.h"
#include "burst_buffer/request/site/fstype.h"
#include "burst_buffer/request/site/pool.h"
#include "common/cred.h"
#include "common/hostlist.h"
#include "common/str.h"

#define KEY_SIZE      32
#define SECRET_DIGITS 32

static int nomem(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "out of memory");
}

static int set(char **field, const char *text, struct slu_err *err)
{
	*field = strdup(text ? text : "");
	return *field ? 0 : nomem(err);
}

/* Nodes */

static int set_node(struct slu_plan_node *node, char *name, struct slu_err *err)
{
	node->name = name;
	node->staging = true;
	if (set(&node->addr, name, err))
		return -1;
	return set(&node->storage, "", err);
}

static int set_addr(struct slu_plan_node *node,
		    const struct slu_plan_site *site, struct slu_err *err)
{
	const char *addr =
		site->addr ? site->addr(site->arg, node->name) : NULL;

	if (!addr)
		return 0;
	free(node->addr);
	return set(&node->addr, addr, err);
}

static int set_nodes(struct slu_plan *plan, const struct slu_job *job,
		     const struct slu_plan_site *site, struct slu_err *err)
{
	struct slu_hosts hosts;
	size_t i;
	int rc = 0;

	if (slu_hosts_parse(job->nodes ? job->nodes : "", &hosts, err))
		return -1;
	plan->node = calloc(hosts.n + 1, sizeof(*plan->node));
	if (hosts.n == 0)
		rc = slu_err(err, SLU_INVALID, "job %u has no nodes",
			     (unsigned)job->job_id);
	else if (!plan->node)
		rc = nomem(err);
	else
		plan->n_node = hosts.n;
	for (i = 0; rc == 0 && i < hosts.n; i++) {
		rc = set_node(&plan->node[i], hosts.name[i], err);
		hosts.name[i] = NULL;
		rc = rc || set_addr(&plan->node[i], site, err) ? -1 : 0;
	}
	slu_hosts_free(&hosts);
	return rc;
}

/* The node was added to the job after its submission. */
static int not_of(const struct slu_pool_conf *pool, const char *node,
		  struct slu_err *err)
{
	char *nodes = slu_hosts_text(&pool->nodes);

	slu_err(err, SLU_INVALID,
		"%s is not of pool %s (%.100s): name nodes of that with "
		"--nodelist",
		node, pool->name, nodes ? nodes : "");
	free(nodes);
	return -1;
}

static int check_pool(const struct slu_plan *plan,
		      const struct slu_pool_conf *pool, struct slu_err *err)
{
	struct slu_hosts of = {0}; /* the names are borrowed from the pool */
	const char *stranger = NULL;

	if (!pool || !pool->nodes.n)
		return 0;
	of.name = malloc(pool->nodes.n * sizeof(*of.name));
	if (!of.name)
		return slu_err(err, SLU_NOMEM, "out of memory");
	of.n = pool->nodes.n;
	memcpy(of.name, pool->nodes.name, of.n * sizeof(*of.name));
	slu_hosts_sort(&of);
	for (size_t i = 0; !stranger && i < plan->n_node; i++)
		if (!plan->node[i].client &&
		    !slu_hosts_sorted_has(&of, plan->node[i].name))
			stranger = plan->node[i].name;
	free(of.name);
	return stranger ? not_of(pool, stranger, err) : 0;
}

/* Staging */

static int set_stage(struct slu_stage *stage,
		     const struct slu_request_stage *asked,
		     const struct slu_symbols *sym, struct slu_err *err)
{
	static const char *const on[] = {[SLU_ON_ALWAYS] = "always",
					 [SLU_ON_SUCCESS] = "success",
					 [SLU_ON_FAILURE] = "failure"};
	static const char *const types[] = {[SLU_STAGE_DIRECTORY] = "directory",
					    [SLU_STAGE_FILE] = "file",
					    [SLU_STAGE_LIST] = "list",
					    [SLU_STAGE_AUTO] = "auto"};
	struct slu_symbols of_source = *sym;

	stage->out = asked->out;
	stage->content = asked->content;
	stage->apart = asked->apart;
	of_source.pattern = asked->type != SLU_STAGE_LIST;
	stage->source = slu_request_expand(asked->source, &of_source, err);
	stage->destination = slu_request_expand(asked->destination, sym, err);
	if (!stage->source || !stage->destination)
		return -1;
	if (set(&stage->type, types[asked->type], err))
		return -1;
	return set(&stage->on, on[asked->on], err);
}

static int set_stages(struct slu_plan *plan, const struct slu_request *req,
		      const struct slu_symbols *sym, struct slu_err *err)
{
	size_t i;

	plan->stage = calloc(req->n_stage + 1, sizeof(*plan->stage));
	if (!plan->stage)
		return nomem(err);
	plan->n_stage = req->n_stage;
	for (i = 0; i < req->n_stage; i++)
		if (set_stage(&plan->stage[i], &req->stage[i], sym, err))
			return -1;
	return 0;
}

/* The file system */

static int add_option(struct slu_plan *plan, const struct slu_option *option,
		      struct slu_err *err)
{
	struct slu_pair *pair = &plan->option[plan->n_option++];

	return set(&pair->key, option->key, err) ||
			       set(&pair->value, option->value, err)
		       ? -1
		       : 0;
}

/* The request's choice where the driver has one. */
static int add_coherence(struct slu_plan *plan, const struct slu_request *req,
			 struct slu_err *err)
{
	struct slu_option option = {
		.key = "coherence",
		.value = (char *)slu_coherence_names[req->coherence]};

	return req->coherence && slu_fstype_has(slu_fstype_find(plan->driver),
						option.key)
		       ? add_option(plan, &option, err)
		       : 0;
}

/* Options for this driver in the request and in the profile come first, so that
 * they are found before those of the file system. */
static int set_fs(struct slu_plan *plan, const struct slu_request *req,
		  const struct slu_fs_conf *fs,
		  const struct slu_profile_conf *profile, struct slu_err *err)
{
	const struct slu_fstype *type = slu_fstype_find(fs->driver);
	size_t more = profile ? profile->n_option : 0, i;

	if (set(&plan->fs, fs->name, err) ||
	    set(&plan->driver, fs->driver, err))
		return -1;
	plan->option = calloc(fs->n_option + more + 2, sizeof(*plan->option));
	if (!plan->option)
		return nomem(err);
	if (add_coherence(plan, req, err))
		return -1;
	for (i = 0; i < more; i++)
		if (slu_fstype_has(type, profile->option[i].key) &&
		    add_option(plan, &profile->option[i], err))
			return -1;
	for (i = 0; i < fs->n_option; i++)
		if (add_option(plan, &fs->option[i], err))
			return -1;
	return 0;
}

/* Servers of servers=auto, at first: every client connects to every server, so
 * not all nodes of a large job become servers. */
#define SERVERS_AUTO 32

static bool says_nodes(const struct slu_request *req)
{
	return req->nodes && req->nodes != SLU_ALL_NODES;
}

/* How many nodes give capacity: as the request says, else as the file system's
 * servers= does, or all. *least: more nodes may, if these lack space. */
static size_t servers_of(const struct slu_plan *plan,
			 const struct slu_request *req,
			 const struct slu_plan_site *site, bool *least)
{
	const struct slu_fstype *type = slu_fstype_find(plan->driver);
	const char *servers = slu_plan_option(plan, "servers", "auto");
	size_t n = SERVERS_AUTO;

	*least = !req->nodes && site->ask_room &&
		 req->split != SLU_SPLIT_SWITCH &&
		 slu_fstype_has(type, "servers") && strcasecmp(servers, "all");
	if (says_nodes(req))
		return req->nodes;
	if (*least && strcasecmp(servers, "auto"))
		n = strtoul(servers, NULL, 10);
	return *least && n < plan->n_node ? n : plan->n_node;
}

/* The capacity of each node: 0 if the data is elsewhere, else equal parts for
 * the first n. */
static void set_capacities(struct slu_plan *plan, size_t n)
{
	const struct slu_fstype *type = slu_fstype_find(plan->driver);
	bool remote = type && type->remote;

	for (size_t i = 0; i < plan->n_node; i++) {
		plan->node[i].client = i >= n || remote;
		plan->node[i].capacity =
			plan->node[i].client
				? 0
				: plan->capacity / n +
					  (plan->capacity % n != 0);
	}
}

static uint32_t number_of(const struct slu_job *job,
			  const struct slu_plan_site *site)
{
	return site->number ? site->number : job->job_id;
}

static void set_numbers(struct slu_plan *plan, const struct slu_job *job,
			const struct slu_conf *conf)
{
	plan->restarts = job->restarts;
	plan->uid = job->uid;
	plan->gid = job->gid;
	plan->boot_timeout = job->boot_timeout > 0 ? job->boot_timeout : 0;
	plan->setup_timeout = conf->setup_timeout;
	plan->stage_in_timeout = conf->stage_in_timeout;
	plan->stage_out_timeout = conf->stage_out_timeout;
	plan->teardown_timeout = conf->teardown_timeout;
	plan->keep_failed = conf->keep_failed;
}

static bool is_quiet(const struct slu_request *req, const struct slu_conf *conf)
{
	return req->tell == SLU_TELL_UNSAID ? !conf->tell
					    : req->tell == SLU_TELL_NO;
}

static int set_pool(struct slu_plan *plan, const struct slu_pool_conf *pool,
		    struct slu_err *err)
{
	return pool ? set(&plan->pool, pool->name, err) : 0;
}

static int set_cpus(struct slu_plan *plan, const struct slu_request *req,
		    const struct slu_plan_site *site, struct slu_err *err)
{
	const struct slu_fstype *type = slu_fstype_find(plan->driver);

	if (!type || !type->binds || req->bind == SLU_BIND_NONE)
		return 0;
	return slu_plan_bind(plan, site->map, req->bind == SLU_BIND_FAR, err);
}

/* A request that only sets layouts: no node gives anything. */
static int fill_none(struct slu_plan *plan, const struct slu_job *job,
		     const struct slu_plan_site *site, struct slu_err *err)
{
	if (set(&plan->name, "JOBFS", err) || set(&plan->fs, "none", err) ||
	    set(&plan->driver, "none", err) || set_nodes(plan, job, site, err))
		return -1;
	for (size_t i = 0; i < plan->n_node; i++)
		plan->node[i].client = true;
	return 0;
}

/* Doubles the number of servers as long as these have too little space. */
static int set_servers(struct slu_plan *plan, const struct slu_request *req,
		       const struct slu_plan_site *site, struct slu_err *err)
{
	struct slu_err why = {0};
	bool least;
	size_t n = servers_of(plan, req, site, &least);
	int rc;

	if (n > plan->n_node)
		return slu_err(err, SLU_INVALID,
			       "jobfs: nodes=%u: the job has only %zu nodes",
			       (unsigned)req->nodes, plan->n_node);
	for (;;) {
		set_capacities(plan, n);
		if (site->too_small)
			slu_buf_free(site->too_small);
		rc = check_pool(plan, slu_request_pool(req, site->conf), &why)
			     ? -1
			     : slu_plan_storages(plan, site, &why);
		if (!rc || !least || why.kind != SLU_BUSY || n == plan->n_node)
			break;
		n = n * 2 < plan->n_node ? n * 2 : plan->n_node;
	}
	return rc ? slu_err(err, why.kind, "%s", why.text) : 0;
}

static int fill_fs(struct slu_plan *plan, const struct slu_job *job,
		   const struct slu_request *req,
		   const struct slu_plan_site *site,
		   const struct slu_symbols *sym, struct slu_err *err)
{
	static const char *const dw[] = {[SLU_DW_NO] = "",
					 [SLU_DW_STRIPED] = "striped",
					 [SLU_DW_PRIVATE] = "private"};

	plan->capacity = req->capacity;
	plan->dw_both = req->dw_both;
	plan->tolerate = req->tolerate == UINT32_MAX ? 0 : req->tolerate;
	if (set(&plan->name, req->name, err) ||
	    set(&plan->dw, dw[req->dw], err) ||
	    set_pool(plan, slu_request_pool(req, site->conf), err) ||
	    set_fs(plan, req, slu_conf_fs(site->conf, req->fs),
		   req->profile ? slu_conf_profile(site->conf, req->profile)
				: NULL,
		   err) ||
	    slu_plan_chunk(plan, job->request_size, err) ||
	    set_nodes(plan, job, site, err) ||
	    (req->split == SLU_SPLIT_SWITCH &&
	     slu_plan_split(plan, site->map, err)) ||
	    set_stages(plan, req, sym, err))
		return -1;
	return set_servers(plan, req, site, err) ||
			       set_cpus(plan, req, site, err)
		       ? -1
		       : 0;
}

/* A persistent buffer: its own nodes give the capacity. */
static int fill_use(struct slu_plan *plan, const struct slu_job *job,
		    const struct slu_request *req,
		    const struct slu_plan_site *site,
		    const struct slu_symbols *sym, struct slu_err *err)
{
	if (!site->persistent)
		return slu_err(err, SLU_NOTFOUND,
			       "there is no persistent buffer %s", req->name);
	if (set(&plan->name, req->name, err) ||
	    set(&plan->dw, req->dw ? "persistent" : "", err) ||
	    set_nodes(plan, job, site, err) || set_stages(plan, req, sym, err))
		return -1;
	for (size_t i = 0; i < plan->n_node; i++)
		plan->node[i].client = true;
	return site->persistent(site->promised_arg, job, req->name, plan,
				err) ||
			       slu_check_persist_gives(
				       req, slu_plan_coherence(plan), err)
		       ? -1
		       : 0;
}

/* Where each node sees times of its own of a file, only its content shows
 * whether it has changed meanwhile. */
static void set_content(struct slu_plan *plan)
{
	for (size_t i = 0; slu_fstype_striped(plan) && i < plan->n_stage; i++)
		plan->stage[i].content |= plan->stage[i].out;
}

static int fill(struct slu_plan *plan, const struct slu_job *job,
		const struct slu_request *req, const struct slu_plan_site *site,
		const char *user, const char *mount, struct slu_err *err)
{
	const struct slu_symbols sym = {
		.job_id = job->job_id,
		.array_job_id = job->array_job_id,
		.array_task_id =
			job->array_job_id ? job->array_task_id : SLU_NO_ID,
		.user = user,
		.job_name = job->name,
		.fs_name = req->name,
		.mount = mount,
	};

	plan->job_id = number_of(job, site);
	set_numbers(plan, job, site->conf);
	plan->quiet = is_quiet(req, site->conf);
	if (req->persistent ? fill_use(plan, job, req, site, &sym, err)
	    : req->has_fs   ? fill_fs(plan, job, req, site, &sym, err)
			    : fill_none(plan, job, site, err))
		return -1;
	set_content(plan);
	return slu_plan_stripes(plan, req, &sym, job, site, err);
}

int slu_plan_make(const struct slu_job *job, const struct slu_plan_site *site,
		  struct slu_plan *out, struct slu_err *err)
{
	struct slu_request req;
	struct slu_plan plan = {0};
	char *user, *mount;
	int rc;

	if (slu_request_parse(job->request, NULL, &req, err))
		return -1;
	user = job->user ? strdup(job->user)
			 : slu_asprintf("%u", (unsigned)job->uid);
	mount = slu_asprintf("%s/%u/mnt/data", site->conf->run_dir,
			     (unsigned)number_of(job, site));
	if (!user || !mount)
		rc = nomem(err);
	else if (slu_request_resolve(&req, site->conf, err) ||
		 slu_request_check(&req, site->conf, user, err) ||
		 slu_pool_check(&req, site->conf, user, job->account, err))
		rc = -1;
	else
		rc = fill(&plan, job, &req, site, user, mount, err);
	if (rc)
		slu_msg_clear(&slu_plan_desc, &plan);
	else
		*out = plan;
	free(user);
	free(mount);
	slu_request_free(&req);
	return rc;
}

int slu_plan_bare(const struct slu_job *job, struct slu_plan *out,
		  struct slu_err *err)
{
	const struct slu_plan_site nobody = {NULL};
	struct slu_plan plan = {
		.job_id = job->job_id,
		.uid = job->uid,
		.gid = job->gid,
	};

	if (set(&plan.name, "JOBFS", err) || set(&plan.driver, "", err) ||
	    set_nodes(&plan, job, &nobody, err)) {
		slu_msg_clear(&slu_plan_desc, &plan);
		return -1;
	}
	*out = plan;
	return 0;
}

/* SHA-256 of the key and of what it is for, in a fixed form, so that no two
 * instances share a secret. */
char *slu_plan_secret(const unsigned char *key, const struct slu_plan *plan)
{
	struct slu_buf buf = {0};
	char digest[65];

	slu_buf_add(&buf, key, KEY_SIZE);
	slu_buf_printf(&buf, "job %u buffer %llu", (unsigned)plan->job_id,
		       (unsigned long long)plan->buffer);
	if (!buf.failed)
		slu_sha256(buf.data, buf.len, digest);
	if (buf.failed) {
		slu_buf_free(&buf);
		return NULL;
	}
	slu_buf_free(&buf);
	return strndup(digest, SECRET_DIGITS);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks the burst-buffer request of a job at its submission, and returns its
 * canonical text, or one line that says why it is refused and what to change.
 *
 * Runs in slurmctld under its locks, so it uses only what is in memory: the
 * configuration (ctl->site), what sluiced last reported of pools and nodes
 * (ctl->mirror), and how long earlier jobs waited for their file systems
 * (ctl->ready). A job is not refused because sluiced or the nodes have not
 * reported yet.
 */
#include "config.h"
#include "ctl/pools/pools.h"
#include "ctl/private.h"
#include "ctl/jobs/pending/persistent_state.h"
#include "ctl/jobs/pending/pool_choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "burst_buffer/request/site/fstype.h"
#include "burst_buffer/request/site/pool.h"
#include "common/size.h"

/* Refuses what cannot work with any state of pools and nodes. */
static int refuse(const struct slu_ctl_ask *ask, const struct slu_request *req,
		  struct slu_err *err)
{
	if (ask->max_nodes && req->nodes != SLU_ALL_NODES &&
	    req->nodes > ask->max_nodes)
		return slu_err(err, SLU_INVALID,
			       "jobfs: nodes=%u: the job asks for %u at most",
			       (unsigned)req->nodes, (unsigned)ask->max_nodes);
	if (req->has_fs && !req->persistent &&
	    slu_ctl_large_enough(req->capacity, err) < 0)
		return slu_err_prefix(err, "jobfs");
	if (!ask->prolog_flags)
		return slu_err(err, SLU_INVALID,
			       "job file systems are off at this site: "
			       "PrologFlags must have Alloc and DeferBatch, "
			       "and not Serial (tell the administrator)");
	return 0;
}

/* The rules for components of heterogeneous jobs. Slurm looks only at the first
 * component when it starts the script and when another job depends on the job
 * (_batch_launch_defer(), test_job_dependency()), so the wait for the file
 * systems of all components is attached to the first one, which must have one
 * itself. Since components are only waited for together, none can have a file
 * system with a wait of its own: a persistent one, or an early stage-in. */
static int fits_het(struct slu_ctl *ctl, const struct slu_ctl_ask *ask,
		    const struct slu_request *req, struct slu_err *err)
{
	const bool asks = req->has_fs || req->n_stripe;

	if (!ask->het)
		return 0;
	if (!ask->het_offset)
		memset(ctl->site->het_asked, 0,
		       ctl->site->conf->n_pool * sizeof(*ctl->site->het_asked));
	if (req->persistent || req->n_persist ||
	    slu_request_early_stage_in(req, ctl->site->conf))
		return slu_err(err, SLU_INVALID,
			       "a component of a heterogeneous job can have "
			       "only a file system of its own nodes, none that "
			       "is persistent or staged in before it has "
			       "nodes: submit it as a job of its own");
	if (asks && ask->het_offset && !ctl->het_leader)
		return slu_err(err, SLU_INVALID,
			       "component %u of a heterogeneous job asks for a "
			       "file system and the first, which runs the "
			       "script, does not: ask for one there, too "
			       "(capacity=1MiB will do)",
			       (unsigned)ask->het_offset);
	return 0;
}

/* The refusal if even with `n` nodes a node's share is larger than the largest
 * node's storage. */
static int too_large(uint64_t share, uint32_t n, uint64_t most,
		     struct slu_err *err)
{
	char needs[SLU_SIZE_TEXT], has[SLU_SIZE_TEXT];

	return slu_err(err, SLU_INVALID,
		       "jobfs: each of %u nodes must give %s, and none can "
		       "hold more than %s: ask for more nodes, or for less",
		       (unsigned)n, slu_size_text(share, needs),
		       slu_size_text(most, has));
}

/* Refuses if too few nodes can run the driver, by what the nodes reported. */
static int check_driver(struct slu_mirror *mirror,
			const struct slu_ctl_ask *ask,
			const struct slu_request *req,
			const struct slu_conf *conf, struct slu_err *err)
{
	const struct slu_fs_conf *fs = slu_conf_fs(conf, req->fs);
	char why[SLU_POOL_WHY];
	uint32_t able, unable;

	if (!fs || !slu_pools_unable(mirror, fs->name, &able, &unable, why) ||
	    able >= (ask->min_nodes ? ask->min_nodes : 1))
		return 0;
	return slu_err(err, SLU_INVALID,
		       "jobfs: only %u nodes can do %s, %u cannot; %s",
		       (unsigned)able, fs->name, (unsigned)unable, why);
}

/* Might a directory be copied by the site's Mover? That depends on its size,
 * which is not known yet. */
static bool may_move(const struct slu_request *req, const struct slu_conf *conf)
{
	const struct slu_fs_conf *fs = slu_conf_fs(conf, req->fs);

	if (!conf->mover || (fs && slu_fstype_library(fs)))
		return false;
	for (size_t i = 0; i < req->n_stage; i++)
		if (req->stage[i].type == SLU_STAGE_DIRECTORY ||
		    req->stage[i].type == SLU_STAGE_AUTO)
			return true;
	return false;
}

/* Refuses if too few nodes have the Mover, by what the nodes reported. */
static int check_mover(struct slu_mirror *mirror, const struct slu_ctl_ask *ask,
		       const struct slu_request *req,
		       const struct slu_conf *conf, struct slu_err *err)
{
	char why[SLU_POOL_WHY];
	uint32_t able, unable;

	if (!may_move(req, conf) ||
	    !slu_pools_unable(mirror, SLU_CAPACITY_MOVER, &able, &unable,
			      why) ||
	    able >= (ask->min_nodes ? ask->min_nodes : 1))
		return 0;
	return slu_err(err, SLU_INVALID,
		       "directories cannot be staged: only %u nodes have the "
		       "site's copier, %u have not (tell the administrator); "
		       "%s",
		       (unsigned)able, (unsigned)unable, why);
}

/* A manifest for each stage-out of so much. */
static uint64_t manifests_of(const struct slu_request *req, uint64_t capacity)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < req->n_stage; i++)
		if (req->stage[i].out)
			sum += slu_manifest_size(capacity);
	return sum;
}

/* The largest share that any node of the pool can give to this request, beside
 * the manifests: one set of them, or where it is spread one on each device,
 * by the whole capacity, as its plan counts. */
static uint64_t most_of(const struct slu_conf *conf,
			const struct slu_request *req, uint64_t share,
			const struct slu_pool_use *use)
{
	const struct slu_fs_conf *fs = slu_conf_fs(conf, req->fs);
	const struct slu_fstype *type = fs ? slu_fstype_find(fs->driver) : NULL;
	const uint64_t one = manifests_of(req, share);
	const uint64_t each = use->devices * manifests_of(req, req->capacity);
	uint64_t most = use->largest > one ? use->largest - one : 0;

	if (type && type->spreads && use->together > most + each)
		most = use->together - each;
	return most;
}

/* The space that the pool must have free for the job to start. Components of a
 * heterogeneous job start together, so theirs is added up in site->het_asked,
 * from one call to the next. */
static uint64_t wanted(const struct slu_site *site,
		       const struct slu_ctl_ask *ask,
		       const struct slu_request *req,
		       const struct slu_pool_conf *pool)
{
	uint64_t *asked = &site->het_asked[pool - site->conf->pool];

	if (!ask->het)
		return req->capacity;
	return *asked = slu_pools_add(*asked, req->capacity);
}

/* Refuses what can never fit, even into an empty pool: more than the pool or
 * one user may have, or shares larger than the largest node. */
static int fits(struct slu_ctl *ctl, const struct slu_ctl_ask *ask,
		const struct slu_request *req, struct slu_err *err)
{
	const struct slu_conf *conf = ctl->site->conf;
	const struct slu_pool_conf *pool = slu_request_pool(req, conf);
	const char *with = ask->het && ask->het_offset
				   ? "with the components before it "
				   : "";
	struct slu_pool_need need = {0};
	struct slu_pool_use use;
	uint32_t n = ask->max_nodes;
	uint64_t share, most;

	if (!pool)
		return 0;
	need.pool = pool->name;
	need.size = wanted(ctl->site, ask, req, pool);
	need.max_per_user = pool->max_per_user;
	if (slu_pools_never(&ctl->mirror, &need, with, err))
		return slu_err_prefix(err, "jobfs");
	slu_pools_use(&ctl->mirror, pool->name, &use);
	if (!n || n > use.nodes)
		n = use.nodes;
	if (req->nodes && req->nodes < n)
		n = req->nodes;
	if (!use.complete || !use.largest || !n)
		return 0;
	share = req->capacity / n;
	most = most_of(conf, req, share, &use);
	return share > most ? too_large(share, n, most, err) : 0;
}

/* Refuses if the client (salloc, srun) would give up before the file system is
 * ready, judged by the median time of similar jobs. The amount to stage in is
 * not known here, so without earlier runs nothing is refused. */
static int check_client_timeout(struct slu_setup_times *ready,
				const struct slu_ctl_ask *ask,
				const struct slu_request *req,
				struct slu_err *err)
{
	uint32_t nodes = ask->min_nodes ? ask->min_nodes : 1, runs, seconds;

	if (!ask->client_timeout || (ask->max_nodes && ask->max_nodes != nodes))
		return 0;
	seconds = slu_setup_times_median(ready, req, ask->uid, nodes, &runs);
	if (seconds < ask->client_timeout)
		return 0;
	return slu_err(err, SLU_INVALID,
		       "jobfs: set-up and stage-in of jobs like this took %u s "
		       "(median of %u runs); salloc and srun give up after "
		       "%u s: use sbatch, or have ResumeTimeout raised",
		       (unsigned)seconds, (unsigned)runs,
		       (unsigned)ask->client_timeout);
}

/* Warns in a refusal that it may be wrong: not all users whom sluice.conf names
 * have been looked up yet. Always -1. */
static int unsure(const struct slu_site *site, const struct slu_ctl_ask *ask,
		  struct slu_err *err)
{
	if (err->kind == SLU_DENIED && !slu_site_user(site, ask->uid) &&
	    slu_site_users_missing(site))
		slu_err_prefix(err, "sluice.conf names users who could not be "
				    "looked up yet");
	return -1;
}

/* Checks the request's file system against the site, the pool and this job. */
static int check_fs(struct slu_ctl *ctl, const struct slu_ctl_ask *ask,
		    const struct slu_request *req, const char *user,
		    struct slu_err *err)
{
	const struct slu_conf *conf = ctl->site->conf;
	struct slu_mirror *mirror = &ctl->mirror;

	if (!req->has_fs && !req->n_stripe)
		return 0;
	if (slu_pool_check(req, conf, user, ask->account, err) < 0 ||
	    refuse(ask, req, err) < 0 ||
	    check_mover(mirror, ask, req, conf, err) < 0)
		return -1;
	if (req->has_fs && !req->persistent &&
	    (check_driver(mirror, ask, req, conf, err) < 0 ||
	     fits(ctl, ask, req, err) < 0))
		return -1;
	return req->has_fs ? check_client_timeout(&ctl->ready, ask, req, err)
			   : 0;
}

static int check(struct slu_ctl *ctl, const struct slu_ctl_ask *ask,
		 struct slu_request *req, struct slu_err *err)
{
	const struct slu_site *site = ctl->site;
	struct slu_mirror *mirror = &ctl->mirror;
	const char *user = slu_site_user(site, ask->uid);
	char uid[32];

	if (!site->conf)
		return slu_err(err, SLU_INVALID, "sluice is not configured: %s",
			       site->why_not);
	if (!user) { /* not named in sluice.conf: no list can match */
		snprintf(uid, sizeof(uid), "uid %u", (unsigned)ask->uid);
		user = uid;
	}
	if (slu_request_resolve(req, site->conf, err) < 0)
		return -1;
	if (slu_request_check(req, site->conf, user, err) < 0)
		return unsure(site, ask, err);
	if (!ask->array && slu_request_check_alone(req, err) < 0)
		return -1;
	if (fits_het(ctl, ask, req, err) < 0)
		return slu_request_at(req->line, err);
	if (slu_persistent_submit(mirror, ask, req, site->conf, user, err) < 0)
		return -1;
	if (slu_ctl_choose_pool(ask, mirror, site->conf, req, err) < 0)
		return slu_request_at(req->line, err);
	return check_fs(ctl, ask, req, user, err) < 0
		       ? slu_request_at(req->line, err)
		       : 0;
}

/* Are script lines without effect ("strays") refused? Else submit.c warns. */
static bool refuses_strays(struct slu_ctl *ctl)
{
	bool refuses;

	pthread_rwlock_rdlock(&ctl->site_lock);
	refuses = ctl->site->conf && !ctl->site->conf->stray_warn;
	pthread_rwlock_unlock(&ctl->site_lock);
	return refuses;
}

int slu_ctl_validate(struct slu_ctl *ctl, const struct slu_ctl_ask *ask,
		     char **text, struct slu_err *err)
{
	struct slu_request req = {0};
	int rc;

	if (slu_request_submitted(ask->option, ask->script, refuses_strays(ctl),
				  &req, err) < 0)
		return -1;
	if (!req.has_fs && !req.n_stage && !req.n_stripe && !req.has_forward &&
	    !req.keep_limit && !req.no_io_wait && !req.n_persist) {
		*text = strdup("");
	} else {
		pthread_rwlock_rdlock(&ctl->site_lock);
		rc = check(ctl, ask, &req, err);
		pthread_rwlock_unlock(&ctl->site_lock);
		if (rc < 0) {
			slu_request_free(&req);
			return -1;
		}
		*text = slu_request_text(&req);
	}
	if (ask->het && !ask->het_offset)
		ctl->het_leader = req.has_fs || req.n_stripe;
	if (*text && **text)
		slu_parsed_add(&ctl->parsed, *text, &req);
	else
		slu_request_free(&req);
	return *text ? 0 : slu_err(err, SLU_NOMEM, "out of memory");
}

void slu_ctl_request_seen(struct slu_ctl *ctl, uint32_t job_id,
			  const char *text)
{
	slu_parsed_seen(&ctl->parsed, job_id, text);
}

void slu_ctl_request_gone(struct slu_ctl *ctl, uint32_t job_id)
{
	slu_parsed_forget(&ctl->parsed, job_id);
}

bool slu_ctl_has_buffer(const char *text)
{
	return slu_request_has_buffer(text);
}

char *slu_ctl_quote(const char *mistakes, const char *option,
		    const char *script)
{
	return slu_request_quote(mistakes, option, script);
}

char *slu_ctl_component(const char *script, uint32_t component)
{
	return slu_request_component(script, component);
}

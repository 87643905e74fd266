/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adds to a plan the directories of the parallel file system whose striping is
 * set before the job runs: those of `stripe` requests, and the job's own
 * directory of jobfs type=lustre. sluiced chooses the layout by the load of the
 * storage targets; where no server has reported these, a `stripe` request gets
 * the layout for its size, and the job's own directory the file system's
 * default.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "burst_buffer/plan/plan.h"
#include "burst_buffer/request/request.h"
#include "burst_buffer/request/site/fstype.h"
#include "common/str.h"

static const char *option(const struct slu_plan *plan, const char *key)
{
	for (size_t i = 0; i < plan->n_option; i++)
		if (!strcasecmp(plan->option[i].key, key))
			return plan->option[i].value;
	return NULL;
}

/* The site's lfs: of this file system, else of any on Lustre. */
static const char *program(const struct slu_plan *plan,
			   const struct slu_conf *conf)
{
	const char *own = option(plan, "lfs");

	for (size_t i = 0; !own && i < conf->n_fs; i++)
		if (!strcasecmp(conf->fs[i].driver, "lustre"))
			own = slu_fs_option(&conf->fs[i], "lfs", NULL);
	return own ? own : "lfs";
}

/* Takes target over, also on failure. */
static int add(struct slu_plan *plan, const struct slu_plan_site *site,
	       const struct slu_layout_ask *ask, char *target, bool need_known,
	       struct slu_err *err)
{
	struct slu_stripe s = {.target = target};
	bool known = false;

	s.layout = target ? site->layout(site->arg, ask, &known, &s.why, err)
			  : NULL;
	s.program = strdup(program(plan, site->conf));
	if (s.layout && s.program && (known || !need_known)) {
		plan->stripe[plan->n_stripe++] = s;
		return 0;
	}
	free(s.target);
	free(s.layout);
	free(s.program);
	free(s.why);
	return s.layout ? 0 : -1;
}

/* For a directory whose files are placed as they are created; takes target
 * over. Files that other programs create are left to Lustre. */
static int add_per_file(struct slu_plan *plan, const struct slu_conf *conf,
			const struct slu_request_stripe *r, char *target,
			struct slu_err *err)
{
	struct slu_stripe *s = &plan->stripe[plan->n_stripe];

	if (!target)
		return -1;
	if (strchr(target, ':')) { /* from a job's name */
		slu_err(err, SLU_INVALID,
			"target=%.200s: with per_file=yes its path has no "
			"\":\", which stands between two in SLUICE_PLACE",
			target);
		free(target);
		return -1;
	}
	*s = (struct slu_stripe){
		.target = target,
		.per_file = r->stripes ? r->stripes : 1,
		.size = r->size,
		.fsname = r->fsname ? strdup(r->fsname) : NULL,
		.program = strdup(program(plan, conf)),
		.why = strdup("each file is placed when it is made"),
	};
	plan->n_stripe++;
	s->layout = slu_asprintf("-c %u", (unsigned)s->per_file);
	return s->layout && s->program && s->why
		       ? 0
		       : slu_err(err, SLU_NOMEM, "out of memory");
}

/* The directory of jobfs type=lustre, unless the site sets its layout. */
static int add_own(struct slu_plan *plan, const struct slu_job *job,
		   const struct slu_plan_site *site, struct slu_err *err)
{
	const char *how = option(plan, "layout"), *count;
	struct slu_layout_ask ask = {
		.fsname = option(plan, "fsname"),
		.size = plan->capacity,
		.later = job->later,
	};

	count = option(plan, "stripe_count");
	if (how && !strcasecmp(how, "place") && count)
		ask.stripes = (uint32_t)strtoul(count, NULL, 10);
	else if ((how && !strcasecmp(how, "none")) || count ||
		 option(plan, "stripe_size") || option(plan, "ost_pool"))
		return 0;
	return add(plan, site, &ask, strdup(""), true, err);
}

static uint64_t predicted(double bytes)
{
	return bytes >= 1 && bytes < 0x1p62 ? (uint64_t)bytes : 0;
}

/* The job's number of tasks; by default Slurm starts one on each node. */
static uint32_t tasks_of(const struct slu_job *job)
{
	return job->tasks ? job->tasks : job->node_cnt;
}

int slu_plan_stripes(struct slu_plan *plan, const struct slu_request *req,
		     const struct slu_symbols *sym, const struct slu_job *job,
		     const struct slu_plan_site *site, struct slu_err *err)
{
	bool own = !strcasecmp(plan->driver, "lustre");

	if (!site->layout || (!own && req->n_stripe == 0))
		return 0;
	plan->stripe = calloc(req->n_stripe + 1, sizeof(*plan->stripe));
	if (!plan->stripe)
		return slu_err(err, SLU_NOMEM, "out of memory");
	if (own && add_own(plan, job, site, err))
		return slu_err_prefix(err, "jobfs");
	for (size_t i = 0; i < req->n_stripe; i++) {
		const struct slu_request_stripe *s = &req->stripe[i];
		const struct slu_layout_ask ask = {
			.fsname = s->fsname,
			.pool = s->pool,
			.size = s->size ? s->size : predicted(job->file_size),
			.predicted = !s->size,
			.random = s->random,
			.readers = s->readers,
			.tasks = s->shared ? tasks_of(job) : 0,
			.stripes = s->stripes,
			.later = job->later,
		};
		char *target = slu_request_expand(s->target, sym, err);

		if (s->per_file ? add_per_file(plan, site->conf, s, target, err)
				: add(plan, site, &ask, target, false, err))
			return slu_err_prefix(err, "stripe");
	}
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the environment variables for the job's batch script and steps into
 * the notes "env" and "env.steps", which the SPANK plugin reads. */
#include "config.h"
#include "burst_buffer/node/setup/job_env.h"
#include "burst_buffer/node/node.h"

#include <stdlib.h>
#include <strings.h>
#include "common/str.h"

/* A variable as DataWarp sets it: its paths end in a slash, as scripts write
 * ${DW_JOB_STRIPED}name. */
static void put_dw(struct slu_buf *env, const char *head, const char *tail,
		   const char *path)
{
	slu_buf_printf(env, "DW_%s%s=%s/\n", head, tail, path);
}

/* Adds SLUICE_PLACE: directories in which the preloaded library chooses the
 * layout of each file that the job's programs create; all lines agree about the
 * files (slu_end_stripe()). */
static void put_per_file(struct slu_buf *env, const struct slu_plan *plan)
{
	const struct slu_stripe *last = NULL;

	for (size_t i = 0; i < plan->n_stripe; i++)
		if (plan->stripe[i].per_file) {
			slu_buf_printf(env, "%s%s",
				       last ? ":" : "SLUICE_PLACE=",
				       plan->stripe[i].target);
			last = &plan->stripe[i];
		}
	if (last)
		slu_buf_printf(env,
			       "\nSLUICE_PLACE_STRIPES=%u\n"
			       "SLUICE_PLACE_SIZE=%llu\n"
			       "SLUICE_PLACE_FSNAME=%s\n"
			       "LD_PRELOAD=" SLU_PKGLIBDIR
			       "/libsluice_placed.so\n",
			       (unsigned)last->per_file,
			       (unsigned long long)last->size,
			       last->fsname ? last->fsname : "");
}

/* Scripts with #DW lines expect other variables. Caller frees; NULL without
 * memory. */
static char *environment(const struct slu_node *n)
{
	const char *dw = n->plan.dw, *name = n->plan.name;
	struct slu_buf env = {0};
	char private[PATH_MAX];

	put_per_file(&env, &n->plan);
	if (!n->driver->attach)
		return slu_buf_steal(&env);
	slu_buf_printf(&env, "BB_%s=%s\n", name, n->data);
	if (slu_eq(dw, "persistent")) {
		put_dw(&env, "PERSISTENT_STRIPED_", name, n->data);
		put_dw(&env, "PERSISTENT_", name, n->data); /* of DWS */
	} else if (dw && *dw) {
		put_dw(&env, "JOB_", name, n->data);
		put_dw(&env, "JOB_",
		       slu_eq(dw, "striped") ? "STRIPED" : "PRIVATE", n->data);
	}
	slu_note_path(n, "mnt/private", private);
	if (n->plan.dw_both)
		put_dw(&env, "JOB_", "PRIVATE", private);
	return slu_buf_steal(&env);
}

/* Variables for steps only; with preload=all also for the batch script: then
 * they are added to *env, too. */
static int note_steps(struct slu_node *n, char **env, struct slu_err *err)
{
	struct slu_buf text = {0};
	char *both;
	int rc = -1;

	if (!n->driver->env)
		return 0;
	if (!n->driver->env(&n->in, &text, err)) {
		rc = slu_note_put(n, "env.steps", 0644, text.data, err);
		if (!strcasecmp(slu_plan_option(&n->plan, "preload", "steps"),
				"all") &&
		    (both = slu_asprintf("%s%s", *env, text.data))) {
			free(*env);
			*env = both;
		}
	}
	slu_buf_free(&text);
	return rc;
}

int slu_note_env(struct slu_node *n, struct slu_err *err)
{
	char *env = environment(n);
	int rc;

	if (!env)
		return slu_err(err, SLU_NOMEM, "out of memory");
	rc = note_steps(n, &env, err) || slu_note_put(n, "env", 0644, env, err)
		     ? -1
		     : 0;
	free(env);
	return rc;
}

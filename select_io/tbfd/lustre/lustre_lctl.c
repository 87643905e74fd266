/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads and writes Lustre's parameters by running lctl, which knows their
 * places and reads them 4 KiB at a time (which is safe). Slower than files, as
 * each access starts a process.
 */
#include "config.h"
#include "select_io/tbfd/lustre/lustre_access.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/proc.h"

#define SECONDS 10
#define PARAM	64 /* "mds.MDS.mdt.nrs_policies" */

struct lctl {
	struct slu_lustre lustre;
	char *program;
};

/* "nrs_tbf_rule" of the service. */
static const char *param(const struct slu_lustre *lustre, const char *name,
			 char out[PARAM])
{
	snprintf(out, PARAM, "%s.%s", lustre->service->param, name);
	return out;
}

static int get(struct slu_lustre *lustre, const char *what, struct slu_buf *out,
	       struct slu_err *err)
{
	struct lctl *l = (struct lctl *)lustre;
	char *argv[] = {l->program, "get_param", (char *)what, NULL};

	slu_buf_reset(out);
	if (slu_run(argv, SECONDS, out, err))
		return -1;
	return out->len > 0 ? 0
			    : slu_err(err, SLU_INVALID, "%s: no %s", l->program,
				      what);
}

static int set(struct slu_lustre *lustre, const char *what, const char *value,
	       struct slu_err *err)
{
	struct lctl *l = (struct lctl *)lustre;
	struct slu_buf out = {.max = 65536};
	char *pair = slu_asprintf("%s=%s", what, value);
	char *argv[] = {l->program, "set_param", pair, NULL};
	int ret;

	if (!pair)
		return slu_err(err, SLU_NOMEM, "%s", what);
	ret = slu_run(argv, SECONDS, &out, err);
	free(pair);
	slu_buf_free(&out);
	return ret;
}

static int lctl_job_stats(struct slu_lustre *lustre, struct slu_jobstats *stats,
			  struct slu_err *err)
{
	struct slu_buf text = {0};
	char what[PARAM];
	int ret;

	snprintf(what, sizeof(what), "%s.*.job_stats", lustre->service->kind);
	ret = get(lustre, what, &text, err);
	stats->count_requests = lustre->service->requests;
	if (ret == 0)
		ret = slu_jobstats_parse(stats, text.data, text.len, err);
	slu_buf_free(&text);
	return ret;
}

/* Without the TBF policy, reading its rules fails with "No such device". */
static int lctl_rules(struct slu_lustre *lustre, struct slu_buf *out,
		      struct slu_err *err)
{
	char what[PARAM];

	if (get(lustre, param(lustre, "nrs_tbf_rule", what), out, err) == 0)
		return 0;
	if (err && out->data && strstr(out->data, "No such device"))
		err->kind = SLU_NOTFOUND;
	return -1;
}

static int lctl_policies(struct slu_lustre *lustre, struct slu_buf *out,
			 struct slu_err *err)
{
	char what[PARAM];

	return get(lustre, param(lustre, "nrs_policies", what), out, err);
}

static int lctl_set_rule(struct slu_lustre *lustre, const char *command,
			 struct slu_err *err)
{
	char what[PARAM];

	return set(lustre, param(lustre, "nrs_tbf_rule", what), command, err);
}

static int lctl_set_policy(struct slu_lustre *lustre, const char *policy,
			   struct slu_err *err)
{
	char what[PARAM];

	return set(lustre, param(lustre, "nrs_policies", what), policy, err);
}

static void lctl_free(struct slu_lustre *lustre)
{
	free(((struct lctl *)lustre)->program);
	free(lustre);
}

struct slu_lustre *slu_lustre_lctl(const char *program,
				   const struct slu_lustre_service *service,
				   struct slu_err *err)
{
	struct lctl *l = calloc(1, sizeof(*l));

	if (!l || !(l->program = strdup(program))) {
		free(l);
		slu_err(err, SLU_NOMEM, "%s", program);
		return NULL;
	}
	l->lustre = (struct slu_lustre){
		.service = service,
		.job_stats = lctl_job_stats,
		.rules = lctl_rules,
		.policies = lctl_policies,
		.set_rule = lctl_set_rule,
		.set_policy = lctl_set_policy,
		.free = lctl_free,
	};
	return &l->lustre;
}

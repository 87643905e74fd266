/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recovers runs that have ended but are not in the database, because it was
 * lost or restored from an older copy. Their nodes keep the data that was to be
 * staged out, and report that. sluiced believes a report only if slurmctld has
 * reported that the run ended and was on that node; the job then gets the
 * verdict of a failed stage-out.
 */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/recovery/recovery_ended.h"
#include "common/hostlist.h"
#include "common/str.h"

static struct slu_bb_ended_run *find(struct slu_buffers *b, uint32_t job_id)
{
	for (size_t i = 0; i < SLU_BB_ENDED_RUNS; i++)
		if (b->unknown[i].nodes && b->unknown[i].job_id == job_id)
			return &b->unknown[i];
	return NULL;
}

static void put(struct slu_bb_ended_run *u, const struct slu_job *job,
		double now, char *nodes)
{
	free(u->nodes);
	*u = (struct slu_bb_ended_run){
		.job_id = job->job_id,
		.restarts = job->restarts,
		.ended = (int64_t)now,
		.nodes = nodes,
	};
}

/* A ring: only the latest unknown runs are remembered. */
void slu_recover_ended(struct slu_buffers *b, const struct slu_job *job,
		       double now)
{
	struct slu_bb_ended_run *u = find(b, job->job_id);
	char *nodes;

	if (u && u->restarts == job->restarts)
		return;
	nodes = job->nodes ? strdup(job->nodes) : NULL;
	if (!nodes)
		return;
	if (!u)
		u = &b->unknown[b->n_unknown++ % SLU_BB_ENDED_RUNS];
	put(u, job, now, nodes);
	b->ops->wake(b->arg, job->job_id);
}

static bool has_node(const struct slu_bb_ended_run *u, const char *node)
{
	struct slu_hosts hosts;
	bool has = false;

	if (slu_hosts_parse(u->nodes, &hosts, NULL))
		return false;
	for (size_t i = 0; !has && i < hosts.n; i++)
		has = !strcmp(hosts.name[i], node);
	slu_hosts_free(&hosts);
	return has;
}

static void tell(struct slu_buffers *b, struct slu_bb_ended_run *u,
		 const struct slu_report *r)
{
	char text[400], line[500], reason[500];
	const struct slu_verdict verdict = {
		.job_id = u->job_id,
		.reason = reason,
		.restarts = u->restarts,
		.ended = u->ended,
	};

	snprintf(text, sizeof(text), "%.60s: %.300s", r->node,
		 r->text ? r->text : r->step);
	slu_printable(text);
	snprintf(line, sizeof(line), "job %u: %s", (unsigned)u->job_id, text);
	b->ops->log(b->arg, SLU_WARN, line);
	if (u->reported) /* by another node of the run */
		return;
	u->reported = true;
	snprintf(reason, sizeof(reason), "sluice: stage-out failed: %s", text);
	b->ops->verdict(b->arg, b->conf->on_stage_out, &verdict);
}

int slu_recover_doubted(struct slu_buffers *b, const struct slu_report *r,
			struct slu_answer *out, struct slu_err *err)
{
	struct slu_bb_ended_run *u = find(b, r->job_id);

	if (!u)
		return slu_err(err, SLU_BUSY,
			       "slurmctld has not reported this job yet");
	if (!has_node(u, r->node))
		return slu_err(err, SLU_NOTFOUND, "%s is no node of job %u",
			       r->node, (unsigned)r->job_id);
	tell(b, u, r);
	*out = (struct slu_answer){.word = strdup("go")};
	return out->word ? 0 : slu_err(err, SLU_NOMEM, "out of memory");
}

void slu_recover_free(struct slu_buffers *b)
{
	for (size_t i = 0; i < SLU_BB_ENDED_RUNS; i++)
		free(b->unknown[i].nodes);
}

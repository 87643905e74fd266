/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Notifies slurmctld and users of a buffer's progress: its state, how many of
 * its nodes are done, which ones it waits for, how much is copied. Where nodes
 * are many, messages are delayed and combined.
 */
#include "config.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/barriers.h"
#include "burst_buffer/lifecycle/effects/fate.h"
#include "burst_buffer/lifecycle/effects/notifications.h"
#include "burst_buffer/lifecycle/persistent_use.h"
#include "burst_buffer/lifecycle/record_facts.h"
#include "burst_buffer/request/site/fstype.h"
#include "common/jsonx.h"
#include "common/size.h"
#include "common/str.h"

/* seconds between two messages about how much is copied */
#define PROGRESS 5.0
#define FEW	 64  /* up to so many nodes, each one is reported */
#define EVERY	 1.0 /* seconds between two messages where there are more */

void slu_bb_log(struct slu_buffers *b, const struct slu_bb *bb,
		enum slu_level level, const char *fmt, ...)
{
	char line[1024];
	va_list ap;
	int n;

	n = snprintf(line, sizeof(line),
		     "job %u buffer %llu: ", (unsigned)bb->plan.job_id,
		     (unsigned long long)bb->id);
	va_start(ap, fmt);
	vsnprintf(line + n, sizeof(line) - (size_t)n, fmt, ap);
	va_end(ap);
	b->ops->log(b->arg, level, line);
}

static bool has_done(const struct slu_bb *bb, uint64_t stages, size_t i)
{
	return bb->state == SLU_BB_SETUP
		       ? bb->member[i].attached
		       : (bb->member[i].shared & stages) == stages;
}

/* Nodes that have finished the present state's work. */
static size_t count_done(const struct slu_bb *bb)
{
	uint64_t all = slu_bb_stages(bb, bb->state == SLU_BB_STAGE_OUT);
	size_t i, n = 0;

	if (bb->plan.persistent && bb->state == SLU_BB_RUNNING)
		return 1 + bb->persistent.users +
		       ((size_t)bb->persistent.destroy << 20) +
		       (bb->persistent.unsaved ? 1 << 22 : 0);
	if (bb->state == SLU_BB_TEARDOWN)
		return slu_bb_count(bb, SLU_IN(SLU_NODE_CLEAN));
	for (i = 0; i < bb->plan.n_node; i++)
		n += has_done(bb, all, i);
	return n;
}

static size_t count_late(const struct slu_bb *bb)
{
	size_t n = 0;

	for (size_t i = 0; i < bb->plan.n_node; i++)
		n += slu_bb_is_waited_for(bb, i);
	return n;
}

/* A number that changes when the set of nodes waited for changes. */
static uint64_t digest_late(const struct slu_bb *bb)
{
	const struct slu_bb_barrier *closed = slu_bb_closed_barrier(bb);
	uint64_t digest = 0;

	for (size_t i = 0; i < bb->plan.n_node; i++)
		if (slu_bb_is_late_at(bb, closed, i))
			digest = (digest + i + 1) * 0x9e3779b97f4a7c15;
	return digest;
}

static char *failure(const struct slu_bb *bb)
{
	char *failed = slu_bb_failed_text(bb);
	char *text = failed ? slu_asprintf("sluice: %s", failed) : NULL;

	free(failed);
	return text;
}

/* ", 70 of 1000 files, 3GiB of 10GiB copied"; totals where they are known,
 * files where a node has reported any, "" while none has reported. */
static const char *progress(const struct slu_bb *bb, char out[120])
{
	char done[SLU_SIZE_TEXT], total[SLU_SIZE_TEXT];
	uint64_t copied = 0, to_copy = 0, files = 0, files_to_copy = 0;
	bool whole;
	int n = 0;
	size_t i;

	for (i = 0; i < bb->plan.n_node; i++) {
		copied += bb->member[i].copied;
		files += bb->member[i].files;
	}
	for (i = 0; i < bb->n_part; i++) {
		to_copy += bb->part[i].to_copy;
		files_to_copy += bb->part[i].files_to_copy;
	}
	slu_size_text(copied, done);
	slu_size_text(to_copy, total);
	whole = to_copy >= copied && files_to_copy >= files;
	*out = '\0';
	if (!copied && !files)
		return out;
	if (whole && files_to_copy)
		n = snprintf(out, 120, ", %" PRIu64 " of %" PRIu64 " files",
			     files, files_to_copy);
	else if (files)
		n = snprintf(out, 120, ", %" PRIu64 " files", files);
	snprintf(out + n, 120 - (size_t)n, ", %s%s%s copied", done,
		 whole ? " of " : "", whole ? total : "");
	return out;
}

/* ", waits for n[17,401]" once another node has arrived; else "". */
static const char *waits_for(const struct slu_bb *bb, char text[240])
{
	char *late = count_late(bb) < bb->plan.n_node
			     ? slu_bb_hosts(bb, slu_bb_is_waited_for)
			     : NULL;
	size_t len = late ? strlen(late) : 0;

	*text = '\0';
	if (len)
		snprintf(text, 240, ", waits for %.200s%s", late,
			 len > 200 ? "..." : "");
	free(late);
	return text;
}

/* The nodes that are still booting, as Slurm has powered them on for the
 * job. */
static char *booting(const struct slu_bb *bb)
{
	char *nodes = slu_bb_hosts(bb, slu_bb_is_waited_for), *text;

	text = slu_asprintf("sluice: waits for %.200s%s to boot",
			    nodes ? nodes : "its nodes",
			    nodes && strlen(nodes) > 200 ? "..." : "");
	free(nodes);
	return text;
}

/* What the buffer is doing, or what has become of the data, once that is
 * known. */
static char *doing(const struct slu_bb *bb)
{
	const bool stages =
		bb->state == SLU_BB_STAGE_IN || bb->state == SLU_BB_STAGE_OUT;
	char copied[120], late[240],
		*out = bb->state == SLU_BB_TEARDOWN ? slu_bb_staged_out(bb)
						    : NULL,
		*text;

	text = slu_asprintf("sluice: %s, %zu of %zu nodes done%s%s%s%s",
			    slu_bb_phase(bb->state), count_done(bb),
			    bb->plan.n_node, waits_for(bb, late),
			    stages ? progress(bb, copied) : "", out ? "; " : "",
			    out ? out : "");
	free(out);
	return text;
}

char *slu_bb_sentence(const struct slu_bb *bb)
{
	if (bb->failure.text)
		return failure(bb);
	if (bb->plan.early && bb->state == SLU_BB_RUNNING)
		return slu_asprintf("sluice: staged in, waits for job %u",
				    (unsigned)bb->plan.creator);
	if (bb->plan.persistent && bb->state == SLU_BB_RUNNING)
		return slu_persistent_sentence(bb);
	if (bb->state == SLU_BB_RUNNING || bb->state == SLU_BB_DONE)
		return strdup("");
	return slu_bb_boots(bb) ? booting(bb) : doing(bb);
}

struct json_object *slu_buffers_progress(const struct slu_buffers *b,
					 uint32_t job_id, uint32_t uid)
{
	struct json_object *all = json_object_new_object();
	char id[24], *text;

	for (const struct slu_bb *bb = b->first; bb; bb = bb->next) {
		if (!slu_bb_is_asked(bb, job_id, uid) || bb->failure.text)
			continue;
		text = slu_bb_sentence(bb);
		snprintf(id, sizeof(id), "%llu", (unsigned long long)bb->id);
		if (text && *text)
			slu_json_set_str(all, id, text);
		free(text);
	}
	return all;
}

/* While the job runs: all nodes that have the buffer; else those that it waits
 * for. */
static bool is_pending(const struct slu_bb *bb, size_t i)
{
	return bb->state == SLU_BB_RUNNING || slu_bb_is_waited_for(bb, i);
}

int slu_bb_mirror(const struct slu_bb *bb, struct slu_buffer_state *out)
{
	*out = (struct slu_buffer_state){
		.buffer = bb->id,
		.job_id = bb->plan.job_id,
		.uid = bb->plan.uid,
		.name = strdup(bb->plan.name),
		.state = strdup(slu_bb_name((int)bb->state)),
		.text = slu_bb_sentence(bb),
		.size = bb->plan.capacity,
		.pool = bb->plan.pool ? strdup(bb->plan.pool) : NULL,
		.created = (int64_t)bb->created,
		.pending = slu_bb_hosts(bb, is_pending),
		.failed = bb->failure.text != NULL,
		.persistent = bb->plan.persistent,
		.group = bb->plan.group,
		.leaving = slu_persistent_goes(bb) || bb->end.at > 0 ||
			   bb->failure.text,
		.creator = bb->plan.creator,
		.expires = bb->plan.expires,
		.early = bb->plan.early,
	};
	if (slu_plan_coherence(&bb->plan))
		out->coherence = strdup(
			slu_coherence_names[slu_plan_coherence(&bb->plan)]);
	if (out->name && out->state && out->text && out->pending)
		return 0;
	slu_msg_clear(&slu_buffer_desc, out);
	return -1;
}

/* squeue's reason belongs to the job's newest run; the reason of a failure
 * stays, as the verdict decides about the job. */
static void annotate(struct slu_buffers *b, const struct slu_bb *bb, char *text)
{
	const struct slu_annotate note = {bb->plan.job_id, *text ? text : NULL,
					  false};

	if (!bb->plan.persistent && slu_bb_is_newest(b, bb) &&
	    !(bb->failure.text && bb->state == SLU_BB_DONE))
		b->ops->annotate(b->arg, &note);
}

/* One of many nodes has arrived, shortly after the one before: the message can
 * wait. */
static bool can_wait(const struct slu_bb *bb,
		     const struct slu_bb_notified *news)
{
	const struct slu_bb_notified *told = &bb->notified;

	const bool counted =
		news->done != told->done || news->clean != told->clean;

	return news->state == told->state && news->failed == told->failed &&
	       bb->state != SLU_BB_RUNNING &&
	       (bb->plan.n_node > FEW || !counted) &&
	       news->done < bb->plan.n_node && news->clean < bb->plan.n_node &&
	       news->at >= told->at && news->at < told->at + EVERY;
}

static void tell_news(struct slu_buffers *b, struct slu_bb *bb, double now)
{
	const struct slu_bb_notified news = {
		.state = bb->state,
		.failed = bb->failure.text != NULL,
		.done = count_done(bb),
		.clean = slu_bb_count(bb, SLU_IN(SLU_NODE_CLEAN)),
		.waits_for = digest_late(bb),
		.boots = slu_bb_boots(bb),
		.progress = bb->notified.progress,
		.at = now,
	};
	const struct slu_bb_notified *told = &bb->notified;
	struct slu_buffer_state state;
	bool same = news.state == told->state && news.failed == told->failed &&
		    news.done == told->done && news.clean == told->clean &&
		    news.waits_for == told->waits_for &&
		    news.boots == told->boots;

	bb->notified.late = !same && can_wait(bb, &news);
	if (same || bb->notified.late || slu_bb_mirror(bb, &state))
		return;
	bb->notified = news;
	b->ops->mirror(b->arg, &state);
	annotate(b, bb, state.text);
	slu_msg_clear(&slu_buffer_desc, &state);
}

static bool all_have_done(const struct slu_bb *bb)
{
	uint64_t stages = slu_bb_stages(bb, false);
	size_t i = 0;

	while (i < bb->plan.n_node && has_done(bb, stages, i))
		i++;
	return i == bb->plan.n_node;
}

/* A notification is delayed already: nothing has to be counted for each of many
 * nodes that arrive before it is sent. */
static bool waits_already(const struct slu_bb *bb, double now)
{
	const struct slu_bb_notified *told = &bb->notified;

	return told->late && bb->state == told->state &&
	       (bb->failure.text != NULL) == told->failed &&
	       bb->plan.n_node > FEW && now >= told->at &&
	       now < told->at + EVERY && bb->state < SLU_BB_RUNNING &&
	       !all_have_done(bb);
}

void slu_bb_notify(struct slu_buffers *b, struct slu_bb *bb, double now)
{
	if (!waits_already(bb, now))
		tell_news(b, bb, now);
}

void slu_bb_notify_delayed(struct slu_buffers *b, struct slu_bb *bb, double now,
			   double *next)
{
	double at = bb->notified.at + EVERY;

	if (bb->notified.late)
		slu_bb_notify(b, bb, now);
	if (bb->notified.late && at < *next)
		*next = at;
}

void slu_bb_notify_progress(struct slu_buffers *b, struct slu_bb *bb, size_t i,
			    const struct slu_node_ask *ask, double now)
{
	struct slu_bb_member *m = &bb->member[i];
	struct slu_bb_part *part = &bb->part[m->part];

	if ((!ask->copied && !ask->copied_files) ||
	    (ask->copied == m->copied && ask->copied_files == m->files))
		return;
	m->copied = ask->copied;
	m->files = ask->copied_files;
	if (ask->to_copy || ask->files_to_copy) {
		part->to_copy = ask->to_copy;
		part->files_to_copy = ask->files_to_copy;
	}
	if (now < bb->notified.progress + PROGRESS || bb->failure.text)
		return;
	bb->notified.state = 0; /* it is news */
	bb->notified.progress = now;
	slu_bb_notify(b, bb, now);
}

void slu_bb_forget_progress(struct slu_bb *bb)
{
	for (size_t i = 0; i < bb->plan.n_node; i++)
		bb->member[i].copied = bb->member[i].files = 0;
	for (size_t p = 0; p < bb->n_part; p++)
		bb->part[p].to_copy = bb->part[p].files_to_copy = 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the texts that tell a job's user what became of the job's data: staged
 * in, staged out, verified, left out, or kept after a failure and how to fetch
 * it. What only concerns administrators is left out.
 */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "burst_buffer/lifecycle/effects/fate.h"
#include "burst_buffer/lifecycle/record_facts.h"
#include "burst_buffer/request/site/fstype.h"
#include "common/size.h"
#include "common/str.h"

static bool keeps(const struct slu_bb *bb, size_t i)
{
	return !slu_bb_is_lost(bb, i) && !bb->plan.node[i].client;
}

/* The command that fetches the data from all nodes at once. Caller frees; NULL:
 * no memory. */
static char *fetch_line(const struct slu_bb *bb, const char *hosts)
{
	size_t n = 0;

	for (size_t i = 0; i < bb->plan.n_node; i++)
		n += keeps(bb, i);
	return slu_asprintf("srun -N%zu -w %s sluice-node fetch %u DIR", n,
			    hosts, (unsigned)bb->plan.job_id);
}

/* The answer depends on where the driver stores data. */
char *slu_bb_kept_where(const struct slu_bb *bb)
{
	const struct slu_plan *plan = &bb->plan;
	const struct slu_fstype *type = slu_fstype_find(plan->driver);
	char *hosts, *line, *text = NULL, time[SLU_TIME_TEXT];

	if (plan->use)
		return slu_asprintf("the data stays in the persistent buffer "
				    "%s",
				    plan->name);
	if (plan->keep_failed <= 0)
		return strdup("the data is not kept (KeepFailed=0)");
	slu_seconds_text((double)plan->keep_failed, time);
	if (type && type->remote)
		return slu_asprintf(
			"the data is kept in %s/kept/%u.%llu/data for %s",
			slu_plan_option(plan, "root", ""),
			(unsigned)plan->job_id,
			(unsigned long long)plan->buffer, time);
	hosts = slu_bb_hosts(bb, keeps);
	line = hosts ? fetch_line(bb, hosts) : NULL;
	if (line && slu_fstype_in_pieces(plan) && !type->joined)
		text = slu_asprintf(
			"the data is kept on %s for %s, in pieces that only "
			"an administrator can join",
			hosts, time);
	else if (line)
		text = slu_asprintf("the data is kept on %s for %s%s: %s",
				    hosts, time,
				    slu_fstype_in_pieces(plan)
					    ? ", in pieces, which this joins"
					    : "",
				    line);
	free(line);
	free(hosts);
	return text;
}

static bool has_kept(const struct slu_bb *bb)
{
	return slu_bb_failed_with_data(bb) && slu_bb_has_data(bb);
}

char *slu_bb_failed_text(const struct slu_bb *bb)
{
	const char *phase = slu_bb_phase(bb->failure.in);
	char *where, *text;

	if (!has_kept(bb) || (!bb->plan.use && bb->plan.keep_failed <= 0))
		return slu_asprintf("%s failed: %s", phase, bb->failure.text);
	where = slu_bb_kept_where(bb);
	text = where ? slu_asprintf("%s failed: %s; %s", phase,
				    bb->failure.text, where)
		     : NULL;
	free(where);
	return text;
}

/* The sums of all nodes over the requests in `which`. */
static struct slu_bb_share add_up(const struct slu_bb *bb, uint64_t which)
{
	struct slu_bb_share sum = {0};

	for (size_t r = 0; r < bb->plan.n_stage; r++)
		for (size_t p = 0; which >> r & 1 && p < bb->n_part; p++) {
			sum.bytes += bb->part[p].sum[r].all.bytes;
			sum.files += bb->part[p].sum[r].all.files;
			slu_bb_add_cache(&sum.cache,
					 &bb->part[p].sum[r].all.cache);
		}
	return sum;
}

/* "staged in 1200 files, 2.5GiB, in 12 s"; without the time if sluiced was
 * restarted during the phase. */
static void put_staged(struct slu_buf *out, const struct slu_bb *bb, bool way)
{
	const struct slu_bb_share sum = add_up(bb, slu_bb_stages(bb, way));
	char size[SLU_SIZE_TEXT], time[SLU_TIME_TEXT];

	slu_buf_printf(out, "staged %s %" PRIu64 " file%s, %s",
		       way ? "out" : "in", sum.files, sum.files == 1 ? "" : "s",
		       slu_size_text(sum.bytes, size));
	if (sum.cache.hits)
		slu_buf_printf(out, ", %s of it from the nodes' stage caches",
			       slu_size_text(sum.cache.bytes, size));
	if (bb->took[way] > 0)
		slu_buf_printf(out, ", in %s",
			       slu_seconds_text(bb->took[way], time));
}

static void put_in(struct slu_buf *out, const struct slu_bb *bb)
{
	if (slu_bb_stages(bb, false))
		put_staged(out, bb, false);
	else if (bb->plan.staged)
		slu_buf_puts(out, "staged in before the job began");
	else
		slu_buf_puts(out, "nothing was to be staged in");
}

/* Was the data verified by other nodes than those that copied it
 * (staging/acts/act_verify.c)? Yes where several nodes copy. */
static bool by_others(const struct slu_bb *bb)
{
	size_t n = 0;

	for (size_t i = 0; i < bb->plan.n_node; i++)
		n += bb->plan.node[i].staging && !slu_bb_is_lost(bb, i);
	return slu_bb_together(bb) && n > 1;
}

static bool by_holders(const struct slu_bb *bb, size_t r)
{
	size_t n = 0, held = 0;

	for (size_t p = 0; p < bb->n_part; p++) {
		n += bb->part[p].sum[r].n;
		held += bb->part[p].sum[r].held;
	}
	return n && held == n;
}

/* How data that was verified by content was verified. */
const char *slu_bb_verified(const struct slu_bb *bb)
{
	static const char *const texts[3][3] = {
		{"by size and time", "by content",
		 "by size and time and in part by content"},
		{"by size and time on another node",
		 "by content on another node",
		 "by size and time and in part by content on another node"},
		{[1] = SLU_BY_HOLDERS,
		 [2] = "by size and time and in part by content on the nodes "
		       "that hold it"},
	};
	const uint64_t which = slu_bb_stages(bb, true);
	size_t content = 0, held = 0, size = 0;

	for (size_t r = 0; r < bb->plan.n_stage; r++)
		if (which >> r & 1 && bb->plan.stage[r].content) {
			content++;
			held += by_holders(bb, r);
		} else if (which >> r & 1) {
			size++;
		}
	return texts[content && held == content ? 2 : by_others(bb)]
		    [!content ? 0
		     : !size  ? 1
			      : 2];
}

/* The destination, if there is only one. */
static const char *only_destination(const struct slu_bb *bb)
{
	const uint64_t which = slu_bb_stages(bb, true);
	const char *to = NULL;

	for (size_t r = 0; r < bb->plan.n_stage; r++)
		if (which >> r & 1) {
			if (to)
				return NULL;
			to = bb->plan.stage[r].destination;
		}
	return to;
}

static void put_verified(struct slu_buf *out, const struct slu_bb *bb)
{
	put_staged(out, bb, true);
	slu_buf_printf(out, ", verified %s", slu_bb_verified(bb));
}

char *slu_bb_staged_out(const struct slu_bb *bb)
{
	struct slu_buf out = {0};

	if (bb->failure.text || !slu_bb_stages(bb, true))
		return NULL;
	put_verified(&out, bb);
	return slu_buf_steal(&out);
}

static void put_out(struct slu_buf *out, const struct slu_bb *bb)
{
	const char *to = only_destination(bb);

	put_verified(out, bb);
	if (to)
		slu_buf_printf(out, ", to %s", to);
}

static bool has_stage_out(const struct slu_bb *bb)
{
	for (size_t r = 0; r < bb->plan.n_stage; r++)
		if (bb->plan.stage[r].out)
			return true;
	return false;
}

static const char *ended(const struct slu_bb *bb, char text[48])
{
	if (bb->end.outcome == SLU_OUTCOME_SUCCESS)
		return "ended COMPLETED";
	if (!bb->end.state[0])
		return "did not COMPLETE";
	snprintf(text, 48, "ended %s", bb->end.state);
	return text;
}

/* The source as the user wrote it: slu_plan_make() has replaced it by the path
 * on the nodes. */
static void put_source(struct slu_buf *out, const struct slu_bb *bb,
		       const char *source)
{
	char mount[32];
	const char *at;

	snprintf(mount, sizeof(mount), "/%u/mnt/data",
		 (unsigned)bb->plan.job_id);
	at = strstr(source, mount);
	if (at)
		slu_buf_printf(out, "$BB_%s%s", bb->plan.name,
			       at + strlen(mount));
	else
		slu_buf_puts(out, source);
}

static void put_left_out(struct slu_buf *out, const struct slu_bb *bb)
{
	const uint64_t which = slu_bb_stages(bb, true);
	char text[48];

	for (size_t r = 0; r < bb->plan.n_stage; r++) {
		const struct slu_stage *s = &bb->plan.stage[r];

		if (!s->out || which >> r & 1)
			continue;
		slu_buf_printf(out, "%sstage_out of ", out->len ? "; " : "");
		put_source(out, bb, s->source);
		slu_buf_printf(out, " was left out: on=%s, and the job %s",
			       s->on, ended(bb, text));
	}
}

char *slu_bb_not_staged(const struct slu_bb *bb)
{
	struct slu_buf out = {0};

	if (bb->ready > 0 && !bb->end.unlaunched)
		put_left_out(&out, bb);
	else if (bb->ready > 0 && has_stage_out(bb))
		slu_buf_puts(&out, bb->end.hurry
					   ? "it was cancelled with scancel "
					     "--hurry, nothing is staged "
					     "out"
					   : "it was never launched, nothing "
					     "is staged out");
	return slu_buf_steal(&out);
}

/* The failure's own text says where the data is and how to fetch it. */
static void put_until(struct slu_buf *out, const struct slu_bb *bb)
{
	time_t until = (time_t)(bb->failure.at + (double)bb->plan.keep_failed);
	char when[32];
	struct tm tm;

	if (!has_kept(bb) || bb->plan.use || bb->plan.keep_failed <= 0 ||
	    !localtime_r(&until, &tm) ||
	    !strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", &tm))
		return;
	slu_buf_printf(out, "\nafter %s what is kept is removed", when);
}

char *slu_bb_begin_text(const struct slu_bb *bb)
{
	struct slu_buf out = {0};

	put_in(&out, bb);
	return slu_buf_steal(&out);
}

char *slu_bb_stage_out_text(const struct slu_bb *bb)
{
	struct slu_buf out = {0};
	/* failures of later phases do not concern the user */
	bool bad = bb->failure.text && bb->failure.in <= SLU_BB_STAGE_OUT;
	char *failed = bad ? slu_bb_failed_text(bb) : NULL, *left_out;

	if (!bad)
		put_out(&out, bb);
	if (failed) {
		slu_buf_puts(&out, failed);
		put_until(&out, bb);
	}
	left_out = slu_bb_not_staged(bb);
	if (left_out && *left_out)
		slu_buf_printf(&out, "\n%s", left_out);
	free(left_out);
	free(failed);
	return slu_buf_steal(&out);
}

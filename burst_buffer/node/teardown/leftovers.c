/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handles storage of instances that have no note on this node. A plan is noted
 * before anything is made for it, so storage without a note means that a
 * restart of the node has removed the notes.
 *
 * If sluiced still knows the instance, its plan is noted again, as interrupted
 * by a restart, and a worker takes it down, which keeps data that was to be
 * staged out. If sluiced does not know it either, it has no owner and is
 * removed; if that fails the node is drained until it succeeds. Data that users
 * rely on stays for KeepFailed first, as sluiced may run with a wrong database.
 */
#include "config.h"
#include "burst_buffer/node/teardown/leftovers.h"
#include "burst_buffer/node/receipts.h"
#include "burst_buffer/node/teardown/dirty.h"
#include "burst_buffer/node/teardown/discard.h"
#include "burst_buffer/node/teardown/holders.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "burst_buffer/host/trust.h"
#include "burst_buffer/node/talk.h"
#include "burst_buffer/node/verbs.h"
#include "common/file.h"
#include "burst_buffer/node/instance_name.h"
#include "burst_buffer/node/teardown/worker.h"

#define ASK_TIME   30.0 /* seconds for sluiced's answer */
#define BEGIN_TIME 10.0 /* seconds to wait for an `up` that begins */
/* seconds, for data that is not of a failed stage-out */
#define LEAST_STAY (48 * 3600)
#define FORGOTTEN  "forgotten" /* file in an instance: unknown since then */
#define STAGE_OUT  "stage_out" /* file in an instance: it has a stage-out */

static bool is_noted_as(const struct slu_node *n, uint32_t job_id,
			uint64_t buffer)
{
	struct slu_node other = {.job_id = job_id};

	snprintf(other.dir, sizeof(other.dir), "%s/%u", n->conf->run_dir,
		 (unsigned)job_id);
	return slu_noted_is(&other, buffer);
}

/* Reports to sluiced that the instance is removed. A failure is ignored:
 * sluiced may not know the instance any more, or be down. */
static void tell_clean(struct slu_node *n, uint32_t job_id, uint64_t buffer)
{
	struct slu_report r = {
		.step = "clean", .ok = true, .phase = "teardown"};
	struct slu_node as = *n;
	struct slu_err err;

	as.job_id = job_id;
	as.plan.buffer = buffer;
	as.deadline = slu_now_mono() + 5;
	slu_talk_step(&as, &r, &err);
	n->http = as.http;
}

/* Is a part of it kept, on another device? */
static bool is_kept_beside(const struct slu_node *n, uint32_t job_id,
			   uint64_t buffer, int64_t *until)
{
	struct slu_kept *list;
	size_t count;
	bool is = false;

	if (slu_kept_list(n->conf, job_id, &list, &count, NULL))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (list[i].buffer != buffer || !list[i].until)
			continue;
		*until = list[i].until;
		is = true;
	}
	free(list);
	return is;
}

/* Was it to be kept, until *until, but is in its old place? A restart of the
 * node has undone the move, or its device was not mounted when the rest of a
 * share that is spread was kept. */
static bool is_to_keep(const struct slu_node *n, const struct slu_storage *s,
		       uint32_t job_id, uint64_t buffer, int64_t *until)
{
	return slu_storage_is_to_keep(s, until) ||
	       is_kept_beside(n, job_id, buffer, until);
}

/* Keeps data that was to be kept: a node may not decide to discard it. */
static int keep_one(struct slu_node *n, const struct slu_storage *s,
		    int64_t until, struct slu_err *err)
{
	char kept[4096];

	if (slu_storage_keep(s, (uid_t)-1, until, kept, err))
		return -1;
	slu_node_log(n, SLU_WARN,
		     "%s is kept now, in %s: a restart had undone it, or its "
		     "device was not mounted",
		     s->dir, kept);
	return 0;
}

static int wipe_one(struct slu_node *n, const struct slu_storage *s,
		    uint32_t job_id, uint64_t buffer, struct slu_err *err)
{
	struct slu_node as = *n;
	int rc = slu_storage_wipe(s, (uid_t)-1, err);

	if (rc < 0)
		return -1;
	slu_node_log(n, SLU_WARN, "removed a leftover of job %u: %s",
		     (unsigned)job_id, s->dir);
	as.job_id = job_id;
	as.plan.buffer = buffer;
	as.deadline = slu_now_mono() + 5;
	if (rc > 0)
		slu_holders_report(&as, err);
	n->http = as.http;
	return 0;
}

/* Does the instance have a note by now? */
static bool is_noted(const struct slu_node *n)
{
	return slu_note_has(n, "plan.json") || slu_note_has(n, "up.pid");
}

/* Notes the plan again, unless this node is done with it. A later `up` ends
 * older instances by itself. */
static int adopt(const struct slu_node *n, struct slu_plan *plan,
		 struct slu_err *err)
{
	struct slu_node_options opt = *n->opt;
	struct slu_node as;
	int rc, begun = -1;

	if (plan->persistent) /* `serve` makes it again */
		return 0;
	opt.job_id = plan->job_id;
	rc = slu_node_open(&as, &opt, err);
	if (!rc && slu_receipts_show(&as, plan))
		goto out;
	rc = rc || slu_mkdirs(n->conf->run_dir, 0755, err);
	if (rc || is_noted(&as))
		goto out;
	begun = slu_note_begin(&as, as.job_id == n->job_id ? BEGIN_TIME : 0,
			       err);
	rc = begun < 0;
	if (rc || is_noted(&as))
		goto out;
	rc = slu_mkdirs(as.dir, 0711, err) ||
	     slu_node_take_plan(&as, plan, err) ||
	     slu_note_put(&as, "restarted", 0644, "", err) ||
	     slu_note_plan(&as, err) || slu_worker_start(&as, err);
	slu_node_log(&as, SLU_WARN,
		     "nothing of it is noted here, `down` begins%s%s",
		     rc ? ": " : "", rc ? err->text : "");
out:
	slu_note_begun(begun);
	slu_node_close(&as);
	return rc ? -1 : 0;
}

/* The instances that have a part on this node, from sluiced. */
struct known {
	size_t n;
	struct instance {
		uint32_t job_id;
		uint64_t buffer;
	} * at;
	char dirty[SLU_ERR_TEXT]; /* the first one that cannot be removed */
};

/* An error with another job's instance does not fail this job: it is only
 * logged. */
static int adopt_all(const struct slu_node *n, struct slu_node_inventory *owed,
		     struct slu_err *err)
{
	struct slu_err why;
	uint32_t job_id;
	int rc = 0;

	for (size_t i = 0; i < owed->n_plan; i++) {
		job_id = owed->plan[i].job_id;
		if (!adopt(n, &owed->plan[i], &why) ||
		    (why.kind == SLU_BUSY && n->job_id != job_id))
			continue;
		slu_node_log((struct slu_node *)n, SLU_ERROR,
			     "job %u cannot be taken down: %s",
			     (unsigned)job_id, why.text);
		if (n->job_id && n->job_id != job_id)
			continue;
		rc = 1;
		*err = why;
	}
	return rc;
}

/* Asks sluiced for the instances of this node; the caller frees out->at. */
static int ask(struct slu_node *n, double seconds, struct known *out,
	       struct slu_err *err)
{
	double deadline = n->deadline;
	struct slu_node_inventory owed;
	int rc;

	n->deadline = slu_now_mono() + seconds;
	rc = slu_talk_inventory(n, &owed, err);
	n->deadline = deadline;
	if (rc)
		return -1;
	*out = (struct known){.at = calloc(owed.n_plan + 1, sizeof(*out->at))};
	for (; out->at && out->n < owed.n_plan; out->n++)
		out->at[out->n] = (struct instance){owed.plan[out->n].job_id,
						    owed.plan[out->n].buffer};
	rc = out->at ? adopt_all(n, &owed, err)
		     : slu_err(err, SLU_NOMEM, "out of memory");
	if (owed.discard && *owed.discard)
		slu_discard_wanted(n, owed.discard);
	slu_msg_clear(&slu_node_inventory_desc, &owed);
	return rc;
}

int slu_leftovers_reconcile(struct slu_node *n, double seconds,
			    struct slu_err *err)
{
	struct known known = {0};
	int rc = ask(n, seconds, &known, err);

	free(known.at);
	return rc;
}

static bool is_known(const struct known *known, uint32_t job_id,
		     uint64_t buffer)
{
	for (size_t i = 0; i < known->n; i++)
		if (known->at[i].job_id == job_id &&
		    known->at[i].buffer == buffer)
			return true;
	return false;
}

/* The time by sluiced's clock, from its credential, as a node may boot with a
 * clock that is years ahead. 0: sluiced has not answered. */
static int64_t today(const struct slu_node *n)
{
	double offset = n->http ? slu_http_verified_clock_offset(n->http) : NAN;

	return isnan(offset) ? 0 : slu_today() + (int64_t)offset;
}

int64_t slu_leftovers_clock(const struct slu_node *n)
{
	int64_t theirs = today(n), ours = slu_today();

	return theirs < ours ? theirs : ours;
}

/* When the instance was first missing at sluiced; *first: it is noted only
 * now. */
static int64_t forgotten_since(struct slu_node *n, const struct slu_storage *s,
			       bool *first, struct slu_err *err)
{
	char path[4200], text[32];
	struct slu_buf noted = {0};
	int64_t since = today(n);
	int len = snprintf(text, sizeof(text), "%" PRId64 "\n", since);

	snprintf(path, sizeof(path), "%s/" FORGOTTEN, s->dir);
	*first = slu_file_read(AT_FDCWD, path, 64, &noted, NULL) || !noted.data;
	if (!*first)
		since = strtoll(noted.data, NULL, 10);
	else if (slu_file_write(AT_FDCWD, path, text, (size_t)len, 0644, true,
				err))
		since = -1;
	slu_buf_free(&noted);
	return since;
}

/* A lost database may be restored, and sluiced may run with the wrong one. So
 * data that users rely on stays in place for KeepFailed, and then as long again
 * as kept data. Failures are reported each time, success once. */
static void forget_one(struct slu_node *n, const struct slu_storage *s)
{
	int64_t stays =
		n->conf->keep_failed > 0 ? n->conf->keep_failed : LEAST_STAY;
	struct slu_err err;
	char kept[4096];
	bool first;
	int64_t since = forgotten_since(n, s, &first, &err);
	bool over = since >= 0 && since + stays < today(n);

	if (since < 0 ||
	    (over &&
	     slu_storage_keep(s, (uid_t)-1, today(n) + stays, kept, &err)))
		slu_node_log(n, SLU_ERROR, "%s: %s", s->dir, err.text);
	else if (over)
		slu_node_log(n, SLU_WARN,
			     "sluiced does not know %s any more: its data is "
			     "kept in %s",
			     s->dir, kept);
	else if (first)
		slu_node_log(n, SLU_ERROR,
			     "sluiced does not know %s any more; it stays for "
			     "%lld hours, and as long again as kept data",
			     s->dir, (long long)stays / 3600);
}

int slu_leftovers_mark(const struct slu_storage *s, struct slu_err *err)
{
	return slu_storage_mark(s->dir, STAGE_OUT, "", err);
}

void slu_leftovers_remember(const struct slu_storage *s)
{
	slu_storage_unmark(s->dir, FORGOTTEN);
}

static int remove_one(struct slu_node *n, const struct slu_storage *s,
		      uint32_t job_id, uint64_t buffer, struct slu_err *err)
{
	int64_t until;

	if (is_to_keep(n, s, job_id, buffer, &until)
		    ? keep_one(n, s, until, err)
		    : wipe_one(n, s, job_id, buffer, err))
		return -1;
	tell_clean(n, job_id, buffer);
	return 0;
}

/* A site that keeps no failed stage-outs keeps no forgotten data either. */
static bool stays(const struct slu_node *n, const struct slu_storage *s,
		  uint32_t job_id, uint64_t buffer)
{
	int64_t until;

	return job_id >= SLU_PERSIST_FIRST ||
	       (slu_storage_has_mark(s->dir, STAGE_OUT) &&
		n->conf->keep_failed > 0 &&
		!is_to_keep(n, s, job_id, buffer, &until));
}

static void end_one(struct slu_node *n, const char *storage,
		    struct known *known, uint32_t job_id, uint64_t buffer)
{
	bool owed = is_known(known, job_id, buffer);
	struct slu_storage s;
	struct slu_err err;
	int rc = slu_storage_locate(storage, job_id, buffer, &s, &err);

	if (!rc && owed)
		slu_leftovers_remember(&s);
	else if (!rc && stays(n, &s, job_id, buffer))
		forget_one(n, &s);
	else if (rc || remove_one(n, &s, job_id, buffer, &err)) {
		slu_node_log(n, SLU_ERROR, "cannot remove a leftover: %s",
			     err.text);
		if (!*known->dirty)
			slu_copy(known->dirty, sizeof(known->dirty), err.text);
	}
}

/* The `up` of a job does not deal with persistent buffers. */
static bool is_unknown(const struct slu_node *n, const char *name,
		       uint32_t *job_id, uint64_t *buffer)
{
	return !slu_instance_parse(name, job_id, buffer) &&
	       (!n->job_id || *job_id < SLU_PERSIST_FIRST) &&
	       (*job_id != n->job_id || *buffer != n->plan.buffer) &&
	       !is_noted_as(n, *job_id, *buffer);
}

/* Removes or keeps each instance in `storage` without a note (known NULL:
 * sluiced knows none); returns how many there are. */
static size_t each_unknown(struct slu_node *n, const char *storage,
			   struct known *known)
{
	DIR *d = opendir(storage);
	struct dirent *e;
	uint32_t job_id;
	uint64_t buffer;
	size_t found = 0;

	while (d && (e = readdir(d))) {
		if (!is_unknown(n, e->d_name, &job_id, &buffer))
			continue;
		found++;
		if (known)
			end_one(n, storage, known, job_id, buffer);
	}
	if (d)
		closedir(d);
	return found;
}

int slu_leftovers_remove(struct slu_node *n, const char *storage,
			 struct slu_err *err)
{
	char held[SLU_ERR_TEXT] = "";
	struct known known = {0};
	bool dirty;
	int rc;

	slu_notes_sweep(n);
	if (slu_trust_dir(storage, err))
		return -1;
	/* `up` only looks at its own job */
	dirty = !n->job_id && slu_dirty(storage);
	slu_holders_too_long(n, storage, held);
	if (n->job_id) /* not a problem of the job */
		*held = '\0';
	if (!each_unknown(n, storage, NULL) && !dirty && !*held)
		return 0;
	rc = ask(n, ASK_TIME, &known, err);
	slu_copy(known.dirty, sizeof(known.dirty), held);
	if (rc >= 0)
		each_unknown(n, storage, &known);
	if (*known.dirty)
		slu_dirty_begin(n, storage, known.dirty);
	else if (rc >= 0 && dirty)
		slu_dirty_end(n, storage);
	free(known.at);
	return rc;
}

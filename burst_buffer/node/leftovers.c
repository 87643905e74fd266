/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Leftovers, see the header. A plan is noted before anything is made by it, so
 * that storage which no note speaks of is older than the notes: they are gone
 * with a restart of the node. sluiced still knows what the node had. Such an
 * instance is noted again, as one that was cut off by a restart, and taken down
 * by a worker, which keeps what was to be staged out; what sluiced does not
 * know either has no owner, and is removed.
 */
#include "config.h"
#include "burst_buffer/node/leftovers.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/host/trust.h"
#include "common/file.h"

#define ASK_TIME 30.0 /* seconds for sluiced's answer */

int slu_instance_parse(const char *name, uint32_t *job_id, uint64_t *buffer)
{
	unsigned long long job, instance;
	int end = 0;

	if (strspn(name, "0123456789.") != strlen(name) ||
	    sscanf(name, "%llu.%llu%n", &job, &instance, &end) != 2 ||
	    name[end] || !job || job > UINT32_MAX)
		return -1;
	*job_id = (uint32_t)job;
	*buffer = instance;
	return 0;
}

static bool is_known(const struct slu_node *n, uint32_t job_id, uint64_t buffer)
{
	struct slu_node other = {.job_id = job_id};

	snprintf(other.dir, sizeof(other.dir), "%s/%u", n->conf->run_dir,
		 (unsigned)job_id);
	return slu_noted_is(&other, buffer);
}

/* Best effort: sluiced may not know it any more, or be away. */
static void tell_clean(struct slu_node *n, uint32_t job_id, uint64_t buffer)
{
	struct slu_report r = {
		.step = "clean", .ok = true, .phase = "teardown"};
	struct slu_node as = *n;
	struct slu_err err;

	as.job_id = job_id;
	as.plan.buffer = buffer;
	as.deadline = slu_clock() + 5;
	slu_talk_step(&as, &r, &err);
	n->http = as.http;
}

/* It is not ours to say that this data may go: that is what its time is for. */
static int keep_one(struct slu_node *n, const struct slu_storage *s,
		    int64_t until, struct slu_err *err)
{
	char kept[4096];

	if (slu_storage_keep(s, (uid_t)-1, until, kept, err))
		return -1;
	slu_node_log(n, SLU_WARN,
		     "a restart undid that %s was kept; it is, in %s", s->dir,
		     kept);
	return 0;
}

static int wipe_one(struct slu_node *n, const struct slu_storage *s,
		    uint32_t job_id, struct slu_err *err)
{
	if (slu_storage_wipe(s, (uid_t)-1, err))
		return -1;
	slu_node_log(n, SLU_WARN, "removed a leftover of job %u: %s",
		     (unsigned)job_id, s->dir);
	return 0;
}

static void remove_one(struct slu_node *n, const char *storage, uint32_t job_id,
		       uint64_t buffer)
{
	struct slu_storage s;
	struct slu_err err;
	int64_t until;

	if (!slu_storage_locate(storage, job_id, buffer, &s, &err) &&
	    !(slu_storage_is_to_keep(&s, &until)
		      ? keep_one(n, &s, until, &err)
		      : wipe_one(n, &s, job_id, &err)))
		tell_clean(n, job_id, buffer);
	else
		slu_node_log(n, SLU_ERROR, "cannot remove a leftover: %s",
			     err.text);
}

/* Somebody's already, here and now. */
static bool is_noted(const struct slu_node *n)
{
	return slu_note_has(n, "plan.json") || slu_note_has(n, "up.pid");
}

/* The plan is taken over. */
static int adopt(const struct slu_node *n, struct slu_plan *plan,
		 struct slu_err *err)
{
	struct slu_node_options opt = *n->opt;
	struct slu_node as;
	int rc;

	if (plan->persistent) /* `serve` has it made again */
		return 0;
	opt.job_id = plan->job_id;
	if (slu_node_open(&as, &opt, err))
		return -1;
	rc = slu_mkdirs(n->conf->run_dir, 0755, err) ||
	     slu_mkdirs(as.dir, 0711, err);
	if (rc || is_noted(&as))
		goto out;
	rc = slu_node_take_plan(&as, plan, err) ||
	     slu_note_put(&as, "restarted", 0644, "", err) ||
	     slu_note_plan(&as, err) || slu_worker_start(&as, err);
	*plan = (struct slu_plan){0};
	slu_node_log(&as, SLU_WARN,
		     "the node was restarted since, `down` begins%s%s",
		     rc ? ": " : "", rc ? err->text : "");
out:
	slu_node_close(&as);
	return rc ? -1 : 0;
}

int slu_leftovers_adopt(struct slu_node *n, double seconds, struct slu_err *err)
{
	double deadline = n->deadline;
	struct slu_owed owed;
	int rc;

	n->deadline = slu_clock() + seconds;
	rc = slu_talk_owed(n, &owed, err);
	n->deadline = deadline;
	if (rc)
		return -1;
	for (size_t i = 0; i < owed.n_plan; i++)
		rc |= adopt(n, &owed.plan[i], err);
	slu_msg_clear(&slu_owed_desc, &owed);
	return rc ? -1 : 0;
}

static bool is_unknown(const struct slu_node *n, const char *name,
		       uint32_t *job_id, uint64_t *buffer)
{
	return !slu_instance_parse(name, job_id, buffer) &&
	       *job_id < SLU_PERSIST_FIRST &&
	       (*job_id != n->job_id || *buffer != n->plan.buffer) &&
	       !is_known(n, *job_id, *buffer);
}

/* Call it for each instance in `storage` that no note speaks of. */
static size_t each_unknown(struct slu_node *n, const char *storage,
			   void (*fn)(struct slu_node *n, const char *storage,
				      uint32_t job_id, uint64_t buffer))
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
		if (fn)
			fn(n, storage, job_id, buffer);
	}
	if (d)
		closedir(d);
	return found;
}

/* By sluiced's clock: a node may start with one that is years ahead. */
static int expire(const struct slu_node *n, const char *storage,
		  struct slu_err *err)
{
	double ahead = n->http ? slu_http_ahead(n->http) : NAN;

	if (isnan(ahead))
		return 0;
	return slu_storage_expire(storage, slu_today() + (int64_t)ahead, err);
}

int slu_leftovers_remove(struct slu_node *n, const char *storage,
			 struct slu_err *err)
{
	slu_notes_sweep(n);
	if (slu_trust_dir(storage, err))
		return -1;
	if (each_unknown(n, storage, NULL) &&
	    slu_leftovers_adopt(n, ASK_TIME, err))
		return -1;
	each_unknown(n, storage, remove_one);
	return expire(n, storage, err);
}

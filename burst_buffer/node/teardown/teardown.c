/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes a file system down on this node: hides it from users, detaches it,
 * waits until no other node uses this one's server, stops the server, keeps or
 * wipes the storage, and checks that nothing is left.
 */
#include "config.h"
#include "burst_buffer/node/teardown/teardown.h"

#include <string.h>
#include <sys/stat.h>
#include "burst_buffer/host/logs.h"
#include "burst_buffer/host/mtab.h"
#include "burst_buffer/host/trust.h"
#include "burst_buffer/node/devices.h"
#include "burst_buffer/node/teardown/holders.h"
#include "burst_buffer/node/talk.h"
#include "burst_buffer/node/setup/user_directories.h"
#include "burst_buffer/node/kept_data.h"

void slu_arrive_detached(struct slu_node *n)
{
	struct slu_err why;

	n->deadline = slu_now_mono() + (double)n->plan.teardown_timeout +
		      SLU_NODE_GRACE;
	if (n->driver->shared && slu_talk_arrive(n, "detached", &why))
		slu_node_log(n, SLU_WARN, "detached: %s", why.text);
}

/* *counted: what its tasks have read and written, if that is counted. */
static int detach(struct slu_node *n, bool has_ended,
		  struct slu_report *counted, struct slu_err *err)
{
	struct slu_err why;

	counted->uncounted =
		n->driver->counters(&n->in, &counted->read_bytes,
				    &counted->written_bytes, &why) != 0;
	if (counted->uncounted)
		counted->read_bytes = counted->written_bytes = 0;
	if (has_ended)
		slu_user_directories_leave(n);
	if (slu_user_directories_hide(n, err) || n->driver->detach(&n->in, err))
		return -1;
	if (has_ended || !slu_in_common(n))
		slu_arrive_detached(n);
	return 0;
}

static int stop(struct slu_node *n, struct slu_report *counted,
		struct slu_err *err)
{
	counted->step = "stopped";
	counted->ok = true;
	counted->phase = "teardown";
	if ((!n->plan.use && n->driver->stop(&n->in, err)) ||
	    slu_logs_drop(n->log_dir, err))
		return -1;
	n->deadline = slu_now_mono() + SLU_NODE_REPORTS;
	slu_talk_step(n, counted, &(struct slu_err){0});
	return 0;
}

/* Was the storage never made, as a user had put something in its place, which
 * is possible in a sticky directory? */
static bool never_made(const struct slu_node *n, const struct slu_storage *s)
{
	struct slu_err why;

	return !slu_note_has(n, SLU_STORAGE_NOTE) && !slu_mounted(s->fs) &&
	       slu_trust_dir(s->dir, &why) && why.kind == SLU_DENIED;
}

static int prove_wiped(const struct slu_node *n, struct slu_err *err)
{
	const struct slu_storage *s;
	struct stat st;

	for (size_t k = 0; k <= n->n_more; k++) {
		s = slu_devices_storage(n, k);
		if (!lstat(s->dir, &st) && !never_made(n, s))
			return slu_err(err, SLU_IO, "%s is still there",
				       s->dir);
	}
	return 0;
}

/* Checks that nothing is mounted, no server runs, and no directory is left. */
static int check_end(struct slu_node *n, struct slu_err *err)
{
	struct slu_mtab m;
	const struct slu_mtab_line *l;
	int rc;

	if (slu_mtab_read(&m, err))
		return -1;
	l = slu_mtab_below(&m, n->dir);
	rc = l ? slu_err(err, SLU_IO, "%s is still mounted", l->point)
	       : prove_wiped(n, err);
	slu_mtab_free(&m);
	return rc;
}

int slu_teardown_common(struct slu_node *n, bool keeps, struct slu_err *err)
{
	int rc;

	if (!slu_in_common(n))
		return 0;
	if (keeps && n->driver->keep)
		return slu_keep_in_common(n, err);
	rc = n->driver->wipe(&n->in, err);
	if (rc > 0)
		slu_node_log(n, SLU_WARN, "it will be removed later: %s",
			     err->text);
	return rc < 0 ? -1 : 0;
}

/* An error on one device does not stop the others. */
static int wipe(struct slu_node *n, struct slu_err *err)
{
	struct slu_err why;
	int rc = 0, one;

	for (size_t k = 0; k <= n->n_more; k++) {
		const struct slu_storage *s = slu_devices_storage(n, k);

		if (never_made(n, s))
			continue;
		one = slu_storage_wipe(s, n->plan.uid, &why);
		if (one > 0)
			slu_holders_report(n, &why);
		if (one < 0 && !rc) {
			*err = why;
			rc = -1;
		}
	}
	return rc;
}

int slu_teardown(struct slu_node *n, bool has_ended, bool keeps,
		 struct slu_err *err)
{
	struct slu_report counted = {0};

	if (detach(n, has_ended, &counted, err) || stop(n, &counted, err) ||
	    (has_ended && slu_teardown_common(n, keeps, err)))
		return -1;
	if (keeps && !n->driver->keep ? slu_keep_data(n, err) : wipe(n, err))
		return -1;
	return check_end(n, err);
}

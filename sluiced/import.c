/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ended jobs that others have recorded, in crowds: stored like the slurmctld's
 * own, once however often they come. slurmctld learns them when it next reads
 * the history.
 */
#include <stdlib.h>
#include "job_submit/history.h"
#include "sluiced/routes.h"

struct import {
	struct slu_item item;
	struct slu_daemon *d;
	struct slu_req *req;
	struct slu_import_jobs msg; /* taken from the request */
	uint64_t added;
};

static int store(struct slu_item *item, struct slu_db *db, struct slu_err *err)
{
	struct import *in = (struct import *)item;

	uint64_t found = 0;

	if (slu_history_import(db, in->msg.jobs, in->msg.n_jobs, &in->added,
			       err) < 0 ||
	    slu_history_import_io(db, in->msg.io, in->msg.n_io, &found, err) <
		    0)
		return -1;
	in->added += found;
	return 0;
}

static void done(struct slu_item *item, const struct slu_err *err)
{
	struct import *in = (struct import *)item;
	struct slu_buf body = {0};

	slu_buf_printf(&body, "{\"added\":%llu}",
		       (unsigned long long)in->added);
	slu_routes_reply(in->d, in->req, &body, err);
	slu_msg_clear(&slu_import_jobs_desc, &in->msg);
	free(in);
}

int slu_handle_import(struct slu_daemon *d, struct slu_req *req,
		      struct slu_buf *out, struct slu_err *err)
{
	struct slu_import_jobs *msg = req->msg;
	struct import *in;

	(void)out;
	if (msg->n_jobs > SLU_IMPORT_JOBS || msg->n_io > SLU_IMPORT_JOBS)
		return slu_err(err, SLU_INVALID, "%zu jobs: at most %d at once",
			       msg->n_jobs, SLU_IMPORT_JOBS);
	in = calloc(1, sizeof(*in));
	if (!in)
		return slu_err(err, SLU_NOMEM, "out of memory");
	*in = (struct import){.item = {.store = store, .done = done},
			      .d = d,
			      .req = req,
			      .msg = *msg};
	*msg = (struct slu_import_jobs){0};
	slu_batch_add(&d->batch, &in->item);
	return SLU_KEPT;
}

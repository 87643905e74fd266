/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stores rows of the history from slurmctld, and replays them to it. */
#include "sluiced/ingestion/history_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "job_submit/ended.h"
#include "wire/rows.h"

#define PAGE 512	 /* rows a turn */
#define LINE (256 << 10) /* bytes of a message, roughly */
#define OLD  500	 /* rows removed at once */

struct row {
	struct slu_item item;
	struct slu_job job;
	bool known; /* slurmctld has sent it before */
};

bool slu_history_by_fs_wanted(const struct slu_history *h)
{
	return h->conf && h->conf->io_start != SLU_IOSTART_OFF &&
	       slu_conf_names_fs(h->conf);
}

int slu_history_send_fs_row(void *arg, const struct slu_history_row *row,
			    struct slu_err *err)
{
	struct slu_history *h = arg;

	(void)err;
	slu_control_send(h->control, &slu_fs_row_desc, row);
	return 0;
}

/* One whose I/O was counted so late that what servers have said of it (nothing)
 * was sent before is sent as such a row, too. */
static int send_row(void *arg, const struct slu_history_row *row,
		    struct slu_err *err)
{
	struct slu_history *h = arg;

	slu_control_send(h->control, &slu_history_row_desc, row);
	if (slu_history_by_fs_wanted(h) && !row->by_fs &&
	    row->job.end < (int64_t)slu_now_wall() - SLU_HISTORY_SETTLE)
		return slu_history_send_fs_row(h, row, err);
	return 0;
}

void slu_history_counted(struct slu_history *h, uint32_t job_id, int64_t start)
{
	struct slu_err err;

	if (slu_history_whole(h->db, job_id, start, SLU_IO_ACCOUNTING, send_row,
			      h, &err) < 0)
		slu_log(h->log, SLU_ERROR, "history of job %u: %s", job_id,
			err.text);
}

static int store_row(struct slu_item *item, struct slu_db *db,
		     struct slu_err *err)
{
	struct row *row = (struct row *)item;

	if (slu_history_knows(db, &row->job, &row->known, err))
		return -1;
	return slu_history_add(db, &row->job, err);
}

static void count_prediction(struct slu_prediction_use *use,
			     const struct slu_job *job)
{
	const double ran = (double)slu_run_time(job);
	const double asked = 60.0 * job->limit_asked;

	if (!job->predicted || ran <= 0 || !slu_ended_own_way(job))
		return;
	use->jobs++;
	use->longer += ran > job->predicted;
	use->error += fabs(job->predicted - ran);
	if (asked <= 0)
		return;
	use->asked++;
	use->error_asked += fabs(asked - ran);
}

/* A row that can never be stored (it has no end) is acknowledged too: slurmctld
 * would send it for ever. */
static void row_done(struct slu_item *item, const struct slu_err *err)
{
	struct row *row = (struct row *)item;
	struct slu_history *h = item->arg;
	struct slu_stored stored = {row->job.job_id, row->job.start};

	if (err)
		slu_log(h->log, SLU_ERROR, "history of job %u: %s",
			row->job.job_id, err->text);
	if (err && err->kind != SLU_INVALID)
		h->again(h->arg);
	else
		slu_control_send(h->control, &slu_stored_desc, &stored);
	if (!err) {
		h->stored++;
		if (!row->known)
			count_prediction(&h->predicted, &row->job);
		slu_history_counted(h, row->job.job_id, row->job.start);
	}
	slu_msg_clear(&slu_job_desc, &row->job);
	free(row);
}

void slu_history_take(struct slu_history *h, struct slu_job *job)
{
	struct row *row = calloc(1, sizeof(*row));

	if (!row) {
		h->again(h->arg);
		return;
	}
	row->item = (struct slu_item){
		.store = store_row, .done = row_done, .arg = h};
	row->job = *job;
	memset(job, 0, sizeof(*job));
	slu_write_batch_add(h->batch, &row->item);
}

/* Sends to the client, if there is one, and begins a new message. */
static void send_packed(struct slu_history *h)
{
	const struct slu_history_rows rows = {.packed = h->packed.data};

	if (h->packed.failed)
		slu_log(h->log, SLU_ERROR, "history: out of memory");
	else if (h->packed.len)
		slu_control_send(h->control, &slu_history_rows_desc, &rows);
	slu_buf_reset(&h->packed);
}

static int pack_row(void *arg, const struct slu_history_row *row,
		    struct slu_err *err)
{
	struct slu_history *h = arg;
	struct slu_history_row brief = *row;

	(void)err;
	if (!slu_history_by_fs_wanted(h))
		brief.by_fs = NULL;
	slu_row_pack(&brief, &h->packed);
	if (h->packed.len > LINE)
		send_packed(h);
	return 0;
}

static void end_replay(struct slu_history *h)
{
	const struct slu_history_end end = {.rows = h->sent};

	slu_history_disconnected(h);
	slu_control_send(h->control, &slu_history_end_desc, &end);
}

/* slurmctld predicts from what it has, and asks for the rest later. */
static void fail_replay(struct slu_history *h, const struct slu_err *err)
{
	slu_log(h->log, SLU_ERROR, "history: %s", err->text);
	slu_history_disconnected(h);
	h->again(h->arg);
}

void slu_history_replay(struct slu_history *h)
{
	struct slu_history_query query = {
		.uid = SLU_NO_ID,
		.last = (uint64_t)h->conf->history_replay,
		.brief = true};
	struct slu_err err;

	slu_history_end(&h->cursor);
	h->sent = 0;
	h->replaying = slu_history_begin(h->db, &query, &h->cursor, &err) == 0;
	if (h->replaying)
		slu_history_more(h);
	else
		fail_replay(h, &err);
}

void slu_history_more(struct slu_history *h)
{
	struct slu_err err;
	long n;

	if (!h->replaying)
		return;
	n = slu_history_page(h->db, &h->cursor, PAGE, pack_row, h, &err);
	send_packed(h);
	if (n < 0) {
		fail_replay(h, &err);
		return;
	}
	h->sent += (uint64_t)n;
	if (n < PAGE)
		end_replay(h);
}

bool slu_history_age(struct slu_history *h, int64_t now)
{
	int64_t age = h->conf->history_age;
	struct slu_err err;
	long n = -1;

	h->ageing =
		h->ageing || slu_history_surplus(h->db, h->conf->history_rows,
						 &h->surplus, &err) == 0;
	if (h->ageing)
		n = slu_history_prune(h->db, age < now ? now - age : 0,
				      &h->surplus, OLD, &err);
	if (n < 0)
		slu_log(h->log, SLU_ERROR, "history: %s", err.text);
	h->ageing = n == OLD;
	return h->ageing;
}

void slu_history_disconnected(struct slu_history *h)
{
	slu_buf_free(&h->packed);
	slu_history_end(&h->cursor);
	h->replaying = false;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queues rows of ended jobs in a ring. Rows leave in order; a row that is
 * acknowledged out of order becomes a hole (job_id 0) and leaves when it gets
 * to the head.
 */
#include "config.h"
#include "ctl/predictor/history_queue.h"

#include <stdlib.h>

#include "wire/control.h"

#define WINDOW 128

static struct slu_job *at(const struct slu_history_queue *h, size_t i)
{
	return &h->row[(h->head + i) % h->cap];
}

int slu_history_queue_init(struct slu_history_queue *h, size_t cap)
{
	*h = (struct slu_history_queue){.cap = cap};
	h->row = calloc(cap, sizeof(*h->row));
	return h->row ? 0 : -1;
}

static void drop_head(struct slu_history_queue *h)
{
	slu_msg_clear(&slu_job_desc, at(h, 0));
	h->head = (h->head + 1) % h->cap;
	h->n--;
	if (h->sent)
		h->sent--;
}

void slu_history_queue_fini(struct slu_history_queue *h)
{
	while (h->n)
		drop_head(h);
	free(h->row);
	*h = (struct slu_history_queue){0};
}

int slu_history_queue_add(struct slu_history_queue *h,
			  const struct slu_job *job)
{
	if (h->n == h->cap) {
		drop_head(h);
		h->lost++;
	}
	if (slu_job_copy(at(h, h->n), job) < 0)
		return -1;
	h->n++;
	return 0;
}

int slu_history_queue_send(struct slu_history_queue *h, struct slu_link *link,
			   struct slu_err *err)
{
	for (; h->sent < h->n && h->sent < WINDOW; h->sent++) {
		struct slu_job *job = at(h, h->sent);

		if (job->job_id &&
		    slu_link_send(link, &slu_history_desc, job, err) < 0)
			return -1;
	}
	return 0;
}

void slu_history_queue_stored(struct slu_history_queue *h, uint32_t job_id,
			      int64_t start)
{
	for (size_t i = 0; i < h->sent; i++) {
		struct slu_job *job = at(h, i);

		if (job->job_id != job_id || job->start != start)
			continue;
		slu_msg_clear(&slu_job_desc, job);
		break; /* the same job may have been corrected since */
	}
	while (h->n && !at(h, 0)->job_id)
		drop_head(h);
}

const struct slu_job *slu_history_queue_at(const struct slu_history_queue *h,
					   size_t i)
{
	return i < h->n ? at(h, i) : NULL;
}

void slu_history_queue_resend(struct slu_history_queue *h)
{
	h->sent = 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sends a subcommand's requests to sluiced. While sluiced is down, or has no
 * answer yet, they are repeated until the deadline of the phase, which is later
 * than sluiced's own, so that sluiced usually decides first.
 */
#include "config.h"
#include "burst_buffer/node/talk.h"
#include "burst_buffer/node/receipts.h"
#include "burst_buffer/node/verbs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE 45.0 /* seconds; sluiced holds a request for 30 s */
#define PAUSE	 0.3  /* seconds between requests that were answered at once */
#define SILENCE	 20.0 /* seconds after which that is logged */

static int open_http(struct slu_node *n, struct slu_err *err)
{
	if (!n->http)
		n->http = slu_http_of_site(n->conf, err);
	return n->http ? 0 : -1;
}

static int post(struct slu_node *n, const char *path, const char *body,
		double seconds, const struct slu_desc *desc, void *reply,
		struct slu_err *err)
{
	struct slu_buf text = {0};
	int rc;

	if (open_http(n, err))
		return -1;
	slu_http_timeout(n->http, PATIENCE);
	rc = slu_http_post(n->http, path, body, strlen(body), seconds, &text,
			   err);
	if (!rc)
		rc = slu_decode_text(desc, text.data ? text.data : "", text.len,
				     reply, err);
	slu_buf_free(&text);
	return rc;
}

static bool has_word(const struct slu_desc *desc)
{
	return desc == &slu_answer_desc || desc == &slu_barrier_answer_desc;
}

/* Reports the lack of an answer, or an unsigned one, which is not trusted: that
 * may last for the whole phase, and only this node can notice. Once for each
 * request. */
static bool say_silence(struct slu_node *n, const char *path, bool said,
			const struct slu_err *err)
{
	if (!said)
		slu_node_log(n, SLU_WARN,
			     "sluiced is asked again and again (%s): %s", path,
			     err->text);
	return true;
}

/* Repeats a request until the first member of the answer is not "wait". */
static int ask(struct slu_node *n, const char *path,
	       const struct slu_desc *ask_desc, const void *msg,
	       const struct slu_desc *desc, void *reply, struct slu_err *err)
{
	char *body = slu_encode_text(ask_desc, msg);
	bool wait = true, said = false;
	int rc = 0;

	if (!body)
		return slu_err(err, SLU_NOMEM, "out of memory");
	while (wait) {
		double start = slu_now_mono(), left = n->deadline - start;

		if (left <= 0) {
			rc = slu_err(err, SLU_TIMEOUT,
				     "sluiced gave no answer in time");
			break;
		}
		rc = post(n, path, body, left < SILENCE ? left : SILENCE, desc,
			  reply, err);
		if (rc && err->kind == SLU_TIMEOUT && left > SILENCE) {
			said = say_silence(n, path, said, err);
			continue;
		}
		wait = rc ? err->kind == SLU_BUSY
			  : has_word(desc) && slu_eq(*(char **)reply, "wait");
		if (wait && !rc)
			slu_msg_clear(desc, reply);
		if (wait && slu_now_mono() - start < PAUSE)
			usleep((useconds_t)(PAUSE * 1e6));
	}
	free(body);
	return rc;
}

static int denied(const char *text, struct slu_err *err)
{
	return slu_err(err, SLU_DENIED, "%s",
		       text && *text ? text : "the job is being cancelled");
}

int slu_talk_plan(struct slu_node *n, uint32_t restarts, struct slu_plan *plan,
		  struct slu_err *err)
{
	struct slu_node_ask question = {
		.job_id = n->job_id, .node = n->name, .restarts = restarts};

	const char *secret;

	if (ask(n, "/v1/plan", &slu_node_ask_desc, &question, &slu_plan_desc,
		plan, err))
		return -1;
	secret = slu_http_secret(n->http);
	free(plan->secret);
	plan->secret = secret ? strdup(secret) : NULL;
	if (plan->secret)
		return 0;
	slu_msg_clear(&slu_plan_desc, plan);
	return slu_err(err, SLU_IO, "the plan came without its secret");
}

int slu_talk_inventory(struct slu_node *n, struct slu_node_inventory *owed,
		       struct slu_err *err)
{
	struct slu_node_ask question = {.node = n->name,
					.kept = slu_kept_names(n->conf),
					.fill = n->fill,
					.n_fill = n->n_fill,
					.prefetch = n->prefetch,
					.n_prefetch = n->n_prefetch};
	int rc = ask(n, "/v1/owed", &slu_node_ask_desc, &question,
		     &slu_node_inventory_desc, owed, err);

	free(question.kept);
	if (!rc)
		n->n_fill = n->n_prefetch = 0;
	return rc;
}

int slu_talk_report(struct slu_node *n, struct slu_report *r,
		    struct slu_answer *answer, struct slu_err *err)
{
	const struct slu_used used = slu_peak_used_sample(n);

	r->job_id = n->job_id;
	r->buffer = n->plan.buffer;
	r->node = n->name;
	r->ran = n->is_ready;
	r->used_known = used.known;
	r->used = used.now;
	r->used_most = used.most;
	if (ask(n, "/v1/report", &slu_report_desc, r, &slu_answer_desc, answer,
		err))
		return -1;
	slu_receipt_add(n, r);
	return 0;
}

int slu_talk_step(struct slu_node *n, struct slu_report *r, struct slu_err *err)
{
	struct slu_answer a;
	int rc = slu_talk_report(n, r, &a, err);

	if (rc)
		return -1;
	if (slu_eq(a.word, "abort"))
		rc = denied(a.text, err);
	slu_msg_clear(&slu_answer_desc, &a);
	return rc;
}

int slu_talk_barrier(struct slu_node *n, const char *name, const char *attr,
		     struct slu_barrier_answer *answer, struct slu_err *err)
{
	struct slu_barrier come = {
		.job_id = n->job_id,
		.buffer = n->plan.buffer,
		.node = n->name,
		.name = (char *)name,
		.attr = (char *)attr,
		.ran = n->is_ready,
	};

	free(n->user_text);
	n->user_text = NULL;
	if (ask(n, "/v1/barrier", &slu_barrier_desc, &come,
		&slu_barrier_answer_desc, answer, err))
		return -1;
	n->user_text = answer->text ? strdup(answer->text) : NULL;
	if (!slu_eq(answer->word, "abort"))
		return 0;
	denied(answer->text, err);
	slu_msg_clear(&slu_barrier_answer_desc, answer);
	return -1;
}

int slu_talk_arrive(struct slu_node *n, const char *name, struct slu_err *err)
{
	struct slu_barrier_answer answer;
	int rc;

	if (slu_talk_barrier(n, name, NULL, &answer, err))
		return -1;
	slu_hosts_free(&n->away);
	rc = slu_hosts_parse(answer.away ? answer.away : "", &n->away, err);
	slu_hosts_sort(&n->away);
	slu_msg_clear(&slu_barrier_answer_desc, &answer);
	return rc;
}

int slu_talk_once(struct slu_node *n, const char *path, const char *body,
		  double seconds, struct slu_buf *reply, struct slu_err *err)
{
	if (open_http(n, err))
		return -1;
	slu_http_timeout(n->http, seconds);
	return slu_http_post(n->http, path, body, strlen(body), 0, reply, err);
}

int slu_talk_poll(struct slu_node *n, double seconds, struct slu_answer *answer,
		  struct slu_err *err)
{
	const struct slu_used used = slu_peak_used_sample(n);
	struct slu_node_ask question = {.job_id = n->job_id,
					.buffer = n->plan.buffer,
					.node = n->name,
					.seen = "",
					.copied = n->copied,
					.to_copy = n->to_copy,
					.copied_files = n->copied_files,
					.files_to_copy = n->files_to_copy,
					.ready = n->is_ready,
					.used_known = used.known,
					.used = used.now,
					.plan = (char *)n->offer};
	struct slu_buf text = {0};
	char *body = slu_encode_text(&slu_node_ask_desc, &question);
	int rc;

	if (!body)
		return slu_err(err, SLU_NOMEM, "out of memory");
	rc = slu_talk_once(n, "/v1/poll", body, seconds, &text, err);
	if (!rc)
		rc = slu_decode_text(&slu_answer_desc,
				     text.data ? text.data : "", text.len,
				     answer, err);
	slu_buf_free(&text);
	free(body);
	return rc;
}

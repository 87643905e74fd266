/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queues questions and starts the processes that answer them. Such a process
 * gets its input as JSON: {"database":..., "uid":..., "admin":...,
 * "quantile":..., "floor":..., "mode":..., "live":..., "args":{...}}. That
 * input is made from the question's text only when the process starts, as it
 * may take three hundred times as much memory.
 */
#include "sluiced/questions/questions.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/file.h"
#include "common/jsonx.h"
#include "sluiced/child.h"
#include "sluiced/http/api/handlers.h"
#include "sluiced/http/api/reply.h"
#include "sluiced/questions/answerer_table.h"
#include "sluiced/placement/place_now.h"
#include "sysquery/query.h"

struct slu_question {
	struct slu_question *next;
	struct slu_daemon *d;
	struct slu_req *req; /* NULL: answered */
	uint32_t uid;
	bool trusted;		   /* root or SlurmUser */
	struct json_object *all;   /* as above, while the process begins */
	struct json_object *place; /* the args, of place_now.h; NULL: another */
	struct slu_question **slot;
	struct slu_child *child;
	void (*learn)(struct slu_daemon *d, uint32_t uid,
		      struct json_object *lesson);
};

static const struct slu_answerer *find(const char *name)
{
	for (const struct slu_answerer *a = slu_answerers; a->name; a++)
		if (!strcmp(a->name, name))
			return a;
	return NULL;
}

/* Everything that the answering process needs. Takes the args. answerer is
 * NULL for questions about the database alone. */
static struct json_object *wrap(const struct slu_daemon *d,
				const struct slu_asker *who,
				const struct slu_answerer *answerer,
				struct json_object *args)
{
	struct json_object *all = json_object_new_object();

	slu_json_set_str(all, "database", d->conf->database);
	slu_json_set_u64(all, "uid", who->uid);
	slu_json_set_bool(all, "admin", who->admin);
	slu_json_set_double(all, "quantile", d->conf->predict_quantile);
	slu_json_set_double(all, "floor", (double)d->conf->predict_floor);
	slu_json_set_u64(all, "replay", (uint64_t)d->conf->history_replay);
	slu_json_set_u64(all, "mode", d->conf->predict_mode);
	if (answerer && answerer->prepare)
		json_object_object_add(all, "live",
				       answerer->prepare(d, who, args));
	json_object_object_add(all, "args", args);
	return all;
}

/* In the child: become the answering process. */
static int become(struct json_object *all, struct slu_err *err)
{
	char *argv[] = {(char *)SLU_QUESTION_NAME, NULL};
	const char *text = slu_json_text(all);
	int fd = memfd_create("question", 0);

	if (fd < 0 || slu_write_all(fd, text, strlen(text)) < 0 ||
	    lseek(fd, 0, SEEK_SET) < 0 || dup2(fd, 0) < 0)
		return slu_errno(err, SLU_IO, "passing the question on");
	execv("/proc/self/exe", argv);
	return slu_errno(err, SLU_IO, "/proc/self/exe");
}

static int child_run(void *arg, struct slu_buf *out, struct slu_err *err)
{
	(void)out;
	return become(((const struct slu_question *)arg)->all, err);
}

int slu_question_become(const struct slu_daemon *d, struct json_object *args,
			struct slu_err *err)
{
	const struct slu_asker who = {.uid = d->auth.owner, .admin = true};

	return become(wrap(d, &who, NULL, json_object_get(args)), err);
}

/* In the answering process. */
static int answer(struct json_object *all, struct slu_buf *out,
		  struct slu_err *err)
{
	const struct slu_answerer *answerer;
	struct slu_asker who = {0};
	struct json_object *args = NULL;
	const char *database, *name;
	uint64_t uid, mode = SLU_PREDICT_ADVISE;
	struct slu_db *db;
	int rc;

	json_object_object_get_ex(all, "args", &args);
	json_object_object_get_ex(all, "live", &who.live);
	if (slu_json_str(all, "database", &database, err) < 0 ||
	    slu_json_u64(all, "uid", &uid, err) < 0 ||
	    slu_json_bool_opt(all, "admin", &who.admin, err) < 0 ||
	    slu_json_double_opt(all, "quantile", &who.quantile, err) < 0 ||
	    slu_json_double_opt(all, "floor", &who.floor, err) < 0 ||
	    slu_json_u64_opt(all, "replay", &who.replay, err) < 0 ||
	    slu_json_u64_opt(all, "mode", &mode, err) < 0 ||
	    slu_json_str(args, "question", &name, err) < 0)
		return -1;
	who.uid = (uint32_t)uid;
	who.mode = (enum slu_predict_mode)mode;
	db = slu_db_open(database, SLU_DB_READ, err);
	if (!db)
		return -1;
	if (!who.admin && !strcmp(name, "select"))
		out->max = SLU_QUESTION_SQL;
	answerer = find(name);
	if (answerer)
		rc = answerer->answer(db, &who, args, out, err);
	else
		rc = slu_query_find(name)->answer(db, args, out, err);
	slu_db_close(db);
	return rc;
}

/* Limits the memory of an answer, as slurmctld may run on the same host. Not
 * the address space, of which the database may map much, and sanitizers
 * terabytes. */
static void limit_memory(void)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	const struct rlimit limit = {SLU_QUESTION_MEMORY, SLU_QUESTION_MEMORY};

	setrlimit(RLIMIT_DATA, &limit);
#endif
}

void slu_question_main(void)
{
	struct slu_buf in = {0}, out = {.max = SLU_QUESTION_MAX};
	struct json_object *all = NULL;
	char piece[65536];
	struct slu_err err = {0};
	ssize_t n;

	limit_memory();
	while ((n = read(0, piece, sizeof(piece))) > 0)
		slu_buf_add(&in, piece, (size_t)n);
	if (in.data && !in.failed)
		all = slu_json_parse(in.data, in.len, &err);
	else
		slu_err(&err, SLU_INTERNAL, "there is no question");
	slu_child_reply_and_exit(
		&out, all && answer(all, &out, &err) == 0 ? NULL : &err);
}

static void reply(struct slu_question *q, struct slu_buf *out,
		  const struct slu_err *err)
{
	slu_routes_reply(q->d, q->req, out, err);
	q->req = NULL;
}

static void question_free(struct slu_question *q)
{
	json_object_put(q->place);
	free(q);
}

/* Passes the first line to learn() and removes it. */
static void learn(struct slu_question *q, struct slu_buf *out)
{
	char *end = out->data ? memchr(out->data, '\n', out->len) : NULL;
	struct json_object *lesson;

	if (!end)
		return;
	lesson = slu_json_parse(out->data, (size_t)(end - out->data), NULL);
	if (lesson)
		q->learn(q->d, q->uid, lesson);
	json_object_put(lesson);
	out->len -= (size_t)(end + 1 - out->data);
	memmove(out->data, end + 1, out->len);
	out->data[out->len] = '\0';
}

/* May this user have another process, if one is free at all? */
static bool may_start(const struct slu_questions *all,
		      const struct slu_question *q)
{
	int users = 0, own = 0, same = 0;

	for (int i = 0; i < SLU_QUESTION_CHILDREN; i++) {
		const struct slu_question *other = all->running[i];

		users += other && !other->trusted;
		own += other && other->uid == q->uid;
		/* that process will make the prediction that it needs */
		same += other && other->uid == q->uid && q->place &&
			slu_place_now_alike(other->place, q->place);
	}
	return !same && (q->trusted || (users < SLU_QUESTION_CHILDREN - 1 &&
					own < SLU_QUESTION_CHILDREN / 2));
}

static struct slu_question *take(struct slu_questions *all,
				 struct slu_question **p)
{
	struct slu_question *q = *p;

	*p = q->next;
	if (!q->next)
		all->tail = p;
	all->waiting--;
	return q;
}

static struct slu_question *next_waiting(struct slu_questions *all)
{
	for (struct slu_question **p = &all->head; *p; p = &(*p)->next)
		if (may_start(all, *p))
			return take(all, p);
	return NULL;
}

/* Answers the placements that waited for a prediction which is there now. */
static void place_waiting(struct slu_questions *all)
{
	struct slu_question **p = &all->head, *q;
	struct slu_err err;
	int rc;

	while ((q = *p)) {
		struct slu_buf out = {0};

		rc = q->place
			     ? slu_place_now(q->d, q->req, q->place, &out, &err)
			     : SLU_KEPT;
		if (rc == SLU_KEPT) {
			p = &q->next;
			continue;
		}
		take(all, p);
		reply(q, &out, rc < 0 ? &err : NULL);
		question_free(q);
	}
}

static void child_done(void *arg, struct slu_buf *out,
		       const struct slu_err *err)
{
	struct slu_question *q = arg;

	if (!err && q->learn)
		learn(q, out);
	reply(q, out, err);
	if (q->place)
		place_waiting(&q->d->questions);
}

static void start_waiting(struct slu_questions *all);

static void child_gone(void *arg)
{
	struct slu_question *q = arg, **slot = q->slot;
	struct slu_questions *all = &q->d->questions;

	question_free(q);
	*slot = NULL;
	start_waiting(all);
}

/* -1: it is no valid question. */
static int understand(struct slu_question *q, struct slu_err *err)
{
	const struct slu_buf *body = &q->req->body;
	struct json_object *args =
		slu_json_parse(body->data ? body->data : "", body->len, err);
	const struct slu_asker who = {
		.uid = q->uid,
		.admin = slu_auth_admin(&q->d->auth, &q->req->caller),
	};
	const struct slu_answerer *answerer;
	const char *name;

	if (!args || slu_json_str(args, "question", &name, err) < 0)
		goto fail;
	answerer = find(name);
	if (!answerer && !slu_query_find(name)) {
		slu_err(err, SLU_INVALID, "question: there is no \"%.40s\"",
			name);
		goto fail;
	}
	q->learn = answerer ? answerer->learn : NULL;
	q->all = wrap(q->d, &who, answerer, args);
	return 0;
fail:
	json_object_put(args);
	return -1;
}

static void start(struct slu_question *q, struct slu_question **slot)
{
	struct slu_child_work work = {
		.run = child_run,
		.done = child_done,
		.gone = child_gone,
		.arg = q,
		.max = SLU_QUESTION_MAX,
		.seconds = SLU_QUESTION_SECONDS,
	};
	struct slu_buf none = {0};
	struct slu_err err;

	*slot = q;
	q->slot = slot;
	if (understand(q, &err) == 0)
		q->child = slu_child_start(q->d->loop, &work, &err);
	json_object_put(q->all);
	q->all = NULL;
	if (!q->child) {
		reply(q, &none, &err);
		child_gone(q);
	}
}

static struct slu_question **free_slot(struct slu_questions *all)
{
	for (int i = 0; i < SLU_QUESTION_CHILDREN; i++)
		if (!all->running[i])
			return &all->running[i];
	return NULL;
}

static void start_waiting(struct slu_questions *all)
{
	struct slu_question **slot = free_slot(all);
	struct slu_question *q = slot ? next_waiting(all) : NULL;

	if (q)
		start(q, slot);
}

/* Queues it for a process. Takes over the args of a placement. */
static int enqueue(struct slu_daemon *d, struct slu_req *req,
		   struct json_object *place, struct slu_err *err)
{
	struct slu_questions *all = &d->questions;
	struct slu_question *q = calloc(1, sizeof(*q));

	if (!q) {
		json_object_put(place);
		return slu_err(err, SLU_NOMEM, "out of memory");
	}
	q->d = d;
	q->req = req;
	q->uid = req->caller.uid;
	q->trusted = req->trusted;
	q->place = place;
	*all->tail = q;
	all->tail = &q->next;
	all->waiting++;
	start_waiting(all);
	return SLU_KEPT;
}

int slu_handle_query(struct slu_daemon *d, struct slu_req *req,
		     struct slu_buf *out, struct slu_err *err)
{
	struct json_object *place = slu_place_now_args(&req->body);
	int rc = SLU_KEPT;

	if (place) {
		rc = slu_place_now_admit(d, req, place, err);
		if (rc == 0)
			rc = slu_place_now(d, req, place, out, err);
	} else if (slu_bounds_requests(&req->share) > SLU_QUESTION_USER) {
		return slu_err(err, SLU_IO, "too many questions, try again");
	}
	if (rc == SLU_KEPT && !req->trusted &&
	    d->questions.waiting >= SLU_QUESTION_QUEUE)
		rc = slu_err(err, SLU_IO, "too many questions, try again");
	if (rc == SLU_KEPT)
		return enqueue(d, req, place, err);
	json_object_put(place);
	return rc;
}

void slu_questions_init(struct slu_questions *all)
{
	*all = (struct slu_questions){.tail = &all->head};
}

void slu_questions_stop(struct slu_daemon *d)
{
	struct slu_questions *all = &d->questions;
	struct slu_buf none = {0};
	struct slu_question *q;
	struct slu_err err;

	slu_err(&err, SLU_IO, "sluiced is stopping");
	for (int i = 0; i < SLU_QUESTION_CHILDREN; i++) {
		q = all->running[i];
		if (!q)
			continue;
		slu_child_drop(q->child);
		if (q->req)
			reply(q, &none, &err);
		question_free(q);
		all->running[i] = NULL;
	}
	while (all->head) {
		q = take(all, &all->head);
		reply(q, &none, &err);
		question_free(q);
	}
}

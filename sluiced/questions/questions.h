/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_QUESTIONS_H
#define SLU_SLUICED_QUESTIONS_H

/*
 * POST /v1/query: {"question": NAME, arguments...} answered by JSON. Each is
 * answered by a process of its own, from the database opened for reading: a
 * big question delays nobody but who asked it. A few processes at a time, of
 * which one user has half, and all users together leave one to root and
 * SlurmUser; others wait, first come, first served. What programs ask at a rate
 * is answered at once where it can be (place_now.h).
 */

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include "common/conf.h"
#include "common/err.h"
#include "common/str.h"
#include "select_io/ost/choose.h"
#include "store/db.h"

#define SLU_QUESTION_CHILDREN 4
#define SLU_QUESTION_QUEUE    256
/* Of one user, until their answers have been read. Root and SlurmUser have no
 * limit. */
#define SLU_QUESTION_USER   8
#define SLU_QUESTION_SQL    (4u << 20)	/* of an answer to any user's SQL */
#define SLU_QUESTION_MAX    (64u << 20) /* bytes of an answer */
#define SLU_QUESTION_MEMORY (2ull << 30)
#define SLU_QUESTION_NAME   "sluiced: question" /* argv[0] */

struct slu_daemon;
struct slu_question;

struct slu_questions {
	struct slu_question *head, **tail; /* waiting */
	size_t waiting;
	struct slu_question *running[SLU_QUESTION_CHILDREN];
};

/* What the answering process knows beside the database. */
struct slu_asker {
	uint32_t uid;
	bool admin;		    /* root or SlurmUser: sees everybody's */
	double quantile, floor;	    /* PredictQuantile, PredictFloor */
	uint64_t replay;	    /* HistoryReplay */
	enum slu_predict_mode mode; /* PredictMode */
	struct json_object *live;   /* what prepare() gave, or NULL */
};

struct slu_answerer {
	const char *name;
	/* In the daemon: what only it knows. May be NULL. */
	struct json_object *(*prepare)(const struct slu_daemon *d,
				       const struct slu_asker *who,
				       struct json_object *args);
	/* In the daemon, before a good answer goes out: what is there to be
	 * learnt from it. May be NULL. */
	void (*learn)(struct slu_daemon *d, uint32_t uid,
		      struct json_object *lesson);
	/* In the answering process: fill *out with JSON. Where there is a
	 * learn(), the lesson comes first, on a line of its own: the daemon
	 * reads that, which is short, and never the answer. */
	int (*answer)(struct slu_db *db, const struct slu_asker *who,
		      struct json_object *args, struct slu_buf *out,
		      struct slu_err *err);
};
/* Beside those of sysquery/query.h, which are everybody's to ask. */
extern const struct slu_answerer slu_answerers[]; /* name NULL ends it */

/* server_reports.c: the storage targets of Lustre,
 * {"servers":...,"alpha":A,"beta":B,"ranking":[...]}, the last only where
 * nothing shall be solved; what of it choose.h wants to know; and what is
 * remembered of answers. */
struct json_object *slu_osts_prepare(const struct slu_daemon *d,
				     const struct slu_asker *who,
				     struct json_object *args);
struct slu_ost_choose_settings slu_osts_settings(struct json_object *live);
/* A lesson of memory.h. */
void slu_osts_learn(struct slu_daemon *d, uint32_t uid,
		    struct json_object *lesson);
int slu_osts_answer(struct slu_db *db, const struct slu_asker *who,
		    struct json_object *args, struct slu_buf *out,
		    struct slu_err *err);

/* question_stripe.c: layouts of files, from the same. The second is for
 * layouts.c: targets that can be used, and their room, which it returns and the
 * caller frees, out of an answer of slu_ost_choose; nothing (NULL) where they
 * are of several file systems. */
struct slu_stripe_request;
uint64_t *slu_stripe_count_targets(struct json_object *answer,
				   struct slu_stripe_request *request);
int slu_stripe_answer(struct slu_db *db, const struct slu_asker *who,
		      struct json_object *args, struct slu_buf *out,
		      struct slu_err *err);

void slu_questions_init(struct slu_questions *questions);
/* Refuse those that wait; at the end of the program. */
void slu_questions_stop(struct slu_daemon *d);

/* main() of the answering process, which is this program executed anew under
 * SLU_QUESTION_NAME: a child of fork alone would share SQLite's locks with
 * its parent. Reads the question from standard input. */
void slu_question_main(void) __attribute__((noreturn));

#endif

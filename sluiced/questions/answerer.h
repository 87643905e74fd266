/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_QUESTIONS_ANSWERER_H
#define SLU_SLUICED_QUESTIONS_ANSWERER_H

/*
 * Describes an answerer: the functions that answer one kind of question, and
 * the user who asks.
 */

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include "common/conf.h"
#include "common/err.h"
#include "common/str.h"
#include "store/db.h"

struct slu_daemon;

/* What the answering process knows in addition to the database. */
struct slu_asker {
	uint32_t uid;
	bool admin;		    /* root or SlurmUser: may see all users'
				       rows */
	double quantile, floor;	    /* PredictQuantile, PredictFloor */
	uint64_t replay;	    /* HistoryReplay */
	enum slu_predict_mode mode; /* PredictMode */
	struct json_object *live;   /* result of prepare(), or NULL */
};

struct slu_answerer {
	const char *name;
	/* In the daemon: collects what only the daemon knows. May be NULL. */
	struct json_object *(*prepare)(const struct slu_daemon *d,
				       const struct slu_asker *who,
				       struct json_object *args);
	/* In the daemon, before a good answer is sent: takes over what the
	 * daemon should remember of it. May be NULL. */
	void (*learn)(struct slu_daemon *d, uint32_t uid,
		      struct json_object *lesson);
	/* In the answering process: fills *out with JSON. Where there is a
	 * learn(), its input comes first, on a line of its own, so that the
	 * daemon only parses that short line and never the answer. */
	int (*answer)(struct slu_db *db, const struct slu_asker *who,
		      struct json_object *args, struct slu_buf *out,
		      struct slu_err *err);
};
/* The user whose rows are shown: the argument "uid" if the asker may see all,
 * else the asker. */
int slu_asked_uid(const struct slu_asker *who, struct json_object *args,
		  uint32_t *uid, struct slu_err *err);

#endif

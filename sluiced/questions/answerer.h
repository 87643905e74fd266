/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_QUESTIONS_ANSWERER_H
#define SLU_SLUICED_QUESTIONS_ANSWERER_H

/* What answers one kind of question, and for whom. */

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include "common/conf.h"
#include "common/err.h"
#include "common/str.h"
#include "store/db.h"

struct slu_daemon;

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
/* Whose rows: the argument "uid" if the user may see all, else his own. */
int slu_asked_uid(const struct slu_asker *who, struct json_object *args,
		  uint32_t *uid, struct slu_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_OST_KNOWN_TARGETS_H
#define SLU_SELECT_IO_OST_KNOWN_TARGETS_H

/*
 * Caches the parsed targets of all servers, so that a placement takes a
 * fraction of a millisecond, for any number of files: a server's document is
 * parsed when it arrives, not at each question. The results are those of
 * slu_ost_choose() with the data that recent_placements.h adds to its
 * documents.
 */

#include <stdbool.h>
#include "select_io/ost/choose.h"
#include "select_io/ost/recent_placements.h"

struct slu_known_targets; /* one thread */

struct slu_known_targets *slu_known_targets_new(void); /* NULL: no memory */
void slu_known_targets_free(struct slu_known_targets *k);

/* Replaces the document of `server`; the caller holds the old one until this
 * returns. NULL: documents of other servers have changed, or are gone. */
void slu_known_targets_said(struct slu_known_targets *k, const char *server,
			    struct json_object *document);

/* servers: as of choose.h, with "came", seconds of the clock of `now`, in place
 * of "age"; the same object with the same documents until
 * slu_known_targets_said(). recent: its placements are taken into account, and
 * this user's new ones are added to it, unless it is a dry run. The answer has
 * no "osts" and no "commands". Errors and *out as of slu_ost_choose(). */
struct slu_known_ask {
	const struct slu_ost_choose_settings *settings;
	const struct slu_ost_choose_request *request;
	uint32_t uid;
	bool dry;
};
int slu_known_targets_place(struct slu_known_targets *k,
			    struct json_object *servers,
			    struct slu_recent_placements *recent,
			    const struct slu_known_ask *ask, double now,
			    struct json_object **out, struct slu_err *err);

#endif

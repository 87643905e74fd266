/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PREVIEW_STAGE_SOURCES_H
#define SLU_PREVIEW_STAGE_SOURCES_H

/*
 * Looks at the sources of a request's stage_in before it is submitted: whether
 * they can be read, and how much they are. This is done on the submitting host
 * with the user's rights; the job's nodes may see something else, so the result
 * is only good for a warning.
 */

#include <stdbool.h>
#include <stdint.h>
#include "burst_buffer/request/request.h"

struct slu_sources {
	uint64_t bytes; /* of regular files, holes left out */
	uint64_t files;
	bool cut; /* the time was too short for all */
};

struct slu_sources_look {
	/* Called for each name; false ends the walk. */
	bool (*go_on)(void *arg);
	/* Called for a source that cannot be read here: the line of its request
	 * (0: unknown) and a sentence. */
	void (*tell)(void *arg, int line, const char *text);
	void *arg;
};

/* Look at every source whose path does not contain the job's number; `sym` has
 * the user and the job's name. May block in a file system. */
void slu_sources_see(const struct slu_request *req,
		     const struct slu_symbols *sym,
		     const struct slu_sources_look *look,
		     struct slu_sources *out);

#endif

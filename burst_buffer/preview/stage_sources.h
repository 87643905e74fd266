/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PREVIEW_STAGE_SOURCES_H
#define SLU_PREVIEW_STAGE_SOURCES_H

/*
 * The sources of a request's stage_in as they are seen before the job runs, on
 * the host where it is submitted and with the rights of who submits it. Nobody
 * says that the job's nodes will see the same: it is worth a warning.
 */

#include <stdbool.h>
#include <stdint.h>
#include "burst_buffer/request/request.h"

struct slu_sources {
	uint64_t bytes; /* of regular files, holes left out */
	uint64_t files;
	bool cut; /* there was no time for all */
};

struct slu_sources_look {
	/* Asked at each name; false ends the look. */
	bool (*go_on)(void *arg);
	/* Hears of a source that cannot be had here: the line of its request
	 * (0: there are no lines) and a sentence. */
	void (*tell)(void *arg, int line, const char *text);
	void *arg;
};

/* Look at every source that does not depend on the job's number; `sym` has the
 * user and the job's name. Waits for file systems. */
void slu_sources_see(const struct slu_request *req,
		     const struct slu_symbols *sym,
		     const struct slu_sources_look *look,
		     struct slu_sources *out);

#endif

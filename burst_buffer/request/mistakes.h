/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_MISTAKES_H
#define SLU_BURST_MISTAKES_H

/* Collects what is wrong with a request, to report all of it at once. Private
 * to burst_buffer/request. */

#include "burst_buffer/request/request.h"

struct slu_mistakes {
	struct slu_err *err; /* may be NULL; one mistake a line */
	size_t n, omitted;
	bool unnamed; /* one of them is in the file system's name */
};
/* Append to a mistake the column in its line, from 1; 0: none. */
void slu_request_column(size_t column, struct slu_err *err);
void slu_mistake(struct slu_mistakes *m, const struct slu_err *one);
int slu_mistakes_end(struct slu_mistakes *m); /* -1: there were some */

#endif

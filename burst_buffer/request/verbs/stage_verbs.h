/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_STAGE_VERBS_H
#define SLU_BURST_STAGE_VERBS_H

/* Declares the keys of the verbs stage_in and stage_out, of which #DW lines use
 * some. Private to burst_buffer/request. */

#include "burst_buffer/request/values.h"

/* Their keys (name NULL ends), and the function that begins one: it becomes the
 * last of req->stage, which the setters fill in. */
extern const struct slu_request_key slu_stage_in_keys[], slu_stage_out_keys[];
int slu_begin_stage_in(struct slu_request *req, int line, struct slu_err *err);
int slu_begin_stage_out(struct slu_request *req, int line, struct slu_err *err);

/* The same for #DW lines. */
int slu_begin_stage(struct slu_request *req, bool out, int line,
		    struct slu_err *err);
int slu_set_source(struct slu_request *req, const char *value,
		   struct slu_err *err);
int slu_set_destination(struct slu_request *req, const char *value,
			struct slu_err *err);
int slu_set_type(struct slu_request *req, const char *value,
		 struct slu_err *err);

/* Words of values, by their enum; NULL ends. */
extern const char *const slu_stage_type_names[], *const slu_on_names[];

#endif

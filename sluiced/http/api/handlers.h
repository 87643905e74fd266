/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_HTTP_HANDLERS_H
#define SLU_SLUICED_HTTP_HANDLERS_H

/*
 * Declares handlers of HTTP requests that have files of their own: see struct
 * slu_route.
 */

#include "sluiced/http/api/route.h"

int slu_handle_conf(struct slu_daemon *d, struct slu_req *req,
		    struct slu_buf *out, struct slu_err *err);
int slu_handle_hashes(struct slu_daemon *d, struct slu_req *req,
		      struct slu_buf *out, struct slu_err *err);
int slu_handle_documents(struct slu_daemon *d, struct slu_req *req,
			 struct slu_buf *out, struct slu_err *err);
int slu_handle_io(struct slu_daemon *d, struct slu_req *req,
		  struct slu_buf *out, struct slu_err *err);
int slu_handle_import(struct slu_daemon *d, struct slu_req *req,
		      struct slu_buf *out, struct slu_err *err);
int slu_handle_jobstats(struct slu_daemon *d, struct slu_req *req,
			struct slu_buf *out, struct slu_err *err);
int slu_handle_osts(struct slu_daemon *d, struct slu_req *req,
		    struct slu_buf *out, struct slu_err *err);
int slu_handle_query(struct slu_daemon *d, struct slu_req *req,
		     struct slu_buf *out, struct slu_err *err);
int slu_handle_metrics(struct slu_daemon *d, struct slu_req *req,
		       struct slu_buf *out, struct slu_err *err);

#endif

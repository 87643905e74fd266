/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads sluice.conf for this daemon, and serves its text to hosts that have no
 * file of their own: the text that this daemon uses, never a file that is bad
 * or half written.
 */
#include "sluiced/http/api/conf_text.h"

#include <string.h>
#include "burst_buffer/request/site/fstype.h"
#include "sluiced/http/api/handlers.h"

struct slu_conf *slu_daemon_load(struct slu_daemon *d, struct slu_err *err)
{
	struct slu_buf text = {0};
	struct slu_conf *conf = slu_site_load(d->conf_path, &text, err);

	if (conf) {
		slu_buf_free(&d->conf_text);
		d->conf_text = text;
		slu_sha256(text.data, text.len, d->conf_hash);
	} else {
		slu_buf_free(&text);
	}
	return conf;
}

/* ?have=SHA-256: an empty body means that this is the present one. */
int slu_handle_conf(struct slu_daemon *d, struct slu_req *req,
		    struct slu_buf *out, struct slu_err *err)
{
	const char *have = slu_httpd_argument(req, "have");

	if (have && !strcmp(have, d->conf_hash))
		return SLU_ANSWERED;
	slu_buf_add(out, d->conf_text.data, d->conf_text.len);
	return out->failed ? slu_err(err, SLU_NOMEM, "out of memory")
			   : SLU_ANSWERED;
}

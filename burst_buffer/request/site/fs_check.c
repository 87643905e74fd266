/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Refuses a request for a file system that sluice.conf does not define, and
 * names those that it does. */
#include "config.h"
#include "burst_buffer/request/site/fs_check.h"
#include "common/str.h"

int slu_check_fs(const struct slu_request *req, const struct slu_conf *conf,
		 struct slu_err *err)
{
	struct slu_buf names = {.max = 200};
	size_t i;

	if (slu_conf_fs(conf, req->fs))
		return 0;
	for (i = 0; i < conf->n_fs; i++)
		slu_buf_printf(&names, "%s%s", i ? ", " : "", conf->fs[i].name);
	slu_err(err, SLU_INVALID, "there is no file system %s; %s%s",
		req->fs ? req->fs : "here",
		names.len ? "type= may be " : "none is configured",
		names.len ? names.data : "");
	slu_buf_free(&names);
	return -1;
}

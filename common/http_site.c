/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From what sluice.conf says to a client. */
#include "config.h"
#include "common/http.h"

#include <pwd.h>
#include "common/conf.h"

struct slu_http *slu_http_of_site(const struct slu_conf *conf,
				  struct slu_err *err)
{
	struct passwd pw, *found = NULL;
	char buf[4096];

	if (!conf->daemon_addr || !conf->daemon_addr[0]) {
		slu_err(err, SLU_INVALID, "sluice.conf has no DaemonAddr");
		return NULL;
	}
	if (getpwnam_r(conf->slurm_user, &pw, buf, sizeof(buf), &found) ||
	    !found) {
		slu_err(err, SLU_NOTFOUND,
			"SlurmUser %s of sluice.conf is unknown here",
			conf->slurm_user);
		return NULL;
	}
	return slu_http_new(conf->daemon_addr, pw.pw_uid, err);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Creates the HTTP client for the sluiced that sluice.conf names. */
#include "config.h"
#include "common/http.h"

#include <pwd.h>
#include <stdlib.h>
#include "common/conf.h"

int slu_http_slurm_user(const char *user, uid_t *uid, struct slu_err *err)
{
	struct passwd pw, *found = NULL;
	char buf[4096], *end;
	unsigned long number = strtoul(user, &end, 10);

	if (getpwnam_r(user, &pw, buf, sizeof(buf), &found) == 0 && found)
		*uid = pw.pw_uid;
	else if (end != user && !*end)
		*uid = (uid_t)number;
	else
		return slu_err(err, SLU_NOTFOUND,
			       "SlurmUser %s is unknown here", user);
	return 0;
}

struct slu_http *slu_http_of_site(const struct slu_conf *conf,
				  struct slu_err *err)
{
	uid_t owner;

	if (!conf->daemon_addr || !conf->daemon_addr[0]) {
		slu_err(err, SLU_INVALID, "sluice.conf has no DaemonAddr");
		return NULL;
	}
	if (slu_http_slurm_user(conf->slurm_user, &owner, err)) {
		slu_err_prefix(err, "sluice.conf");
		return NULL;
	}
	return slu_http_new(conf->daemon_addr, owner, err);
}

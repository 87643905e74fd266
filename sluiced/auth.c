/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of proof: a credential that decodes and was made for exactly this
 * request (common/cred.h), then the uid, then the origin.
 */
#include "sluiced/auth.h"

#include <string.h>

#define SCHEME	    "Sluice "
#define MUNGE_PAUSE 1.0

static int check_root(enum slu_who who, const struct slu_caller *caller,
		      struct slu_err *err)
{
	if (who != SLU_WHO_HOST || caller->uid == 0)
		return 0;
	return slu_err(err, SLU_DENIED, "only root may ask this, not uid %u",
		       (unsigned)caller->uid);
}

int slu_auth_prove(struct slu_auth *auth, const struct slu_auth_request *req,
		   double now, struct slu_caller *out, struct slu_err *err)
{
	const char *cred = req->authorization;
	struct slu_err why;

	if (!cred || strncmp(cred, SCHEME, strlen(SCHEME)) != 0)
		return slu_err(err, SLU_DENIED,
			       "no Authorization: Sluice CREDENTIAL header");
	if (auth->munge_down && now - auth->munge_down < MUNGE_PAUSE)
		return slu_err(err, SLU_IO, "munged does not answer");
	auth->munge_down = 0;
	if (slu_cred_open_request(cred + strlen(SCHEME), req->method, req->uri,
				  out, &why) == 0)
		return check_root(req->who, out, err);
	if (why.kind == SLU_IO)
		auth->munge_down = now;
	return slu_err(err, why.kind, "%s", why.text);
}

bool slu_auth_admin(const struct slu_auth *auth,
		    const struct slu_caller *caller)
{
	return caller->uid == 0 || caller->uid == auth->owner;
}

int slu_auth_allow(struct slu_auth *auth, enum slu_who who,
		   const struct slu_caller *caller, const char *host,
		   double now, struct slu_err *err)
{
	switch (who) {
	case SLU_WHO_ANYBODY:
	case SLU_WHO_USER:
		return 0;
	case SLU_WHO_HOST:
		if (check_root(who, caller, err) < 0)
			return -1;
		if (!host || !host[0])
			return slu_err(err, SLU_INVALID,
				       "the request names no host");
		return slu_nodes_check(auth->nodes, host, caller->addr, now,
				       err);
	}
	return slu_err(err, SLU_INTERNAL, "no such rule");
}

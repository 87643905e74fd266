/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Authenticates and authorises callers of HTTP requests. The order of checks: a
 * credential that decodes and was made for exactly this request
 * (common/cred.h), then the uid, then the host of origin.
 */
#include "sluiced/http/api/auth.h"

#include <string.h>

#define SCHEME "Sluice "

int slu_auth_user(const struct slu_auth *auth, enum slu_who who,
		  const struct slu_caller *caller, struct slu_err *err)
{
	if (who == SLU_WHO_HOST && caller->uid != 0)
		return slu_err(err, SLU_DENIED,
			       "only root may ask this, not uid %u",
			       (unsigned)caller->uid);
	if (who == SLU_WHO_ADMIN && !slu_auth_admin(auth, caller))
		return slu_err(err, SLU_DENIED,
			       "only root and SlurmUser may ask this, not "
			       "uid %u",
			       (unsigned)caller->uid);
	return 0;
}

static int munge_is_down(struct slu_err *err)
{
	return slu_err(err, SLU_IO, "munged does not answer");
}

/* munged has failed to answer what it was asked at `began`. */
static void note_failure(struct slu_auth *auth, double began,
			 const struct slu_err *why)
{
	if (why->kind == SLU_IO)
		slu_breaker_trip(&auth->munge, began, auth->clock());
}

int slu_auth_verify(struct slu_auth *auth, const struct slu_auth_request *req,
		    struct slu_caller *out, struct slu_err *err)
{
	const char *cred = req->authorization;
	double began = auth->clock();
	struct slu_err why;

	if (!cred || strncmp(cred, SCHEME, strlen(SCHEME)) != 0)
		return slu_err(err, SLU_DENIED,
			       "no Authorization: Sluice CREDENTIAL header");
	if (slu_breaker_open(&auth->munge, began))
		return munge_is_down(err);
	if (slu_cred_open_request(cred + strlen(SCHEME), req->method, req->uri,
				  out, &why) == 0)
		return 0;
	note_failure(auth, began, &why);
	return slu_err(err, why.kind, "%s", why.text);
}

char *slu_auth_reply(struct slu_auth *auth, const struct slu_caller *to,
		     int status, const char *hash, const char *secret,
		     struct slu_err *err)
{
	double began = auth->clock();
	struct slu_err why;
	char *cred;

	if (slu_breaker_open(&auth->munge, began)) {
		munge_is_down(err);
		return NULL;
	}
	cred = slu_cred_reply_hashed(to, status, hash, secret, &why);
	if (!cred) {
		note_failure(auth, began, &why);
		slu_err(err, why.kind, "%s", why.text);
	}
	return cred;
}

bool slu_auth_admin(const struct slu_auth *auth,
		    const struct slu_caller *caller)
{
	return caller->uid == 0 || caller->uid == auth->owner;
}

int slu_auth_allow(struct slu_auth *auth, enum slu_who who,
		   const struct slu_caller *caller, const char *host,
		   struct slu_err *err)
{
	switch (who) {
	case SLU_WHO_ANYBODY:
	case SLU_WHO_USER:
		return 0;
	case SLU_WHO_ADMIN:
		return slu_auth_user(auth, who, caller, err);
	case SLU_WHO_HOST:
		if (slu_auth_user(auth, who, caller, err) < 0)
			return -1;
		if (!host || !host[0])
			return slu_err(err, SLU_INVALID,
				       "the request names no host");
		return slu_nodes_check(auth->nodes, host, caller->addr, err);
	}
	return slu_err(err, SLU_INTERNAL, "no such rule");
}

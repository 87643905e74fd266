/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_AUTH_H
#define SLU_SLUICED_AUTH_H

/*
 * Decides who may call which route: the credential proves uid and host of
 * origin, the route requires certain ones. sluiced(8) has the table.
 */

#include "common/cred.h"
#include "common/err.h"
#include "sluiced/breaker.h"
#include "sluiced/host_addresses.h"

enum slu_who {
	SLU_WHO_ANYBODY, /* without a credential */
	SLU_WHO_USER,	 /* any user of the cluster */
	SLU_WHO_ADMIN,	 /* root or SlurmUser */
	SLU_WHO_HOST,	 /* root, on the host that the request names */
};

struct slu_auth {
	uid_t owner; /* SlurmUser */
	struct slu_nodes *nodes;
	double (*clock)(void);	  /* seconds */
	struct slu_breaker munge; /* opened when munged does not answer */
};

struct slu_auth_request {
	const char *method, *uri;
	const char *authorization; /* the header's value, or NULL */
};

/* Identify the caller. The body, which may not be there yet, is compared by
 * slu_cred_check_body(). A wrong origin or signature is SLU_DENIED; SLU_IO
 * while munged does not answer, which is tried rarely (breaker.h). */
int slu_auth_verify(struct slu_auth *auth, const struct slu_auth_request *req,
		    struct slu_caller *out, struct slu_err *err);
/* May this user call a route of this kind? */
int slu_auth_user(const struct slu_auth *auth, enum slu_who who,
		  const struct slu_caller *caller, struct slu_err *err);
/* slu_cred_reply_hashed(), or SLU_IO as above. */
char *slu_auth_reply(struct slu_auth *auth, const struct slu_caller *to,
		     int status, const char *hash, const char *secret,
		     struct slu_err *err);
/* May this caller call a route of this kind? host: the one that the request
 * names (SLU_WHO_HOST). */
int slu_auth_allow(struct slu_auth *auth, enum slu_who who,
		   const struct slu_caller *caller, const char *host,
		   struct slu_err *err);
/* Is the caller root or SlurmUser, who may see everything? */
bool slu_auth_admin(const struct slu_auth *auth,
		    const struct slu_caller *caller);

#endif

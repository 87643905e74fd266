/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_CRED_H
#define SLU_COMMON_CRED_H

/*
 * Proves who sent an HTTP request or reply, by credentials of MUNGE. The
 * payload of a request's credential is "METHOD PATH NONCE SHA256(body)", of a
 * reply's "NONCE STATUS SHA256(body)", restricted to the caller's uid. MUNGE
 * encrypts payloads, so a reply's may end in " SECRET", which only the caller
 * can read, while its body may be of any size. MUNGE also gives the time when
 * it was made. sluiced(8) has the table of callers and what they may call. Any
 * thread.
 *
 * A munged that does not answer is SLU_IO: the same call may succeed later.
 * Link with $(libslunet).
 */

/*
 * A request that only one user can open makes its nonce a secret between its
 * caller and that user, so that the reply needs no MUNGE: its seal is "SECONDS
 * HMAC", the HMAC-SHA256 (RFC 2104) of "SECONDS STATUS SHA256(body)" with the
 * nonce as the key. It proves as much as a credential made by this user, and
 * carries no secret.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <netinet/in.h>
#include <sys/types.h>
#include <time.h>
#include "common/err.h"
#include "common/str.h"

#define SLU_NONCE_TEXT 33
#define SLU_SECRET_MAX 255 /* characters */

struct slu_caller {
	uid_t uid;
	gid_t gid;
	struct in_addr addr; /* where the credential was made */
	char nonce[SLU_NONCE_TEXT];
	char hash[65]; /* of the body that the credential was made for */
	bool sealed;   /* only this process's user can know the nonce */
};

/* Lower-case hex SHA-256; out has 65 bytes. */
void slu_sha256(const void *data, size_t len, char out[65]);

/* Request side: a fresh credential and its nonce; caller frees the text. path
 * includes the query, as sent. */
char *slu_cred_request(const char *method, const char *path, const void *body,
		       size_t len, char nonce[SLU_NONCE_TEXT],
		       struct slu_err *err);
/* The same, which only this user can open. */
char *slu_cred_request_for(uid_t reader, const char *method, const char *path,
			   const void *body, size_t len,
			   char nonce[SLU_NONCE_TEXT], struct slu_err *err);
/* Checks a request's credential against what was received. One that was used
 * before, was made for something else or is too old is SLU_DENIED. */
int slu_cred_check_request(const char *cred, const char *method,
			   const char *path, const void *body, size_t len,
			   struct slu_caller *out, struct slu_err *err);
/* The same in two steps: the caller, before the body is there (only once, as a
 * second check finds it used); then whether the body is the caller's. */
int slu_cred_open_request(const char *cred, const char *method,
			  const char *path, struct slu_caller *out,
			  struct slu_err *err);
int slu_cred_check_body(const struct slu_caller *caller, const void *body,
			size_t len, struct slu_err *err);

/* Reply side; caller frees the text. secret: NULL, or 1 to SLU_SECRET_MAX
 * characters (else SLU_INVALID). */
char *slu_cred_reply(const struct slu_caller *to, int status, const void *body,
		     size_t len, const char *secret, struct slu_err *err);
/* The same by the body's slu_sha256(). */
char *slu_cred_reply_hashed(const struct slu_caller *to, int status,
			    const char *hash, const char *secret,
			    struct slu_err *err);
/* Checks a reply: made by root or by `owner`, for this nonce, status and body;
 * else SLU_DENIED. *secret: the one that came with it, which the caller frees;
 * NULL: none. *made (may be NULL): when, by the clock of its maker; this cannot
 * be changed on the way. *by (may be NULL): its maker. All untouched on
 * failure. */
int slu_cred_check_reply(const char *cred, uid_t owner, const char *nonce,
			 int status, const void *body, size_t len,
			 char **secret, time_t *made, uid_t *by,
			 struct slu_err *err);

/* Seals a reply to a caller whose request is `sealed`; made: Unix seconds;
 * hash: the body's slu_sha256(). */
#define SLU_SEAL_TEXT 96
int slu_cred_seal(const struct slu_caller *to, int status, const char *hash,
		  time_t made, char out[SLU_SEAL_TEXT], struct slu_err *err);
/* Check one of a reply to slu_cred_request_for(), as slu_cred_check_reply(). */
int slu_cred_check_seal(const char *seal, const char *nonce, int status,
			const void *body, size_t len, time_t *made,
			struct slu_err *err);

/* For tests: use the munged at this socket, from now on and in every thread.
 * NULL: the host's. */
void slu_cred_socket(const char *path);

#endif

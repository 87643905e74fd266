/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes and verifies MUNGE credentials of HTTP requests and replies.
 *
 * To verify a payload, the expected one is built and the bytes are compared.
 * Only the nonce and the body's hash are read from a request's payload; the
 * hash is compared once the body has arrived. A request's payload begins with
 * the capital letters of a method and a reply's with the digits of a nonce, so
 * neither can be replayed as the other.
 */
#include "config.h"
#include "common/cred.h"
#include "common/gcrypt_init.h"

#include <munge.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define NONCE_BYTES ((SLU_NONCE_TEXT - 1) / 2)
#define HASH_TEXT   65 /* as in struct slu_caller */

static const char *munge_socket; /* see slu_cred_socket() */

void slu_cred_socket(const char *path)
{
	munge_socket = path;
}

static void hex(const unsigned char *bytes, size_t len, char *out)
{
	for (size_t i = 0; i < len; i++)
		sprintf(out + 2 * i, "%02x", bytes[i]);
}

void slu_sha256(const void *data, size_t len, char out[HASH_TEXT])
{
	unsigned char hash[32];

	slu_gcrypt_init();
	gcry_md_hash_buffer(GCRY_MD_SHA256, hash, data, len);
	hex(hash, sizeof(hash), out);
}

static munge_ctx_t context(struct slu_err *err)
{
	munge_ctx_t ctx = munge_ctx_create();

	if (!ctx)
		slu_err(err, SLU_NOMEM, "no memory for a credential");
	else if (munge_socket)
		munge_ctx_set(ctx, MUNGE_OPT_SOCKET, munge_socket);
	return ctx;
}

/* libmunge writes to munged as to a pipe: if munged stops meanwhile, SIGPIPE
 * would end the program, or the application that calls sluice_place(). */
struct quiet {
	sigset_t pipe, was;
};

static void quiet_begin(struct quiet *q)
{
	sigemptyset(&q->pipe);
	sigaddset(&q->pipe, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &q->pipe, &q->was);
}

static void quiet_end(const struct quiet *q)
{
	static const struct timespec now;

	if (!sigismember(&q->was, SIGPIPE))
		sigtimedwait(&q->pipe, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &q->was, NULL);
}

/* munge's error as ours. */
static int refused(munge_ctx_t ctx, munge_err_t why, struct slu_err *err)
{
	const char *text = munge_ctx_strerror(ctx);

	if (!text)
		text = munge_strerror(why);
	switch (why) {
	case EMUNGE_SNAFU:
		return slu_err(err, SLU_INTERNAL, "munge: %s", text);
	case EMUNGE_BAD_LENGTH:
		return slu_err(err, SLU_INVALID, "munge: %s", text);
	case EMUNGE_OVERFLOW:
	case EMUNGE_NO_MEMORY:
		return slu_err(err, SLU_NOMEM, "munge: %s", text);
	case EMUNGE_SOCKET:
	case EMUNGE_TIMEOUT:
		return slu_err(err, SLU_IO, "munge: %s", text);
	default:
		return slu_err(err, SLU_DENIED, "munge: %s", text);
	}
}

/* A credential with this payload that only `reader` can open (MUNGE_UID_ANY:
 * all users). Caller frees. */
static char *encode(const struct slu_buf *payload, uid_t reader,
		    struct slu_err *err)
{
	munge_ctx_t ctx;
	munge_err_t why;
	struct quiet q;
	char *cred = NULL;

	if (payload->failed) {
		slu_err(err, SLU_NOMEM, "no memory for a credential");
		return NULL;
	}
	ctx = context(err);
	if (!ctx)
		return NULL;
	munge_ctx_set(ctx, MUNGE_OPT_UID_RESTRICTION, reader);
	quiet_begin(&q);
	why = munge_encode(&cred, ctx, payload->data, (int)payload->len);
	quiet_end(&q);
	if (why != EMUNGE_SUCCESS)
		refused(ctx, why, err);
	munge_ctx_destroy(ctx);
	return cred;
}

struct decoded {
	char *text; /* owned; NULL when empty */
	size_t len;
	uid_t uid;
	gid_t gid;
	struct in_addr addr;
	time_t made;
	uid_t reader; /* only this user can open it; MUNGE_UID_ANY: all */
};

static int decode(const char *cred, struct decoded *out, struct slu_err *err)
{
	munge_ctx_t ctx = context(err);
	munge_err_t why;
	struct quiet q;
	void *text = NULL;
	int len = 0;

	if (!ctx)
		return -1;
	*out = (struct decoded){.reader = (uid_t)MUNGE_UID_ANY};
	quiet_begin(&q);
	why = munge_decode(cred, ctx, &text, &len, &out->uid, &out->gid);
	quiet_end(&q);
	if (why == EMUNGE_SUCCESS) {
		out->text = text;
		out->len = (size_t)len;
		munge_ctx_get(ctx, MUNGE_OPT_ADDR4, &out->addr);
		munge_ctx_get(ctx, MUNGE_OPT_ENCODE_TIME, &out->made);
		munge_ctx_get(ctx, MUNGE_OPT_UID_RESTRICTION, &out->reader);
	} else {
		free(text); /* it may have a payload all the same */
		refused(ctx, why, err);
	}
	munge_ctx_destroy(ctx);
	return why == EMUNGE_SUCCESS ? 0 : -1;
}

/* Is the payload exactly this? */
static bool says(const struct decoded *d, const struct slu_buf *want)
{
	return !want->failed && d->len == want->len &&
	       memcmp(d->text, want->data, want->len) == 0;
}

static void request_payload(struct slu_buf *buf, const char *method,
			    const char *path, const char *nonce,
			    const char *hash)
{
	slu_buf_printf(buf, "%s %s %s %s", method, path, nonce, hash);
}

static void reply_payload(struct slu_buf *buf, const char *nonce, int status,
			  const char *hash)
{
	slu_buf_printf(buf, "%s %d %s", nonce, status, hash);
}

char *slu_cred_request_for(uid_t reader, const char *method, const char *path,
			   const void *body, size_t len,
			   char nonce[SLU_NONCE_TEXT], struct slu_err *err)
{
	unsigned char random[NONCE_BYTES];
	struct slu_buf payload = {0};
	char hash[HASH_TEXT];
	char *cred;

	if (getrandom(random, sizeof(random), 0) != sizeof(random)) {
		slu_errno(err, SLU_IO, "getrandom");
		return NULL;
	}
	hex(random, sizeof(random), nonce);
	slu_sha256(body, len, hash);
	request_payload(&payload, method, path, nonce, hash);
	cred = encode(&payload, reader, err);
	slu_buf_free(&payload);
	return cred;
}

char *slu_cred_request(const char *method, const char *path, const void *body,
		       size_t len, char nonce[SLU_NONCE_TEXT],
		       struct slu_err *err)
{
	return slu_cred_request_for(MUNGE_UID_ANY, method, path, body, len,
				    nonce, err);
}

/* The last two words of a request's payload: "NONCE HASH". */
static bool find_tail(const struct decoded *d, struct slu_caller *out)
{
	size_t tail = SLU_NONCE_TEXT - 1 + 1 + HASH_TEXT - 1;
	const char *at;

	if (d->len < tail)
		return false;
	at = d->text + d->len - tail;
	memcpy(out->nonce, at, SLU_NONCE_TEXT - 1);
	memcpy(out->hash, at + SLU_NONCE_TEXT, HASH_TEXT - 1);
	out->nonce[SLU_NONCE_TEXT - 1] = out->hash[HASH_TEXT - 1] = '\0';
	return strspn(out->nonce, "0123456789abcdef") == SLU_NONCE_TEXT - 1;
}

static int another_request(struct slu_err *err)
{
	return slu_err(err, SLU_DENIED,
		       "the credential was made for another request");
}

int slu_cred_open_request(const char *cred, const char *method,
			  const char *path, struct slu_caller *out,
			  struct slu_err *err)
{
	struct slu_buf want = {0};
	struct slu_caller caller;
	struct decoded d;
	bool good;

	if (decode(cred, &d, err) < 0)
		return -1;
	good = find_tail(&d, &caller);
	if (good) {
		request_payload(&want, method, path, caller.nonce, caller.hash);
		good = says(&d, &want);
	}
	caller.uid = d.uid;
	caller.gid = d.gid;
	caller.addr = d.addr;
	caller.sealed = d.reader == geteuid();
	slu_buf_free(&want);
	free(d.text);
	if (!good)
		return another_request(err);
	*out = caller;
	return 0;
}

int slu_cred_check_body(const struct slu_caller *caller, const void *body,
			size_t len, struct slu_err *err)
{
	char hash[HASH_TEXT];

	slu_sha256(body, len, hash);
	return strcmp(hash, caller->hash) == 0 ? 0 : another_request(err);
}

int slu_cred_check_request(const char *cred, const char *method,
			   const char *path, const void *body, size_t len,
			   struct slu_caller *out, struct slu_err *err)
{
	struct slu_caller caller;

	if (slu_cred_open_request(cred, method, path, &caller, err) < 0 ||
	    slu_cred_check_body(&caller, body, len, err) < 0)
		return -1;
	*out = caller;
	return 0;
}

char *slu_cred_reply_hashed(const struct slu_caller *to, int status,
			    const char *hash, const char *secret,
			    struct slu_err *err)
{
	size_t n = secret ? strlen(secret) : 1;
	struct slu_buf payload = {0};
	char *cred;

	if (n == 0 || n > SLU_SECRET_MAX) {
		slu_err(err, SLU_INVALID, "a secret of %zu characters", n);
		return NULL;
	}
	reply_payload(&payload, to->nonce, status, hash);
	if (secret)
		slu_buf_printf(&payload, " %s", secret);
	cred = encode(&payload, to->uid, err);
	slu_buf_free(&payload);
	return cred;
}

char *slu_cred_reply(const struct slu_caller *to, int status, const void *body,
		     size_t len, const char *secret, struct slu_err *err)
{
	char hash[HASH_TEXT];

	slu_sha256(body, len, hash);
	return slu_cred_reply_hashed(to, status, hash, secret, err);
}

/* The rest of the payload behind `head`: nothing, or " SECRET". -1: it does not
 * begin so, or ends in something else. */
static int read_tail(const struct decoded *d, const struct slu_buf *head,
		     char **secret)
{
	size_t n = d->len - head->len - 1;

	*secret = NULL;
	if (head->failed || d->len < head->len ||
	    memcmp(d->text, head->data, head->len) != 0)
		return -1;
	if (d->len == head->len)
		return 0;
	if (d->text[head->len] != ' ' || n == 0 || n > SLU_SECRET_MAX)
		return -1;
	*secret = strndup(d->text + head->len + 1, n);
	return *secret ? 0 : -1;
}

static int check_reply(const struct decoded *d, const char *nonce, int status,
		       const void *body, size_t len, char **secret,
		       struct slu_err *err)
{
	struct slu_buf head = {0};
	char hash[HASH_TEXT];
	int rc;

	slu_sha256(body, len, hash);
	reply_payload(&head, nonce, status, hash);
	rc = read_tail(d, &head, secret);
	slu_buf_free(&head);
	if (rc)
		return slu_err(err, SLU_DENIED,
			       "the credential was made for another reply");
	return 0;
}

int slu_cred_check_reply(const char *cred, uid_t owner, const char *nonce,
			 int status, const void *body, size_t len,
			 char **secret, time_t *made, uid_t *by,
			 struct slu_err *err)
{
	struct decoded d;
	char *found;
	int ret;

	if (decode(cred, &d, err) < 0)
		return -1;
	if (d.uid != 0 && d.uid != owner)
		ret = slu_err(err, SLU_DENIED,
			      "the reply was made by uid %u, which is neither "
			      "root nor SlurmUser",
			      (unsigned)d.uid);
	else
		ret = check_reply(&d, nonce, status, body, len, &found, err);
	free(d.text);
	if (ret == 0)
		*secret = found;
	if (ret == 0 && made)
		*made = d.made;
	if (ret == 0 && by)
		*by = d.uid;
	return ret;
}

static int seal(const char *nonce, int status, const char *hash, time_t made,
		char out[SLU_SEAL_TEXT], struct slu_err *err)
{
	unsigned char mac[32];
	char text[160];
	int n = snprintf(text, sizeof(text), "%lld %d %s", (long long)made,
			 status, hash);
	const gcry_buffer_t parts[] = {
		{.data = (void *)(uintptr_t)nonce, .len = strlen(nonce)},
		{.data = text, .len = (size_t)n},
	};

	slu_gcrypt_init();
	if (gcry_md_hash_buffers(GCRY_MD_SHA256, GCRY_MD_FLAG_HMAC, mac, parts,
				 2))
		return slu_err(err, SLU_NOMEM, "no memory for a seal");
	n = snprintf(out, SLU_SEAL_TEXT, "%lld ", (long long)made);
	hex(mac, sizeof(mac), out + n);
	return 0;
}

int slu_cred_seal(const struct slu_caller *to, int status, const char *hash,
		  time_t made, char out[SLU_SEAL_TEXT], struct slu_err *err)
{
	if (!to->sealed)
		return slu_err(err, SLU_INTERNAL, "everybody knows the nonce");
	return seal(to->nonce, status, hash, made, out, err);
}

/* The time of the comparison reveals nothing useful, as a nonce is used
 * once. */
int slu_cred_check_seal(const char *with, const char *nonce, int status,
			const void *body, size_t len, time_t *made,
			struct slu_err *err)
{
	char hash[HASH_TEXT], want[SLU_SEAL_TEXT];
	const time_t when = (time_t)strtoll(with, NULL, 10);

	slu_sha256(body, len, hash);
	if (seal(nonce, status, hash, when, want, err))
		return -1;
	if (strcmp(with, want) != 0)
		return slu_err(err, SLU_DENIED,
			       "the seal was made for another reply");
	*made = when;
	return 0;
}

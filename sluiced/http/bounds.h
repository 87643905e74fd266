/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_BOUNDS_H
#define SLU_SLUICED_BOUNDS_H

/*
 * Limits how much of the HTTP server one client may take, so that none can keep
 * the nodes out: a user's requests at a time, bytes of bodies that have arrived
 * and of answers that have not been read, the time that a connection may take
 * over a request and its answer, and which connections are closed when there
 * are too many. Root and SlurmUser are trusted: they have only the limit of all
 * clients together, of which others get no more than half.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SLU_BOUNDS_REQUESTS 64u		 /* of a user at a time */
#define SLU_BOUNDS_BODIES   (1ull << 30) /* bytes, all bodies together */
/* bytes, to clients that are not trusted */
#define SLU_BOUNDS_ANSWERS (512ull << 20)
#define SLU_BOUNDS_USER	   (64ull << 20) /* of these, to one user */
/* seconds for the head of a request */
#define SLU_BOUNDS_HEAD 40.0
#define SLU_BOUNDS_RATE 65536.0	    /* bytes a second, at least */
#define SLU_STRANGER	((uid_t)-1) /* stands for an unknown user */

struct sockaddr;
struct slu_account;

struct slu_bounds {
	struct slu_account *users; /* users that are not trusted */
	uint64_t bodies, strange_bodies, answers; /* bytes */
};

/* What one request takes of the limits; { 0 } takes nothing. */
struct slu_share {
	struct slu_account *user; /* NULL: trusted */
	uint64_t body, answer;	  /* bytes */
};

/* A request of this user begins; false: he has too many, or there is no
 * memory. */
bool slu_bounds_begin(struct slu_bounds *b, struct slu_share *share, uid_t uid,
		      bool trusted);
/* A request has ended, whether slu_bounds_begin() succeeded or not. */
void slu_bounds_end(struct slu_bounds *b, struct slu_share *share);
/* May so many more bytes of body be received, or sent as an answer? If so, they
 * count from now on. */
bool slu_bounds_body(struct slu_bounds *b, struct slu_share *share, size_t n);
bool slu_bounds_answer(struct slu_bounds *b, struct slu_share *share, size_t n);
/* Requests of this user that have not ended, this one included; 0: trusted. */
unsigned slu_bounds_requests(const struct slu_share *share);

/* A connection; initialise with { 0 }, fd and net. Times: seconds of one
 * clock. */
struct slu_conn {
	struct slu_conn *next, **link;
	int fd;
	uint64_t net;	 /* where it comes from, see slu_net() */
	bool trusted;	 /* its user is root or SlurmUser */
	bool ended;	 /* we have ended it; the client does not know yet */
	double deadline; /* when the client has to be done; 0: we are working */
};

struct slu_conns {
	struct slu_conn *newest;
	size_t n; /* that have not ended */
};

/* The network that counts as one host: an IPv4 address, all of 127/8, a /64 of
 * IPv6. */
uint64_t slu_net(const struct sockaddr *addr);

void slu_conn_add(struct slu_conns *all, struct slu_conn *conn, double now);
void slu_conn_remove(struct slu_conns *all, struct slu_conn *conn);
/* Starts the deadline for the transfer of n bytes. */
void slu_conn_set_deadline(struct slu_conn *conn, double now, uint64_t n);
/* End those whose deadline has passed, as if the client had closed. */
void slu_conns_sweep(struct slu_conns *all, double now);
/* Make space: of the host with most connections that are not trusted, end the
 * older half of these. A single one stays. */
void slu_conns_cut(struct slu_conns *all);

#endif

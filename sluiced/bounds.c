/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See bounds.h. An account lives while its user has requests. */
#include "sluiced/bounds.h"

#include <stdlib.h>
#include <sys/socket.h>

struct slu_account {
	struct slu_account *next;
	uid_t uid;
	unsigned requests;
	uint64_t answers; /* bytes */
};

static struct slu_account *account_of(struct slu_bounds *b, uid_t uid)
{
	struct slu_account *a = b->users;

	while (a && a->uid != uid)
		a = a->next;
	if (a)
		return a;
	a = calloc(1, sizeof(*a));
	if (!a)
		return NULL;
	a->uid = uid;
	a->next = b->users;
	b->users = a;
	return a;
}

static void forget(struct slu_bounds *b, struct slu_account *a)
{
	struct slu_account **p = &b->users;

	while (*p != a)
		p = &(*p)->next;
	*p = a->next;
	free(a);
}

bool slu_bounds_begin(struct slu_bounds *b, struct slu_share *share, uid_t uid,
		      bool trusted)
{
	struct slu_account *a;

	if (trusted)
		return true;
	a = account_of(b, uid);
	if (!a)
		return false;
	a->requests++;
	share->user = a;
	return uid == SLU_STRANGER || a->requests <= SLU_BOUNDS_REQUESTS;
}

void slu_bounds_end(struct slu_bounds *b, struct slu_share *share)
{
	struct slu_account *a = share->user;

	b->bodies -= share->body;
	if (a) {
		b->strange_bodies -= share->body;
		b->answers -= share->answer;
		a->answers -= share->answer;
		if (--a->requests == 0)
			forget(b, a);
	}
	*share = (struct slu_share){0};
}

bool slu_bounds_body(struct slu_bounds *b, struct slu_share *share, size_t n)
{
	if (b->bodies + n > SLU_BOUNDS_BODIES ||
	    (share->user && b->strange_bodies + n > SLU_BOUNDS_BODIES / 2))
		return false;
	b->bodies += n;
	if (share->user)
		b->strange_bodies += n;
	share->body += n;
	return true;
}

/* A single one may be as long as it likes. */
bool slu_bounds_answer(struct slu_bounds *b, struct slu_share *share, size_t n)
{
	struct slu_account *a = share->user;

	if (!a)
		return true;
	if (b->answers + n > SLU_BOUNDS_ANSWERS ||
	    (a->answers && a->answers + n > SLU_BOUNDS_USER))
		return false;
	b->answers += n;
	a->answers += n;
	share->answer += n;
	return true;
}

unsigned slu_bounds_requests(const struct slu_share *share)
{
	return share->user ? share->user->requests : 0;
}

void slu_conn_add(struct slu_conn **list, struct slu_conn *conn, double now)
{
	conn->next = *list;
	conn->link = list;
	if (conn->next)
		conn->next->link = &conn->next;
	*list = conn;
	conn->deadline = now + SLU_BOUNDS_HEAD;
}

void slu_conn_remove(struct slu_conn *conn)
{
	*conn->link = conn->next;
	if (conn->next)
		conn->next->link = conn->link;
}

void slu_conn_travel(struct slu_conn *conn, double now, uint64_t n)
{
	conn->deadline = now + SLU_BOUNDS_HEAD + (double)n / SLU_BOUNDS_RATE;
}

void slu_conns_sweep(struct slu_conn *list, double now)
{
	for (struct slu_conn *c = list; c; c = c->next)
		if (c->deadline > 0 && now > c->deadline) {
			shutdown(c->fd, SHUT_RDWR);
			c->deadline = 0;
		}
}

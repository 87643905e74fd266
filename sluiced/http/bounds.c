/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accounts what each client takes of the HTTP server (bounds.h), in a list of
 * users and a list of connections. A user's account exists as long as the user
 * has requests.
 */
#include "sluiced/http/bounds.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
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

/* A single answer may have any length. */
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

static uint64_t net_of_ipv4(const void *addr)
{
	uint32_t n;

	memcpy(&n, addr, sizeof(n));
	n = ntohl(n);
	return n >> 24 == IN_LOOPBACKNET ? INADDR_LOOPBACK : n;
}

uint64_t slu_net(const struct sockaddr *addr)
{
	const struct in6_addr *six;
	uint64_t net;

	if (addr->sa_family == AF_INET)
		return net_of_ipv4(
			&((const struct sockaddr_in *)addr)->sin_addr);
	six = &((const struct sockaddr_in6 *)addr)->sin6_addr;
	if (IN6_IS_ADDR_V4MAPPED(six))
		return net_of_ipv4(six->s6_addr + 12);
	memcpy(&net, six, sizeof(net));
	return net;
}

void slu_conn_add(struct slu_conns *all, struct slu_conn *conn, double now)
{
	conn->next = all->newest;
	conn->link = &all->newest;
	if (conn->next)
		conn->next->link = &conn->next;
	all->newest = conn;
	all->n++;
	conn->deadline = now + SLU_BOUNDS_HEAD;
}

void slu_conn_remove(struct slu_conns *all, struct slu_conn *conn)
{
	*conn->link = conn->next;
	if (conn->next)
		conn->next->link = conn->link;
	all->n -= !conn->ended;
}

void slu_conn_set_deadline(struct slu_conn *conn, double now, uint64_t n)
{
	conn->deadline = now + SLU_BOUNDS_HEAD + (double)n / SLU_BOUNDS_RATE;
}

static void end_conn(struct slu_conns *all, struct slu_conn *conn)
{
	if (conn->ended)
		return;
	shutdown(conn->fd, SHUT_RDWR);
	conn->ended = true;
	all->n--;
}

void slu_conns_sweep(struct slu_conns *all, double now)
{
	for (struct slu_conn *c = all->newest; c; c = c->next)
		if (c->deadline > 0 && now > c->deadline)
			end_conn(all, c);
}

static bool may_be_cut(const struct slu_conn *conn)
{
	return !conn->trusted && !conn->ended;
}

static int compare_nets(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* How often the most frequent of nets[] occurs, which is stored in *net. */
static size_t most_frequent(uint64_t *nets, size_t n, uint64_t *net)
{
	size_t most = 0;

	qsort(nets, n, sizeof(*nets), compare_nets);
	for (size_t i = 0, first = 0; i < n; i++) {
		if (nets[i] != nets[first])
			first = i;
		if (i - first >= most) {
			most = i - first + 1;
			*net = nets[i];
		}
	}
	return most;
}

void slu_conns_cut(struct slu_conns *all)
{
	uint64_t *nets = calloc(all->n, sizeof(*nets)), net = 0;
	size_t n = 0, stay;

	if (!nets)
		return;
	for (struct slu_conn *c = all->newest; c; c = c->next)
		if (may_be_cut(c))
			nets[n++] = c->net;
	stay = (most_frequent(nets, n, &net) + 1) / 2;
	free(nets);
	for (struct slu_conn *c = all->newest; c; c = c->next) {
		if (!may_be_cut(c) || c->net != net)
			continue;
		if (stay)
			stay--;
		else
			end_conn(all, c);
	}
}

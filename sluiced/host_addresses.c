/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the addresses of hosts in a sorted list, and checks the sender of a
 * request against them. Resolving a name may block for as long as the site's
 * name service does: so a name is resolved when its host first sends something,
 * at most every RETRY seconds while the address does not match, and not at all
 * while the service is slow. Hosts that are no nodes of slurmctld enter the
 * list when their address has matched; before that, only the last few are
 * remembered.
 */
#include "sluiced/host_addresses.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "common/str.h"
#include "sluiced/breaker.h"

#define ADDR_MAX    8
#define RETRY	    10.0
#define SLOW	    0.5	 /* seconds of a name service, without a result */
#define SLOW_ANSWER 5.0	 /* and with one */
#define WHERE_AGAIN 1.0	 /* seconds until slurmctld is asked the same again */
#define WHERE_WAIT  5.0	 /* and until its answer is not waited for any more, */
#define WHERE_MUTE  60.0 /* and when it does not answer at all */
#define STRANGE	    64
#define HOST_MAX    131072
#define RELEASE	    24

struct host {
	char *name;
	char *node_addr; /* NodeAddr, or NULL */
	double asked;	 /* when it was resolved; 0: not yet */
	bool named;	 /* also resolved by its name */
	double where;	 /* when slurmctld was asked for it; 0: never */
	bool answered;	 /* and whether it has answered since */
	struct in_addr addr[ADDR_MAX];
	size_t n;
	double heard; /* when it last sent a request, Unix seconds; 0: never */
	char release[RELEASE];
};

struct slu_nodes {
	slu_resolve_f *resolve;
	double (*clock)(void);
	struct slu_breaker service;
	struct host *host; /* sorted by name */
	size_t n, cap;
	bool reported; /* slurmctld has reported its nodes */
	slu_nodes_where_f *ask_where;
	void *arg;
	/* Other hosts, which have not authenticated yet; a ring. */
	struct host strange[STRANGE];
	size_t next;
};

size_t slu_resolve(const char *name, struct in_addr *out, size_t max)
{
	struct addrinfo hints = {.ai_family = AF_INET,
				 .ai_socktype = SOCK_STREAM};
	struct addrinfo *list, *ai;
	size_t n = 0;

	if (inet_pton(AF_INET, name, out) == 1)
		return 1;
	if (getaddrinfo(name, NULL, &hints, &list) != 0)
		return 0;
	for (ai = list; ai && n < max; ai = ai->ai_next)
		out[n++] = ((struct sockaddr_in *)ai->ai_addr)->sin_addr;
	freeaddrinfo(list);
	return n;
}

struct slu_nodes *slu_nodes_new(slu_resolve_f *resolve, double (*clock)(void),
				struct slu_err *err)
{
	struct slu_nodes *nodes = calloc(1, sizeof(*nodes));

	if (!nodes) {
		slu_err(err, SLU_NOMEM, "out of memory");
		return NULL;
	}
	nodes->resolve = resolve;
	nodes->clock = clock;
	return nodes;
}

static void clear(struct host *host, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(host[i].name);
		free(host[i].node_addr);
		host[i] = (struct host){0};
	}
}

void slu_nodes_free(struct slu_nodes *nodes)
{
	if (!nodes)
		return;
	clear(nodes->host, nodes->n);
	clear(nodes->strange, STRANGE);
	free(nodes->host);
	free(nodes);
}

/* Index of the first host that is not before `name`. */
static size_t lower_bound(const struct slu_nodes *nodes, const char *name)
{
	size_t low = 0, high = nodes->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (strcmp(nodes->host[mid].name, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static struct host *find(const struct slu_nodes *nodes, const char *name)
{
	size_t at = lower_bound(nodes, name);

	if (at < nodes->n && !strcmp(nodes->host[at].name, name))
		return &nodes->host[at];
	return NULL;
}

const char *slu_nodes_addr(const struct slu_nodes *nodes, const char *node)
{
	const struct host *host = find(nodes, node);

	return host ? host->node_addr : NULL;
}

/* The entry of `name`, made when it is not there; NULL without memory. */
static struct host *get(struct slu_nodes *nodes, const char *name)
{
	size_t at = lower_bound(nodes, name);
	struct host *host;
	char *copy;

	if (at < nodes->n && !strcmp(nodes->host[at].name, name))
		return &nodes->host[at];
	if (nodes->n == HOST_MAX)
		return NULL;
	if (nodes->n == nodes->cap) {
		size_t cap = nodes->cap ? nodes->cap * 2 : 64;

		host = realloc(nodes->host, cap * sizeof(*host));
		if (!host)
			return NULL;
		nodes->host = host;
		nodes->cap = cap;
	}
	copy = strdup(name);
	if (!copy)
		return NULL;
	host = &nodes->host[at];
	memmove(host + 1, host, (nodes->n - at) * sizeof(*host));
	nodes->n++;
	*host = (struct host){.name = copy};
	return host;
}

/* Adds a node, keeping what is known of it if that is still valid. */
static int add_node(struct slu_nodes *nodes, const struct slu_node_addr *is,
		    const struct slu_nodes *before)
{
	struct host *host = is->name ? get(nodes, is->name) : NULL;
	const struct host *old;

	if (!host)
		return -1;
	old = find(before, is->name);
	if (old) {
		host->heard = old->heard;
		memcpy(host->release, old->release, sizeof(host->release));
	}
	free(host->node_addr);
	host->node_addr = is->addr ? strdup(is->addr) : NULL;
	if (!old || !slu_eq(old->node_addr, host->node_addr))
		return 0;
	host->asked = old->asked;
	host->named = old->named;
	host->n = old->n;
	memcpy(host->addr, old->addr, sizeof(host->addr));
	return 0;
}

int slu_nodes_set(struct slu_nodes *nodes, const struct slu_node_addr *list,
		  size_t n, struct slu_err *err)
{
	struct slu_nodes before = {.host = nodes->host, .n = nodes->n};
	int rc = 0;

	nodes->host = NULL;
	nodes->n = nodes->cap = 0;
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = add_node(nodes, &list[i], &before);
	clear(before.host, before.n);
	free(before.host);
	if (rc < 0)
		return slu_err(err, SLU_NOMEM, "too many nodes");
	nodes->reported = true;
	return 0;
}

void slu_nodes_heard(struct slu_nodes *nodes, const char *name,
		     const char *release, double now)
{
	struct host *host = find(nodes, name);

	if (!host)
		return;
	host->heard = now;
	slu_copy(host->release, sizeof(host->release), release);
	slu_printable(host->release);
}

void slu_nodes_each(const struct slu_nodes *nodes, slu_nodes_each_f *fn,
		    void *arg)
{
	for (size_t i = 0; i < nodes->n; i++)
		fn(arg, nodes->host[i].name, nodes->host[i].node_addr != NULL,
		   nodes->host[i].heard, nodes->host[i].release);
}

static bool has(const struct host *host, struct in_addr from)
{
	for (size_t i = 0; i < host->n; i++)
		if (host->addr[i].s_addr == from.s_addr)
			return true;
	return false;
}

/* Adds the addresses of `name`; false: the name service is not asked now. */
static bool look_up(struct slu_nodes *nodes, const char *name,
		    struct host *host)
{
	struct in_addr *out = host->addr + host->n;
	double began, now;
	size_t got;

	if (host->n == ADDR_MAX)
		return true;
	if (inet_pton(AF_INET, name, out) == 1) {
		host->n++;
		return true;
	}
	began = nodes->clock();
	if (slu_breaker_open(&nodes->service, began))
		return false;
	got = nodes->resolve(name, out, ADDR_MAX - host->n);
	host->n += got;
	now = nodes->clock();
	if (now - began > (got ? SLOW_ANSWER : SLOW))
		slu_breaker_trip(&nodes->service, began, now);
	return true;
}

/* Resolves NodeAddr, usually a number; the name only if that does not give
 * `from`. False: the name service is not asked now. */
static bool ask(struct slu_nodes *nodes, struct host *host, struct in_addr from)
{
	double now = nodes->clock();
	size_t known;

	if (!host->asked || now - host->asked > RETRY) {
		known = host->n;
		host->n = 0;
		if (host->node_addr && !look_up(nodes, host->node_addr, host)) {
			host->n = known; /* as before */
			return has(host, from);
		}
		host->asked = now;
		host->named =
			host->node_addr && !strcmp(host->node_addr, host->name);
	}
	if (host->named || has(host, from))
		return true;
	host->named = look_up(nodes, host->name, host);
	return host->named;
}

/* The entry of a host that is not slurmctld's; NULL without memory. */
static struct host *strange(struct slu_nodes *nodes, const char *name)
{
	struct host *host;

	for (size_t i = 0; i < STRANGE; i++)
		if (slu_eq(nodes->strange[i].name, name))
			return &nodes->strange[i];
	host = &nodes->strange[nodes->next++ % STRANGE];
	clear(host, 1);
	host->name = strdup(name);
	return host->name ? host : NULL;
}

void slu_nodes_ask(struct slu_nodes *nodes, slu_nodes_where_f *fn, void *arg)
{
	nodes->ask_where = fn;
	nodes->arg = arg;
}

bool slu_nodes_is(struct slu_nodes *nodes, const char *name, const char *addr)
{
	struct host *known = find(nodes, name), *host = known;

	for (size_t i = 0; i < STRANGE; i++)
		if (slu_eq(nodes->strange[i].name, name))
			nodes->strange[i].answered = true;
	if (addr && (!known || !slu_eq(known->node_addr, addr)))
		host = get(nodes, name);
	if (!host)
		return false;
	host->answered = true;
	if (!addr || slu_eq(host->node_addr, addr))
		return false;
	free(host->node_addr);
	host->node_addr = strdup(addr);
	host->asked = 0;
	return !known;
}

/* How long nothing is asked again, and what is answered meanwhile, depends on
 * whether slurmctld has answered; an older one does not. */
static bool rests(const struct host *host, double now, bool *awaits)
{
	double since = now - host->where;

	*awaits = host->where && !host->answered && since <= WHERE_WAIT;
	return host->where &&
	       since <= (host->answered ? WHERE_AGAIN : WHERE_MUTE);
}

/* May slurmctld still answer that the node has this address? */
static bool awaits_word(struct slu_nodes *nodes, struct host *host)
{
	double now = nodes->clock();
	bool awaits;

	if (rests(host, now, &awaits) || !nodes->ask_where ||
	    !nodes->ask_where(nodes->arg, host->name))
		return awaits;
	host->where = now;
	host->answered = false;
	return true;
}

/* Keeps a host that has authenticated. Without memory, it is looked up again
 * the next time. */
static void keep(struct slu_nodes *nodes, struct host *from)
{
	struct host *host = get(nodes, from->name);
	char *name;

	if (!host)
		return;
	name = host->name;
	*host = *from;
	from->name = name;
	clear(from, 1);
}

int slu_nodes_check(struct slu_nodes *nodes, const char *name,
		    struct in_addr from, struct slu_err *err)
{
	struct host *known = find(nodes, name);
	struct host *host = known ? known : strange(nodes, name);
	char text[INET_ADDRSTRLEN];
	bool asked = true;

	if (!host)
		return slu_err(err, SLU_NOMEM, "out of memory");
	if (!has(host, from))
		asked = ask(nodes, host, from);
	if (has(host, from)) {
		if (!known)
			keep(nodes, host);
		return 0;
	}
	/* "no" is final, this is not */
	if (!nodes->reported)
		return slu_err(
			err, SLU_IO,
			"slurmctld has not yet told the addresses of its "
			"nodes");
	if (!asked)
		return slu_err(err, SLU_IO,
			       "the name service is slow, try again");
	if (awaits_word(nodes, host))
		return slu_err(err, SLU_IO,
			       "slurmctld is asked where %s is, try again",
			       name);
	inet_ntop(AF_INET, &from, text, sizeof(text));
	return slu_err(
		err, SLU_DENIED,
		"the credential was made at %s, which is no address of %s "
		"(what does /etc/hosts there say?)",
		text, name);
}

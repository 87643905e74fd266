/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sorted list of hosts with their addresses. Resolving may block for as long
 * as the site's name service does; so each host is asked about when it first
 * speaks, and at most every RETRY seconds while its address does not fit.
 */
#include "sluiced/nodes.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define ADDR_MAX 8
#define RETRY	 10.0
#define HOST_MAX 131072

struct host {
	char *name;
	char *told;   /* NodeAddr, or NULL */
	double asked; /* when it was resolved; 0: not yet */
	bool named;   /* by its name too */
	struct in_addr addr[ADDR_MAX];
	size_t n;
};

struct slu_nodes {
	slu_resolve_f *resolve;
	struct host *host; /* sorted by name */
	size_t n, cap;
	bool told; /* slurmctld's are known */
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

struct slu_nodes *slu_nodes_new(slu_resolve_f *resolve, struct slu_err *err)
{
	struct slu_nodes *nodes = calloc(1, sizeof(*nodes));

	if (!nodes) {
		slu_err(err, SLU_NOMEM, "out of memory");
		return NULL;
	}
	nodes->resolve = resolve;
	return nodes;
}

static void clear(struct slu_nodes *nodes)
{
	for (size_t i = 0; i < nodes->n; i++) {
		free(nodes->host[i].name);
		free(nodes->host[i].told);
	}
	nodes->n = 0;
}

void slu_nodes_free(struct slu_nodes *nodes)
{
	if (!nodes)
		return;
	clear(nodes);
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

const char *slu_nodes_addr(const struct slu_nodes *nodes, const char *node)
{
	size_t at = lower_bound(nodes, node);

	if (at < nodes->n && !strcmp(nodes->host[at].name, node))
		return nodes->host[at].told;
	return NULL;
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

int slu_nodes_set(struct slu_nodes *nodes, const struct slu_node_addr *list,
		  size_t n, struct slu_err *err)
{
	clear(nodes);
	for (size_t i = 0; i < n; i++) {
		struct host *host =
			list[i].name ? get(nodes, list[i].name) : NULL;

		if (!host)
			return slu_err(err, SLU_NOMEM, "too many nodes");
		free(host->told);
		host->told = list[i].addr ? strdup(list[i].addr) : NULL;
	}
	nodes->told = true;
	return 0;
}

static bool has(const struct host *host, struct in_addr from)
{
	for (size_t i = 0; i < host->n; i++)
		if (host->addr[i].s_addr == from.s_addr)
			return true;
	return false;
}

/* By its name only when NodeAddr, mostly a number, is not `from`: a name server
 * that does not answer holds everybody up. */
static void ask(const struct slu_nodes *nodes, struct host *host,
		struct in_addr from, double now)
{
	if (!host->asked || now - host->asked > RETRY) {
		host->asked = now;
		host->named = false;
		host->n = host->told ? nodes->resolve(host->told, host->addr,
						      ADDR_MAX)
				     : 0;
	}
	if (host->named || has(host, from))
		return;
	host->named = true;
	if (!host->told || strcmp(host->told, host->name) != 0)
		host->n += nodes->resolve(host->name, host->addr + host->n,
					  ADDR_MAX - host->n);
}

int slu_nodes_check(struct slu_nodes *nodes, const char *name,
		    struct in_addr from, double now, struct slu_err *err)
{
	struct host *host = get(nodes, name);
	char text[INET_ADDRSTRLEN];

	if (!host)
		return slu_err(err, SLU_NOMEM, "too many hosts");
	if (!has(host, from))
		ask(nodes, host, from, now);
	if (has(host, from))
		return 0;
	/* a "no" is final, this is not */
	if (!nodes->told)
		return slu_err(
			err, SLU_IO,
			"slurmctld has not yet told the addresses of its "
			"nodes");
	inet_ntop(AF_INET, &from, text, sizeof(text));
	return slu_err(
		err, SLU_DENIED,
		"the credential was made at %s, which is no address of %s",
		text, name);
}

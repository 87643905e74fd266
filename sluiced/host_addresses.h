/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_HOST_ADDRESSES_H
#define SLU_SLUICED_HOST_ADDRESSES_H

/*
 * Knows the addresses of each host: those of its NodeAddr, as slurmctld reports
 * it, and those of its name. Numeric addresses cost nothing; names are resolved
 * when they are first needed, and the result is kept. A slow name service is
 * not asked for a while (breaker.h).
 */

#include <netinet/in.h>
#include "common/err.h"
#include "wire/control.h"

struct slu_nodes;

/* Resolve a name to at most max IPv4 addresses; returns how many. */
typedef size_t slu_resolve_f(const char *name, struct in_addr *out, size_t max);
size_t slu_resolve(const char *name, struct in_addr *out, size_t max);

/* clock: seconds. */
struct slu_nodes *slu_nodes_new(slu_resolve_f *resolve, double (*clock)(void),
				struct slu_err *err);
void slu_nodes_free(struct slu_nodes *nodes);

/* slurmctld's nodes, which replace earlier ones. What is known of a node with
 * the same NodeAddr stays. */
int slu_nodes_set(struct slu_nodes *nodes, const struct slu_node_addr *list,
		  size_t n, struct slu_err *err);

/* Stores slurmctld's answer about one node. True: slurmctld had not reported it
 * before. addr NULL: there is no such node. */
bool slu_nodes_is(struct slu_nodes *nodes, const char *name, const char *addr);

/* Sets the function that asks slurmctld about a node whose address does not
 * match: the node may be new, or have moved, since slurmctld reported its
 * nodes. fn returns whether it could ask; the answer comes by slu_nodes_is().
 */
typedef bool slu_nodes_where_f(void *arg, const char *name);
void slu_nodes_ask(struct slu_nodes *nodes, slu_nodes_where_f *fn, void *arg);

/* Notes that a host has authenticated, now (Unix seconds), with programs of
 * this release ("": unknown; cut if it is long). */
void slu_nodes_heard(struct slu_nodes *nodes, const char *name,
		     const char *release, double now);
/* Calls fn for each known host by name: is it one of slurmctld's nodes; when it
 * last sent something (0: never since it is known), and its release ("":
 * unknown). */
typedef void slu_nodes_each_f(void *arg, const char *name, bool is_node,
			      double heard, const char *release);
void slu_nodes_each(const struct slu_nodes *nodes, slu_nodes_each_f *fn,
		    void *arg);

/* NodeAddr of a node as slurmctld reported it, borrowed until slu_nodes_set();
 * NULL: it did not. */
const char *slu_nodes_addr(const struct slu_nodes *nodes, const char *node);

/* Is `from` an address of the host? 0, or SLU_DENIED; SLU_IO as long as that
 * may change: slurmctld has not reported its nodes yet or is asked about this
 * one, or the name service is not asked because it was slow. */
int slu_nodes_check(struct slu_nodes *nodes, const char *host,
		    struct in_addr from, struct slu_err *err);

#endif

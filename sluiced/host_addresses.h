/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_HOST_ADDRESSES_H
#define SLU_SLUICED_HOST_ADDRESSES_H

/*
 * Which addresses a host has: those of its NodeAddr, as slurmctld told us, and
 * those of its name. Numeric addresses cost nothing; names are resolved when
 * first asked about, and the answer is kept. A name service that takes long is
 * left alone for a while (breaker.h).
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

/* slurmctld's nodes, in place of those it told before. What is known of a node
 * whose NodeAddr is the same stays. */
int slu_nodes_set(struct slu_nodes *nodes, const struct slu_node_addr *list,
		  size_t n, struct slu_err *err);

/* Of one node. True: it is one that slurmctld had not told of. addr NULL: there
 * is no such node. */
bool slu_nodes_is(struct slu_nodes *nodes, const char *name, const char *addr);

/* Whom to ask where a node is that an address does not fit: it may have come,
 * or moved, since slurmctld told of its nodes. fn says whether it could ask;
 * the answer comes by slu_nodes_is(). */
typedef bool slu_nodes_where_f(void *arg, const char *name);
void slu_nodes_ask(struct slu_nodes *nodes, slu_nodes_where_f *fn, void *arg);

/* A host has proven that it speaks, now (Unix seconds), with programs of this
 * release ("": it does not say; cut where it is long). */
void slu_nodes_heard(struct slu_nodes *nodes, const char *name,
		     const char *release, double now);
/* All that are known, by name: is it one of slurmctld's nodes, or has it only
 * spoken; and what was heard of it last since it is known: when (0: nothing),
 * and its release ("": it has not said). */
typedef void slu_nodes_each_f(void *arg, const char *name, bool is_node,
			      double heard, const char *release);
void slu_nodes_each(const struct slu_nodes *nodes, slu_nodes_each_f *fn,
		    void *arg);

/* NodeAddr of a node as slurmctld told it, borrowed until slu_nodes_set();
 * NULL when it did not. */
const char *slu_nodes_addr(const struct slu_nodes *nodes, const char *node);

/* Is `from` an address of the host? 0, or SLU_DENIED; SLU_IO while slurmctld
 * has not yet told of its nodes, or is asked about this one, and so may still
 * say that it is, and while the name service is not asked because it was slow.
 */
int slu_nodes_check(struct slu_nodes *nodes, const char *host,
		    struct in_addr from, struct slu_err *err);

#endif

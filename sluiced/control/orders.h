/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_ORDERS_H
#define SLU_SLUICED_ORDERS_H

/*
 * Commands to slurmctld that are kept until it said `done`: whoever is
 * connected gets them, in the order of their ids, and gets them again after
 * every reconnect. A newer command of the same kind about the same job or node
 * takes the older one's place.
 */

#include <stdbool.h>
#include <stdint.h>
#include "common/err.h"
#include "wire/codec.h"

/* Annotations have as much room again, so that no verdict is refused for the
 * sake of what squeue shows. */
#define SLU_ORDERS_MAX 16384

struct slu_orders;

struct slu_order {
	struct slu_order *next;
	uint64_t id;
	const struct slu_desc *desc;
	uint32_t job_id; /* 0: it is about a node */
	char *node;	 /* "" when it is about a job */
	char *line;	 /* the envelope, newline included */
};

/* Ids start after first_id; a program that was started later must begin with
 * a greater one, so that a late `done` is not taken for another's. */
struct slu_orders *slu_orders_new(uint64_t first_id, struct slu_err *err);
void slu_orders_free(struct slu_orders *orders);

/*
 * Keep a command. *line is what to send now, borrowed until it is done, or
 * NULL when exactly this one is on its way already. SLU_NOMEM: too many are
 * outstanding.
 */
int slu_orders_add(struct slu_orders *orders, const struct slu_desc *desc,
		   uint32_t job_id, const char *node, const void *msg,
		   const char **line, struct slu_err *err);
/* Take an order out; the caller frees it. NULL: unknown, or done before. */
struct slu_order *slu_orders_take(struct slu_orders *orders, uint64_t id);
void slu_order_free(struct slu_order *order);

/* In the order of their ids; for (o = slu_orders_first(x); o; o = o->next) */
const struct slu_order *slu_orders_first(const struct slu_orders *orders);
size_t slu_orders_count(const struct slu_orders *orders);

#endif

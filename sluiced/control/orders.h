/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_ORDERS_H
#define SLU_SLUICED_ORDERS_H

/*
 * Commands to slurmctld, kept until it answers `done`: sent in the order of
 * their ids, and again after every reconnect. A newer command of the same kind
 * for the same job or node replaces the older one.
 */

#include <stdbool.h>
#include <stdint.h>
#include "common/err.h"
#include "wire/codec.h"

/* The same number again for annotations, so that no verdict is refused because
 * of texts for squeue. */
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

/* Ids start after first_id; a later process must begin with a greater one, so
 * that a late `done` is not taken for the answer to another command. */
struct slu_orders *slu_orders_new(uint64_t first_id, struct slu_err *err);
void slu_orders_free(struct slu_orders *orders);

/*
 * Keep a command. *line is what to send now, borrowed until it is done, or NULL
 * if exactly this one was sent already. SLU_NOMEM: too many are kept.
 */
int slu_orders_add(struct slu_orders *orders, const struct slu_desc *desc,
		   uint32_t job_id, const char *node, const void *msg,
		   const char **line, struct slu_err *err);
/* Remove an order; the caller frees it. NULL: unknown, or done before. */
struct slu_order *slu_orders_take(struct slu_orders *orders, uint64_t id);
void slu_order_free(struct slu_order *order);

/* The first in the order of ids: for (o = slu_orders_first(x); o; o =
 * o->next) */
const struct slu_order *slu_orders_first(const struct slu_orders *orders);
size_t slu_orders_count(const struct slu_orders *orders);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps unanswered commands to slurmctld in a list in the order of ids: ids
 * only grow, and commands are added at the end. There is at most one command
 * for each (kind, job, node).
 */
#include "sluiced/control/orders.h"

#include <stdlib.h>
#include <string.h>

#include "wire/control.h"

struct slu_orders {
	struct slu_order *head, **tail;
	uint64_t last_id;
	size_t count, notes; /* without annotations; annotations */
};

static size_t *count_of(struct slu_orders *orders, const struct slu_desc *desc)
{
	return desc == &slu_annotate_desc ? &orders->notes : &orders->count;
}

struct slu_orders *slu_orders_new(uint64_t first_id, struct slu_err *err)
{
	struct slu_orders *orders = calloc(1, sizeof(*orders));

	if (!orders) {
		slu_err(err, SLU_NOMEM, "out of memory");
		return NULL;
	}
	orders->tail = &orders->head;
	orders->last_id = first_id;
	return orders;
}

void slu_order_free(struct slu_order *order)
{
	if (!order)
		return;
	free(order->node);
	free(order->line);
	free(order);
}

void slu_orders_free(struct slu_orders *orders)
{
	struct slu_order *o;

	if (!orders)
		return;
	while ((o = orders->head)) {
		orders->head = o->next;
		slu_order_free(o);
	}
	free(orders);
}

static struct slu_order *unlink_at(struct slu_orders *orders,
				   struct slu_order **p)
{
	struct slu_order *o = *p;

	*p = o->next;
	if (!*p)
		orders->tail = p;
	--*count_of(orders, o->desc);
	o->next = NULL;
	return o;
}

static struct slu_order **find(struct slu_orders *orders,
			       const struct slu_desc *desc, uint32_t job_id,
			       const char *node)
{
	struct slu_order **p = &orders->head;

	while (*p && ((*p)->desc != desc || (*p)->job_id != job_id ||
		      strcmp((*p)->node, node) != 0))
		p = &(*p)->next;
	return p;
}

/* Is it exactly the order at *p? */
static bool same(const struct slu_order *o, const void *msg)
{
	char *line = slu_envelope(o->desc, o->id, msg);
	bool equal = line && !strcmp(line, o->line);

	free(line);
	return equal;
}

int slu_orders_add(struct slu_orders *orders, const struct slu_desc *desc,
		   uint32_t job_id, const char *node, const void *msg,
		   const char **line, struct slu_err *err)
{
	struct slu_order **old = find(orders, desc, job_id, node), *o;

	*line = NULL;
	if (*old && same(*old, msg))
		return 0;
	if (!*old && *count_of(orders, desc) >= SLU_ORDERS_MAX)
		return slu_err(err, SLU_NOMEM,
			       "%d commands wait for slurmctld already",
			       SLU_ORDERS_MAX);
	o = calloc(1, sizeof(*o));
	if (!o)
		return slu_err(err, SLU_NOMEM, "out of memory");
	o->id = orders->last_id + 1;
	o->desc = desc;
	o->job_id = job_id;
	o->node = strdup(node);
	o->line = slu_envelope(desc, o->id, msg);
	if (!o->node || !o->line) {
		slu_order_free(o);
		return slu_err(err, SLU_NOMEM, "out of memory");
	}
	if (*old)
		slu_order_free(unlink_at(orders, old));
	orders->last_id++;
	++*count_of(orders, desc);
	*orders->tail = o;
	orders->tail = &o->next;
	*line = o->line;
	return 0;
}

struct slu_order *slu_orders_take(struct slu_orders *orders, uint64_t id)
{
	struct slu_order **p = &orders->head;

	while (*p && (*p)->id != id)
		p = &(*p)->next;
	return *p ? unlink_at(orders, p) : NULL;
}

const struct slu_order *slu_orders_first(const struct slu_orders *orders)
{
	return orders->head;
}

size_t slu_orders_count(const struct slu_orders *orders)
{
	return orders->count + orders->notes;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides when the capacity of pools is computed, adds the data that is kept
 * after failed stage-outs, and sends it to slurmctld when it has changed.
 */
#include "sluiced/control/pool_commands.h"

#include <stdlib.h>
#include <string.h>

#define EVERY	 60.0 /* seconds, */
#define PER_NODE 0.05 /* and this for each node */
#define SOONER	 30   /* as many times sooner after a host's first map */

static bool same(const struct slu_capacity *a, const struct slu_capacity *b)
{
	char *x = slu_encode_text(&slu_capacity_desc, a);
	char *y = slu_encode_text(&slu_capacity_desc, b);
	bool equal = x && y && strcmp(x, y) == 0;

	free(x);
	free(y);
	return equal;
}

static bool same_owners(const struct slu_pool_capacity *p,
			const struct slu_pool_kept *owner, size_t n)
{
	bool same_all = p->n_owners == n;

	for (size_t i = 0; same_all && i < n; i++)
		same_all = p->owners[i].uid == owner[i].uid &&
			   p->owners[i].size == owner[i].size;
	return same_all;
}

static bool set_kept_of(const struct slu_daemon *d, struct slu_pool_capacity *p)
{
	struct slu_buf by = {0};
	size_t n;
	bool news;

	p->kept = slu_buffers_kept(d->buffers, p->name, &by);
	n = by.len / sizeof(*p->owners);
	news = !same_owners(p, (struct slu_pool_kept *)(void *)by.data, n);
	free(p->owners);
	p->owners = (struct slu_pool_kept *)(void *)by.data;
	p->n_owners = n;
	return news;
}

/* True: it has changed. */
static bool set_kept(const struct slu_daemon *d, struct slu_capacity *supply)
{
	bool news = false;

	for (size_t i = 0; i < supply->n_pools; i++)
		news |= set_kept_of(d, &supply->pools[i]);
	return news;
}

void slu_capacity_kept(struct slu_daemon *d)
{
	if (set_kept(d, &d->supply))
		slu_control_send(d->control, &slu_capacity_desc, &d->supply);
}

static double interval(const struct slu_daemon *d)
{
	return EVERY + PER_NODE * (double)d->hosts.n;
}

static void reckon(struct slu_daemon *d)
{
	struct slu_capacity fresh;
	struct slu_err err;

	slu_timer_set(d->loop, &d->supply_timer, interval(d));
	if (slu_pool_capacity_sum(d->db, d->conf, &d->hosts, &fresh, &err) <
	    0) {
		slu_log(d->log, SLU_ERROR, "pools: %s", err.text);
		return;
	}
	set_kept(d, &fresh);
	if (!same(&fresh, &d->supply))
		slu_control_send(d->control, &slu_capacity_desc, &fresh);
	slu_msg_clear(&slu_capacity_desc, &d->supply);
	d->supply = fresh;
}

static void on_timer(void *arg)
{
	reckon(arg);
}

void slu_capacity_start(struct slu_daemon *d)
{
	d->supply_timer = (struct slu_timer){.fn = on_timer, .arg = d};
}

void slu_capacity_update(struct slu_daemon *d)
{
	slu_timer_soon(d->loop, &d->supply_timer, 0);
}

void slu_capacity_pushed(struct slu_daemon *d)
{
	uint64_t now = slu_receiver_newcomers(d->receiver);

	if (now == d->newcomers)
		return;
	d->newcomers = now;
	slu_timer_soon(d->loop, &d->supply_timer, interval(d) / SOONER);
}

void slu_capacity_connected(struct slu_daemon *d,
			    const struct slu_node_addr *nodes, size_t n)
{
	slu_hosts_free(&d->hosts);
	d->hosts = (struct slu_hosts){0};
	d->hosts.name = calloc(n + 1, sizeof(*d->hosts.name));
	for (size_t i = 0; d->hosts.name && i < n; i++)
		if ((d->hosts.name[d->hosts.n] = strdup(nodes[i].name)))
			d->hosts.n++;
	slu_msg_clear(&slu_capacity_desc, &d->supply);
	slu_capacity_update(d);
}

void slu_capacity_stop(struct slu_daemon *d)
{
	slu_hosts_free(&d->hosts);
	slu_msg_clear(&slu_capacity_desc, &d->supply);
}

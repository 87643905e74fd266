/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts an InfiniBand fabric to a topology (sysmap/topology.h). A switch is
 * named by its description, with its GUID appended where several have the same.
 * Switches are sorted by name in natural order, so that each sweep gives the
 * same document. A host is connected to the switches to which its adapters have
 * cables.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include "common/str.h"
#include "sysmap/topology.h"

#define UNKNOWN SLU_TOPOLOGY_UNKNOWN

/* Which switch each node of the fabric is. */
struct making {
	const struct slu_fabric *fabric;
	struct slu_topology t;
	uint32_t *sw; /* for each node; UNKNOWN: no switch */
};

struct named {
	const struct slu_fabric_node *node;
	char *name;
};

static int compare(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = slu_host_cmp(x->name, y->name);

	return order ? order : strcmp(x->node->guid, y->node->guid);
}

static bool is_one_of_many(const struct slu_fabric *f,
			   const struct slu_fabric_node *node)
{
	for (size_t i = 0; i < f->n_nodes; i++)
		if (&f->node[i] != node &&
		    f->node[i].kind == SLU_FABRIC_SWITCH &&
		    strcmp(f->node[i].description, node->description) == 0)
			return true;
	return false;
}

static char *name_of(const struct slu_fabric *f,
		     const struct slu_fabric_node *node)
{
	if (!*node->description)
		return strdup(node->guid);
	if (is_one_of_many(f, node))
		return slu_asprintf("%s #%s", node->description, node->guid);
	return strdup(node->description);
}

/* All switches with their names, sorted. Caller frees the array. */
static struct named *named_switches(const struct slu_fabric *f, uint32_t *n)
{
	struct named *list = calloc(f->n_nodes + 1, sizeof(*list));
	bool failed = false;

	*n = 0;
	for (size_t i = 0; list && i < f->n_nodes; i++) {
		if (f->node[i].kind != SLU_FABRIC_SWITCH)
			continue;
		list[*n].node = &f->node[i];
		list[*n].name = name_of(f, &f->node[i]);
		failed |= !list[*n].name;
		++*n;
	}
	if (!list || !failed) {
		if (list)
			qsort(list, *n, sizeof(*list), compare);
		return list;
	}
	for (uint32_t i = 0; i < *n; i++)
		free(list[i].name);
	free(list);
	return NULL;
}

static int add_switches(struct making *m, struct slu_err *err)
{
	const struct slu_fabric *f = m->fabric;
	uint32_t n;
	struct named *list = named_switches(f, &n);

	m->sw = calloc(f->n_nodes + 1, sizeof(*m->sw));
	m->t.sw = calloc((size_t)n + 1, sizeof(*m->t.sw));
	for (size_t i = 0; m->sw && i < f->n_nodes; i++)
		m->sw[i] = UNKNOWN;
	for (uint32_t i = 0; list && i < n; i++) {
		if (m->sw && m->t.sw) {
			m->sw[list[i].node - f->node] = i;
			m->t.sw[i].name = list[i].name;
			m->t.n = i + 1;
		} else {
			free(list[i].name);
		}
	}
	free(list);
	return list && m->sw && m->t.sw ? 0
					: slu_err(err, SLU_NOMEM, "topology");
}

/* A cable between a switch and what is on its other end. */
static int add_cable(struct making *m, const struct slu_fabric_node *a,
		     const struct slu_fabric_node *b, struct slu_err *err)
{
	uint32_t at = m->sw[a - m->fabric->node];
	uint32_t to = m->sw[b - m->fabric->node];
	char host[256], device[64];

	if (at == UNKNOWN)
		return 0;
	if (to != UNKNOWN)
		return at == to ? 0 : slu_topology_link(&m->t, at, to, err);
	if (b->kind != SLU_FABRIC_HOST ||
	    !slu_fabric_host(b->description, host, device))
		return 0;
	return slu_hosts_add(&m->t.sw[at].hosts, host)
		       ? slu_err(err, SLU_NOMEM, "topology")
		       : 0;
}

static int add_cables(struct making *m, struct slu_err *err)
{
	const struct slu_fabric_node *a, *b;
	const struct slu_fabric_link *link = m->fabric->link;
	int ret = 0;

	for (size_t i = 0; i < m->fabric->n_links && ret == 0; i++, link++) {
		a = slu_fabric_find(m->fabric, link->guid);
		b = slu_fabric_find(m->fabric, link->peer);
		if (!a || !b)
			continue;
		ret = add_cable(m, a, b, err);
		if (ret == 0)
			ret = add_cable(m, b, a, err);
	}
	return ret;
}

int slu_topology_of_fabric(const struct slu_fabric *fabric,
			   struct slu_topology *out, struct slu_err *err)
{
	struct making m = {.fabric = fabric};
	int ret = add_switches(&m, err);

	if (ret == 0)
		ret = add_cables(&m, err);
	if (ret == 0)
		ret = slu_topology_finish(&m.t, err);
	free(m.sw);
	if (ret) {
		slu_topology_free(&m.t);
		return -1;
	}
	*out = m.t;
	return 0;
}

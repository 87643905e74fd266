/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Splits the file system of a plan into one for each leaf switch
 * (split=switch), so that what a node writes crosses no other switch (ADA-FS,
 * section 5.2). The document "topology" of the resource map says which switch a
 * node is connected to; of a node with several rails the first counts.
 */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/plan/plan.h"
#include "common/hostlist.h"
#include "common/str.h"
#include "sysmap/topology.h"

#define PART_MAX 48 /* bytes of a part's name */
#define PART_CHARS                                                       \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" \
	"._-"

static int nomem(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "out of memory");
}

static bool taken(char (*name)[PART_MAX], uint32_t n, const char *text)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(name[i], text) == 0)
			return true;
	return false;
}

/* A file name for part g, from its switch, different from those before it. */
static void name_part(char (*name)[PART_MAX], uint32_t g, const char *text)
{
	char base[PART_MAX - 12];
	size_t n = 0;

	for (; text[n] && n < sizeof(base) - 1; n++)
		base[n] = strchr(PART_CHARS, text[n]) ? text[n] : '_';
	base[n] = '\0';
	if (!n || *base == '.')
		*base = '_';
	base[n ? n : 1] = '\0';
	snprintf(name[g], PART_MAX, "%s", base);
	for (unsigned i = 2; taken(name, g, name[g]); i++)
		snprintf(name[g], PART_MAX, "%s-%u", base, i);
}

static int read_topology(struct slu_db *map, struct slu_topology *out,
			 struct slu_err *err)
{
	struct slu_err why;

	if (map && slu_topology_read(map, out, &why) == 0)
		return 0;
	*out = (struct slu_topology){0};
	if (!map || why.kind == SLU_NOTFOUND)
		return 0;
	*err = why;
	return slu_err_prefix(err, "topology");
}

/* Groups are numbered in the order of their first nodes. */
static int name_nodes(struct slu_plan *plan, const struct slu_topology *t,
		      const uint32_t *group, char (*name)[PART_MAX],
		      struct slu_err *err)
{
	uint32_t seen = 0, leaf;

	for (size_t i = 0; i < plan->n_node; i++) {
		struct slu_plan_node *node = &plan->node[i];

		if (group[i] == seen) {
			leaf = slu_topology_leaf(t, node->name);
			name_part(name, seen++,
				  leaf == SLU_TOPOLOGY_UNKNOWN
					  ? SLU_PART_UNKNOWN
					  : t->sw[leaf].name);
		}
		node->part = strdup(name[group[i]]);
		if (!node->part)
			return nomem(err);
	}
	return 0;
}

int slu_plan_split(struct slu_plan *plan, struct slu_db *map,
		   struct slu_err *err)
{
	uint32_t *group = calloc(plan->n_node + 1, sizeof(*group));
	char **host = calloc(plan->n_node + 1, sizeof(*host));
	char(*name)[PART_MAX] = calloc(plan->n_node + 1, sizeof(*name));
	struct slu_topology t = {0};
	int rc = -1;

	if (!group || !host || !name)
		nomem(err);
	else if (read_topology(map, &t, err) == 0) {
		for (size_t i = 0; i < plan->n_node; i++)
			host[i] = plan->node[i].name;
		rc = slu_topology_groups(&t, host, plan->n_node, group) ==
				     SLU_TOPOLOGY_UNKNOWN
			     ? nomem(err)
			     : name_nodes(plan, &t, group, name, err);
	}
	slu_topology_free(&t);
	free(group);
	free(host);
	free(name);
	return rc;
}

struct place {
	const char *part;
	size_t node, first; /* of the part */
};

static int cmp_parts(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int order = strcmp(x->part, y->part);

	return order ? order : (x->node > y->node) - (x->node < y->node);
}

static int cmp_first(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

size_t *slu_plan_by_part(const struct slu_plan *plan)
{
	struct place *place = calloc(plan->n_node + 1, sizeof(*place));
	size_t *node = calloc(plan->n_node + 1, sizeof(*node));
	size_t i;

	if (!place || !node) {
		free(place);
		free(node);
		return NULL;
	}
	for (i = 0; i < plan->n_node; i++)
		place[i] = (struct place){
			plan->node[i].part ? plan->node[i].part : "", i, i};
	qsort(place, plan->n_node, sizeof(*place), cmp_parts);
	for (i = 1; i < plan->n_node; i++)
		if (strcmp(place[i].part, place[i - 1].part) == 0)
			place[i].first = place[i - 1].first;
	qsort(place, plan->n_node, sizeof(*place), cmp_first);
	for (i = 0; i < plan->n_node; i++)
		node[i] = place[i].node;
	free(place);
	return node;
}

size_t slu_plan_part_end(const struct slu_plan *plan, const size_t *node,
			 size_t from)
{
	size_t i = from + 1;

	while (i < plan->n_node &&
	       slu_eq(plan->node[node[i]].part, plan->node[node[from]].part))
		i++;
	return i;
}

/* Appends one part: the nodes from..end of a list ordered by part. */
static int add_part(const struct slu_plan *plan, const size_t *node,
		    size_t from, size_t end, struct slu_buf *text)
{
	struct slu_hosts hosts = {0}; /* the names are borrowed from the plan */
	char *nodes = NULL;

	hosts.name = calloc(end - from, sizeof(*hosts.name));
	for (size_t k = from; hosts.name && k < end; k++)
		hosts.name[hosts.n++] = plan->node[node[k]].name;
	if (hosts.name)
		nodes = slu_hosts_text(&hosts);
	if (nodes)
		slu_buf_printf(text, "%s%s: %s", text->len ? "; " : "",
			       plan->node[node[from]].part, nodes);
	free(hosts.name);
	free(nodes);
	return nodes ? 0 : -1;
}

char *slu_plan_parts_text(const struct slu_plan *plan)
{
	struct slu_buf text = {0};
	size_t *node, end;
	int rc = 0;

	if (!plan->n_node || !plan->node[0].part)
		return strdup("");
	node = slu_plan_by_part(plan);
	for (size_t i = 0; node && rc == 0 && i < plan->n_node; i = end) {
		end = slu_plan_part_end(plan, node, i);
		rc = add_part(plan, node, i, end, &text);
	}
	if (!node || rc) {
		slu_buf_free(&text);
		free(node);
		return NULL;
	}
	free(node);
	return slu_buf_steal(&text);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * split=switch: one file system per leaf switch, so that what a node writes
 * crosses no other switch (ADA-FS, section 5.2). Which switch a node hangs on
 * the resource map's document "topology" says; of several (rails) the first.
 */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/plan.h"
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

/* A file's name for part g, after its switch; unlike those before it. */
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

bool slu_plan_first_of_part(const struct slu_plan *plan, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (slu_eq(plan->node[k].part, plan->node[i].part))
			return false;
	return true;
}

static int add_part(const struct slu_plan *plan, size_t i, struct slu_buf *text)
{
	struct slu_hosts hosts = {0};
	char *nodes = NULL;
	int rc = 0;

	for (size_t k = i; rc == 0 && k < plan->n_node; k++)
		if (slu_eq(plan->node[k].part, plan->node[i].part))
			rc = slu_hosts_add(&hosts, plan->node[k].name);
	if (rc == 0)
		nodes = slu_hosts_text(&hosts);
	if (nodes)
		slu_buf_printf(text, "%s%s: %s", text->len ? "; " : "",
			       plan->node[i].part, nodes);
	slu_hosts_free(&hosts);
	free(nodes);
	return nodes ? 0 : -1;
}

char *slu_plan_parts_text(const struct slu_plan *plan)
{
	struct slu_buf text = {0};

	for (size_t i = 0; i < plan->n_node && plan->node[i].part; i++)
		if (slu_plan_first_of_part(plan, i) &&
		    add_part(plan, i, &text)) {
			slu_buf_free(&text);
			return NULL;
		}
	return text.data ? slu_buf_steal(&text) : strdup("");
}

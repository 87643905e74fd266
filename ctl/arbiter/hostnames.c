/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds nodes whose host name differs from their NodeName (NodeHostname in
 * slurm.conf). GekkoFWD's client looks for its own host name in the mapping and
 * ends the application if it is missing; an assignment has Slurm's node names.
 * So a job with such a node gets no I/O nodes.
 */
#include "config.h"
#include "ctl/arbiter/hostnames.h"

#include "ctl/private.h"

#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void say(struct slu_ctl *ctl)
{
	char *text = slu_hosts_text(&ctl->other_hostnames);

	ctl_log(ctl, SLU_ERROR,
		"jobs on %s are given no I/O nodes: NodeHostname is another "
		"name than NodeName, and forwarding needs them to be the same",
		text ? text : "some nodes");
	free(text);
}

static bool is_node(const struct slu_ctl_node *nodes, size_t n,
		    const char *name)
{
	while (n--)
		if (!strcmp(nodes[n].addr.name, name))
			return true;
	return false;
}

void slu_unknown_ions(struct slu_ctl *ctl, const struct slu_ctl_node *nodes,
		      size_t n_nodes)
{
	const struct slu_conf *conf = ctl->site->conf;
	bool fresh = ctl->ions_stale || !ctl->arbiter;
	struct slu_hosts unknown = {0};
	char *text;

	for (size_t i = 0; conf && fresh && i < conf->io_nodes.n; i++)
		if (!is_node(nodes, n_nodes, conf->io_nodes.name[i]))
			slu_hosts_add(&unknown, conf->io_nodes.name[i]);
	text = slu_hosts_text(&unknown);
	if (unknown.n)
		ctl_log(ctl, SLU_ERROR,
			"IONodes: %s: no nodes of slurm.conf, so not used",
			text ? text : "some");
	free(text);
	slu_hosts_free(&unknown);
}

void slu_hostnames_set(struct slu_ctl *ctl, const struct slu_ctl_node *nodes,
		       size_t n_nodes)
{
	const struct slu_conf *conf = ctl->site->conf;
	size_t before = ctl->other_hostnames.n;

	slu_hosts_free(&ctl->other_hostnames);
	ctl->other_hostnames = (struct slu_hosts){0};
	for (size_t i = 0; conf && conf->io_nodes.n && i < n_nodes; i++)
		if (nodes[i].hostname_differs)
			slu_hosts_add(&ctl->other_hostnames,
				      nodes[i].addr.name);
	if (!ctl->other_hostnames.n)
		return;
	if (ctl->other_hostnames.n != before)
		say(ctl);
	qsort(ctl->other_hostnames.name, ctl->other_hostnames.n,
	      sizeof(*ctl->other_hostnames.name), by_name);
}

bool slu_hostnames_any(const struct slu_ctl *ctl, const char *nodes)
{
	struct slu_hosts hosts = {0};
	bool differ = false;

	if (!ctl->other_hostnames.n || !nodes ||
	    slu_hosts_parse(nodes, &hosts, NULL) < 0)
		return false;
	for (size_t i = 0; !differ && i < hosts.n; i++)
		differ = bsearch(&hosts.name[i], ctl->other_hostnames.name,
				 ctl->other_hostnames.n,
				 sizeof(*ctl->other_hostnames.name), by_name);
	slu_hosts_free(&hosts);
	return differ;
}

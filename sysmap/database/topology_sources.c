/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds a topology from the document "topology" or from Slurm's topology.conf
 * (the fabric's is built in sysmap/infiniband). The order of the switches is
 * kept; a switch may be named as a neighbour before its own line. If the newest
 * document in the database is unusable, earlier ones of any host are tried.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "common/jsonx.h"
#include "common/slurmfile.h"
#include "sysmap/database/map_documents.h"
#include "sysmap/infiniband/sources.h"
#include "sysmap/topology.h"

#define EARLIER_MAX  8		/* documents that are tried */
#define CONF_MAX     (4u << 20) /* bytes of a file of topology.conf */
#define SWITCHES_MAX 8192
#define HOSTS_MAX    (1u << 18) /* on all switches */
#define LINKS_MAX    (1u << 20) /* that are named; each counts on both sides */

/* One that is being made: its switches by name, once all are there. */
struct maker {
	struct slu_topology t;
	struct slu_switch **sorted;
	size_t hosts, links;
};

static int no_memory(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "topology");
}

/* Room for n switches, all empty. */
static int make_room(struct maker *m, size_t n, struct slu_err *err)
{
	if (n > SWITCHES_MAX)
		return slu_err(err, SLU_INVALID, "more than %d switches",
			       SWITCHES_MAX);
	m->t.sw = calloc(n + 1, sizeof(*m->t.sw));
	m->sorted = calloc(n + 1, sizeof(struct slu_switch *));
	return m->t.sw && m->sorted ? 0 : no_memory(err);
}

/* A switch and the hosts on it ("": none). */
static int add_switch(struct maker *m, const char *name, const char *hosts,
		      struct slu_err *err)
{
	struct slu_switch *sw = &m->t.sw[m->t.n];

	if (slu_hosts_parse(hosts, &sw->hosts, err))
		return slu_err_prefix(err, "switch %s", name);
	m->sorted[m->t.n++] = sw; /* so that it will be freed */
	m->hosts += sw->hosts.n;
	if (m->hosts > HOSTS_MAX)
		return slu_err(err, SLU_INVALID, "more than %u hosts",
			       HOSTS_MAX);
	sw->name = strdup(name);
	return sw->name ? 0 : no_memory(err);
}

static int compare(const void *a, const void *b)
{
	const struct slu_switch *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

/* All switches are there. */
static int sort_names(struct maker *m, struct slu_err *err)
{
	qsort(m->sorted, m->t.n, sizeof(struct slu_switch *), compare);
	for (uint32_t i = 1; i < m->t.n; i++)
		if (compare(&m->sorted[i - 1], &m->sorted[i]) == 0)
			return slu_err(err, SLU_INVALID,
				       "switch %s is there twice",
				       m->sorted[i]->name);
	return 0;
}

static int link_both(struct slu_topology *t, uint32_t a, uint32_t b,
		     struct slu_err *err)
{
	return slu_topology_link(t, a, b, err) ||
			       slu_topology_link(t, b, a, err)
		       ? -1
		       : 0;
}

/* Link switch a with one that the text names. */
static int link_name(struct maker *m, uint32_t a, const char *name,
		     struct slu_err *err)
{
	struct slu_switch key = {.name = (char *)name}, *at = &key, **found;
	uint32_t b;

	found = bsearch(&at, m->sorted, m->t.n, sizeof(at), compare);
	if (!found)
		return slu_err(err, SLU_INVALID,
			       "switch %s: there is no switch %s",
			       m->t.sw[a].name, name);
	if (++m->links > LINKS_MAX)
		return slu_err(err, SLU_INVALID, "more than %u links",
			       LINKS_MAX);
	b = (uint32_t)(*found - m->t.sw);
	return a == b ? 0 : link_both(&m->t, a, b, err);
}

static int give(struct maker *m, int ret, struct slu_topology *out,
		struct slu_err *err)
{
	if (ret == 0)
		ret = slu_topology_finish(&m->t, err);
	free(m->sorted);
	if (ret) {
		slu_topology_free(&m->t);
		return -1;
	}
	*out = m->t;
	return 0;
}

/* The document */

static int add_from_json(struct maker *m, struct json_object *obj,
			 struct slu_err *err)
{
	const char *name, *hosts = "";

	if (!json_object_is_type(obj, json_type_object))
		return slu_err(err, SLU_INVALID, "topology: not an object");
	if (slu_json_str(obj, "switch", &name, err) ||
	    slu_json_str_opt(obj, "hosts", &hosts, err))
		return slu_err_prefix(err, "topology");
	return add_switch(m, name, hosts, err);
}

static int links_from_json(struct maker *m, uint32_t a, struct json_object *obj,
			   struct slu_err *err)
{
	struct json_object *list;
	const char *name;
	int ret = 0;

	if (!json_object_object_get_ex(obj, "switches", &list) ||
	    !json_object_is_type(list, json_type_array))
		return 0;
	for (size_t i = 0; i < json_object_array_length(list) && !ret; i++) {
		name = json_object_get_string(
			json_object_array_get_idx(list, i));
		ret = link_name(m, a, name ? name : "", err);
	}
	return ret;
}

int slu_topology_of_json(struct json_object *document, struct slu_topology *out,
			 struct slu_err *err)
{
	struct maker m = {0};
	size_t n;
	int ret;

	if (!json_object_is_type(document, json_type_array))
		return slu_err(err, SLU_INVALID, "topology: not an array");
	n = json_object_array_length(document);
	ret = make_room(&m, n, err);
	for (size_t i = 0; i < n && ret == 0; i++)
		ret = add_from_json(&m, json_object_array_get_idx(document, i),
				    err);
	if (ret == 0)
		ret = sort_names(&m, err);
	for (size_t i = 0; i < n && ret == 0; i++)
		ret = links_from_json(&m, (uint32_t)i,
				      json_object_array_get_idx(document, i),
				      err);
	return give(&m, ret, out, err);
}

static int of_text(const struct slu_buf *text, struct slu_topology *out,
		   struct slu_err *err)
{
	struct json_object *document =
		slu_json_parse(text->data, text->len, err);
	int ret = document ? slu_topology_of_json(document, out, err) : -1;

	json_object_put(document);
	return ret;
}

/* A wrong one is refused when it is pushed, but it may be in a database from
 * before that was so. */
int slu_topology_read(struct slu_db *db, struct slu_topology *out,
		      struct slu_err *err)
{
	struct slu_buf text = {0};
	struct slu_err earlier;
	int ret = slu_documents_newest(db, "topology", &text, err);

	if (ret == 0 && of_text(&text, out, err)) {
		slu_err_prefix(err, "the newest topology in the resource map "
				    "(run sysmap -e topology --push)");
		ret = -1;
		for (size_t i = 1; ret && i < EARLIER_MAX; i++) {
			if (slu_documents_earlier(db, "topology", i, &text,
						  &earlier))
				break;
			ret = of_text(&text, out, &earlier);
		}
	}
	slu_buf_free(&text);
	return ret;
}

/* topology.conf: "SwitchName=s1 Switches=s[2-3]" or "... Nodes=n[1-4]" lines,
 * keys in any case; a switch may be named before its line. */

struct conf_line {
	char *name, *nodes, *switches;
};

struct conf {
	const struct slu_root *root;
	struct conf_line *line;
	size_t n;
	bool block; /* it has some, of topology/block */
};

static int take_line(void *arg, char *line, const char *file, size_t number,
		     struct slu_err *err)
{
	char *key, *value, *name = NULL, *nodes = "", *switches = "";
	struct conf *conf = arg;
	struct conf_line *more;

	(void)file, (void)number;
	while (slu_slurmfile_word(&line, &key, &value)) {
		if (strcasecmp(key, "SwitchName") == 0)
			name = value;
		else if (strcasecmp(key, "BlockName") == 0)
			conf->block = true;
		else if (strcasecmp(key, "Nodes") == 0)
			nodes = value;
		else if (strcasecmp(key, "Switches") == 0)
			switches = value;
	}
	if (!name)
		return 0;
	more = reallocarray(conf->line, conf->n + 1, sizeof(*more));
	if (!more)
		return no_memory(err);
	conf->line = more;
	more += conf->n++;
	*more = (struct conf_line){strdup(name), strdup(nodes),
				   strdup(switches)};
	return more->name && more->nodes && more->switches ? 0 : no_memory(err);
}

static int links_from_conf(struct maker *m, uint32_t a, const char *switches,
			   struct slu_err *err)
{
	struct slu_hosts below;
	int ret = 0;

	if (slu_hosts_parse(switches, &below, err))
		return slu_err_prefix(err, "switch %s", m->t.sw[a].name);
	for (size_t i = 0; i < below.n && ret == 0; i++)
		ret = link_name(m, a, below.name[i], err);
	slu_hosts_free(&below);
	return ret;
}

static int make_of_conf(const struct conf *conf, struct slu_topology *out,
			struct slu_err *err)
{
	struct maker m = {0};
	int ret;

	if (conf->n == 0 && conf->block)
		return slu_err(err, SLU_INVALID,
			       "it has blocks (BlockName), not switches "
			       "(SwitchName), and blocks are not read: the "
			       "switches of InfiniBand are read from "
			       "ibnetdiscover's text in /" SLU_FABRIC_RECORDED);
	if (conf->n == 0)
		return slu_err(err, SLU_NOTFOUND, "no SwitchName");
	ret = make_room(&m, conf->n, err);
	for (size_t i = 0; i < conf->n && ret == 0; i++)
		ret = add_switch(&m, conf->line[i].name, conf->line[i].nodes,
				 err);
	if (ret == 0)
		ret = sort_names(&m, err);
	for (size_t i = 0; i < conf->n && ret == 0; i++)
		ret = links_from_conf(&m, (uint32_t)i, conf->line[i].switches,
				      err);
	return give(&m, ret, out, err);
}

static void conf_free(struct conf *conf)
{
	for (size_t i = 0; i < conf->n; i++) {
		free(conf->line[i].name);
		free(conf->line[i].nodes);
		free(conf->line[i].switches);
	}
	free(conf->line);
}

int slu_topology_of_conf(char *text, struct slu_topology *out,
			 struct slu_err *err)
{
	struct conf conf = {0};
	const struct slu_slurmfile how = {.line = take_line, .arg = &conf};
	int ret = slu_slurmfile_parse(&how, "topology.conf", text, err);

	if (ret == 0)
		ret = make_of_conf(&conf, out, err);
	conf_free(&conf);
	return ret;
}

static int read_below(void *arg, const char *path, struct slu_buf *text,
		      struct slu_err *err)
{
	const struct conf *conf = arg;

	return slu_root_read(conf->root, path, CONF_MAX, text, err);
}

int slu_topology_of_conf_file(const struct slu_root *root, const char *path,
			      struct slu_topology *out, struct slu_err *err)
{
	struct conf conf = {.root = root};
	const struct slu_slurmfile how = {
		.read = read_below, .line = take_line, .arg = &conf};
	int ret = slu_slurmfile_read(&how, path, err);

	if (ret == 0)
		ret = make_of_conf(&conf, out, err);
	conf_free(&conf);
	return ret;
}

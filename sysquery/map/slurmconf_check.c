/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares slurm.conf with the resource map: for each node the facts from its
 * documents, then one rule after another. A rule without its fact, or without
 * its key in slurm.conf, does not apply.
 */
#include "config.h"
#include "sysquery/map/slurmconf_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/hostlist.h"
#include "common/jsonx.h"
#include "common/str.h"
#include "sysquery/map/node_facts.h"

struct finding {
	bool wrong;
	char key[32];
	char *conf, *map, *change; /* owned; NULL: none */
	struct slu_hosts hosts;
};

struct check {
	struct slu_db *db;
	const char *tmpfs;
	struct slu_words features; /* all used in slurm.conf */
	struct finding *item;
	size_t n;
	bool failed; /* no memory */
};

/* One node in slurm.conf and in the map. */
struct node {
	const char *host;
	struct json_object *line;
	struct slu_facts facts;
};

static void check_free(struct check *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->item[i].conf);
		free(c->item[i].map);
		free(c->item[i].change);
		slu_hosts_free(&c->item[i].hosts);
	}
	free(c->item);
	slu_words_free(&c->features);
}

static struct finding *find(struct check *c, const struct finding *f)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->item[i].wrong == f->wrong &&
		    strcmp(c->item[i].key, f->key) == 0 &&
		    slu_eq(c->item[i].conf, f->conf) &&
		    slu_eq(c->item[i].map, f->map) &&
		    slu_eq(c->item[i].change, f->change))
			return &c->item[i];
	return NULL;
}

/* Records a finding, for one more node if it exists. Takes the texts. */
static void found(struct check *c, const char *host, struct finding *f)
{
	struct finding *same = find(c, f), *more;

	if (same) {
		free(f->conf);
		free(f->map);
		free(f->change);
	} else {
		more = realloc(c->item, (c->n + 1) * sizeof(*more));
		if (!more) {
			free(f->conf);
			free(f->map);
			free(f->change);
			c->failed = true;
			return;
		}
		c->item = more;
		same = &more[c->n++];
		*same = *f;
	}
	if (slu_hosts_add(&same->hosts, host))
		c->failed = true;
}

static void say(struct check *c, const struct node *node, bool wrong,
		const char *key, const char *conf, const char *map,
		const char *change)
{
	struct finding f = {.wrong = wrong};

	slu_copy(f.key, sizeof(f.key), key);
	f.conf = conf ? strdup(conf) : NULL;
	f.map = map ? strdup(map) : NULL;
	f.change = change ? strdup(change) : NULL;
	found(c, node->host, &f);
}

static const char *word_of(const struct node *node, const char *key)
{
	const char *value = NULL;

	slu_json_str_opt(node->line, key, &value, NULL);
	return value;
}

/* A whole number; -1: missing or invalid. */
static int64_t number_of(const struct node *node, const char *key)
{
	const char *value = word_of(node, key);
	char *end;
	long long n = value ? strtoll(value, &end, 10) : -1;

	return value && end != value && !*end && n >= 0 ? n : -1;
}

/* Suggests "KEY=have" instead of the present value. */
static void say_number(struct check *c, const struct node *node, bool wrong,
		       const char *key, int64_t conf, int64_t have)
{
	char was[24], is[24], change[64];

	snprintf(was, sizeof(was), "%lld", (long long)conf);
	snprintf(is, sizeof(is), "%lld", (long long)have);
	snprintf(change, sizeof(change), "%s=%s", key, is);
	say(c, node, wrong, key, conf < 0 ? NULL : was, is, change);
}

static void check_equal(struct check *c, const struct node *node,
			const char *key, int64_t have)
{
	int64_t conf = number_of(node, key);

	if (conf >= 0 && have > 0 && conf != have)
		say_number(c, node, true, key, conf, have);
}

/* Sockets is per node, SocketsPerBoard per board. */
static void check_sockets(struct check *c, const struct node *node)
{
	int64_t per_board = number_of(node, "SocketsPerBoard");
	int64_t boards = number_of(node, "Boards");

	check_equal(c, node, "Sockets", node->facts.sockets);
	if (per_board < 0)
		return;
	if (boards < 1)
		boards = 1;
	if (node->facts.sockets > 0 &&
	    per_board * boards != node->facts.sockets)
		say_number(c, node, true, "SocketsPerBoard", per_board,
			   node->facts.sockets / boards);
}

/* CPUs may be the number of hardware threads, or of cores if threads are not
 * scheduled separately. */
static void check_cpus(struct check *c, const struct node *node)
{
	const struct slu_facts *f = &node->facts;
	int64_t conf = number_of(node, "CPUs");

	if (f->cpus == 0)
		return;
	check_sockets(c, node);
	check_equal(c, node, "CoresPerSocket", f->cores);
	check_equal(c, node, "ThreadsPerCore", f->threads);
	if (conf >= 0 && conf != f->cpus && conf != f->sockets * f->cores)
		say_number(c, node, true, "CPUs", conf, f->cpus);
	else if (conf < 0 && number_of(node, "CoresPerSocket") < 0 &&
		 number_of(node, "Sockets") < 0)
		say_number(c, node, false, "CPUs", conf, f->cpus);
}

/* More than the node has is an error; much less, or none, a warning. */
static void check_amount(struct check *c, const struct node *node,
			 const char *key, int64_t have)
{
	int64_t conf = number_of(node, key);

	if (have <= 0)
		return;
	if (conf > have)
		say_number(c, node, true, key, conf, have);
	else if (conf < have - have / 10)
		say_number(c, node, false, key, conf, have);
}

/* The sum of counts of one name in "gpu:a100:4,gpu:2,nic:1"; -1: not listed. */
static int64_t gres_count(const char *gres, const char *name)
{
	char *copy = strdup(gres ? gres : ""), *rest = copy, *one, *last;
	size_t len = strlen(name);
	int64_t sum = -1, n;

	while (copy && (one = strsep(&rest, ","))) {
		if (strncasecmp(one, name, len) || !strchr(":", one[len]))
			continue;
		one[strcspn(one, "(")] = '\0'; /* gpu:2(S:0-1) */
		last = strrchr(one, ':');
		n = last && last[1] && !last[strspn(last, ":0123456789")]
			    ? atoll(last + 1)
			    : 1;
		sum = (sum < 0 ? 0 : sum) + n;
	}
	free(copy);
	return sum;
}

static void check_gpus(struct check *c, const struct node *node)
{
	int64_t conf = gres_count(word_of(node, "Gres"), "gpu");
	int64_t have = node->facts.gpus;
	char map[32], change[32];

	if (have < 0 || have == (conf < 0 ? 0 : conf))
		return;
	snprintf(map, sizeof(map), "gpu:%lld", (long long)have);
	snprintf(change, sizeof(change), "Gres=gpu:%lld", (long long)have);
	say(c, node, conf > have, "Gres", word_of(node, "Gres"), map,
	    have ? change : "no gpu in Gres");
}

/* Features that are used in slurm.conf and can be checked by the map: each node
 * must list exactly those that it has. */
static void check_features(struct check *c, const struct node *node)
{
	const char *conf = word_of(node, "Features");
	struct slu_words said = {0};
	char change[160];

	if (slu_words_add(&said, conf ? conf : ""))
		c->failed = true;
	for (size_t i = 0; i < c->features.n; i++) {
		const char *word = c->features.word[i];
		int has = slu_facts_feature(&node->facts, word);
		bool says = slu_words_has(&said, word);

		if (has < 0 || has == says)
			continue;
		snprintf(change, sizeof(change), "%s %.100s",
			 says ? "remove" : "add", word);
		say(c, node, says, "Features", conf, has ? word : NULL, change);
	}
	slu_words_free(&said);
}

static int check_node(struct check *c, const char *host,
		      struct json_object *line, struct slu_err *err)
{
	struct node node = {.host = host, .line = line};
	int ret = slu_facts_read(c->db, host, c->tmpfs, &node.facts, err);

	if (ret < 0)
		return -1;
	if (ret == 0) {
		say(c, &node, false, "NodeName", NULL, NULL,
		    "run sysmap --push there");
		return 0;
	}
	check_cpus(c, &node);
	check_amount(c, &node, "RealMemory", node.facts.memory);
	check_amount(c, &node, "TmpDisk", node.facts.tmp);
	check_gpus(c, &node);
	check_features(c, &node);
	slu_facts_free(&node.facts);
	return 0;
}

static int line_hosts(struct json_object *line, struct slu_hosts *out,
		      struct slu_err *err)
{
	const char *nodes;

	if (slu_json_str(line, "nodes", &nodes, err) ||
	    slu_hosts_parse(nodes, out, err))
		return slu_err_prefix(err, "nodes");
	return 0;
}

static int check_line(struct check *c, struct json_object *line,
		      struct slu_hosts *all, struct slu_err *err)
{
	struct slu_hosts hosts;
	int ret = 0;

	if (line_hosts(line, &hosts, err))
		return -1;
	for (size_t i = 0; i < hosts.n && ret == 0; i++) {
		ret = check_node(c, hosts.name[i], line, err);
		if (slu_hosts_add(all, hosts.name[i]))
			c->failed = true;
	}
	slu_hosts_free(&hosts);
	return ret;
}

/* Hosts of the map that are in no line. all: sorted. */
static int check_others(struct check *c, const struct slu_hosts *all,
			struct slu_err *err)
{
	struct slu_rows *rows = slu_db_query(
		c->db, err, "SELECT Hostname FROM Hosttable ORDER BY HostID",
		"");
	struct node node = {.host = NULL};
	int ret;

	if (!rows)
		return -1;
	while ((ret = slu_db_step(rows, err)) == 1) {
		node.host = slu_db_text(rows, 0);
		if (node.host && !slu_hosts_sorted_has(all, node.host))
			say(c, &node, false, "NodeName", NULL, NULL,
			    "not in slurm.conf");
	}
	slu_db_done(rows);
	return ret;
}

static struct json_object *row_of(const struct finding *f)
{
	struct json_object *row = json_object_new_object();
	char *nodes = slu_hosts_text(&f->hosts);

	slu_json_set_str(row, "nodes", nodes);
	slu_json_set_str(row, "severity", f->wrong ? "wrong" : "hint");
	slu_json_set_str(row, "key", f->key);
	slu_json_set_str(row, "conf", f->conf);
	slu_json_set_str(row, "map", f->map);
	slu_json_set_str(row, "change", f->change);
	free(nodes);
	return row;
}

/* Errors first. */
static struct json_object *rows_of(const struct check *c)
{
	struct json_object *rows = json_object_new_array();

	for (int wrong = 1; wrong >= 0; wrong--)
		for (size_t i = 0; i < c->n; i++)
			if (c->item[i].wrong == wrong)
				json_object_array_add(rows,
						      row_of(&c->item[i]));
	return rows;
}

static int run(struct check *c, struct json_object *lines, struct slu_err *err)
{
	struct slu_hosts all = {0};
	size_t n = json_object_array_length(lines);
	const char *features;
	int ret = 0;

	for (size_t i = 0; i < n; i++) {
		features = "";
		slu_json_str_opt(json_object_array_get_idx(lines, i),
				 "Features", &features, NULL);
		c->failed |= slu_words_add(&c->features, features) != 0;
	}
	for (size_t i = 0; i < n && ret == 0; i++)
		ret = check_line(c, json_object_array_get_idx(lines, i), &all,
				 err);
	slu_hosts_sort(&all);
	if (ret == 0)
		ret = check_others(c, &all, err);
	slu_hosts_free(&all);
	if (ret == 0 && c->failed)
		ret = slu_err(err, SLU_NOMEM, "out of memory");
	return ret;
}

struct json_object *slu_slurmconf_check(struct slu_db *db,
					struct json_object *conf,
					struct slu_err *err)
{
	struct check c = {.db = db, .tmpfs = "/tmp"};
	struct json_object *lines = NULL, *rows = NULL;

	json_object_object_get_ex(conf, "nodes", &lines);
	if (!json_object_is_type(lines, json_type_array)) {
		slu_err(err, SLU_INVALID, "nodes: not an array");
		return NULL;
	}
	if (slu_json_str_opt(conf, "tmpfs", &c.tmpfs, err) == 0 &&
	    run(&c, lines, err) == 0)
		rows = rows_of(&c);
	check_free(&c);
	return rows;
}

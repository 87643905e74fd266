/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses the output of ibnetdiscover. It has a block for each node: a line with
 * its name,
 *
 *	Switch	65 "S-2c5eab0300b87b40"	# "NAME" enhanced port 0 lid 73
 *	Ca	1 "H-e09d7303007a5a68"	# "n17 mlx5_0"
 * and one for each port with a cable,
 *	[17]	"H-e09d7303007a5a68"[1](GUID)	# "n17 mlx5_0" lid 657 4xNDR
 * Each cable is listed twice, once from either end.
 */
#include "config.h"
#include "sysmap/infiniband/fabric.h"

#include <stdlib.h>
#include <string.h>
#include "common/str.h"
#include "sysmap/root.h"

#define HEX "0123456789abcdef"

/* Parses "S-2c5eab0300b87b40" and advances behind the quotes. */
static bool take_id(char **at, const char **guid)
{
	char *open = strchr(*at, '"'), *close;

	close = open ? strchr(open + 1, '"') : NULL;
	if (!close || close != open + 19 || !strchr("SHR", open[1]) ||
	    open[2] != '-' || strspn(open + 3, HEX) != 16)
		return false;
	*close = '\0';
	*guid = open + 3;
	*at = close + 1;
	return true;
}

/* "[17]" */
static bool take_port(char **at, uint32_t *port)
{
	unsigned long value;
	char *end;

	if (**at != '[')
		return false;
	value = strtoul(*at + 1, &end, 10);
	if (end == *at + 1 || *end != ']' || value > 255)
		return false;
	*port = (uint32_t)value;
	*at = end + 1;
	return true;
}

/* The quoted text of a comment, which may contain quotes itself. */
static const char *description(char *comment)
{
	char *open = strchr(comment, '"');
	char *close = open ? strrchr(open + 1, '"') : NULL;

	if (!close)
		return "";
	*close = '\0';
	return slu_printable(slu_trim(open + 1));
}

static bool parse_node(char *line, struct slu_fabric_node *out)
{
	static const struct {
		const char *word;
		enum slu_fabric_kind kind;
	} kinds[] = {{"Switch", SLU_FABRIC_SWITCH},
		     {"Ca", SLU_FABRIC_HOST},
		     {"Rt", SLU_FABRIC_ROUTER}};
	size_t len = strcspn(line, " \t"), i;

	for (i = 0; i < 3; i++)
		if (strlen(kinds[i].word) == len &&
		    strncmp(line, kinds[i].word, len) == 0)
			break;
	if (i == 3)
		return false;
	line += len;
	*out = (struct slu_fabric_node){
		.kind = kinds[i].kind,
		.ports = (uint32_t)strtoul(line, NULL, 10),
	};
	if (!take_id(&line, &out->guid))
		return false;
	line = strchr(line, '#');
	out->description = line ? description(line) : "";
	return true;
}

/* The last word of a link's comment: "4xNDR". */
static const char *width(char *comment)
{
	char *word = strrchr(slu_trim(comment), ' ');

	if (!word || word[1] < '1' || word[1] > '9' || !strchr(word, 'x'))
		return "";
	return slu_printable(word + 1);
}

static bool parse_link(char *line, const char *guid,
		       struct slu_fabric_link *out)
{
	*out = (struct slu_fabric_link){.guid = guid, .width = ""};
	if (!take_port(&line, &out->port) || !take_id(&line, &out->peer) ||
	    !take_port(&line, &out->peer_port))
		return false;
	line = strchr(line, '#');
	if (line)
		out->width = width(line);
	return true;
}

/* Space for another element of a growing array. */
static void *more(void *array, size_t n, size_t size)
{
	if (n & (n - 1)) /* the size is the next power of two */
		return array;
	return reallocarray(array, n ? 2 * n : 1, size);
}

static int add_node(struct slu_fabric *f, const struct slu_fabric_node *node,
		    struct slu_err *err)
{
	void *array = more(f->node, f->n_nodes, sizeof(*f->node));

	if (!array)
		return slu_err(err, SLU_NOMEM, "fabric");
	f->node = array;
	f->node[f->n_nodes++] = *node;
	return 0;
}

static int add_link(struct slu_fabric *f, const struct slu_fabric_link *link,
		    struct slu_err *err)
{
	void *array = more(f->link, f->n_links, sizeof(*f->link));

	if (!array)
		return slu_err(err, SLU_NOMEM, "fabric");
	f->link = array;
	f->link[f->n_links++] = *link;
	return 0;
}

static int parse(char *text, struct slu_fabric *f, struct slu_err *err)
{
	const char *guid = NULL;
	struct slu_fabric_node node;
	struct slu_fabric_link link;
	char *rest = text, *line;

	while ((line = strsep(&rest, "\n"))) {
		if (line[0] == '[') {
			if (guid && parse_link(line, guid, &link) &&
			    add_link(f, &link, err))
				return -1;
		} else if (parse_node(line, &node)) {
			guid = node.guid;
			if (add_node(f, &node, err))
				return -1;
		}
	}
	return 0;
}

static int compare_nodes(const void *a, const void *b)
{
	const struct slu_fabric_node *x = a, *y = b;

	return strcmp(x->guid, y->guid);
}

static int compare_links(const void *a, const void *b)
{
	const struct slu_fabric_link *x = a, *y = b;
	int order = strcmp(x->guid, y->guid);

	return order ? order : (int)x->port - (int)y->port;
}

/* Orients the link from its smaller end. */
static void turn(struct slu_fabric_link *link)
{
	const char *guid = link->guid;
	uint32_t port = link->port;
	int order = strcmp(guid, link->peer);

	if (order < 0 || (order == 0 && port <= link->peer_port))
		return;
	link->guid = link->peer;
	link->port = link->peer_port;
	link->peer = guid;
	link->peer_port = port;
}

static void tidy(struct slu_fabric *f)
{
	size_t n = 0;

	qsort(f->node, f->n_nodes, sizeof(*f->node), compare_nodes);
	for (size_t i = 0; i < f->n_nodes; i++)
		if (n == 0 || compare_nodes(&f->node[n - 1], &f->node[i]))
			f->node[n++] = f->node[i];
	f->n_nodes = n;
	for (size_t i = 0; i < f->n_links; i++)
		turn(&f->link[i]);
	if (f->n_links)
		qsort(f->link, f->n_links, sizeof(*f->link), compare_links);
	n = 0;
	for (size_t i = 0; i < f->n_links; i++)
		if (n == 0 || compare_links(&f->link[n - 1], &f->link[i]))
			f->link[n++] = f->link[i];
	f->n_links = n;
}

int slu_fabric_parse(char *text, struct slu_fabric *out, struct slu_err *err)
{
	struct slu_fabric f = {0};
	int ret = parse(text, &f, err);

	if (ret == 0 && f.n_nodes == 0)
		ret = slu_err(err, SLU_INVALID,
			      "not the output of ibnetdiscover");
	if (ret) {
		slu_fabric_free(&f);
		return -1;
	}
	tidy(&f);
	*out = f;
	return 0;
}

void slu_fabric_free(struct slu_fabric *fabric)
{
	free(fabric->node);
	free(fabric->link);
	*fabric = (struct slu_fabric){0};
}

const struct slu_fabric_node *slu_fabric_find(const struct slu_fabric *fabric,
					      const char *guid)
{
	struct slu_fabric_node key = {.guid = guid};

	if (fabric->n_nodes == 0)
		return NULL;
	return bsearch(&key, fabric->node, fabric->n_nodes,
		       sizeof(*fabric->node), compare_nodes);
}

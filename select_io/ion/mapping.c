/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GekkoFWD's mapping file. Its client takes a line for its own host name, cut
 * at the first dot, and counts I/O nodes in the order in which strcmp sorts
 * the lines of the daemons' hosts file (ion10 before ion2). A line it cannot
 * read ends the application, so nothing but whole lines is ever made.
 */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include "common/hostlist.h"
#include "common/str.h"
#include "select_io/ion/arbiter.h"

static int by_strcmp(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void cut_at_dot(struct slu_hosts *hosts)
{
	for (size_t i = 0; i < hosts->n; i++)
		hosts->name[i][strcspn(hosts->name[i], ".")] = '\0';
}

/* All I/O nodes as a client counts them. */
static int sorted_ions(const char *ions, struct slu_hosts *out,
		       struct slu_err *err)
{
	if (slu_hosts_parse(ions ? ions : "", out, err) < 0)
		return -1;
	cut_at_dot(out);
	if (out->n)
		qsort(out->name, out->n, sizeof(*out->name), by_strcmp);
	return 0;
}

/* The compute nodes of a job, in equal contiguous blocks for its I/O nodes. */
struct blocks {
	struct slu_hosts nodes, ions;
};

static void blocks_free(struct blocks *b)
{
	slu_hosts_free(&b->nodes);
	slu_hosts_free(&b->ions);
}

static int blocks_of(const struct slu_ion_share *share, struct blocks *out,
		     struct slu_err *err)
{
	*out = (struct blocks){0};
	if (slu_hosts_parse(share->nodes ? share->nodes : "", &out->nodes,
			    err) < 0 ||
	    slu_hosts_parse(share->ions ? share->ions : "", &out->ions, err) <
		    0) {
		blocks_free(out);
		return -1;
	}
	cut_at_dot(&out->nodes);
	cut_at_dot(&out->ions);
	return 0;
}

/* The position of the i-th node's I/O node among all. */
static int ion_of(const struct blocks *b, size_t i, const struct slu_hosts *all,
		  uint32_t *ion, struct slu_err *err)
{
	const char *name = b->ions.name[i * b->ions.n / b->nodes.n];
	char **at =
		bsearch(&name, all->name, all->n, sizeof(char *), by_strcmp);

	if (!at)
		return slu_err(err, SLU_INVALID,
			       "%s is not one of the I/O nodes", name);
	*ion = (uint32_t)(at - all->name);
	return 0;
}

static int write_lines(struct slu_buf *buf, const struct blocks *b,
		       const struct slu_hosts *all, struct slu_err *err)
{
	uint32_t ion;

	for (size_t i = 0; i < b->nodes.n; i++) {
		if (ion_of(b, i, all, &ion, err) < 0)
			return -1;
		slu_buf_printf(buf, "%s %u\n", b->nodes.name[i], ion);
	}
	return 0;
}

char *slu_mapping_text(const struct slu_ion_share *share, const char *all_ions,
		       struct slu_err *err)
{
	struct slu_hosts all = {0};
	struct blocks b = {0};
	struct slu_buf buf = {0};
	char *text = NULL;

	if (blocks_of(share, &b, err) < 0 || sorted_ions(all_ions, &all, err))
		goto out;
	if (b.ions.n == 0 || b.nodes.n == 0) {
		slu_err(err, b.ions.n ? SLU_INVALID : SLU_NOTFOUND,
			"job %u has no %s node", share->job_id,
			b.ions.n ? "compute" : "I/O");
		goto out;
	}
	if (write_lines(&buf, &b, &all, err))
		goto out;
	text = slu_buf_steal(&buf);
	if (!text)
		slu_err(err, SLU_NOMEM, "out of memory");
out:
	slu_buf_free(&buf);
	blocks_free(&b);
	slu_hosts_free(&all);
	return text;
}

/* The lines of all jobs. */

static int add_lines(struct slu_node_lines *out,
		     const struct slu_ion_share *share,
		     const struct slu_hosts *all, struct slu_err *err)
{
	struct slu_node_line *grown;
	struct blocks b;
	int rc = 0;

	if (blocks_of(share, &b, err) < 0)
		return -1;
	grown = realloc(out->line,
			(out->n + b.nodes.n + 1) * sizeof(*out->line));
	if (!grown)
		rc = slu_err(err, SLU_NOMEM, "out of memory");
	else
		out->line = grown;
	for (size_t i = 0; rc == 0 && i < b.nodes.n; i++) {
		const char *node = b.nodes.name[i];
		struct slu_node_line *line = &out->line[out->n++];

		*line = (struct slu_node_line){
			.hash = XXH3_64bits(node, strlen(node)),
			.node = node,
			.job_id = share->job_id,
			.ion = SLU_NO_ION,
			.at = out->n_names};
		if (b.ions.n)
			rc = ion_of(&b, i, all, &line->ion, err);
	}
	slu_hosts_free(&b.ions);
	out->names[out->n_names++] = b.nodes;
	return rc;
}

static int by_node(const void *a, const void *b)
{
	const struct slu_node_line *x = a, *y = b;
	int names;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	names = strcmp(x->node, y->node);
	return names ? names
		     : (x->job_id > y->job_id) - (x->job_id < y->job_id);
}

int slu_node_lines(const struct slu_assignment *a, struct slu_node_lines *out,
		   struct slu_err *err)
{
	struct slu_node_lines lines = {
		.names = calloc(a->n_jobs + 1, sizeof(*lines.names))};
	struct slu_hosts all = {0};
	int rc = lines.names ? sorted_ions(a->ions, &all, err)
			     : slu_err(err, SLU_NOMEM, "out of memory");

	for (size_t i = 0; rc == 0 && i < a->n_jobs; i++)
		rc = add_lines(&lines, &a->jobs[i], &all, err);
	slu_hosts_free(&all);
	if (rc < 0) {
		slu_node_lines_free(&lines);
		return -1;
	}
	if (lines.n)
		qsort(lines.line, lines.n, sizeof(*lines.line), by_node);
	*out = lines;
	return 0;
}

void slu_node_lines_free(struct slu_node_lines *lines)
{
	for (size_t i = 0; i < lines->n_names; i++)
		slu_hosts_free(&lines->names[i]);
	free(lines->names);
	free(lines->line);
	*lines = (struct slu_node_lines){0};
}

/* Names of hosts need no escapes (hostlist.h). This is on the way of every
 * launch, so it is written as text. */
static void put_names(struct slu_buf *buf, const struct slu_hosts *hosts)
{
	slu_buf_puts(buf, "[");
	for (size_t i = 0; i < hosts->n; i++) {
		slu_buf_puts(buf, i ? ",\"" : "\"");
		slu_buf_puts(buf, hosts->name[i]);
		slu_buf_puts(buf, "\"");
	}
	slu_buf_puts(buf, "]");
}

static void put_job(struct slu_buf *buf, const struct slu_ion_share *share,
		    const struct slu_hosts *nodes, const struct slu_hosts *ions)
{
	slu_buf_printf(buf,
		       "{\"job_id\":%u,\"shared\":%s,\"ions\":", share->job_id,
		       share->shared ? "true" : "false");
	put_names(buf, ions);
	slu_buf_puts(buf, ",\"nodes\":{");
	for (size_t i = 0; ions->n && i < nodes->n; i++) {
		slu_buf_puts(buf, i ? ",\"" : "\"");
		slu_buf_puts(buf, nodes->name[i]);
		slu_buf_puts(buf, "\":\"");
		slu_buf_puts(buf, ions->name[i * ions->n / nodes->n]);
		slu_buf_puts(buf, "\"");
	}
	slu_buf_puts(buf, "}}");
}

static int add_job(struct slu_buf *buf, const struct slu_ion_share *share,
		   struct slu_err *err)
{
	struct slu_hosts nodes = {0}, ions = {0};
	int rc = slu_hosts_parse(share->nodes ? share->nodes : "", &nodes, err);

	if (rc == 0)
		rc = slu_hosts_parse(share->ions ? share->ions : "", &ions,
				     err);
	if (rc == 0)
		put_job(buf, share, &nodes, &ions);
	slu_hosts_free(&nodes);
	slu_hosts_free(&ions);
	return rc;
}

char *slu_mapping_json(const struct slu_assignment *a, struct slu_err *err)
{
	struct slu_hosts all = {0};
	struct slu_buf buf = {0};
	char *text = NULL;
	int rc = slu_hosts_parse(a->ions ? a->ions : "", &all, err);

	slu_buf_printf(&buf,
		       "{\"epoch\":%llu,\"time\":%lld,\"policy\":\"%s\","
		       "\"ions\":",
		       (unsigned long long)a->epoch, (long long)a->time,
		       a->policy ? a->policy : "");
	put_names(&buf, &all);
	slu_buf_puts(&buf, ",\"jobs\":[");
	for (size_t i = 0; rc == 0 && i < a->n_jobs; i++) {
		if (i)
			slu_buf_puts(&buf, ",");
		rc = add_job(&buf, &a->jobs[i], err);
	}
	slu_buf_puts(&buf, "]}\n");
	if (rc == 0)
		text = slu_buf_steal(&buf);
	if (rc == 0 && !text)
		slu_err(err, SLU_NOMEM, "out of memory");
	slu_buf_free(&buf);
	slu_hosts_free(&all);
	return text;
}

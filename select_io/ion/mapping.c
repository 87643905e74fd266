/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes GekkoFWD's mapping file. Its client uses the line of its own host
 * name, cut at the first dot, and numbers I/O nodes in the order in which
 * strcmp sorts the lines of the daemons' hosts file (ion10 before ion2). A line
 * that the client cannot parse ends the application, so the file consists of
 * whole lines at any time.
 */
#include "select_io/ion/mapping.h"

#include <stdlib.h>
#include <string.h>
#include "common/str.h"
#include "select_io/ion/hostlist_cache.h"

struct slu_mapper {
	struct slu_names_memory names;
};

struct slu_mapper *slu_mapper_new(void)
{
	return calloc(1, sizeof(struct slu_mapper));
}

void slu_mapper_free(struct slu_mapper *m)
{
	if (!m)
		return;
	slu_names_clear(&m->names);
	free(m);
}

void slu_mapper_sweep(struct slu_mapper *m)
{
	slu_names_sweep(&m->names);
}

/* The compute nodes of a job, in equal contiguous blocks for its I/O nodes. */
struct blocks {
	const struct slu_host_names *nodes, *ions;
};

static int blocks_of(struct slu_mapper *m, const struct slu_ion_share *share,
		     struct blocks *out, struct slu_err *err)
{
	out->nodes = slu_names_find(&m->names, share->nodes, err);
	out->ions =
		out->nodes ? slu_names_find(&m->names, share->ions, err) : NULL;
	return out->ions ? 0 : -1;
}

static size_t block_of(const struct blocks *b, size_t node)
{
	return node * b->ions->full.n / b->nodes->full.n;
}

static int by_strcmp(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The position of the job's k-th I/O node among all, as clients number them. */
static int position(const struct blocks *b, size_t k,
		    const struct slu_host_names *all, uint32_t *ion,
		    struct slu_err *err)
{
	const char *name = b->ions->cut.name[k];
	const char **at = bsearch(&name, all->sorted, all->full.n,
				  sizeof(char *), by_strcmp);

	if (!at)
		return slu_err(err, SLU_INVALID,
			       "%s is not one of the I/O nodes", name);
	*ion = (uint32_t)(at - all->sorted);
	return 0;
}

/* The position for the node after one whose I/O node is *ion. */
static int next_ion(const struct blocks *b, size_t node,
		    const struct slu_host_names *all, uint32_t *ion,
		    struct slu_err *err)
{
	size_t k = block_of(b, node);

	if (node && block_of(b, node - 1) == k)
		return 0;
	return position(b, k, all, ion, err);
}

static int write_lines(struct slu_buf *buf, const struct blocks *b,
		       const struct slu_host_names *all, struct slu_err *err)
{
	uint32_t ion = 0;

	for (size_t i = 0; i < b->nodes->full.n; i++) {
		if (next_ion(b, i, all, &ion, err) < 0)
			return -1;
		slu_buf_printf(buf, "%s %u\n", b->nodes->cut.name[i], ion);
	}
	return 0;
}

char *slu_mapping_text(struct slu_mapper *m, const struct slu_ion_share *share,
		       const char *all_ions, struct slu_err *err)
{
	const struct slu_host_names *all;
	struct slu_buf buf = {0};
	struct blocks b;
	char *text = NULL;

	if (blocks_of(m, share, &b, err) < 0)
		return NULL;
	if (b.ions->full.n == 0 || b.nodes->full.n == 0) {
		slu_err(err, b.ions->full.n ? SLU_INVALID : SLU_NOTFOUND,
			"job %u has no %s node", share->job_id,
			b.ions->full.n ? "compute" : "I/O");
		return NULL;
	}
	all = slu_names_find(&m->names, all_ions, err);
	if (all && write_lines(&buf, &b, all, err) == 0) {
		text = slu_buf_steal(&buf);
		if (!text)
			slu_err(err, SLU_NOMEM, "out of memory");
	}
	slu_buf_free(&buf);
	return text;
}

long slu_mapper_count(struct slu_mapper *m, const char *hosts,
		      struct slu_err *err)
{
	const struct slu_host_names *names =
		slu_names_find(&m->names, hosts, err);

	return names ? (long)names->full.n : -1;
}

char *slu_mapping_kept(const char *text, uint32_t n, struct slu_err *err)
{
	struct slu_buf buf = {0};
	char *kept;

	slu_buf_puts(&buf, "");
	while (*text) {
		int host = (int)strcspn(text, " \n");
		unsigned long ion = strtoul(text + host, NULL, 10);

		slu_buf_printf(&buf, "%.*s %lu\n", host, text,
			       n && ion >= n ? ion % n : ion);
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	kept = slu_buf_steal(&buf);
	if (!kept)
		slu_err(err, SLU_NOMEM, "out of memory");
	slu_buf_free(&buf);
	return kept;
}

/* The lines of all jobs. */

static int add_lines(struct slu_node_lines *out, const struct blocks *b,
		     uint32_t job_id, size_t at,
		     const struct slu_host_names *all, struct slu_err *err)
{
	uint32_t ion = SLU_NO_ION;

	out->names[at] = &b->nodes->cut;
	for (size_t i = 0; i < b->nodes->full.n; i++) {
		if (b->ions->full.n && next_ion(b, i, all, &ion, err) < 0)
			return -1;
		out->line[out->n++] =
			(struct slu_node_line){.hash = b->nodes->hash[i],
					       .node = b->nodes->cut.name[i],
					       .job_id = job_id,
					       .ion = ion,
					       .at = at};
	}
	return 0;
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

/* Allocates the lines of all jobs. */
static int reserve(struct slu_mapper *m, const struct slu_assignment *a,
		   struct slu_node_lines *out, struct slu_err *err)
{
	size_t n = 0;
	struct blocks b;

	for (size_t i = 0; i < a->n_jobs; i++) {
		if (blocks_of(m, &a->jobs[i], &b, err) < 0)
			return -1;
		n += b.nodes->full.n;
	}
	*out = (struct slu_node_lines){
		.line = calloc(n + 1, sizeof(*out->line)),
		.names = calloc(a->n_jobs + 1, sizeof(*out->names))};
	if (out->line && out->names)
		return 0;
	slu_node_lines_free(out);
	return slu_err(err, SLU_NOMEM, "out of memory");
}

int slu_node_lines(struct slu_mapper *m, const struct slu_assignment *a,
		   struct slu_node_lines *out, struct slu_err *err)
{
	const struct slu_host_names *all =
		slu_names_find(&m->names, a->ions, err);
	struct slu_node_lines lines;
	struct blocks b;
	int rc = 0;

	if (!all || reserve(m, a, &lines, err) < 0)
		return -1;
	for (size_t i = 0; rc == 0 && i < a->n_jobs; i++) {
		rc = blocks_of(m, &a->jobs[i], &b, err);
		if (rc == 0)
			rc = add_lines(&lines, &b, a->jobs[i].job_id, i, all,
				       err);
	}
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
	free(lines->names);
	free(lines->line);
	*lines = (struct slu_node_lines){0};
}

/* Host names need no escapes (hostlist.h). This is in the path of every launch,
 * so the text is written directly instead of through json-c. */
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
		    const struct blocks *b)
{
	const struct slu_hosts *nodes = &b->nodes->full, *ions = &b->ions->full;

	slu_buf_printf(buf,
		       "{\"job_id\":%u,\"shared\":%s,\"ions\":", share->job_id,
		       share->shared ? "true" : "false");
	put_names(buf, ions);
	slu_buf_puts(buf, ",\"nodes\":{");
	for (size_t i = 0; ions->n && i < nodes->n; i++) {
		slu_buf_puts(buf, i ? ",\"" : "\"");
		slu_buf_puts(buf, nodes->name[i]);
		slu_buf_puts(buf, "\":\"");
		slu_buf_puts(buf, ions->name[block_of(b, i)]);
		slu_buf_puts(buf, "\"");
	}
	slu_buf_puts(buf, "}}");
}

static int put_jobs(struct slu_buf *buf, struct slu_mapper *m,
		    const struct slu_assignment *a, struct slu_err *err)
{
	struct blocks b;

	for (size_t i = 0; i < a->n_jobs; i++) {
		if (blocks_of(m, &a->jobs[i], &b, err) < 0)
			return -1;
		if (i)
			slu_buf_puts(buf, ",");
		put_job(buf, &a->jobs[i], &b);
	}
	return 0;
}

char *slu_mapping_json(struct slu_mapper *m, const struct slu_assignment *a,
		       struct slu_err *err)
{
	const struct slu_host_names *all =
		slu_names_find(&m->names, a->ions, err);
	struct slu_buf buf = {0};
	char *text = NULL;

	if (!all)
		return NULL;
	slu_buf_printf(&buf,
		       "{\"epoch\":%llu,\"time\":%lld,\"policy\":\"%s\","
		       "\"ions\":",
		       (unsigned long long)a->epoch, (long long)a->time,
		       a->policy ? a->policy : "");
	put_names(&buf, &all->full);
	slu_buf_puts(&buf, ",\"jobs\":[");
	if (put_jobs(&buf, m, a, err) == 0) {
		slu_buf_puts(&buf, "]}\n");
		text = slu_buf_steal(&buf);
		if (!text)
			slu_err(err, SLU_NOMEM, "out of memory");
	}
	slu_buf_free(&buf);
	return text;
}

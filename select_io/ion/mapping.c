/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GekkoFWD's mapping file. Its client takes a line for its own host name, cut
 * at the first dot, and counts I/O nodes in the order in which strcmp sorts
 * the lines of the daemons' hosts file (ion10 before ion2). A line it cannot
 * read ends the application, so nothing but whole lines is ever made.
 */
#include <stdlib.h>
#include <string.h>
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

static int write_lines(struct slu_buf *buf, const struct slu_hosts *nodes,
		       const struct slu_hosts *ions,
		       const struct slu_hosts *all, struct slu_err *err)
{
	for (size_t i = 0; i < nodes->n; i++) {
		const char *ion = ions->name[i * ions->n / nodes->n];
		char **at = bsearch(&ion, all->name, all->n, sizeof(char *),
				    by_strcmp);

		if (!at)
			return slu_err(err, SLU_INVALID,
				       "%s is not one of the I/O nodes", ion);
		slu_buf_printf(buf, "%s %td\n", nodes->name[i], at - all->name);
	}
	return 0;
}

char *slu_mapping_text(const struct slu_ion_share *share, const char *all_ions,
		       struct slu_err *err)
{
	struct slu_hosts nodes = {0}, ions = {0}, all = {0};
	struct slu_buf buf = {0};
	char *text = NULL;

	if (slu_hosts_parse(share->nodes ? share->nodes : "", &nodes, err) ||
	    slu_hosts_parse(share->ions ? share->ions : "", &ions, err) ||
	    slu_hosts_parse(all_ions, &all, err))
		goto out;
	if (ions.n == 0 || nodes.n == 0) {
		slu_err(err, ions.n ? SLU_INVALID : SLU_NOTFOUND,
			"job %u has no %s node", share->job_id,
			ions.n ? "compute" : "I/O");
		goto out;
	}
	cut_at_dot(&nodes);
	cut_at_dot(&ions);
	cut_at_dot(&all);
	qsort(all.name, all.n, sizeof(*all.name), by_strcmp);
	if (write_lines(&buf, &nodes, &ions, &all, err))
		goto out;
	text = slu_buf_steal(&buf);
	if (!text)
		slu_err(err, SLU_NOMEM, "out of memory");
out:
	slu_buf_free(&buf);
	slu_hosts_free(&nodes);
	slu_hosts_free(&ions);
	slu_hosts_free(&all);
	return text;
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

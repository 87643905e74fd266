/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds which nodes of RecruitIdle serve as I/O nodes now: compute nodes that
 * are idle, so that a job of root or SlurmUser with a certain name holds them
 * and runs the site's forwarder there. Slurm starts that job on idle nodes and
 * preempts it when another job needs a node; when it ends, its node leaves the
 * pool of I/O nodes.
 */
#include "config.h"
#include "ctl/arbiter/recruits.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECRUITING "sluice-recruit"

bool slu_recruits(const struct slu_job *job)
{
	return slu_eq(job->name, RECRUITING) &&
	       (job->uid == 0 || job->uid == geteuid());
}

static int append_nodes(struct slu_hosts *all, const char *nodes)
{
	struct slu_hosts of_one = {0};
	int rc = slu_hosts_parse(nodes ? nodes : "", &of_one, NULL);

	for (size_t i = 0; rc == 0 && i < of_one.n; i++)
		rc = slu_hosts_append(all, of_one.name[i]);
	slu_hosts_free(&of_one);
	return rc;
}

int slu_recruits_missing(const struct slu_ctl *ctl, struct slu_hosts *out)
{
	const struct slu_hosts *idle = &ctl->site->conf->recruit_idle;
	struct slu_hosts here = {0};
	const struct slu_job *job;
	int rc = 0;

	for (size_t i = 0;
	     idle->n && rc == 0 && (job = slu_arbiter_job(ctl->arbiter, i));
	     i++)
		if (slu_recruits(job))
			rc = append_nodes(&here, job->nodes);
	slu_hosts_sort(&here);
	for (size_t i = 0; i < idle->n && rc == 0; i++)
		if (!slu_hosts_sorted_has(&here, idle->name[i]))
			rc = slu_hosts_append(out, idle->name[i]);
	slu_hosts_sort(out);
	slu_hosts_free(&here);
	return rc;
}

char *slu_ions_unusable(const struct slu_ctl *ctl)
{
	char *all = slu_hosts_text(&ctl->site->conf->io_nodes), *list = NULL;
	char *down = all ? ctl->ops.down(ctl->ops.arg, all, true) : NULL;
	struct slu_hosts away = {0};

	if (all && append_nodes(&away, down) == 0 &&
	    slu_recruits_missing(ctl, &away) == 0)
		list = slu_hosts_text(&away);
	slu_hosts_free(&away);
	free(all);
	free(down);
	return list;
}

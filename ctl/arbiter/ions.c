/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs the arbiter (ions.h). All job starts, job ends and node changes of one
 * turn of the loop lead to one solve. The result is sent to be published, and
 * shown on the I/O nodes: by a feature of a fixed set (Slurm never forgets the
 * name of a feature) and, in the comment, the jobs.
 */
#include "config.h"
#include "ctl/arbiter/ions.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "ctl/arbiter/recruits.h"
#include "ctl/jobs/running/followed.h"
#include "ctl/private.h"
#include "ctl/link/session.h"
#include "select_io/ion/assignment_delta.h"

#define WATCH_EVERY	 2.0 /* s, states of the I/O nodes */
#define MAX_APPLICATIONS 4096

static void labels_free(struct slu_ctl *ctl)
{
	for (size_t i = 0; i < ctl->n_labels; i++) {
		free(ctl->labels[i].node);
		free(ctl->labels[i].comment);
	}
	free(ctl->labels);
	ctl->labels = NULL;
	ctl->n_labels = 0;
}

void slu_ions_fini(struct slu_ctl *ctl)
{
	slu_arbiter_free(ctl->arbiter);
	ctl->arbiter = NULL;
	slu_msg_clear(&slu_assignment_desc, &ctl->assignment);
	ctl->assignment_said = false;
	labels_free(ctl);
	free(ctl->ions_unusable);
	ctl->ions_unusable = NULL;
	slu_hosts_free(&ctl->other_hostnames);
	ctl->other_hostnames = (struct slu_hosts){0};
}

static int by_node(const void *a, const void *b)
{
	return strcmp(((const struct slu_ctl_node_label *)a)->node,
		      ((const struct slu_ctl_node_label *)b)->node);
}

/* The labels of the I/O nodes, sorted by name; unknown at first, so that all
 * are set once. */
static int labels_new(struct slu_ctl *ctl, const struct slu_hosts *ions)
{
	ctl->labels = calloc(ions->n + 1, sizeof(*ctl->labels));
	if (!ctl->labels)
		return -1;
	for (size_t i = 0; i < ions->n; i++) {
		ctl->labels[i].node = strdup(ions->name[i]);
		ctl->n_labels += ctl->labels[i].node != NULL;
	}
	if (ctl->n_labels < ions->n)
		return -1;
	qsort(ctl->labels, ions->n, sizeof(*ctl->labels), by_node);
	return 0;
}

/* Removes the labels of nodes that are no I/O nodes any more. Returns whether
 * there were any. */
static bool unmark_others(struct slu_ctl *ctl, const struct slu_ctl_node *nodes,
			  size_t n_nodes)
{
	struct slu_ctl_node_label mark = {.feature = ""};
	bool any = false;

	for (size_t i = 0; i < n_nodes; i++) {
		mark.node = nodes[i].addr.name;
		if (nodes[i].comment &&
		    slu_hosts_find(&ctl->site->conf->io_nodes, mark.node) < 0) {
			ctl->ops.mark(ctl->ops.arg, &mark, 1);
			any = true;
		}
	}
	return any;
}

static int hold(struct slu_ion_share *share, const char *node, bool shares)
{
	char *ions = share->ions ? slu_asprintf("%s,%s", share->ions, node)
				 : strdup(node);

	if (!ions)
		return -1;
	free(share->ions);
	share->ions = ions;
	share->shared = shares;
	return 0;
}

/* Parses "sluice: 17,23*" at a node: job 17 holds it, the others share it. */
static int add_held(struct slu_assignment *before, const char *node,
		    const char *jobs)
{
	struct slu_ion_share *share, *end;
	bool shares = false;
	unsigned long id;
	char *next;

	for (; (id = strtoul(jobs, &next, 10)) && next != jobs; jobs = next) {
		shares = shares || *next == '*';
		next += *next == '*';
		next += *next == ',';
		end = before->jobs + before->n_jobs;
		for (share = before->jobs; share < end; share++)
			if (share->job_id == id)
				break; /* the job has not ended meanwhile */
		if (share < end && hold(share, node, shares) < 0)
			return -1;
		shares = true;
	}
	return 0;
}

/* What the running jobs held, by the nodes' comments: these survive a restart
 * of slurmctld, so that it moves no job. */
static int held_before(const struct slu_ctl_node *nodes, size_t n_nodes,
		       const struct slu_job *running, size_t n,
		       struct slu_assignment *out)
{
	int rc = 0;

	out->jobs = calloc(n + 1, sizeof(*out->jobs));
	if (!out->jobs)
		return -1;
	for (; out->n_jobs < n; out->n_jobs++)
		out->jobs[out->n_jobs].job_id = running[out->n_jobs].job_id;
	for (size_t i = 0; i < n_nodes && rc == 0; i++)
		if (nodes[i].comment)
			rc = add_held(out, nodes[i].addr.name,
				      nodes[i].comment + strlen("sluice: "));
	return rc;
}

/* "5 runs (1MiB requests, strided, shared files)" */
static char *because(uint32_t runs, const struct slu_ion_manner *manner)
{
	char *how = slu_ion_manner_text(manner), *text = NULL;

	if (how)
		text = slu_asprintf("%u run%s%s%s%s", runs,
				    runs == 1 ? "" : "s", *how ? " (" : "", how,
				    *how ? ")" : "");
	free(how);
	return text;
}

static struct slu_ion_manner manner_of(const struct slu_job *job,
				       const struct slu_volumes_next *next)
{
	struct slu_ion_manner manner = {
		.nodes = job->node_cnt,
		.processes = job->tasks,
		.read_bytes = next->read_bytes,
		.written_bytes = next->written_bytes,
	};

	if (!next->seen)
		return manner;
	manner.request = next->request;
	manner.layout =
		next->shared >= 0.5 ? SLU_LAYOUT_SHARED : SLU_LAYOUT_EACH;
	manner.access = next->contiguous >= 0.5 ? SLU_CONTIGUOUS : SLU_STRIDED;
	return manner;
}

/* Which patterns of the site's table the job is predicted to have. */
static void predict(struct slu_ctl *ctl, const struct slu_job *job)
{
	char *profile = NULL, *why = NULL;
	struct slu_volumes_next next;
	struct slu_ion_manner manner;
	struct slu_err err;

	if (!ctl->site->patterns || !ctl->volumes)
		return;
	if (slu_volumes_predict(ctl->volumes, job, &next)) {
		manner = manner_of(job, &next);
		profile = slu_patterns_nearest(ctl->site->patterns, &manner,
					       &err);
		why = because(next.runs, &manner);
	}
	if (slu_arbiter_predict(ctl->arbiter, job->job_id, why ? profile : NULL,
				why, &err) < 0)
		ctl_log(ctl, SLU_ERROR, "JobId=%u: I/O nodes: %s", job->job_id,
			err.text);
	free(profile);
	free(why);
}

void slu_ions_sizes(struct slu_ctl *ctl, struct slu_job *job)
{
	struct slu_volumes_next next;

	if (!ctl->volumes || !slu_volumes_predict(ctl->volumes, job, &next))
		return;
	job->file_size = next.written_bytes;
	memcpy(job->later, next.later, sizeof(job->later));
	if (!next.seen)
		return;
	job->request_size = next.request;
	if (next.shared < 0.5 && job->tasks)
		job->file_size /= job->tasks;
}

void slu_ions_predict(struct slu_ctl *ctl)
{
	const struct slu_job *job;

	for (size_t i = 0;
	     ctl->arbiter && (job = slu_arbiter_job(ctl->arbiter, i)); i++)
		predict(ctl, job);
}

static int arbiter_fit(struct slu_ctl *ctl, size_t n_nodes, struct slu_err *err)
{
	const struct slu_conf *conf = ctl->site->conf;
	size_t ions = conf->io_nodes.n - conf->recruit_idle.n;
	uint32_t compute =
		(uint32_t)(n_nodes > ions ? n_nodes - ions : n_nodes);

	if (ctl->site->patterns_why_not)
		ctl_log(ctl, SLU_ERROR, "%s", ctl->site->patterns_why_not);
	if (ctl->arbiter)
		return slu_arbiter_configure(ctl->arbiter, conf, compute, err);
	ctl->arbiter = slu_arbiter_new(conf, compute, err);
	ctl->arbiter_heard = (struct slu_history_position){0};
	if (!ctl->arbiter)
		return -1;
	slu_arbiter_patterns(ctl->arbiter, ctl->site->patterns);
	return slu_arbiter_distances(ctl->arbiter, &ctl->distances, err);
}

void slu_ions_configure(struct slu_ctl *ctl, const struct slu_ctl_node *nodes,
			size_t n_nodes, const struct slu_job *running,
			size_t n_running)
{
	const struct slu_conf *conf = ctl->site->conf;
	struct slu_assignment before = {0};
	bool fresh = !ctl->arbiter, held = false;
	struct slu_err err = {.text = "out of memory"};

	if (!ctl->volumes)
		ctl->volumes = slu_volumes_new(MAX_APPLICATIONS, &err);
	if (conf)
		held = unmark_others(ctl, nodes, n_nodes);
	/* jobs that lose the last I/O node must be notified */
	if (!conf || (!conf->io_nodes.n && fresh && !held)) {
		slu_ions_fini(ctl);
		return;
	}
	if (fresh || ctl->ions_stale) {
		labels_free(ctl); /* reconfiguring has reset the features */
		if (arbiter_fit(ctl, n_nodes, &err) < 0 ||
		    labels_new(ctl, &conf->io_nodes) < 0)
			goto fail;
		ctl->ions_stale = false;
	}
	if (slu_arbiter_set(ctl->arbiter, running, n_running, &err) < 0)
		ctl_log(ctl, SLU_ERROR, "I/O nodes: %s", err.text);
	if (fresh &&
	    (held_before(nodes, n_nodes, running, n_running, &before) < 0 ||
	     slu_arbiter_resume(ctl->arbiter, &before, &err) < 0))
		goto fail;
	slu_ions_predict(ctl);
	slu_msg_clear(&slu_assignment_desc, &before);
	return;
fail:
	ctl_log(ctl, SLU_ERROR, "I/O nodes: %s", err.text);
	slu_msg_clear(&slu_assignment_desc, &before);
	slu_ions_fini(ctl);
}

void slu_ions_start(struct slu_ctl *ctl, const struct slu_job *job)
{
	struct slu_err err;

	if (!ctl->arbiter)
		return;
	if (slu_arbiter_start(ctl->arbiter, job, &err) < 0)
		ctl_log(ctl, SLU_ERROR, "JobId=%u: I/O nodes: %s", job->job_id,
			err.text);
	else
		predict(ctl, job);
}

void slu_ions_resize(struct slu_ctl *ctl, const struct slu_job *job)
{
	if (!ctl->arbiter || !slu_arbiter_resized(ctl->arbiter, job))
		return;
	slu_ions_start(ctl, job);
	slu_ions_changed(ctl, "resize", job->job_id);
}

void slu_ions_end(struct slu_ctl *ctl, uint32_t job_id)
{
	if (ctl->arbiter)
		slu_arbiter_end(ctl->arbiter, job_id);
}

void slu_ions_changed(struct slu_ctl *ctl, const char *what, uint32_t job_id)
{
	size_t used = strlen(ctl->ion_event);

	if (!ctl->arbiter)
		return;
	ctl->ions_dirty = true;
	snprintf(ctl->ion_event + used, sizeof(ctl->ion_event) - used,
		 job_id ? "%s%s %u" : "%s%s", used ? ", " : "", what, job_id);
}

/* Restores labels that were overwritten. */
static void show_again(struct slu_ctl *ctl)
{
	bool shown = ctl->n_labels && ctl->labels[0].feature;

	if (shown && !ctl->ops.marked(ctl->ops.arg, ctl->labels, ctl->n_labels))
		ctl->ops.mark(ctl->ops.arg, ctl->labels, ctl->n_labels);
}

double slu_ions_watch(struct slu_ctl *ctl, double now)
{
	char *down;

	if (!ctl->arbiter || !ctl->site->conf)
		return now + WATCH_EVERY;
	if (ctl->next_watch > now)
		return ctl->next_watch;
	ctl->next_watch = now + WATCH_EVERY;
	down = slu_ions_unusable(ctl);
	if (down && ctl->ions_unusable && !slu_eq(down, ctl->ions_unusable))
		slu_ions_changed(ctl, "nodes", 0);
	else
		show_again(ctl);
	free(down);
	return ctl->next_watch;
}

static void leave_out_unusable(struct slu_ctl *ctl)
{
	char *down = slu_ions_unusable(ctl);
	struct slu_hosts hosts = {0};

	if (slu_hosts_parse(down ? down : "", &hosts, NULL) == 0)
		slu_arbiter_unavailable(ctl->arbiter, &hosts);
	slu_hosts_free(&hosts);
	free(ctl->ions_unusable);
	ctl->ions_unusable = down;
}

static struct slu_ctl_node_label *mark_of(struct slu_ctl_node_label *mark,
					  size_t n, char *node)
{
	struct slu_ctl_node_label key = {.node = node};

	return bsearch(&key, mark, n, sizeof(*mark), by_node);
}

/* Adds one job to the labels of the I/O nodes that it holds, or of the one that
 * it shares, after the job that holds it. */
static void mark_share(struct slu_ctl_node_label *mark, size_t n,
		       const struct slu_ion_share *share)
{
	struct slu_hosts ions = {0};
	struct slu_ctl_node_label *m;
	char *comment;

	slu_hosts_parse(share->ions ? share->ions : "", &ions, NULL);
	for (size_t i = 0; i < ions.n; i++) {
		m = mark_of(mark, n, ions.name[i]);
		if (!m)
			continue;
		comment = slu_asprintf("%s%s%u%s",
				       m->comment ? m->comment : "sluice: ",
				       m->comment ? "," : "", share->job_id,
				       share->shared ? "*" : "");
		m->feature = share->shared || m->comment ? "ion_shared"
							 : "ion_assigned";
		free(m->comment);
		m->comment = comment;
	}
	slu_hosts_free(&ions);
}

/* Updates the labels of those nodes where the assignment has changed. */
static void show(struct slu_ctl *ctl)
{
	const struct slu_assignment *a = &ctl->assignment;
	struct slu_hosts idle = {0};
	size_t n = ctl->n_labels, changed = 0;
	struct slu_ctl_node_label *mark = calloc(n, sizeof(*mark));
	struct slu_ctl_node_label *out = calloc(n, sizeof(*out));

	slu_recruits_missing(ctl, &idle);
	for (size_t i = 0; mark && out && i < n; i++)
		mark[i] = (struct slu_ctl_node_label){
			.node = ctl->labels[i].node,
			.feature =
				slu_hosts_sorted_has(&idle, ctl->labels[i].node)
					? ""
					: "ion_free"};
	slu_hosts_free(&idle);
	for (int shared = 0; mark && out && shared <= 1; shared++)
		for (size_t i = 0; i < a->n_jobs; i++)
			if (a->jobs[i].shared == shared)
				mark_share(mark, n, &a->jobs[i]);
	for (size_t i = 0; mark && out && i < n; i++) {
		struct slu_ctl_node_label *old = &ctl->labels[i];

		if (old->feature && slu_eq(old->feature, mark[i].feature) &&
		    slu_eq(old->comment, mark[i].comment)) {
			free(mark[i].comment);
			continue;
		}
		free(old->comment);
		*old = mark[i];
		out[changed++] = mark[i];
	}
	if (changed)
		ctl->ops.mark(ctl->ops.arg, out, changed);
	free(mark);
	free(out);
}

/* Held launches wait for the first assignment that includes their job. */
static void stamp_held(struct slu_ctl *ctl, uint64_t epoch)
{
	struct slu_followed *live;

	for (size_t i = 0; (live = slu_map_next(&ctl->live, &i));)
		if (live->held && !live->epoch)
			live->epoch = epoch;
}

/* The whole assignment, or its difference to the one that was sent last. */
static int solve(struct slu_ctl *ctl, struct slu_assignment *out,
		 struct slu_err *err)
{
	if (!ctl->assignment_said)
		return slu_arbiter_solve(ctl->arbiter, out, err);
	if (slu_arbiter_changes(ctl->arbiter, out, err) < 0)
		return -1;
	out->base = ctl->epoch;
	return 0;
}

static void say(struct slu_ctl *ctl, struct slu_assignment *fresh, double now)
{
	fresh->epoch = ++ctl->epoch;
	fresh->time = time(NULL);
	fresh->event = strdup(ctl->ion_event);
	ctl->ion_event[0] = '\0';
	stamp_held(ctl, ctl->epoch);
	slu_ctl_send_assignment(ctl, fresh, now);
	ctl->assignment_said = ctl->hello_said;
}

/* Records the assignment in force; without memory the next is sent whole. */
static void keep(struct slu_ctl *ctl, struct slu_assignment *fresh)
{
	if (!fresh->base) {
		slu_msg_clear(&slu_assignment_desc, &ctl->assignment);
		ctl->assignment = *fresh;
	} else if (slu_delta_take(&ctl->assignment, fresh) < 0) {
		slu_msg_clear(&slu_assignment_desc, fresh);
		ctl->assignment_said = false;
	}
}

void slu_ions_solve(struct slu_ctl *ctl, double now)
{
	struct slu_assignment fresh = {0};
	struct slu_err err;

	if (!ctl->ions_dirty || !ctl->arbiter || now < ctl->solve_at)
		return;
	leave_out_unusable(ctl);
	slu_arbiter_clock(ctl->arbiter, time(NULL));
	if (solve(ctl, &fresh, &err) < 0) {
		ctl_log(ctl, SLU_ERROR, "I/O nodes: %s", err.text);
		slu_followed_release_all(ctl);
		ctl->solve_at = now + WATCH_EVERY; /* and try again then */
		return;
	}
	ctl->ions_dirty = false;
	say(ctl, &fresh, now);
	keep(ctl, &fresh);
	show(ctl);
}

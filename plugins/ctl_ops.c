/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Implements the queries in libsluice's table of slurmctld's functions
 * (ctl/ops.h): each holds read locks only while it copies. Each plugin has a
 * copy of this code; libsluice uses the table of the plugin that was loaded
 * first.
 */
#include "config.h"
#include "plugins/host.h"

#include "common/hostlist.h"
#include "wire/note.h"
#include "plugins/job_fields.h"
#include "plugins/limits.h"
#include "plugins/last_job_id.h"

static void host_log(void *arg, enum slu_level level, const char *line)
{
	(void)arg;
	switch (level) {
	case SLU_ERROR:
		error("sluice: %s", line);
		break;
	case SLU_WARN:
	case SLU_INFO:
		info("sluice: %s", line);
		break;
	case SLU_DEBUG:
		debug("sluice: %s", line);
		break;
	}
}

/* Is `word` one of a comma separated list, with or without "TYPE/" before? */
static bool lists(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = list; p && (p = strstr(p, word)); p += n)
		if ((p == list || p[-1] == ',' || p[-1] == '/') &&
		    (p[n] == '\0' || p[n] == ','))
			return true;
	return false;
}

static void host_settings(void *arg, struct slu_ctl_settings *out)
{
	slurmctld_lock_t lock = {.conf = READ_LOCK};
	const slurm_conf_t *c = &slurm_conf;
	uint16_t flags, timeout;

	(void)arg;
	lock_slurmctld(lock);
	flags = c->prolog_flags;
	timeout = slu_prolog_epilog_timeout(c);
	*out = (struct slu_ctl_settings){
		.prolog_alloc = flags & PROLOG_FLAG_ALLOC,
		.prolog_defer_batch = flags & PROLOG_FLAG_DEFER_BATCH,
		.prolog_serial = flags & PROLOG_FLAG_SERIAL,
		.prep_script = lists(c->prep_plugins, "script"),
		.prep_sluice = lists(c->prep_plugins, "sluice"),
		.bb_sluice = lists(c->bb_type, "sluice"),
		.job_submit_sluice = lists(c->job_submit_plugins, "sluice"),
		.node_features_sluice =
			lists(c->node_features_plugins, "sluice"),
		.prolog_epilog_timeout =
			timeout == NO_VAL16 ? UINT32_MAX : timeout,
		.batch_start_timeout = c->batch_start_timeout,
		.suspend_resume = c->suspend_timeout + c->resume_timeout,
		.resume = c->resume_timeout,
		.boot = slu_saves_power() ? c->resume_timeout : 0,
		.complete_wait = c->complete_wait,
		.job_container = slu_namespace_plugin(c) &&
				 !xstrstr(slu_namespace_plugin(c), "/none"),
	};
	snprintf(out->version, sizeof(out->version), SLU_SLURM_VERSION_FORMAT,
		 SLU_SLURM_VERSION_ARGS);
	snprintf(out->cluster, sizeof(out->cluster), "%s",
		 c->cluster_name ? c->cluster_name : "");
	unlock_slurmctld(lock);
}

struct jobs {
	struct slu_job *job;
	size_t n, cap;
};

static int copy_one(void *x, void *arg)
{
	const job_record_t *job = x;
	struct jobs *jobs = arg;

	if (jobs->n == jobs->cap ||
	    (IS_JOB_PENDING(job) && !IS_JOB_COMPLETING(job)))
		return 0;
	slu_copy_job(job, &jobs->job[jobs->n]);
	slu_copy_nodes(job, &jobs->job[jobs->n]);
	jobs->n++;
	return 0;
}

/* Are they the same up to the first dot? */
static bool alike(const char *a, const char *b)
{
	size_t n = strcspn(a, ".");

	return n == strcspn(b, ".") && strncmp(a, b, n) == 0;
}

/* node READ */
static size_t copy_nodes(struct slu_ctl_node *out)
{
	node_record_t *node;
	size_t n = 0;

	for (int i = 0; (node = next_node(&i)); i++)
		out[n++] = (struct slu_ctl_node){
			.addr = {.name = strdup(node->name),
				 .addr = strdup(node->comm_name
							? node->comm_name
							: node->name)},
			.comment = slu_ctl_comment_ours(node->comment),
			.hostname_differs =
				node->node_hostname && *node->node_hostname &&
				!alike(node->node_hostname, node->name),
		};
	return n;
}

static int host_snapshot(void *arg, struct slu_job **jobs, size_t *n_jobs,
			 struct slu_ctl_node **nodes, size_t *n_nodes,
			 struct slu_err *err)
{
	slurmctld_lock_t lock = {.job = READ_LOCK, .node = READ_LOCK};
	struct slu_ctl_node *node_copy;
	struct jobs copy = {0};

	(void)arg;
	lock_slurmctld(lock);
	copy.cap = (size_t)list_count(job_list);
	copy.job = calloc(copy.cap + 1, sizeof(*copy.job));
	node_copy = calloc((size_t)node_record_count + 1, sizeof(*node_copy));
	if (copy.job && node_copy) {
		list_for_each_ro(job_list, copy_one, &copy);
		*n_nodes = copy_nodes(node_copy);
	}
	unlock_slurmctld(lock);
	if (!copy.job || !node_copy) {
		free(copy.job);
		free(node_copy);
		return slu_err(err, SLU_NOMEM, "out of memory");
	}
	*jobs = copy.job;
	*n_jobs = copy.n;
	*nodes = node_copy;
	return 0;
}

static void host_jobs(void *arg, const uint32_t *id, size_t n,
		      struct slu_job *out)
{
	slurmctld_lock_t lock = {.job = READ_LOCK, .node = READ_LOCK};
	const job_record_t *job;

	(void)arg;
	lock_slurmctld(lock);
	for (size_t i = 0; i < n; i++)
		if ((job = find_job_record(id[i]))) {
			slu_copy_job(job, &out[i]);
			slu_copy_nodes(job, &out[i]);
		}
	unlock_slurmctld(lock);
}

/* find_node_record() would log each missing name. */
static bool is_down(char *name, bool drained)
{
	const node_record_t *node = find_node_record2(name);

	return !node || IS_NODE_DOWN(node) || (drained && IS_NODE_DRAIN(node));
}

static char *host_down(void *arg, const char *nodes, bool drained)
{
	slurmctld_lock_t lock = {.node = READ_LOCK};
	struct slu_hosts all = {0}, down;
	char *text = NULL, *name;

	(void)arg;
	if (slu_hosts_parse(nodes, &all, NULL) < 0)
		return NULL;
	down = (struct slu_hosts){.name = all.name}; /* to the front */
	lock_slurmctld(lock);
	for (size_t i = 0; i < all.n; i++)
		if (is_down(all.name[i], drained)) {
			name = all.name[i];
			all.name[i] = down.name[down.n];
			down.name[down.n++] = name;
		}
	unlock_slurmctld(lock);
	if (down.n)
		text = slu_hosts_text(&down);
	slu_hosts_free(&all);
	return text;
}

static char *host_node_addr(void *arg, const char *name)
{
	slurmctld_lock_t lock = {.node = READ_LOCK};
	const node_record_t *node;
	char *addr = NULL;

	(void)arg;
	lock_slurmctld(lock);
	node = find_node_record2((char *)name);
	if (node)
		addr = strdup(node->comm_name ? node->comm_name : node->name);
	unlock_slurmctld(lock);
	return addr;
}

/* queue_job_scheduler() would wait until batch_sched_delay after the last pass,
 * up to four seconds. */
static void host_schedule(void *arg)
{
	(void)arg;
	schedule(false); /* the first default_queue_depth jobs */
}

static void host_store_jobs(void *arg)
{
	(void)arg;
	schedule_job_save();
}

static const struct slu_ctl_ops host_ops = {
	.size = sizeof(host_ops),
	.log = host_log,
	.settings = host_settings,
	.snapshot = host_snapshot,
	.jobs = host_jobs,
	.down = host_down,
	.node_addr = host_node_addr,
	.set_end = slu_act_set_end,
	.set_ends = slu_act_set_ends,
	.limits = slu_limits,
	.set_limits = slu_limits_set,
	.hold = slu_act_hold,
	.requeue = slu_act_requeue,
	.fail = slu_act_fail,
	.cancel = slu_act_cancel,
	.complete = slu_act_complete,
	.mail = slu_act_mail,
	.send_mail = slu_act_send_mail,
	.annotate = slu_act_annotate,
	.tell_starts = slu_act_tell_starts,
	.show = slu_act_show,
	.drain = slu_act_drain,
	.resume = slu_act_resume,
	.mark = slu_node_labels_set,
	.marked = slu_node_labels_are_set,
	.relaunch = slu_act_relaunch,
	.schedule = host_schedule,
	.store_jobs = host_store_jobs,
	.pass_numbers = slu_last_job_id_pass,
	.keep_number = slu_last_job_id_keep,
};

struct slu_ctl *slu_host_acquire(const char *plugin)
{
	struct slu_ctl_ops ops = host_ops;
	struct slu_ctl *ctl;

	if (!slu_in_slurmctld())
		return NULL;
	ops.max_jobs = slurm_conf.max_job_cnt;
	ctl = slu_ctl_acquire(&ops, NULL);
	if (!ctl)
		error("sluice: %s: no memory, or libsluice is of another "
		      "release than the plugin",
		      plugin);
	else
		verbose("%s loaded, Sluice " PACKAGE_VERSION
			" for Slurm " SLU_SLURM_VERSION_FORMAT,
			plugin, SLU_SLURM_VERSION_ARGS);
	return ctl;
}

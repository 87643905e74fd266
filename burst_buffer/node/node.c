/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets up the context of a subcommand (struct slu_node): configuration, node
 * name, logs, plan. */
#include "config.h"
#include "burst_buffer/node/node.h"
#include "burst_buffer/staging/files/attrs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOG_FILE   "/var/log/sluice-node.log"
#define RENEW_TIME 5.0 /* seconds */

int slu_node_parse_job(const char *text, uint32_t *job_id)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (errno || end == text || *end || !n || n >= UINT32_MAX ||
	    text[0] == '-')
		return -1;
	*job_id = (uint32_t)n;
	return 0;
}

/* The name by which Slurm knows this node. */
static int find_name(struct slu_node *n, const char *option,
		     struct slu_err *err)
{
	const char *name = option ? option : getenv("SLURMD_NODENAME");

	if (!name) {
		if (gethostname(n->name, sizeof(n->name) - 1))
			return slu_errno(err, SLU_IO, "no host name");
		n->name[strcspn(n->name, ".")] = '\0';
		return 0;
	}
	if (!slu_copy(n->name, sizeof(n->name), name) || !*name)
		return slu_err(err, SLU_INVALID, "not a node's name: %.60s",
			       name);
	return 0;
}

/* Opens a log for appending; NULL: it cannot be written. */
static FILE *append_to(const char *path, int flags, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | flags,
		      mode);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "a");

	if (fd >= 0 && !file)
		close(fd);
	return file;
}

/* Opens the program's log, which users may not read: it names files of all
 * jobs. */
static void open_log(struct slu_node *n)
{
	const char *path = n->opt->log;

	if (!path && isatty(2))
		path = "-";
	if (!path)
		path = LOG_FILE;
	if (strcmp(path, "-"))
		n->log_file = append_to(path, 0, 0600);
	n->log = (struct slu_log){
		.fn = slu_log_to_file,
		.arg = n->log_file ? n->log_file : stderr,
		.max = SLU_INFO,
	};
}

/* NULL: *bad says why. With an older configuration *bad says why the present
 * one is not used. */
static void open_conf(struct slu_node *n, struct slu_err *bad)
{
	char *path;

	if (n->opt->strict || slu_conf_absent()) {
		n->conf =
			slu_conf_of_host(n->opt->conf_seconds, &n->origin, bad);
		return;
	}
	path = slu_conf_path();
	if (path)
		n->conf = slu_node_conf(path, bad);
	else
		slu_err(bad, SLU_NOMEM, "out of memory");
	free(path);
}

void slu_node_renew_conf(struct slu_node *n)
{
	const char *now = n->http ? slu_http_conf(n->http) : "";
	char *run_dir = strdup(n->conf->run_dir);
	struct slu_err err;
	int rc = 0;

	if (run_dir && *n->origin.from && *now && strcmp(now, n->origin.hash))
		rc = slu_conf_renew(&n->conf, &n->origin, RENEW_TIME, &err);
	if (rc > 0 && !slu_eq(run_dir, n->conf->run_dir)) {
		free(n->conf->run_dir);
		n->conf->run_dir = run_dir;
		run_dir = NULL;
	}
	if (rc < 0)
		slu_node_log(n, SLU_WARN,
			     "sluiced has a newer sluice.conf that cannot be "
			     "used here; the old one stays: %s",
			     err.text);
	else if (rc)
		slu_node_log(n, SLU_INFO, "sluice.conf was fetched from %s",
			     n->origin.from);
	free(run_dir);
}

static int set_dir(struct slu_node *n, struct slu_err *err)
{
	if ((size_t)snprintf(n->dir, sizeof(n->dir), "%s/%u", n->conf->run_dir,
			     (unsigned)n->job_id) >= sizeof(n->dir))
		return slu_err(err, SLU_INVALID, "RunDir is too long");
	return 0;
}

int slu_node_open(struct slu_node *n, const struct slu_node_options *opt,
		  struct slu_err *err)
{
	struct slu_err bad = {0};

	*n = (struct slu_node){.opt = opt, .job_id = opt->job_id};
	if (find_name(n, opt->node, err))
		return -1;
	snprintf(n->beside, sizeof(n->beside), "sluice-%u",
		 (unsigned)n->job_id);
	open_conf(n, &bad);
	open_log(n);
	if (!n->conf) {
		*err = bad;
		return -1;
	}
	if (bad.kind)
		slu_node_log(n, SLU_ERROR,
			     "the configuration of before stays: %s", bad.text);
	return set_dir(n, err);
}

int slu_node_open_job(const struct slu_node *service, uint32_t job_id,
		      struct slu_node_options *opt, struct slu_node *out,
		      struct slu_err *err)
{
	*opt = *service->opt;
	opt->job_id = job_id;
	*out = (struct slu_node){.opt = opt,
				 .job_id = job_id,
				 .conf = service->conf,
				 .log = service->log};
	slu_copy(out->name, sizeof(out->name), service->name);
	return set_dir(out, err);
}

static void forget_devices(struct slu_node *n)
{
	free(n->more);
	free(n->more_fs);
	n->more = NULL;
	n->more_fs = NULL;
	n->n_more = 0;
	n->storage = (struct slu_storage){0};
}

void slu_node_close(struct slu_node *n)
{
	slu_msg_clear(&slu_plan_desc, &n->plan);
	slu_hosts_free(&n->away);
	free(n->user_text);
	free(n->whole);
	free(n->view.node);
	forget_devices(n);
	slu_http_free(n->http);
	slu_conf_free(n->conf);
	if (n->log_file)
		fclose(n->log_file);
	if (n->job_log)
		fclose(n->job_log);
	*n = (struct slu_node){0};
}

/* Of a plan that is split, keeps only the nodes of this node's part. */
static int keep_part(struct slu_node *n, struct slu_err *err)
{
	struct slu_plan *plan = &n->plan;
	char *mine = plan->node[n->self].part;
	size_t kept = 0, self = 0;

	free(n->whole);
	n->whole = mine ? slu_plan_note(plan) : NULL;
	if (mine && !n->whole)
		return slu_err(err, SLU_NOMEM, "out of memory");
	for (size_t i = 0; i < plan->n_node; i++) {
		if (!slu_eq(plan->node[i].part, mine)) {
			slu_msg_clear(&slu_plan_node_desc, &plan->node[i]);
			continue;
		}
		self = i == n->self ? kept : self;
		plan->node[kept++] = plan->node[i];
	}
	plan->n_node = kept;
	n->self = self;
	return 0;
}

const char *slu_node_below(const struct slu_node *n)
{
	return n->driver->shared ? n->plan.node[n->self].part : n->name;
}

static int find_self(struct slu_node *n, struct slu_err *err)
{
	for (size_t i = 0; i < n->plan.n_node; i++)
		if (slu_eq(n->plan.node[i].name, n->name)) {
			n->self = i;
			return 0;
		}
	return slu_err(err, SLU_INVALID, "the plan of job %u has no node %s",
		       (unsigned)n->job_id, n->name);
}

/* The user may read the log as long as the job's directory exists, but not
 * write it, as that could fill space that other jobs need. */
static void open_job_log(struct slu_node *n)
{
	char path[PATH_MAX];

	slu_note_path(n, "log", path);
	n->job_log = append_to(path, O_NOFOLLOW, 0400);
	if (n->job_log)
		(void)slu_let_read(fileno(n->job_log), n->plan.uid);
}

/* The view borrows its members from the plan. */
static int view_used(struct slu_node *n, struct slu_err *err)
{
	const struct slu_plan *p = &n->plan;

	free(n->view.node);
	n->view = (struct slu_plan){
		.buffer = p->use,
		.job_id = p->use_job,
		.uid = p->uid,
		.gid = p->gid,
		.name = p->name,
		.fs = p->fs,
		.driver = p->driver,
		.option = p->option,
		.n_option = p->n_option,
		.secret = p->secret,
		.node = calloc(p->n_server + 1, sizeof(*p->server)),
		.n_node = p->n_server + 1,
	};
	if (!n->view.node)
		return slu_err(err, SLU_NOMEM, "out of memory");
	if (p->n_server)
		memcpy(n->view.node, p->server,
		       p->n_server * sizeof(*p->server));
	n->view.node[p->n_server] = p->node[n->self];
	n->in.plan = &n->view;
	n->in.self = p->n_server;
	snprintf(n->corner, sizeof(n->corner), "%.3900s/.use/%u.%" PRIu64,
		 n->top, (unsigned)n->job_id, p->buffer);
	n->root = n->corner;
	return 0;
}

/* Finds the storage of each device that has a part of this node's share; a node
 * that gives nothing has one, without a directory. */
static int locate_devices(struct slu_node *n, struct slu_err *err)
{
	const struct slu_plan_node *me = &n->plan.node[n->self];
	const size_t devices = slu_plan_devices(me);

	forget_devices(n);
	if (me->client)
		return 0;
	n->more = calloc(devices, sizeof(*n->more));
	n->more_fs = calloc(devices, sizeof(*n->more_fs));
	if (!n->more || !n->more_fs)
		return slu_err(err, SLU_NOMEM, "out of memory");
	n->n_more = devices - 1;
	for (size_t k = 0; k < devices; k++) {
		if (slu_storage_locate(slu_plan_device(me, k).storage,
				       n->job_id, n->plan.buffer,
				       k ? &n->more[k - 1] : &n->storage, err))
			return -1;
		if (k)
			n->more_fs[k - 1] = n->more[k - 1].fs;
	}
	return 0;
}

int slu_node_take_plan(struct slu_node *n, struct slu_plan *plan,
		       struct slu_err *err)
{
	slu_msg_clear(&slu_plan_desc, &n->plan);
	n->plan = *plan;
	*plan = (struct slu_plan){0};
	if (find_self(n, err))
		return -1;
	n->first = n->self == 0;
	if (keep_part(n, err))
		return -1;
	n->driver = slu_driver_find(n->plan.driver);
	if (!n->driver)
		return slu_err(err, SLU_INVALID,
			       "FileSystem %s: there is no driver %s on %s",
			       n->plan.fs ? n->plan.fs : "",
			       n->plan.driver ? n->plan.driver : "", n->name);
	if (locate_devices(n, err))
		return -1;
	slu_note_path(n, "wd", n->work);
	slu_note_path(n, "wd/log", n->log_dir);
	slu_note_path(n, "wd/top", n->top);
	slu_note_path(n, "mnt", n->mnt);
	slu_note_path(n, "mnt/data", n->data);
	n->in = (struct slu_instance){
		.plan = &n->plan,
		.self = n->self,
		.fs = n->storage.fs,
		.more_fs = n->more_fs,
		.work = n->work,
		.top = n->top,
		.log = n->log_dir,
		.dir = n->dir,
		.mnt = n->mnt,
		.partial = n->conf && n->conf->on_server_loss == SLU_COMPLETE,
	};
	n->root = n->driver->interposed ? n->mnt
		  : n->driver->shared	? n->top
					: n->storage.fs;
	if (n->plan.use && view_used(n, err))
		return -1;
	n->planned = true;
	if (!n->job_log)
		open_job_log(n);
	return 0;
}

bool slu_in_common(const struct slu_node *n)
{
	return n->driver->wipe && !n->plan.use;
}

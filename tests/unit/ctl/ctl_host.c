/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Implements slurmctld's functions that libsluice calls, on the array of jobs.
 */
#include "config.h"
#include "tests/unit/ctl/ctl_host.h"
#include <stdarg.h>
#include "common/hostlist.h"

pthread_mutex_t host_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t sent_lock = PTHREAD_MUTEX_INITIALIZER;

struct fake_slurmctld host;

void did(const char *fmt, ...)
{
	size_t used;
	va_list ap;

	pthread_mutex_lock(&host_lock);
	used = strlen(host.did);
	va_start(ap, fmt);
	vsnprintf(host.did + used, sizeof(host.did) - used, fmt, ap);
	va_end(ap);
	pthread_mutex_unlock(&host_lock);
}

static void fake_log(void *arg, enum slu_level level, const char *line)
{
	size_t used;

	(void)arg;
	pthread_mutex_lock(&host_lock);
	used = strlen(host.log);
	snprintf(host.log + used, sizeof(host.log) - used, "%d %s\n", level,
		 line);
	pthread_mutex_unlock(&host_lock);
}

void fake_settings(void *arg, struct slu_ctl_settings *out)
{
	(void)arg;
	*out = (struct slu_ctl_settings){
		.version = "22.05.8",
		.cluster = "toy",
		.prolog_alloc = true,
		.prolog_defer_batch = true,
		.prep_script = true,
		.prep_sluice = true,
		.bb_sluice = true,
		.job_submit_sluice = true,
		.node_features_sluice = true,
		.prolog_epilog_timeout = UINT32_MAX,
		.batch_start_timeout = 100000,
		.suspend_resume = 100000,
	};
}

static int fake_snapshot(void *arg, struct slu_job **jobs, size_t *n_jobs,
			 struct slu_ctl_node **nodes, size_t *n_nodes,
			 struct slu_err *err)
{
	(void)arg;
	(void)err;
	host.snapshots++;
	*jobs = calloc(host.n + 1, sizeof(**jobs));
	*nodes = calloc(4, sizeof(**nodes));
	*n_jobs = 0;
	pthread_mutex_lock(&host_lock);
	for (size_t i = 0; i < host.n; i++)
		if (!slu_eq(host.job[i].state, "PENDING"))
			slu_job_copy(&(*jobs)[(*n_jobs)++], &host.job[i]);
	pthread_mutex_unlock(&host_lock);
	*n_nodes = 4;
	for (int i = 0; i < 4; i++) {
		(*nodes)[i].addr.name =
			slu_asprintf(i < 2 ? "n%d" : "io%d", i % 2 + 1);
		(*nodes)[i].addr.addr =
			host.addr ? strdup(host.addr)
				  : slu_asprintf("10.0.0.%d", i + 1);
		(*nodes)[i].hostname_differs = host.hostname_differs[i];
		if (host.comment[i])
			(*nodes)[i].comment = strdup(host.comment[i]);
	}
	return 0;
}

struct slu_job *host_job(uint32_t id)
{
	for (size_t i = 0; i < host.n; i++)
		if (host.job[i].job_id == id)
			return &host.job[i];
	return NULL;
}

static void fake_jobs(void *arg, const uint32_t *id, size_t n,
		      struct slu_job *out)
{
	(void)arg;
	pthread_mutex_lock(&host_lock);
	for (size_t i = 0; i < n; i++)
		if (host_job(id[i]))
			slu_job_copy(&out[i], host_job(id[i]));
	pthread_mutex_unlock(&host_lock);
}

static char *fake_down(void *arg, const char *nodes, bool drained)
{
	struct slu_hosts all = {0}, down = {0}, both = {0};
	char *text;

	(void)arg;
	(void)drained;
	slu_hosts_parse(nodes, &all, NULL);
	slu_hosts_parse(host.down ? host.down : "", &down, NULL);
	for (size_t i = 0; i < all.n; i++)
		if (slu_hosts_find(&down, all.name[i]) >= 0)
			slu_hosts_add(&both, all.name[i]);
	text = both.n ? slu_hosts_text(&both) : NULL;
	slu_hosts_free(&all);
	slu_hosts_free(&down);
	slu_hosts_free(&both);
	return text;
}

static int fake_set_end(void *arg, const struct slu_ctl_end *end, int64_t max,
			struct slu_err *err)
{
	(void)arg;
	if (!host_job(end->job_id))
		return slu_err(err, SLU_NOTFOUND, "JobId=%u does not exist",
			       end->job_id);
	did("set_end %u %s;", end->job_id, end->final ? "final" : "ahead");
	host.give_back = end->give_back;
	host.max_give_back = max;
	host.since = end->start;
	host.final = end->final;
	return 0;
}

static bool fake_set_ends(void *arg, const struct slu_ctl_end *end, size_t n,
			  int64_t max)
{
	ck_assert(n && n <= SLU_CTL_ENDS);
	host.end_calls++;
	host.ends_set += n;
	for (size_t i = 0; i < n; i++)
		fake_set_end(arg, &end[i], max, NULL);
	return host.suspended;
}

static int fake_limits(void *arg, int64_t now, struct slu_ctl_limit **out,
		       size_t *n, struct slu_err *err)
{
	(void)arg;
	(void)now;
	if (host.limits_fail)
		return slu_err(err, SLU_NOMEM, "out of memory");
	pthread_mutex_lock(&host_lock);
	*out = calloc(host.n_limit + 1, sizeof(**out));
	memcpy(*out, host.limit, host.n_limit * sizeof(**out));
	*n = host.n_limit;
	pthread_mutex_unlock(&host_lock);
	return 0;
}

/* As slurmctld does: an extended one is not ours any more. */
static void fake_set_limit(struct slu_ctl_put *put)
{
	pthread_mutex_lock(&host_lock);
	for (size_t i = 0; i < host.n_limit && !put->done; i++) {
		struct slu_ctl_limit *l = &host.limit[i];

		if (l->job_id != put->job_id)
			continue;
		l->limit = put->whole ? l->whole : l->tight;
		if (l->running)
			*l = host.limit[--host.n_limit];
		put->late = host.late;
		put->done = true;
	}
	pthread_mutex_unlock(&host_lock);
	if (put->done)
		did("limit %u %s;", put->job_id,
		    put->whole ? "whole" : "tight");
}

static void fake_set_limits(void *arg, struct slu_ctl_put *put, size_t n)
{
	(void)arg;
	host.limit_calls++;
	for (size_t i = 0; i < n; i++)
		fake_set_limit(&put[i]);
}

static int fake_verdict(const char *what, uint32_t job_id, const char *why,
			struct slu_err *err)
{
	if (host.ends)
		return slu_err(err, SLU_BUSY, "it ends");
	if (!host_job(job_id))
		return slu_err(err, SLU_NOTFOUND, "JobId=%u does not exist",
			       job_id);
	did("%s %u %s;", what, job_id, why ? why : "-");
	return 0;
}

static int fake_hold(void *arg, const struct slu_verdict *verdict,
		     struct slu_err *err)
{
	const struct slu_job *job = host_job(verdict->job_id);

	(void)arg;
	if (job && !verdict->pending && job->restarts != verdict->restarts)
		return 1;
	return fake_verdict("hold", verdict->job_id, verdict->reason, err);
}

static int fake_requeue(void *arg, const struct slu_verdict *verdict,
			struct slu_err *err)
{
	(void)arg;
	return fake_verdict("requeue", verdict->job_id, verdict->reason, err);
}

static int fake_fail(void *arg, const struct slu_verdict *verdict,
		     struct slu_err *err)
{
	(void)arg;
	return fake_verdict("fail", verdict->job_id, verdict->reason, err);
}

static int fake_cancel(void *arg, const struct slu_verdict *verdict,
		       struct slu_err *err)
{
	(void)arg;
	return fake_verdict("cancel", verdict->job_id, verdict->reason, err);
}

static int fake_complete(void *arg, const struct slu_verdict *verdict,
			 struct slu_err *err)
{
	(void)arg;
	return fake_verdict("complete", verdict->job_id, verdict->reason, err);
}

/* Users want what host.mail says; its NULLs are filled in. */
static int fake_mail(void *arg, const struct slu_verdict *verdict, bool staged,
		     struct slu_ctl_mail *out)
{
	const struct slu_ctl_mail *m = &host.mail;

	(void)arg;
	if (!host.wants_mail)
		return 1;
	*out = (struct slu_ctl_mail){
		.job_id = verdict->job_id,
		.array_job_id = m->array_job_id,
		.program = strdup(m->program ? m->program : "/bin/mail"),
		.to = strdup(m->to ? m->to : "ann"),
		.kind = strdup(m->kind	? m->kind
			       : staged ? "Staged out"
					: "Failed"),
		.subject = strdup(verdict->reason),
	};
	return 0;
}

static int fake_send_mail(void *arg, const struct slu_ctl_mail *mail,
			  struct slu_err *err)
{
	size_t n;

	(void)arg;
	pthread_mutex_lock(&sent_lock);
	n = strlen(host.sent);
	snprintf(host.sent + n, sizeof(host.sent) - n, "%u %s %s: %s;",
		 mail->job_id, mail->to, mail->kind, mail->subject);
	pthread_mutex_unlock(&sent_lock);
	return host.mail_fails ? slu_err(err, SLU_IO, "no spool") : 0;
}

static int fake_annotate(void *arg, uint32_t job_id, const char *text,
			 struct slu_err *err)
{
	(void)arg;
	return fake_verdict("annotate", job_id, text, err);
}

static void fake_tell_starts(void *arg, const struct slu_start_told *starts,
			     size_t n)
{
	(void)arg;
	for (size_t i = 0; i < n; i++)
		did("start %u %s;", starts[i].job_id, starts[i].text);
	did("%zu starts;", n);
}

static void fake_show(void *arg, uint32_t job_id, const char *text)
{
	(void)arg;
	did("show %u %s;", job_id, text);
}

static int fake_drain(void *arg, const char *node, const char *why,
		      struct slu_err *err)
{
	(void)arg;
	(void)err;
	did("drain %s %s;", node, why);
	return 0;
}

static int fake_resume(void *arg, const char *node, struct slu_err *err)
{
	(void)arg;
	(void)err;
	did("resume %s;", node);
	return 0;
}

static void fake_mark(void *arg, const struct slu_ctl_node_label *mark,
		      size_t n)
{
	(void)arg;
	for (size_t i = 0; i < n; i++)
		did("mark %s %s %s;", mark[i].node, mark[i].feature,
		    mark[i].comment ? mark[i].comment : "-");
}

static bool fake_marked(void *arg, const struct slu_ctl_node_label *mark,
			size_t n)
{
	(void)arg;
	for (size_t i = 0; i < n; i++)
		ck_assert(mark[i].node && mark[i].feature);
	return !host.marks_lost;
}

/* SLU_BUSY while the fake job's state says PROLOG. */
static int fake_relaunch(void *arg, uint32_t job_id, struct slu_err *err)
{
	(void)arg;
	if (host_job(job_id) && slu_eq(host_job(job_id)->state, "PROLOG"))
		return slu_err(err, SLU_BUSY, "prolog");
	return fake_verdict("launch", job_id, NULL, err);
}

static uint32_t fake_pass_numbers(void *arg)
{
	(void)arg;
	did("pass;");
	return 0;
}

static void fake_keep_number(void *arg, uint32_t last)
{
	(void)arg;
	did("keep %u;", last);
}

static char *fake_node_addr(void *arg, const char *node)
{
	(void)arg;
	return *node == 'n' ? slu_asprintf("%s-addr", node) : NULL;
}

static void fake_schedule(void *arg)
{
	(void)arg;
	host.passes++;
}

static void fake_store_jobs(void *arg)
{
	(void)arg;
	host.stores++;
}

void fake_prolog_done(int rc, uint32_t job_id, bool timed_out)
{
	ck_assert(rc == 0 && !timed_out);
	did("go %u;", job_id);
}

const struct slu_ctl_ops fake_ops = {
	.size = sizeof(fake_ops),
	.log = fake_log,
	.settings = fake_settings,
	.snapshot = fake_snapshot,
	.jobs = fake_jobs,
	.down = fake_down,
	.node_addr = fake_node_addr,
	.set_end = fake_set_end,
	.set_ends = fake_set_ends,
	.limits = fake_limits,
	.set_limits = fake_set_limits,
	.hold = fake_hold,
	.requeue = fake_requeue,
	.fail = fake_fail,
	.cancel = fake_cancel,
	.complete = fake_complete,
	.mail = fake_mail,
	.send_mail = fake_send_mail,
	.annotate = fake_annotate,
	.tell_starts = fake_tell_starts,
	.show = fake_show,
	.drain = fake_drain,
	.resume = fake_resume,
	.mark = fake_mark,
	.marked = fake_marked,
	.relaunch = fake_relaunch,
	.schedule = fake_schedule,
	.store_jobs = fake_store_jobs,
	.pass_numbers = fake_pass_numbers,
	.keep_number = fake_keep_number,
};

bool has_done(const char *what)
{
	bool has;

	pthread_mutex_lock(&host_lock);
	has = strstr(host.did, what) != NULL;
	pthread_mutex_unlock(&host_lock);
	return has;
}

void forget(void)
{
	host.did[0] = '\0';
}

struct slu_job *host_add(struct slu_job job)
{
	ck_assert(host.n < 32);
	slu_job_copy(&host.job[host.n], &job);
	return &host.job[host.n++];
}

void set_text(char **at, const char *text)
{
	free(*at);
	*at = text ? strdup(text) : NULL;
}

void say_started(struct slu_ctl *ctl, uint32_t id, bool *held)
{
	struct slu_job copy;

	slu_job_copy(&copy, host_job(id));
	*held = slu_ctl_started(ctl, &copy);
}

void say_ended(struct slu_ctl *ctl, uint32_t id)
{
	struct slu_job copy;

	slu_job_copy(&copy, host_job(id));
	slu_ctl_ended(ctl, &copy);
}

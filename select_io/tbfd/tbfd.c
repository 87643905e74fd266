/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Main loop of sluice-tbfd: in each period it reads job_stats, has the
 * controller decide, and writes rules; less often it reads the rules and the
 * jobs' nodes, and saves the state. An error of Lustre does not end the daemon:
 * it is logged once, and retried.
 */
#include "config.h"
#include "select_io/tbfd/tbfd.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>
#include "common/clock.h"
#include "common/file.h"
#include "common/jsonx.h"

#define COST 19 /* sleep for at least COST times a period's CPU time: 5 % */

/* Sources of errors; several may persist at the same time. */
enum { STATS, RULES, NODES, FILES, COMPLAINTS };

struct tbfd {
	const struct slu_tbfd_options *opt;
	struct slu_lustre *lustre;
	const struct slu_log *log;
	struct slu_tbf *tbf;
	struct slu_jobstats stats;
	struct slu_rules rules;
	struct slu_buf text;
	struct slu_tbfd_nodes nodes;
	char policy_before[SLU_POLICY_SIZE];
	char complaint[COMPLAINTS][SLU_ERR_TEXT]; /* the last logged error */
	double commands, refused;
	double synced;
	bool ready;	/* our policy is set and its rules are known */
	double heard;	/* last time that job_stats could be read */
	double alive;	/* last time that systemd was notified */
	double crowded; /* last time that too many jobs were logged */
	int signals;
};

static double unix_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Logs an error once, however often it occurs. */
static void complain(struct tbfd *d, int of, const struct slu_err *err)
{
	if (strcmp(d->complaint[of], err->text) == 0)
		return;
	slu_log(d->log, SLU_WARN, "%s", err->text);
	slu_copy(d->complaint[of], SLU_ERR_TEXT, err->text);
}

/* Reads the rules; sets our policy if another one is in force. */
static int read_rules(struct tbfd *d, struct slu_err *err)
{
	const char *wanted = slu_tbf_policy(d->tbf);
	char policy[SLU_POLICY_SIZE];

	if (d->lustre->policies(d->lustre, &d->text, err))
		return -1;
	slu_policy_parse(d->text.data, policy);
	/* the saved policy is of a former start, unless it is still in force */
	if (!*d->policy_before ||
	    (isinf(d->synced) && !slu_policy_is_ours(policy)))
		slu_copy(d->policy_before, sizeof(d->policy_before), policy);
	if (d->opt->dry_run && d->synced > 0)
		return 0; /* with --dry-run no rules were written */
	if (strcmp(policy, wanted) != 0) {
		if (d->opt->dry_run) {
			printf("nrs_policies=%s\n", wanted);
			return 0;
		}
		slu_log(d->log, SLU_INFO, "policy \"%s\" becomes \"%s\"",
			policy, wanted);
		if (d->lustre->set_policy(d->lustre, wanted, err))
			return slu_err_prefix(err, "nrs_policies=%s%s", wanted,
					      strcmp(wanted, "tbf projid")
						      ? ""
						      : " (of Lustre 2.17)");
	}
	if (d->lustre->rules(d->lustre, &d->text, err) ||
	    slu_rules_parse(&d->rules, d->text.data, err))
		return -1;
	return slu_tbf_reconcile(d->tbf, &d->rules, err);
}

static int take_nodes(struct tbfd *d, const struct slu_buf *text,
		      const char *from, struct slu_err *err)
{
	const char *table = text->data ? text->data : "";

	return slu_tbf_set_nodes(d->tbf, table, err)
		       ? slu_err_prefix(err, "%s", from)
		       : 0;
}

static void read_nodes(struct tbfd *d, double t)
{
	const struct slu_tbfd_options *o = d->opt;
	struct slu_buf text = {0};
	struct slu_err err;

	if (o->nodes) {
		if (slu_file_read(AT_FDCWD, o->nodes, SLU_TBFD_STATE_MAX, &text,
				  &err) ||
		    take_nodes(d, &text, o->nodes, &err))
			complain(d, NODES, &err);
	}
	if (o->nodes_command &&
	    slu_tbfd_nodes_start(&d->nodes, o->nodes_command, t, &err))
		complain(d, NODES, &err);
	slu_buf_free(&text);
}

static int end_nodes(struct tbfd *d, double t, struct slu_err *err)
{
	struct slu_buf text = {0};
	int ret = slu_tbfd_nodes_done(&d->nodes, t, &text, err);

	if (ret > 0)
		ret = take_nodes(d, &text, d->opt->nodes_command, err);
	else if (ret < 0)
		slu_err_prefix(err, "%s", d->opt->nodes_command);
	slu_buf_free(&text);
	return ret;
}

static struct json_object *state_of(const struct tbfd *d)
{
	struct json_object *state = slu_tbf_save(d->tbf, slu_now_mono());

	slu_json_set_double(state, "saved", unix_time());
	slu_json_set_str(state, "policy_before", d->policy_before);
	slu_json_set_double(state, "commands", d->commands);
	slu_json_set_double(state, "refused", d->refused);
	return state;
}

static void save(struct tbfd *d)
{
	struct json_object *state = state_of(d);
	const char *text = slu_json_text(state);
	struct slu_buf metrics = {0};
	struct slu_err err;

	if (d->opt->state && !d->opt->dry_run &&
	    slu_file_write(AT_FDCWD, d->opt->state, text, strlen(text), 0600,
			   false, &err))
		complain(d, FILES, &err);
	if (d->opt->metrics && !d->opt->dry_run) {
		slu_tbfd_metrics(state, &metrics);
		if (slu_file_write(AT_FDCWD, d->opt->metrics, metrics.data,
				   metrics.len, 0644, false, &err))
			complain(d, FILES, &err);
	}
	slu_buf_free(&metrics);
	json_object_put(state);
}

static void load(struct tbfd *d)
{
	struct slu_err err;
	struct json_object *state;
	const char *before = NULL;

	if (!d->opt->state)
		return;
	state = slu_tbfd_read_state(d->opt->state, &err);
	if (!state) {
		if (err.kind != SLU_NOTFOUND)
			complain(d, FILES, &err);
		return;
	}
	slu_tbf_load(d->tbf, state, slu_now_mono());
	if (!d->opt->nodes && !d->opt->nodes_command)
		slu_tbf_set_nodes(d->tbf, "", NULL); /* no end will be told */
	slu_json_str_opt(state, "policy_before", &before, NULL);
	if (before)
		slu_copy(d->policy_before, sizeof(d->policy_before), before);
	json_object_put(state);
}

static void look_at_rules(struct tbfd *d)
{
	struct slu_err err;

	d->ready = true;
	if (read_rules(d, &err) == 0)
		return;
	complain(d, RULES, &err);
	d->ready = d->opt->dry_run; /* which prints what would be written */
}

/* Rules and nodes are not read in every period. */
static void sync_now(struct tbfd *d, double t)
{
	look_at_rules(d);
	read_nodes(d, t);
	d->synced = t;
}

/* True: a signal ends the daemon. */
static bool wait_until(struct tbfd *d, double t)
{
	struct pollfd fd = {.fd = d->signals, .events = POLLIN};
	double left;

	while ((left = t - slu_now_mono()) > 0)
		if (poll(&fd, 1, (int)ceil(fmin(left, 3600) * 1000)) > 0)
			return true;
	return poll(&fd, 1, 0) > 0;
}

/* Writes what has changed. After a refusal the rules have to be read again.
 * After an lctl that hangs no other one is started. */
static void write_rules(struct tbfd *d, double t)
{
	struct slu_err err = {0};
	const char *command;
	bool refused = false;

	while (d->ready && err.kind != SLU_TIMEOUT && !wait_until(d, 0) &&
	       (command = slu_tbf_command(d->tbf, t))) {
		if (!d->opt->once)
			slu_tbfd_alive(&d->alive, slu_now_mono());
		slu_log(d->log, SLU_DEBUG, "%s", command);
		d->commands++;
		if (d->opt->dry_run) {
			printf("nrs_tbf_rule=%s\n", command);
			continue;
		}
		if (d->lustre->set_rule(d->lustre, command, &err) == 0)
			continue;
		d->refused++;
		if (!refused) /* only the first is logged */
			complain(d, RULES, &err);
		refused = true;
	}
	if (refused)
		d->ready = false;
}

/* Logs once an hour that job ids are forged, or the node table is missing. */
static void note_crowd(struct tbfd *d, double t)
{
	if (slu_tbf_crowd(d->tbf) == 0 || t - d->crowded < 3600)
		return;
	d->crowded = t;
	slu_log(d->log, SLU_WARN,
		"%zu jobs have no rules of their own, as only %d are "
		"remembered without a table of nodes, or their ids do not "
		"fit into a rule: %s",
		slu_tbf_crowd(d->tbf), SLU_TBF_UNLISTED,
		d->opt->set.class_key ? "their I/O is charged to no class"
				      : "each gets the share of one node");
}

static int observe(struct tbfd *d, double t, struct slu_err *err)
{
	return d->lustre->job_stats(d->lustre, &d->stats, err) ||
			       slu_tbf_observe(d->tbf, t, &d->stats, err)
		       ? -1
		       : 0;
}

/* -1: job_stats could not be read. */
static int cycle(struct tbfd *d, struct slu_err *why)
{
	double t = slu_now_mono();
	struct slu_err err;
	int ret = 0;
	bool due = t - d->synced >= d->opt->resync;

	if (end_nodes(d, t, &err))
		complain(d, NODES, &err);
	if (observe(d, t, &err) == 0) {
		d->heard = t;
		note_crowd(d, t);
	} else {
		complain(d, STATS, &err);
		ret = slu_err(why, err.kind, "%s", err.text);
		if (t - d->heard <= d->opt->set.linger)
			return ret;
		slu_tbf_pause(d->tbf); /* rules are not updated meanwhile */
	}
	if (due)
		sync_now(d, t);
	else if (!d->ready)
		look_at_rules(d);
	write_rules(d, t);
	if (due) /* with the new limits */
		save(d);
	fflush(stdout);
	return ret;
}

/* Waits for the node table that the first period has requested. */
static int await_nodes(struct tbfd *d, struct slu_err *err)
{
	while (d->nodes.pid > 0) {
		if (wait_until(d, slu_now_mono() + 0.02))
			return slu_err(err, SLU_TIMEOUT, "told to stop");
		if (end_nodes(d, slu_now_mono(), err))
			return -1;
	}
	return 0;
}

/* --once: two readings, and the resulting commands. */
static int once(struct tbfd *d, struct slu_err *err)
{
	if (cycle(d, err))
		return -1;
	wait_until(d, slu_now_mono() + d->opt->period);
	return await_nodes(d, err) ? -1 : cycle(d, err);
}

static int watch_signals(struct tbfd *d, struct slu_err *err)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	d->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return d->signals < 0 ? slu_errno(err, SLU_IO, "signalfd") : 0;
}

/* Starts the guard, which waits for the end of the daemon and then cleans up.
 * It does not get signals that are sent to the daemon's process group. */
static int start_guard(struct tbfd *d, struct slu_err *err)
{
	struct slu_err why;
	int fd[2];
	char byte;
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC) < 0)
		return slu_errno(err, SLU_IO, "pipe");
	pid = fork();
	if (pid < 0)
		return slu_errno(err, SLU_IO, "fork");
	if (pid > 0) { /* the pipe's writing end stays open until we end */
		close(fd[0]);
		return 0;
	}
	setsid();
	prctl(PR_SET_NAME, "sluice-tbfd-grd");
	close(fd[1]);
	close(d->signals);
	while (read(fd[0], &byte, 1) < 0 && errno == EINTR)
		;
	if (slu_tbfd_clean(d->opt, d->lustre, d->log, &why) == 0)
		_exit(0);
	if (why.kind == SLU_BUSY)
		slu_log(d->log, SLU_INFO, "rules are left alone: %s", why.text);
	else
		slu_log(d->log, SLU_ERROR, "rules are left behind: %s",
			why.text);
	_exit(0);
}

static double spent(int who)
{
	struct rusage use;

	getrusage(who, &use);
	return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
	       (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1e-6;
}

/* Our CPU time and that of lctl, in which Lustre formats job_stats. */
static double cpu_time(void)
{
	return spent(RUSAGE_SELF) + spent(RUSAGE_CHILDREN);
}

static int loop(struct tbfd *d)
{
	double next = slu_now_mono(), cost;

	do {
		cost = cpu_time();
		cycle(d, NULL);
		slu_tbfd_alive(&d->alive, slu_now_mono());
		cost = cpu_time() - cost;
		next = fmax(next + d->opt->period,
			    slu_now_mono() + COST * cost);
	} while (!wait_until(d, next));
	return 0;
}

static int set_rates(struct tbfd *d, struct slu_err *err)
{
	const struct slu_tbfd_options *o = d->opt;

	for (size_t i = 0; i < o->n_target_rates; i++) {
		const char *equals = strchr(o->target_rate[i], '=');
		char *name = strndup(o->target_rate[i],
				     (size_t)(equals - o->target_rate[i]));
		double rate;
		bool bytes;
		int ret = name ? slu_tbfd_rate(equals + 1, &rate, &bytes, err)
			       : slu_err(err, SLU_NOMEM, "rates");

		if (ret == 0)
			ret = slu_tbf_set_rate(d->tbf, name, rate, err);
		free(name);
		if (ret)
			return -1;
	}
	return 0;
}

/* Two daemons would stop each other's rules. */
static int be_alone(struct tbfd *d, struct slu_err *err)
{
	struct slu_err why;

	if (d->opt->dry_run || slu_tbfd_lock(d->opt->state, &why) >= 0)
		return 0; /* the lock file stays open */
	if (why.kind == SLU_BUSY)
		return slu_err(err, SLU_BUSY, "%s", why.text);
	complain(d, FILES, &why);
	return 0;
}

static void stop(struct tbfd *d)
{
	struct slu_err err;

	save(d);
	if (d->opt->dry_run)
		slu_log(d->log, SLU_INFO,
			"dry run: %zu targets and %zu records of jobs read, "
			"%.0f commands for rules printed, nothing written",
			d->stats.n_targets, d->stats.n, d->commands);
	if (!d->opt->dry_run && !d->opt->once &&
	    slu_tbfd_clean(d->opt, d->lustre, d->log, &err))
		complain(d, RULES, &err);
}

int slu_tbfd_run(const struct slu_tbfd_options *options,
		 struct slu_lustre *lustre, const struct slu_log *log,
		 struct slu_err *err)
{
	struct tbfd d = {
		.opt = options,
		.lustre = lustre,
		.log = log,
		.synced = -INFINITY,
		.alive = -INFINITY,
		.crowded = -INFINITY,
		.heard = slu_now_mono(),
		.signals = -1,
	};
	int ret = -1;

	d.tbf = slu_tbf_new(&options->set, err);
	if (!d.tbf || set_rates(&d, err) || be_alone(&d, err) ||
	    watch_signals(&d, err))
		goto out;
	load(&d);
	if (!options->dry_run && !options->once && start_guard(&d, err))
		goto out;
	slu_tbfd_alive(&d.alive, slu_now_mono());
	if (options->once)
		ret = once(&d, err);
	else
		ret = loop(&d);
	stop(&d);
out:
	slu_tbf_free(d.tbf);
	slu_jobstats_free(&d.stats);
	slu_rules_free(&d.rules);
	slu_buf_free(&d.text);
	if (d.signals >= 0)
		close(d.signals);
	return ret;
}

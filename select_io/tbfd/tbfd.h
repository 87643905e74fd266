/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_TBFD_TBFD_H
#define SLU_SELECT_IO_TBFD_TBFD_H

/*
 * The daemon sluice-tbfd, around the controller (select_io/tbf/controller.h):
 * reads statistics, writes rules, stores state, reports to sluiced. A second
 * process, the guard, waits for the daemon's end, of any kind, and then stops
 * our rules, so that no job stays throttled by rules that are not updated any
 * more.
 */

#include <sys/types.h>
#include "common/log.h"
#include "common/str.h"
#include "select_io/tbf/controller.h"
#include "select_io/tbfd/lustre/lustre_access.h"

#define SLU_TBFD_EXEMPT_MAX 32
#define SLU_TBFD_RATES_MAX  64

struct slu_tbfd_options {
	struct slu_tbf_settings set;
	const char *exempt[SLU_TBFD_EXEMPT_MAX + 1];
	/* "TARGET=RATE", which slu_tbfd_rate() takes, of the unit of --rate */
	const char *target_rate[SLU_TBFD_RATES_MAX];
	size_t n_exempt, n_target_rates;
	double period;	     /* seconds */
	double resync;	     /* seconds between readings of the rules, of the
			      * nodes and writings of the state */
	const char *state;   /* file; NULL: none */
	const char *metrics; /* file for a textfile collector; NULL: none */
	const char *nodes;   /* file; NULL: none */
	const char *nodes_command; /* NULL: none */
	bool dry_run, once;
};

/* Run until SIGTERM or SIGINT (or, once, for one period). Commands of a dry
 * run go to standard output. */
int slu_tbfd_run(const struct slu_tbfd_options *options,
		 struct slu_lustre *lustre, const struct slu_log *log,
		 struct slu_err *err);

/* rule_cleanup.c: stop all rules of ours, and put back the policy that was
 * there before us when the state tells it and ours is in force. Takes some
 * seconds when Lustre refuses. SLU_BUSY: a daemon runs, which looks after them.
 * In a dry run what would be written goes to standard output. */
int slu_tbfd_clean(const struct slu_tbfd_options *options,
		   struct slu_lustre *lustre, const struct slu_log *log,
		   struct slu_err *err);

/* rules_lock.c, a lock file beside the state. The first function takes the
 * daemon's lock for its whole life: returns a descriptor to be kept open;
 * SLU_BUSY: another daemon runs, or another process has been cleaning up for
 * long. The second takes the lock for a clean-up: returns a descriptor for
 * close(), which also releases the process's share of the daemon's lock;
 * SLU_BUSY: another process cleans up, or a daemon runs. Other errors: locks do
 * not work there. */
int slu_tbfd_lock(const char *state, struct slu_err *err);
int slu_tbfd_lock_for_clean_up(const char *state, struct slu_err *err);
/* The process id of the daemon that holds the lock; 0: no daemon is known to
 * run. */
pid_t slu_tbfd_running(const char *state);

#define SLU_TBFD_STATE_MAX (64u << 20)
/* Reads the state that the daemon has saved in this file. Caller puts; NULL:
 * there is none. */
struct json_object *slu_tbfd_read_state(const char *path, struct slu_err *err);

/* rate_option.c: "500" RPCs a second or "2GB/s", from one token a second on, as
 * tokens a second (controller.h). SLU_INVALID says what would be right. */
int slu_tbfd_rate(const char *text, double *tokens, bool *bytes,
		  struct slu_err *err);

/* class_option.c: converts "job", "uid", "gid" or "project" to class_key
 * (controller.h); and checks that the exemptions are possible with this
 * class. */
int slu_tbfd_class(const char *word, const char **key, struct slu_err *err);
int slu_tbfd_exemptions(const struct slu_tbfd_options *o, struct slu_err *err);

/* Watch for so many seconds: the most RPCs a second that each target served, as
 * comments "# TARGET RATE", and RATES="--rate ..." for the unit; as a comment
 * also that in bytes a second. SLU_NOTFOUND: none served any, SLU_INVALID: more
 * differ than --target-rate may say; the comments are there. */
int slu_tbfd_measure(struct slu_lustre *lustre, double seconds,
		     struct slu_buf *out, struct slu_err *err);

/* systemd_notify.c: reports to systemd, as often as it requires, that the
 * daemon is alive; *last is the time of the last report, at first -INFINITY. */
void slu_tbfd_alive(double *last, double now);

/* tbfd_status.c: formats a saved state, as a table for people; as metrics for
 * Prometheus. */
int slu_tbfd_status(struct json_object *state, double now, struct slu_buf *out,
		    struct slu_err *err);
void slu_tbfd_metrics(struct json_object *state, struct slu_buf *out);

/* job_nodes.c: a command that prints "JOBID NODES" lines, run beside the loop.
 */
struct slu_tbfd_nodes {
	pid_t pid; /* 0: none runs */
	int fd;
	double since;
};
/* Starts the command unless it runs already. No shell: words are split at
 * blanks. */
int slu_tbfd_nodes_start(struct slu_tbfd_nodes *nodes, const char *command,
			 double now, struct slu_err *err);
/* 1: the command has succeeded, *out is its output; 0: it still runs, or was
 * not started. */
int slu_tbfd_nodes_done(struct slu_tbfd_nodes *nodes, double now,
			struct slu_buf *out, struct slu_err *err);

#endif

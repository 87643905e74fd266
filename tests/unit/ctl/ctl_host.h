/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_CTL_HOST_H
#define SLU_TESTS_CTL_HOST_H

/*
 * Simulates slurmctld for tests of libsluice: an array of jobs, and a record of
 * what was done to them. If libsluice runs its own thread, the test holds
 * host_lock while it changes them.
 */

#include <pthread.h>
#include "common/str.h"
#include "ctl/ctl.h"
#include "tests/unit/harness.h"

extern pthread_mutex_t host_lock;
extern pthread_mutex_t sent_lock; /* of the mail that was sent */

struct fake_slurmctld {
	struct slu_job job[32];
	size_t n;
	const char *down;	  /* host list */
	const char *addr;	  /* of all nodes; NULL: 10.0.0.x */
	const char *comment[4];	  /* of the nodes */
	bool hostname_differs[4]; /* the same */
	char log[65536];	  /* what was logged */
	char did[65536];	  /* what was done, "hold 7 why;" and so on */
	bool marks_lost;	  /* somebody has overwritten them */
	int snapshots, passes, stores;
	int64_t give_back, max_give_back, since;
	size_t end_calls, ends_set; /* calls of set_ends, and jobs in them */
	bool final;
	bool suspended;		       /* one of those of set_ends is */
	struct slu_ctl_limit limit[8]; /* limits that are ours */
	size_t n_limit;
	bool limits_fail;
	int limit_calls;	     /* of set_limits */
	bool wants_mail, mail_fails; /* users want it; it cannot be sent */
	struct slu_ctl_mail mail;    /* what it says */
	char sent[65536];	     /* under sent_lock */
	bool ends; /* its state has been saved for the last time */
	struct slu_ctl_late late; /* what an extension is said to cost */
};
extern struct fake_slurmctld host;

void did(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void fake_settings(void *arg, struct slu_ctl_settings *out);
struct slu_job *host_job(uint32_t id);
void fake_prolog_done(int rc, uint32_t job_id, bool timed_out);

extern const struct slu_ctl_ops fake_ops;

/* Has the host done this since the last forget()? */
bool has_done(const char *what);
void forget(void);

/* A copy of a literal job. */
struct slu_job *host_add(struct slu_job job);
void set_text(char **at, const char *text);

/* What the plugins say. */
void say_started(struct slu_ctl *ctl, uint32_t id, bool *held);
void say_ended(struct slu_ctl *ctl, uint32_t id);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_CTL_FAKE_H
#define SLU_TESTS_CTL_FAKE_H

/*
 * Simulates slurmctld and sluiced for tests of libsluice: the first is an array
 * of jobs and a record of what was done to them, the second an end of the
 * control socket. The test calls the event loop itself, with a simulated clock.
 */

#include "ctl/jobs/running/events.h"
#include "ctl/jobs/running/followed.h"
#include "ctl/jobs/running/limit_guard.h"
#include "ctl/jobs/pending/persistent_state.h"
#include "ctl/private.h"
#include "ctl/thread.h"
#include "tests/unit/ctl/ctl_host.h"

/* sluiced's end */
struct fake_daemon {
	int listen, fd;
	struct slu_buf in;
	uint64_t id;
};
extern struct fake_daemon daemon_end;

void daemon_listen(void);
bool daemon_accept(void);
void daemon_hang_up(void);
void daemon_say(const struct slu_desc *desc, const void *msg);
/* A row of the history. */
void daemon_tell(const struct slu_history_row *row);

/* The next message of this type, skipping others; NULL: there is none now.
 * Free with slu_msg_free. */
void *daemon_hear(const struct slu_desc *want);
bool daemon_heard(const struct slu_desc *want);

/* sluice.conf in tmpdir(), with these lines too. */
void write_conf(const char *more);

/* An object whose thread is the test. */
struct slu_ctl *ctl_by_hand(const char *conf);

/* Turn the loop until the users that sluice.conf names have been asked for. */
void users_asked(struct slu_ctl *ctl, double now);

/* Connect and greet at time `now`. */
void link_up(struct slu_ctl *ctl, double now);

/* A job that runs on both nodes, and one like it that asks for a buffer; its
 * end (completing: the nodes on which its epilogs are still to come, or NULL).
 */
extern const struct slu_job plain_job;
struct slu_job with_buffer(uint32_t id);
void end_job(uint32_t id, const char *state, const char *completing);

#endif

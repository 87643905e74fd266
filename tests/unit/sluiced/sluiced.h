/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_SLUICED_H
#define SLU_TESTS_SLUICED_H

/*
 * Runs a whole sluiced for a test, with its own munged and directory; the test
 * plays slurmctld. main() of sluiced runs in a child process, so that it can be
 * killed and restarted like the program.
 *
 * All "nodes" are on this host: the simulated slurmctld reports for n1, n2, ...
 * the address at which credentials are created here.
 */

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common/cred.h"
#include "common/http.h"
#include "sluiced/daemon.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

extern struct slu_err err; /* of what is done here */
extern pid_t sluiced_pid;
extern unsigned sluiced_port;
extern char sluiced_addr[32];	      /* of this host, in credentials */
extern char sluiced_extra_conf[8192]; /* more lines for sluice.conf */
/* What NodeStorage names below tmpdir(): the directory "storage". */
extern const char *sluiced_storage;
extern struct slu_http *http;

/* False: there is no munged here, nothing can be tested. */
bool sluiced_begin(void);
/* It must end well, and the database be whole. */
void sluiced_end(void);

/* The parts of these: sluice.conf, the process, which is killed by that signal
 * and must end with that status (below 0: by a signal). */
void sluiced_write_conf(void);
void sluiced_start(void);
void sluiced_stop(int signal, int want);
/* sluiced with -D, or another option, which ends by itself. */
pid_t sluiced_fork(const char *option);
int sluiced_status(pid_t pid);
long sluiced_kib(void); /* of memory that it has */

/* Who plays slurmctld. */
extern FILE *ctl_in;
extern int ctl_fd;
extern const struct slu_desc *ctl_desc; /* of the last message */
extern uint64_t ctl_id;

void ctl_connect(void);
void ctl_hello(struct slu_job *jobs, size_t n);
/* Both, with no job, and the history has been told. */
void ctl_meet(void);
void ctl_close(void);
void ctl_send(const struct slu_desc *desc, const void *msg);
void ctl_done(bool ok); /* the answer to the last message */
/* The next message of this type, others being thrown away. Freed by
 * slu_msg_free(desc). */
void *ctl_expect(const struct slu_desc *desc);
void ctl_expect_any(const struct slu_desc *desc);

/* A job on n1 and n2, the same whenever it is spoken of: its start is a part
 * of its name. It runs; its end is told. */
struct slu_job job_of_ann(uint32_t id, bool buffer);
void job_ended(uint32_t id, bool buffer, const struct slu_desc *desc);

/* POST text; 0 with the reply in *reply, or the kind of the error. */
int post(const char *path, const char *text, struct slu_buf *reply);

/* Run fn as another user, in a process; its return value. */
int as_nobody(int (*fn)(void));
pid_t start_as_nobody(int (*fn)(void));

/* Raw bytes to the port, and what came back. */
const char *raw(const char *text);

#endif

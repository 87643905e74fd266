/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_PROC_H
#define SLU_COMMON_PROC_H

/*
 * Child processes: runs a program with a deadline, detaches one so that it
 * outlives a Slurm hook, checks whether exactly the process that was started
 * still lives. Nothing passes through a shell.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "common/err.h"
#include "common/str.h"

/* Run argv (argv[0] searched in PATH), stdin from /dev/null, stdout and stderr
 * together into *out when out is not NULL (bounded by out->max). It runs in a
 * process group of its own, and is killed when the calling thread ends. After
 * `seconds` the group gets SIGKILL and SLU_TIMEOUT is returned. An exit other
 * than 0 is SLU_IO with the last line of output in the text; *out is filled
 * then, too. Processes that it leaves behind are not waited for. */
int slu_run(char *const argv[], double seconds, struct slu_buf *out,
	    struct slu_err *err);
/* The same with the exit code; -1: it has none. */
int slu_run_code(char *const argv[], double seconds, struct slu_buf *out,
		 int *code, struct slu_err *err);

/* A child fills the `len` bytes (at most PIPE_BUF) at `out` with fn(arg, out),
 * and this waits for it for `ms`. -1: fn failed (not 0), or has given no result
 * in that time. The child is then left alone, not killed: this is for a request
 * to a device that must not be interrupted. It ends when the kernel answers,
 * and has descriptors 0 to 2 closed, so that no reader waits for their end.
 * Only for programs without threads. */
int slu_ask_apart(int (*fn)(void *arg, void *out), void *arg, void *out,
		  size_t len, int ms);

/* Identifies a process: pids are reused, start times are not. start is field 22
 * of /proc/PID/stat (clock ticks since boot). */
struct slu_pid {
	pid_t pid;
	uint64_t start;
};

/* Identifies the present process `pid`; SLU_NOTFOUND when there is none or it
 * is a zombie. */
int slu_pid_get(pid_t pid, struct slu_pid *out, struct slu_err *err);
/* Still alive and not a zombie. */
bool slu_pid_alive(const struct slu_pid *pid);
/* Send a signal to exactly this process; -1 and errno (ESRCH: it has ended). */
int slu_pid_kill(const struct slu_pid *pid, int sig);
/* Call fn with every process but the calling one, and a descriptor of its
 * directory in /proc, until fn returns true; false: it never did. */
typedef bool slu_pid_f(void *arg, int proc, pid_t pid);
bool slu_pid_find(slu_pid_f *fn, void *arg);

/* The real and the effective user of the process of that directory. */
int slu_proc_uids(int proc, uid_t *real, uid_t *effective);

/* Wait until it has ended (zombies count as ended); SLU_TIMEOUT otherwise. */
int slu_pid_wait(const struct slu_pid *pid, double seconds,
		 struct slu_err *err);

/* Pid files: "PID START\n", written atomically. A missing one is
 * SLU_NOTFOUND, a strange one SLU_INVALID. */
int slu_pid_write(const char *path, const struct slu_pid *pid,
		  struct slu_err *err);
int slu_pid_read(const char *path, struct slu_pid *pid, struct slu_err *err);

/* Runs fn(arg) in a process in a session of its own that outlives any hook:
 * double fork, setsid, descriptors above 2 closed, 0-2 on /dev/null (1 and 2 on
 * log_path when given), working directory /. Returns when the pid file (may be
 * NULL) is written, or fails with nothing left running. Signals are at their
 * defaults in fn; its return value is the exit status, and its stdio buffers
 * are not flushed. Only for programs without threads. */
int slu_detach(int (*fn)(void *arg), void *arg, const char *pid_path,
	       const char *log_path, struct slu_err *err);

#endif

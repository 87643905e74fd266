/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_LOG_H
#define SLU_COMMON_LOG_H

/*
 * The log of a program. Libraries do not log; daemons and commands hold one
 * `struct slu_log`, whose sink is stderr, a file or syslog, and pass it to
 * their own files. In slurmctld the sink is Slurm's own log.
 */

#include <stdio.h>

enum slu_level { SLU_ERROR, SLU_WARN, SLU_INFO, SLU_DEBUG };

/* Write one line. `line` has no newline. May be called by any thread. */
typedef void slu_log_f(void *arg, enum slu_level level, const char *line);

struct slu_log {
	slu_log_f *fn; /* NULL: nothing is logged */
	void *arg;
	enum slu_level max; /* lines above this level are dropped */
};

void slu_log(const struct slu_log *log, enum slu_level level, const char *fmt,
	     ...) __attribute__((format(printf, 3, 4)));

/* A sink that writes "2026-01-31T12:34:56.789 level text" lines to a FILE
 * (arg); one fwrite and one flush a line. */
void slu_log_to_file(void *file, enum slu_level level, const char *line);

/* A sink for syslog(3); arg is not used. openlog(3) is the program's. */
void slu_log_to_syslog(void *arg, enum slu_level level, const char *line);

#endif

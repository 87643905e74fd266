/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_NAME_H
#define SLU_JOB_SUBMIT_NAME_H

#include <stddef.h>

/*
 * The name of a job without its counters: every run of digits becomes one '#'
 * (run_017.b -> run_#.b). NULL is "". Cut to size - 1 bytes; returns the
 * length.
 */
#define SLU_PLAIN_NAME 256 /* bytes of one that the history keeps */
size_t slu_plain_name(const char *name, char *out, size_t size);

#endif

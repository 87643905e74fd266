/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_EARLY_H
#define SLU_NODE_EARLY_H

/*
 * Early stage-out: copies files that the job's tasks declare ready with
 * `sluice-stage-out`, while the job runs. The watcher receives the declarations
 * on a socket and notes them in a queue; another process copies (early_copy.c).
 */

#include "burst_buffer/node/node.h"

#define SLU_EARLY_SOCKET "ready"
#define SLU_EARLY_MAX	 16384 /* bytes of a path */
/* The watcher's socket; -1: this job cannot stage out early. */
int slu_early_listen(struct slu_node *n);
/* Waits so many seconds, and serves connections meanwhile. */
void slu_early_serve(struct slu_node *n, int socket, double seconds);
/* Has something of request r been staged out already? Touches the job's file
 * system. */
bool slu_early_has_been(const struct slu_node *n, size_t r);
/* Open the notes of what was (staging/copied.h); 0: there are none. */
int slu_early_notes(const struct slu_node *n, size_t r, int flags);
/* early_notes.c: does the job have a request whose nodes each stage out their
 * own files? */
bool slu_early_any_apart(const struct slu_plan *plan);
/* The node that copies while the job runs, where one does it for all. */
size_t slu_early_node(const struct slu_plan *plan);

/* Queue a path of request r to be copied. */
#define SLU_EARLY_QUEUE "early"
int slu_early_add(struct slu_node *n, size_t r, const char *part,
		  struct slu_err *err);
/* early_copy.c: start the process that copies, unless it runs or nothing is
 * queued. */
void slu_early_start(struct slu_node *n);

#endif

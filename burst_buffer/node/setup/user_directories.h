/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_USER_DIRECTORIES_H
#define SLU_NODE_USER_DIRECTORIES_H

/*
 * Makes the directories inside of the job's file system: data/ for the user and
 * .sluice/ for Sluice, and shows data/ to the user at its path. Everything here
 * is done in children with time limits, as the file system may hang.
 */

#include "burst_buffer/node/node.h"

/* Make both, and remove what is in .sluice/ of an earlier attempt. */
int slu_user_directories_make(struct slu_node *n, struct slu_err *err);
/* Bytes that .sluice/ uses beside the capacity that the user asked for. */
uint64_t slu_user_directories_size(const struct slu_node *n);
/* Shows it to the user, and hides it again. */
int slu_user_directories_show(struct slu_node *n, struct slu_err *err);
int slu_user_directories_hide(struct slu_node *n, struct slu_err *err);
/* A job that used a persistent buffer leaves: remove what it had there beside
 * its data. */
void slu_user_directories_leave(struct slu_node *n);
/* On a node of a persistent buffer: remove what such jobs left that have not
 * been among its users (wire/node_plan.h) for an hour. */
void slu_user_directories_sweep(struct slu_node *n, const char *users);

#endif

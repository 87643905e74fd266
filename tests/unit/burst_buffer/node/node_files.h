/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_NODE_FILES_H
#define SLU_TESTS_NODE_FILES_H

/* Provides the files of a job on two nodes (see nodes.h): a directory that
 * plays the parallel file system, a request, input and expected output. */

#include "tests/unit/burst_buffer/node/nodes.h"

extern char request[2000];

/* The path of a file of that file system; good until the next call but three.
 */
const char *pfs(const char *name);
/* 20 files in two directories; an empty directory for the output. */
void make_input(void);

/* "jobfs type=TYPE" with input and output. */
void set_request(const char *type);
/* In a node: the job's user, 0 or -1; the path of a file of RunDir's job, of
 * PATH_MAX bytes. */
int become_ann(void);
void job_path(char *path, const char *name);

/* What the two tasks put out is where it belongs. */
void expect_output(bool shared);
/* sluice-node on both nodes. */
void up(void);
void down(void);

#endif

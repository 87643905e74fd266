/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_BUFFER_NODE_INSTANCE_NAME_H
#define SLU_BURST_BUFFER_NODE_INSTANCE_NAME_H

/* Parses the names of instances' directories, JOB.BUFFER. */

#include <stdint.h>

/* Parses JOB.BUFFER; -1: it is no such name (there is no job 0). */
int slu_instance_parse(const char *name, uint32_t *job_id, uint64_t *buffer);

#endif

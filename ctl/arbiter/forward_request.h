/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_ARBITER_FORWARD_REQUEST_H
#define SLU_ARBITER_FORWARD_REQUEST_H

/*
 * Reads the I/O forwarding part of a job's request (ion_max, ion_pattern), and
 * decides which jobs get no I/O nodes whatever they request.
 */

#include "ctl/private.h"

void slu_forward_request(struct slu_ctl *ctl, struct slu_job *job);

#endif

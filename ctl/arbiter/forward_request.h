/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_ARBITER_FORWARD_REQUEST_H
#define SLU_ARBITER_FORWARD_REQUEST_H

/* What a job's request says of I/O forwarding, and who is given no I/O nodes
 * whatever it says: ion_max and ion_pattern. */

#include "ctl/private.h"

void slu_forward_request(struct slu_ctl *ctl, struct slu_job *job);

#endif

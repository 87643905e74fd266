/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_IONS_REPLAY_H
#define SLU_SYSQUERY_IONS_REPLAY_H

/* Simulates recorded jobs with other I/O node policies, for `sysquery ions
 * --replay`. */

#include "sysquery/cli/ask.h"

/* {"replay": {since, jobs, known (of them), compute (nodes), seconds, policies
 * and pools [{policy, pool, run_hours, node_hours, saved, bandwidth}], worth}}
 * from the database of -f, or from sluiced; --plot also draws it. NULL with
 * *err. */
struct json_object *slu_ions_replay(const struct slu_ask *ask,
				    struct slu_err *err);

#endif

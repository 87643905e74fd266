/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_ION_REPORT_H
#define SLU_SLUICED_ION_REPORT_H

#include "sluiced/questions/answerer.h"

/*
 * Evaluates ended runs with I/O nodes: the bandwidth that they reached, beside
 * what was predicted (select_io/ion/evaluation/gain.h). Only runs count that
 * were measured and predicted. Users who may not see all get only themselves in
 * `users`.
 */

/*
 * Adds to `events`, each with a time: measured_jobs, predicted and reached
 * (MB/s) of the runs that went on then and have ended since.
 * Adds to `gain`: runs, applications, reached, believed_static, and if there
 * are two applications or more estimate, low and high.
 * Adds to `out`, with `lists`: applications [{user, name, nodes, runs,
 * predicted, reached, miss}], days [{day, runs, predicted, reached, miss}] and
 * users [{week, user, runs, net (MB more than STATIC was believed to give),
 * worse and better (runs), difference (list of five: least, quartiles,
 * greatest, MB/s), of_best (the same, as shares of the best alone), for}].
 */
int slu_ion_report(struct slu_db *db, const struct slu_asker *who,
		   int64_t since, bool lists, struct json_object *events,
		   struct json_object *gain, struct json_object *out,
		   struct slu_err *err);

#endif

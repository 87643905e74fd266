/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_WIRE_ROWS_H
#define SLU_WIRE_ROWS_H

/*
 * The history as it is sent to a slurmctld that has started: many rows in one
 * message, each only with the fields that the predictor, the arbiter, the I/O
 * volumes and the setup times need, since there may be a million rows and JSON
 * takes 50 us for one. A row is its fields in the order of a table, separated
 * by ',', and ends with ';'; a field without a value, or with 0, is empty. In
 * texts '%', ',', ';', '"', '\\' and control characters are "%XX", and "" is a
 * '%' alone, so that JSON has nothing to escape.
 */

#include "common/str.h"
#include "wire/control.h"

/* Append a row: uid, node_cnt, limit_asked, submit, start, end, ions, prepared
 * job_id, suspended, and the texts name, account, partition, state, request and
 * ion_times of the job; and bytes and calls. */
void slu_row_pack(const struct slu_history_row *row, struct slu_buf *out);
/* Parse the next row of *text, which is changed: the row's strings point into
 * it. All other members are 0; io_bandwidth is computed. Returns 1; 0: no more
 * rows; -1: SLU_INVALID, and *text is at the next row. Extra fields at the end
 * are ignored. */
int slu_row_unpack(char **text, struct slu_history_row *row,
		   struct slu_err *err);

/* MB/s over its run time; 0: unknown. */
double slu_row_bandwidth(const struct slu_history_row *row);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_WIRE_ROWS_H
#define SLU_WIRE_ROWS_H

/*
 * The history as it is told to a slurmctld that has started: many rows in one
 * message, each only with what somebody learns from (the predictor, the
 * arbiter, the volumes, the times to be ready), since there may be a million
 * and JSON takes 50 us for one. A row is its fields in the order of a table,
 * separated by ',', and ends with ';'; one without a value, or 0, is empty.
 * In texts '%', ',', ';', '"', '\\' and control characters are "%XX", and "" is
 * a '%' alone, so that JSON has nothing to escape.
 */

#include "common/str.h"
#include "wire/control.h"

/* Append a row: uid, node_cnt, limit_asked, submit, start, end, ions, prepared
 * job_id, suspended, and the texts name, account, partition, state, request and
 * ion_times of the job; and bytes and calls. */
void slu_row_pack(const struct slu_history_row *row, struct slu_buf *out);
/* The next row of *text, which is changed: the row's texts lie in it. All
 * other members are 0; io_bandwidth follows from the rest. 1; 0: that was all;
 * -1: SLU_INVALID, and *text is at the row behind it. Fields beyond those that
 * are known are passed over. */
int slu_row_unpack(char **text, struct slu_history_row *row,
		   struct slu_err *err);

/* MB/s over its run time; 0: unknown. */
double slu_row_bandwidth(const struct slu_history_row *row);

#endif

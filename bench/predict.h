/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_PREDICT_H
#define SLU_BENCH_PREDICT_H

#include <stdbool.h>

/* Time learning and predicting with a million jobs, and print it; -1 without
 * memory. */
int predict_cost(bool csv);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_STRIPE_SPECIAL_H
#define SLU_BENCH_STRIPE_SPECIAL_H

/* Part of bench/stripe: prints what Data-on-MDT and components that extend
 * themselves gain, by models of their own. */

#include <stdbool.h>

void stripe_small_files(bool csv);
void stripe_unequal_room(bool csv);

#endif

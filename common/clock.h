/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_CLOCK_H
#define SLU_COMMON_CLOCK_H

/*
 * Reads the wall clock and the monotonic clock, for programs; libraries get the
 * time as an argument.
 */
double slu_now_wall(void); /* Unix seconds */
double slu_now_mono(void); /* seconds of a clock that is never set */

#endif

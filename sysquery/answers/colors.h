/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_ANSWERS_COLORS_H
#define SLU_SYSQUERY_ANSWERS_COLORS_H

/* Chooses the color of a word in a table: of a state or a severity; of a
 * failure; of something that needs attention ("-": no color). */

#include "common/table.h"

slu_color_f slu_color_state, slu_color_bad, slu_color_caution;

#endif

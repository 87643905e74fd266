/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_ION_LEARNING_H
#define SLU_SELECT_IO_ION_LEARNING_H

/*
 * Gives the arbiter's solves the curves that were learnt from ended jobs; the
 * functions that update these are in arbiter.h.
 */

#include "select_io/ion/arbiter/arbiter_private.h"

/* Marks the jobs dirty whose curve has changed since the last solve. */
void slu_ion_touch_learnt(struct slu_arbiter *a);

/* Sets r->curve and r->from: measured runs of its class; without any, the
 * site's table for its I/O pattern; a predicted pattern counts as half a run
 * beside measured ones, one that the user has named does not any more. */
void slu_ion_estimate(const struct slu_arbiter *a, struct running *r);

#endif

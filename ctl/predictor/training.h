/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_TRAINING_H
#define SLU_CTL_TRAINING_H

/* Trains the predictor with runs that have ended: as they end, and from
 * history. While a new predictor (in_training) is trained from history, the
 * site goes on with its own. */

#include "wire/job.h"

struct slu_ctl;
struct slu_site;

/* Trains the predictor in training if there is one, else the site's, with this
 * run. */
void slu_training_add(struct slu_ctl *ctl, const struct slu_job *job);
/* The same with a run that has just ended and that history may bring again. */
void slu_training_add_once(struct slu_ctl *ctl, const struct slu_job *job);
/* Train with the runs that waited for history: it has been read, or will not
 * be. */
void slu_training_add_waiting(struct slu_ctl *ctl);
/* The configuration was read again: the new site takes over the trained
 * predictor, if there is one, and its own is trained anew. Under
 * site_lock. */
void slu_training_keep(struct slu_ctl *ctl, struct slu_site *site);
/* There is a new predictor: it has to be trained with all of history. */
void slu_training_restart(struct slu_ctl *ctl);
/* The predictor in training has got all of history. */
void slu_training_complete(struct slu_ctl *ctl);
void slu_training_fini(struct slu_ctl *ctl);

#endif

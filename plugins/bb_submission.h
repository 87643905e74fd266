/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PLUGINS_BB_SUBMISSION_H
#define SLU_PLUGINS_BB_SUBMISSION_H

/*
 * Checks the burst-buffer request of a submission, and stores its canonical
 * text in it.
 */

#include "ctl/ctl.h"
#include "plugins/compat.h"

/* Checks --bb and the script, and stores their canonical text and what is to be
 * known of it in the submission; tres_pos: the place of bb/sluice among the
 * TRES, or -1. err: what is wrong, a mistake a line. */
int slu_bb_validate(struct slu_ctl *ctl, job_desc_msg_t *desc, uid_t uid,
		    int tres_pos, struct slu_err *err);

#endif

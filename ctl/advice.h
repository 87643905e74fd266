/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_ADVICE_H
#define SLU_CTL_ADVICE_H

#include "common/conf.h"
#include "common/str.h"
#include "ctl/ops.h"

/*
 * Compares slurm.conf with sluice.conf: adds one line for each setting to
 * change, with the reason and the new value. Adds nothing if all is well.
 */
void slu_advice(const struct slu_ctl_settings *slurm,
		const struct slu_conf *conf, struct slu_buf *out);

#endif

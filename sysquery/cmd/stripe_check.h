/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_CMD_STRIPE_CHECK_H
#define SLU_SYSQUERY_CMD_STRIPE_CHECK_H

/* stripe check DIR: asks lfs and, where there is one, sluiced; shows the answer
 * slu_form_layouts. ask->differs: files were found. */

#include "sysquery/cli/ask.h"

int slu_stripe_check_files(struct slu_ask *ask, const char *dir,
			   struct slu_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_CMD_STRIPE_CHECK_H
#define SLU_SYSQUERY_CMD_STRIPE_CHECK_H

/*
 * Checks the layouts of files below a directory, for `sysquery stripe check
 * DIR`: asks lfs and, if there is one, sluiced, and shows the answer
 * slu_form_layouts. Sets ask->differs if files were found.
 */

#include "sysquery/cli/ask.h"

int slu_stripe_check_files(struct slu_ask *ask, const char *dir,
			   struct slu_err *err);

#endif

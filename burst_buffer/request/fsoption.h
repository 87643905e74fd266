/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_FSOPTION_H
#define SLU_BURST_FSOPTION_H

/* Inside of fstype: the values of options in FileSystem and Profile lines. */

#include "common/conf.h"
#include "common/err.h"

/* Is its value one that the drivers understand? 0, or -1 and what is wanted.
 * Keys that take any text, and keys that no driver has, are fine. */
int slu_fsoption_check(const struct slu_option *option, struct slu_err *err);

#endif

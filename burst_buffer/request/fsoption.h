/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_FSOPTION_H
#define SLU_BURST_FSOPTION_H

/* Private to fstype: checks of the values of options in FileSystem and Profile
 * lines. */

#include "common/conf.h"
#include "common/err.h"

/* Do the drivers understand its value? 0, or -1 and what values they accept.
 * Keys that take any text, and keys that no driver has, pass. */
int slu_fsoption_check(const struct slu_option *option, struct slu_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_FSOPTION_H
#define SLU_BURST_FSOPTION_H

/* Checks the values of the drivers' options in FileSystem and Profile lines.
 * Private to burst_buffer/request. */

#include "common/conf.h"
#include "common/err.h"

/* Does the driver accept the option's value? 0, or -1 and which values it does.
 * Keys that take any text, and keys that no driver has, pass. */
int slu_fsoption_check(const struct slu_option *option, struct slu_err *err);

#endif

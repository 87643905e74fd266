/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_PROGRAMS_H
#define SLU_SLUICED_PROGRAMS_H

#include "common/conf.h"
#include "common/log.h"

/* Logs one line for each program in sluice.conf that sluiced could not run now.
 * That is no error of the file, which all hosts read: it may be installed
 * later. To be called as the user who runs them. */
void slu_programs_check(const struct slu_conf *conf, const struct slu_log *log);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_PROGRAMS_H
#define SLU_SLUICED_PROGRAMS_H

#include "common/conf.h"
#include "common/log.h"

/* One line about each program of sluice.conf that sluiced is to run, and could
 * not run now. That is no mistake of the file, which all hosts read: it may be
 * installed later. Call it as who runs them. */
void slu_programs_check(const struct slu_conf *conf, const struct slu_log *log);

#endif

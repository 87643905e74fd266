/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_USER_H
#define SLU_SLUICED_USER_H

#include "common/conf.h"

/* Become SlurmUser. Started as root: make the directories of the database and
 * the control socket when they are missing, give them and the log file (may
 * be NULL) to it, then drop every privilege. Started as that user already:
 * nothing. As anybody else: an error, as when it cannot write there. */
int slu_user_become(const struct slu_conf *conf, const char *log_file,
		    struct slu_err *err);

#endif

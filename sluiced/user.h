/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_USER_H
#define SLU_SLUICED_USER_H

#include "common/conf.h"

/*
 * Becomes SlurmUser. Started as root: creates the directories of the database
 * and the control socket when they are missing, gives them and the log file
 * (may be NULL) to SlurmUser, then drops all privileges. Started as SlurmUser:
 * changes nothing. As another user: an error, as when it cannot write there.
 */
int slu_user_become(const struct slu_conf *conf, const char *log_file,
		    struct slu_err *err);

#endif

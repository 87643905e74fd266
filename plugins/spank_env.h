/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PLUGINS_SPANK_ENV_H
#define SLU_PLUGINS_SPANK_ENV_H

/* Sets the environment of a job's tasks from the notes of `sluice-node up`. */

#include <stdbool.h>
#include <slurm/spank.h>

/* A whole small file, NUL-terminated; NULL if there is none. Caller frees. */
char *slu_spank_read(const char *path);
/* In the task: apply the lines of a note, if there is one: "NAME=VALUE",
 * "-PREFIX" (remove these variables), "nofile N" (required limit of open
 * files). False: a line could not be applied, which was reported. */
bool slu_spank_env(spank_t sp, const char *path);

#endif

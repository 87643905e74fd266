/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PLUGINS_SPANK_ENV_H
#define SLU_PLUGINS_SPANK_ENV_H

#include <stdbool.h>
#include <slurm/spank.h>

/* A whole small file, NUL-terminated; NULL if there is none. Caller frees. */
char *slu_spank_read(const char *path);
/* In the task: do what the lines of a note say, as far as there is one:
 * "NAME=VALUE", "-PREFIX" (variables that are to go), "nofile N" (open files
 * that it needs). False: one cannot be done, which it has said. */
bool slu_spank_env(spank_t sp, const char *path);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_HOST_TRUST_H
#define SLU_HOST_TRUST_H

#include "common/err.h"

/*
 * Checks that a directory is root's and that only root can change what its path
 * leads to, so that the path can be used again and again. Every directory and
 * link on the way, also of the links' targets, has to be root's; no directory
 * may be written by others, unless it is sticky, and the last one in no case
 * (root's group counts as root). A component that does not exist is accepted.
 * -1: SLU_DENIED names the offender; SLU_INVALID: not absolute, or too long;
 * SLU_IO: cannot be read. Any thread; nothing is kept open.
 */
int slu_trust_dir(const char *path, struct slu_err *err);

#endif

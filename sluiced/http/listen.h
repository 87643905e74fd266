/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_LISTEN_H
#define SLU_SLUICED_LISTEN_H

#include "common/err.h"

/* addr: "host:port". Returns a non-blocking socket that listens on that port of
 * every address; the caller closes it. */
int slu_listen(const char *addr, struct slu_err *err);

#endif

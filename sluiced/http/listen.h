/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_LISTEN_H
#define SLU_SLUICED_LISTEN_H

#include "common/err.h"

/*
 * Opens a non-blocking socket that listens on a port of all addresses. addr:
 * "host:port", of which only the port is used. The caller closes the socket.
 */
int slu_listen(const char *addr, struct slu_err *err);

#endif

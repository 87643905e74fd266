/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_HTTP_CONF_TEXT_H
#define SLU_SLUICED_HTTP_CONF_TEXT_H

/*
 * Reads the configuration file for this daemon, and serves it to hosts without
 * one of their own.
 */

#include "sluiced/daemon.h"

/* Read the configuration file, for d->conf; NULL: it is bad, and nothing has
 * changed. Caller frees. */
struct slu_conf *slu_daemon_load(struct slu_daemon *d, struct slu_err *err);

#endif

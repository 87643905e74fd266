/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_ROUTES_H
#define SLU_SLUICED_ROUTES_H

/*
 * The table of HTTP requests: who may call, how long the body may be, its
 * message, the handler. sluiced(8) has the same table, and a test compares the
 * two.
 */

#include "sluiced/http/api/route.h"

extern const struct slu_route slu_routes[]; /* path NULL ends it */

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the route of an HTTP request by its method and path. */
#include "sluiced/http/api/route.h"

#include <string.h>

const struct slu_route *slu_route_find(const struct slu_route *routes,
				       const char *method, const char *path)
{
	for (const struct slu_route *r = routes; r->path; r++)
		if (!strcmp(r->path, path) && !strcmp(r->method, method))
			return r;
	return NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_IO_FORECASTS_H
#define SLU_SLUICED_IO_FORECASTS_H

/*
 * Caches forecasts of what users' applications will write in their next runs,
 * so that the many placements of one job need one prediction. A forecast is
 * used for SLU_IO_FORECAST_SECONDS after it was made from the database.
 */

#include <json-c/json.h>
#include <stddef.h>
#include <sys/types.h>

#define SLU_IO_FORECAST_SECONDS 60.0
#define SLU_IO_FORECASTS	1024 /* then the oldest are dropped */

struct slu_io_forecasts; /* one thread */

void slu_io_forecasts_free(struct slu_io_forecasts *f);
/* Makes *f if there is none; without memory nothing is kept. bytes: an array of
 * numbers, which is copied. now: seconds. */
void slu_io_forecasts_put(struct slu_io_forecasts **f, uid_t uid,
			  const char *name, struct json_object *bytes,
			  double now);
/* The forecast of this name; NULL: none is known (f may be NULL). *n may be 0
 * beside a pointer. Borrowed until the next put. */
const double *slu_io_forecasts_get(const struct slu_io_forecasts *f, uid_t uid,
				   const char *name, double now, size_t *n);

#endif

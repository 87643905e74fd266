/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_IOSTART_SITE_H
#define SLU_TESTS_IOSTART_SITE_H

/* A site with IOStart, its applications, and a job that takes most of it. */

#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include <math.h>
#include "ctl/iostart/iostart.h"

#define CAPACITY 1000.0
#define MAX_WAIT 5000
#define PATIENCE 20
#define JOBS	 40
#define APPS	 12
#define EPSILON	 1e-6

static inline struct slu_conf conf_of(enum slu_io_start mode)
{
	return (struct slu_conf){
		.io_start = mode,
		.io = {{.bandwidth = (uint64_t)CAPACITY}},
		.io_scope = SLU_IO_READ | SLU_IO_WRITTEN,
		.max_io_wait = MAX_WAIT,
	};
}

/* Applications of a user each; a job of app 0 moves next to nothing. */
static inline void app_name(size_t app, char out[16])
{
	snprintf(out, 16, "app-%c", (char)('a' + app));
}

static inline double app_rate(size_t app) /* bytes/s by node */
{
	return app ? 3.7 * (double)(app * app) : 0.001;
}

static inline void teach(struct slu_iostart *s, struct slu_rates *oracle)
{
	char name[16];

	for (size_t app = 0; app < APPS; app++)
		for (int run = 0; run < 8; run++) {
			double bytes = app_rate(app) * 2 * 3600;

			app_name(app, name);
			slu_iostart_learn(
				s, &(struct slu_io_ended){
					   .uid = (uint32_t)app,
					   .name = name,
					   .nodes = 2,
					   .end = 3600,
					   .read_bytes = bytes / 4,
					   .written_bytes = bytes * 3 / 4});
			if (oracle)
				slu_rates_learn(oracle, (uint32_t)app, name, 2,
						3600, bytes);
		}
	slu_iostart_taught(s);
}

static const struct slu_io_job heavy = {.job_id = 1,
					.uid = APPS - 1,
					.name = "app-l",
					.nodes = 2,
					.seconds = 3600};

static inline void set_up(struct slu_iostart *s, enum slu_io_start mode)
{
	struct slu_conf conf = conf_of(mode);

	slu_iostart_init(s);
	slu_iostart_configure(s, &conf);
	slu_iostart_link(s, true, 1);
	teach(s, NULL);
}

static inline bool asks(struct slu_iostart *s, uint32_t id, int64_t now,
			char why[SLU_IOSTART_WHY])
{
	struct slu_io_job job = heavy;

	job.job_id = id;
	return slu_iostart_waits(s, &job, now, why);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the import of sacct's local times in the hour that is repeated at the
 * end of daylight saving time. */
#include "config.h"
#include "tests/unit/harness.h"
#include <time.h>
#include "job_submit/import/import_formats.h"

#define CHANGED 1761440400 /* 2025-10-26, 3:00 became 2:00 */

static int to_uid(const char *user, uint32_t *uid)
{
	(void)user;
	*uid = 1000;
	return 0;
}

static int keep(void *arg, const struct slu_job *job, struct slu_err *err)
{
	(void)err;
	*(struct slu_job *)arg = *job;
	return 0;
}

/* The shortest run that can have been meant, and what came before it. */
START_TEST(test_repeated)
{
	static const struct {
		const char *submit, *start, *end, *elapsed;
		int64_t is[4]; /* submit, start, end: from CHANGED; suspended */
	} cases[] = {
		{"01:10", "01:30", "01:40", "", {-6600, -5400, -4800, 0}},
		{"02:40", "02:50", "02:10", "", {-1200, -600, 600, 0}},
		{"02:00", "02:10", "02:50", "", {-3600, -3000, -600, 0}},
		{"02:00",
		 "02:10",
		 "02:50",
		 "00:40:00",
		 {-3600, -3000, -600, 0}},
		{"02:00",
		 "02:10",
		 "02:50",
		 "01:40:00",
		 {-3600, -3000, 3000, 0}},
		{"02:50", "02:10", "02:20", "", {-600, 600, 1200, 0}},
		{"01:00", "01:30", "02:30", "", {-7200, -5400, -1800, 0}},
		{"01:00",
		 "01:30",
		 "02:30",
		 "02:00:00",
		 {-7200, -5400, 1800, 0}},
		{"02:20", "02:30", "03:30", "", {1200, 1800, 5400, 0}},
		{"02:20", "02:30", "03:30", "7200", {-2400, -1800, 5400, 0}},
		{"02:20",
		 "02:30",
		 "03:30",
		 "01:30:00",
		 {-2400, -1800, 5400, 1800}},
		{"02:59", "03:00", "03:10", "", {3540, 3600, 4200, 0}},
	};

	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	each(c, cases)
	{
		struct slu_job job = {0};
		struct slu_import import = {localtime_r, to_uid, keep,
					    NULL,	 &job,	 0};
		struct slu_import_report r;
		struct slu_err err;
		char text[300];

		snprintf(text, sizeof(text),
			 "JobID|User|Submit|Start|End|Elapsed\n"
			 "1|ada|2025-10-26T%s:00|2025-10-26T%s:00|"
			 "2025-10-26T%s:00|%s\n",
			 c->submit, c->start, c->end, c->elapsed);
		expect_ok(slu_import("sacct", text, strlen(text), &import, &r,
				     &err),
			  err);
		expect(job.submit - CHANGED == c->is[0] &&
			       job.start - CHANGED == c->is[1] &&
			       job.end - CHANGED == c->is[2] &&
			       job.suspended == c->is[3],
		       "case %td: %ld %ld %ld %ld", c - cases,
		       (long)job.submit - CHANGED, (long)job.start - CHANGED,
		       (long)job.end - CHANGED, (long)job.suspended);
	}
}
END_TEST

/* As sacct prints them anywhere. */
START_TEST(test_zones)
{
	static const struct {
		const char *zone, *text;
		int64_t early, late;
	} cases[] = {
		{"UTC0", "2025-10-26T02:30:00", 1761445800, 1761445800},
		{"CET-1CEST,M3.5.0,M10.5.0/3", "2025-07-01T12:00:00",
		 1751364000, 1751364000},
		{"CET-1CEST,M3.5.0,M10.5.0/3", "2025-03-30T02:30:00",
		 1743298200, 1743298200}, /* there is no such time */
		{"LHST-10:30LHDT-11,M10.1.0,M4.1.0", "2025-04-06T01:45:00",
		 1743864300, 1743866100}, /* half an hour is repeated */
		{"PST8PDT,M3.2.0,M11.1.0", "2025-11-02T01:00:00", 1762070400,
		 1762074000},
		{"IST-5:30", "2025-10-26T02:30:00", 1761426000, 1761426000},
		{"<+14>-14", "2025-10-26T02:30:00", 1761395400, 1761395400},
	};

	each(c, cases)
	{
		struct slu_import import = {.to_local = localtime_r};
		struct slu_local got;
		struct slu_err err;

		setenv("TZ", c->zone, 1);
		tzset();
		expect_ok(slu_import_local(&import, c->text, &got, &err), err);
		expect(got.early == c->early && got.late == c->late,
		       "case %td: %ld %ld", c - cases, (long)got.early,
		       (long)got.late);
	}
}
END_TEST

TEST_MAIN("import local", test_repeated, test_zones)

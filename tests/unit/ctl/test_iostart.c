/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests IOStart call by call: history that is half read, advice, reports, waits
 * noted before a restart, clocks, and what counts as I/O. Random histories
 * against a model: test_iostart_model; capacities: test_iostart_capacity.
 */
#include "config.h"
#include "tests/unit/ctl/iostart_site.h"

/* A history that is only partly read holds no job. */
START_TEST(test_half_read)
{
	struct slu_conf conf = conf_of(SLU_IOSTART_ON);
	char why[SLU_IOSTART_WHY];
	struct slu_iostart s;

	slu_iostart_init(&s);
	slu_iostart_configure(&s, &conf);
	slu_iostart_link(&s, true, 1);
	slu_iostart_learn(&s, &(struct slu_io_ended){.uid = heavy.uid,
						     .name = heavy.name,
						     .nodes = 2,
						     .end = 3600,
						     .read_bytes = 9e9});
	slu_iostart_begun(&s, &heavy, 100);
	ck_assert(!asks(&s, 2, 101, why));
	slu_iostart_taught(&s);
	ck_assert(asks(&s, 2, 102, why));
	slu_iostart_fini(&s);
}
END_TEST

/* With `advise` it logs once what would have been held, and holds no job. */
START_TEST(test_advise)
{
	struct slu_iostart_log_entry said[SLU_IOSTART_LOG];
	struct slu_io_job second = heavy;
	char why[SLU_IOSTART_WHY];
	struct slu_buf text = {0};
	struct slu_iostart s;
	uint64_t lost;

	set_up(&s, SLU_IOSTART_ADVISE);
	second.job_id = 2;
	ck_assert(!asks(&s, 1, 100, why));
	slu_iostart_begun(&s, &heavy, 100);
	ck_assert_uint_eq(slu_iostart_log_entries(&s, said, &lost), 0);
	ck_assert(!asks(&s, 2, 101, why));
	slu_iostart_begun(&s, &second, 101);
	ck_assert_uint_eq(slu_iostart_log_entries(&s, said, &lost), 1);
	ck_assert(said[0].advised && said[0].job_id == 2);
	ck_assert_int_eq(said[0].waited, 3600 - 1);
	ck_assert_msg(strstr(said[0].why, "in use (jobs 1)"), "%s",
		      said[0].why);
	slu_iostart_print(&s, 102, &text);
	ck_assert_msg(strstr(text.data,
			     "IOStart=advise: 0 jobs wait; 1.78 kB/s of 1 kB/s "
			     "are in use (jobs 1, 2); 1 would have waited"),
		      "%s", text.data);
	slu_buf_free(&text);
	slu_iostart_fini(&s);
}
END_TEST

/* What people read, and what is counted. */
START_TEST(test_reports)
{
	struct slu_iostart_log_entry said[SLU_IOSTART_LOG];
	struct slu_io_job second = heavy;
	char why[SLU_IOSTART_WHY];
	struct slu_buf text = {0};
	struct slu_iostart s;
	uint64_t lost;

	set_up(&s, SLU_IOSTART_ON);
	slu_iostart_begun(&s, &heavy, 100);
	ck_assert(asks(&s, 2, 101, why));
	ck_assert_msg(strstr(why, ": 891 B/s of 1 kB/s are in use (jobs 1), "
				  "this one needs 891 B/s; until 1970-01-01T"),
		      "%s", why);
	slu_iostart_print(&s, 102, &text);
	ck_assert_msg(strstr(text.data, "IOStart=on: 1 jobs wait; 891 B/s of "
					"1 kB/s are in use (jobs 1)"),
		      "%s", text.data);
	slu_buf_free(&text);
	slu_iostart_print(&s, 402, &text); /* it was not asked about again */
	ck_assert_msg(strstr(text.data, "IOStart=on: 0 jobs wait; "), "%s",
		      text.data);
	slu_buf_free(&text);
	for (int64_t t = 1; t < MAX_WAIT; t += 1000)
		ck_assert(asks(&s, 2, 101 + t, why));
	ck_assert(asks(&s, 2, 101 + MAX_WAIT - 1, why));
	ck_assert(!asks(&s, 2, 101 + MAX_WAIT, why));
	second.job_id = 2;
	slu_iostart_begun(&s, &second, 101 + MAX_WAIT);
	ck_assert_uint_eq(slu_iostart_log_entries(&s, said, &lost), 1);
	ck_assert(said[0].bound && said[0].waited == MAX_WAIT);
	slu_iostart_link(&s, false, 9000);
	slu_iostart_print(&s, 9000 + SLU_IOSTART_GRACE, &text);
	ck_assert_msg(strstr(text.data, "no job is held back: sluiced does "
					"not answer"),
		      "%s", text.data);
	ck_assert_msg(strstr(text.data,
			     "; 1 have waited, 1 of them until MaxIOWait\n"),
		      "%s", text.data);
	slu_buf_free(&text);
	slu_iostart_fini(&s);
}
END_TEST

/* It waited before slurmctld was started anew, and was not asked about since.
 */
START_TEST(test_wait_noted_before_a_restart)
{
	struct slu_iostart_log_entry said[SLU_IOSTART_LOG];
	struct slu_io_job job = heavy;
	struct slu_iostart s;
	uint64_t lost;

	set_up(&s, SLU_IOSTART_ON);
	job.since = 40;
	slu_iostart_begun(&s, &job, 100);
	ck_assert_uint_eq(slu_iostart_log_entries(&s, said, &lost), 1);
	ck_assert(said[0].waited == 60 && !said[0].bound);
	job.start = 90; /* runs when slurmctld starts */
	slu_iostart_begun(&s, &job, 100);
	ck_assert_uint_eq(slu_iostart_log_entries(&s, said, &lost), 0);
	slu_iostart_fini(&s);
}
END_TEST

/* A clock that is set back makes no job wait longer. */
START_TEST(test_clock)
{
	char why[SLU_IOSTART_WHY];
	struct slu_iostart s;

	set_up(&s, SLU_IOSTART_ON);
	slu_iostart_begun(&s, &heavy, 100000);
	ck_assert(asks(&s, 2, 100001, why));
	ck_assert(!asks(&s, 2, 90000, why));
	slu_iostart_fini(&s);
}
END_TEST

/* What has ended its I/O gives back, what moves more takes it. */
START_TEST(test_gives_back)
{
	struct slu_job_moved moved = {.job_id = 1};
	char why[SLU_IOSTART_WHY];
	struct slu_iostart s;

	set_up(&s, SLU_IOSTART_ON);
	slu_iostart_begun(&s, &heavy, 100);
	ck_assert(asks(&s, 2, 101, why));
	moved.read_bytes = 895 * 1800; /* half an hour, and no more */
	slu_iostart_measured(&s, &moved, 1, 1900);
	ck_assert(asks(&s, 2, 1901, why));
	moved.read_bytes = 1;
	slu_iostart_measured(&s, &moved, 1, 100 + 40 * 3600);
	ck_assert(!asks(&s, 3, 101 + 40 * 3600, why));
	moved.written_bytes = 990.0 * 80 * 3600;
	slu_iostart_measured(&s, &moved, 1, 100 + 80 * 3600);
	ck_assert(asks(&s, 4, 101 + 80 * 3600, why));
	moved.written_bytes = NAN;
	slu_iostart_measured(&s, &moved, 1, 102 + 80 * 3600);
	ck_assert(asks(&s, 4, 103 + 80 * 3600, why));
	slu_iostart_fini(&s);
}
END_TEST

/* Where only metadata servers publish, what a job reads is not measured. */
START_TEST(test_nothing_is_not_measured)
{
	struct slu_job_moved moved = {.job_id = 1, .metadata_ops = 1e6};
	char why[SLU_IOSTART_WHY];
	struct slu_iostart s;

	set_up(&s, SLU_IOSTART_ON);
	slu_iostart_begun(&s, &heavy, 100);
	slu_iostart_measured(&s, &moved, 1, 100 + 40 * 3600);
	ck_assert(asks(&s, 2, 101 + 40 * 3600, why));
	slu_iostart_fini(&s);
}
END_TEST

/* Of reads and writes only what the site says counts. */
START_TEST(test_only_scoped_io_counts)
{
	struct slu_conf conf = conf_of(SLU_IOSTART_ON);
	char why[SLU_IOSTART_WHY];
	struct slu_iostart s;

	conf.io_scope = SLU_IO_READ; /* a quarter */
	slu_iostart_init(&s);
	ck_assert(slu_iostart_configure(&s, &conf));
	slu_iostart_link(&s, true, 1);
	teach(&s, NULL);
	slu_iostart_begun(&s, &heavy, 100);
	ck_assert(!asks(&s, 2, 101, why));
	conf.io_scope = SLU_IO_WRITTEN;
	ck_assert(slu_iostart_configure(&s, &conf)); /* and is taught again */
	ck_assert(!asks(&s, 2, 102, why));
	teach(&s, NULL);
	ck_assert(asks(&s, 2, 103, why));
	slu_iostart_fini(&s);
}
END_TEST

TEST_MAIN("iostart", test_half_read, test_advise, test_reports,
	  test_wait_noted_before_a_restart, test_clock, test_gives_back,
	  test_nothing_is_not_measured, test_only_scoped_io_counts)

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests what pending jobs wait for: storage, reservations of other jobs,
 * persistent buffers, or sluiced. Each is shown in bbstat, and its beginning is
 * recorded.
 */
#include "config.h"
#include "tests/unit/ctl/ctl_fake.h"
#include "tests/unit/random.h"
#include "ctl/pools/pools.h"
#include "ctl/jobs/pending/persistent_state.h"
#include "ctl/private.h"
#include "ctl/thread.h"

#define GIB	(UINT64_C(1) << 30)
#define REQUEST "jobfs capacity=4294967296"

static int64_t end_of(uint32_t job_id)
{
	return 1000 + 10 * job_id;
}

static void say_supply(struct slu_ctl *ctl, uint64_t total)
{
	struct slu_pool_capacity p = {.name = "nodes",
				      .total = total,
				      .available = total,
				      .largest = total / 4,
				      .nodes = 4,
				      .complete = true};
	struct slu_capacity s = {.pools = &p, .n_pools = 1};

	daemon_say(&slu_capacity_desc, &s);
	slu_ctl_step(ctl, 2);
}

static uint64_t all_of_it(void *arg, const char *pool, bool first)
{
	(void)arg;
	(void)pool;
	(void)first;
	return 6 * GIB;
}

/* Asks for job 7, as the scheduler does at `now`. */
static bool ask(struct slu_ctl *ctl, const struct slu_ctl_reservation *job,
		int64_t now)
{
	char why[SLU_CTL_WHY] = "";

	return slu_ctl_reservation(ctl, REQUEST, job, end_of, now, why);
}

START_TEST(test_told_apart)
{
	struct slu_ctl *ctl = ctl_by_hand("Pool=nodes");
	const struct slu_ctl_reservation job = {
		.job_id = 7, .uid = 1, .reserved = all_of_it};
	const struct slu_ctl_reservation plain = {.job_id = 7, .uid = 1};
	char *text;

	ck_assert(!ask(ctl, &plain, 1000)); /* sluiced is not there */
	link_up(ctl, 1);
	say_supply(ctl, 6 * GIB);
	ck_assert(!ask(ctl, &job, 1060)); /* it is reserved for others */
	slu_ctl_claim(ctl, 8, REQUEST, 1, true);
	ck_assert(!ask(ctl, &plain, 1160)); /* job 8 has it */
	text = slu_ctl_status(ctl, NULL, false);
	expect(strstr(text, "job 7 (for ") &&
		       strstr(text, "waits for 4GiB of pool nodes: jobs have "),
	       "%s", text);
	free(text);
	text = slu_ctl_status(ctl, "8", false);
	ck_assert_ptr_null(strstr(text, "job 7"));
	free(text);
	slu_ctl_unclaim(ctl, 8);
	ck_assert(ask(ctl, &plain, 1360)); /* nodes are what it waits for now */
	text = slu_ctl_status(ctl, NULL, false);
	ck_assert_ptr_null(strstr(text, "job 7"));
	free(text);
	text = slu_ctl_begin_note(ctl, 7, 0,
				  "of others; sluice: gave back 0:00:01", 1400);
	ck_assert_str_eq(text, "of others; sluice: waited 0:03:20 for storage, "
			       "0:01:40 for promised storage, 0:01:00 for "
			       "sluiced");
	/* its next run has not waited, and so is one that never did */
	ck_assert_ptr_null(slu_ctl_begin_note(ctl, 9, 0, "of others", 1400));
	free(text);
	text = slu_ctl_begin_note(ctl, 7, 0,
				  "sluice: waited 0:03:20 for storage", 1500);
	ck_assert_str_eq(text, "");
	free(text);
	slu_ctl_release(ctl);
}
END_TEST

/* A cancelled one is not shown any more; nor is all of a long silence counted.
 */
START_TEST(test_gone)
{
	struct slu_ctl *ctl = ctl_by_hand("Pool=nodes");
	const struct slu_ctl_reservation job = {.job_id = 7, .uid = 1};
	char *text;

	ck_assert(!ask(ctl, &job, 1000));
	ck_assert(!ask(ctl, &job, 9000));
	text = slu_ctl_begin_note(ctl, 7, 0, NULL, 9005);
	ck_assert_str_eq(text, "sluice: waited 0:05:05 for sluiced");
	free(text);
	ck_assert(!ask(ctl, &job, 9100));
	slu_ctl_cancelled(ctl, 7, 0);
	text = slu_ctl_status(ctl, "7", false);
	ck_assert_ptr_null(strstr(text, "(for "));
	free(text);
	ck_assert(!ask(ctl, &job, 9200));
	slu_ctl_ended(ctl, &(struct slu_job){.job_id = 7});
	ck_assert_uint_eq(ctl->waits.job.n, 0);
	ck_assert(!ask(ctl, &job, 9300));
	slu_ctl_inactive(ctl); /* another controller goes on */
	ck_assert_uint_eq(ctl->waits.job.n, 0);
	slu_ctl_release(ctl);
}
END_TEST

/* What the tasks of an array waited for counts for each, but for one that was
 * put back and has waited by itself. */
START_TEST(test_array)
{
	struct slu_ctl *ctl = ctl_by_hand("Pool=nodes");
	const struct slu_ctl_reservation array = {.job_id = 7, .uid = 1};
	const struct slu_ctl_reservation task = {.job_id = 8, .uid = 1};
	char *text;

	ck_assert(!ask(ctl, &array, 1000));
	text = slu_ctl_begin_note(ctl, 8, 7, NULL, 1060);
	ck_assert_str_eq(text, "sluice: waited 0:01:00 for sluiced");
	free(text);
	ck_assert(!ask(ctl, &array, 1090));
	ck_assert(!ask(ctl, &task, 1100));
	text = slu_ctl_begin_note(ctl, 8, 7, NULL, 1120);
	ck_assert_str_eq(text, "sluice: waited 0:00:20 for sluiced");
	free(text);
	text = slu_ctl_begin_note(ctl, 7, 7, NULL, 1180); /* the last one */
	ck_assert_str_eq(text, "sluice: waited 0:03:00 for sluiced");
	free(text);
	ck_assert_ptr_null(slu_ctl_begin_note(ctl, 9, 7, NULL, 1200));
	/* five minutes are the most that count after a question, however many
	 * tasks begin meanwhile */
	ck_assert(!ask(ctl, &array, 2000));
	text = slu_ctl_begin_note(ctl, 8, 7, NULL, 2290);
	ck_assert_str_eq(text, "sluice: waited 0:04:50 for sluiced");
	free(text);
	text = slu_ctl_begin_note(ctl, 9, 7, NULL, 2580);
	ck_assert_str_eq(text, "sluice: waited 0:05:00 for sluiced");
	free(text);
	slu_ctl_release(ctl);
}
END_TEST

/* Not more lines than a screen has. */
START_TEST(test_many)
{
	struct slu_waits w;
	struct slu_buf out = {0};
	size_t lines = 0;

	slu_waits_init(&w);
	for (uint32_t id = 1; id <= 1000; id++)
		slu_waits_note(&w, id, SLU_WAIT_STORAGE, "because", 1000);
	slu_waits_print(&w, 0, 1060, &out);
	for (const char *c = out.data; *c; c++)
		lines += *c == '\n';
	ck_assert_uint_eq(lines, 21);
	ck_assert_ptr_nonnull(strstr(out.data, " (for 1:00): because\n"));
	ck_assert_ptr_nonnull(strstr(out.data, "(980 more wait: "));
	/* a job that does not ask for a day has gone */
	slu_waits_note(&w, 2000, SLU_WAIT_STORAGE, "because", 1000 + 90000);
	ck_assert_uint_eq(w.job.n, 1);
	slu_buf_free(&out);
	slu_waits_fini(&w);
}
END_TEST

/* A question notes room, then bandwidth: there was room does not end a wait for
 * bandwidth. */
START_TEST(test_since)
{
	struct slu_waits w;
	struct slu_buf out = {0};

	slu_waits_init(&w);
	for (int64_t now = 1000; now <= 1090; now += 30) {
		slu_waits_note(&w, 7, SLU_WAIT_NOTHING, "", now);
		slu_waits_note(&w, 7, SLU_WAIT_BANDWIDTH, "because", now + 1);
	}
	slu_waits_print(&w, 0, 1121, &out);
	ck_assert_ptr_nonnull(strstr(out.data, " (for 2:00): because\n"));
	slu_buf_free(&out);
	/* but for a while there was nothing, or something else */
	slu_waits_note(&w, 7, SLU_WAIT_NOTHING, "", 1150);
	slu_waits_note(&w, 7, SLU_WAIT_NOTHING, "", 1180);
	slu_waits_note(&w, 7, SLU_WAIT_BANDWIDTH, "because", 1180);
	slu_waits_print(&w, 0, 1190, &out);
	ck_assert_ptr_nonnull(strstr(out.data, " (for 10.0 s): because\n"));
	slu_buf_free(&out);
	slu_waits_note(&w, 7, SLU_WAIT_STORAGE, "because", 1200);
	slu_waits_note(&w, 7, SLU_WAIT_NOTHING, "", 1210);
	slu_waits_note(&w, 7, SLU_WAIT_BANDWIDTH, "because", 1210);
	slu_waits_print(&w, 0, 1215, &out);
	ck_assert_ptr_nonnull(strstr(out.data, " (for 5.00 s): because\n"));
	slu_buf_free(&out);
	slu_waits_fini(&w);
}
END_TEST

/* What is printed is read again; and nonsense is nothing. */
START_TEST(test_text)
{
	static const char *const junk[] = {NULL,
					   "",
					   "x",
					   "0:00:10",
					   ",,",
					   "0:00:10 for",
					   "0:00:10 for ducks",
					   "1:2 for storage"};
	struct slu_waited in, out, none = {0};
	char text[SLU_WAITS_TEXT];
	uint64_t seed = 1;

	for (int n = 0; n < 1000; n++) {
		in = none;
		for (int i = 1; i < SLU_N_WAIT; i++)
			in.seconds[i] = (int64_t)slu_random(&seed, 3) *
					(int64_t)slu_random(&seed, 400000);
		slu_waited_parse(slu_waited_print(&in, 1, text), &out);
		expect(!memcmp(&in, &out, sizeof(in)), "%s", text);
	}
	each(j, junk)
	{
		slu_waited_parse(*j, &out);
		expect(!memcmp(&none, &out, sizeof(out)), "%s",
		       *j ? *j : "NULL");
	}
}
END_TEST

TEST_MAIN("waits", test_told_apart, test_gone, test_array, test_many,
	  test_since, test_text)

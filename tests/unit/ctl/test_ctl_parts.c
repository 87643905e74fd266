/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the small parts of libsluice, each by itself: maps, queues, the mirror
 * of sluiced's state, histories, advice. */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"

#include <poll.h>

#include "ctl/advice.h"
#include "ctl/ctl.h"
#include "ctl/predictor/history_queue.h"
#include "ctl/link/mirror.h"
#include "ctl/jobs/running/event_queue.h"
#include "ctl/map.h"
#include "ctl/times.h"
#include "wire/node.h"
#include "ctl/pools/pools.h"

/* The quantile of the histogram against that of the sorted values. */
START_TEST(test_times)
{
	static struct slu_times times;
	const struct slu_durations *wall = &times.hook[SLU_HOOK_SUBMIT].wall;
	const struct slu_durations *cpu = &times.hook[SLU_HOOK_SUBMIT].cpu;
	static uint64_t value[1000];
	struct slu_buf out = {0};

	ck_assert_uint_eq(slu_times_quantile(wall, .5), 0);
	for (size_t i = 0; i < 1000; i++) {
		value[i] = i < 900 ? 100 + i * 17 : i * i * 1000;
		slu_times_add(&times, SLU_HOOK_SUBMIT, value[i], value[i] / 2);
	}
	for (double q = .01; q < 1; q += .01) {
		uint64_t got = slu_times_quantile(wall, q);
		uint64_t true_one = value[(size_t)(q * 1000) - 1];

		expect(got >= true_one && (double)got < 1.14 * (double)true_one,
		       "%f: %lu, not %lu", q, (unsigned long)got,
		       (unsigned long)true_one);
		/* an octave has equal buckets in each */
		ck_assert_uint_eq(slu_times_quantile(cpu, q), got / 2);
	}
	ck_assert_uint_eq(wall->max, value[999]);
	ck_assert_uint_eq(cpu->max, value[999] / 2);
	slu_times_add(&times, SLU_HOOK_MODIFY, 0, 0);
	slu_times_add(&times, SLU_HOOK_MODIFY, UINT64_MAX, 0);
	slu_times_print(&times, &out);
	ck_assert(strstr(out.data, "job_submit"));
	ck_assert(strstr(out.data, "p99CPU/us"));
	ck_assert(!strstr(out.data, "state_pack"));
	slu_buf_free(&out);
}
END_TEST

/* What a buffer does, as hear_buffer() in ctl/link/commands.c shows it, and
 * what jobs wait for. */
START_TEST(test_shows_buffer)
{
	static const char *const buffer[] = {
		"DONE", "STAGE_IN: 3 of 5 nodes done", "SETUP: a"};
	static const char *const waits[] = {"",
					    NULL,
					    "its tight limit reaches into a",
					    "waits for 3GiB of pool A: a",
					    "DATA is being destroyed: n1",
					    "staged in after earlier tasks"};

	each(c, buffer) expect(slu_ctl_shows_buffer(*c), "%s", *c);
	each(c, waits)
		expect(!slu_ctl_shows_buffer(*c), "%s", *c ? *c : "NULL");
}
END_TEST

/* Against an array that has one slot per key. */
START_TEST(test_map_against_array)
{
	uint64_t seed = 1;
	struct slu_map table = {0};
	static int *oracle[500];
	static int values[500];
	size_t n;

	for (int step = 0; step < 100000; step++) {
		uint32_t k = (uint32_t)slu_random(&seed, 500);

		if ((uint32_t)slu_random(&seed, 3)) {
			size_t cap = table.cap;
			bool replaces = oracle[k];

			oracle[k] = &values[k];
			ck_assert(slu_map_put(&table, k * 7919, oracle[k]) ==
				  0);
			ck_assert(!replaces || table.cap == cap);
		} else {
			ck_assert_ptr_eq(slu_map_del(&table, k * 7919),
					 oracle[k]);
			oracle[k] = NULL;
		}
		k = (uint32_t)slu_random(&seed, 500);
		ck_assert_ptr_eq(slu_map_get(&table, k * 7919), oracle[k]);
	}
	n = 0;
	for (size_t i = 0; slu_map_next(&table, &i);)
		n++;
	ck_assert_uint_eq(n, table.n);
	/* Deleting while walking misses none. */
	for (size_t i = 0; slu_map_next(&table, &i);) {
		int *value = NULL;

		for (uint32_t k = 0; k < 500 && !value; k++)
			if (oracle[k] && slu_map_get(&table, k * 7919)) {
				size_t at = i - 1;

				if (slu_map_next(&table, &at) == oracle[k]) {
					value = oracle[k];
					slu_map_del(&table, k * 7919);
				}
			}
		ck_assert_ptr_nonnull(value);
		i--;
	}
	ck_assert_uint_eq(table.n, 0);
	slu_map_free(&table);
}
END_TEST

static bool is_woken(struct slu_event_queue *q)
{
	struct pollfd fd = {.fd = q->fd, .events = POLLIN};

	return poll(&fd, 1, 20) == 1; /* soon, not at once */
}

START_TEST(test_queue)
{
	struct slu_event_queue q;
	struct slu_event event;

	expect_ok(slu_event_queue_init(&q, 4, NULL), (struct slu_err){0});
	for (uint32_t i = 0; i < 6; i++) {
		event = (struct slu_event){.job_id = i};
		event.job = calloc(1, sizeof(*event.job));
		ck_assert(slu_event_queue_push(&q, event, i == 2) == (i < 4));
		ck_assert(is_woken(&q) == (i >= 2));
	}
	ck_assert(slu_event_queue_overflowed(&q));
	ck_assert(!slu_event_queue_overflowed(&q));
	slu_event_queue_drain_fd(&q);
	ck_assert(!is_woken(&q));
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert(slu_event_queue_pop(&q, &event));
		ck_assert_uint_eq(event.job_id, i);
		slu_event_clear(&event);
	}
	/* Urgent behind one that was not. */
	slu_event_queue_push(&q, (struct slu_event){0}, false);
	ck_assert(!is_woken(&q));
	slu_event_queue_push(&q, (struct slu_event){0}, true);
	ck_assert(is_woken(&q));
	slu_event_queue_fini(&q); /* frees what is left */
}
END_TEST

static void put(struct slu_mirror *m, uint64_t buffer, uint32_t job,
		const char *state)
{
	struct slu_buffer_state s = {.buffer = buffer,
				     .job_id = job,
				     .uid = job % 2,
				     .size = 1,
				     .state = strdup(state)};

	ck_assert_int_eq(slu_mirror_set(m, &s), 0);
	ck_assert_ptr_null(s.state);
}

/* A persistent buffer is no job's, what is staged ahead its creator's. */
START_TEST(test_mirror_rows)
{
	static const struct {
		bool persistent, early;
		uint32_t job_id;
		const char *row;
	} cases[] = {
		{false, false, 7, "\n7          camp "},
		{true, false, SLU_PERSIST_FIRST,
		 "\n-          camp       RUNNING            0B strict     "},
		{true, true, SLU_PERSIST_FIRST, "\n9          camp "},
	};

	each(c, cases)
	{
		struct slu_buffer_state b = {.buffer = 1,
					     .job_id = c->job_id,
					     .creator = 9,
					     .persistent = c->persistent,
					     .early = c->early,
					     .name = strdup("camp"),
					     .coherence = strdup("strict"),
					     .state = strdup("RUNNING")};
		struct slu_buf out = {0};
		struct slu_mirror m;

		slu_mirror_init(&m);
		ck_assert_int_eq(slu_mirror_set(&m, &b), 0);
		slu_mirror_print(&m, 0, &out);
		expect(strstr(out.data, c->row), "%s", out.data);
		slu_buf_free(&out);
		slu_pools_fini(&m);
		slu_mirror_fini(&m);
	}
}
END_TEST

static void count_one(void *arg, const struct slu_buffer_state *b)
{
	(void)b;
	++*(int *)arg;
}

static int named(struct slu_mirror *m, const char *name)
{
	int n = 0;

	slu_mirror_named(m, name, count_one, &n);
	return n;
}

static int early(struct slu_mirror *m, uint32_t job_id)
{
	int n = 0;

	slu_mirror_early_stage_in(m, job_id, count_one, &n);
	return n;
}

static void keep(struct slu_mirror *m, uint64_t buffer, const char *name,
		 uint32_t creator, const char *state)
{
	struct slu_buffer_state s = {
		.buffer = buffer,
		.job_id = SLU_PERSIST_FIRST + (uint32_t)buffer,
		.persistent = true,
		.early = creator != 0,
		.creator = creator,
		.name = strdup(name),
		.state = strdup(state),
	};

	ck_assert_int_eq(slu_mirror_set(m, &s), 0);
}

/* Those that outlive jobs are found by what they are looked for, also where
 * many share a row, and when they have become others. */
START_TEST(test_mirror_kept)
{
	enum { MANY = 3 * SLU_MIRROR_KEPT };
	struct slu_buf gone = {0};
	struct slu_mirror m;
	char name[16];

	slu_mirror_init(&m);
	put(&m, 2 * MANY + 1, 7, "RUNNING"); /* a job's own */
	for (uint32_t i = 1; i <= MANY; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		keep(&m, i, name, 0, "SETUP");
		keep(&m, MANY + i, "camp", i, "SETUP");
	}
	for (uint32_t i = 1; i <= MANY; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		expect(named(&m, name) == 1, "%s", name);
		expect(early(&m, i) == 1, "%u", i);
	}
	ck_assert_int_eq(named(&m, "camp") + named(&m, "JOBFS"), 0);
	keep(&m, 1, "other", 0, "RUNNING");
	ck_assert_int_eq(named(&m, "n1") + 2 * named(&m, "other"), 2);
	keep(&m, MANY + 1, "n1", 0, "RUNNING"); /* does not wait any more */
	ck_assert_int_eq(early(&m, 1) + 2 * named(&m, "n1"), 2);
	keep(&m, MANY + 1, "n1", 0, "DONE");
	ck_assert_int_eq(named(&m, "n1"), 0);
	slu_mirror_replace(&m, NULL, 0, &gone);
	ck_assert_int_eq(named(&m, "n2") + early(&m, 2), 0);
	slu_buf_free(&gone);
	slu_pools_fini(&m);
	slu_mirror_fini(&m);
}
END_TEST

START_TEST(test_mirror)
{
	struct slu_mirror m;
	struct slu_buf out = {0}, gone = {0};

	slu_mirror_init(&m);
	put(&m, 1, 7, "RUNNING");
	put(&m, 2, 7, "SETUP"); /* requeued while the first is cleaned */
	put(&m, 3, 8, "SETUP");
	put(&m, 3, 8, "STAGE_IN");
	put(&m, 9, 9, "DONE"); /* never seen alive */
	ck_assert_uint_eq(slu_mirror_walk(&m, SLU_NO_ID, 0, NULL, NULL), 3);
	ck_assert_uint_eq(slu_mirror_walk(&m, 1, 0, NULL, NULL), 2);
	ck_assert_uint_eq(slu_mirror_walk(&m, SLU_NO_ID, 7, NULL, NULL), 2);
	slu_mirror_print(&m, 8, &out);
	ck_assert(strstr(out.data, "STAGE_IN"));
	put(&m, 1, 7, "DONE");
	ck_assert(slu_mirror_alive(&m, 7));
	put(&m, 2, 7, "DONE");
	ck_assert(!slu_mirror_alive(&m, 7));
	slu_mirror_replace(&m, NULL, 0, &gone);
	ck_assert(!slu_mirror_alive(&m, 8));
	ck_assert_uint_eq(gone.len, sizeof(uint32_t));
	ck_assert_int_eq(memcmp(gone.data, &(uint32_t){8}, gone.len), 0);
	slu_buf_free(&gone);
	slu_buf_free(&out);
	slu_pools_fini(&m);
	slu_mirror_fini(&m);
}
END_TEST

/* After each new link sluiced repeats what has ended: no job waits again. */
START_TEST(test_done_is_heard_again)
{
	struct slu_mirror m;
	const struct slu_buffer_state first = {.buffer = 3, .job_id = 7},
				      second = {.buffer = 4, .job_id = 7};

	slu_mirror_init(&m);
	ck_assert_int_eq(slu_mirror_was_over(&m, 7), 0);
	slu_mirror_over(&m, &first, 100);
	slu_mirror_over(&m, &second, 102);
	slu_mirror_over(&m, &first, 200);
	slu_mirror_over(&m, &second, 200);
	ck_assert_int_eq(slu_mirror_was_over(&m, 7), 102);
	ck_assert_int_eq(slu_mirror_was_over(&m, 8), 0);
	slu_pools_fini(&m);
	slu_mirror_fini(&m);
}
END_TEST

START_TEST(test_history_bound)
{
	struct slu_history_queue h;
	struct slu_job job = {.name = "x"};

	ck_assert_int_eq(slu_history_queue_init(&h, 4), 0);
	for (job.job_id = 1; job.job_id <= 6; job.job_id++)
		ck_assert_int_eq(slu_history_queue_add(&h, &job), 0);
	ck_assert_uint_eq(h.n, 4);
	ck_assert_uint_eq(h.lost, 2);
	h.sent = 4;
	slu_history_queue_stored(&h, 5, 0); /* out of order */
	ck_assert_uint_eq(h.n, 4);
	slu_history_queue_stored(&h, 3, 0);
	slu_history_queue_stored(&h, 4, 0);
	ck_assert_uint_eq(h.n, 1);
	ck_assert_uint_eq(h.sent, 1);
	slu_history_queue_stored(&h, 5, 0); /* twice */
	slu_history_queue_fini(&h);
}
END_TEST

/* A row that was corrected is sent again: the acknowledgement of the first one
 * does not count for the second. */
START_TEST(test_history_corrected)
{
	struct slu_history_queue h;
	struct slu_job job = {.job_id = 1, .state = "COMPLETED"};

	ck_assert_int_eq(slu_history_queue_init(&h, 4), 0);
	ck_assert_int_eq(slu_history_queue_add(&h, &job), 0);
	job.state = "FAILED";
	ck_assert_int_eq(slu_history_queue_add(&h, &job), 0);
	h.sent = 2;
	slu_history_queue_stored(&h, 1, 0);
	ck_assert_uint_eq(h.n, 1);
	ck_assert_str_eq(slu_history_queue_at(&h, 0)->state, "FAILED");
	slu_history_queue_stored(&h, 1, 0);
	ck_assert_uint_eq(h.n, 0);
	slu_history_queue_fini(&h);
}
END_TEST

START_TEST(test_advice)
{
	struct slu_ctl_settings good = {
		.prolog_alloc = true,
		.prolog_defer_batch = true,
		.prep_script = true,
		.prep_sluice = true,
		.bb_sluice = true,
		.job_submit_sluice = true,
		.node_features_sluice = true,
		.prolog_epilog_timeout = UINT32_MAX,
		.batch_start_timeout = 100,
		.suspend_resume = 100,
	};
	struct slu_conf conf = {.setup_timeout = 50,
				.stage_in_timeout = 50,
				.stage_out_timeout = 500,
				.teardown_timeout = 50};
	struct slu_ctl_settings bad = {.bb_sluice = true,
				       .complete_wait = 5,
				       .job_container = true,
				       .prolog_epilog_timeout = 549,
				       .prolog_serial = true};
	struct slu_ctl_settings none = {.job_submit_sluice = true};
	static const char *const words[] = {"script",
					    "PrologFlags lacks",
					    "Serial",
					    "PrologEpilogTimeout=550",
					    "set BatchStartTimeout=100",
					    "set ResumeTimeout=20",
					    "CompleteWait=5",
					    "JobContainerType"};
	struct slu_buf out = {0};

	slu_advice(&good, &conf, &out);
	expect(!out.len, "%s", out.data);
	good.boot = 401; /* of 500, and set-up takes 100 */
	slu_advice(&good, &conf, &out);
	expect(strstr(out.data, "boot and set-up may take 501 s"), "%s",
	       out.data);
	/* what it says to set is the least that ends it */
	for (int boots = 0; boots < 2; boots++)
		for (uint32_t suspend = 0; suspend < 19; suspend++) {
			struct slu_ctl_settings s = good;
			const char *set;

			s.resume = 1;
			for (int i = 0; i < 2; i++) {
				s.suspend_resume = suspend + s.resume;
				s.boot = boots ? s.resume : 0;
				slu_buf_reset(&out);
				slu_advice(&s, &conf, &out);
				set = strstr(out.len ? out.data : "",
					     "ResumeTimeout=");
				expect((set != NULL) == !i, "%u: %s", suspend,
				       out.data);
				s.resume = i ? s.resume
					     : (uint32_t)atoi(set + 14) - 1;
				if (!i && (5 * (int64_t)(suspend + s.resume) >=
					   100 + (boots ? s.resume : 0)))
					ck_abort_msg("%u is too much",
						     s.resume + 1);
				s.resume += !i;
			}
		}
	slu_buf_reset(&out);
	slu_advice(&bad, &conf, &out);
	each(w, words) expect(strstr(out.data, *w), "%s", *w);
	slu_buf_reset(&out);
	slu_advice(&none, &conf, &out);
	expect(!out.len, "%s", out.data);
	conf.n_fs = 1;
	slu_advice(&none, &conf, &out);
	expect(strstr(out.data, "no job gets a file system"), "%s", out.data);
	slu_buf_free(&out);
}
END_TEST

TEST_MAIN("ctl_parts", test_times, test_shows_buffer, test_map_against_array,
	  test_queue, test_mirror, test_mirror_rows, test_mirror_kept,
	  test_done_is_heard_again, test_history_bound, test_history_corrected,
	  test_advice)

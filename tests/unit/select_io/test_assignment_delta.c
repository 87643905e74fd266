/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests assignments of I/O nodes sent as differences: a random assignment and
 * its delta give the new one; a delta without its base is refused. */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include "select_io/ion/assignment_delta.h"

#define JOBS 12

/* An assignment of some of the jobs 1 to JOBS; a few texts and numbers. */
static void make(uint64_t *seed, uint64_t epoch, struct slu_assignment *a)
{
	static const char *const ions[] = {"io1", "io[1-2]", "", "io3"};

	*a = (struct slu_assignment){
		.epoch = epoch,
		.policy = strdup("MCKP"),
		.event = slu_random(seed, 2) ? strdup("start 7") : NULL,
		.total = (double)epoch,
		.jobs = calloc(JOBS, sizeof(*a->jobs)),
	};
	for (uint32_t id = 1; id <= JOBS; id++) {
		struct slu_ion_share *s = &a->jobs[a->n_jobs];
		const char *text = ions[slu_random(seed, 4)];

		if (slu_random(seed, 4) == 0)
			continue;
		a->n_jobs++;
		s->job_id = id;
		s->name = strdup("app");
		s->ions = strdup(text);
		s->why = strdup(slu_random(seed, 3) ? "history" : "table");
		s->wanted = (uint32_t)slu_random(seed, 2);
		s->n_curve = slu_random(seed, 3);
		s->curve = calloc(s->n_curve + 1, sizeof(*s->curve));
		for (size_t i = 0; i < s->n_curve; i++)
			s->curve[i].mean = (double)slu_random(seed, 2);
	}
}

static char *text_of(const struct slu_assignment *a)
{
	return slu_encode_text(&slu_assignment_desc, a);
}

/* What arrives as a difference is what was meant, through the message. */
START_TEST(test_round_trips)
{
	uint64_t seed = 11;
	size_t sent = 0, whole = 0;

	for (uint64_t n = 1; n <= 300; n++) {
		struct slu_assignment before, now, delta, heard, taken;
		char *line, *want, *got;
		struct slu_err err;

		make(&seed, n, &before);
		make(&seed, n + 1, &now);
		ck_assert_int_eq(slu_delta_make(&before, &now, &delta), 0);
		sent += delta.n_jobs;
		whole += now.n_jobs;
		line = text_of(&delta);
		slu_delta_free(&delta);
		expect_ok(slu_decode_text(&slu_assignment_desc, line,
					  strlen(line), &heard, &err),
			  err);
		expect_ok(slu_decode_text(&slu_assignment_desc, line,
					  strlen(line), &taken, &err),
			  err);
		expect_ok(slu_delta_apply(&before, &heard, &err), err);
		ck_assert_int_eq(slu_delta_take(&before, &taken), 0);
		want = text_of(&now);
		got = text_of(&heard);
		ck_assert_str_eq(got, want);
		free(got);
		got = text_of(&before);
		ck_assert_str_eq(got, want);
		free(got);
		got = text_of(&taken);
		ck_assert_ptr_null(strstr(got, "job_id"));
		free(got);
		free(want);
		free(line);
		slu_msg_clear(&slu_assignment_desc, &heard);
		slu_msg_clear(&slu_assignment_desc, &now);
		slu_msg_clear(&slu_assignment_desc, &before);
	}
	ck_assert_uint_lt(sent, whole);
}
END_TEST

START_TEST(test_delta_needs_its_base)
{
	struct slu_assignment before, now, delta;
	uint64_t seed = 3;
	struct slu_err err;
	char *want, *got;

	make(&seed, 5, &before);
	make(&seed, 6, &now);
	want = text_of(&now);
	expect_ok(slu_delta_apply(NULL, &now, &err), err); /* whole */
	got = text_of(&now);
	ck_assert_str_eq(got, want);
	free(got);
	free(want);
	slu_msg_clear(&slu_assignment_desc, &now);

	make(&seed, 6, &now);
	now.base = 4;
	want = text_of(&now);
	expect_fail(slu_delta_apply(&before, &now, &err), err, SLU_INVALID,
		    "6 is based on 4");
	expect_fail(slu_delta_apply(NULL, &now, &err), err, SLU_INVALID,
		    "not here");
	got = text_of(&now);
	ck_assert_str_eq(got, want);
	free(got);
	free(want);
	slu_msg_clear(&slu_assignment_desc, &now);

	ck_assert_int_eq(slu_delta_make(&before, &before, &delta), 0);
	ck_assert_uint_eq(delta.n_jobs + delta.n_gone, 0);
	slu_delta_free(&delta);
	slu_msg_clear(&slu_assignment_desc, &before);
}
END_TEST

TEST_MAIN("assignment_delta", test_round_trips, test_delta_needs_its_base)

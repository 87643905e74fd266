/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the compact encoding of rows (wire/rows.c) against the JSON of the same
 * rows. */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include "wire/rows.h"

static char *json(const struct slu_history_row *row)
{
	struct slu_history_row copy = *row;

	copy.io_bandwidth = slu_row_bandwidth(row);
	return slu_encode_text(&slu_history_row_desc, &copy);
}

static void round_trip(const struct slu_history_row *row, size_t n)
{
	struct slu_buf text = {0};
	struct slu_history_row got;
	struct slu_err err = {0};
	char *at;

	for (size_t i = 0; i < n; i++)
		slu_row_pack(&row[i], &text);
	at = text.data;
	for (const char *c = at; *c; c++)
		ck_assert((unsigned char)*c >= ' ' && *c != '"' && *c != '\\');
	for (size_t i = 0; i < n; i++) {
		char *want = json(&row[i]), *is;

		ck_assert_msg(slu_row_unpack(&at, &got, &err) == 1, "%s",
			      err.text);
		is = slu_encode_text(&slu_history_row_desc, &got);
		ck_assert_str_eq(is, want);
		free(is);
		free(want);
	}
	ck_assert_int_eq(slu_row_unpack(&at, &got, &err), 0);
	slu_buf_free(&text);
}

START_TEST(test_extremes)
{
	char every[256];
	const struct slu_history_row row[] = {
		{.job.uid = 0},
		{.job = {.uid = UINT32_MAX,
			 .node_cnt = 1,
			 .limit_asked = UINT32_MAX - 1,
			 .submit = INT64_MAX,
			 .start = INT64_MIN,
			 .end = -1,
			 .ions = SLU_NO_ID,
			 .job_id = UINT32_MAX,
			 .suspended = INT64_MIN,
			 .prepared = 10}},
		{.job = {.name = "", .account = "%", .request = ",;\"\\"}},
		{.job = {.name = every, .partition = "b;", .state = ",c"}},
		{.job = {.start = 10, .end = 1510},
		 .read_bytes = 1.5e18,
		 .written_bytes = 0.1,
		 .calls = 9007199254740993.0,
		 .called_bytes = -1e-300,
		 .shared_bytes = 1e15,
		 .consecutive = 999999999999999.0},
	};

	for (int i = 0; i < 255; i++)
		every[i] = (char)(i + 1);
	every[255] = '\0';
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		round_trip(&row[i], 1);
	round_trip(row, sizeof(row) / sizeof(row[0]));
}
END_TEST

static char *random_text(uint64_t *seed, char *to, size_t size)
{
	size_t n = slu_random(seed, size);

	if (slu_random(seed, 4) == 0)
		return NULL;
	for (size_t i = 0; i < n; i++)
		to[i] = slu_random(seed, 3) ? "%,;09AF-"[slu_random(seed, 8)]
					    : (char)(1 + slu_random(seed, 255));
	to[n] = '\0';
	return to;
}

static int64_t random_number(uint64_t *seed)
{
	uint64_t all = slu_random(seed, 1u << 31) << 33 |
		       slu_random(seed, 1u << 31) << 2;
	int64_t value = (int64_t)(all >> slu_random(seed, 64));

	return slu_random(seed, 2) ? value : -value;
}

START_TEST(test_random)
{
	uint64_t seed = 3;
	char text[5][9];

	for (int i = 0; i < 3000; i++) {
		struct slu_history_row row = {
			.job = {.uid = (uint32_t)random_number(&seed),
				.node_cnt = (uint32_t)random_number(&seed),
				.submit = random_number(&seed),
				.start = random_number(&seed) >> 8,
				.end = random_number(&seed) >> 8,
				.name = random_text(&seed, text[0], 9),
				.account = random_text(&seed, text[1], 9),
				.partition = random_text(&seed, text[2], 9),
				.state = random_text(&seed, text[3], 9),
				.request = random_text(&seed, text[4], 9),
				.prepared = random_number(&seed)},
			.read_bytes = (double)random_number(&seed) / 3,
			.written_bytes = (double)random_number(&seed),
			.calls = (double)random_number(&seed) / 7e9};

		round_trip(&row, 1);
	}
}
END_TEST

START_TEST(test_refused)
{
	static const char *const list[] = {
		"1",
		"1,2",
		"x;",
		"-;",
		"-1;",
		"1.5;",
		"+1;",
		" 1;",
		"0x10;",
		"4294967296;",
		"1,2,3,9223372036854775808;",
		"1,2,3,99999999999999999999;",
		",,,,,,%4;",
		",,,,,,%00;",
		",,,,,,a%;",
		",,,,,,%4g,;",
		",,,,,,%3B%3B%,%3B;",
		",,,,,,%%;",
		",,,,,,,,,,,,,nan;",
		",,,,,,,,,,,,,inf;",
		",,,,,,,,,,,,,1e999;",
		",,,,,,,,,,,,,1x;",
		",,,,,,,,,,,,,-;",
		",,,,,,,,,,,,,0.5.;",
		",,,1,2,x,a%41,%2C%3B%,;",
	};

	each(text, list)
	{
		bool ends = strchr(*text, ';');
		char *copy = slu_asprintf("%s%s", *text, ends ? "8;" : ""),
		     *at = copy;
		struct slu_history_row row = {.job.uid = 7};
		struct slu_err err;

		expect_fail(slu_row_unpack(&at, &row, &err), err, SLU_INVALID,
			    "rows: ");
		ck_assert_uint_eq(row.job.uid, 7);
		/* the row behind it is understood */
		ck_assert_int_eq(slu_row_unpack(&at, &row, &err), ends);
		ck_assert_uint_eq(row.job.uid, ends ? 8 : 7);
		ck_assert_int_eq(slu_row_unpack(&at, &row, &err), 0);
		free(copy);
	}
}
END_TEST

/* Of an older release, and of a newer one. */
START_TEST(test_other_columns)
{
	char text[] = "1,2;;3,4,5,,,,n,,,,,,,,,,,,6.5,77,9,new,5,%,%zz;8;",
	     *at = text;
	struct slu_history_row row;
	struct slu_err err;

	ck_assert_int_eq(slu_row_unpack(&at, &row, &err), 1);
	ck_assert_uint_eq(row.job.node_cnt, 2);
	ck_assert_int_eq(slu_row_unpack(&at, &row, &err), 1);
	ck_assert_uint_eq(row.job.uid, 0);
	ck_assert_int_eq(slu_row_unpack(&at, &row, &err), 1);
	ck_assert_str_eq(row.job.name, "n");
	ck_assert_ptr_null(row.job.account);
	ck_assert_double_eq(row.consecutive, 6.5);
	ck_assert_uint_eq(row.job.job_id, 77);
	ck_assert_int_eq(row.job.suspended, 9);
	ck_assert_double_eq(row.metadata_ops, 5);
	ck_assert_int_eq(slu_row_unpack(&at, &row, &err), 1);
	ck_assert_uint_eq(row.job.uid, 8);
	ck_assert_int_eq(slu_row_unpack(&at, &row, &err), 0);
}
END_TEST

TEST_MAIN("rows", test_extremes, test_random, test_refused, test_other_columns)

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests names of Lustre's file systems, and the text of what of a job's I/O
 * went to which of them. */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include "wire/fs_shares.h"

START_TEST(test_names)
{
	static const struct {
		const char *target, *fs; /* NULL: none */
	} cases[] = {
		{"scratch-OST0001", "scratch"},
		{"a-b-MDT00ff", "a-b"},
		{"f-OST0000", "f"},
		{"scratch_OST0001", NULL},
		{"-OST0001", NULL},
		{"toolongname-OST0001", NULL},
		{"scratch-MDD0001", NULL},
		{"a b-OST0001", NULL},
		{"", NULL},
		{"MGS", NULL},
	};
	char fs[SLU_FS_NAME];

	each(c, cases)
	{
		ck_assert(slu_fs_name_of_target(c->target, fs) == !!c->fs);
		if (c->fs)
			ck_assert_str_eq(fs, c->fs);
	}
	ck_assert(slu_fs_name_is_valid("scratch") &&
		  slu_fs_name_is_valid("A_9-b") && !slu_fs_name_is_valid("") &&
		  !slu_fs_name_is_valid("ninechars") &&
		  !slu_fs_name_is_valid("/home") && !slu_fs_name_is_valid("?"));
}
END_TEST

/* Against sums that are kept beside the text. */
START_TEST(test_shares)
{
	static const char *const names[] = {"scratch", "home", SLU_FS_UNKNOWN};
	uint64_t seed = 3;

	for (int round = 0; round < 500; round++) {
		double sum[3] = {0}, ops[3] = {0};
		struct slu_buf text = {0};
		struct slu_fs_share is;
		unsigned known;

		for (size_t n = slu_random(&seed, 6); n > 0; n--) {
			size_t i = slu_random(&seed, 3);
			struct slu_fs_share one = {
				.read_bytes = (double)slu_random(&seed, 3),
				.written_bytes = 1e15 * (double)(n % 2),
				.metadata_ops = (double)slu_random(&seed, 2)};

			slu_copy(one.fs, sizeof(one.fs), names[i]);
			slu_fs_share_put(&text, &one);
			sum[i] += one.read_bytes + one.written_bytes;
			ops[i] += one.metadata_ops;
		}
		for (int i = 0; i < 2; i++) {
			known = slu_fs_share_of(text.data, names[i], &is);
			ck_assert_str_eq(is.fs, names[i]);
			ck_assert_double_eq(is.read_bytes + is.written_bytes,
					    sum[i] + sum[2]);
			ck_assert_double_eq(is.metadata_ops, ops[i] + ops[2]);
			ck_assert(!(known & SLU_FS_BYTES) ==
				  !(sum[0] + sum[1] > 0));
			ck_assert(!(known & SLU_FS_OPS) ==
				  !(ops[0] + ops[1] > 0));
		}
		slu_buf_free(&text);
	}
}
END_TEST

START_TEST(test_no_shares)
{
	static const char *const wrong[] = {
		"scratch",
		"scratch 1 2 3",
		"scratch 1 2 3 4 5",
		"a 1 2 3 4,",
		"a 1 2 3 4,,",
		",a 1 2 3 4",
		"a -1 2 3 4",
		"a 1 2 3 4b",
		"a 1 2 3 1e999",
		"/home 1 2 3 4",
		"ninechars 1 2 3 4",
		" 1 2 3 4",
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa 1 2 3 4",
	};
	struct slu_fs_share share;

	each(w, wrong)
	{
		const char *at = *w;
		int rc;

		while ((rc = slu_fs_share_next(&at, &share)) > 0)
			;
		expect(rc < 0, "\"%s\" is taken", *w);
	}
}
END_TEST

TEST_MAIN("fs_shares", test_names, test_shares, test_no_shares)

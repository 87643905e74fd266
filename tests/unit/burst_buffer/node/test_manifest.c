/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the manifest, the list of files to stage: what is written is read back
 * equal; a file that is cut at any length is an error, never a shorter list. */
#include "config.h"
#include "tests/unit/harness.h"
#include <limits.h>
#include "burst_buffer/staging/manifest.h"
#include "burst_buffer/staging/share.h"

#define BIG (1ull << 62)

static const struct slu_entry entries[] = {
	{'d', 0755, 0, {1700000000, 0}, {1700000001, 1}, "", ""},
	{'d', 0700, 0, {1700000001, 999999999}, {0, 0}, "a dir", ""},
	{'f', 0644, 0, {0, 0}, {1700000002, 999999999}, "a dir/empty", ""},
	{'f', 0, BIG, {-5, 1}, {-7, 5}, "a dir/new\nline \xff\"'", ""},
	{'l', 0777, 0, {12, 34}, {1, 0}, "end\n", "../../etc/passwd\n"},
	{'f', 0777, 17, {1, 2}, {12345678901, 2}, "...", ""},
	{'D', 0500, 0, {1700000001, 999999999}, {3, 4}, "a dir", ""},
};
#define N (sizeof(entries) / sizeof(entries[0]))

static FILE *written(void)
{
	struct slu_err err;
	FILE *f = tmpfile();
	struct slu_manifest_out out = {.file = f};

	ck_assert(!slu_manifest_begin(&out, &err));
	for (size_t i = 0; i < N; i++)
		ck_assert(!slu_manifest_add(&out, &entries[i], &err));
	ck_assert(!slu_manifest_end(&out, &err));
	rewind(f);
	return f;
}

START_TEST(test_round_trip)
{
	struct slu_totals t;
	struct slu_err err;
	struct slu_entry e;
	FILE *f = written();
	struct slu_manifest *m = slu_manifest_open(f, &t, &err);

	ck_assert_ptr_nonnull(m);
	ck_assert_uint_eq(t.files, 4);
	ck_assert_uint_eq(t.bytes, BIG + 17);
	ck_assert_uint_eq(t.cost, BIG + 17 + 3 * SLU_STAGE_FILE_COST);
	for (size_t i = 0; i < N; i++) {
		ck_assert_int_eq(slu_manifest_next(m, &e, &err), 1);
		ck_assert_int_eq(e.kind, entries[i].kind);
		ck_assert_uint_eq(e.mode, entries[i].mode);
		ck_assert_uint_eq(e.size, entries[i].size);
		ck_assert_int_eq(e.mtime.tv_sec, entries[i].mtime.tv_sec);
		ck_assert_int_eq(e.mtime.tv_nsec, entries[i].mtime.tv_nsec);
		ck_assert_int_eq(e.ctime.tv_sec, entries[i].ctime.tv_sec);
		ck_assert_int_eq(e.ctime.tv_nsec, entries[i].ctime.tv_nsec);
		ck_assert_str_eq(e.path, entries[i].path);
		ck_assert_str_eq(e.link, entries[i].link);
	}
	ck_assert_int_eq(slu_manifest_next(m, &e, &err), 0);
	ck_assert_int_eq(slu_manifest_next(m, &e, &err), 0);
	slu_manifest_free(m);
	fclose(f);
}
END_TEST

/* Whatever length of it is on disk: an error, never a shorter list. */
START_TEST(test_cut_off)
{
	FILE *f = written();
	char all[4096];
	size_t len = fread(all, 1, sizeof(all), f);

	fclose(f);
	for (size_t cut = 1; cut < len; cut++) {
		struct slu_totals t;
		struct slu_entry e;
		struct slu_err err;
		FILE *part = fmemopen(all, cut, "r");
		struct slu_manifest *m = slu_manifest_open(part, &t, &err);
		int rc = m ? 1 : -1;

		while (rc == 1)
			rc = slu_manifest_next(m, &e, &err);
		ck_assert_msg(rc == -1, "accepted when cut to %zu", cut);
		ck_assert_int_eq(err.kind, SLU_INVALID);
		slu_manifest_free(m);
		fclose(part);
	}
}
END_TEST

START_TEST(test_unfinished)
{
	struct slu_totals t;
	struct slu_err err;
	FILE *f = tmpfile();
	struct slu_manifest_out out = {.file = f};

	ck_assert(!slu_manifest_begin(&out, &err));
	ck_assert(!slu_manifest_add(&out, &entries[0], &err));
	rewind(f);
	ck_assert_ptr_null(slu_manifest_open(f, &t, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "it is incomplete"));
	fclose(f);
}
END_TEST

#define HEAD "sluice-manifest 2\n"
#define TAIL                                            \
	"marks 0\n"                                     \
	"end 00000000000000000001 00000000000000000001" \
	" 00000000000000000001 %020zu\n"

static const struct {
	const char *record;
	size_t len; /* 0: strlen */
} hostile[] = {
	{"f 644 1 0.000000000 9 0\n../passwd\n", 0},
	{"f 644 1 0.000000000 2 0\n..\n", 0},
	{"f 644 1 0.000000000 4 0\na/..\n", 0},
	{"f 644 1 0.000000000 4 0\n/etc\n", 0},
	{"f 644 1 0.000000000 4 0\na//b\n", 0},
	{"f 644 1 0.000000000 3 0\na/.\n", 0},
	{"f 644 1 0.000000000 2 0\na/\n", 0},
	{"f 644 1 0.000000000 3 0\na\0b\n", 28},
	{"l 644 1 0.000000000 1 3\naa\0b\n", 29},
	{"x 644 1 0.000000000 1 0\na\n", 0},
	{"f 17777 1 0.000000000 1 0\na\n", 0},
	{"f 644 -1 0.000000000 1 0\na\n", 0},
	{"f 644 1 0.1000000000 1 0\na\n", 0},
	{"f 644 1 0.-1 1 0\na\n", 0},
	{"f 644 1 0.000000000 65536 0\na\n", 0},
	{"f 644 1 0.000000000 18446744073709551615 0\na\n", 0},
	{"f 644 1 0.000000000 2 0\na\n", 0},
	{"f 644 1 0.000000000 1\na\n", 0},
	{"\n", 0},
	{"END\n", 0},
};

static void check_refused(size_t _i)
{
	struct slu_totals t;
	struct slu_entry e;
	struct slu_err err;
	char text[512], tail[200];
	size_t n =
		hostile[_i].len ? hostile[_i].len : strlen(hostile[_i].record);
	FILE *f;
	struct slu_manifest *m;

	memcpy(text, HEAD, strlen(HEAD));
	memcpy(text + strlen(HEAD), hostile[_i].record, n);
	snprintf(tail, sizeof(tail), TAIL, strlen(HEAD) + n);
	memcpy(text + strlen(HEAD) + n, tail, strlen(tail));
	f = fmemopen(text, strlen(HEAD) + n + strlen(tail), "r");
	m = slu_manifest_open(f, &t, &err);
	ck_assert_ptr_nonnull(m);
	ck_assert_int_eq(slu_manifest_next(m, &e, &err), -1);
	ck_assert_int_eq(err.kind, SLU_INVALID);
	slu_manifest_free(m);
	fclose(f);
}

START_TEST(test_refused)
{
	each(h, hostile) check_refused((size_t)(h - hostile));
}
END_TEST

/* By a node that has an older version. */
START_TEST(test_no_change_time)
{
	static const char record[] = "f 644 1 5.000000001 1 0\na\n";
	struct slu_totals t;
	struct slu_entry e;
	struct slu_err err;
	char text[512];
	struct slu_manifest *m;
	FILE *f;
	int n = snprintf(text, sizeof(text), HEAD "%s" TAIL, record,
			 strlen(HEAD) + strlen(record));

	f = fmemopen(text, (size_t)n, "r");
	m = slu_manifest_open(f, &t, &err);
	ck_assert_ptr_nonnull(m);
	ck_assert_int_eq(slu_manifest_next(m, &e, &err), 1);
	ck_assert_int_eq(e.mtime.tv_sec, 5);
	ck_assert_int_eq(e.ctime.tv_sec, 0);
	ck_assert_int_eq(e.ctime.tv_nsec, 0);
	ck_assert_int_eq(slu_manifest_next(m, &e, &err), 0);
	slu_manifest_free(m);
	fclose(f);
}
END_TEST

START_TEST(test_too_long)
{
	struct slu_entry e = entries[2];
	struct slu_err err;
	char *path = malloc(SLU_STAGE_PATH_MAX + 2);
	FILE *f = tmpfile();
	struct slu_manifest_out out = {.file = f};

	memset(path, 'x', SLU_STAGE_PATH_MAX + 1);
	path[SLU_STAGE_PATH_MAX + 1] = '\0';
	e.path = path;
	ck_assert(!slu_manifest_begin(&out, &err));
	ck_assert_int_eq(slu_manifest_add(&out, &e, &err), -1);
	ck_assert_int_eq(err.kind, SLU_INVALID);
	e.path++;
	ck_assert_int_eq(slu_manifest_add(&out, &e, &err), 0);
	fclose(f);
	free(path);
}
END_TEST

/* Reading from the beginning of any share gives the same entries as reading
 * everything. */
START_TEST(test_seek)
{
	enum { FILES = 200000 };
	struct slu_entry e = {.kind = 'f', .mode = 0600, .link = ""};
	struct slu_err err;
	struct slu_totals t;
	FILE *f = tmpfile();
	struct slu_manifest_out out = {.file = f};
	struct slu_manifest *m;
	uint64_t at;
	char path[20];

	e.path = path;
	ck_assert(!slu_manifest_begin(&out, &err));
	for (int i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "%d", i);
		e.kind = i % 10 ? 'f' : 'd';
		e.size = (uint64_t)i % 1000 * 1000;
		ck_assert(!slu_manifest_add(&out, &e, &err));
	}
	ck_assert(!slu_manifest_end(&out, &err));
	m = slu_manifest_open(f, &t, &err);
	ck_assert_ptr_nonnull(m);
	for (int i = 0; i <= 100; i++) {
		uint64_t to = t.cost / 100 * (uint64_t)i, sum = 0;
		long n = -1, first;

		ck_assert(!slu_manifest_seek(m, to, &at, &err));
		ck_assert_uint_le(at, to);
		while (slu_manifest_next(m, &e, &err) == 1) {
			first = strtol(e.path, NULL, 10);
			ck_assert(n < 0 || first == n + 1);
			if (n < 0) /* not too much is read in vain */
				ck_assert_uint_le(to - at, t.cost / 200);
			n = first;
			sum += e.kind == 'f' ? slu_share_cost(e.size) : 0;
			if (i % 10)
				break;
		}
		ck_assert(i % 10 || at + sum == t.cost);
	}
	slu_manifest_free(m);
	fclose(f);
}
END_TEST

TEST_MAIN("manifest", test_round_trip, test_cut_off, test_unfinished,
	  test_refused, test_no_change_time, test_too_long, test_seek)

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the measurement of storage with a simulated clock, which advances by a
 * step at each call. */
#include "config.h"
#include "sysmap/measure_storage.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

#include <dirent.h>
#include <fcntl.h>
#include "common/jsonx.h"

#define MIB SLU_MEASURE_BLOCK

static struct slu_err err;
static double time_now, time_step;

/* Time passes by a step with every look at the clock. */
static double fake_clock(void)
{
	return time_now += time_step;
}

static int open_dir(const char *path)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	ck_assert_int_ge(dir, 0);
	return dir;
}

static size_t entries(const char *path)
{
	DIR *dir = opendir(path);
	size_t n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2; /* . and .. */
}

/* The limit in bytes ends it, and nothing is left. */
START_TEST(test_bytes)
{
	static const struct {
		uint64_t limit, want;
	} cases[] = {{MIB, MIB}, {4 * MIB, 4 * MIB}, {3 * MIB + 4095, 3 * MIB}};
	int dir = open_dir(tmpdir());
	struct slu_measure_limits limits = {.seconds = 1e9};
	struct slu_measured m;

	time_step = 1.0 / 1024;
	each(c, cases)
	{
		limits.bytes = c->limit;
		expect_ok(slu_measure(dir, &limits, fake_clock, &m, &err), err);
		ck_assert_uint_eq(m.bytes, c->want);
		ck_assert(m.write > 0 && m.read > 0 && m.small_reads > 0);
	}
	/* the file of 3 MiB was read in three looks: 1 MiB each 1/1024 s */
	ck_assert_double_eq(m.read, 1024.0 * MIB);
	ck_assert_double_eq(m.small_reads, 1024);
	ck_assert_uint_eq(entries(tmpdir()), 0);
	close(dir);
}
END_TEST

/* The limit in seconds does, too: a second for each part, a request a
 * quarter. */
START_TEST(test_seconds)
{
	struct slu_measure_limits limits = {.bytes = 64 * MIB, .seconds = 3};
	int dir = open_dir(tmpdir());
	struct slu_measured m;

	time_step = 0.25;
	expect_ok(slu_measure(dir, &limits, fake_clock, &m, &err), err);
	ck_assert_uint_eq(m.bytes, 4 * MIB);
	ck_assert_double_eq(m.small_reads, 4);
	ck_assert_double_le(m.seconds, 4.5); /* looks at the clock count */
	close(dir);
}
END_TEST

START_TEST(test_faults)
{
	struct slu_measure_limits limits = {.bytes = MIB - 1, .seconds = 1};
	struct slu_measured m = {.bytes = 17};
	int dir = open_dir(tmpdir());

	expect_fail(slu_measure(dir, &limits, fake_clock, &m, &err), err,
		    SLU_NOMEM, "too little space");
	close(dir);
	limits.bytes = MIB;
	dir = open_dir("/proc");
	ck_assert_int_eq(slu_measure(dir, &limits, fake_clock, &m, &err), -1);
	close(dir);
	ck_assert_uint_eq(m.bytes, 17);
}
END_TEST

START_TEST(test_document)
{
	struct slu_measure_limits limits = {.bytes = 4 * MIB, .seconds = 3};
	struct slu_measured m = {.bytes = MIB,
				 .write = 1e9,
				 .read = 2.5e9,
				 .small_reads = 12345.6,
				 .seconds = 1.23456};
	struct json_object *obj = slu_measured_json("/scratch", &limits, &m);

	ck_assert_str_eq(slu_json_text(obj),
			 "{\"path\":\"/scratch\",\"write_bytes_per_s\":"
			 "1000000000,\"read_bytes_per_s\":2500000000,"
			 "\"small_reads_per_s\":12345,\"bytes\":1048576,"
			 "\"seconds\":1.234,\"limit_bytes\":4194304,"
			 "\"limit_seconds\":3}");
	json_object_put(obj);
}
END_TEST

TEST_MAIN("measure", test_bytes, test_seconds, test_faults, test_document)

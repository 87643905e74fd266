/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the parsing and formatting of sizes, times and rates. */
#include "config.h"
#include "tests/unit/harness.h"
#include "common/size.h"
#include "common/str.h"
#include <math.h>

#define KI UINT64_C(1024)

START_TEST(test_sizes)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} cases[] = {
		{"1", 1},
		{"17B", 17},
		{"007 b", 7},
		{"1K", KI},
		{"1k", KI},
		{"10GiB", 10 * KI * KI * KI},
		{"10GB", UINT64_C(10000000000)},
		{"2.1TiB", UINT64_C(2308974418330)},
		{"1.5P", 3 * KI * KI * KI * KI * KI / 2},
		{" 200 MiB ", 200 * KI * KI},
		{"200\tmib\n", 200 * KI * KI},
		{"10.1234567MB", 10123457},
		{"0.5KB", 500},
		{"0.5B", 1},
		{"0.0005KB", 1},
		{"1.0000000000000000000000000001B", 1},
		{"9223372036854775807", INT64_MAX},
		{"8191PiB", 8191 * KI * KI * KI * KI * KI},
		{"9223.372036854775807PB", INT64_MAX},
	};
	struct slu_err err;

	each(c, cases)
	{
		uint64_t bytes = 0;

		expect_ok(slu_size_parse(c->text, &bytes, &err), err);
		expect(bytes == c->bytes, "%s: %ju", c->text, (uintmax_t)bytes);
	}
}
END_TEST

START_TEST(test_bad_sizes)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{"", "\"\" is not a positive number"},
		{"-1", "not a positive number"},
		{"+1", "not a positive number"},
		{".5G", "not a positive number"},
		{"GiB", "not a positive number"},
		{"0", "\"0\" is zero"},
		{"0.4B", "is zero"},
		{"1.GB", "no known unit"},
		{"1e3", "no known unit"},
		{"0x10", "no known unit"},
		{"1Ki", "no known unit"},
		{"1KBB", "no known unit"},
		{"1kibb", "no known unit"},
		{"1EiB", "no known unit"},
		{"1 G iB", "no known unit"},
		{"1G,", "no known unit"},
		{"9223372036854775808", "too large"},
		{"8192PiB", "too large"},
		{"99999999999999999999999999999999999999999999P", "too large"},
	};
	struct slu_err err;

	each(c, cases)
	{
		uint64_t bytes = 42;

		expect_fail(slu_size_parse(c->text, &bytes, &err), err,
			    SLU_INVALID, c->words);
		expect(bytes == 42, "%s", c->text);
	}
}
END_TEST

/* A rate in bits is never taken for one in bytes. */
START_TEST(test_rate_parse)
{
	static const struct {
		const char *text;
		uint64_t bytes; /* 0: refused, and */
		const char *words;
	} cases[] = {
		{"2GB/s", 2000000000, NULL},
		{"2GB", 2000000000, NULL},
		{"2 GiB /s", UINT64_C(2) << 30, NULL},
		{"2G/S", UINT64_C(2) << 30, NULL},
		{"5/s", 5, NULL},
		{"2Gb/s", 0, "\"2Gb/s\": bits? bytes are B, as in 200GB/s or "},
		{"2gb/s", 0, "bits?"},
		{"2Gib/s", 0, "bits?"},
		{"800 b", 0, "bits?"},
		{"2Gbit/s", 0, "such as 200GB/s: size \"2Gbit\""},
		{"2Gbps", 0, "no known unit"},
		{"2GB/h", 0, "no known unit"},
		{"/s", 0, "not a positive number"},
		{"", 0, "not a positive number"},
	};
	struct slu_err err;

	each(c, cases)
	{
		uint64_t bytes = 0;

		if (c->bytes)
			expect_ok(slu_rate_parse(c->text, &bytes, &err), err);
		else
			expect_fail(slu_rate_parse(c->text, &bytes, &err), err,
				    SLU_INVALID, c->words);
		expect(bytes == c->bytes, "%s: %ju", c->text, (uintmax_t)bytes);
	}
}
END_TEST

START_TEST(test_size_text)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {
		{0, "0B"},
		{17, "17B"},
		{1023, "1023B"},
		{KI, "1KiB"},
		{KI * 3 / 2, "1.5KiB"},
		{200 * KI * KI, "200MiB"},
		{KI * KI - 1, "1MiB"},
		{KI * KI * KI * 3 / 2, "1.5GiB"},
		{UINT64_MAX, "16384PiB"},
	};
	char text[SLU_SIZE_TEXT];

	each(c, cases) ck_assert_str_eq(slu_size_text(c->bytes, text), c->text);
}
END_TEST

START_TEST(test_seconds)
{
	static const struct {
		const char *text;
		int64_t seconds;
	} cases[] = {
		{"0", 0},
		{"90", 90},
		{" 90 ", 90},
		{"30s", 30},
		{"15m", 900},
		{"15M", 900},
		{"12h", 43200},
		{"2d", 172800},
		{"3:05", 185},
		{"90:00", 5400},
		{"2:03:04", 7384},
		{"100:00:00", 360000},
		{"1-2", 93600},
		{"1-02:03", 93780},
		{"1-02:03:04", 93784},
		{"999999999d", INT64_C(86399999913600)},
	};
	struct slu_err err;

	each(c, cases)
	{
		int64_t seconds = -1;

		expect_ok(slu_seconds_parse(c->text, &seconds, &err), err);
		expect(seconds == c->seconds, "%s: %jd", c->text,
		       (intmax_t)seconds);
	}
}
END_TEST

START_TEST(test_bad_seconds)
{
	static const char *const cases[] = {
		"",	   "-1",	 "+1",
		"x",	   "1x",	 "1.5",
		"1:",	   ":1",	 "1:60",
		"1:2:3:4", "1-",	 "1-24",
		"1-2:",	   "1-2:60",	 "1-2:3:4:5",
		"1-2h",	   "1hs",	 "1 2",
		"1::2",	   "9999999999", "1:0000000001",
		"1 - 2",   "UNLIMITED",
	};
	struct slu_err err;

	each(c, cases)
	{
		int64_t seconds = 42;

		expect_fail(slu_seconds_parse(*c, &seconds, &err), err,
			    SLU_INVALID, *c);
		expect(seconds == 42, "%s", *c);
	}
}
END_TEST

START_TEST(test_seconds_text)
{
	static const struct {
		double seconds;
		const char *text;
	} cases[] = {
		{0, "0.00 s"},
		{0.35, "0.35 s"},
		{9.994, "9.99 s"},
		{9.996, "10.0 s"},
		{12.34, "12.3 s"},
		{59.96, "1:00"},
		{185, "3:05"},
		{3599.6, "1:00:00"},
		{7384, "2:03:04"},
		{93784, "1-02:03:04"},
		{-185, "-3:05"},
		{NAN, "unknown"},
		{INFINITY, "unknown"},
		{1e300, "unknown"},
		{9e14, "10416666666-16:00:00"},
	};
	char text[SLU_TIME_TEXT];

	each(c, cases)
		ck_assert_str_eq(slu_seconds_text(c->seconds, text), c->text);
}
END_TEST

START_TEST(test_rate_text)
{
	static const struct {
		double rate;
		const char *text;
	} cases[] = {{0, "0 B/s"},
		     {999, "999 B/s"},
		     {12345678, "12.3 MB/s"},
		     {2e11, "200 GB/s"},
		     {5e18, "5e+03 PB/s"}};
	char text[SLU_RATE_TEXT];

	each(c, cases) ck_assert_str_eq(slu_rate_text(c->rate, text), c->text);
}
END_TEST

TEST_MAIN("size", test_rate_parse, test_rate_text, test_sizes, test_bad_sizes,
	  test_size_text, test_seconds, test_bad_seconds, test_seconds_text)

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the report of an OST server about its load and targets. */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/select_io/recorded.h"
#include "tests/unit/select_io/server_files.h"
#include "tests/unit/tmpdir.h"
#include <math.h>
#include <sys/stat.h>
#include "common/jsonx.h"
#include "select_io/ost/server_report.h"

START_TEST(test_index)
{
	static const struct {
		const char *name;
		long index;
	} cases[] = {
		{"fs-OST0000", 0},  {"fs-OST001a", 26},	 {"a-b-OSTffff", 65535},
		{"fs-MDT0000", -1}, {"fs-OST", -1},	 {"fs-OST00zz", -1},
		{"OST0001", -1},    {"fs-OST10000", -1},
	};

	each(c, cases) expect(slu_ost_index(c->name) == c->index, "%s: %ld",
			      c->name, slu_ost_index(c->name));
}
END_TEST

static const char plain[] =
	"snapshot_time:         1700000000.1 (secs.nsecs)\n\n"
	"                           read      |     write\n"
	"I/O time (1/1000s)     ios   % cum % |  ios         % cum %\n"
	"1:\t\t        16   0   0   |    0   0   0\n"
	"2K:\t\t         0   0   0   |    4   0   0\n\n"
	"disk I/O size          ios   % cum % |  ios         % cum %\n"
	"32K:\t\t        36   0   0   |    4  11  11\n";

START_TEST(test_histograms)
{
	struct slu_buf text = {0};

	ck_assert_double_eq(slu_ost_io(plain, SLU_OST_IO_TIME),
			    (4 + 2048) / 5.0);
	ck_assert_double_eq(slu_ost_io(plain, SLU_OST_IO_SIZE), 32768);
	ck_assert_double_eq(slu_ost_io("", SLU_OST_IO_TIME), -1);
	ck_assert_double_eq(slu_ost_io(SLU_OST_IO_SIZE, SLU_OST_IO_SIZE), -1);
	if (recorded_text("lustre/recorded-2.17.57-ldiskfs/brw_stats.txt",
			  &text)) {
		/* 1 of 4, 3 of 32, 5 of 64; 1 of 32K, 1 of 2M, 7 of 4M */
		ck_assert_double_eq(slu_ost_io(text.data, SLU_OST_IO_TIME),
				    (4 + 3 * 32 + 5 * 64) / 9.0);
		ck_assert_double_eq(slu_ost_io(text.data, SLU_OST_IO_SIZE),
				    (32 + 2048 + 7 * 4096) * 1024 / 9.0);
	}
	slu_buf_free(&text);
	if (recorded_text("lustre/recorded-2.15.8-zfs/brw_stats.txt", &text)) {
		ck_assert(slu_ost_io(text.data, SLU_OST_IO_TIME) >= 0);
		ck_assert(slu_ost_io(text.data, SLU_OST_IO_SIZE) >= 1024);
	}
	slu_buf_free(&text);
}
END_TEST

/* A disk that turns slow is seen within minutes, whatever it did for years; and
 * one that is left alone is not forgotten. */
START_TEST(test_io_mean)
{
	struct slu_ost_io io = {0};
	double now = 5, n = 0, ms = 0, mean;

	ck_assert_double_eq(slu_ost_io_mean(&io, 0, 0, now), -1);
	io = (struct slu_ost_io){0};
	n = 1e9;
	ms = 4e9;
	ck_assert_double_eq_tol(slu_ost_io_mean(&io, n, ms, now), 4, 1e-9);
	for (int k = 0; k < 60; k++) {
		n += 50;
		ms += 50 * 100.0;
		mean = slu_ost_io_mean(&io, n, ms, now += 5);
	}
	expect(mean > 90 && mean <= 100, "%g", mean);
	mean = slu_ost_io_mean(&io, n, ms, now += 3600);
	expect(mean > 90, "%g", mean);
	mean = slu_ost_io_mean(&io, 1000, 2000, now += 5); /* cleared */
	expect(mean > 1.9 && mean < 4, "%g", mean);
	/* of a few I/Os, as those of a mount, nothing is said */
	io = (struct slu_ost_io){0};
	ck_assert_double_eq(slu_ost_io_mean(&io, 19, 38, now), -1);
	ck_assert_double_eq_tol(slu_ost_io_mean(&io, 20, 40, now), 2, 1e-9);
}
END_TEST

START_TEST(test_server)
{
	struct slu_ost_meter meter = {0};
	struct json_object *obj;
	struct slu_err err;
	char root[300];

	snprintf(root, sizeof(root), "%s/root", tmpdir());
	put("proc/stat", "cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 1 2\n");
	put("proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 600 kB\n");
	expect_fail(slu_ost_server_read(root, 1, &meter, &obj, &err), err,
		    SLU_NOTFOUND, "no targets");
	put("proc/fs/lustre/version", "lustre: 2.5.3\nkernel: x\n");
	put("sys/fs/lustre/obdfilter/fs-OST0003/kbytestotal", "1000\n");
	put("sys/fs/lustre/obdfilter/fs-OST0003/kbytesavail", "400\n");
	put("sys/fs/lustre/obdfilter/fs-OST0003/degraded", "1\n");
	put("sys/fs/lustre/obdfilter/fs-OST0004/kbytestotal", "1000\n");
	put("sys/fs/lustre/obdfilter/fs-OST0004/kbytesavail", "900\n");
	put("sys/fs/lustre/obdfilter/strange/kbytestotal", "1000\n");
	put("sys/kernel/debug/lnet/stats", "0 4 0 9 9 0 0 1000 2000 0 0\n");
	expect_ok(slu_ost_server_read(root, 10, &meter, &obj, &err), err);
	ck_assert_str_eq(
		slu_json_text(obj),
		"{\"lustre\":\"2.5.3\",\"memory\":40,\"osts\":[{\"name\":\"fs-OST0003\",\"index\":3,"
		"\"total\":1000,\"available\":400,\"state\":\"degraded\"},"
		"{\"name\":\"fs-OST0004\",\"index\":4,\"total\":1000,"
		"\"available\":900}]}");
	json_object_put(obj);
	put("sys/fs/lustre/version", "2.15.8\n");
	put("proc/stat", "cpu  125 0 100 875 0 0 0 0 0 0\n");
	put("sys/kernel/debug/lnet/stats", "0 4 0 9 9 0 0 2000 6000 0 0\n");
	expect_ok(slu_ost_server_read(root, 15, &meter, &obj, &err), err);
	ck_assert(strstr(slu_json_text(obj),
			 "{\"lustre\":\"2.15.8\",\"cpu\":25,\"memory\":40,"
			 "\"network\":1000,\"osts\":") != NULL);
	json_object_put(obj);
	put("sys/kernel/debug/lustre/osd-zfs/fs-OST0003/brw_stats", plain);
	/* for longer, and faster */
	put("sys/kernel/debug/lnet/stats", "0 4 0 9 9 0 0 1200000 23000 0 0\n");
	expect_ok(slu_ost_server_read(root, 315, &meter, &obj, &err), err);
	ck_assert(strstr(slu_json_text(obj), "\"network\":4050,\"moved\":4000,"
					     "\"peak\":4050,") != NULL);
	ck_assert(strstr(slu_json_text(obj),
			 "\"available\":400,\"io_ms\":410.4,"
			 "\"io_bytes\":32768,") != NULL);
	json_object_put(obj);
}
END_TEST
START_TEST(test_moved)
{
	struct slu_ost_moved m = {0};

	for (int i = 0; i < 100; i++)
		slu_ost_moved_add(&m, i % 2 ? 30 : 10, 5);
	ck_assert_double_eq_tol(m.mean, 20, 1e-9);
	ck_assert_double_eq_tol(m.peak, 30, 1e-9);
	/* then what is old counts 1/e after SLU_OST_MOVED_SECONDS */
	for (int i = 0; i < 1000; i++)
		slu_ost_moved_add(&m, 20, 5);
	for (int i = 0; i < SLU_OST_MOVED_SECONDS / 5; i++)
		slu_ost_moved_add(&m, 120, 5);
	ck_assert_double_eq_tol(m.mean, 120 - 100 * exp(-1), 0.1);
	/* and the highest after SLU_OST_PEAK_SECONDS */
	ck_assert_double_eq_tol(m.peak, 120, 1e-9);
	for (int i = 0; i < SLU_OST_PEAK_SECONDS / 5; i++)
		slu_ost_moved_add(&m, 20, 5);
	ck_assert_double_eq_tol(m.peak, 120 * exp(-1), 0.1);
	slu_ost_moved_add(&m, 20, 1e6); /* was away for days */
	ck_assert_double_eq_tol(m.peak, 20, 1e-9);
}
END_TEST
TEST_MAIN("server_report", test_index, test_histograms, test_io_mean,
	  test_server, test_moved)

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a server of OSTs says about itself, and which targets are chosen. */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/recorded.h"
#include "tests/unit/tmpdir.h"
#include <math.h>
#include <sys/stat.h>
#include "common/jsonx.h"
#include "select_io/ost/choose.h"
#include "select_io/ost/memory.h"
#include "select_io/ost/server.h"

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

START_TEST(test_io_time)
{
	struct slu_buf text = {0};
	static const char plain[] =
		"snapshot_time:         1700000000.1 (secs.nsecs)\n\n"
		"                           read      |     write\n"
		"I/O time (1/1000s)     ios   % cum % |  ios         % cum %\n"
		"1:\t\t         4   0   0   |    0   0   0\n"
		"2K:\t\t         0   0   0   |    1   0   0\n\n"
		"disk I/O size          ios   % cum % |  ios         % cum %\n"
		"32K:\t\t         9   0   0   |    1  11  11\n";

	ck_assert_double_eq(slu_ost_io_ms(plain), (4 + 2048) / 5.0);
	ck_assert_double_eq(slu_ost_io_ms(""), -1);
	ck_assert_double_eq(slu_ost_io_ms("I/O time (1/1000s)"), -1);
	if (recorded_text("lustre/recorded-2.17.57-ldiskfs/brw_stats.txt",
			  &text)) /* 1 of 4, 3 of 32, 5 of 64 */
		ck_assert_double_eq(slu_ost_io_ms(text.data),
				    (4 + 3 * 32 + 5 * 64) / 9.0);
	slu_buf_free(&text);
	if (recorded_text("lustre/recorded-2.15.8-zfs/brw_stats.txt", &text))
		ck_assert(slu_ost_io_ms(text.data) >= 0);
	slu_buf_free(&text);
}
END_TEST

/* A file below the root of a test's server. */
static void put(const char *path, const char *text)
{
	char full[512];
	struct slu_err err;

	snprintf(full, sizeof(full), "%s/root/%s", tmpdir(), path);
	*strrchr(full, '/') = '\0';
	expect_ok(slu_mkdirs(full, 0755, &err), err);
	snprintf(full, sizeof(full), "%s/root/%s", tmpdir(), path);
	expect_ok(slu_file_write(AT_FDCWD, full, text, strlen(text), 0644,
				 false, &err),
		  err);
}

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
	/* for longer, and faster */
	put("sys/kernel/debug/lnet/stats", "0 4 0 9 9 0 0 1200000 23000 0 0\n");
	expect_ok(slu_ost_server_read(root, 315, &meter, &obj, &err), err);
	ck_assert(strstr(slu_json_text(obj), "\"network\":4050,\"moved\":4000,"
					     "\"peak\":4050,") != NULL);
	json_object_put(obj);
}
END_TEST

static struct json_object *choose(const char *servers, uint32_t stripes,
				  uint32_t files, uint64_t size)
{
	struct slu_ost_choose_request r = {
		.stripes = stripes, .files = files, .size = size};
	struct json_object *all, *out = NULL;
	struct slu_err err;

	all = slu_json_parse(servers, strlen(servers), &err);
	ck_assert_msg(all != NULL, "%s", err.text);
	expect_ok(slu_ost_choose(&slu_ost_choose_defaults, all, &r, &out, &err),
		  err);
	json_object_put(all);
	return out;
}

static const char site[] =
	"{\"a\":{\"age\":1,\"cpu\":50,\"memory\":10,\"osts\":["
	"{\"name\":\"f-OST0000\",\"index\":0,\"total\":1000,\"available\":900,"
	"\"io_ms\":5},"
	"{\"name\":\"f-OST0001\",\"index\":1,\"total\":1000,\"available\":500,"
	"\"io_ms\":5},"
	"{\"name\":\"f-OST0002\",\"index\":2,\"total\":1000,\"available\":900,"
	"\"state\":\"degraded\"},"
	"{\"name\":\"f-OST0003\",\"index\":3,\"total\":1000,\"available\":40},"
	"{\"name\":\"nonsense\"},7]},"
	"\"b\":{\"age\":2,\"cpu\":0,\"memory\":10,\"network\":5,\"osts\":["
	"{\"name\":\"f-OST0004\",\"index\":4,\"total\":1000,\"available\":900,"
	"\"io_ms\":20},"
	"{\"name\":\"f-OST0005\",\"index\":5,\"total\":1000,\"available\":900,"
	"\"io_ms\":4}]},"
	"\"gone\":{\"age\":60,\"osts\":["
	"{\"name\":\"f-OST0005\",\"index\":5,\"total\":1000,\"available\":1},"
	"{\"name\":\"f-OST0006\",\"index\":6,\"total\":1000,\"available\":1000}"
	"]},\"strange\":[]}";

START_TEST(test_left_out)
{
	static const struct {
		const char *name, *server, *left_out;
		double cost;
	} want[] = {
		{"f-OST0000", "a", "", 0.4},
		{"f-OST0001", "a", "", 7.067},
		{"f-OST0002", "a", "degraded", 0.4},
		{"f-OST0003", "a", "full", 14.887},
		{"f-OST0004", "b", "slow", 0.45},
		{"f-OST0005", "b", "", 0.45},
		{"f-OST0006", "gone", "its server is silent", 0},
	};
	struct json_object *out = choose(site, 0, 0, 0), *list, *one;
	const char *name, *server, *left_out;
	double cost = 0;

	json_object_object_get_ex(out, "osts", &list);
	ck_assert_uint_eq(json_object_array_length(list), 7);
	for (size_t i = 0; i < 7; i++) {
		one = json_object_array_get_idx(list, i);
		left_out = "";
		ck_assert(!slu_json_str(one, "name", &name, NULL) &&
			  !slu_json_str(one, "server", &server, NULL));
		slu_json_str_opt(one, "left_out", &left_out, NULL);
		slu_json_double_opt(one, "cost", &cost, NULL);
		expect(!strcmp(name, want[i].name) &&
			       !strcmp(server, want[i].server) &&
			       !strcmp(left_out, want[i].left_out) &&
			       fabs(cost - want[i].cost) < 1e-9,
		       "%s on %s: %s, %g", name, server, left_out, cost);
	}
	json_object_put(out);
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

START_TEST(test_balance)
{
	static const struct {
		double used, mean, excess;
	} space[] = {
		{0.2, 0.4, 0},
		{0.4, 0.4, 0},
		{0.404, 0.4, 16 * 0.004 + 64 * 0.01},
		{0.6, 0.4, 16 * 0.2 + 2},
		{0.6, 0, 16 * 0.6 + 2},
	};
	static const struct {
		double moved, peak, balance;
	} server[] = {
		{0, 0, 0},	{1e9, 1e9, 15},	  {3e8, 1e9, 4.5},
		{9e9, 1e9, 15}, {1e5, 1e5, 0.15}, /* hardly anything */
	};
	const struct slu_ost_choose_settings *s = &slu_ost_choose_defaults;

	for (size_t i = 0; i < 5; i++) {
		ck_assert_double_eq_tol(
			slu_ost_excess(s, space[i].used, space[i].mean),
			space[i].excess, 1e-9);
		ck_assert_double_eq_tol(
			slu_ost_balance(s, server[i].moved, server[i].peak),
			server[i].balance, 1e-9);
	}
}
END_TEST

/* What servers have moved, of the most that one of them could: a's targets are
 * dearer than b's, and c, which does not say, is between them. Where no peak
 * is said it is the most that one moves. */
START_TEST(test_balanced_servers)
{
	static const struct {
		const char *a, *b;
		double want[3];
	} cases[] = {
		{"\"moved\":3e8,\"peak\":1e9",
		 "\"moved\":1e8,\"peak\":5e8",
		 {4.6, 1.6, 3.1}},
		{"\"moved\":3e8",
		 "\"moved\":1e8,\"peak\":5e8",
		 {9.1, 3.1, 6.1}},
		{"\"moved\":3e8", "\"moved\":1e8", {15.1, 5.1, 10.1}},
	};
	char servers[512];
	double cost = 0;

	each(c, cases)
	{
		struct json_object *out, *list;

		snprintf(servers, sizeof(servers),
			 "{\"a\":{%s,\"osts\":[{\"name\":\"f-OST0000\","
			 "\"index\":0,\"total\":1000,\"available\":900}]},"
			 "\"b\":{%s,\"osts\":[{\"name\":\"f-OST0001\","
			 "\"index\":1,\"total\":1000,\"available\":900}]},"
			 "\"c\":{\"osts\":[{\"name\":\"f-OST0002\","
			 "\"index\":2,\"total\":1000,\"available\":900}]}}",
			 c->a, c->b);
		out = choose(servers, 0, 0, 0);
		json_object_object_get_ex(out, "osts", &list);
		for (size_t i = 0; i < 3; i++) {
			ck_assert(!slu_json_double_opt(
				json_object_array_get_idx(list, i), "cost",
				&cost, NULL));
			ck_assert_double_eq_tol(cost, c->want[i], 1e-9);
		}
		json_object_put(out);
	}
}
END_TEST

static const char *text_of(struct json_object *out, const char *key)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(out, key, &value);
	return slu_json_text(value);
}

static const char busy[] =
	"{\"a\":{\"age\":1,\"network\":5,\"osts\":["
	"{\"name\":\"f-OST0000\",\"index\":0,\"total\":1000,\"available\":900,"
	"\"read\":4e8,\"write\":1e8},"
	"{\"name\":\"f-OST0001\",\"index\":1,\"total\":1000,\"available\":900,"
	"\"read\":0,\"write\":0},"
	"{\"name\":\"f-OST0002\",\"index\":2,\"total\":1000,\"available\":900,"
	"\"read\":1e8}]}}";

START_TEST(test_place)
{
	struct json_object *out;

	out = choose(site, 2, 0, 0);
	ck_assert_str_eq(text_of(out, "files"), "[[0,5]]");
	ck_assert_str_eq(text_of(out, "commands"),
			 "[\"lfs setstripe -c 2 -o 0,5\"]");
	ck_assert_str_eq(text_of(out, "missing"), "0");
	json_object_put(out);
	out = choose(site, 5, 0, 0);
	ck_assert_str_eq(text_of(out, "files"), "[[0,5,1]]");
	ck_assert_str_eq(text_of(out, "missing"), "2");
	json_object_put(out);
	/* stripes of 570 KiB do not fit on the fuller one; two of 855 do */
	out = choose(site, 3, 0, 1710 << 10);
	ck_assert_str_eq(text_of(out, "files"), "[[0,5]]");
	ck_assert_str_eq(text_of(out, "missing"), "1");
	ck_assert_str_eq(text_of(out, "stripe_bytes"), "875520");
	json_object_put(out);
	/* two of 950 do not, nor one of 1900 */
	out = choose(site, 3, 0, 1900 << 10);
	ck_assert_str_eq(text_of(out, "files"), "[[]]");
	ck_assert_str_eq(text_of(out, "commands"), "[]");
	ck_assert_str_eq(text_of(out, "missing"), "3");
	json_object_put(out);
	/* more stripes than targets: a third on each */
	out = choose(site, 8, 0, 1200 << 10);
	ck_assert_str_eq(text_of(out, "files"), "[[0,5,1]]");
	ck_assert_str_eq(text_of(out, "missing"), "5");
	ck_assert_str_eq(text_of(out, "stripe_bytes"), "409600");
	json_object_put(out);
	/* the third file would have but one of its two stripes */
	out = choose(site, 2, 3, 800 << 10);
	ck_assert_str_eq(text_of(out, "missing"), "2");
	ck_assert_uint_eq(json_object_array_length(
				  json_object_object_get(out, "commands")),
			  2);
	json_object_put(out);
	/* four files of one stripe go to the cheapest until it is dearer; two
	 * of 400 KiB fit on the first, one on the others */
	out = choose(site, 1, 4, 0);
	ck_assert_str_eq(text_of(out, "files"), "[[5],[5],[0],[0]]");
	json_object_put(out);
	out = choose(site, 1, 4, 400 << 10);
	ck_assert_str_eq(text_of(out, "missing"), "0");
	json_object_put(out);
	/* not to one that others read from, on the same server */
	out = choose(busy, 2, 0, 0);
	ck_assert_str_eq(text_of(out, "files"), "[[1,2]]");
	json_object_put(out);
	out = choose("{}", 3, 0, 0);
	ck_assert_str_eq(text_of(out, "files"), "[[]]");
	ck_assert_str_eq(text_of(out, "commands"), "[]");
	ck_assert_str_eq(text_of(out, "missing"), "3");
	json_object_put(out);
}
END_TEST

START_TEST(test_scales)
{
	/* 0.5 of CPU 20 % and memory 40 %; 5 bytes a second of 10; 100 of 1000
	 * KiB */
	static const char said[] =
		"{\"a\":{\"cpu\":20,\"memory\":40,\"network\":5,\"osts\":["
		"{\"name\":\"f-OST0000\",\"index\":0,\"total\":1000,"
		"\"available\":900,\"read\":9e8,\"recent\":2}]},"
		"\"b\":{\"network\":10,\"moved\":5e8,\"osts\":["
		"{\"name\":\"f-OST0001\",\"index\":1,\"total\":1000,"
		"\"available\":500}]}}";
	static const struct {
		enum slu_ost_cost cost;
		double want[2];
		const char *files; /* two of one stripe */
	} cases[] = {
		{SLU_OST_LINEAR, {0.3 + 0.5 + 0.1, 1 + 0.5}, "[[0],[0]]"},
		{SLU_OST_RAW, {30 + 5 + 100, 10 + 500}, "[[0],[0]]"},
	};
	struct slu_err err;

	each(c, cases)
	{
		struct slu_ost_choose_settings s = slu_ost_choose_defaults;
		const struct slu_ost_choose_request r = {.stripes = 1,
							 .files = 2};
		struct json_object *servers =
			slu_json_parse(said, strlen(said), &err);
		struct json_object *out = NULL, *list;

		s.cost = c->cost;
		expect_ok(slu_ost_choose(&s, servers, &r, &out, &err), err);
		ck_assert_str_eq(text_of(out, "files"), c->files);
		json_object_object_get_ex(out, "osts", &list);
		for (size_t i = 0; i < 2; i++) {
			double cost = 0;

			slu_json_double_opt(json_object_array_get_idx(list, i),
					    "cost", &cost, NULL);
			ck_assert_double_eq_tol(cost, c->want[i], 1e-9);
		}
		json_object_put(out);
		json_object_put(servers);
	}
}
END_TEST

static struct json_object *parse(const char *text)
{
	struct slu_err err;
	struct json_object *obj = slu_json_parse(text, strlen(text), &err);

	expect(obj, "%s", err.text);
	return obj;
}

static struct json_object *answer(struct json_object *servers,
				  const struct slu_ost_choose_request *r)
{
	struct json_object *out = NULL;
	struct slu_err err;

	expect_ok(slu_ost_choose(&slu_ost_choose_defaults, servers, r, &out,
				 &err),
		  err);
	return out;
}

/* Three targets with room for two stripes of 1 GiB each. */
static const char three[] =
	"{\"a\":{\"age\":1,\"osts\":["
	"{\"name\":\"f-OST0000\",\"index\":0,\"total\":3000000,"
	"\"available\":2200000},"
	"{\"name\":\"f-OST0001\",\"index\":1,\"total\":3000000,"
	"\"available\":2200000},"
	"{\"name\":\"f-OST0002\",\"index\":2,\"total\":3000000,"
	"\"available\":2200000}]}}";

/* Six stripes fit. What is predicted gives way, the farthest first. */
START_TEST(test_predicted)
{
	static const double bytes[] = {0x1p30, 0, 0x1.8p31, 0x1p30};
	static const struct {
		uint32_t stripes, files;
		const char *fits; /* of each predicted one */
		uint64_t missing;
	} cases[] = {
		{1, 1, "1111", 0}, /* 1 + 1 + 3 + 1 */
		{2, 1, "1110", 0}, {1, 3, "1100", 0}, {2, 3, "0100", 0},
		{3, 2, "0100", 0}, {3, 3, "0100", 3}, {4, 1, "0100", 1},
	};
	struct json_object *servers = parse(three), *out, *list, *one;

	each(c, cases)
	{
		const struct slu_ost_choose_request r = {
			.stripes = c->stripes,
			.files = c->files,
			.size = (uint64_t)c->stripes << 30,
			.predicted = bytes,
			.n_predicted = 4,
		};
		uint64_t missing = 99;

		out = answer(servers, &r);
		slu_json_u64_opt(out, "missing", &missing, NULL);
		ck_assert_uint_eq(missing, c->missing);
		json_object_object_get_ex(out, "predicted", &list);
		ck_assert_uint_eq(json_object_array_length(list), 4);
		for (size_t i = 0; i < 4; i++) {
			bool fits = false;

			one = json_object_array_get_idx(list, i);
			slu_json_bool_opt(one, "fits", &fits, NULL);
			/* one of no bytes is out or in as may be */
			expect(bytes[i] == 0 || fits == (c->fits[i] == '1'),
			       "%u x %u: %s", c->files, c->stripes,
			       slu_json_text(list));
		}
		json_object_put(out);
	}
	json_object_put(servers);
}
END_TEST

/* No prediction fits that is more than there is room for, whether or not the
 * current file's size is said. Three targets have 2.09 GiB each. */
START_TEST(test_predicted_wide)
{
	static const struct {
		uint64_t size;
		double gib[2];
		const char *fits;
	} cases[] = {
		{0, {4, 1}, "11"}, /* 1 + 4 + 1 stripes of 1 GiB */
		{0, {5, 1}, "10"}, /* what is nearer goes first */
		{0, {6, 1}, "00"},	   {0, {1e9, 0}, "00"},
		{0, {3, 3}, "10"},	   {1 << 30, {5, 0}, "11"},
		{1 << 30, {5.1, 0}, "00"}, {1 << 29, {5, 0.5}, "11"},
		{1 << 29, {5, 1}, "10"},
	};
	struct json_object *servers = parse(three), *out, *list;

	each(c, cases)
	{
		const double bytes[] = {c->gib[0] * 0x1p30, c->gib[1] * 0x1p30};
		const struct slu_ost_choose_request r = {
			.stripes = 1,
			.size = c->size,
			.predicted = bytes,
			.n_predicted = 2,
		};

		out = answer(servers, &r);
		ck_assert_str_eq(text_of(out, "missing"), "0");
		json_object_object_get_ex(out, "predicted", &list);
		for (size_t i = 0; i < 2; i++) {
			bool fits = false;

			slu_json_bool_opt(json_object_array_get_idx(list, i),
					  "fits", &fits, NULL);
			expect(fits == (c->fits[i] == '1'), "%g, %g: %s",
			       c->gib[0], c->gib[1], slu_json_text(list));
		}
		json_object_put(out);
	}
	json_object_put(servers);
}
END_TEST

/* A file of unknown size goes where there is less than a stripe may have. */
START_TEST(test_predicted_little)
{
	static const double bytes[] = {1};
	const struct slu_ost_choose_request r = {
		.stripes = 2, .predicted = bytes, .n_predicted = 1};
	struct json_object *servers = parse(busy);
	struct json_object *out = answer(servers, &r);

	ck_assert_str_eq(text_of(out, "missing"), "0");
	ck_assert(strstr(text_of(out, "predicted"), "\"fits\":false"));
	json_object_put(out);
	json_object_put(servers);
}
END_TEST

static void learn(struct slu_ost_memory *m, struct json_object *out,
		  uint32_t uid, double now)
{
	struct json_object *lesson = slu_ost_lesson(out);

	slu_ost_memory_learn(m, lesson, uid, now);
	json_object_put(lesson);
}

/* A lesson is short, however many files; one that was only to be looked at
 * teaches the ranking. */
START_TEST(test_lesson)
{
	const struct slu_ost_choose_request r = {.stripes = 2, .files = 300};
	struct json_object *servers = parse(three), *out, *lesson;

	out = answer(servers, &r);
	lesson = slu_ost_lesson(out);
	ck_assert_str_eq(slu_json_text(lesson),
			 "{\"kib\":0,\"available\":6600000,\"stripes\":{"
			 "\"f-OST0000\":200,\"f-OST0001\":200,"
			 "\"f-OST0002\":200},\"ranking\":[\"f-OST0000\","
			 "\"f-OST0001\",\"f-OST0002\"]}");
	json_object_put(lesson);
	slu_json_set_bool(out, "dry", true);
	lesson = slu_ost_lesson(out);
	ck_assert_str_eq(slu_json_text(lesson),
			 "{\"ranking\":[\"f-OST0000\",\"f-OST0001\","
			 "\"f-OST0002\"]}");
	json_object_put(lesson);
	json_object_put(out);
	json_object_put(servers);
}
END_TEST

/* Two answers in a row do not go to the same targets, for a minute. */
START_TEST(test_memory)
{
	const struct slu_ost_choose_request one = {.stripes = 1};
	const struct slu_ost_choose_request big = {.stripes = 1,
						   .size = UINT64_C(2) << 30};
	static const struct {
		double time;
		const char *files;
	} cases[] = {{0, "[[0]]"},  {1, "[[1]]"},    {2, "[[2]]"},
		     {3, "[[0]]"},  {63.5, "[[0]]"}, {64, "[[1]]"},
		     {200, "[[0]]"}};
	struct slu_ost_memory *m = slu_ost_memory_new();
	struct json_object *servers = parse(three), *out;

	ck_assert(m && !slu_ost_memory_ranking(m));
	each(c, cases)
	{
		slu_ost_memory_tell(m, servers, c->time);
		out = answer(servers, &one);
		ck_assert_str_eq(text_of(out, "files"), c->files);
		learn(m, out, 0, c->time);
		json_object_put(out);
	}
	ck_assert_str_eq(slu_json_text(slu_ost_memory_ranking(m)),
			 "[\"f-OST0000\",\"f-OST0001\",\"f-OST0002\"]");
	/* bytes that are promised are not given twice */
	for (int i = 0; i < 4; i++) {
		slu_ost_memory_tell(m, servers, 500);
		out = answer(servers, &big);
		ck_assert_str_eq(text_of(out, "missing"), i < 3 ? "0" : "1");
		learn(m, out, 0, 500);
		json_object_put(out);
	}
	/* who only asks fills nothing: a quarter, and no more */
	for (int i = 0; i < 9; i++) {
		slu_ost_memory_tell(m, servers, 700);
		out = answer(servers, &big);
		ck_assert_str_eq(text_of(out, "missing"), "0");
		learn(m, out, 1000, 700);
		json_object_put(out);
	}
	/* each file system has its own ranking */
	out = parse("{\"files\":[[0]],\"osts\":[{\"name\":\"g-OST0000\","
		    "\"index\":0,\"cost\":2},{\"name\":\"g-OST0001\","
		    "\"index\":1,\"cost\":1}]}");
	learn(m, out, 0, 800);
	json_object_put(out);
	ck_assert_str_eq(slu_json_text(slu_ost_memory_ranking(m)),
			 "[\"f-OST0000\",\"f-OST0001\",\"f-OST0002\","
			 "\"g-OST0001\",\"g-OST0000\"]");
	/* nonsense teaches nothing */
	out = parse("{\"files\":[[7,\"x\"],3],\"osts\":[1,{}]}");
	learn(m, out, 0, 600);
	json_object_put(out);
	out = parse("[]");
	learn(m, out, 0, 600);
	json_object_put(out);
	json_object_put(servers);
	slu_ost_memory_free(m);
}
END_TEST

static void promised(struct json_object *servers, double *kib)
{
	struct json_object *one = NULL;

	json_object_object_get_ex(servers, "a", &one);
	json_object_object_get_ex(one, "osts", &one);
	for (size_t j = 0; j < 3; j++) {
		kib[j] = 0;
		slu_json_double_opt(json_object_array_get_idx(one, j),
				    "promised", &kib[j], NULL);
	}
}

/* What a user's answers promise, stripes on each target: all of them, or as
 * many whole ones as a quarter of the space (1,650,000 KiB) holds. */
START_TEST(test_promises)
{
	static const struct {
		uint32_t files, uid;
		uint64_t kib;	      /* of a stripe */
		double on[3], all[2]; /* by one answer; by one and by two */
	} cases[] = {
		{3, 1000, 500000, {1, 1, 1}, {3, 3}},
		{3, 1000, 700000, {0, 1, 1}, {2, 2}},
		{1, 1000, 1650000, {1, 0, 0}, {1, 1}},
		{1, 1000, 1650001, {0, 0, 0}, {0, 0}},
		{6, 1000, 400000, {1, 1, 2}, {4, 4}},
		{6, 1000, 200000, {2, 2, 2}, {6, 8}},
		{3, 0, 700000, {1, 1, 1}, {3, 6}},
	};

	each(c, cases)
	{
		const struct slu_ost_choose_request r = {
			.stripes = 1, .files = c->files, .size = c->kib << 10};
		struct slu_ost_memory *m = slu_ost_memory_new();

		ck_assert_ptr_nonnull(m);
		for (int i = 0; i < 2; i++) {
			struct json_object *servers = parse(three);
			struct json_object *out = answer(servers, &r);
			double kib[3], size = (double)c->kib;

			learn(m, out, c->uid, i);
			slu_ost_memory_tell(m, servers, i);
			promised(servers, kib);
			for (size_t j = 0; i == 0 && j < 3; j++)
				ck_assert_double_eq(kib[j], c->on[j] * size);
			ck_assert_double_eq(kib[0] + kib[1] + kib[2],
					    c->all[i] * size);
			json_object_put(out);
			json_object_put(servers);
		}
		slu_ost_memory_free(m);
	}
}
END_TEST

/* Nothing is solved: the ranking says. */
START_TEST(test_ranked)
{
	struct json_object *servers = parse(three), *out;
	struct slu_ost_choose_request r = {.stripes = 2, .files = 1};

	r.ranking = parse("[\"f-OST0002\",\"f-OST0001\",\"gone\"]");
	out = answer(servers, &r);
	ck_assert_str_eq(text_of(out, "files"), "[[2,1]]");
	ck_assert_str_eq(text_of(out, "ranked"), "true");
	json_object_put(out);
	r.stripes = 3; /* who is not in it comes last */
	out = answer(servers, &r);
	ck_assert_str_eq(text_of(out, "files"), "[[2,1,0]]");
	json_object_put(out);
	r.stripes = 1;
	r.files = 7;
	r.size = UINT64_C(1) << 30; /* two fit on each */
	out = answer(servers, &r);
	ck_assert_str_eq(text_of(out, "missing"), "1");
	json_object_put(out);
	/* many more targets than stripes */
	json_object_put(r.ranking);
	r.ranking = parse("[\"f-OST0002\",\"f-OST0001\",\"f-OST0000\"]");
	r.files = 1;
	r.size = 0;
	out = answer(servers, &r);
	ck_assert_str_eq(text_of(out, "files"), "[[2]]");
	json_object_put(out);
	json_object_put(r.ranking);
	json_object_put(servers);
}
END_TEST

START_TEST(test_file_systems)
{
	static const char both[] =
		"{\"a\":{\"osts\":["
		"{\"name\":\"f-OST0000\",\"index\":0,\"total\":10,"
		"\"available\":9},"
		"{\"name\":\"fg-OST0000\",\"index\":0,\"total\":10,"
		"\"available\":8}]}}";
	struct slu_ost_choose_request r = {.stripes = 1};
	struct json_object *servers = parse(both), *out;
	struct slu_err err;

	expect_fail(slu_ost_choose(&slu_ost_choose_defaults, servers, &r, &out,
				   &err),
		    err, SLU_NOTFOUND, "several file systems");
	r.fsname = "fg";
	out = answer(servers, &r);
	ck_assert_str_eq(text_of(out, "filesystems"), "1");
	ck_assert(strstr(text_of(out, "osts"), "fg-OST0000"));
	json_object_put(out);
	r.fsname = "g";
	out = answer(servers, &r);
	ck_assert_str_eq(text_of(out, "missing"), "1");
	json_object_put(out);
	ck_assert_uint_eq(slu_ost_version("2.15.8"), 2015);
	ck_assert_uint_eq(slu_ost_version("2.5.3_ddn1"), 2005);
	ck_assert_uint_eq(slu_ost_version("x"), 0);
	r = (struct slu_ost_choose_request){0};
	out = answer(servers, &r);
	ck_assert_str_eq(text_of(out, "filesystems"), "2");
	json_object_put(out);
	json_object_put(servers);
}
END_TEST

/* What one server says beyond reason harms no other. */
START_TEST(test_nonsense)
{
	static const struct {
		const char *server, *target; /* what they say */
	} cases[] = {
		{"\"network\":1e308,", ""},
		{"\"moved\":1e308,", ""},
		{"\"peak\":1e308,", ""},
		{"\"cpu\":NaN,", ""},
		{"\"memory\":NaN,", ""},
		{"\"network\":NaN,", ""},
		{"", ",\"total\":1e300"},
		{"", ",\"total\":Infinity,\"available\":Infinity"},
		{"", ",\"read\":1.7e308,\"write\":1.7e308"},
		{"", ",\"recent\":1e300"},
		{"", ",\"promised\":1e308"},
		{"", ",\"io_ms\":NaN"},
	};
	const struct slu_ost_choose_request r = {.stripes = 3};
	struct json_object *servers, *out;
	char *text;

	each(c, cases)
	{
		text = slu_asprintf("{\"x\":{%s\"osts\":[{\"name\":"
				    "\"f-OST0009\",\"index\":9,\"total\":9,"
				    "\"available\":1%s}]},%s",
				    c->server, c->target, three + 1);
		servers = parse(text);
		out = answer(servers, &r);
		expect(!strcmp(text_of(out, "missing"), "0"), "%s: %s", text,
		       slu_json_text(out));
		json_object_put(out);
		json_object_put(servers);
		free(text);
	}
}
END_TEST

START_TEST(test_too_much)
{
	static const struct {
		uint32_t stripes, files;
		const char *words;
	} cases[] = {
		{2001, 1, "2000 stripes of a file"},
		{1, 65537, "65536 stripes of all files"},
		{2000, 33, "65536 stripes of all files"},
		{2000, UINT32_MAX, "65536 stripes of all files"},
	};
	struct json_object *none = json_object_new_object(), *out;
	struct slu_err err;

	each(c, cases)
	{
		const struct slu_ost_choose_request r = {.stripes = c->stripes,
							 .files = c->files};

		expect_fail(slu_ost_choose(&slu_ost_choose_defaults, none, &r,
					   &out, &err),
			    err, SLU_INVALID, c->words);
	}
	json_object_put(none);
}
END_TEST

TEST_MAIN("ost_choose", test_index, test_io_time, test_io_mean, test_server,
	  test_left_out, test_moved, test_balance, test_balanced_servers,
	  test_place, test_scales, test_predicted, test_predicted_wide,
	  test_predicted_little, test_lesson, test_memory, test_promises,
	  test_ranked, test_file_systems, test_nonsense, test_too_much)

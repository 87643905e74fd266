/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests that the reports of Lustre's servers become the capacity that sluiced
 * sends to slurmctld. */
#include "config.h"
#include "tests/unit/harness.h"
#include "common/jsonx.h"
#include "common/log.h"
#include "sluiced/daemon.h"
#include "sluiced/ingestion/server_capacity.h"

static struct slu_io_capacity last;
static char last_fs[16];
static size_t told;
static bool connected = true;

void __wrap_slu_control_send(struct slu_control *c, const struct slu_desc *desc,
			     const void *msg);
bool __wrap_slu_control_connected(const struct slu_control *c);

void __wrap_slu_control_send(struct slu_control *c, const struct slu_desc *desc,
			     const void *msg)
{
	(void)c;
	ck_assert_ptr_eq(desc, &slu_io_capacity_desc);
	last = *(const struct slu_io_capacity *)msg;
	snprintf(last_fs, sizeof(last_fs), "%s", last.fs ? last.fs : "");
	told++;
}

bool __wrap_slu_control_connected(const struct slu_control *c)
{
	(void)c;
	return connected;
}

static struct slu_conf conf = {.io_start = SLU_IOSTART_ADVISE,
			       .io = {{.bandwidth = SLU_IO_AUTO}},
			       .io_scope = SLU_IO_WRITTEN};
static char logged[300];

static void note(void *arg, enum slu_level level, const char *line)
{
	(void)arg, (void)level;
	snprintf(logged, sizeof(logged), "%s", line);
}

static const struct slu_log notes = {note, NULL, SLU_INFO};
static struct slu_daemon d = {
	.conf = &conf, .log = &notes, .control = (struct slu_control *)&conf};

/* Two targets of a server, each of which writes so much for so many jobs; it
 * is another that reports them. */
static void say_of(const char *server, const char *of, double rate, int jobs,
		   const char *state, double now)
{
	struct slu_err err;
	struct json_object *doc;
	char text[300];

	snprintf(text, sizeof(text),
		 "{\"osts\":[{\"name\":\"f-OST00%s1\",\"read\":7e9,"
		 "\"write\":%g,\"jobs\":%d},{\"name\":\"f-OST00%s2\","
		 "\"write\":%g,\"state\":\"%s\"}]}",
		 of, rate, jobs, of, rate, state);
	doc = slu_json_parse(text, strlen(text), &err);
	ck_assert_ptr_nonnull(doc);
	slu_server_capacity_said(&d, server, doc, now);
	json_object_put(doc);
}

static void say(const char *server, double rate, int jobs, const char *state,
		double now)
{
	say_of(server, server, rate, jobs, state, now);
}

START_TEST(test_told)
{
	double now = 1000;

	told = 0;
	for (int i = 0; i < 400; i++, now += 5) {
		say("a", 1e9, 1 + i / 200, "", now);
		say("b", 2e9, 1 + i / 200, i > 350 ? "degraded" : "no_create",
		    now);
	}
	ck_assert_uint_ge(told, 400 * 5 / 30);
	ck_assert_uint_le(told, 400 * 5 / 30 + 2);
	ck_assert_double_eq_tol(last.capacity, 6e9, 6e6); /* writes count */
	ck_assert_double_eq_tol(last.held, 6e9, 6e6);
	ck_assert(last.targets == 4 && last.degraded == 1);
	ck_assert_uint_eq(last.silent, 0);
	now += 3600; /* one says nothing, which is told; */
	say("a", 1e9, 2, "", now);
	ck_assert(last.targets == 4 && last.silent == 1 && !*logged);
	now += 86400; /* and is gone */
	say("a", 1e9, 2, "", now);
	ck_assert_double_eq_tol(last.capacity, 2e9, 2e6);
	ck_assert(last.targets == 2 && last.degraded == 0 && !last.silent);
	expect(strstr(logged, "b has not reported for a day") &&
		       strstr(logged, "its 2 targets"),
	       "%s", logged);
	slu_server_capacity_free(&d.server_capacity);
}
END_TEST

/* A server has failed, and another has its targets: each counts once, also when
 * the first one is back. */
START_TEST(test_failed_over)
{
	double now = 1000;

	for (int i = 0; i < 400; i++, now += 5) {
		say("a", 1e9, 1 + i / 200, "", now);
		say("b", 2e9, 1 + i / 200, "", now);
		say("c", 2e9, 1 + i / 200, "", now);
	}
	ck_assert_double_eq_tol(last.capacity, 10e9, 1e7);
	ck_assert_uint_eq(last.targets, 6);
	for (int i = 0; i < 400; i++, now += 5) {
		say_of("b", "a", 1e9, 2, "degraded", now);
		say("c", 2e9, 2, "", now);
	}
	ck_assert(last.targets == 4 && last.degraded == 1);
	say("b", 2e9, 2, "", now);
	say("c", 2e9, 2, "", now + 30);
	ck_assert(last.targets == 4 && last.degraded == 0);
	ck_assert_double_eq_tol(last.capacity, 8e9, 1e7);
	ck_assert_uint_eq(last.silent, 0); /* it has none that could count */
	for (int i = 0; i < 12; i++, now += 5) {
		say("a", 1e9, 2, "", now + 60);
		say("b", 2e9, 2, "", now + 60);
		say("c", 2e9, 2, "", now + 60);
	}
	ck_assert_uint_eq(last.targets, 6);
	ck_assert_double_eq_tol(last.capacity, 10e9, 1e7);
	*logged = '\0';
	now += 60;
	for (int i = 0; i < 150; i++, now += 600) {
		say_of("b", "a", 1e9, 2, "", now);
		say("c", 2e9, 2, "", now);
	}
	ck_assert_str_eq(logged, ""); /* of those that it has lost */
	ck_assert_uint_eq(last.targets, 4);
	slu_server_capacity_free(&d.server_capacity);
}
END_TEST

/* Nothing is sent to a slurmctld that is not connected, nor if the
 * configuration does not ask for it. */
START_TEST(test_not_told)
{
	connected = false;
	say("a", 1e9, 1, "", 1000);
	connected = true;
	conf.io[0].bandwidth = 1000;
	say("a", 1e9, 1, "", 1100);
	conf.io[0].bandwidth = SLU_IO_AUTO;
	conf.io_start = SLU_IOSTART_OFF;
	say("a", 1e9, 1, "", 1200);
	ck_assert_uint_eq(told, 0);
	conf.io_start = SLU_IOSTART_ON;
	say("a", 1e9, 1, "", 1300);
	ck_assert_uint_eq(told, 1);
	ck_assert_double_eq(last.capacity, 0);
	slu_server_capacity_free(&d.server_capacity);
}
END_TEST

/* After a start of sluiced the first server to report does not count as all of
 * them. */
START_TEST(test_first)
{
	told = 0;
	say("a", 1e9, 1, "degraded", 1000);
	for (int i = 0; i < 9; i++)
		say("b", 1e9, 1, "", 1001 + i);
	ck_assert_uint_eq(told, 0);
	say("a", 1e9, 1, "degraded", 1030);
	ck_assert_uint_eq(told, 1);
	ck_assert(last.targets == 4 && last.degraded == 1);
	slu_server_capacity_free(&d.server_capacity);
}
END_TEST

/* What was reached while something else counted says nothing. */
START_TEST(test_scope)
{
	double now = 1000;

	for (int i = 0; i < 400; i++)
		say("a", 1e9, 1 + i / 200, "", now += 5);
	ck_assert_double_eq_tol(last.capacity, 2e9, 2e6);
	ck_assert_uint_eq(last.scope, SLU_IO_WRITTEN);
	conf.io_scope = SLU_IO_READ;
	for (int i = 0; i < 12; i++)
		say("a", 1e9, 1, "", now += 5);
	ck_assert_double_eq(last.capacity, 0);
	ck_assert_uint_eq(last.scope, SLU_IO_READ);
	conf.io_scope = SLU_IO_WRITTEN;
	slu_server_capacity_free(&d.server_capacity);
}
END_TEST

/* A server that does more than what was its capacity, for the same jobs as
 * ever: that is not its capacity, but it does as much. */
START_TEST(test_more)
{
	double now = 1000;

	for (int i = 0; i < 400; i++)
		say("a", 1e9, 1 + i / 200, "", now += 5);
	ck_assert_double_eq_tol(last.capacity, 2e9, 2e6);
	for (int i = 0; i < 150; i++)
		say("a", 3e9, 2, "", now += 5);
	ck_assert_double_eq(last.capacity, 0);
	ck_assert_double_eq_tol(last.held, 6e9, 6e6);
	slu_server_capacity_free(&d.server_capacity);
}
END_TEST

/* Metadata servers likewise: their operations, and nothing else. */
START_TEST(test_metadata)
{
	double now = 1000;
	char text[200];

	conf.io[0] = (struct slu_io_limits){.metadata = SLU_IO_AUTO};
	told = 0;
	for (int i = 0; i < 400; i++, now += 5) {
		struct slu_err err;
		struct json_object *doc;

		snprintf(text, sizeof(text),
			 "{\"osts\":[{\"name\":\"f-OST0001\",\"write\":9e9,"
			 "\"jobs\":9}],\"mdts\":[{\"name\":\"f-MDT0000\","
			 "\"ops\":9e5,\"metadata\":30000,\"jobs\":%d}]}",
			 1 + i / 200);
		doc = slu_json_parse(text, strlen(text), &err);
		ck_assert_ptr_nonnull(doc);
		slu_server_capacity_said(&d, "m", doc, now);
		json_object_put(doc);
	}
	ck_assert_uint_ge(told, 400 * 5 / 30);
	ck_assert_double_eq_tol(last.capacity, 30000, 30);
	ck_assert_uint_eq(last.scope, SLU_IO_OPS);
	ck_assert_uint_eq(last.targets, 1);
	*logged = '\0';
	say("a", 1e9, 1, "", now + 90000);
	ck_assert_str_eq(logged, ""); /* no server of MDTs */
	conf.io[0] = (struct slu_io_limits){.bandwidth = SLU_IO_AUTO};
	slu_server_capacity_free(&d.server_capacity);
}
END_TEST

static void say_target(const char *name)
{
	struct json_object *doc = json_object_new_object(),
			   *list = json_object_new_array(),
			   *one = json_object_new_object();

	slu_json_set_str(one, "name", name);
	json_object_array_add(list, one);
	json_object_object_add(doc, "osts", list);
	*logged = '\0';
	slu_server_capacity_said(&d, "a", doc, 1000);
	json_object_put(doc);
}

/* Two file systems are counted as one, which is told once, also where
 * IOBandwidth is a number. */
START_TEST(test_file_systems)
{
	conf.io[0].bandwidth = 1000;
	say_target("big-OST0001");
	say_target("big-OST0002");
	say_target("odd");
	ck_assert_str_eq(logged, "");
	say_target("fast-OST0001");
	expect(strstr(logged, "more than one Lustre file system (big, fast)"),
	       "%s", logged);
	ck_assert_str_eq(d.server_capacity.fs[1], "fast");
	say_target("fast-OST0002");
	say_target("big-OST0001");
	say_target("third-OST0001");
	ck_assert_str_eq(logged, "");
	conf.io[0].bandwidth = SLU_IO_AUTO;
	slu_server_capacity_free(&d.server_capacity);
}
END_TEST

/* Each file system that is named counts by itself, and a name that no server
 * tells of is logged once. */
START_TEST(test_named)
{
	double now = 1000;

	conf.io[0] =
		(struct slu_io_limits){.fs = "g", .bandwidth = SLU_IO_AUTO};
	conf.io[1] =
		(struct slu_io_limits){.fs = "f", .bandwidth = SLU_IO_AUTO};
	*logged = '\0';
	told = 0;
	for (int i = 0; i < 400; i++, now += 5)
		say("a", 1e9, 1 + i / 200, "", now);
	ck_assert_uint_ge(told, 400 * 5 / 30);
	ck_assert_double_eq_tol(last.capacity, 2e9, 2e6);
	ck_assert_str_eq(last_fs, "f");
	expect(strstr(logged, "no Lustre server reports targets of g, which") &&
		       strstr(logged, "(but of f)"),
	       "%s", logged);
	*logged = '\0';
	conf.io[1] = (struct slu_io_limits){.bandwidth = 0};
	told = 0;
	say("a", 1e9, 1, "", now + 60);
	ck_assert_uint_eq(told, 0);
	conf.io[0] =
		(struct slu_io_limits){.fs = "f", .bandwidth = SLU_IO_AUTO};
	say("a", 1e9, 1, "", now + 90);
	say("a", 1e9, 1, "", now + 125);
	ck_assert_uint_eq(told, 1);
	ck_assert_str_eq(logged, "");
	conf.io[0] = (struct slu_io_limits){.bandwidth = SLU_IO_AUTO};
	slu_server_capacity_free(&d.server_capacity);
}
END_TEST

TEST_MAIN("server_capacity", test_named, test_file_systems, test_more,
	  test_metadata, test_told, test_failed_over, test_not_told, test_first,
	  test_scope)

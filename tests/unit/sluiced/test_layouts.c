/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the stripe layouts of jobs' directories on Lustre, chosen by the
 * servers' reports. */
#include "config.h"
#include "tests/unit/harness.h"
#include "common/clock.h"
#include "common/jsonx.h"
#include "burst_buffer/plan/plan.h"
#include "select_io/ost/recent_placements.h"
#include "sluiced/questions/answerers.h"
#include "sluiced/placement/layouts.h"

static struct slu_err err;

/* On a busy host the last ranking says where a job's directory goes, and what
 * was only looked at teaches it. */
START_TEST(test_ranking)
{
	static const char said[] =
		"{\"h\":{\"osts\":["
		"{\"name\":\"f-OST0000\",\"index\":0,\"total\":9e9,"
		"\"available\":8e9},"
		"{\"name\":\"f-OST0001\",\"index\":1,\"total\":9e9,"
		"\"available\":7.9e9}]}}";
	static const char looked[] = "{\"dry\":true,\"files\":[],\"osts\":["
				     "{\"name\":\"f-OST0000\",\"cost\":2},"
				     "{\"name\":\"f-OST0001\",\"cost\":1}]}";
	const struct slu_layout_ask want = {.stripes = 1};
	static const struct {
		double percent;
		const char *text;
	} cases[] = {{69.9, "-c 1 -o 0"}, {70, "-c 1 -o 1"}, {80, "-c 1 -o 1"}};
	struct slu_conf conf = {.placement_alpha = 0.5, .placement_beta = 0.5};
	struct json_object *answer, *lesson;
	char *text, *why;
	bool known;

	each(c, cases)
	{
		struct slu_daemon d = {.conf = &conf,
				       .busy = {.percent = c->percent}};

		answer = slu_json_parse(looked, strlen(looked), &err);
		lesson = slu_recent_placements_of_answer(answer);
		slu_osts_learn(&d, 1000, lesson);
		json_object_put(answer);
		json_object_put(lesson);
		d.osts = slu_json_parse(said, strlen(said), &err);
		json_object_object_foreach(d.osts, host, one)
		{
			(void)host;
			slu_json_set_double(one, "came", slu_now_mono());
		}
		text = slu_daemon_layout(&d, &want, &known, &why, &err);
		expect(text && !strcmp(text, c->text), "%s, not %s", text,
		       c->text);
		free(text);
		free(why);
		json_object_put(d.osts);
		slu_recent_placements_free(d.ost_memory);
	}
}
END_TEST

/* Room is kept for what a job's later runs are predicted to write; what has
 * none beside the file that is laid out goes, the farthest first. */
START_TEST(test_room_for_later_runs)
{
	static const char said[] =
		"{\"h\":{\"osts\":["
		"{\"name\":\"f-OST0000\",\"index\":0,\"total\":1e8,"
		"\"available\":1e7},"
		"{\"name\":\"f-OST0001\",\"index\":1,\"total\":1e8,"
		"\"available\":3e7}]}}";
	static const char plenty[] = "the least busy targets";
	static const struct {
		double later[SLU_JOB_LATER]; /* GiB; there is room for 9 such
						files */
		const char *why;
	} cases[] = {
		{{0, 0, 0}, plenty},
		{{4, 4, 4}, plenty},
		{{4, 20, 4}, plenty},
		{{4, 30, 4}, "without room for 2 of its later runs"},
		{{4, 4, 99}, "without room for 1 of its later runs"},
		{{99, 1, 1}, "without room for 3 of its later runs"},
	};
	struct slu_conf conf = {.placement_alpha = 0.5, .placement_beta = 0.5};
	double later[SLU_JOB_LATER];
	const struct slu_layout_ask want = {
		.stripes = 1, .size = UINT64_C(4) << 30, .later = later};
	char *text, *why;
	bool known;

	each(c, cases)
	{
		struct slu_daemon d = {.conf = &conf};

		for (int i = 0; i < SLU_JOB_LATER; i++)
			later[i] = c->later[i] * 0x1p30;
		d.osts = slu_json_parse(said, strlen(said), &err);
		slu_json_set_double(json_object_object_get(d.osts, "h"), "came",
				    slu_now_mono());
		text = slu_daemon_layout(&d, &want, &known, &why, &err);
		ck_assert_str_eq(text, "-c 1 -o 1");
		expect(strstr(why, c->why) &&
			       (c->why != plenty || !strcmp(why, plenty)),
		       "%s, not %s", why, c->why);
		free(text);
		free(why);
		slu_recent_placements_free(d.ost_memory);
		json_object_put(d.osts);
	}
}
END_TEST

/* A part for each task of the job: as many targets as they keep busy. */
START_TEST(test_tasks)
{
	static const struct {
		struct slu_layout_ask want;
		const char *text;
	} cases[] = {
		{{.size = UINT64_C(8) << 30, .tasks = 64}, "-c 3 -S 4M"},
		{{.size = UINT64_C(8) << 30, .tasks = 64, .random = true},
		 "-c 3 -S 1M"},
		{{.tasks = 64, .random = true},
		 "-E 1G -c 1 -S 1M -E -1 -c 3 -S 1M"},
	};
	struct slu_conf conf = {.placement_alpha = 0.5,
				.placement_beta = 0.5,
				.wide_striping = true};
	struct json_object *list, *one;
	char *text, *why;
	bool known;

	each(c, cases)
	{
		struct slu_daemon d = {.conf = &conf};

		list = json_object_new_array();
		for (int i = 0; i < 3; i++) {
			char name[16];

			snprintf(name, sizeof(name), "f-OST%04x", i);
			one = json_object_new_object();
			slu_json_set_str(one, "name", name);
			slu_json_set_u64(one, "index", (uint64_t)i);
			slu_json_set_double(one, "total", 1e9);
			slu_json_set_double(one, "available", 8e8);
			json_object_array_add(list, one);
		}
		one = json_object_new_object();
		json_object_object_add(one, "osts", list);
		slu_json_set_double(one, "came", slu_now_mono());
		d.osts = json_object_new_object();
		json_object_object_add(d.osts, "h", one);
		text = slu_daemon_layout(&d, &c->want, &known, &why, &err);
		expect(text && !strcmp(text, c->text), "%s, not %s", text,
		       c->text);
		free(text);
		free(why);
		slu_recent_placements_free(d.ost_memory);
		json_object_put(d.osts);
	}
}
END_TEST

/* A report of one server: two targets, and MDTs that take so much of a file. */
static struct json_object *report_of(const char *mdts)
{
	static const char said[] =
		"{\"h\":{\"lustre\":\"2.15\",\"osts\":["
		"{\"name\":\"f-OST0000\",\"index\":0,\"total\":1e9,"
		"\"available\":8e8},"
		"{\"name\":\"f-OST0001\",\"index\":1,\"total\":1e9,"
		"\"available\":8e8}],\"mdts\":%s}}";
	char *text = slu_asprintf(said, mdts);
	struct json_object *osts = slu_json_parse(text, strlen(text), &err);

	ck_assert_ptr_nonnull(osts);
	slu_json_set_double(json_object_object_get(osts, "h"), "came",
			    slu_now_mono());
	free(text);
	return osts;
}

/* DataOnMdt= as far as the metadata targets take it; pool= on all components,
 * and then Lustre chooses the targets. */
START_TEST(test_mdt_and_pool)
{
	static const char two[] =
		"[{\"name\":\"f-MDT0000\",\"file_bytes\":1048576},"
		"{\"name\":\"f-MDT0001\",\"file_bytes\":131072},"
		"{\"name\":\"g-MDT0000\",\"file_bytes\":65536}]";
	static const char none[] =
		"[{\"name\":\"f-MDT0000\",\"file_bytes\":0}]";
	static const struct {
		const char *mdts;
		uint64_t wanted;
		struct slu_layout_ask ask;
		const char *text;
	} cases[] = {
		{"[]", 65536, {.size = 9}, "-E 64K -L mdt -E -1 -c 1 -S 1M"},
		{two, 1048576, {.size = 9}, "-E 128K -L mdt -E -1 -c 1 -S 1M"},
		{none, 1048576, {.size = 9}, "-c 1 -S 1M"},
		{two, 0, {.size = 9}, "-c 1 -S 1M"},
		{two, 0, {.size = 9, .pool = "p"}, "-c 1 -S 1M -p p"},
		/* more than both have free, but which are the pool's? */
		{two,
		 0,
		 {.size = UINT64_C(9) << 40, .pool = "p", .random = true},
		 "-E 1G -c 1 -S 1M -p p -E -1 -c 2 -S 1M -p p"},
		{two,
		 65536,
		 {.size = 9, .stripes = 2, .pool = "p"},
		 "-c 2 -p p"},
	};
	char *text, *why;
	bool known;

	each(c, cases)
	{
		struct slu_conf conf = {.placement_alpha = 0.5,
					.placement_beta = 0.5,
					.wide_striping = true,
					.data_on_mdt = c->wanted};
		struct slu_daemon d = {.conf = &conf,
				       .osts = report_of(c->mdts)};

		text = slu_daemon_layout(&d, &c->ask, &known, &why, &err);
		expect(text && !strcmp(text, c->text), "%s, not %s", text,
		       c->text);
		free(text);
		free(why);
		slu_recent_placements_free(d.ost_memory);
		json_object_put(d.osts);
	}
}
END_TEST

TEST_MAIN("layouts", test_mdt_and_pool, test_ranking, test_room_for_later_runs,
	  test_tasks)

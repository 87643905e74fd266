/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests which nodes are told to copy a pending job's input in advance
 * (PrestageTo). */
#include "tests/unit/burst_buffer/persistent_world.h"
#include <json-c/json.h>
#include <stdarg.h>
#include "common/hostlist.h"
#include "common/jsonx.h"
#include "tests/unit/random.h"

#define OWN                                                     \
	"jobfs type=tmp capacity=1GiB; stage_in source=/a/%j/ " \
	"destination=$BB_JOBFS/in; stage_out source=$BB_JOBFS/out destination=/b"
#define SHARED                                               \
	"jobfs type=glu capacity=1GiB; stage_in source=/a/ " \
	"destination=$BB_JOBFS/in"
#define AFTER 60

static void begin(void)
{
	setup();
	conf->prestage = true;
	conf->prestage_after = AFTER;
	conf->prestage_sure = 0.8;
}

/* A look that finds job 20 on nodes with these shares; NULL ends them. */
static void found(double sure, ...)
{
	struct json_object *all = json_object_new_array(),
			   *is = json_object_new_object(),
			   *list = json_object_new_array(), *node;
	const char *name;
	va_list args;

	va_start(args, sure);
	while ((name = va_arg(args, const char *))) {
		node = json_object_new_object();
		slu_json_set_str(node, "node", name);
		slu_json_set_double(node, "share", va_arg(args, double));
		json_object_array_add(list, node);
	}
	va_end(args);
	slu_json_set_u64(is, "job_id", 20);
	slu_json_set_double(is, "sure", sure);
	json_object_object_add(is, "node", list);
	json_object_array_add(all, is);
	slu_buffers_predicted(b, all, now);
	json_object_put(all);
}

static void found_nothing(void)
{
	struct json_object *all = json_object_new_array();

	slu_buffers_predicted(b, all, now);
	json_object_put(all);
}

static struct slu_node_inventory ask(const char *node)
{
	struct slu_node_inventory owed;
	struct slu_buf out = {0};

	expect_ok(slu_buffers_node_inventory(b, node, now, &out, &err), err);
	expect_ok(slu_decode_text(&slu_node_inventory_desc, out.data, out.len,
				  &owed, &err),
		  err);
	slu_buf_free(&out);
	return owed;
}

static bool is_told(const char *node)
{
	struct slu_node_inventory owed = ask(node);
	bool told = owed.n_prefetch == 1 && owed.prefetch[0].job_id == 20;

	expect(told || !owed.n_prefetch, "%zu", owed.n_prefetch);
	slu_msg_clear(&slu_node_inventory_desc, &owed);
	return told;
}

/* What it has of job 20 is to go, though sluiced has only just started. */
static bool is_to_go(const char *node)
{
	struct slu_node_inventory owed = ask(node);
	bool is = slu_has_word(owed.prefetch_dropped, "20");

	expect(!is || !owed.n_prefetch, "%zu", owed.n_prefetch);
	ck_assert(!owed.prefetch_complete);
	slu_msg_clear(&slu_node_inventory_desc, &owed);
	return is;
}

static bool is_asked_for(void)
{
	struct json_object *jobs = slu_buffers_to_predict(b);
	bool is = jobs != NULL;

	json_object_put(jobs);
	return is;
}

/* A node is told when it has been probable for long enough, and what: the
 * stage-ins of the plan that it would have, as the job's user, no instance. */
START_TEST(test_sure_for_long)
{
	struct slu_node_inventory owed;

	begin();
	ck_assert(!is_asked_for());
	waits(20, OWNER, OWN);
	ck_assert(is_asked_for());
	found(0.9, "n1", 0.95, "n2", 0.5, NULL);
	ck_assert(!is_told("n1"));
	now += AFTER - 1;
	found(0.9, "n1", 0.95, "n2", 0.5, NULL);
	ck_assert(!is_told("n1"));
	now += 1;
	found(0.9, "n1", 0.95, "n2", 0.5, NULL);
	ck_assert(is_told("n1") && !is_told("n2") && !is_told("n3"));
	owed = ask("n1");
	ck_assert_uint_eq(owed.prefetch[0].buffer, 0);
	ck_assert_uint_eq(owed.prefetch[0].uid, OWNER);
	ck_assert_uint_eq(owed.prefetch[0].n_node, 2);
	ck_assert_uint_eq(owed.prefetch[0].n_stage, 1);
	ck_assert_str_eq(owed.prefetch[0].stage[0].source, "/a/20/");
	ck_assert_uint_eq(owed.n_plan, 0);
	slu_msg_clear(&slu_node_inventory_desc, &owed);
	teardown();
}
END_TEST

/* One look at which the node was not probable, and the time starts again. */
START_TEST(test_unsure_once)
{
	begin();
	waits(20, OWNER, OWN);
	found(0.9, "n1", 0.95, NULL);
	now += 40;
	found(0.9, "n1", 0.7, NULL);
	now += 40;
	found(0.9, "n1", 0.95, NULL);
	now += AFTER - 1;
	found(0.9, "n1", 0.95, NULL);
	ck_assert(!is_told("n1"));
	now += 1;
	found(0.9, "n1", 0.95, NULL);
	ck_assert(is_told("n1"));
	now += 1;
	found(0.9, "n2", 0.95, NULL); /* elsewhere */
	ck_assert(!is_told("n1") && !is_told("n2"));
	teardown();
}
END_TEST

/* What is known of a node stays with it when others come and go. */
START_TEST(test_others_change)
{
	begin();
	waits(20, OWNER, OWN);
	found(0.9, "n1", 0.95, "n2", 0.95, "n4", 0.95, NULL);
	now += AFTER / 2;
	found(0.9, "n2", 0.95, "n3", 0.95, "n4", 0.95, NULL);
	now += AFTER / 2;
	found(0.9, "n1", 0.95, "n2", 0.95, "n3", 0.95, "n4", 0.95, NULL);
	ck_assert(is_told("n2") && is_told("n4"));
	ck_assert(!is_told("n1") && !is_told("n3"));
	now += AFTER;
	found(0.9, "n4", 0.95, "n3", 0.5, "n1", 0.95, NULL);
	ck_assert(is_told("n1") && is_told("n4"));
	ck_assert(!is_told("n2") && !is_told("n3"));
	teardown();
}
END_TEST

/* Of a file system that the nodes share each reads its part: so all have to be
 * sure. */
START_TEST(test_shared)
{
	begin();
	waits(20, OWNER, SHARED);
	for (int i = 0; i < 2; i++, now += AFTER)
		found(0.7, "n1", 0.95, "n2", 0.95, NULL);
	ck_assert(!is_told("n1"));
	for (int i = 0; i < 2; i++, now += AFTER)
		found(0.85, "n1", 0.95, "n2", 0.95, NULL);
	ck_assert(is_told("n1") && is_told("n2"));
	teardown();
}
END_TEST

static void be_sure(void)
{
	begin();
	waits(20, OWNER, OWN);
	found(0.9, "n1", 0.95, "n3", 0.95, NULL);
	now += AFTER;
	found(0.9, "n1", 0.95, "n3", 0.95, NULL);
	ck_assert(is_told("n1") && is_told("n3"));
}

static bool is_begun(const char *node)
{
	struct slu_node_inventory owed = ask(node);
	bool begun;

	ck_assert_uint_eq(owed.n_prefetch, 1);
	begun = owed.prefetch[0].over;
	slu_msg_clear(&slu_node_inventory_desc, &owed);
	return begun;
}

/* Its run has what was brought to its own nodes until it has staged in; where
 * it does not run it is not wanted from the start on. */
START_TEST(test_begins)
{
	static const char *const nodes[] = {"n1", "n2"};

	be_sure();
	ck_assert(!is_begun("n1"));
	begin_job(20, OWNER, OWN);
	ck_assert(is_begun("n1"));
	ck_assert(is_told("n1") && !is_told("n3") && !is_told("n2"));
	ck_assert(!is_to_go("n1") && is_to_go("n3"));
	found_nothing(); /* it does not wait */
	found_nothing();
	ck_assert(!is_asked_for());
	ck_assert(is_told("n1"));
	each(n, nodes)
	{
		struct slu_plan plan;

		get_plan(20, *n, &plan);
		slu_msg_clear(&slu_plan_desc, &plan);
	}
	each(n, nodes) report(20, *n, "in.0.share", true);
	each(n, nodes) report(20, *n, "ready", true);
	ck_assert(!is_told("n1"));
	ck_assert(is_to_go("n1"));
	ck_assert(!is_asked_for());
	ck_assert(is_to_go("n1"));
	teardown();
}
END_TEST

/* One that ends before the next look is not brought again; one that is put back
 * waits anew. */
START_TEST(test_over_before_a_look)
{
	static const char *const nodes[] = {"n1", "n2"};

	be_sure();
	begin_job(20, OWNER, OWN);
	each(n, nodes)
	{
		struct slu_plan plan;

		get_plan(20, *n, &plan);
		slu_msg_clear(&slu_plan_desc, &plan);
	}
	each(n, nodes) report(20, *n, "in.0.share", true);
	each(n, nodes) report(20, *n, "ready", true);
	ck_assert(is_to_go("n1"));
	end_job(20, OWNER, OWN);
	ck_assert(!is_told("n1"));
	ck_assert(is_to_go("n1"));
	waits(20, OWNER, OWN);
	ck_assert(is_told("n1"));
	teardown();
}
END_TEST

START_TEST(test_cancelled)
{
	const struct slu_job_cancelled gone = {.job_id = 20};

	be_sure();
	expect_ok(slu_buffers_cancelled(b, &gone, now, &err), err);
	ck_assert(!is_told("n1") && !is_asked_for());
	ck_assert(is_to_go("n1"));
	teardown();
	be_sure(); /* nobody has told */
	found_nothing();
	found_nothing();
	ck_assert(!is_asked_for() && !is_told("n1"));
	teardown();
	be_sure(); /* switched off */
	conf->prestage = false;
	ck_assert(!is_told("n1") && !is_asked_for());
	teardown();
}
END_TEST

/* What has no stage-in, or is staged in by others, is nobody's concern. */
START_TEST(test_others)
{
	begin();
	waits(20, OWNER, "jobfs type=tmp capacity=1GiB");
	ck_assert(!is_asked_for());
	conf->prestage = false;
	waits(20, OWNER, OWN);
	ck_assert(!is_asked_for());
	teardown();
}
END_TEST

/* A restart of sluiced does not discard any input. */
START_TEST(test_restart)
{
	struct slu_node_inventory owed;

	be_sure();
	again();
	conf->prestage = true;
	owed = ask("n1");
	ck_assert(!owed.n_prefetch && !owed.prefetch_complete);
	slu_msg_clear(&slu_node_inventory_desc, &owed);
	now += AFTER + 200;
	owed = ask("n1");
	ck_assert(owed.prefetch_complete);
	slu_msg_clear(&slu_node_inventory_desc, &owed);
	teardown();
}
END_TEST

START_TEST(test_counts)
{
	struct slu_prefetch_report is = {
		.job_id = 20, .prefetched = 1000, .used = 0};
	const struct slu_node_ask said = {
		.node = (char *)"n1", .prefetch = &is, .n_prefetch = 1};
	const struct slu_prefetch_use *use;
	struct json_object *all;

	be_sure();
	slu_buffers_prefetched(b, &said);
	use = slu_buffers_prefetch_use(b);
	ck_assert_uint_eq(use->prefetched, 0);
	all = slu_buffers_prefetches(b, OWNER);
	ck_assert_uint_eq(slu_json_length(slu_json_at(all, "waiting")), 2);
	json_object_put(all);
	all = slu_buffers_prefetches(b, OWNER + 1);
	ck_assert_uint_eq(slu_json_length(slu_json_at(all, "waiting")), 0);
	json_object_put(all);
	is.used = 600;
	is.over = true;
	slu_buffers_prefetched(b, &said);
	ck_assert(use->prefetched == 1000 && use->used == 600 &&
		  use->jobs == 1);
	teardown();
}
END_TEST

/* Shares go up and down a little: on a node that is not sure any more, but
 * still one of them, nothing is begun, and what it has read stays. */
START_TEST(test_less_sure)
{
	struct slu_prefetch_report is = {.job_id = 20, .prefetched = 1000};
	const struct slu_node_ask said = {
		.node = (char *)"n1", .prefetch = &is, .n_prefetch = 1};

	be_sure();
	slu_buffers_prefetched(b, &said);
	found(0.9, "n1", 0.7, "n3", 0.7, NULL);
	ck_assert(is_begun("n1") && !is_to_go("n1"));
	ck_assert(!is_told("n3") && is_to_go("n3"));
	begin_job(20, OWNER, OWN);
	ck_assert(is_begun("n1"));
	teardown();
	be_sure();
	slu_buffers_prefetched(b, &said);
	found(0.9, "n1", 0.7, "n3", 0.7, NULL);
	now += AFTER;
	found(0.9, "n1", 0.9, "n3", 0.9, NULL);
	now += AFTER;
	found(0.9, "n1", 0.9, "n3", 0.9, NULL);
	ck_assert(is_told("n1") && !is_begun("n1"));
	found(0.9, "n2", 0.95, "n3", 0.9, NULL);
	ck_assert(!is_told("n1") && is_to_go("n1"));
	teardown();
}
END_TEST

/* Any history of looks against what is said: a node is told if and only if each
 * look since AFTER ago and more has found it probable. */
START_TEST(test_random)
{
	static const char *const name[] = {"n1", "n2", "n3"};
	double since[3] = {0};
	uint64_t seed = 3, told = 0;

	begin();
	waits(20, OWNER, OWN);
	for (int i = 0; i < 3000; i++) {
		double share[3];

		now += 1 + (double)slu_random(&seed, 30);
		for (int n = 0; n < 3; n++) {
			share[n] = slu_random(&seed, 12) ? 0.9 : 0.3;
			if (share[n] < 0.8)
				since[n] = 0;
			else if (since[n] <= 0)
				since[n] = now;
		}
		found(0.1, name[0], share[0], name[1], share[1], name[2],
		      share[2], NULL);
		for (int n = 0; n < 3; n++) {
			bool want = since[n] > 0 && now - since[n] >= AFTER;

			expect(is_told(name[n]) == want, "step %d, %s", i,
			       name[n]);
			told += want;
		}
	}
	ck_assert_uint_gt(told, 500);
	teardown();
}
END_TEST

TEST_MAIN("predicted_nodes", test_sure_for_long, test_unsure_once,
	  test_others_change, test_shared, test_begins, test_over_before_a_look,
	  test_cancelled, test_others, test_restart, test_counts,
	  test_less_sure, test_random)

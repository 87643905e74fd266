/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A database that was restored knows nothing of jobs that run; their nodes do.
 */
#include "config.h"
#include "tests/unit/burst_world.h"
#include <stdlib.h>
#include "burst_buffer/node/node.h"
#include "tests/unit/tmpdir.h"

/* What this node notes of the plan. Caller frees. */
static char *note(const char *node, struct slu_plan *plan)
{
	struct slu_node n = {.job_id = plan->job_id};
	struct slu_err err;
	char *text;

	slu_copy(n.name, sizeof(n.name), node);
	slu_copy(n.dir, sizeof(n.dir), tmpdir());
	expect_ok(slu_node_take_plan(&n, plan, &err), err);
	expect_ok(slu_note_plan(&n, &err), err);
	text = slu_note_get(&n, "plan.json");
	ck_assert_ptr_nonnull(text);
	slu_node_close(&n);
	return text;
}

/* The plan, as node i has it in its notes. Caller frees. */
static char *noted_by(struct world *w, int i)
{
	struct slu_err err;
	struct slu_rows *rows =
		slu_db_query(w->db, &err, "SELECT Plan FROM Buffer", "");
	struct slu_plan plan;
	const char *json;

	ck_assert_int_eq(slu_db_step(rows, &err), 1);
	json = slu_db_text(rows, 0);
	expect_ok(slu_decode_text(&slu_plan_desc, json, strlen(json), &plan,
				  &err),
		  err);
	slu_db_done(rows);
	plan.buffer = w->node[0].buffer;
	return note(w->node[i].name, &plan);
}

static char *noted(struct world *w)
{
	return noted_by(w, 0);
}

static void restore(struct world *w, bool same_numbers)
{
	struct slu_err err;
	struct slu_db *db;

	world_unload(w);
	db = slu_db_open(w->db_path, SLU_DB_WRITE, &err);
	expect(db, "%s", err.text);
	expect_ok(
		slu_db_script(db,
			      "DELETE FROM Buffer; DELETE FROM BufferNode;"
			      "DELETE FROM BufferPhase; DELETE FROM BufferGate;"
			      "DELETE FROM BufferHistory",
			      &err),
		err);
	if (same_numbers)
		expect_ok(
			slu_db_script(db, "DELETE FROM sqlite_sequence", &err),
			err);
	slu_db_close(db);
	world_load(w);
	w->give_back = 0;
}

/* Its record cannot be read any more, and is set aside. */
static void damage(struct world *w)
{
	struct slu_err err;

	expect_ok(slu_db_script(w->db, "UPDATE Buffer SET Plan = '{'", &err),
		  err);
	world_restart(w);
}

/* What a node that is ready is told. */
static struct heard poll_ready(struct world *w, int i, const char *plan)
{
	const struct slu_node_ask ask = {.job_id = JOB,
					 .buffer = w->node[i].buffer,
					 .node = w->node[i].name,
					 .seen = (char *)"",
					 .ready = true,
					 .plan = (char *)plan};
	struct heard h = {"", false, "", ""};
	struct slu_answer answer;
	struct slu_err err = {0};

	if (slu_buffers_poll(w->b, &ask, w->now, &answer, &err)) {
		slu_copy(h.word, sizeof(h.word), slu_kind_name(err.kind));
		return h;
	}
	slu_copy(h.word, sizeof(h.word), answer.word);
	slu_msg_clear(&slu_answer_desc, &answer);
	return h;
}

static void told(struct world *w, int i, const char *plan, const char *want)
{
	const struct heard h = poll_ready(w, i, plan);

	ck_assert_str_eq(h.word, want);
}

/* Whatever number its new record has: the job goes on, and what it has written
 * is staged out by all. */
START_TEST(test_taken_over)
{
	static const struct {
		bool same_numbers, restart, damaged;
	} cases[] = {{false, false, false}, {false, true, false},
		     {true, false, false},  {true, true, false},
		     {false, false, true},  {false, true, true}};
	struct world w;
	char *plan;

	each(c, cases)
	{
		world_new(&w, 3, WALK, NULL);
		run_until(&w, AT_RUN);
		plan = noted(&w);
		if (c->damaged)
			damage(&w);
		else
			restore(&w, c->same_numbers);
		/* slurmctld has not told yet */
		told(&w, 0, NULL, "notfound");
		w.now += 10;
		sync_all(&w);
		ck_assert_str_eq(w.state, "SETUP");
		told(&w, 1, NULL, "plan");
		told(&w, 1, plan, "go");
		ck_assert_str_eq(w.state, "RUNNING");
		told(&w, 0, NULL, "go");
		told(&w, 1, plan, "go"); /* once more changes nothing */
		ck_assert_int_eq(slu_buffers_run(w.b, JOB, w.node[0].buffer),
				 w.job.start);
		ck_assert_int_eq(
			slu_buffers_run(w.b, JOB, w.node[0].buffer + 50), 0);
		ck_assert_int_eq(
			slu_buffers_run(w.b, JOB + 1, w.node[0].buffer), 0);
		if (c->restart) {
			world_restart(&w);
			sync_all(&w);
		}
		ck_assert(!w.final || w.give_back <= 10);
		for (int i = 0; i < 3; i++)
			told(&w, i, NULL, "go");
		w.now += 1000; /* no set-up that could be late */
		run_all(&w);
		ck_assert_str_eq(w.state, "DONE");
		ck_assert_int_eq(w.verdicts, 0);
		for (int i = 0; i < 3; i++)
			ck_assert(w.node[i].staged && w.node[i].wiped &&
				  !w.node[i].keep);
		ck_assert_int_eq(w.errors, c->damaged);
		free(plan);
		world_free(&w);
	}
}
END_TEST

static char *with(const char *text, void (*change)(struct slu_plan *plan))
{
	struct slu_plan plan;
	struct slu_err err;
	char *out;

	expect_ok(slu_decode_text(&slu_plan_desc, text, strlen(text), &plan,
				  &err),
		  err);
	change(&plan);
	out = slu_encode_text(&slu_plan_desc, &plan);
	slu_msg_clear(&slu_plan_desc, &plan);
	return out;
}

static void other_user(struct slu_plan *plan)
{
	plan->uid++;
}

static void other_group(struct slu_plan *plan)
{
	plan->gid++;
}

static void other_job(struct slu_plan *plan)
{
	plan->job_id++;
}

static void other_number(struct slu_plan *plan)
{
	plan->buffer += 100;
}

static void other_node(struct slu_plan *plan)
{
	plan->node[2].name[0] = 'x';
}

static void set(char **field, const char *text)
{
	free(*field);
	*field = text ? strdup(text) : NULL;
}

static void other_run(struct slu_plan *plan)
{
	plan->restarts++;
}

static void other_fs(struct slu_plan *plan)
{
	set(&plan->fs, "none");
}

static void no_fs(struct slu_plan *plan)
{
	set(&plan->fs, NULL);
}

static void other_driver(struct slu_plan *plan)
{
	set(&plan->driver, "none");
}

static void of_other(struct slu_plan *plan)
{
	plan->use = 1;
	plan->use_job = SLU_PERSIST_FIRST;
}

static void outlives(struct slu_plan *plan)
{
	plan->persistent = true;
}

static void other_storage(struct slu_plan *plan)
{
	set(&plan->node[1].storage, "/home/bob");
}

static void other_part(struct slu_plan *plan)
{
	set(&plan->node[1].part, "leaf");
}

static void gives_nothing(struct slu_plan *plan)
{
	plan->node[1].client = true;
}

static void gives_more(struct slu_plan *plan)
{
	plan->node[1].capacity = UINT64_MAX;
}

static void all_give_more(struct slu_plan *plan)
{
	for (size_t i = 0; i < plan->n_node; i++)
		plan->node[i].capacity = plan->capacity;
}

static void other_source(struct slu_plan *plan)
{
	set(&plan->stage[1].source, "/etc");
}

static void other_destination(struct slu_plan *plan)
{
	set(&plan->stage[1].destination, "/etc");
}

static void other_type(struct slu_plan *plan)
{
	set(&plan->stage[1].type, "file");
}

static void no_on(struct slu_plan *plan)
{
	set(&plan->stage[1].on, NULL);
}

static void other_content(struct slu_plan *plan)
{
	plan->stage[0].content = !plan->stage[0].content;
}

static void other_way(struct slu_plan *plan)
{
	plan->stage[0].out = true;
}

static void many_stages(struct slu_plan *plan)
{
	const struct slu_stage out = plan->stage[1];

	plan->stage = realloc(plan->stage, 100 * sizeof(*plan->stage));
	ck_assert_ptr_nonnull(plan->stage);
	for (; plan->n_stage < 100; plan->n_stage++)
		plan->stage[plan->n_stage] = (struct slu_stage){
			.out = true,
			.source = strdup(out.source),
			.destination = strdup(out.destination)};
}

/* Those that go in are gone. */
static void only_out(struct slu_plan *plan)
{
	const struct slu_stage in = plan->stage[0];

	plan->stage[0] = plan->stage[1];
	plan->stage[1] = in;
	set(&plan->stage[1].source, NULL);
	set(&plan->stage[1].destination, NULL);
	set(&plan->stage[1].type, NULL);
	set(&plan->stage[1].on, NULL);
	plan->n_stage = 1;
}

static void other_stripe(struct slu_plan *plan)
{
	plan->stripe = calloc(1, sizeof(*plan->stripe));
	ck_assert_ptr_nonnull(plan->stripe);
	plan->n_stripe = 1;
	*plan->stripe = (struct slu_stripe){.target = strdup("/lustre"),
					    .program = strdup("/tmp/evil"),
					    .layout = strdup("")};
}

/* Of one that is split each node sees its own part, and knows the whole. */
START_TEST(test_split_taken_over)
{
	struct world w;
	char *plan;

	for (int i = 0; i < 3; i++) {
		world_new(&w, 3,
			  "jobfs capacity=4GiB split=switch; stage_in "
			  "source=/src destination=$BB_JOBFS/in",
			  NULL);
		world_topology(&w, "[{\"switch\":\"s1\",\"level\":0,"
				   "\"hosts\":\"n[1,3]\"}]");
		job_start(&w);
		for (int k = 0; k < 3; k++) {
			struct slu_report r = {.step = (char *)"in.0.share",
					       .ok = true,
					       .files = k == 1 ? 12 : 5,
					       .total_files = k == 1 ? 12 : 10};

			ask_plan(&w, &w.node[k]);
			report(&w, &w.node[k], r);
			do_step(&w, &w.node[k], "report ready", true);
		}
		ck_assert_str_eq(w.state, "RUNNING");
		plan = noted_by(&w, i);
		restore(&w, false);
		w.now += 10;
		sync_all(&w);
		told(&w, i, NULL, "plan");
		told(&w, i, plan, "go");
		ck_assert_str_eq(w.state, "RUNNING");
		free(plan);
		world_free(&w);
	}
}
END_TEST

/* What is not the job's own plan is not believed. */
START_TEST(test_not_believed)
{
	static void (*const changes[])(struct slu_plan * plan) = {
		other_user,    other_group, other_job,	       other_number,
		other_node,    other_run,   other_fs,	       no_fs,
		other_driver,  of_other,    other_storage,     other_part,
		gives_nothing, gives_more,  all_give_more,     other_source,
		other_type,    no_on,	    other_destination, other_content,
		other_way,     many_stages, only_out,	       outlives,
		other_stripe};
	struct world w;
	char *plan, *bad;

	world_new(&w, 3, WALK, NULL);
	run_until(&w, AT_RUN);
	plan = noted(&w);
	restore(&w, false);
	sync_all(&w);
	each(c, changes)
	{
		bad = with(plan, *c);
		told(&w, 0, bad, "invalid");
		ck_assert_str_eq(w.state, "SETUP");
		free(bad);
	}
	told(&w, 0, "{", "invalid");
	told(&w, 0, plan, "go");
	ck_assert_str_eq(w.state, "RUNNING");
	free(plan);
	world_free(&w);
}
END_TEST

/* Nor is a node asked that is behind, or is only being set up. */
START_TEST(test_not_asked)
{
	struct world w;
	uint64_t old;

	world_new(&w, 3, WALK, NULL);
	run_until(&w, AT_RUN);
	old = w.node[0].buffer;
	job_end(&w, "PENDING");
	w.job.restarts = 1;
	w.job.completing = false;
	w.job.start += 2000;
	w.job.state = (char *)"RUNNING";
	job_start(&w);
	ck_assert_str_eq(w.state, "SETUP");
	told(&w, 0, NULL, "left"); /* of its own run */
	world_free(&w);

	world_new(&w, 3, WALK, NULL);
	job_start(&w);
	for (int i = 0; i < 3; i++)
		step(&w, &w.node[i]);
	ck_assert_uint_ne(w.node[0].buffer, 0);
	told(&w, 0, NULL, "go"); /* it has its plan */
	ck_assert_uint_ne(old, 0);
	world_free(&w);
}
END_TEST

static void forged(struct slu_plan *plan)
{
	set(&plan->option[0].value, "/tmp/evil");
	set(&plan->node[1].cpus, "0-7");
	set(&plan->node[1].addr, "10.6.6.6");
	set(&plan->name, "EVIL");
	plan->setup_timeout = plan->keep_failed = 1;
	plan->expires = 5;
}

static void uneven(struct slu_plan *plan)
{
	plan->node[0].capacity -= 1 << 20;
	plan->node[2].capacity += 1 << 20;
}

static void staged(struct slu_plan *plan)
{
	only_out(plan);
	plan->staged = 3;
	plan->staged_job = SLU_PERSIST_FIRST;
}

static void nothing(struct slu_plan *plan)
{
	(void)plan;
}

/* All that is taken from a node's plan is its number, what each node gives, and
 * that what goes in was there before the run. */
START_TEST(test_kept)
{
	static const struct {
		void (*offered)(struct slu_plan *plan);
		void (*kept)(struct slu_plan *plan);
	} cases[] = {{forged, nothing}, {uneven, uneven}, {staged, only_out}};
	struct world w;
	char *plan, *offer, *want, *got;

	each(c, cases)
	{
		world_new(&w, 3, WALK,
			  "FileSystem=fs Driver=glusterfs shard=64MiB\n");
		run_until(&w, AT_RUN);
		plan = noted(&w);
		restore(&w, false);
		sync_all(&w);
		offer = with(plan, c->offered);
		told(&w, 0, offer, "go");
		want = with(plan, c->kept);
		got = noted(&w);
		ck_assert_str_eq(got, want);
		ck_assert_int_eq(w.errors, 0);
		free(got);
		free(want);
		free(offer);
		free(plan);
		world_free(&w);
	}
}
END_TEST

static void number(struct slu_plan *plan)
{
	plan->buffer = UINT64_C(1) << 53;
}

/* The job's next run gets another number. */
START_TEST(test_numbers)
{
	struct world w;
	struct slu_err err;
	uint64_t first;
	char *plan, *bad;

	world_new(&w, 3, WALK, NULL);
	expect_ok(slu_db_script(w.db,
				"INSERT INTO sqlite_sequence (name, seq)"
				" VALUES ('Buffer', 1)",
				&err),
		  err);
	run_until(&w, AT_RUN);
	plan = noted(&w);
	restore(&w, true);
	sync_all(&w);
	first = w.node[0].buffer;
	ck_assert_uint_eq(first, 2);
	w.node[0].buffer = UINT64_C(1) << 53;
	bad = with(plan, number);
	told(&w, 0, bad, "invalid");
	w.node[0].buffer = first;
	told(&w, 0, plan, "go");
	job_end(&w, "PENDING");
	w.job.restarts = 1;
	w.job.completing = false;
	w.job.start += 2000;
	w.job.state = (char *)"RUNNING";
	job_start(&w);
	w.node[0].buffer = 0;
	ck_assert_str_eq(ask_plan(&w, &w.node[0]).word, "go");
	ck_assert_uint_gt(w.node[0].buffer, first);
	free(bad);
	free(plan);
	world_free(&w);
}
END_TEST

TEST_MAIN("adopt", test_taken_over, test_split_taken_over, test_not_believed,
	  test_kept, test_numbers, test_not_asked)

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests that plans reported by nodes are refused if they do not match the job.
 */
#include "config.h"
#include "tests/unit/burst_buffer/recovery_notes.h"
#include <stdlib.h>

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
START_TEST(test_only_known_fields_are_taken_over)
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
			  "FileSystem=fs Driver=glusterfs shard=64MiB "
			  "coherence=private\n");
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

TEST_MAIN("adopt forged", test_not_believed,
	  test_only_known_fields_are_taken_over)

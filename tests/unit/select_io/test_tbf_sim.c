/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests the TBF controller on a simulated target with Lustre's token buckets.
 */
#include "config.h"
#include "bench/tbf_sim.h"

#include <math.h>
#include <string.h>
#include "select_io/tbf/controller.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"

#define RATE 1000
#define CPTS 2

static struct sim sim;
static struct slu_tbf *tbf;

/* A server of so many CPTs that can serve RATE, of which the controller is told
 * a part. */
static void open_part(const struct slu_tbf_settings *settings,
		      const char *nodes, unsigned cpts, double rate)
{
	struct slu_tbf_settings set = *settings;
	struct slu_err err;

	set.rate = rate;
	tbf = slu_tbf_new(&set, &err);
	ck_assert_ptr_nonnull(tbf);
	expect_ok(slu_tbf_set_nodes(tbf, nodes, &err), err);
	ck_assert_int_eq(sim_init(&sim, RATE, cpts), 0);
	ck_assert_int_eq(fake_tbf_set_policy(&sim.fake, slu_tbf_policy(tbf)),
			 0);
}

static void open_sim(const struct slu_tbf_settings *settings, const char *nodes)
{
	open_part(settings, nodes, CPTS, RATE);
}

static void close_sim(void)
{
	slu_tbf_free(tbf);
	sim_free(&sim);
}

/* One period of the controller; it looks at the rules. */
static void control(void)
{
	struct slu_jobstats stats = {0};
	struct slu_rules rules = {0};
	struct slu_buf text = {0};
	struct slu_err err;
	const char *command;

	expect_ok(sim.lustre.job_stats(&sim.lustre, &stats, &err), err);
	expect_ok(slu_tbf_observe(tbf, sim.now, &stats, &err), err);
	expect_ok(sim.lustre.rules(&sim.lustre, &text, &err), err);
	expect_ok(slu_rules_parse(&rules, text.data, &err), err);
	expect_ok(slu_tbf_reconcile(tbf, &rules, &err), err);
	while ((command = slu_tbf_command(tbf, sim.now)))
		expect_ok(sim.lustre.set_rule(&sim.lustre, command, &err), err);
	slu_jobstats_free(&stats);
	slu_rules_free(&rules);
	slu_buf_free(&text);
}

static void run_until(double end, double period)
{
	for (double next = sim.now + period; sim.now < end; sim_step(&sim))
		if (sim.now >= next) {
			control();
			next += period;
		}
}

/* RPCs a second of a job from now on. */
static double rate_of(int job, double seconds, double period)
{
	uint64_t before = sim.served[job];
	double begin = sim.now;

	run_until(begin + seconds, period);
	return (double)(sim.served[job] - before) / (sim.now - begin);
}

/* Sixteen nodes of a job, each with so many RPCs. */
static void add(int job, double begin, uint64_t volume)
{
	for (int p = 0; p < 16; p++)
		sim_add(&sim, job,
			(struct sim_process){
				.begin = begin, .volume = volume, .window = 8});
}

/* Sixteen nodes have written, each a class of its own when users are exempt;
 * then one goes on alone: it has all that the job may have. And when the others
 * come back beside another job, that is not ousted. */
START_TEST(test_one_of_many)
{
	static const char *const exempt[] = {"uid=0", NULL};
	struct slu_tbf_settings set = slu_tbf_defaults;
	double got;

	for (int way = 0; way < 2; way++) {
		set.exempt = way ? exempt : NULL;
		open_sim(&set, "1000 16\n1001 16\n");
		add(0, 0, 500);
		add(0, 30, 100000);
		sim.process[0].volume = sim.process[0].allowed = 1000000;
		run_until(20, 0.5);
		got = rate_of(0, 9, 0.5);
		expect(got > 0.9 * RATE, "way %d: one node has %.0f RPC/s", way,
		       got);
		add(1, 30, 100000);
		run_until(35, 0.5);
		got = rate_of(0, 9, 0.5);
		expect(got > 0.4 * RATE && got < 0.7 * RATE,
		       "way %d: all nodes have %.0f RPC/s", way, got);
		close_sim();
	}
}
END_TEST

/* All want more than there is: each has its part by nodes, whatever the server
 * makes it wait, and nothing is lost. */
START_TEST(test_parts)
{
	static const double period[] = {0.1, 0.5}, part[] = {.1, .1, .3, .5};
	double got;

	each(p, period)
	{
		open_sim(&slu_tbf_defaults, "1000 1\n1001 1\n1002 3\n1003 5\n");
		for (int j = 0; j < 4; j++)
			add(j, 0, 100000);
		run_until(5, *p);
		for (int j = 0; j < 4; j++) {
			got = rate_of(j, 5, *p) / RATE;
			expect(got > 0.95 * part[j] && got < 1.1 * part[j],
			       "every %g s, job %d: %g of %g", *p, j, got,
			       part[j]);
		}
		close_sim();
	}
}
END_TEST

/* One does a tenth of what it may: the other has the rest. Then all that the
 * first has saved up comes at once: it does not wait for a period. */
START_TEST(test_burst)
{
	double got;

	open_sim(&slu_tbf_defaults, "1000 3\n1001 1\n");
	add(1, 0, 100000);
	sim_add(&sim, 0,
		(struct sim_process){.interval = 0.1,
				     .burst = 8,
				     .volume = 800,
				     .window = 8});
	run_until(5, 0.1);
	got = rate_of(1, 4, 0.1);
	expect(got > 0.8 * RATE, "the other has %.0f RPC/s", got);
	run_until(15, 0.1);
	add(0, 15.05, 20);
	run_until(15.05, 0.1);
	got = rate_of(0, 0.4, 0.1);
	expect(got > 0.8 * 0.75 * RATE, "%.0f RPC/s of a burst", got);
	close_sim();
}
END_TEST

/* A rate below what the server can do is what passes, to 5 % of ten seconds
 * once each job has its rule, and each job has its part of it, to a tenth and
 * the whole RPC a second of each class: whatever CPTs, floors and classes (with
 * an exempt user each node of a job is one). */
START_TEST(test_rate_is_kept)
{
	static const char *const exempt[] = {"uid=0", NULL};
	static const struct {
		double rate, floor;
		unsigned cpts;
		bool classes;
	} cases[] = {{42, 10, 1, false},  {100, 10, 2, false},
		     {300, 10, 8, false}, {300, 100, 4, false},
		     {300, 10, 1, true},  {500, 1, 2, true}};
	static const double part[] = {.1, .1, .3, .5};

	each(c, cases)
	{
		struct slu_tbf_settings set = slu_tbf_defaults;
		double all, got;

		set.min_rate = c->floor;
		set.exempt = c->classes ? exempt : NULL;
		open_part(&set, "1000 1\n1001 1\n1002 3\n1003 5\n", c->cpts,
			  c->rate);
		for (int j = 0; j < 4; j++)
			add(j, 0, 100000);
		run_until(8, 0.1);
		for (int k = 0; k < 2; k++) {
			uint64_t before[4];

			memcpy(before, sim.served, sizeof(before));
			run_until(sim.now + 10, 0.1);
			all = 0;
			for (int j = 0; j < 4; j++) {
				got = (double)(sim.served[j] - before[j]) / 10;
				all += got;
				expect(fabs(got - part[j] * c->rate) <=
					       0.1 * part[j] * c->rate +
						       (c->classes ? 16
								   : c->cpts),
				       "%g, %u CPTs: job %d has %g", c->rate,
				       c->cpts, j, got);
			}
			expect(all < 1.05 * c->rate && all > 0.93 * c->rate,
			       "%g, %u CPTs: %g pass", c->rate, c->cpts, all);
		}
		close_sim();
	}
}
END_TEST

static void sizes(unsigned a, unsigned b, unsigned c, unsigned d)
{
	unsigned kib[] = {a, b, c, d};

	for (int j = 0; j < 4; j++)
		sim.rpc_bytes[j] = kib[j] << 10;
}

/* Bytes of ten seconds, by job, as parts of the rate. */
static double bytes_of(double rate, double part[4])
{
	uint64_t before[4];
	double all = 0;

	memcpy(before, sim.bytes, sizeof(before));
	run_until(sim.now + 10, 0.1);
	for (int j = 0; j < 4; j++) {
		part[j] = (double)(sim.bytes[j] - before[j]) / 10 / rate;
		all += part[j];
	}
	return all;
}

/* A rate in bytes: RPCs of any size, also when they change; the sum is the
 * rate, to 5 %, and each job has its part. */
START_TEST(test_bytes)
{
	static const double part[] = {.1, .1, .3, .5};
	struct slu_tbf_settings set = slu_tbf_defaults;
	double got[4], all;

	set.bytes = true;
	open_part(&set, "1000 1\n1001 1\n1002 3\n1003 5\n", 2,
		  100e6 / SLU_TBF_TOKEN);
	sizes(64, 1024, 4096, 256);
	for (int j = 0; j < 4; j++)
		add(j, 0, 100000);
	run_until(8, 0.1);
	for (int k = 0; k < 3; k++) {
		all = bytes_of(100e6, got);
		expect(all < 1.05 && all > 0.93, "%d: %g of the rate", k, all);
		for (int j = 0; k != 1 && j < 4; j++) /* each CPT: one RPC */
			expect(fabs(got[j] - part[j]) <
				       0.1 * part[j] +
					       CPTS * sim.rpc_bytes[j] / 100e6,
			       "%d: job %d has %g", k, j, got[j]);
		if (k == 0) /* 1: it is noticed */
			sizes(256, 64, 1024, 512);
	}
	close_sim();
}
END_TEST

/* The most bytes of any ten seconds, looked at every half, in so many seconds
 * in which the RPCs of a job become of another size every five or so. */
static double most_bytes(uint64_t *seed, double seconds)
{
	double seen[20], most = 0, change = 0, begin = sim.now;

	for (size_t k = 0; sim.now < begin + seconds; k++) {
		double all = 0;

		if (sim.now >= change) {
			sim.rpc_bytes[slu_random(seed, 4)] =
				4096u << slu_random(seed, 11);
			change = sim.now + 1 + (double)slu_random(seed, 8);
		}
		for (int j = 0; j < 4; j++)
			all += (double)sim.bytes[j];
		if (k >= 20)
			most = fmax(most, (all - seen[k % 20]) / 10);
		seen[k % 20] = all;
		run_until(sim.now + 0.5, 0.1);
	}
	return most;
}

/* From 4 KiB to 4 MiB, at any time: never more than 5 % above the rate. */
START_TEST(test_bytes_of_any_size)
{
	for (uint64_t run = 1; run <= 12; run++) {
		struct slu_tbf_settings set = slu_tbf_defaults;
		uint64_t seed = run * 7919;
		double rate = 200e6 + 1e6 * (double)slu_random(&seed, 300);
		unsigned cpts = 1u << slu_random(&seed, 3);
		double most;

		set.bytes = true;
		open_part(&set, "1000 1\n1001 1\n1002 3\n1003 5\n", cpts,
			  rate / SLU_TBF_TOKEN);
		for (int j = 0; j < 4; j++)
			add(j, 0, 1000000);
		run_until(8, 0.1);
		most = most_bytes(&seed, 40);
		expect(most < 1.05 * rate, "seed %lu, %u CPTs: %g of %g", run,
		       cpts, most, rate);
		close_sim();
	}
}
END_TEST

/* Who has done nothing yet is taken to have RPCs of the size of all. */
START_TEST(test_bytes_of_a_new_job)
{
	struct slu_tbf_settings set = slu_tbf_defaults;
	double got[4];

	set.bytes = true;
	open_part(&set, "1000 1\n1001 1\n1002 1\n1003 1\n", 1,
		  100e6 / SLU_TBF_TOKEN);
	sizes(256, 256, 256, 256);
	for (int j = 0; j < 4; j++)
		add(j, j < 3 ? 0 : 20, 100000);
	run_until(20, 0.1);
	bytes_of(100e6, got);
	for (int j = 0; j < 4; j++)
		expect(fabs(got[j] - 0.25) < 0.03, "job %d has %g", j, got[j]);
	close_sim();
}
END_TEST

/* Users in place of jobs: the rules, the buckets and the parts are theirs. */
START_TEST(test_users)
{
	struct slu_tbf_settings set = slu_tbf_defaults;
	double got;

	set.class_key = "uid";
	open_sim(&set, "p.1000 3 1000\n");
	ck_assert_str_eq(sim.fake.policy, "tbf uid");
	add(0, 0, 100000);
	add(1, 0, 100000); /* "p.1001" is no job of the table's */
	run_until(5, 0.1);
	ck_assert_ptr_nonnull(fake_tbf_match(&sim.fake, 0, "1001"));
	got = rate_of(0, 9, 0.1);
	expect(fabs(got - 0.75 * RATE) < 0.05 * RATE, "%g of three nodes", got);
	close_sim();
}
END_TEST

TEST_MAIN("tbf_sim", test_users, test_bytes, test_bytes_of_any_size,
	  test_bytes_of_a_new_job, test_rate_is_kept, test_one_of_many,
	  test_parts, test_burst)

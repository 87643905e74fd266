/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests by which capacity IOStart holds jobs: what history and servers say of
 * the parallel file system, of which some are silent, or of one of several file
 * systems.
 */
#include "config.h"
#include "tests/unit/ctl/iostart_site.h"

#define RUN_KINDS 6

/* Runs of some kinds, of which one is the heavy job's: together up to 190 B/s
 * they take 1000 s, and twice as long above. */
static void teach_runs(struct slu_iostart *s, double most, int64_t at)
{
	char name[16];

	for (int round = 0; round < 30; round++, at += 10000)
		for (int i = 0; i < RUN_KINDS; i++) {
			double all = most * (round + 1) / 30;
			int64_t took = all > 190 ? 2000 : 1000;

			snprintf(name, sizeof(name), "k%c", 'a' + i);
			slu_iostart_learn(
				s, &(struct slu_io_ended){
					   .uid = heavy.uid,
					   .name = i ? name : heavy.name,
					   .nodes = 1,
					   .start = at,
					   .end = at + took + i + round % 7,
					   .read_bytes = all / RUN_KINDS *
							 (double)took,
					   .metadata_ops = all / RUN_KINDS *
							   (double)took});
		}
	slu_iostart_taught(s);
}

static struct slu_io_use use_of(struct slu_iostart *s)
{
	struct slu_io_use use = {0};

	ck_assert(slu_iostart_use(s, 200, &use));
	return use;
}

/* IOBandwidth=auto: nobody waits while it is not known; then it is what history
 * says, then what servers say, less what is degraded. */
START_TEST(test_auto)
{
	struct slu_io_capacity said = {.targets = 10,
				       .degraded = 1,
				       .scope = SLU_IO_READ | SLU_IO_WRITTEN};
	struct slu_conf conf = conf_of(SLU_IOSTART_ON);
	char why[SLU_IOSTART_WHY];
	struct slu_buf text = {0};
	struct slu_iostart s;

	conf.io[0].bandwidth = SLU_IO_AUTO;
	slu_iostart_init(&s);
	ck_assert(slu_iostart_configure(&s, &conf));
	ck_assert(!slu_iostart_configure(&s, &conf));
	slu_iostart_link(&s, true, 1);
	teach_runs(&s, 150, 1000);
	slu_iostart_begun(&s, &heavy, 100);
	ck_assert(!asks(&s, 2, 101, why));
	ck_assert_uint_eq(use_of(&s).known, SLU_IO_UNKNOWN);
	slu_iostart_print(&s, 102, &text);
	ck_assert_msg(strstr(text.data, "IOStart=on: no job is held back: "
					"IOBandwidth=auto is not known "
					"yet; "),
		      "%s", text.data);
	slu_buf_free(&text);
	teach_runs(&s, 400, 1000000);
	ck_assert_uint_eq(use_of(&s).known, SLU_IO_RAN_WELL);
	ck_assert_double_eq_tol(use_of(&s).capacity, 190, 10);
	ck_assert(asks(&s, 2, 103, why));
	slu_iostart_reached(&s, &said, 103); /* servers that are not full */
	ck_assert_double_eq_tol(use_of(&s).capacity, 0.9 * 190, 10);
	said.capacity = 1e6;
	said.scope = SLU_IO_WRITTEN; /* sluiced has not been reloaded yet */
	slu_iostart_reached(&s, &said, 104);
	ck_assert_uint_eq(use_of(&s).known, SLU_IO_RAN_WELL);
	said.scope = conf.io_scope;
	slu_iostart_reached(&s, &said, 104);
	ck_assert_uint_eq(use_of(&s).known, SLU_IO_REACHED);
	ck_assert_double_eq(use_of(&s).capacity, 9e5);
	ck_assert(!asks(&s, 2, 104, why));
	said.capacity = 0; /* sluiced has forgotten */
	said.degraded = 5;
	slu_iostart_reached(&s, &said, 105);
	ck_assert_double_eq(use_of(&s).capacity, 5e5);
	ck_assert_uint_eq(use_of(&s).degraded, 5);
	conf.io[0].bandwidth = 1000;
	ck_assert(slu_iostart_configure(&s, &conf)); /* learnt anew */
	ck_assert_uint_eq(use_of(&s).known, SLU_IO_CONFIGURED);
	ck_assert_double_eq(use_of(&s).capacity, 1000);
	slu_iostart_fini(&s);
}
END_TEST

/* IOMetadata=auto: the same of operations. */
START_TEST(test_metadata_auto)
{
	struct slu_io_capacity said = {.targets = 2,
				       .capacity = 1e6,
				       .scope = SLU_IO_READ | SLU_IO_WRITTEN};
	struct slu_conf conf = conf_of(SLU_IOSTART_ON);
	char why[SLU_IOSTART_WHY];
	struct slu_buf text = {0};
	struct slu_iostart s;

	conf.io[0].metadata = SLU_IO_AUTO;
	slu_iostart_init(&s);
	slu_iostart_count_metadata(&s);
	ck_assert(slu_iostart_configure(&s, &conf));
	slu_iostart_link(&s, true, 1);
	teach_runs(&s, 150, 1000);
	slu_iostart_begun(&s, &heavy, 100);
	ck_assert(!asks(&s, 2, 101, why));
	ck_assert_uint_eq(use_of(&s).known, SLU_IO_UNKNOWN);
	slu_iostart_print(&s, 102, &text);
	expect(strstr(text.data, "IOMetadata=auto is not known yet; "), "%s",
	       text.data);
	slu_buf_free(&text);
	slu_iostart_reached(&s, &said, 103); /* of bytes */
	ck_assert_uint_eq(use_of(&s).known, SLU_IO_UNKNOWN);
	teach_runs(&s, 400, 1000000);
	ck_assert_uint_eq(use_of(&s).known, SLU_IO_RAN_WELL);
	ck_assert_double_eq_tol(use_of(&s).capacity, 190, 10);
	ck_assert(asks(&s, 2, 103, why));
	said.scope = SLU_IO_OPS;
	slu_iostart_reached(&s, &said, 104);
	ck_assert_uint_eq(use_of(&s).known, SLU_IO_REACHED);
	ck_assert_double_eq(use_of(&s).capacity, 1e6);
	ck_assert(!asks(&s, 2, 104, why));
	slu_iostart_fini(&s);
}
END_TEST

static void expect_line(struct slu_iostart *s, int64_t now, const char *words)
{
	struct slu_buf text = {0};

	slu_iostart_print(s, now, &text);
	expect(strstr(text.data, words), "%s", text.data);
	slu_buf_free(&text);
}

/* What servers have done for ten minutes they can do, whatever was known. */
START_TEST(test_held)
{
	struct slu_io_capacity said = {.targets = 10,
				       .held = 500,
				       .scope = SLU_IO_READ | SLU_IO_WRITTEN};
	struct slu_conf conf = conf_of(SLU_IOSTART_ON);
	struct slu_iostart s;

	conf.io[0].bandwidth = SLU_IO_AUTO;
	slu_iostart_init(&s);
	slu_iostart_configure(&s, &conf);
	slu_iostart_link(&s, true, 1);
	slu_iostart_taught(&s);
	slu_iostart_reached(&s, &said, 100); /* perhaps it can do any more */
	ck_assert_uint_eq(use_of(&s).known, SLU_IO_UNKNOWN);
	ck_assert_double_eq(use_of(&s).capacity, 0);
	teach_runs(&s, 400, 1000000);
	ck_assert_uint_eq(use_of(&s).known, SLU_IO_HELD);
	ck_assert_double_eq(use_of(&s).capacity, 500);
	said.capacity = said.held = 800;
	slu_iostart_reached(&s, &said, 130);
	ck_assert_uint_eq(use_of(&s).known, SLU_IO_REACHED);
	ck_assert_double_eq(use_of(&s).capacity, 800);
	said.capacity = 0; /* it is disproved */
	said.held = 1200;
	said.degraded = 1;
	slu_iostart_reached(&s, &said, 160);
	ck_assert_uint_eq(use_of(&s).known, SLU_IO_HELD);
	ck_assert_double_eq(use_of(&s).capacity, 1080);
	said.held = 0; /* sluiced has forgotten */
	slu_iostart_reached(&s, &said, 190);
	ck_assert_double_eq(use_of(&s).capacity, 1080);
	said.capacity = said.held = 700; /* and has seen it full again */
	slu_iostart_reached(&s, &said, 195);
	ck_assert_double_eq(use_of(&s).capacity, 630);
	slu_iostart_fini(&s);
}
END_TEST

/* Servers that say nothing for long do not count, and that is told; nor while
 * no target is whole, which is told, too. */
START_TEST(test_silent_servers)
{
	struct slu_io_capacity said = {.capacity = 900,
				       .held = 900,
				       .targets = 10,
				       .degraded = 10,
				       .silent = 2,
				       .scope = SLU_IO_READ | SLU_IO_WRITTEN};
	struct slu_conf conf = conf_of(SLU_IOSTART_ON);
	struct slu_io_use use;
	struct slu_iostart s;

	conf.io[0].bandwidth = SLU_IO_AUTO;
	slu_iostart_init(&s);
	slu_iostart_configure(&s, &conf);
	slu_iostart_link(&s, true, 1);
	slu_iostart_taught(&s);
	ck_assert(!slu_iostart_forget_servers(&s, 1000000)); /* never heard */
	expect_line(&s, 100,
		    "no job is held back: IOBandwidth=auto is not "
		    "known");
	slu_iostart_reached(&s, &said, 100);
	ck_assert_uint_eq(use_of(&s).silent, 2);
	expect_line(&s, 100, "no job is held back: all Lustre targets are");
	said.degraded = 0;
	slu_iostart_reached(&s, &said, 100);
	ck_assert_double_eq(use_of(&s).capacity, 900);
	ck_assert_int_eq(use_of(&s).unheard, 0);
	ck_assert(!slu_iostart_forget_servers(&s, 86500));
	slu_iostart_use(&s, 86500, &use);
	ck_assert_int_eq(use.unheard, 100);
	ck_assert_double_eq(use.capacity, 900);
	expect_line(&s, 86500, "no Lustre server has reported since 1970");
	ck_assert(slu_iostart_forget_servers(&s, 86501));
	ck_assert(!slu_iostart_forget_servers(&s, 86502)); /* told once */
	ck_assert_uint_eq(use_of(&s).known, SLU_IO_UNKNOWN);
	ck_assert_double_eq(use_of(&s).capacity, 0);
	slu_iostart_fini(&s);
}
END_TEST

/* What servers said is of a controller's time: one that is active again goes by
 * what they say then. */
START_TEST(test_servers_of_before)
{
	struct slu_io_capacity said = {.capacity = 900,
				       .held = 900,
				       .targets = 10,
				       .scope = SLU_IO_READ | SLU_IO_WRITTEN};
	struct slu_conf conf = conf_of(SLU_IOSTART_ON);
	struct slu_iostart s;

	conf.io[0].bandwidth = SLU_IO_AUTO;
	slu_iostart_init(&s);
	slu_iostart_configure(&s, &conf);
	slu_iostart_reached(&s, &said, 100);
	slu_iostart_forget(&s); /* another controller has taken over */
	ck_assert_uint_eq(use_of(&s).known, SLU_IO_UNKNOWN);
	ck_assert_double_eq(use_of(&s).capacity, 0);
	ck_assert_uint_eq(use_of(&s).targets, 0);
	said.capacity = 0; /* meanwhile another, smaller file system */
	said.held = 100;
	slu_iostart_reached(&s, &said, 1000000);
	ck_assert_uint_eq(use_of(&s).known, SLU_IO_UNKNOWN);
	teach_runs(&s, 400, 1000000);
	ck_assert_double_eq_tol(use_of(&s).capacity, 190, 10);
	slu_iostart_fini(&s);
}
END_TEST

/* Runs that were in each other's way moved less than they need: that is not
 * learnt as what they need. Of one that goes on servers tell every ten minutes,
 * of all together sluiced tells twice a minute. */
static void expect_busy(int64_t every)
{
	struct slu_job_moved moved = {.job_id = 1};
	struct slu_io_ended run = {.uid = heavy.uid,
				   .name = heavy.name,
				   .nodes = 2,
				   .start = 100,
				   .end = 3700,
				   .read_bytes = 891.0 * 3600 / 3};
	char why[SLU_IOSTART_WHY];
	struct slu_iostart s;

	set_up(&s, SLU_IOSTART_ON);
	slu_iostart_begun(&s, &heavy, 100);
	for (int64_t t = 100; t <= 3700; t += 30) {
		moved.read_bytes = 995.0 * (double)(t - 100);
		slu_iostart_measured(&s, &moved, (t - 100) % every == 0, t);
	}
	for (int i = 0; i < 20; i++)
		slu_iostart_learn(&s, &run);
	ck_assert(asks(&s, 2, 3701, why));
	ck_assert_msg(strstr(why, "this one needs 89"), "%s", why);
	run.start += 7200; /* when it was not busy, as far as is known */
	run.end += 7200;
	for (int i = 0; i < 20; i++)
		slu_iostart_learn(&s, &run);
	slu_iostart_ended(&s, 1);
	slu_iostart_begun(&s, &heavy, 11000);
	ck_assert(!asks(&s, 2, 11001, why));
	slu_iostart_fini(&s);
}

START_TEST(test_busy_runs)
{
	expect_busy(30);
	expect_busy(600);
}
END_TEST

/* A random part in the file system "home", some of which is not known to be
 * there. */
static double say_shares(uint64_t *seed, char *text, size_t size)
{
	double home = 1 + (double)slu_random(seed, 600000);
	double other = (double)slu_random(seed, 2) * 4000000;
	double unknown = (double)slu_random(seed, 2) * 200000;

	snprintf(text, size, "home %.0f 0 1 0,scratch 0 %.0f 1 0,? %.0f 0 1 9",
		 home, other, unknown);
	return home + unknown;
}

/* One that counts a file system does as one that hears only of that: random
 * histories of runs, starts, measurements and ends. */
START_TEST(test_file_system_alone)
{
	struct slu_conf conf = conf_of(SLU_IOSTART_ON), named = conf;
	struct slu_iostart both[2], *home = &both[0], *alone = &both[1];
	char name[16], shares[100], why[2][SLU_IOSTART_WHY];
	uint64_t seed = 11;
	int64_t now = 100000;
	int waited = 0;

	strcpy(named.io[0].fs, "home");
	for (struct slu_iostart *s = both; s < both + 2; s++) {
		slu_iostart_init(s);
		slu_iostart_configure(s, s == home ? &named : &conf);
		slu_iostart_link(s, true, 1);
		slu_iostart_taught(s);
	}
	for (int i = 0; i < 3000; i++, now += 20) {
		double bytes = say_shares(&seed, shares, sizeof(shares));
		bool known = slu_random(&seed, 4);
		struct slu_io_job job = {
			.job_id = 1 + (uint32_t)slu_random(&seed, 20),
			.nodes = 1,
			.name = name,
			.seconds = 3600};
		struct slu_io_ended run = {.name = name,
					   .nodes = 1,
					   .start = now - 3600,
					   .end = now,
					   .read_bytes = bytes};
		struct slu_job_moved moved = {.job_id = job.job_id,
					      .read_bytes = bytes};
		uint64_t what = slu_random(&seed, 4);
		bool waits[2];

		app_name(slu_random(&seed, 5), name);

		for (struct slu_iostart *s = both; s < both + 2; s++) {
			size_t k = (size_t)(s - both);

			run.by_fs = known && s == home ? shares : NULL;
			moved.by_fs = (char *)(uintptr_t)run.by_fs;
			if (what == 0)
				slu_iostart_learn(s, &run);
			else if (what == 1)
				slu_iostart_begun(s, &job, now);
			else if (what == 2)
				slu_iostart_measured(s, &moved, 1, now);
			else
				slu_iostart_ended(s, job.job_id);
			job.job_id += 100;
			waits[k] = slu_iostart_waits(s, &job, now, why[k]);
			slu_iostart_ended(s, job.job_id);
			job.job_id -= 100;
		}
		ck_assert(waits[0] == waits[1]);
		waited += waits[0];
		ck_assert_double_eq(use_of(home).demand, use_of(alone).demand);
		if (waits[0])
			ck_assert_ptr_nonnull(
				strstr(why[0], " of the home file system: "));
	}
	expect(waited > 100 && waited < 2900, "%d", waited);
	for (struct slu_iostart *s = both; s < both + 2; s++)
		slu_iostart_fini(s);
}
END_TEST

/* Servers' capacity is of the file system that they name; and a run that is
 * known to have moved nothing there is learnt. */
START_TEST(test_file_system)
{
	struct slu_io_capacity said = {.capacity = 9e5,
				       .targets = 10,
				       .scope = SLU_IO_READ | SLU_IO_WRITTEN};
	struct slu_conf conf = conf_of(SLU_IOSTART_ON);
	char why[SLU_IOSTART_WHY];
	struct slu_iostart s;

	conf.io[0].bandwidth = SLU_IO_AUTO;
	strcpy(conf.io[0].fs, "home");
	slu_iostart_init(&s);
	ck_assert(slu_iostart_configure(&s, &conf));
	ck_assert(!slu_iostart_configure(&s, &conf));
	slu_iostart_link(&s, true, 1);
	slu_iostart_reached(&s, &said, 100);
	said.fs = (char *)(uintptr_t) "scratch";
	slu_iostart_reached(&s, &said, 100);
	ck_assert_double_eq(use_of(&s).capacity, 0);
	said.fs = (char *)(uintptr_t) "home";
	said.capacity = 1000;
	slu_iostart_reached(&s, &said, 100);
	ck_assert_double_eq(use_of(&s).capacity, 1000);
	ck_assert_ptr_null(use_of(&s).fs);
	teach(&s, NULL);
	slu_iostart_begun(&s, &heavy, 100);
	ck_assert(asks(&s, 2, 101, why));
	expect_line(&s, 101, "IOStart=on, home: 1 jobs wait; ");
	for (int run = 0; run < 20; run++)
		slu_iostart_learn(&s, &(struct slu_io_ended){
					      .uid = heavy.uid,
					      .name = heavy.name,
					      .nodes = 2,
					      .end = 3600,
					      .read_bytes = 1e9,
					      .by_fs = "scratch 1000 0 1 0"});
	ck_assert(!asks(&s, 2, 102, why));
	strcpy(conf.io[0].fs, "scratch"); /* its name changes: learnt anew */
	ck_assert(slu_iostart_configure(&s, &conf));
	slu_iostart_fini(&s);
}
END_TEST

TEST_MAIN("iostart capacity", test_file_system, test_file_system_alone,
	  test_busy_runs, test_auto, test_metadata_auto, test_held,
	  test_silent_servers, test_servers_of_before)

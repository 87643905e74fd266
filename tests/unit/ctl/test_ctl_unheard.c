/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests jobs whose nodes wait for a sluiced that is away for longer than
 * SetupTimeout (120 s, and 1800 s to stage in). */
#include "config.h"
#include <time.h>
#include "tests/unit/ctl/ctl_fake.h"

static const char why[] = "7 setup failed: sluiced does not answer;";

/* The link breaks at 2. `began`: s ago; state: as sluiced has reported, or
 * NULL. */
static struct slu_ctl *broken_link(const char *conf, int64_t began,
				   const char *state, bool unlaunched)
{
	struct slu_ctl *ctl = ctl_by_hand(conf);
	struct slu_buffer_state told = {.buffer = 1,
					.job_id = 7,
					.name = (char *)"",
					.state = (char *)(uintptr_t)state};
	struct slu_job *job;
	bool held;

	while (host.n)
		slu_msg_clear(&slu_job_desc, &host.job[--host.n]);
	forget();
	link_up(ctl, 1);
	job = host_add(with_buffer(7));
	job->start = time(NULL) - began;
	job->unlaunched = unlaunched;
	say_started(ctl, 7, &held);
	if (state)
		daemon_say(&slu_buffer_desc, &told);
	slu_ctl_step(ctl, 1.5);
	daemon_hang_up();
	close(daemon_end.listen);
	daemon_end.listen = -1;
	slu_ctl_step(ctl, 2);
	ck_assert(!ctl->linked);
	forget();
	return ctl;
}

static void end(struct slu_ctl *ctl)
{
	slu_ctl_release(ctl);
}

START_TEST(test_given_up)
{
	static const struct {
		const char *conf, *state, *done;
		int64_t began;
	} cases[] = {
		{"", NULL, "requeue ", 121},
		{"", "SETUP", "requeue ", 121},
		{"", "STAGE_IN", "requeue ", 1921},
		{"OnSetupFailure=hold", NULL, "hold ", 121},
		{"OnSetupFailure=fail", NULL, "fail ", 121},
	};
	char done[128];

	each(c, cases)
	{
		struct slu_ctl *ctl =
			broken_link(c->conf, c->began, c->state, true);

		snprintf(done, sizeof(done), "%s%s", c->done, why);
		slu_ctl_step(ctl, 11); /* a restart is waited for */
		ck_assert_str_eq(host.did, "");
		slu_ctl_step(ctl, 18);
		expect(has_done(done), "%zu: %.500s", (size_t)(c - cases),
		       host.did);
		end(ctl);
	}
}
END_TEST

/* Its nodes go on waiting, or do not wait at all. */
START_TEST(test_left_alone)
{
	static const struct {
		const char *state;
		int64_t began;
		bool launched;
	} cases[] = {
		{NULL, 90, false},	   {"SETUP", 90, false},
		{"STAGE_IN", 1800, false}, {"RUNNING", 9000, false},
		{"SETUP", 9000, true},	   {NULL, 9000, true},
	};

	each(c, cases)
	{
		struct slu_ctl *ctl =
			broken_link("", c->began, c->state, !c->launched);

		slu_ctl_step(ctl, 14);
		slu_ctl_step(ctl, 20);
		expect(!*host.did, "%zu: %.500s", (size_t)(c - cases),
		       host.did);
		end(ctl);
	}
}
END_TEST

/* Slurm sets its start again when its nodes have booted. */
START_TEST(test_booted)
{
	static const struct {
		int64_t began;
		bool given_up;
	} cases[] = {{121, true}, {60, false}};

	each(c, cases)
	{
		struct slu_ctl *ctl = broken_link("", 600, NULL, true);

		host_job(7)->start = time(NULL) - c->began;
		slu_ctl_step(ctl, 18);
		expect(!!strstr(host.did, why) == c->given_up, "%zu: %.500s",
		       (size_t)(c - cases), host.did);
		end(ctl);
	}
}
END_TEST

START_TEST(test_back_in_time)
{
	struct slu_ctl *ctl = broken_link("", 9000, NULL, true);

	link_up(ctl, ctl->link.retry_at);
	slu_ctl_step(ctl, 20);
	slu_ctl_step(ctl, 30);
	expect(!strstr(host.did, why), "%.500s", host.did);
	daemon_hang_up();
	end(ctl);
}
END_TEST

/* More than are looked at in one go, the late ones last. */
START_TEST(test_more_jobs_than_one_look)
{
	struct slu_ctl *ctl = broken_link("", 121, NULL, true);
	struct slu_job ran = with_buffer(0);

	ran.start = time(NULL) - 9000;
	for (uint32_t id = 1000; id < 1600; id++) {
		ran.job_id = id;
		ck_assert_ptr_nonnull(slu_followed_start(ctl, &ran));
	}
	slu_ctl_step(ctl, 18);
	ck_assert(has_done("requeue 7 setup failed: sluiced does not "
			   "answer;"));
	end(ctl);
}
END_TEST

TEST_MAIN("ctl unheard", test_given_up, test_left_alone, test_booted,
	  test_back_in_time, test_more_jobs_than_one_look)

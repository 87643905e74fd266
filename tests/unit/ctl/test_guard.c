/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the time limits that Sluice sets: at which submissions, and when they
 * are given back. The clock and slurmctld's records are simulated. */
#include "config.h"
#include "tests/unit/ctl/ctl_fake.h"
#include "tests/unit/tmpdir.h"

#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>

static struct slu_ctl *tightening(const char *more)
{
	struct slu_ctl *ctl;

	host.n_limit = 0;
	host.limits_fail = false;
	host.late = (struct slu_ctl_late){0};
	host.log[0] = '\0';
	forget();
	ctl = ctl_by_hand(more);
	for (int i = 0; i < 30; i++) {
		struct slu_job job = {.job_id = 1,
				      .uid = 1000,
				      .name = "x",
				      .node_cnt = 1,
				      .nodes = "n1",
				      .start = 1000,
				      .end = 1600,
				      .limit_asked = 60};

		slu_learn(ctl->site->predictor, &job);
	}
	return ctl;
}

#define TIGHTEN "PredictMode=tighten"
#define EARLY	"PredictMode=early"

static const struct {
	const char *what;
	const char *conf;
	struct slu_ctl_submit submit;
	bool no_guard;
	enum slu_note_limit limit;
	uint32_t whole;
} submissions[] = {
	{.what = "a job with a limit",
	 .conf = TIGHTEN,
	 .submit = {.job.limit_asked = 60, .has_limit = true, .guarded = true},
	 .limit = SLU_LIMIT_MEANT,
	 .whole = 60},
	{.what = "unlimited",
	 .conf = TIGHTEN,
	 .submit = {.has_limit = true, .guarded = true},
	 .limit = SLU_LIMIT_MEANT,
	 .whole = SLU_NOTE_UNLIMITED},
	{.what = "none",
	 .conf = TIGHTEN,
	 .submit = {.guarded = true},
	 .limit = SLU_LIMIT_MEANT},
	{.what = "none, in mode fill",
	 .conf = "PredictMode=fill",
	 .submit = {.guarded = true},
	 .limit = SLU_LIMIT_MEANT},
	{.what = "a limit, in mode fill",
	 .conf = "PredictMode=fill",
	 .submit = {.job.limit_asked = 60, .has_limit = true, .guarded = true}},
	{.what = "a limit, in mode early",
	 .conf = EARLY,
	 .submit = {.job.limit_asked = 60, .has_limit = true, .guarded = true},
	 .limit = SLU_LIMIT_MEANT,
	 .whole = 60},
	{.what = "a limit, in mode advise",
	 .conf = "PredictMode=advise",
	 .submit = {.job.limit_asked = 60, .has_limit = true, .guarded = true}},
	{.what = "as short as the prediction",
	 .conf = TIGHTEN,
	 .submit = {.job.limit_asked = 5, .has_limit = true, .guarded = true}},
	{.what = "no burst_buffer/sluice",
	 .conf = TIGHTEN,
	 .submit = {.job.limit_asked = 60, .has_limit = true}},
	{.what = "the guard does not look",
	 .conf = TIGHTEN,
	 .submit = {.job.limit_asked = 60, .has_limit = true, .guarded = true},
	 .no_guard = true},
	{.what = "the job watches its limit",
	 .conf = TIGHTEN,
	 .submit = {.job.limit_asked = 60,
		    .has_limit = true,
		    .guarded = true,
		    .watched = true}},
	{.what = "who wants none, in the script",
	 .conf = TIGHTEN,
	 .submit = {.job.limit_asked = 60,
		    .has_limit = true,
		    .guarded = true,
		    .script = "#!/bin/sh\n#BB limit tighten=no\ntrue\n"}},
	{.what = "who wants none, in the option",
	 .conf = TIGHTEN,
	 .submit = {.job.limit_asked = 60,
		    .has_limit = true,
		    .guarded = true,
		    .option = "limit tighten=no"}},
	{.what = "a script that speaks of it",
	 .conf = TIGHTEN,
	 .submit = {.job.limit_asked = 60,
		    .has_limit = true,
		    .guarded = true,
		    .script = "#!/bin/sh\n#BB limit tighten=yes\ntighten=no\n"},
	 .limit = SLU_LIMIT_MEANT,
	 .whole = 60},
	{.what = "a request that will be refused",
	 .conf = TIGHTEN,
	 .submit = {.job.limit_asked = 60,
		    .has_limit = true,
		    .guarded = true,
		    .option = "limit tighten=never"}},
};

START_TEST(test_submissions)
{
	each(c, submissions)
	{
		struct slu_ctl *ctl = tightening(c->conf);
		struct slu_ctl_submit submit = c->submit;
		const struct slu_note *note = &submit.note;

		submit.job.uid = 1000;
		submit.job.name = "x";
		submit.job.node_cnt = 1;
		if (!c->no_guard)
			slu_guard_step(ctl, 1000);
		slu_ctl_submit(ctl, &submit);
		expect(note->limit == c->limit && note->whole == c->whole,
		       "%s: %d of %u", c->what, note->limit, note->whole);
		expect(!note->limit == !note->tight, "%s", c->what);
		if (c->limit == SLU_LIMIT_MEANT)
			expect(note->tight >= 10 && note->tight < 60, "%s: %u",
			       c->what, note->tight);
		expect((note->script != 0) == (submit.script != NULL), "%s",
		       c->what);
		/* jobs like it take ten minutes */
		expect((submit.tell != NULL) == (submit.job.limit_asked == 5),
		       "%s: %s", c->what, submit.tell);
		free(submit.tell);
		slu_ctl_release(ctl);
	}
}
END_TEST

START_TEST(test_tell)
{
	struct slu_ctl *ctl = tightening(TIGHTEN "\nPredictTell=yes");
	struct slu_ctl_submit submit = {.job = {.uid = 1000,
						.name = "x",
						.node_cnt = 1,
						.limit_asked = 60},
					.has_limit = true,
					.watched = true};

	slu_ctl_submit(ctl, &submit);
	ck_assert_str_eq(submit.tell,
			 "sluice: jobs like this one take about 0:10:00 (30 "
			 "known), you asked for 1:00:00");
	free(submit.tell);
	submit.watched = false;
	submit.guarded = true;
	slu_guard_step(ctl, 1000);
	slu_ctl_submit(ctl, &submit);
	ck_assert(strstr(submit.tell, ", the limit is to be 0:"));
	free(submit.tell);
	slu_ctl_release(ctl);
}
END_TEST

START_TEST(test_script_hash)
{
	struct slu_ctl *ctl = tightening("");
	struct slu_ctl_submit a = {.script = "#!/bin/sh\n"}, b = a, c = a;

	c.script = "#!/bin/sh\n#";
	slu_ctl_submit(ctl, &a);
	slu_ctl_submit(ctl, &b);
	slu_ctl_submit(ctl, &c);
	ck_assert_uint_eq(a.note.script, b.note.script);
	ck_assert_uint_ne(a.note.script, c.note.script);
	slu_ctl_release(ctl);
}
END_TEST

/* A job whose tight limit ends at 2000. */
static struct slu_ctl_limit running(uint32_t tight, uint32_t whole)
{
	return (struct slu_ctl_limit){.job_id = 7,
				      .running = true,
				      .whole_asked = true,
				      .end = 2000,
				      .limit = tight,
				      .tight = tight,
				      .whole = whole};
}

static const struct {
	const char *conf;
	uint32_t tight, whole;
	int64_t now, next; /* next: when it looks again; 0: it has extended */
} running_cases[] = {
	{TIGHTEN, 10, 60, 1000, 1015},
	{TIGHTEN, 10, 60, 1870, 1880}, /* just when it is due */
	{TIGHTEN, 10, 60, 1879, 1880},
	{TIGHTEN, 10, 60, 1880, 0},
	{TIGHTEN, 10, 60, 5000, 0}, /* slurmctld was away */
	{TIGHTEN, 1, 60, 1969, 1970},
	{TIGHTEN, 1, 60, 1970, 0},
	{TIGHTEN, 10, SLU_NOTE_UNLIMITED, 1880, 0},
	{TIGHTEN, 10, 10, 1990, 2005}, /* nothing to give */
	{"PredictMode=advise", 10, 60, 1000, 0},
	{EARLY, 10, 60, 1870, 1880},
	{EARLY, 10, 60, 1880, 0},
	{"PredictMode=off", 10, 60, 1000, 0},
	{"PredictMode=fill", 10, 60, 1000, 0},
};

START_TEST(test_running)
{
	each(c, running_cases)
	{
		struct slu_ctl *ctl = tightening(c->conf);
		int64_t next;

		host.n_limit = 1;
		host.limit[0] = running(c->tight, c->whole);
		next = slu_guard_step(ctl, c->now);
		expect(has_done("limit 7 whole;") == !c->next, "at %lld",
		       (long long)c->now);
		if (c->next)
			expect(next == c->next, "at %lld: %lld",
			       (long long)c->now, (long long)next);
		/* In one step, and once. */
		forget();
		slu_guard_step(ctl, c->now + 1);
		ck_assert(c->next || !has_done("limit"));
		slu_ctl_release(ctl);
	}
}
END_TEST

/* What is left of a suspended one does not become less: nobody has to look at
 * it sooner. */
START_TEST(test_suspended)
{
	struct slu_ctl *ctl = tightening(TIGHTEN);

	host.n_limit = 1;
	host.limit[0] = running(10, 60);
	host.limit[0].suspended = true;
	ck_assert_int_eq(slu_guard_step(ctl, 1875), 1890);
	ck_assert(!has_done("limit"));
	slu_guard_step(ctl, 1880);
	ck_assert(has_done("limit 7 whole;"));
	slu_ctl_release(ctl);
}
END_TEST

/* Many that are due together are extended in one call, whose end is nearest
 * first; those that run before those that wait. */
START_TEST(test_due_limits_in_one_call)
{
	struct slu_ctl *ctl = tightening(TIGHTEN);

	host.n_limit = 4;
	for (int i = 0; i < 4; i++) {
		host.limit[i] = running(10, 60);
		host.limit[i].job_id = 1 + (uint32_t)i;
		host.limit[i].end = 2000 - i;
	}
	host.limit[3].running = false;
	host.limit[3].bar = SLU_LIMIT_BAR_RESERVATION;
	host.limit[0].end = 9000;
	host.limit_calls = 0;
	ck_assert_int_eq(slu_guard_step(ctl, 1990), 2005);
	ck_assert_str_eq(host.did,
			 "limit 3 whole;limit 2 whole;limit 4 whole;");
	ck_assert_int_eq(host.limit_calls, 1);
	host.n_limit = 0;
	slu_ctl_release(ctl);
}
END_TEST

/* What the log says of the delay. */
START_TEST(test_delay_is_logged)
{
	struct slu_ctl *ctl = tightening(TIGHTEN);

	host.n_limit = 1;
	host.limit[0] = running(10, 90);
	host.late =
		(struct slu_ctl_late){.jobs = 2, .first = 9, .longest = 240};
	slu_guard_step(ctl, 1990);
	ck_assert(strstr(host.log,
			 "JobId=7: limit 0:10:00 extended to 1:30:00; 2 "
			 "planned starts, of them first JobId=9, may be later "
			 "by up to 240 s"));
	host.n_limit = 1;
	host.limit[0] = running(10, 90);
	host.late = (struct slu_ctl_late){.reservation = "maint"};
	slu_guard_step(ctl, 1990);
	ck_assert(strstr(host.log, "JobId=7: limit 0:10:00 extended to 1:30:00;"
				   " reservation maint begins before that"));
	slu_ctl_release(ctl);
}
END_TEST

static const struct {
	const char *conf;
	bool whole_asked;
	enum slu_limit_bar bar;
	uint32_t limit;
	const char *does; /* NULL: nothing */
} pending_cases[] = {
	{TIGHTEN, true, SLU_LIMIT_BAR_NONE, 10, NULL},
	{TIGHTEN, true, SLU_LIMIT_BAR_RESERVATION, 10, "limit 7 whole;"},
	{TIGHTEN, true, SLU_LIMIT_BAR_RESERVATION, 60, NULL},
	{TIGHTEN, true, SLU_LIMIT_BAR_MAXIMUM, 10, "limit 7 whole;"},
	{TIGHTEN, true, SLU_LIMIT_BAR_MAXIMUM, 60, NULL},
	{TIGHTEN, true, SLU_LIMIT_BAR_NONE, 60, "limit 7 tight;"},
	{TIGHTEN, true, SLU_LIMIT_BAR_RESERVATION, 33,
	 NULL}, /* by somebody else */
	{TIGHTEN, true, SLU_LIMIT_BAR_NONE, 33, NULL},
	{EARLY, true, SLU_LIMIT_BAR_NONE, 10, NULL},
	{EARLY, true, SLU_LIMIT_BAR_NONE, 60, "limit 7 tight;"},
	{"PredictMode=fill", false, SLU_LIMIT_BAR_NONE, 10, NULL},
	{"PredictMode=fill", true, SLU_LIMIT_BAR_NONE, 10, "limit 7 whole;"},
	{"PredictMode=fill", true, SLU_LIMIT_BAR_NONE, 60, NULL},
	{"PredictMode=off", false, SLU_LIMIT_BAR_NONE, 10, "limit 7 whole;"},
};

/* More than the default was given: it stays while that is allowed. */
static const struct {
	const char *conf;
	bool running;
	enum slu_limit_bar bar;
	uint32_t limit;
	const char *does;
} filled_cases[] = {
	{TIGHTEN, false, SLU_LIMIT_BAR_NONE, 130, ""},
	{TIGHTEN, false, SLU_LIMIT_BAR_MAXIMUM, 130, "limit 7 whole;"},
	{TIGHTEN, false, SLU_LIMIT_BAR_MAXIMUM, 60, ""},
	{TIGHTEN, false, SLU_LIMIT_BAR_NONE, 60, "limit 7 tight;"},
	{TIGHTEN, false, SLU_LIMIT_BAR_NONE, 90, ""}, /* by somebody else */
	{TIGHTEN, true, SLU_LIMIT_BAR_NONE, 130, ""},
	{"PredictMode=off", false, SLU_LIMIT_BAR_NONE, 130, ""},
	{"PredictMode=off", true, SLU_LIMIT_BAR_NONE, 130, ""},
};

START_TEST(test_filled_in_limits)
{
	each(c, filled_cases)
	{
		struct slu_ctl *ctl = tightening(c->conf);

		host.n_limit = 1;
		host.limit[0] = running(130, 60);
		host.limit[0].running = c->running;
		host.limit[0].whole_asked = false;
		host.limit[0].bar = c->bar;
		host.limit[0].limit = c->limit;
		slu_guard_step(ctl, host.limit[0].end - 1);
		ck_assert_str_eq(host.did, c->does);
		slu_ctl_release(ctl);
	}
}
END_TEST

START_TEST(test_pending)
{
	each(c, pending_cases)
	{
		struct slu_ctl *ctl = tightening(c->conf);

		host.n_limit = 1;
		host.limit[0] = running(10, 60);
		host.limit[0].running = false;
		host.limit[0].whole_asked = c->whole_asked;
		host.limit[0].bar = c->bar;
		host.limit[0].limit = c->limit;
		slu_guard_step(ctl, 1000);
		if (c->does)
			ck_assert_str_eq(host.did, c->does);
		else
			ck_assert_str_eq(host.did, "");
		slu_ctl_release(ctl);
	}
}
END_TEST

/* A configuration that cannot be read takes nothing from a running job. */
START_TEST(test_bad_configuration)
{
	struct slu_ctl *ctl;

	write_conf("Nonsense=1");
	ctl = slu_ctl_acquire(&fake_ops, tmpfile_path("sluice.conf"));
	ctl->started = true;
	forget();
	host.n_limit = 1;
	host.limit[0] = running(10, 60);
	slu_guard_step(ctl, 1000);
	ck_assert(!has_done("limit"));
	slu_guard_step(ctl, 1880);
	ck_assert(has_done("limit 7 whole;"));
	host.n_limit = 0;
	slu_ctl_release(ctl);
}
END_TEST

START_TEST(test_cannot_look)
{
	struct slu_ctl *ctl = tightening(TIGHTEN);

	host.limits_fail = true;
	ck_assert_int_eq(slu_guard_step(ctl, 1000), 1001); /* soon again */
	ck_assert(!slu_guard_alive(ctl));
	host.limits_fail = false;
	slu_guard_step(ctl, 1001);
	ck_assert(slu_guard_alive(ctl));
	slu_ctl_release(ctl);
}
END_TEST

/* The active controller, with one job that runs for so many seconds more. */
static struct slu_ctl *acquire(int seconds)
{
	struct slu_ctl *ctl;

	write_conf(TIGHTEN);
	forget();
	host.n_limit = 1;
	host.limit[0] = running(10, 60);
	host.limit[0].end = time(NULL) + seconds;
	ctl = slu_ctl_acquire(&fake_ops, tmpfile_path("sluice.conf"));
	slu_ctl_active(ctl);
	return ctl;
}

/* The thread itself: it looks when the controller begins, and when woken. */
START_TEST(test_thread)
{
	struct slu_ctl *ctl = acquire(100);

	for (int i = 0; i < 300 && !has_done("limit 7 whole;"); i++)
		usleep(10000);
	ck_assert(has_done("limit 7 whole;"));
	pthread_mutex_lock(&host_lock);
	host.limit[0] = running(10, 60);
	host.limit[0].running = false;
	host.limit[0].bar = SLU_LIMIT_BAR_RESERVATION;
	host.limit[0].job_id = 8;
	host.n_limit = 1;
	pthread_mutex_unlock(&host_lock);
	for (int i = 0; i < 300 && !has_done("limit 8 whole;"); i++) {
		slu_ctl_guard_look(ctl);
		usleep(10000);
	}
	ck_assert(has_done("limit 8 whole;"));
	slu_ctl_release(ctl);
	host.n_limit = 0;
}
END_TEST

/* The clock, which the test can set, and the timer that tells of it. */
static atomic_int skew, clock_timer = -1;

int clock_gettime(clockid_t clock, struct timespec *ts)
{
	int rc = (int)syscall(SYS_clock_gettime, clock, ts);

	if (clock == CLOCK_REALTIME)
		ts->tv_sec += skew;
	return rc;
}

int timerfd_create(int clock, int flags)
{
	if (clock != CLOCK_REALTIME)
		return (int)syscall(SYS_timerfd_create, clock, flags);
	return clock_timer = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
}

int timerfd_settime(int fd, int flags, const struct itimerspec *new,
		    struct itimerspec *old)
{
	eventfd_t was;

	if (fd != clock_timer)
		return (int)syscall(SYS_timerfd_settime, fd, flags, new, old);
	if (!(flags & TFD_TIMER_CANCEL_ON_SET))
		return eventfd_write(fd, 1);
	eventfd_read(fd, &was);
	return 0;
}

/* Slurm looks at limits as soon as the clock is set. */
START_TEST(test_clock_is_set)
{
	struct slu_ctl *ctl = acquire(400);

	for (int i = 0; i < 300 && !slu_guard_alive(ctl); i++)
		usleep(10000);
	usleep(100000);
	ck_assert(!has_done("limit 7 whole;"));
	skew = 300;
	eventfd_write(clock_timer, 1);
	for (int i = 0; i < 50 && !has_done("limit 7 whole;"); i++)
		usleep(10000);
	ck_assert(has_done("limit 7 whole;"));
	skew = 0;
	slu_ctl_release(ctl);
	host.n_limit = 0;
}
END_TEST

TEST_MAIN("guard", test_submissions, test_tell, test_script_hash, test_running,
	  test_suspended, test_due_limits_in_one_call, test_delay_is_logged,
	  test_pending, test_filled_in_limits, test_bad_configuration,
	  test_cannot_look, test_thread, test_clock_is_set)

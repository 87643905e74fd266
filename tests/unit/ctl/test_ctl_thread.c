/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the thread of libsluice: start, stop, and slurmctld's hooks while it is
 * stuck. */
#include "config.h"
#include "tests/unit/ctl/ctl_fake.h"
#include "tests/unit/tmpdir.h"
#include <dlfcn.h>
#include <time.h>

static bool no_threads; /* the host may have no more of them */

int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
		   void *(*fn)(void *), void *arg)
{
	int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
		      void *);

	if (no_threads)
		return EAGAIN;
	*(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
	return create(thread, attr, fn, arg);
}

static double now_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static bool wait_for(atomic_bool *flag)
{
	for (int i = 0; i < 500 && !*flag; i++)
		usleep(10000);
	return *flag;
}

/* The thread itself: starts with the first hook, connects, stops. */
START_TEST(test_thread)
{
	struct slu_hello_daemon hello = {.version = SLU_WIRE_VERSION};
	struct slu_ctl *ctl;
	double began;

	write_conf("");
	ctl = slu_ctl_acquire(&fake_ops, tmpfile_path("sluice.conf"));
	ck_assert(!ctl->started);
	daemon_listen();
	slu_ctl_look(ctl, 1);
	for (int i = 0; i < 500 && !daemon_accept(); i++)
		usleep(10000);
	ck_assert(daemon_end.fd >= 0);
	daemon_say(&slu_hello_daemon_desc, &hello);
	ck_assert(wait_for(&ctl->linked));
	began = now_seconds();
	slu_ctl_release(ctl);
	expect(now_seconds() - began < 1, "%f", now_seconds() - began);
}
END_TEST

static bool connects(void)
{
	for (int i = 0; i < 500 && !daemon_accept(); i++)
		usleep(10000);
	return daemon_end.fd >= 0;
}

/* A standby takes over, hands back, and takes over again. */
START_TEST(test_hands_back)
{
	struct slu_hello_daemon hello = {.version = SLU_WIRE_VERSION};
	struct slu_ctl *ctl, *other;
	int looks;

	write_conf("");
	ctl = slu_ctl_acquire(&fake_ops, tmpfile_path("sluice.conf"));
	other = slu_ctl_acquire(&fake_ops, NULL); /* its fini is not called */
	daemon_listen();
	slu_ctl_inactive(ctl); /* as a standby gets it when that ends */
	slu_ctl_active(ctl);
	ck_assert(connects());
	ck_assert(slu_ctl_alive(ctl, 5)); /* who knows */
	daemon_say(&slu_hello_daemon_desc, &hello);
	ck_assert(wait_for(&ctl->linked));
	ck_assert(!slu_ctl_alive(ctl, 5));
	slu_ctl_claim(ctl, 5, "jobfs type=scratch capacity=1GiB", 1, true);
	ck_assert(slu_ctl_claimed(ctl, 5)); /* it ends meanwhile */
	slu_ctl_inactive(ctl);
	slu_ctl_release(ctl);
	ck_assert(!ctl->linked);
	ck_assert(!ctl->has_thread && !ctl->has_guard);
	looks = host.snapshots;
	write_conf("MaxGiveBack=77");
	slu_ctl_look(other, 1); /* a late hook starts nothing */
	ck_assert(!other->started);
	daemon_hang_up();
	usleep(50000);
	ck_assert(!daemon_accept());
	ck_assert_int_eq(host.snapshots, looks);

	ctl = slu_ctl_acquire(&fake_ops, NULL);
	ck_assert_ptr_eq(ctl, other);
	slu_ctl_active(ctl);
	ck_assert(connects());
	daemon_say(&slu_hello_daemon_desc, &hello);
	ck_assert(wait_for(&ctl->linked));
	ck_assert(daemon_heard(&slu_hello_ctl_desc));
	ck_assert_int_gt(host.snapshots, looks);
	ck_assert_int_eq(ctl->site->conf->max_give_back, 77);
	ck_assert(!slu_ctl_claimed(ctl, 5));
	slu_ctl_release(ctl);
	slu_ctl_release(other);
}
END_TEST

static pthread_mutex_t stuck = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool is_stuck;

static void stuck_settings(void *arg, struct slu_ctl_settings *out)
{
	is_stuck = true;
	pthread_mutex_lock(&stuck);
	fake_settings(arg, out);
	pthread_mutex_unlock(&stuck);
}

static bool wait_done(const char *what)
{
	for (int i = 0; i < 500 && !has_done(what); i++)
		usleep(10000);
	return has_done(what);
}

/* So may the one of a standby: no second thread starts beside a stuck one. */
START_TEST(test_hands_back_while_stuck)
{
	struct slu_ctl_ops ops = fake_ops;
	struct slu_ctl *ctl;

	ops.settings = stuck_settings;
	is_stuck = false;
	write_conf("");
	ctl = slu_ctl_acquire(&ops, tmpfile_path("sluice.conf"));
	pthread_mutex_lock(&stuck);
	slu_ctl_active(ctl);
	ck_assert(wait_for(&is_stuck));
	slu_ctl_inactive(ctl);
	slu_ctl_active(ctl);
	ck_assert(!ctl->started);
	ck_assert(ctl->stop);
	pthread_mutex_unlock(&stuck);
	for (int i = 0; i < 500 && !ctl->started; i++) {
		slu_ctl_look(ctl, 1);
		usleep(10000);
	}
	ck_assert(ctl->started);
	slu_ctl_release(ctl);
}
END_TEST

/* fini() may hold the lock that the thread waits for. */
START_TEST(test_release_while_stuck)
{
	struct slu_ctl_ops ops = fake_ops;
	struct slu_ctl *ctl;
	double began;

	ops.settings = stuck_settings;
	write_conf("");
	ctl = slu_ctl_acquire(&ops, tmpfile_path("sluice.conf"));
	pthread_mutex_lock(&stuck);
	slu_ctl_active(ctl);
	ck_assert(wait_for(&is_stuck));
	began = now_seconds();
	slu_ctl_release(ctl);
	expect(now_seconds() - began < 4, "%f", now_seconds() - began);
	/* It goes on, finds that it is to stop, and ends. */
	pthread_mutex_unlock(&stuck);
	usleep(200000);
}
END_TEST

static void expect_kept(struct slu_ctl *ctl, uint32_t begins, const char *want)
{
	slu_ctl_begun(ctl, begins);
	slu_ctl_look(ctl, begins);
	expect(wait_done(want), "%s after %u", want, begins);
}

/* Jobs may begin in any order; numbers begin again at MaxJobId. */
START_TEST(test_keeps_number)
{
	struct slu_ctl *ctl;

	write_conf("");
	ctl = slu_ctl_acquire(&fake_ops, tmpfile_path("sluice.conf"));
	slu_ctl_active(ctl);
	ck_assert(wait_done("pass;"));
	expect_kept(ctl, 6, "keep 6;");
	slu_ctl_begun(ctl, 5);
	expect_kept(ctl, 67043327, "keep 67043327;");
	expect_kept(ctl, 1, "keep 1;");
	ck_assert(!has_done("keep 5;"));
	slu_ctl_release(ctl);
}
END_TEST

/* Hooks ask for it as often as they like: Slurm is asked once. */
START_TEST(test_stores_jobs)
{
	struct slu_ctl *ctl = ctl_by_hand("");

	slu_ctl_step(ctl, 1);
	ck_assert_int_eq(host.stores, 0);
	for (int i = 0; i < 3; i++)
		slu_ctl_store_jobs(ctl);
	ck_assert_int_eq(host.stores, 0); /* not in a hook */
	slu_ctl_step(ctl, 2);
	slu_ctl_step(ctl, 3);
	ck_assert_int_eq(host.stores, 1);
	slu_ctl_store_jobs(ctl);
	slu_ctl_step(ctl, 4);
	ck_assert_int_eq(host.stores, 2);
	slu_ctl_release(ctl);
}
END_TEST

/* Limits that were set before are to be guarded as soon as there are threads
 * again; until then none is set. */
START_TEST(test_starts_again)
{
	struct slu_ctl *ctl;

	write_conf("");
	ctl = slu_ctl_acquire(&fake_ops, tmpfile_path("sluice.conf"));
	no_threads = true;
	slu_ctl_active(ctl);
	no_threads = false;
	ck_assert(!ctl->has_guard && !ctl->has_thread);
	slu_ctl_look(ctl, 1); /* not at each hook */
	ck_assert(!ctl->has_guard);
	ck_assert(!slu_guard_alive(ctl));
	ctl->start_again = time(NULL);
	slu_ctl_look(ctl, 1);
	ck_assert(ctl->has_guard && ctl->has_thread);
	for (int i = 0; i < 500 && !slu_guard_alive(ctl); i++)
		usleep(10000);
	ck_assert(slu_guard_alive(ctl));
	slu_ctl_release(ctl);
}
END_TEST

TEST_MAIN("ctl thread", test_thread, test_hands_back,
	  test_hands_back_while_stuck, test_release_while_stuck,
	  test_keeps_number, test_stores_jobs, test_starts_again)

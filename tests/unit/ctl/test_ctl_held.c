/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests launches that are held until the job's I/O nodes are published, and
 * what is recorded of a run that did not wait. */
#include "config.h"
#include "tests/unit/ctl/ctl_fake.h"

#define IONS "IONodes=io[1-2]\nMappingDir=/nowhere/map\nMappingTimeout=10"

START_TEST(test_held_launch)
{
	struct slu_ctl *ctl = ctl_by_hand(IONS);
	struct slu_published published = {.ok = true};
	struct slu_assignment *assignment;
	bool held;

	/* Without a link nothing is held. */
	host_add(plain_job);
	say_started(ctl, 7, &held);
	ck_assert(!held);
	slu_ctl_step(ctl, 0);
	link_up(ctl, 1);
	while (daemon_heard(&slu_assignment_desc))
		;

	host.job[0].start = 2000; /* another run */
	say_started(ctl, 7, &held);
	ck_assert(held);
	slu_ctl_step(ctl, 2);
	ck_assert(!has_done("go 7;"));
	assignment = daemon_hear(&slu_assignment_desc);
	ck_assert_ptr_nonnull(assignment);
	/* Said as what may be different: the run has what the other had. */
	ck_assert_uint_eq(ctl->assignment.n_jobs, 1);
	ck_assert_uint_eq(assignment->n_jobs, 1);
	ck_assert_uint_eq(assignment->base, assignment->epoch - 1);
	ck_assert_str_eq(assignment->event, "start 7");
	published.epoch = assignment->epoch - 1; /* an older one: too early */
	daemon_say(&slu_published_desc, &published);
	slu_ctl_step(ctl, 3);
	ck_assert(!has_done("go 7;"));
	published.epoch = assignment->epoch;
	daemon_say(&slu_published_desc, &published);
	slu_ctl_step(ctl, 3);
	ck_assert(has_done("go 7;"));
	slu_msg_free(&slu_assignment_desc, assignment);
	slu_ctl_release(ctl);
}
END_TEST

/* On the link, and one job runs that it has not heard of. */
static struct slu_ctl *ctl_and_a_job(void)
{
	struct slu_ctl *ctl = ctl_by_hand(IONS);

	while (host.n)
		slu_msg_clear(&slu_job_desc, &host.job[--host.n]);
	forget();
	link_up(ctl, 1);
	host_add(plain_job);
	return ctl;
}

static void check_let_go(void (*why)(struct slu_ctl *ctl))
{
	struct slu_ctl *ctl = ctl_and_a_job();
	bool held;

	say_started(ctl, 7, &held);
	ck_assert(held);
	slu_ctl_step(ctl, 2);
	ck_assert(!has_done("go 7;"));
	why(ctl);
	ck_assert_str_eq(strstr(host.did, "go 7;"), "go 7;"); /* once, last */
	slu_ctl_release(ctl);
	daemon_hang_up();
}

static void time_over(struct slu_ctl *ctl)
{
	slu_ctl_step(ctl, 11.9);
	ck_assert(!has_done("go 7;"));
	slu_ctl_step(ctl, 12.1);
}

/* The file is a bad one: the link stays, but while it was read no launch could
 * be released. */
static void file_read(struct slu_ctl *ctl)
{
	write_conf("NoSuchKey=1");
	slu_ctl_reload(ctl);
	slu_ctl_step(ctl, 3);
	slu_ctl_step(ctl, 3.5);
	ck_assert(ctl->linked);
}

static void link_lost(struct slu_ctl *ctl)
{
	close(daemon_end.fd);
	slu_ctl_step(ctl, 3);
}

static void job_over(struct slu_ctl *ctl)
{
	end_job(7, "CANCELLED", NULL);
	say_ended(ctl, 7);
	forget();
	slu_ctl_events(ctl, 3);
}

/* A look found the job before its launch asked, and its mapping is there. */
START_TEST(test_held_launch_found_before)
{
	struct slu_ctl *ctl = ctl_and_a_job();
	struct slu_published published = {.ok = true};
	bool held;

	slu_ctl_look(ctl, 7);
	slu_ctl_step(ctl, 2);
	slu_ctl_step(ctl, 3);
	ck_assert_uint_eq(ctl->assignment.n_jobs, 1);
	published.epoch = ctl->epoch;
	daemon_say(&slu_published_desc, &published);
	slu_ctl_step(ctl, 4);
	say_started(ctl, 7, &held);
	ck_assert(held);
	slu_ctl_step(ctl, 5);
	ck_assert(has_done("go 7;"));
	slu_ctl_release(ctl);
	daemon_hang_up();
}
END_TEST

START_TEST(test_held_launch_is_let_go)
{
	check_let_go(file_read);
	check_let_go(time_over);
	check_let_go(link_lost);
	check_let_go(job_over);
}
END_TEST

/* What the history hears of the run that has ended. */
static uint32_t ions_learnt(struct slu_ctl *ctl)
{
	struct slu_job *row = daemon_hear(&slu_history_desc);
	uint32_t ions;

	ck_assert_ptr_nonnull(row);
	ions = row->ions;
	slu_msg_free(&slu_history_desc, row);
	slu_ctl_release(ctl);
	daemon_hang_up();
	return ions;
}

/* How many a run had that ended while slurmctld was down is not known; where
 * there are none it had none. */
START_TEST(test_ended_while_away)
{
	static const struct {
		const char *conf;
		uint32_t ions;
	} cases[] = {
		{IONS "\nDirectAccess=yes", SLU_NO_ID},
		{"", 0},
	};

	host_add(plain_job);
	end_job(7, "COMPLETED", NULL);
	each(c, cases)
	{
		struct slu_ctl *ctl = ctl_by_hand(c->conf);
		uint32_t ions;

		link_up(ctl, 1);
		slu_ctl_step(ctl, 2);
		ions = ions_learnt(ctl);
		expect(ions == c->ions, "%s: %u", c->conf, ions);
	}
}
END_TEST

static void published(struct slu_ctl *ctl)
{
	struct slu_published msg = {.epoch = ctl->epoch, .ok = true};

	daemon_say(&slu_published_desc, &msg);
	slu_ctl_step(ctl, 3);
}

static void not_published(struct slu_ctl *ctl)
{
	struct slu_published msg = {.epoch = ctl->epoch, .text = "full"};

	daemon_say(&slu_published_desc, &msg);
	slu_ctl_step(ctl, 3);
}

/* Launched without a mapping, it did not use what was assigned to it. */
START_TEST(test_launched_unmapped)
{
	static const struct {
		void (*what)(struct slu_ctl *ctl);
		uint32_t ions;
	} cases[] = {
		{published, 2},
		{not_published, SLU_NO_ID},
		{time_over, SLU_NO_ID},
	};

	each(c, cases)
	{
		struct slu_ctl *ctl = ctl_and_a_job();
		uint32_t ions;
		bool held;

		say_started(ctl, 7, &held);
		slu_ctl_step(ctl, 2);
		c->what(ctl);
		ck_assert(has_done("go 7;"));
		end_job(7, "COMPLETED", NULL);
		say_ended(ctl, 7);
		slu_ctl_step(ctl, 13);
		ions = ions_learnt(ctl);
		expect(ions == c->ions, "%zu: %u", (size_t)(c - cases), ions);
	}
}
END_TEST

TEST_MAIN("ctl held", test_held_launch, test_held_launch_is_let_go,
	  test_held_launch_found_before, test_ended_while_away,
	  test_launched_unmapped)

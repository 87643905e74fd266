/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests how jobs wait that create, use or destroy persistent buffers, as
 * slurmctld asks libsluice about them. */
#include "config.h"
#include "tests/unit/ctl/ctl_fake.h"
#include "wire/node.h"

static uint32_t waiting; /* the one job that is still to begin */

static bool is_waiting(uint32_t job_id)
{
	return job_id == waiting;
}

static void copy_of(void *arg, struct slu_job *job)
{
	*job = (struct slu_job){.job_id = *(uint32_t *)arg};
}

/* What a job has made at once it gets at once, or not at all. */
START_TEST(test_several_persistent)
{
#define A   "persistent_create name=a type=g capacity=1GiB"
#define B2  "persistent_create name=b type=g capacity=2GiB"
#define B3  "persistent_create name=b type=g capacity=3GiB"
#define END "persistent_destroy name=old"
	static const struct {
		const char *request, *why;
	} cases[] = {
		{A "; " B2, "waits until a is made"},
		{A "; " B3, "(MaxPerUser)"},
		{B3 "; " A, "(MaxPerUser)"},
		{A "; persistent_create name=b type=h capacity=4GiB",
		 "pool other"},
		/* which is there, and what comes after it waits for its end */
		{A "; " END "; " B3, "waits until a is made"},
		{END "; " A "; " B3, "waits until old is destroyed"},
		/* which is not there: nothing keeps b from being made now */
		{A "; persistent_destroy name=gone; " B3, "(MaxPerUser)"},
		/* the user's own, which is there already */
		{"persistent_create name=mine type=g capacity=1GiB; " B3,
		 "(MaxPerUser)"},
		{"persistent_create name=mine type=g capacity=1GiB; " B2,
		 "waits until b is made"},
	};
	const uint32_t other = 1000, user = 1001;
	uint32_t id = 20;

	each(c, cases)
	{
		struct slu_ctl *ctl =
			ctl_by_hand("FileSystem=g Driver=glusterfs\n"
				    "FileSystem=h Driver=glusterfs pool=other\n"
				    "Pool=nodes MaxPerUser=3GiB\n"
				    "Pool=other MaxPerUser=3GiB");
		bool mine = strstr(c->request, "mine");
		struct slu_buffer_state state = {
			.buffer = 3,
			.job_id = SLU_PERSIST_FIRST,
			.uid = mine ? user : other,
			.name = (char *)(mine ? "mine" : "old"),
			.state = (char *)"RUNNING",
			.size = 1 << 30,
			.pool = (char *)"nodes",
			.persistent = true,
			.creator = mine ? ++id : 1,
		};
		char why[SLU_CTL_WHY] = "";

		link_up(ctl, 1);
		daemon_say(&slu_buffer_desc, &state);
		slu_ctl_step(ctl, 2);
		for (int again = 0; again < 2; again++) {
			ck_assert(!slu_ctl_persistent(ctl, id, user, 0,
						      c->request, copy_of, &id,
						      is_waiting, why));
			expect(strstr(why, c->why), "%s: %s", c->request, why);
		}
		id++;
		slu_ctl_release(ctl);
	}
}
END_TEST

/* A buffer that gives less than its user wants is refused as soon as it is
 * known; which one will have been made by then cannot be known before. */
START_TEST(test_persistent_coherence)
{
	static const struct {
		const char *gives, *request, *refused;
	} cases[] = {
		{"shared", "persistent name=mine coherence=strict",
		 "mine is shared, not strict"},
		{"private", "persistent name=mine coherence=shared",
		 "mine is private, not shared"},
		{"shared", "persistent name=mine coherence=shared", NULL},
		{"strict", "persistent name=mine coherence=private", NULL},
		{"private", "persistent name=mine", NULL},
		{"private", "persistent name=other coherence=strict", NULL},
		/* sluiced is older, and will say so itself */
		{NULL, "persistent name=mine coherence=strict", NULL},
	};
	uint32_t id = 30;

	each(c, cases)
	{
		struct slu_ctl *ctl = ctl_by_hand("");
		struct slu_ctl_ask ask = {.option = c->request,
					  .uid = 1001,
					  .prolog_flags = true};
		struct slu_buffer_state state = {
			.buffer = 3,
			.job_id = SLU_PERSIST_FIRST,
			.uid = 1001,
			.name = (char *)"mine",
			.state = (char *)"RUNNING",
			.persistent = true,
			.creator = 1,
			.coherence = (char *)c->gives,
		};
		char why[SLU_CTL_WHY] = "", *text = NULL;
		struct slu_err err = {0};

		link_up(ctl, 1);
		daemon_say(&slu_buffer_desc, &state);
		slu_ctl_step(ctl, 2);
		if (c->refused) {
			expect_fail(slu_ctl_validate(ctl, &ask, &text, &err),
				    err, SLU_INVALID, c->refused);
			/* it was made only after the job was submitted */
			ck_assert(!slu_ctl_persistent(ctl, ++id, 1001, 0,
						      c->request, copy_of, &id,
						      is_waiting, why));
			expect(strstr(why, c->refused), "%s", why);
		} else {
			expect(!slu_ctl_validate(ctl, &ask, &text, &err),
			       "%s: %s", c->request, err.text);
			free(text);
		}
		slu_ctl_release(ctl);
	}
}
END_TEST

/* A buffer is destroyed after the start of the earlier job that had it made,
 * which would have it made anew otherwise. */
START_TEST(test_destroyed_after_its_creator)
{
	static const struct {
		uint32_t creator, waiting;
		const char *more, *why;
	} cases[] = {
		{5, 5, "", "waits until job 5, which creates it, begins"},
		{5, 5, " force=yes", "waits until mine is destroyed"},
		{5, 0, "", "waits until mine is destroyed"},
		{5, 6, "", "waits until mine is destroyed"},
		/* no two jobs wait for each other */
		{9, 9, "", "waits until mine is destroyed"},
	};

	each(c, cases)
	{
		struct slu_ctl *ctl =
			ctl_by_hand("FileSystem=g Driver=glusterfs\n");
		struct slu_buffer_state state = {
			.buffer = 3,
			.job_id = SLU_PERSIST_FIRST,
			.uid = 1001,
			.name = (char *)"mine",
			.state = (char *)"RUNNING",
			.persistent = true,
			.creator = c->creator,
		};
		char why[SLU_CTL_WHY] = "", text[80];
		uint32_t id = 7;

		waiting = c->waiting;
		link_up(ctl, 1);
		daemon_say(&slu_buffer_desc, &state);
		slu_ctl_step(ctl, 2);
		snprintf(text, sizeof(text), "persistent_destroy name=mine%s",
			 c->more);
		ck_assert(!slu_ctl_persistent(ctl, id, 1001, 0, text, copy_of,
					      &id, is_waiting, why));
		expect(!strcmp(why, c->why), "%s", why);
		slu_ctl_release(ctl);
	}
}
END_TEST

TEST_MAIN("persistent waits", test_several_persistent,
	  test_persistent_coherence, test_destroyed_after_its_creator)

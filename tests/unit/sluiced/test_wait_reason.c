/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the reason why a job waits, parsed from the output of scontrol. */
#include "config.h"
#include "tests/unit/harness.h"
#include "common/str.h"
#include "sluiced/queue/wait_reason.h"

#define HEAD                                        \
	"JobId=7 JobName=a JobState=RUNNING Re\n"   \
	"   UserId=alice(1000) GroupId=users(100) " \
	"MCS_label=N/A\n"

static const struct {
	const char *lines, *kind, *because;
	int64_t since;
} cases[] = {
	{"   JobState=PENDING Reason=BurstBufferResources Dependency=(null)\n"
	 "   BurstBufferState=waits for bandwidth of the parallel file system: "
	 "1 of 2\n"
	 "   AdminComment=others'; sluice: waits for I/O since "
	 "2026-11-28T11:40:02Z\n",
	 "bandwidth", "waits for bandwidth of the parallel file system: 1 of 2",
	 1795866002},
	{"   JobState=PENDING Reason=BurstBufferResources Dependency=(null)\n"
	 "   BurstBufferState=waits for metadata operations of the parallel file "
	 "system: 9/s of 10/s\n",
	 "metadata",
	 "waits for metadata operations of the parallel file system: 9/s of "
	 "10/s",
	 0},
	{"   JobState=PENDING Reason=BurstBufferResources Dependency=(null)\n"
	 "   BurstBufferState=waits for 3GiB of pool a: jobs have 2GiB\n",
	 "storage", "waits for 3GiB of pool a: jobs have 2GiB", 0},
	{"   JobState=PENDING Reason=BurstBufferResources Dependency=(null)\n"
	 "   BurstBufferState=waits for pool a: job 3, which is before it in\n",
	 "promised-storage", "waits for pool a: job 3, which is before it in",
	 0},
	{"   JobState=PENDING Reason=BurstBufferResources Dependency=(null)\n"
	 "   BurstBufferState=sluiced does not answer: the job starts when it does\n",
	 "sluiced", "sluiced does not answer: the job starts when it does", 0},
	{"   JobState=PENDING Reason=BurstBufferResources Dependency=(null)\n"
	 "   BurstBufferState=waits for 3GiB of pool a: jobs have 2GiB of its 4GiB, reservations 2GiB\n",
	 "promised-storage",
	 "waits for 3GiB of pool a: jobs have 2GiB of its 4GiB, reservations 2GiB",
	 0},
	{"   JobState=PENDING Reason=BurstBufferResources Dependency=(null)\n"
	 "   BurstBufferState=waits until sluiced is made\n",
	 "persistent-buffer", "waits until sluiced is made", 0},
	{"   JobState=PENDING Reason=BurstBufferResources Dependency=(null)\n"
	 "   BurstBufferState=waits for a persistent buffer scratch\n",
	 "persistent-buffer", "waits for a persistent buffer scratch", 0},
	{"   JobState=PENDING Reason=BurstBufferResources Dependency=(null)\n"
	 "   BurstBufferState=scratch is being destroyed: n1\n",
	 "persistent-buffer", "scratch is being destroyed: n1", 0},
	{"   JobState=PENDING Reason=BurstBufferResources Dependency=(null)\n"
	 "   BurstBufferState=the persistent buffer a belongs to another user\n",
	 "persistent-buffer", "the persistent buffer a belongs to another user",
	 0},
	{"   JobState=PENDING Reason=BurstBufferResources Dependency=(null)\n"
	 "   BurstBufferState=the job's earlier run has not staged out its data yet\n",
	 "earlier-run", "the job's earlier run has not staged out its data yet",
	 0},
	{"   JobState=PENDING Reason=BurstBufferResources Dependency=(null)\n"
	 "   BurstBufferState=staged in after earlier tasks of the array\n",
	 "input", "staged in after earlier tasks of the array", 0},
	{"   JobState=PENDING Reason=BurstBufferResources Dependency=(null)\n"
	 "   BurstBufferState=\n",
	 "limit", "its tight limit does not allow", 0},
	{"   JobState=PENDING Reason=BurstBufferResources Dependency=(null)\n"
	 "   BurstBufferState=its tight limit reaches into a\n",
	 "limit", "its tight limit reaches into a", 0},
	{"   JobState=PENDING Reason=BurstBufferStageIn Dependency=(null)\n"
	 "   BurstBufferState=STAGE_IN: 3 of 5 nodes done\n",
	 "input", "STAGE_IN: 3 of 5 nodes done", 0},
	{"   JobState=PENDING Reason=JobHeldAdmin Dependency=(null)\n"
	 "   AdminComment=sluice: gave back 0:00:01; stage-in failed: a; b\n",
	 "hold", "stage-in failed: a; b", 0},
	{"   JobState=PENDING Reason=JobHeldUser Dependency=(null)\n", "slurm",
	 "Slurm's own", 0},
	{"   JobState=CONFIGURING Reason=None Dependency=(null)\n", "boot",
	 "its nodes boot", 0},
	{"   JobState=RUNNING Reason=None Dependency=(null)\n", "slurm",
	 "it does not wait", 0},
	{"   JobState=PENDING Reason=Priority Dependency=(null)\n", "slurm",
	 "Slurm's own", 0},
};

START_TEST(test_kinds)
{
	each(c, cases)
	{
		char *text =
			slu_asprintf(HEAD "%s\nJobId=8 JobName=b\n", c->lines);
		struct slu_wait_reason why;

		expect(slu_wait_reason_parse(text, 7, &why), "%s", c->lines);
		expect(!strcmp(why.kind, c->kind), "%s, not %s", why.kind,
		       c->kind);
		expect(!strncmp(why.because, c->because, strlen(c->because)) ||
			       strstr(why.because, c->because),
		       "%s", why.because);
		expect(why.uid == 1000 && why.since == c->since, "%u, %ld",
		       why.uid, (long)why.since);
		free(text);
	}
}
END_TEST

/* Of several records that of the job; none of what is not one. */
START_TEST(test_records)
{
	static const char two[] =
		"JobId=6 ArrayJobId=6 JobName=JobId=7\n"
		"   UserId=bob(1001) GroupId=users(100)\n"
		"   JobState=RUNNING Reason=None Dependency=(null)\n\n" HEAD
		"   JobState=PENDING Reason=Priority Dependency=(null)\n\n";
	static const char *const none[] = {
		"",
		"JobId=7",
		"JobId=77 JobName=a\n   JobState=PENDING\n",
		HEAD,
		HEAD "   JobState=PENDING\n",
		"slurm_load_jobs error: Invalid job id specified\n"};
	struct slu_wait_reason why;
	char *text = strdup(two);

	ck_assert(slu_wait_reason_parse(text, 7, &why));
	ck_assert_str_eq(why.reason, "Priority");
	ck_assert_uint_eq(why.uid, 1000);
	free(text);
	each(t, none)
	{
		text = strdup(*t);
		expect(!slu_wait_reason_parse(text, 7, &why), "%s", *t);
		free(text);
	}
}
END_TEST

TEST_MAIN("wait reason", test_kinds, test_records)

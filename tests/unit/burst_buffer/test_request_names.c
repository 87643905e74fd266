/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests variables and names in requests in the forms that users write, and
 * several errors at once. */
#include "config.h"
#include "tests/unit/burst_buffer/request_text.h"
#include "common/str.h"

static const struct text_case accepted[] = {
	/* variables as people write them */
	{NULL,
	 "#DW jobdw capacity=1K\n"
	 "#DW stage_in type=file source=/a destination=${DW_JOB_STRIPED}in\n"
	 "#DW stage_in type=file source=/a destination=${DW_JOB_STRIPED}/b\n"
	 "#DW stage_in type=list source=/a destination=\"$DW_JOB_JOBFS\"/c\n"
	 "#BB stage_out source=\"${BB_JOBFS}\"/d destination=/e\"/f g\"\n"
	 "#BB stage_out source=${DW_JOB_STRIPED}h destination=/i\n",
	 "jobfs capacity=1024 dw=striped; "
	 "stage_in source=/a destination=$BB_JOBFS/in type=file; "
	 "stage_in source=/a destination=$BB_JOBFS/b type=file; "
	 "stage_in source=/a destination=$BB_JOBFS/c type=list; "
	 "stage_out source=$BB_JOBFS/d destination=\"/e/f g\"; "
	 "stage_out source=$BB_JOBFS/h destination=/i"},
	{NULL,
	 "#DW jobdw capacity=1K access_mode=private(client_cache=yes),"
	 "striped(MFS=1GB)\n"
	 "#DW stage_in type=file source=/a destination=$DW_JOB_STRIPED/b\n",
	 "jobfs capacity=1024 dw=both; "
	 "stage_in source=/a destination=$BB_JOBFS/b type=file"},
	{"capacity=1K name=w; stage_out source=${BB_w}/a "
	 "destination=/b/$SLURM_JOB_ID/${SLURM_JOB_USER}x; "
	 "stripe target=/l/${SLURM_JOBID}.$SLURM_ARRAY_TASK_ID",
	 NULL,
	 "jobfs capacity=1024 name=w; "
	 "stage_out source=$BB_w/a destination=/b/%j/%ux; "
	 "stripe target=/l/%j.%a"},
	{NULL,
	 "#DW persistentdw name=a-b\n"
	 "#DW copy_in source=/a destination=$DW_PERSISTENT_a_b/x\n"
	 "#DW stage_out type=file source=${DW_PERSISTENT_STRIPED_a_b}y "
	 "destination=/c\n",
	 "persistent name=a_b dw=striped; "
	 "stage_in source=/a destination=$BB_a_b/x; "
	 "stage_out source=$BB_a_b/y destination=/c type=file"},
	/* names that DWS allows, and what is read over */
	{NULL,
	 "#DW jobdw type=gfs2 capacity=1K name=-x- profile=p\n"
	 "#DW copy_out source=$DW_JOB__x_/o destination=/c profile=no-xattr\n",
	 "jobfs type=gfs2 capacity=1024 name=_x_ profile=p dw=striped; "
	 "stage_out source=$BB__x_/o destination=/c"},
	{NULL, "#DW jobdw capacity=1K name=0x pfs=/scratch pool=p\n",
	 "jobfs capacity=1024 name=0x dw=striped"},
	{NULL,
	 "#DW create_persistent type=lustre capacity=1K name=_s "
	 "profile=read-only\n",
	 "persistent_create name=_s capacity=1024 type=lustre "
	 "profile=read-only"},
	{NULL,
	 "#BB create_persistent name=D capacity=1K access=striped "
	 "type=scratch pool=default\n",
	 "persistent_create name=D capacity=1024"},
};

START_TEST(test_accepted)
{
	struct slu_err err;

	each(c, accepted)
	{
		char *text = canonical(c->option, c->script, &err);

		expect(text, "%s|%s: %s", c->option, c->script, err.text);
		ck_assert_str_eq(text, c->want);
		free(text);
	}
}
END_TEST

static const struct text_case refusals[] = {
	{NULL,
	 "#DW jobdw capacity=1K access_mode=private\n"
	 "#DW stage_in type=file source=/a destination=$DW_JOB_STRIPED/x\n",
	 "line 2: stage_in: $DW_JOB_STRIPED/x: this job has no "
	 "$DW_JOB_STRIPED; its file system is $DW_JOB_PRIVATE"},
	{"capacity=1K", "#DW copy_in source=/a destination=$DW_JOB_STRIPED\n",
	 "its file system is $BB_JOBFS"},
	{NULL,
	 "#DW persistentdw name=x\n"
	 "#DW stage_in type=file source=/a "
	 "destination=$DW_PERSISTENT_PRIVATE_x/y\n",
	 "its file system is $DW_PERSISTENT_STRIPED_x"},
	{NULL,
	 "#DW jobdw capacity=1K\n"
	 "#DW stage_out type=file source=$BB_w/x destination=/y\n",
	 "this job has no $BB_w; its file system is $DW_JOB_STRIPED"},
	{"capacity=1K; stage_out source=${BB_JOBFS}x destination=/y", NULL,
	 "put a / behind $BB_JOBFS"},
	{"capacity=1K; stage_out source=$BB_JOBFSx destination=/y", NULL,
	 "no $BB_JOBFSx; its file system is $BB_JOBFS"},
	{"capacity=1K; stage_out source=$BB_JOBFS/x destination=/u/$USER", NULL,
	 "$USER is not known before the job runs; write %u"},
	{"capacity=1K; stage_out source=$BB_JOBFS/x destination=$HOME/x", NULL,
	 "$HOME is not known before the job runs; write the path itself"},
	{"capacity=1K; stage_out source=$BB_JOBFS/x "
	 "destination=/a/${SLURM_JOB_NAME}",
	 NULL, "write %x"},
	{"capacity=1K; stage_in destination=$BB_JOBFS source=/a/$(id)", NULL,
	 "$(...) is not run here"},
	{"capacity=1K; stage_in destination=$BB_JOBFS source=/a/${b", NULL,
	 "$ stands only before the name of a variable"},
	{"stripe target=$SCRATCH/x", NULL, "stripe: $SCRATCH/x: $SCRATCH is"},
	{NULL, "#DW jobdw capacity=1K access_mode=striped,ldbalance\n",
	 "\"striped,ldbalance\" is not striped, private or"},
	{NULL,
	 "#DW jobdw capacity=1K access_mode=striped,private\n"
	 "#DW stage_in type=file source=/a destination=$DW_JOB_PRIVATE/b\n",
	 "line 2: stage_in: $DW_JOB_PRIVATE/b: what is private to "
	 "each node is not staged where the job has both; $DW_JOB_STRIPED is"},
	{NULL, "#DW jobdw capacity=1K requires=copy-offload\n",
	 "sluice-stage-out(1) copies while the job runs"},
	/* all mistakes */
	{NULL,
	 "#BB jobfs capacity=1K\n#BB stage_in soruce=/a destination=$BB_JOBFS\n"
	 "#BB stripe\n#BB stage_in source=/a/$USER destination=$BB_JOBFS\n",
	 "line 2: stage_in: unknown key \"soruce\"; did you mean source (column 14)\n"
	 "line 3: stripe: target= is missing (column 5)\n"
	 "line 4: stage_in: /a/$USER: $USER is not known before the job runs"},
	{NULL,
	 "#!/bin/sh\n#BB jobsf capacity=1K\n#BB stage_in source=/a\n"
	 "#BB forward max=0\n",
	 "line 2: unknown request \"jobsf\"; did you mean jobfs (column 5)\n"
	 "line 3: stage_in: destination= is missing (column 5)\n"
	 "line 4: forward: max: \"0\" is neither a number from 1 to 999999 "
	 "nor none (column 13)"},
	{"capacity=1K; stage_in source=/\xc3\xa9 sorce=/b", NULL,
	 "did you mean source (column 33)"},
	{NULL, "\t#BB\tjobfs  nodes=0 capacity=1K", "(column 13)"},
	{NULL, "#BB forward ma\x01=1", "are refused (column 15)"},
	/* also where the file system's own line is wrong */
	{NULL,
	 "#BB jobfs capcity=1K\n"
	 "#BB stage_in source=$HOME/a destination=$BB_w/$USER\n"
	 "#BB stage_out source=$BB_w/b destination=/a/$SLURM_JOB_NAME\n",
	 "did you mean capacity (column 11)\n"
	 "line 2: stage_in: $HOME/a: $HOME is not known before the job runs"},
	{NULL,
	 "#BB jobsf capacity=1K\n"
	 "#BB stage_out source=$BB_w/b destination=/a/$SLURM_JOB_NAME\n",
	 "line 2: stage_out: /a/$SLURM_JOB_NAME: $SLURM_JOB_NAME is not "
	 "known before the job runs; write %x"},
	{NULL,
	 "#BB jobfs capacity=1K\n"
	 "#BB stage_in source=/a/$USER destination=$BB_JOBFS\n"
	 "#BB stage_out source=$BB_jobfs destination=/a\n",
	 "line 2: stage_in: /a/$USER: $USER is not known before the job runs; "
	 "write %u\n"
	 "line 3: stage_out: $BB_jobfs: this job has no $BB_jobfs"},
	{"x\ny\n", "#BB z\n", "--bb: line 2: unknown request \"y\""},
};

START_TEST(test_refused)
{
	struct slu_err err;

	each(c, refusals)
	{
		char *text = canonical(c->option, c->script, &err);

		expect(!text, "%s|%s gave %s", c->option, c->script,
		       text ? text : "");
		expect_err(err, SLU_INVALID, c->want);
	}
}
END_TEST

/* A file system whose own line is wrong has no name yet, and what may be right
 * of the others is not called wrong. */
START_TEST(test_unnamed)
{
	struct slu_request req;
	struct slu_err err;

	ck_assert(slu_request_parse(NULL,
				    "#BB jobfs name=w capcity=1K\n"
				    "#BB stage_in source=/a "
				    "destination=$BB_w\n",
				    &req, &err));
	ck_assert_str_eq(err.text,
			 "line 1: jobfs: unknown key \"capcity\"; did "
			 "you mean capacity (column 18)");
}
END_TEST

TEST_MAIN("request names", test_unnamed, test_accepted, test_refused)

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests which requests are refused, and what is said of their mistakes. */
#include "config.h"
#include "tests/unit/burst_buffer/request_text.h"
#include "common/str.h"

static const struct text_case refusals[] = {
	/* unknown words, and the nearest one */
	{"jobsf capacity=1K", NULL,
	 "--bb: unknown request \"jobsf\"; did you mean jobfs"},
	{"xyzzy", NULL,
	 "there are jobfs, stage_in, stage_out, forward, limit, bandwidth, "
	 "persistent, persistent_create, persistent_destroy, stripe"},
	{"jobfs capcity=1K", NULL,
	 "jobfs: unknown key \"capcity\"; did you mean capacity"},
	{"capcity=1K", NULL, "did you mean capacity"},
	{"stage_in sorce=/a destination=b", NULL, "did you mean source"},
	{"stage_in source=/a destination=b on=success", NULL,
	 "stage_in: unknown key \"on\""},
	{"stage_out source=a destination=/b on=sucess", NULL,
	 "stage_out: on: \"sucess\" is not known; did you mean success"},
	{"stage_in source=a destination=b type=dir", NULL, "type: \"dir\""},
	/* persistent buffers */
	{"persistent_create name=x", NULL,
	 "persistent_create: capacity= is missing"},
	{"persistent_create name=x capacity=1G lifetime=0", NULL,
	 "lifetime: must not be zero"},
	{"persistent_create name=x capacity=1G tier=fast", NULL,
	 "persistent_create: tier: \"fast\" is not known; did you mean flash"},
	{"persistent_create name=x capacity=1G group=a/b", NULL,
	 "cannot name a group"},
	{"persistent_create name=12 capacity=1G", NULL, "is no name"},
	{"persistent", NULL, "persistent: name= is missing"},
	{"persistent name=x capacity=1G", NULL, "unknown key"},
	{"persistent name=x; persistent name=y", NULL,
	 "either a file system of its own or one"},
	{"capacity=1G; persistent name=x", NULL, "of its own or one"},
	{"persistent name=x; capacity=1G", NULL, "of its own or a"},
	{"persistent_destroy name=x force=maybe", NULL,
	 "force: \"maybe\" is not known"},
	{"jobfs size=1G", NULL, "unknown key \"size\"; did you mean capacity"},
	{"capacity=1G; stage_in src=/a dest=$BB_JOBFS", NULL,
	 "unknown key \"src\"; did you mean source"},
	{"capacity=1G; stage_in source=/a dest=$BB_JOBFS", NULL,
	 "unknown key \"dest\"; did you mean destination"},
	{"capacity=1G; stage-out source=$BB_JOBFS/a destination=/a", NULL,
	 "write stage_out"},
	{"capacity=1G; stage_in /a $BB_JOBFS", NULL,
	 "not \"/a\"; write source=PATH destination=PATH"},
	{"capacity=1G; stage_in source=/my input", NULL,
	 "\"input\" is no key=value pair; requests are separated by ; "
	 "and a value with a blank is put in double quotes"},
	{"persistent_destroy name=x slowly", NULL,
	 "\"slowly\" is no key=value pair"},
	{"persistent_destroy name=x force", NULL,
	 "write force=VALUE without blanks"},
	/* layouts */
	{"stripe size=1K", NULL, "stripe: target= is missing"},
	{"stripe target=/x access=some", NULL, "it may be sequential, random"},
	{"stripe target=/x stripes=0", NULL, "from 1 to 2000"},
	{"stripe target=/x stripes=2001", NULL, "from 1 to 2000"},
	{"stripe target=/x stripes=4 readers=2", NULL,
	 "have nothing to decide"},
	{"stripe target=/x shared=yes readers=2", NULL, "leave out readers="},
	{"stripe target=/x shared=yes stripes=2", NULL, "leave out readers="},
	{"stripe target=/x shared=yes per_file=yes", NULL,
	 "leave out readers="},
	{"stripe target=/x shared=perhaps", NULL, "it may be no, yes"},
	{"stripe target=/x per_file=yes readers=2", NULL,
	 "have nothing to decide"},
	{"stripe target=/x:/y per_file=yes", NULL, "its path has no \":\""},
	{"stripe target=/x per_file=maybe", NULL, "it may be no, yes"},
	{"stripe target=/x per_file=yes; stripe target=/y per_file=yes size=1K",
	 NULL, "must have the same"},
	{"stripe target=/x fsname=toolongname", NULL, "is no name of"},
	{"stripe target=/x pool=-c", NULL, "is no name of a pool"},
	{"stripe target=/x pool=sixteen_letters_", NULL,
	 "is no name of a pool"},
	{"stripe target=/x per_file=yes pool=flash", NULL, "leave out pool="},
	{"stripe target=/x count=3", NULL, "unknown key \"count\""},
	{NULL, "#DW persistentdw capacity=1K\n", "unknown key"},
	{NULL, "#DW create_persistent name=x capacity=1G access=private\n",
	 "a persistent buffer is striped"},
	{NULL,
	 "#DW persistentdw name=x\n"
	 "#DW stage_in source=/a type=file "
	 "destination=$DW_JOB_STRIPED/y\n",
	 "line 2: stage_in: $DW_JOB_STRIPED/y: this job has no "
	 "$DW_JOB_STRIPED; its file system is $DW_PERSISTENT_STRIPED_x"},
	/* numbers and names of profiles */
	{"stage_in source=a destination=b verify=sum", NULL,
	 "verify: \"sum\" is not known"},
	{"capacity=1K nodes=0", NULL, "neither a number"},
	{"capacity=1K nodes=some", NULL, "nor all"},
	{"capacity=1K bind=close", NULL, "bind: \"close\""},
	{"capacity=1K split=rack", NULL, "split: \"rack\""},
	{"capacity=1K tolerate=x", NULL, "tolerate: \"x\""},
	{"capacity=1K tolerate=-1", NULL, "tolerate: \"-1\""},
	{"jobfs profile=1x", NULL, "cannot name a profile"},
	{"jobfs profile=a!", NULL, "cannot name a profile"},
	{"capacity=1K dw=x", NULL, "dw: \"x\" is not known"},
	/* the other language */
	{NULL, "#DW jobdw\n", "line 1: jobdw: capacity= is missing"},
	{NULL, "#DW capacity=1K\n", "unknown request \"capacity\""},
	{NULL, "#DW jobfs capacity=1K\n",
	 "unknown request \"jobfs\"; did you mean jobdw"},
	{NULL, "#DW swap 3GiB\n",
	 "there are jobdw, stage_in, stage_out, copy_in, copy_out, "
	 "persistentdw, create_persistent, destroy_persistent"},
	{NULL, "#DW jobdw capacity=1K type=cache\n", "\"cache\""},
	{NULL, "#DW jobdw capacity=1K access_mode=both\n",
	 "\"both\" is not striped, private or striped,private"},
	{NULL, "#DW jobdw capacity=1K access_mod=striped\n",
	 "did you mean access_mode"},
	{NULL, "#DW jobdw capacity=1K\n#DW jobdw capacity=1K\n",
	 "line 2: jobdw: only one jobdw"},
	{NULL, "#DW stage_in source=/a destination=b\n", "type= is missing"},
	{NULL,
	 "#DW jobdw capacity=1K\n"
	 "#DW copy_in source=/a destination=$DW_JOB_x/y\n",
	 "line 2: stage_in: $DW_JOB_x/y: this job has no $DW_JOB_x; its file "
	 "system is $DW_JOB_STRIPED"},
	{NULL,
	 "#DW jobdw capacity=1K\n"
	 "#DW copy_in source=/a destination=$DW_PERSISTENT_STRIPED_x\n",
	 "line 2: stage_in: $DW_PERSISTENT"},
	{NULL, "#DW jobdw capacity=1K name=a;doevil\n",
	 "unknown request \"doevil\""},
	/* missing and twice */
	{"jobfs", NULL, "jobfs: capacity= is missing"},
	{"type=scratch", NULL, "capacity= is missing"},
	{"stage_in source=/a", NULL, "stage_in: destination= is missing"},
	{"stage_in destination=/a", NULL, "source= is missing"},
	{"jobfs capacity=1K capacity=1K", NULL, "capacity= is said twice"},
	{"capacity=1K capacity=1K", NULL, "capacity= is said twice"},
	{"capacity=1K; capacity=2K", NULL, "only one jobfs"},
	{"forward; forward", NULL, "only one forward"},
	{"limit tighten=no; limit tighten=yes", NULL, "only one limit"},
	{"bandwidth wait=no; bandwidth wait=no", NULL, "only one bandwidth"},
	{"persistent_destroy name=a force=no hurry=yes", NULL,
	 "write one of them"},
	{"persistent_create name=x capacity=1K lifetime=20000d", NULL,
	 "lifetime: is more than 11574 days"},
	{"capacity=1K", "#\n#BB jobfs capacity=1K", "line 2: jobfs: only one"},
	{"jobfs capacity=", NULL, "capacity= needs a value"},
	{"jobfs capacity=\"\"", NULL, "capacity= needs a value"},
	{"jobfs =1K", NULL, "a key is missing"},
	{NULL, "#BB\n", "line 1: nothing is asked for"},
	{NULL, "#BB  ;\n", "line 1: nothing is asked for"},
	/* sizes */
	{"capacity=AMiB", NULL, "capacity"},
	{"capacity=0", NULL, "capacity"},
	{"capacity=-1G", NULL, "capacity"},
	{"capacity=10XB", NULL, "capacity"},
	{"capacity=99999999P", NULL, "capacity"},
	/* names */
	{"capacity=1K name=1", NULL, "is no name"},
	{"capacity=1K name=a/b", NULL, "is no name"},
	{"capacity=1K name=a!", NULL, "is no name"},
	{"capacity=1K name=caf\xc3\xa9", NULL, "is no name"},
	{"capacity=1K name=a23456789012345678901234567890123", NULL,
	 "at most 32"},
	{"capacity=1K type=a/b", NULL, "cannot name a file system"},
	{"forward max=0", NULL, "neither a number"},
	{"limit", NULL, "tighten= is missing"},
	{"bandwidth", NULL, "wait= is missing"},
	{"bandwith wait=no", NULL, "did you mean bandwidth"},
	{"limit tighten=never", NULL, "\"never\" is not known"},
	{"limits tighten=no", NULL, "did you mean limit"},
	{"forward pattern=", NULL, "forward"},
	{"forward pattern=a/b", NULL, "is no NAME[:SIZE]"},
	{"forward max=-1", NULL, "neither a number"},
	{"forward max=8x", NULL, "neither a number"},
	{"forward max=1234567", NULL, "neither a number"},
	/* what could mean something elsewhere */
	{"capacity=1K name=x;doevil", NULL, "unknown request \"doevil\""},
	{"stage_in source=/a;doevil destination=b", NULL,
	 "destination= is missing"},
	{"stage_out source=a destination=/b&doevil", NULL,
	 "double quotes if the & is meant"},
	{"stage_out source=a destination=/b||doevil", NULL,
	 "if the | is meant"},
	{"stage_out source=a destination=/b && doevil", NULL, "not \"&&\""},
	{"stage_out source=a destination=`x`", NULL, "if the ` is meant"},
	{"stage_out source=a destination=b\\", NULL, "if the \\ is meant"},
	{"stage_out source=a destination='b'", NULL, "if the ' is meant"},
	{"stage_out source=\"a destination=b", NULL,
	 "source: a \" is not closed"},
	{"stage_out source=\"a\"b\" destination=b", NULL,
	 "source: a \" is not closed"},
	{"stage_out source=\"a\033\" destination=b", NULL,
	 "control characters"},
	{"stage_out source=\"a\rb\" destination=b", NULL, "control characters"},
	{"stage_out source=a\x7f destination=b", NULL, "control characters"},
	/* other shapes */
	{"jobfs capacity", NULL, "write capacity=VALUE without blanks"},
	{"jobfs capacity = 1GB", NULL, "write capacity=VALUE without blanks"},
	{"jobfs capacity=100 MiB", NULL,
	 "write a size without a blank, as capacity=100MiB"},
	{NULL, "#BB jobfs capacity=1.5 G type=tmp\n",
	 "line 1: jobfs: write a size without a blank, as capacity=100G"},
	{"jobfs 100GB", NULL, "write capacity=100GB"},
	{"100GB", NULL, "--bb: write capacity=100GB"},
	{NULL, "#DW 100GB\n", "line 1: write capacity=100GB"},
	{"persistent_create name=a 100GB", NULL, "write capacity=100GB"},
	{"stripe target=/a 1TiB", NULL, "write size=1TiB"},
	{NULL, "#BB jobfs capacity= 1GB\n",
	 "capacity= needs a value, without a blank before it"},
	{"jobfs capacity=1G; stage_in source=/a destination=", NULL,
	 "destination= needs a value; a variable that stood there the shell "
	 "has replaced: put --bb in single quotes"},
	{"jobfs capacity=1G; stage_out source=$BB_JOBFS destination=/a.$(date)",
	 NULL, "$(...) is not run here"},
	{"jobfs capacity=1G; stage_out source=$BB_JOBFS "
	 "destination=/a.$(date +%F)",
	 NULL, "stage_out: destination: $(...) is not run here"},
	{"jobfs capacity=1G; stage_out source=$BB_JOBFS "
	 "destination=\"/a.$(date +%F)\"",
	 NULL, "$(...) is not run here"},
	{"jobfs capacity=1K stage_in", NULL, "separated by ;"},
	{"jobfs:capacity=1K", NULL, "not \"jobfs:capacity=1K\""},
	{"foo : 1 MB", NULL, "unknown request \"foo\""},
	{"averyveryveryveryveryveryveryveryveryverylongword=1", NULL,
	 "key=value"},
	/* which line */
	{"forward\ncapacity=x\n", NULL, "--bb: line 2: jobfs: capacity"},
	{NULL, "#!/bin/sh\n\n#BB forward\n#BB x\nls\n", "line 4: unknown"},
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

/* Many mistakes: as many as there is room for are told, and how many not. */
START_TEST(test_number_of_mistakes_is_bounded)
{
	struct slu_buf buf = {0};
	struct slu_request req;
	struct slu_err err;

	for (int i = 0; i < 30; i++)
		slu_buf_puts(&buf, "#BB jobsf\n");
	expect_fail(slu_request_parse(NULL, buf.data, &req, &err), err,
		    SLU_INVALID, "line 7: unknown request");
	expect_err(err, SLU_INVALID, "\nand 23 more mistakes");
	ck_assert_int_eq(slu_request_parse(NULL, buf.data, &req, NULL), -1);
	slu_buf_free(&buf);
}
END_TEST

TEST_MAIN("request refused", test_refused, test_number_of_mistakes_is_bounded)

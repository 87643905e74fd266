/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the parser of requests in job scripts: accepted and refused lines, and
 * expansion. */
#include "config.h"
#include "tests/unit/request_text.h"
#include "common/str.h"

static const struct text_case accepted[] = {
	{NULL, NULL, ""},
	{"", NULL, ""},
	{"  \n \n", "", ""},
	/* the short form */
	{"capacity=2TiB", NULL, "jobfs capacity=2199023255552"},
	{"capacity=1 type=scratch", NULL, "jobfs type=scratch capacity=1"},
	/* sizes */
	{"jobfs capacity=10GiB", NULL, "jobfs capacity=10737418240"},
	{"jobfs capacity=10GB", NULL, "jobfs capacity=10000000000"},
	{"jobfs capacity=\"10 GB\"", NULL, "jobfs capacity=10000000000"},
	{"jobfs capacity=2.1TiB", NULL, "jobfs capacity=2308974418330"},
	{"jobfs capacity=1K", NULL, "jobfs capacity=1024"},
	/* keys in any order, blanks anywhere, names that are ours */
	{"\tjobfs  nodes=all\tname=a_1  capacity=1MB type=g.f-s_2 ", NULL,
	 "jobfs type=g.f-s_2 capacity=1000000 name=a_1"},
	{"jobfs capacity=1MB name=JOBFS", NULL, "jobfs capacity=1000000"},
	/* several requests */
	{"jobfs capacity=1K;stage_in source=/a/ destination=$BB_JOBFS/in;",
	 NULL,
	 "jobfs capacity=1024; "
	 "stage_in source=/a/ destination=$BB_JOBFS/in"},
	{";; forward ;; ", NULL, "forward"},
	{"forward max=8", NULL, "forward max=8"},
	{"forward max=none", NULL, "forward max=none"},
	{"limit tighten=no; forward", NULL, "forward; limit tighten=no"},
	{"limit tighten=yes", NULL, ""},
	{"bandwidth wait=no; forward", NULL, "forward; bandwidth wait=no"},
	{"bandwidth wait=yes", NULL, ""},
	{"limit tighten=no", "#BB jobfs capacity=1K",
	 "jobfs capacity=1024; limit tighten=no"},
	{"forward pattern=shared-1m:2TiB,fpp max=4", NULL,
	 "forward max=4 pattern=shared-1m:2TiB,fpp"},
	{"stage_out source=a destination=b on=success type=file", NULL,
	 "stage_out source=a destination=b type=file on=success"},
	{"stage_in source=a destination=b type=directory", NULL,
	 "stage_in source=a destination=b type=directory"},
	{"stage_in source=a destination=b type=auto", NULL,
	 "stage_in source=a destination=b"},
	{"stage_out source=a destination=b on=always", NULL,
	 "stage_out source=a destination=b"},
	/* quotes */
	{"stage_in source=\"/a b;c\" destination=\"q\\\"\\\\\\n'`&|<>$\"", NULL,
	 "stage_in source=\"/a b;c\" "
	 "destination=\"q\\\"\\\\\\\\n'`&|<>$\""},
	{"stage_in source=\"/plain\" destination=/caf\xc3\xa9", NULL,
	 "stage_in source=/plain destination=/caf\xc3\xa9"},
	/* --bbf: lines, with and without #BB, with remarks */
	{"#BB jobfs capacity=1K\n# remark\n\nforward max=1\n", NULL,
	 "jobfs capacity=1024; forward max=1"},
	/* scripts: only the head counts */
	{NULL, "#!/bin/sh\n#BB jobfs capacity=1K\n#BB forward\n",
	 "jobfs capacity=1024; forward"},
	{NULL, "#!/bin/sh\n\n  # x\n\t#BB forward max=2  \r\necho\n#BB rubbish",
	 "forward max=2"},
	{NULL, "echo\n#BB rubbish\n", ""},
	{NULL, "##BB rubbish\n#BBrubbish\n#BB_LUA rubbish\n# BB x\n", ""},
	/* what profiles and nodes say */
	{"jobfs profile=fast.1", NULL, "jobfs profile=fast.1"},
	{"jobfs profile=fast nodes=all", NULL, "jobfs nodes=all profile=fast"},
	{"capacity=1K nodes=3 tolerate=0", NULL,
	 "jobfs capacity=1024 nodes=3 tolerate=0"},
	{"capacity=1K bind=far", NULL, "jobfs capacity=1024 bind=far"},
	{"capacity=1K bind=near", NULL, "jobfs capacity=1024"},
	{"capacity=1K bind=near profile=p", NULL,
	 "jobfs capacity=1024 bind=near profile=p"},
	{"capacity=1K bind=none", NULL, "jobfs capacity=1024 bind=none"},
	{"capacity=1K split=switch", NULL, "jobfs capacity=1024 split=switch"},
	{"capacity=1K split=no", NULL, "jobfs capacity=1024"},
	{"capacity=1K split=no profile=p", NULL,
	 "jobfs capacity=1024 split=no profile=p"},
	{"stage_out source=a destination=b verify=content", NULL,
	 "stage_out source=a destination=b verify=content"},
	{"stage_out source=a destination=b nodes=staging", NULL,
	 "stage_out source=a destination=b nodes=staging"},
	{"stage_out source=a destination=b nodes=all", NULL,
	 "stage_out source=a destination=b"},
	{"stage_in source=a destination=b verify=size", NULL,
	 "stage_in source=a destination=b"},
	{"stage_in source=a destination=b type=list", NULL,
	 "stage_in source=a destination=b type=list"},
	{"stage_in source=a destination=b type=auto", NULL,
	 "stage_in source=a destination=b"},
	/* persistent buffers */
	{"persistent name=camp; stage_in source=/a "
	 "destination=$BB_camp/b",
	 NULL,
	 "persistent name=camp; stage_in source=/a "
	 "destination=$BB_camp/b"},
	{"persistent_create lifetime=7d name=x capacity=1K type=l "
	 "group=g; persistent name=x",
	 NULL,
	 "persistent name=x; persistent_create name=x capacity=1024 "
	 "type=l group=g lifetime=604800s"},
	{"persistent_create name=x capacity=1K tier=flash", NULL,
	 "persistent_create name=x capacity=1024 tier=flash"},
	{"persistent_destroy name=x; capacity=1K", NULL,
	 "jobfs capacity=1024; persistent_destroy name=x"},
	{"persistent_destroy name=x force=no", NULL,
	 "persistent_destroy name=x"},
	{"persistent_destroy name=x hurry", NULL,
	 "persistent_destroy name=x force=yes"},
	{NULL,
	 "#DW create_persistent name=a-b capacity=1K access=striped "
	 "type=scratch\n"
	 "#DW persistentdw name=a-b\n"
	 "#DW stage_out source=$DW_PERSISTENT_STRIPED_a-b/o "
	 "destination=/o type=directory\n",
	 "persistent name=a_b dw=striped; "
	 "stage_out source=$BB_a_b/o/ destination=/o type=directory; "
	 "persistent_create name=a_b capacity=1024"},
	{NULL, "#DW destroy_persistent name=a hurry\n",
	 "persistent_destroy name=a force=yes"},
	{NULL,
	 "#BB create_persistent name=a-b capacity=1K access=striped "
	 "type=scratch\n"
	 "#DW persistentdw name=a-b\n",
	 "persistent name=a_b dw=striped; "
	 "persistent_create name=a_b capacity=1024"},
	{NULL, "#BB destroy_persistent name=a hurry\n",
	 "persistent_destroy name=a force=yes"},
	/* the other language */
	{NULL, "#!/bin/sh\n#DW jobdw type=scratch capacity=1K\n",
	 "jobfs capacity=1024 dw=striped"},
	{NULL,
	 "#DW stage_in source=/a destination=$DW_JOB_STRIPED/b "
	 "type=file\n"
	 "#DW jobdw capacity=1K access_mode=striped(client_cache=no)\n"
	 "#DW stage_out source=$DW_JOB_STRIPED destination=/c "
	 "type=directory\n",
	 "jobfs capacity=1024 dw=striped; "
	 "stage_in source=/a destination=$BB_JOBFS/b type=file; "
	 "stage_out source=$BB_JOBFS/ destination=/c type=directory"},
	{NULL,
	 "#DW jobdw capacity=1K pool=wlm_pool\n"
	 "#DW stage_in type=directory source=/a/b "
	 "destination=$DW_JOB_STRIPED/results\n"
	 "#DW stage_out type=directory source=$DW_JOB_STRIPED/results/ "
	 "destination=/c\n",
	 "jobfs capacity=1024 dw=striped; "
	 "stage_in source=/a/b/ destination=$BB_JOBFS/results "
	 "type=directory; "
	 "stage_out source=$BB_JOBFS/results/ destination=/c "
	 "type=directory"},
	{NULL,
	 "#DW jobdw capacity=1K access_mode=private\n"
	 "#DW stage_in source=/l destination=$DW_JOB_PRIVATE "
	 "type=list\n",
	 "jobfs capacity=1024 dw=private; "
	 "stage_in source=/l destination=$BB_JOBFS type=list"},
	{NULL,
	 "#DW jobdw type=gfs2 name=my-fs capacity=1K profile=p\n"
	 "#DW copy_in source=/a destination=$DW_JOB_my-fs/\n"
	 "#DW copy_out source=$DW_JOB_my_fs/x destination=/b\n",
	 "jobfs type=gfs2 capacity=1024 name=my_fs profile=p "
	 "dw=striped; "
	 "stage_in source=/a destination=$BB_my_fs/; "
	 "stage_out source=$BB_my_fs/x destination=/b"},
	/* layouts of directories */
	{"stripe target=/l/u/%j", NULL, "stripe target=/l/u/%j"},
	{"stripe size=1T access=random target=\"/a b\" readers=8 "
	 "fsname=scratch",
	 NULL,
	 "stripe target=\"/a b\" size=1099511627776 access=random "
	 "readers=8 fsname=scratch"},
	{"stripe target=/b stripes=4 access=sequential; forward; "
	 "stripe target=/a",
	 "#BB jobfs capacity=1K\n",
	 "jobfs capacity=1024; stripe target=/b stripes=4; "
	 "stripe target=/a; forward"},
	{"stripe shared=yes access=random size=1G target=/a; stripe "
	 "target=/b shared=no",
	 NULL,
	 "stripe target=/a size=1073741824 access=random shared=yes; "
	 "stripe target=/b"},
	{"stripe target=/a per_file=yes stripes=2; "
	 "stripe stripes=2 per_file=yes target=/b; stripe target=/c per_file=no",
	 NULL,
	 "stripe target=/a stripes=2 per_file=yes; "
	 "stripe target=/b stripes=2 per_file=yes; stripe target=/c"},
	{"pool=far capacity=1K", NULL, "jobfs capacity=1024 pool=far"},
	{"tier=flash capacity=1K", NULL, "jobfs capacity=1024 tier=flash"},
	{NULL, "#BB jobfs capacity=1K tier=ram\n",
	 "jobfs capacity=1024 tier=ram"},
	/* both */
	{"forward", "#BB jobfs capacity=1K", "jobfs capacity=1024; forward"},
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

START_TEST(test_bounds)
{
	struct slu_buf buf = {0};
	struct slu_request req;
	struct slu_err err;
	int i;

	for (i = 0; i < SLU_REQUEST_STAGE_MAX; i++)
		slu_buf_puts(&buf,
			     "stage_in source=/a destination=$BB_JOBFS;\n");
	expect_ok(slu_request_parse(buf.data, NULL, &req, &err), err);
	ck_assert_uint_eq(req.n_stage, SLU_REQUEST_STAGE_MAX);
	ck_assert_int_eq(req.stage[7].line, 8);
	slu_request_free(&req);
	slu_buf_puts(&buf, "stage_out source=$BB_JOBFS destination=/a");
	expect_fail(slu_request_parse(buf.data, NULL, &req, &err), err,
		    SLU_INVALID, "more than 64");

	slu_buf_reset(&buf);
	slu_buf_puts(&buf, "stage_in source=/");
	for (i = 0; i < 4096; i++)
		slu_buf_puts(&buf, "a");
	expect_fail(slu_request_parse(buf.data, NULL, &req, &err), err,
		    SLU_INVALID, "source is longer than 4096 bytes");
	for (i = 0; i < 16; i++)
		slu_buf_printf(&buf, "%4096s", "");
	expect_fail(slu_request_parse(buf.data, NULL, &req, &err), err,
		    SLU_INVALID, "more than 65536 bytes");
	slu_buf_free(&buf);
}
END_TEST

START_TEST(test_expand)
{
	static const struct slu_symbols plain = {7,   0,   UINT32_MAX,	"ann",
						 "x", "w", "/mnt/data", false};
	static const struct slu_symbols array = {7,	5,     3,    "ann",
						 "a b", "JOB", "/m", false};
	static const struct slu_symbols odd = {7,     0,   UINT32_MAX, NULL,
					       "a/b", "w", "/m",       false};
	static const struct slu_symbols dots = {7,	0,   UINT32_MAX, "..",
						"a\nb", "w", "/m",	 false};
	static const struct slu_symbols wild = {
		7, 0, UINT32_MAX, "ann", "run[1]", "w", "/m", false};
	static const struct slu_symbols source = {
		7, 0, UINT32_MAX, "ann", "run[1]", "w", "/m", true};
	static const struct {
		const struct slu_symbols *sym;
		const char *text, *want, *words;
	} cases[] = {
		{&plain, "/a", "/a", NULL},
		{&plain, "$BB_w", "/mnt/data", NULL},
		{&plain, "$BB_w/", "/mnt/data/", NULL},
		{&plain, "$BB_w/%j/%u", "/mnt/data/7/ann", NULL},
		{&plain, "/%A/%%j%%", "/7/%j%", NULL},
		{&array, "/%A_%a/%x", "/5_3/a b", NULL},
		{&array, "$BB_JOB", "/m", NULL},
		{&plain, "/%a", NULL, "/%a: %a stands for the number"},
		{&odd, "/%u", NULL, "%u is not known"},
		{&odd, "/%x", NULL, "%x holds a '/'"},
		{&dots, "/%x", NULL, "control character"},
		{&dots, "/%u/x", NULL, "\"..\" is refused"},
		{&dots, "/%u.", "/...", NULL},
		{&plain, "$BB_wx", NULL, "$ stands only in $BB_w"},
		{&plain, "$BB_", NULL, "$ stands only in"},
		{&plain, "$", NULL, "$ stands only in"},
		{&plain, "/a$(id)", NULL, "$ stands only in"},
		{&plain, "%", NULL, "% stands only before"},
		{&wild, "/%x", "/run[1]", NULL},
		{&source, "/%u/*", "/ann/*", NULL},
		{&source, "/%x", NULL,
		 "/%x: %x is run[1], and *, ? and [ would make the source a "
		 "pattern"},
	};
	struct slu_err err;

	each(c, cases)
	{
		char *text;

		err = (struct slu_err){0};
		text = slu_request_expand(c->text, c->sym, &err);
		expect(slu_eq(text, c->want), "%s: %s %s", c->text, text,
		       err.text);
		if (c->words)
			expect_err(err, SLU_INVALID, c->words);
		free(text);
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

TEST_MAIN("request", test_accepted, test_refused, test_bounds,
	  test_number_of_mistakes_is_bounded, test_expand)

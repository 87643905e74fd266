/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the parser of requests in job scripts: accepted and refused lines, and
 * expansion. */
#include "config.h"
#include "tests/unit/burst_buffer/request_text.h"
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
	{"stripe pool=flash-1.a target=/a stripes=2", NULL,
	 "stripe target=/a stripes=2 pool=flash-1.a"},
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

TEST_MAIN("request", test_accepted, test_bounds, test_expand)

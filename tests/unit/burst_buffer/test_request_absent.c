/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the warning about variables that a script uses and its job will not
 * have. */
#include "config.h"
#include "tests/unit/harness.h"
#include "burst_buffer/request/request.h"
#include "common/str.h"

#define HEAD	"#!/bin/bash\n"
#define PRIVATE HEAD "#DW jobdw type=scratch capacity=1G access_mode=private\n"
#define STRIPED HEAD "#DW jobdw capacity=1G access_mode=striped name=a-b\n"
#define BOTH	HEAD "#DW jobdw capacity=1G access_mode=striped,private\n"
#define USED	HEAD "#DW persistentdw name=p\n"
#define OURS	HEAD "#BB capacity=1G\n"
#define NAMED	HEAD "#BB capacity=1G name=fast\n"

static const struct {
	const char *script;
	const char *told; /* all of it */
} cases[] = {
	{PRIVATE "cd $DW_JOB_STRIPED\nrm -rf *\n",
	 "3: this job has no $DW_JOB_STRIPED; its file system is "
	 "$DW_JOB_PRIVATE\n"},
	{PRIVATE "cd \"${DW_JOB_STRIPED}/\"\ncd $DW_JOB_STRIPED\n",
	 "3: this job has no $DW_JOB_STRIPED; its file system is "
	 "$DW_JOB_PRIVATE\n"},
	{PRIVATE "srun sh -c 'cd $DW_JOB_x$DW_JOB_PRIVATE'\n",
	 "3: this job has no $DW_JOB_x; its file system is $DW_JOB_PRIVATE\n"},
	{STRIPED "cd $DW_JOB_PRIVATE; cd $DW_JOB_a_b; cd $BB_JOBFS\n",
	 "3: this job has no $DW_JOB_PRIVATE; its file system is "
	 "$DW_JOB_STRIPED\n"
	 "3: this job has no $BB_JOBFS; its file system is $BB_a_b\n"},
	{BOTH "cd $DW_JOB_PRIVATE; cd $DW_JOB_STRIPED\n", ""},
	{USED "cd $DW_PERSISTENT_STRIPED_p$DW_PERSISTENT_p$BB_p\n", ""},
	{USED "cd $DW_PERSISTENT_STRIPED_q\n",
	 "3: this job has no $DW_PERSISTENT_STRIPED_q; its file system is "
	 "$DW_PERSISTENT_STRIPED_p\n"},
	{OURS "cd $BB_JOBFS\n", ""},
	{OURS "x\ncd $DW_JOB_STRIPED\n",
	 "4: this job has no $DW_JOB_STRIPED; its file system is $BB_JOBFS\n"},
	{NAMED "cd $BB_fast\ncd $BB_JOBFS\n",
	 "4: this job has no $BB_JOBFS; its file system is $BB_fast\n"},
	{HEAD "cd \"$BB_JOBFS\"\n",
	 "2: this job has no $BB_JOBFS: it asks for no file system\n"},
	{HEAD "#FLUX: --setattr=dw=\"#DW jobdw\"\ncp x $DW_JOB_p/\n",
	 "3: this job has no $DW_JOB_p: it asks for no file system\n"},
	{"#!/bin/csh\ncd $DW_JOB_STRIPED\n",
	 "2: this job has no $DW_JOB_STRIPED: it asks for no file system\n"},
	/* its own, or asked for before */
	{HEAD "BB_JOBFS=/tmp; cd $BB_JOBFS\n", ""},
	{HEAD "cd $BB_JOBFS\nfor BB_JOBFS in a b; do x; done\n", ""},
	{HEAD "cd ${BB_JOBFS:-/tmp}; cd ${DW_JOB_x?}; echo ${#DW_JOB_y}\n", ""},
	{HEAD "[ -n \"$BB_JOBFS\" ] && cd $BB_JOBFS\n", ""},
	{HEAD "if [ -z ${BB_JOBFS} ]; then x; fi; cd $BB_JOBFS\n", ""},
	{HEAD "[ \"$BB_JOBFS\" ] && cd $BB_JOBFS\n", ""},
	{HEAD "[ $BB_JOBFS ] || exit; cd $BB_JOBFS\n", ""},
	{HEAD "if ! [[ $BB_JOBFS ]]; then x; fi; cd $BB_JOBFS\n", ""},
	{HEAD "test \"${BB_JOBFS}\" && cd $BB_JOBFS\n", ""},
	{HEAD "[ ! -d \"$BB_JOBFS\" ] && exit\ncd $BB_JOBFS\n", ""},
	{HEAD "if test \"x$BB_JOBFS\" = x; then x; fi; cd $BB_JOBFS\n", ""},
	{HEAD "case $BB_JOBFS in '') exit;; esac; cd $BB_JOBFS\n", ""},
	{HEAD "cp -d \"$BB_JOBFS\"/a b\n",
	 "2: this job has no $BB_JOBFS: it asks for no file system\n"},
	{HEAD "mytest $BB_JOBFS\n",
	 "2: this job has no $BB_JOBFS: it asks for no file system\n"},
	{HEAD "if [[ -v BB_JOBFS ]]; then cd $BB_JOBFS; fi\n", ""},
	{"#!/bin/csh\nif ($?DW_JOB_STRIPED) cd $DW_JOB_STRIPED\n", ""},
	/* no uses, no names of ours */
	{HEAD "# cd $BB_JOBFS\n\t#cd $BB_JOBFS\nx\n", ""},
	{HEAD "cd $BB_JOBFS2/$MY_BB_JOBFS/$DW_JOB_${x}/$BB_x/$DW_x\n", ""},
	{"#!/usr/bin/perl\nprint \"$BB_JOBFS\";\n", ""},
	{"", ""},
	{"$", ""},
	{"BB_JOBFS", ""},
	{"#!/bin/sh\n$BB_JOBFS", "2: this job has no $BB_JOBFS: it asks for no "
				 "file system\n"},
};

static void put(void *arg, int line, const char *text, bool sure)
{
	ck_assert(!sure);
	slu_buf_printf(arg, "%d: %s\n", line, text);
}

static char *absent(const char *script)
{
	struct slu_buf buf = {0};
	struct slu_request req;
	struct slu_err err;

	slu_buf_puts(&buf, "");
	expect_ok(slu_request_parse(NULL, script, &req, &err), err);
	slu_request_absent(script, &req, put, &buf);
	slu_request_free(&req);
	return buf.data ? slu_buf_steal(&buf) : strdup("");
}

START_TEST(test_cases)
{
	each(c, cases)
	{
		char *got = absent(c->script);

		expect(!strcmp(got, c->told), "%s: %s", c->script, got);
		expect(!*got || slu_request_names_any(c->script), "%s",
		       c->script);
		free(got);
	}
}
END_TEST

/* As long as Slurm takes one, and with more names than it tells. */
START_TEST(test_longest_script)
{
	static const char *const pieces[] = {
		"$BB_JOBFS",   "DW_JOB_",    "$DW_JOB_x ",    "${", "B",
		"$BB_JOBFS\n", "x$BB_JOBFS", "-d $BB_JOBFS ", "-d "};

	each(piece, pieces)
	{
		struct slu_buf buf = {0};

		slu_buf_puts(&buf, HEAD "x ");
		while (!buf.failed && buf.len < 4 << 20)
			slu_buf_puts(&buf, *piece);
		free(absent(buf.data));
		slu_buf_free(&buf);
	}
}
END_TEST

START_TEST(test_number_of_names_is_bounded)
{
	struct slu_buf buf = {0};
	char *got;
	int n = 0;

	slu_buf_puts(&buf, HEAD);
	for (int i = 0; i < 100; i++)
		slu_buf_printf(&buf, "cd $DW_JOB_n%d\n", i);
	got = absent(buf.data);
	for (const char *p = got; (p = strchr(p, '\n')); p++)
		n++;
	ck_assert_int_eq(n, 8);
	free(got);
	slu_buf_free(&buf);
}
END_TEST

TEST_MAIN("request absent", test_cases, test_longest_script,
	  test_number_of_names_is_bounded)

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the detection of script lines that look like requests but have no
 * effect, and that no other lines are reported. */
#include "config.h"
#include "tests/unit/harness.h"
#include "burst_buffer/request/request.h"
#include "common/str.h"

static void put(void *arg, int line, const char *text, bool sure)
{
	slu_buf_printf(arg, "%d: %s%s\n", line, text, sure ? "" : " (unsure)");
}

static char *strays(const char *text, bool option)
{
	struct slu_buf buf = {0};

	slu_buf_puts(&buf, "");
	slu_request_strays(text, option, put, &buf);
	return buf.data ? slu_buf_steal(&buf) : strdup("");
}

struct stray_case {
	const char *script;
	int line;	   /* of the only one; 0: there is none */
	const char *words; /* of its sentence */
};

#define HEAD "#!/bin/bash\n#SBATCH -N1\n"
#define BOM  "\xef\xbb\xbf"
#define LATE "has no effect behind the first command"

static const struct stray_case cases[] = {
	/* behind the first command */
	{HEAD "cd /x\n#BB jobfs capacity=1G\n", 4, LATE " (line 3)"},
	{HEAD "cd /x\n#DW jobdw capacity=1G type=scratch\n", 4, LATE},
	{HEAD "x=1\n#SBATCH -t5\n#DW stage_out source=a destination=b\n", 5,
	 "\"#DW stage_out source=a destinati\" " LATE},
	{HEAD "if a; then\n\t#BB capacity=1G\nfi\n", 4, LATE},
	{HEAD "x\n#BB\tstage_in\tsource=/a destination=$BB_JOBFS\n", 4, LATE},
	{HEAD "x\n#BB stage-in source=/a\n", 4, LATE},
	{HEAD "x\n#DW jobdw capacity=1G\r\n", 4, LATE},
	{HEAD "\r\n#DW jobdw capacity=1G\r\n", 0, NULL},
	{HEAD "x \\\n#BB capacity=1G\n", 4, LATE},
	/* not quite */
	{HEAD "# BB capacity=1G\nx\n", 3,
	 "is a comment: write #BB and a blank, or ##BB"},
	{HEAD "#bb jobfs capacity=1G\nx\n", 3, "\"#bb jobfs capacity=1G\" is"},
	{HEAD "# DW jobdw capacity=1G\nx\n", 3, "write #DW"},
	{HEAD "#Dw jobdw capacity=1G\nx\n", 3, "write #DW"},
	{HEAD "#BBcapacity=1G\nx\n", 3, "is a comment"},
	{HEAD "#BB:jobfs capacity=1G\nx\n", 3, "is a comment"},
	{HEAD "#BB: jobfs capacity=1G\nx\n", 3, "is a comment"},
	{HEAD "#DW: jobdw capacity=1G\nx\n", 3, "write #DW"},
	{HEAD "#BB> jobfs capacity=1G\nx\n", 3, "is a comment"},
	{HEAD "#BB\vjobfs capacity=1G\nx\n", 3, "is a comment"},
	{HEAD "#BB: jobfs is fast, capacity=1G\nx\n", 0, NULL},
	{HEAD "#BB_off jobfs capacity=1G\n#-BB jobfs capacity=1G\n", 0, NULL},
	/* a blank that is none for a shell, as pages have them */
	{HEAD "\xc2\xa0#BB jobfs capacity=1G\nx\n", 3,
	 "is a command: a character before it is no blank"},
	{HEAD " \f#BB jobfs capacity=1G\nx\n", 3, "is a command"},
	{HEAD "\xe2\x80\x8b #DW jobdw capacity=1G\nx\n", 3, "is a command"},
	{HEAD "\xc2\xa0# remark\nx\n", 0, NULL},
	/* what cannot be seen in it, and what only looks like it */
	{HEAD "#\xc2\xa0"
	      "BB jobfs capacity=1G\nx\n",
	 3, "\"#?BB jobfs capacity=1G\" is a comment: write #BB and a blank"},
	{HEAD "#\xe2\x80\x8b"
	      "DW jobdw capacity=1G\nx\n",
	 3, "write #DW"},
	{HEAD "# \xef\xbb\xbf "
	      "BB capacity=1G\nx\n",
	 3, "write #BB"},
	{HEAD "#B\xc2\xad"
	      "B\xe2\x80\x83jobfs capacity=1G\nx\n",
	 3, "write #BB"},
	{HEAD "#\xe2\x80\xafSBATCH\n#\xd0\x92\xd0\x92 jobfs capacity=1G\n", 4,
	 "write #BB"},
	{HEAD "#\xef\xbc\xa4\xef\xbc\xb7 jobdw capacity=1G\n", 3, "write #DW"},
	{HEAD "\xef\xbc\x83"
	      "BB jobfs capacity=1G\nx\n",
	 3,
	 "\"?BB jobfs capacity=1G\" is a command: its first character only "
	 "looks like #, begin the line with #BB"},
	{HEAD "\xc2\xa0\xef\xbc\x83 DW jobdw capacity=1G\nx\n", 3,
	 "looks like #, begin the line with #DW"},
	{HEAD "x\n#\xc2\xa0"
	      "BB jobfs capacity=1G\n",
	 4, LATE},
	{HEAD "#\xe2\x80\x93 BB jobfs capacity=1G\n#\xd0\x92\xd0\x92\n"
	      "#\xc2\xa0 BB is fast\nx\n",
	 0, NULL},
	/* options of sbatch's own */
	{HEAD "x\n#SBATCH --bb=\"jobfs capacity=1G\"\n", 4, LATE " (line 3)"},
	{HEAD "x\n#SBATCH -n1 --bbf=/a\n", 4, "write ##SBATCH to leave"},
	{HEAD "x\n#SBATCH\t--bb=capacity=1G\n", 4, LATE},
	{HEAD "x #SBATCH --bb capacity=1G\n", 3, "behind a command"},
	{HEAD "#SBATCH --bb=capacity=1G\nx\n#SBATCH --bbx\n##SBATCH --bb=a\n",
	 0, NULL},
	{HEAD "#BBjobfs capacity=1G\nx\n", 3, "is a comment"},
	{HEAD "#BB\xc2\xa0jobfs capacity=1G\nx\n", 3, "is a comment"},
	{HEAD "#BB\xe2\x80\x83\xc2\xa0jobfs capacity=1G\nx\n", 3,
	 "is a comment"},
	{HEAD "#BB_LUA pool=p capacity=1G\nx\n", 3, "for another plugin"},
	{HEAD "x\n#BB_LUA 100G\n", 4, "for another plugin"},
	{HEAD "  # BB capacity=1G\n", 3, "is a comment"},
	{HEAD "# bb jobfs capacity=1G\nx\n", 3, "is a comment"},
	/* a line of --bb, which in a script is none */
	{HEAD "jobfs capacity=1G\n#SBATCH\n", 3,
	 "is a command here: begin the line with #BB"},
	{HEAD "capacity=1G\n", 0, NULL}, /* a variable of the shell's */
	/* behind a command in its line */
	{HEAD "module load x #BB capacity=1G\n", 3,
	 "\"#BB capacity=1G\" has no effect behind a command"},
	{HEAD "x\ny;#DW jobdw capacity=1G\n", 4, "behind a command"},
	/* they have their effect */
	{HEAD "#BB jobfs capacity=1G\nx\n", 0, NULL},
	{HEAD "\n  # x\n\t#BB\tjobfs capacity=1G\n\n#DW swap 1G\nx\n", 0, NULL},
	/* meant as they are: left out, remarks */
	{HEAD "##BB capacity=1G\n# #DW jobdw capacity=1G\nx\n##DW jobdw "
	      "capacity=1G\n# #BB capacity=1G\n",
	 0, NULL},
	{HEAD "# BB is fast\n# DW: see capacity below\n#BBQ name=x\nx\n#BB and "
	      "so on\n#DW\n#BB\n# bb=1\n# BB stage_in is not needed\n",
	 0, NULL},
	{HEAD "x\n#BB limit of memory, size=3\n", 0, NULL},
	{HEAD "# BB jobfs is a file system\nx", 0, NULL},
	{HEAD "x ${a#BB capacity=1}\ny a#BB capacity=1\nz $#BB capacity=1\n", 0,
	 NULL},
	/* what another script says */
	{HEAD "cat >j.sh <<EOF\n#!/bin/sh\n#BB capacity=1G\nEOF\nx\n", 0, NULL},
	{HEAD "cat <<-'E F' >j.sh\n\t#DW jobdw capacity=1G\n\tE F\nx\n", 0,
	 NULL},
	{HEAD "cat <<A <<\"B\"\n#BB capacity=1\nA\n#BB capacity=1\nB\n", 0,
	 NULL},
	{HEAD "cat <<A <<B <<C <<D <<E\nA\nB\nC\nD\n#BB capacity=1\nE\n", 0,
	 NULL},
	{HEAD "sbatch <<\\EOF\n#BB capacity=1G\nEOF\n#BB capacity=2G\n", 6,
	 "\"#BB capacity=2G\" " LATE},
	{HEAD "echo \"#DW persistentdw name=x\" >>f\n", 0, NULL},
	{HEAD "echo \"#!/bin/sh\n#DW jobdw capacity=1G\n\\\"x\n\" >f\n", 0,
	 NULL},
	{HEAD "echo '#!/bin/sh\n#DW jobdw capacity=1G\n' >f\n#BB capacity=1G",
	 6, LATE},
	{HEAD "echo $'it\\'s\n#DW jobdw capacity=1G\n' >f\n", 0, NULL},
	{HEAD "x='a\"b' # don't\n#BB capacity=1G\n", 4, LATE},
	{"#!/usr/bin/python3\nimport os\n\"\"\"don't\n#BB capacity=1G\n\"\"\"\n",
	 0, NULL},
	{"#!/usr/bin/python3\n#BB capacity=1G\nimport os\n", 0, NULL},
	{"#!/usr/bin/python3\nimport os\n#BB capacity=1G\n", 3, LATE},
	/* what no text is, though it begins like one */
	{HEAD "y=\"$(echo \"a 'b\" )\"\ncat <<E\n#BB capacity=1G\nE\n", 0,
	 NULL},
	{HEAD "y=\"$(cat <<E\nit's \"\nE\n)\"\ncat <<E\n#BB capacity=1G\nE\n",
	 0, NULL},
	{HEAD "y=\"$(echo $(echo ')' \")\"))\"\ncat <<E\n#BB capacity=1G\nE\n",
	 0, NULL},
	{HEAD "y=\"$(x)\"\n#BB capacity=1G\n", 4, LATE},
	{HEAD "case x in a) y=$(x);; b) z;; esac\n#BB capacity=1G\n", 4, LATE},
	{HEAD "cat <<E\"O\"F\n#BB capacity=1G\nEOF\n", 0, NULL},
	{HEAD "cat <<E\\OF\n#BB capacity=1G\nEOF\n", 0, NULL},
	{HEAD "cat <<''\n#BB capacity=1G\n\n#BB capacity=2G\n", 6, LATE},
	{HEAD "for ((i=0;i<9;i++)); do cat >$i <<E\n#BB capacity=1G\nE\n"
	      "done\n",
	 0, NULL},
	{HEAD "cat >j$((i+1)) <<E\n#BB capacity=1G\nE\n", 0, NULL},
	{HEAD "((x; y) && cat <<E\n#BB capacity=1G\nE\n)\n", 0, NULL},
	{HEAD "cat <<$x\nit's\n$x\ncat <<E\n#BB capacity=1G\nE\n", 0, NULL},
	{HEAD "x <<EOF\n#BB capacity=1G\n", 4, LATE},
	{HEAD "echo $((1 << n))\n#BB capacity=1G\nn\n", 4, LATE},
	{HEAD "echo $[1<<2]\n#BB capacity=1G\n2\n", 4, LATE},
	{HEAD "echo $((1)) $((1 << n))\n#BB capacity=1G\nn\n", 4, LATE},
	{HEAD "cat <<<EOF\n#BB capacity=1G\nEOF\n", 4, LATE},
	{HEAD "echo it's\n#BB capacity=1G\n", 4, LATE},
	/* a mark, as editors of Windows put it */
	{BOM "#BB jobfs capacity=1G\nx\n", 0, NULL},
	{BOM "x\n#BB jobfs capacity=1G\n", 2, LATE " (line 1)"},
	{"", 0, NULL},
	{"#", 0, NULL},
	{"#BB", 0, NULL},
};

START_TEST(test_cases)
{
	each(c, cases)
	{
		char *got = strays(c->script, false), want[32];

		snprintf(want, sizeof(want), "%d: ", c->line);
		if (!c->line)
			expect(!*got, "%s: %s", c->script, got);
		else
			expect(!strncmp(got, want, strlen(want)) &&
				       strstr(got, c->words) &&
				       !strchr(strchr(got, '\n') + 1, '\n'),
			       "%s: %s", c->script, got);
		free(got);
	}
}
END_TEST

/* In other languages a text may begin as no shell's does: what is told of them
 * refuses no job. */
static const struct {
	const char *line;
	bool shell;
} interpreters[] = {
	{"#!/bin/bash", true},
	{"#! /bin/sh -e", true},
	{"#!/usr/bin/env bash", true},
	{"#!/usr/bin/env -S LANG=C ksh93 -l", true},
	{"#!/opt/site/bin/bash-5.2 -l\r", true},
	{"#!/bin/tcsh -f", true},
	{"#!/usr/bin/perl -w", false},
	{"#!/usr/bin/env python3", false},
	{"#!/usr/bin/env -S perl -w", false},
	{"#!/opt/bash/bin/python", false},
	{"#!/usr/bin/awk -f", false},
	{"#!/usr/bin/fish", false},
	{"#!", true},
};

static const char *const texts[] = {
	"my $s = q{\n#BB capacity=1G\n};\n",
	"use x;\n\n=pod\n\n#DW jobdw capacity=1G\n\n=cut\n",
	"print <<~EOT;\n  #BB capacity=1G\n  EOT\n",
	"s = [[\n#BB capacity=1G\n]]\n",
	"s = '''it's\n#BB capacity=1G\n'''\n",
	"x #BB capacity=1G\n",
};

START_TEST(test_interpreters)
{
	each(i, interpreters) each(text, texts)
	{
		char *script = slu_asprintf("%s\n%s", i->line, *text);
		bool told;
		char *got = strays(script, false);
		struct slu_request req;
		struct slu_err err;

		told = *got && !strstr(got, "(unsure)");
		expect(!told || i->shell, "%s: %s", script, got);
		if (slu_request_submitted(NULL, script, true, &req, &err))
			expect(i->shell, "%s: %s", script, err.text);
		else
			slu_request_free(&req);
		free(got);
		free(script);
	}
	each(i, interpreters)
	{
		char *script =
			slu_asprintf("%s\nx\n#BB capacity=1G\n", i->line);
		char *got = strays(script, false);

		expect(strstr(got, "3: ") && !strstr(got, "unsure") == i->shell,
		       "%s: %s", script, got);
		free(got);
		free(script);
	}
}
END_TEST

/* One that is wrong in any language. */
START_TEST(test_near)
{
	char *got = strays("#!/usr/bin/perl\n# BB capacity=1G\nx\n", false);

	expect(!strncmp(got, "2: ", 3) && !strstr(got, "unsure"), "%s", got);
	free(got);
}
END_TEST

/* As long as Slurm takes one, and of what is to be looked at all the time: it
 * is read in slurmctld. */
START_TEST(test_hostile)
{
	static const char *const pieces[] = {
		"#",	  "#SBATCH",   "# ",
		"#B",	  "#\xc2\xa0", "#\xc2\xa0 \xc2\xa0",
		"x #BB ", "#\xd0\x92", "(("};

	each(piece, pieces)
	{
		struct slu_buf buf = {0};

		slu_buf_puts(&buf, HEAD "x ");
		while (!buf.failed && buf.len < 4 << 20)
			slu_buf_puts(&buf, *piece);
		free(strays(buf.data, false));
		slu_buf_free(&buf);
	}
}
END_TEST

/* Of what a person has typed; what is stored is read as ever. */
START_TEST(test_hardly_meant)
{
	static const struct {
		const char *value, *words; /* NULL: fine */
	} values[] = {
		{"$BB_JOBFS/{a,b}", "{a,b} is not expanded here"},
		{"$BB_JOBFS/a{1,2}.dat", "write a line for each"},
		{"/a\xc2\xa0", "a character in it that cannot be seen"},
		{"/a\xe2\x80\x8b/b", "put the value in double quotes"},
		{"\"/a/{b,c}\xc2\xa0\"", NULL},
		{"${BB_JOBFS}/{a}", NULL},
		{"/\xc3\xa4\xe2\x82\xac", NULL},
	};
	struct slu_request req;
	struct slu_err err;

	each(v, values)
	{
		const char *pair = *v->value == '$' ? "stage_out destination=/z"
						    : "stage_in "
						      "destination=$BB_JOBFS";
		char *text = slu_asprintf("jobfs capacity=1G; %s source=%s",
					  pair, v->value);

		if (v->words)
			expect_fail(slu_request_submitted(text, NULL, false,
							  &req, &err),
				    err, SLU_INVALID, v->words);
		else
			expect_ok(slu_request_submitted(text, NULL, false, &req,
							&err),
				  err);
		if (!v->words)
			slu_request_free(&req);
		expect_ok(slu_request_parse(text, NULL, &req, &err), err);
		slu_request_free(&req);
		free(text);
	}
}
END_TEST

/* In the text of --bb there are no commands. */
START_TEST(test_option)
{
	char *got = strays("capacity=1G\n#BB forward\n# BB limit tighten=no\n"
			   "##BB forward\n",
			   true);

	expect(!strncmp(got, "3: \"# BB limit", 14) &&
		       !strchr(strchr(got, '\n') + 1, '\n'),
	       "%s", got);
	free(got);
}
END_TEST

/* With a request that is right otherwise they are refused, all together. */
START_TEST(test_refused)
{
	static const char script[] =
		HEAD "#BB capacity=1G\n# BB forward max=1\n"
		     "x\n#BB stage_in source=/a "
		     "destination=$BB_JOBFS\n";
	struct slu_request req;
	struct slu_err err;

	expect_ok(slu_request_submitted(NULL, script, false, &req, &err), err);
	ck_assert_uint_eq(req.n_stage, 0);
	slu_request_free(&req);
	expect_fail(slu_request_submitted(NULL, script, true, &req, &err), err,
		    SLU_INVALID, "line 4: \"# BB forward max=1\" is a comment");
	expect_err(err, SLU_INVALID, "\nline 6: \"#BB stage_in");
}
END_TEST

/* What a user can make it do is bounded. */
START_TEST(test_bounds)
{
	struct slu_buf buf = {0};
	char *got, *p;
	int n = 0;

	slu_buf_puts(&buf, HEAD "x\n");
	for (int i = 0; i < 200; i++)
		slu_buf_puts(&buf, "#BB capacity=1G\n");
	for (int i = 0; i < 200; i++)
		slu_buf_puts(&buf, "cat <<A <<A <<A <<A <<A <<A\n");
	got = strays(buf.data, false);
	for (p = got; (p = strchr(p, '\n')); p++)
		n++;
	ck_assert_int_eq(n, 64);
	free(got);
	slu_buf_free(&buf);
}
END_TEST

/* As long as Slurm takes one: a look at each piece that went back to the
 * beginning of its line would take minutes, in slurmctld. */
START_TEST(test_long)
{
	static const char *const pieces[] = {
		"<<A ", "((<<A ", "((<<A )) ", "\"$(", "<<A\n", "#BB\n", "'\""};

	each(piece, pieces)
	{
		struct slu_buf buf = {0};
		char *got;

		slu_buf_puts(&buf, HEAD "#BB jobfs capacity=1G\ncat ");
		while (!buf.failed && buf.len < 4 << 20)
			slu_buf_puts(&buf, *piece);
		got = strays(buf.data, false);
		ck_assert_str_eq(got, "");
		free(got);
		slu_buf_free(&buf);
	}
}
END_TEST

TEST_MAIN("request stray", test_cases, test_interpreters, test_near,
	  test_option, test_hostile, test_hardly_meant, test_refused,
	  test_bounds, test_long)

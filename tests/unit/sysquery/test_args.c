/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the parsing of sysquery's command line: options, operands, refusals,
 * help. */
#include "config.h"
#include "sysquery/cli/ask.h"
#include "tests/unit/harness.h"

#include "common/jsonx.h"

const struct slu_command slu_commands[] = {
	{.name = "resources",
	 .operands = "[HOSTS]",
	 .doc = "doc",
	 .options = {'n', 'e'},
	 .max_operands = 2},
	{.name = "jobs",
	 .operands = "",
	 .doc = "doc",
	 .options = {SLU_OPT_LAST, SLU_OPT_USER, SLU_OPT_NAME, SLU_OPT_NODES,
		     SLU_OPT_LIMIT},
	 .answer = &slu_form_jobs},
	{.name = "buffers",
	 .operands = "[JOBID]",
	 .doc = "doc",
	 .options = {SLU_OPT_JOB},
	 .max_operands = 1},
	{.name = "explain",
	 .operands = "",
	 .doc = "doc",
	 .options = {SLU_OPT_MDT}},
	{.name = "site", .operands = "", .doc = "doc"},
	{.name = NULL},
};

static struct slu_err err;

/* A line as a shell without quotes would cut it. */
static int parse(struct slu_ask *ask, const char *line)
{
	static char text[512];
	char *argv[64] = {"sysquery"};

	snprintf(text, sizeof(text), "%s", line);
	return slu_ask_parse(ask, 1 + (int)slu_split(text, " ", argv + 1, 62),
			     argv, &err);
}

/* As DataOnMdt= in sluice.conf. */
START_TEST(test_mdt)
{
	static const struct {
		const char *line;
		int64_t bytes; /* -1: refused */
	} cases[] = {{"explain --mdt off", 0},
		     {"explain --mdt 64KiB", 65536},
		     {"explain --mdt 0", -1},
		     {"explain --mdt 1000", -1},
		     {"explain --mdt 2GiB", -1}};
	struct slu_ask ask;

	each(c, cases)
	{
		if (c->bytes < 0) {
			expect_fail(parse(&ask, c->line), err, SLU_INVALID,
				    "is not off, or a multiple of 64KiB");
		} else {
			expect_ok(parse(&ask, c->line), err);
			ck_assert_int_eq(slu_json_u64_at(ask.args, "mdt"),
					 c->bytes);
		}
		slu_ask_free(&ask);
	}
}
END_TEST

START_TEST(test_job)
{
	static const char *const lines[] = {"buffers 7", "buffers --job 7",
					    "buffers --job=7",
					    "--job 7 buffers"};
	struct slu_ask ask;

	each(line, lines)
	{
		expect_ok(parse(&ask, *line), err);
		ck_assert_uint_eq(ask.n_operands, 1);
		ck_assert_str_eq(ask.operand[0], "7");
		ck_assert_str_eq(ask.command, "buffers");
		slu_ask_free(&ask);
	}
	expect_fail(parse(&ask, "buffers 7 --job 8"), err, SLU_INVALID, "one");
	slu_ask_free(&ask);
}
END_TEST

START_TEST(test_command_lines)
{
	static const struct {
		const char *line, *command, *file, *args;
	} cases[] = {
		{"", "site", NULL, "{}"},
		{"--json", "site", NULL, "{}"},
		{"--server h", "site", NULL, "{}"},
		{"-l", NULL, NULL, "{}"},
		{"-f a.db", NULL, "a.db", "{}"},
		{"-fa.db", NULL, "a.db", "{}"},
		{"--file=a.db", NULL, "a.db", "{}"},
		{"--file a.db", NULL, "a.db", "{}"},
		{"-f a.db -n n1 n2 -e disks swap", NULL, "a.db",
		 "{\"hosts\":[\"n1\",\"n2\"],"
		 "\"extractors\":[\"disks\",\"swap\"]}"},
		{"-e disks,swap -n n[1-2,4] -f a.db", NULL, "a.db",
		 "{\"extractors\":[\"disks\",\"swap\"],"
		 "\"hosts\":[\"n1\",\"n2\",\"n4\"]}"},
		{"resources -n n1 -n n2", "resources", NULL,
		 "{\"hosts\":[\"n1\",\"n2\"]}"},
		{"-f a.db resources --hosts=n1", "resources", "a.db",
		 "{\"hosts\":[\"n1\"]}"},
		{"jobs --last 5 --user 17 --name x --nodes 2 --limit 90",
		 "jobs", NULL,
		 "{\"last\":5,\"uid\":17,\"name\":\"x\",\"nodes\":2,"
		 "\"limit\":90}"},
		{"jobs --limit 1:00:30 --user root", "jobs", NULL,
		 "{\"limit\":61,\"uid\":0}"},
		{"jobs --limit UNLIMITED", "jobs", NULL, "{\"limit\":0}"},
		{"jobs --limit infinite", "jobs", NULL, "{\"limit\":0}"},
	};
	struct slu_ask ask;

	each(c, cases)
	{
		expect(parse(&ask, c->line) == 0, "%s: %s", c->line, err.text);
		expect(slu_eq(ask.command, c->command), "%s", c->line);
		expect(slu_eq(ask.file, c->file), "%s", c->line);
		ck_assert_str_eq(slu_json_text(ask.args), c->args);
		slu_ask_free(&ask);
	}
}
END_TEST

START_TEST(test_refused)
{
	static const struct {
		const char *line, *words;
	} cases[] = {
		{"nonsense", "no command"},
		{"resource", "did you mean resources?"},
		{"--nonsense", "unknown option --nonsense"},
		{"-x", "unknown option -x"},
		{"-J", "unknown option -J"}, /* --json has no letter */
		{"-l5", "unknown option -l5"},
		{"-f", "-f needs a value"},
		{"-f -l", "-f needs a value"},
		{"-n n[1-", "not closed"},
		{"jobs --last", "needs a value"},
		{"jobs --last -1", "no number"},
		{"jobs --last=-1", "no number"},
		{"jobs --last=9999999999999999999999", "no number"},
		{"jobs --user=no-such-user-here", "there is no user"},
		{"jobs --limit=soon",
		 "neither minutes, HH:MM:SS nor UNLIMITED"},
		{"jobs -n n1", "--hosts is not an option of jobs"},
		{"osts place --stripes -1", "\"-1\" is no number"},
		{"--last 5", "--last is not an option of site"},
		{"-l --last 5", "--last is not an option of this form"},
		{"buffers --state RUNNING", "--state is not an option"},
		{"buffers --sort job", "--sort is not an option"},
		{"jobs --json=2", "it is 1, or 0"},
		{"jobs --json --wide", "--json and --wide: want one"},
		{"jobs --json -o user", "--json and -o: want one"},
		{"jobs -o user --format user", "-o and --format: want one"},
		{"-l -o f --output f", "-o and --output: want one"},
		{"jobs --watch=x", "--watch=x: "},
		{"jobs --watch=0", "want 1 to 86400"},
		{"jobs --watch --output f", "--watch and --output"},
		{"jobs --since=then", "is no time"},
		{"jobs n1", "too many words: n1"},
		{"resources a b c", "too many words: c"},
	};
	struct slu_ask ask;

	each(c, cases)
	{
		expect(parse(&ask, c->line) == -1, "%s", c->line);
		expect_err(err, SLU_INVALID, c->words);
		slu_ask_free(&ask);
	}
}
END_TEST

START_TEST(test_help)
{
	struct slu_buf out = {0};
	struct slu_ask ask;

	ck_assert_int_eq(parse(&ask, "nonsense --help"), 0);
	ck_assert(ask.help);
	slu_ask_help(&ask, &out);
	slu_ask_free(&ask);
	ck_assert_ptr_nonnull(strstr(out.data, "resources [HOSTS]"));
	ck_assert_ptr_nonnull(strstr(out.data, "-n, --hosts HOST..."));
	ck_assert_ptr_nonnull(strstr(out.data, "\n      --json[=0] "));
	ck_assert_ptr_nonnull(strstr(out.data, "Exit status"));
	slu_buf_reset(&out);
	ck_assert_int_eq(parse(&ask, "jobs --help"), 0);
	slu_ask_help(&ask, &out);
	slu_ask_free(&ask);
	ck_assert_ptr_nonnull(strstr(out.data, "sysquery jobs [OPTION]"));
	ck_assert_ptr_nonnull(strstr(out.data, "--last N"));
	ck_assert_ptr_nonnull(strstr(out.data, "--filename"));
	ck_assert_ptr_null(strstr(out.data, "--hosts"));
	ck_assert_ptr_null(strstr(out.data, "resources"));
	slu_buf_free(&out);
}
END_TEST

/* -o means what it does in Slurm's commands, where there are fields. */
START_TEST(test_option_o_as_in_slurm)
{
	static const struct {
		const char *line, *fields, *output;
	} cases[] = {
		{"jobs -o job_id,user", "job_id,user", NULL},
		{"-o job_id jobs", "job_id", NULL},
		{"jobs --format=user", "user", NULL},
		{"jobs --output f", NULL, "f"},
		{"resources -o f", NULL, "f"},
		{"-o f", NULL, "f"},
		{"-l -of", NULL, "f"},
		{"--help -o f", NULL, "f"},
	};
	struct slu_ask ask;

	each(c, cases)
	{
		expect(parse(&ask, c->line) == 0, "%s: %s", c->line, err.text);
		expect(slu_eq(ask.fields, c->fields), "%s", c->line);
		expect(slu_eq(ask.output, c->output), "%s", c->line);
		slu_ask_free(&ask);
	}
}
END_TEST

START_TEST(test_watch)
{
	static const struct {
		const char *line;
		unsigned seconds;
		size_t operands;
	} cases[] = {
		{"buffers --watch", 2, 0},     {"buffers --watch 5", 5, 0},
		{"buffers --watch=1m", 60, 0}, {"buffers --watch --wide", 2, 0},
		{"buffers --watch 5 7", 5, 1}, {"buffers 7", 0, 1},
	};
	struct slu_ask ask;

	each(c, cases)
	{
		expect(parse(&ask, c->line) == 0, "%s: %s", c->line, err.text);
		expect(ask.watch == c->seconds, "%s: %u", c->line, ask.watch);
		expect(ask.n_operands == c->operands, "%s", c->line);
		slu_ask_free(&ask);
	}
}
END_TEST

TEST_MAIN("args", test_option_o_as_in_slurm, test_watch, test_job, test_mdt,
	  test_command_lines, test_refused, test_help)

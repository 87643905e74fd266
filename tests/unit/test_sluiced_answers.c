/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysquery --server says what sysquery -f says of the same database. */
#include "config.h"
#include "tests/unit/sluiced.h"

#include "common/file.h"
#include "sysquery/ask.h"

static int sysquery(int argc, char **argv)
{
	const struct slu_command *c = slu_commands;
	struct slu_ask ask;
	int ret = slu_ask_parse(&ask, argc, argv, &err);

	while (ask.command && c->name && strcmp(c->name, ask.command) != 0)
		c++;
	if (ret == 0)
		ret = ask.command ? c->run(&ask, &err)
				  : slu_cmd_original(&ask, &err);
	slu_ask_free(&ask);
	return ret;
}

static void push(const char *host, const char *documents)
{
	char *body = slu_asprintf("{\"host\":\"%s\",\"documents\":{%s}}", host,
				  documents);

	expect(post("/v1/sysmap/documents", body, NULL) == 0, "%s", err.text);
	free(body);
}

/* Run a command line, cut at '|'; what it writes, or its error. */
static void run(const char *line, const char *option, const char *value,
		struct slu_buf *out)
{
	char text[512];
	char *argv[32] = {"sysquery", "-o", (char *)tmpfile_path("answer"),
			  (char *)(uintptr_t)option, (char *)(uintptr_t)value};
	int ret;

	snprintf(text, sizeof(text), "%s", line);
	ret = sysquery(5 + (int)slu_split(text, "|", argv + 5, 26), argv);
	slu_buf_reset(out);
	if (ret)
		slu_buf_printf(out, "%s: %s", slu_kind_name(err.kind),
			       err.text);
	else
		expect_ok(slu_file_read(AT_FDCWD, tmpfile_path("answer"),
					1 << 20, out, &err),
			  err);
}

START_TEST(test_same)
{
	static const char *const lines[] = {
		"-n|n[1-2]|-e|disks",
		"-l",
		"-L",
		"resources|--table",
		"resources|n1|--where|disks = 2",
		"hosts|--json",
		"extractors|--table",
		"sql|SELECT host, name FROM v_disks WHERE size_bytes > 1KiB",
		"sql|SELECT * FROM Buffer",
		"sql|SELEKT",
		"sql|--table",
		"history|n1",
		"history|n3",
		"diff|n1|n2|--table",
		"diff|n1|--since|@5",
		"check|--table",
	};
	struct slu_buf remote = {0}, local = {0};
	char addr[32];
	FILE *conf;

	if (!sluiced_begin())
		return;
	ctl_connect();
	ctl_hello(NULL, 0);
	ctl_expect_any(&slu_history_end_desc);
	push("n1",
	     "\"disks\":\"[{\\\"name\\\":\\\"a\\\",\\\"size_bytes\\\":9999}"
	     ",{\\\"name\\\":\\\"b\\\"}]\",\"memoryinfo\":"
	     "\"{\\\"TotalMemory\\\": 1048576000}\"");
	push("n2", "\"disks\":\"[]\",\"memoryinfo\":"
		   "\"{\\\"TotalMemory\\\": 1048576000}\"");
	push("n1", "\"disks\":\"[{\\\"name\\\":\\\"a\\\",\\\"size_bytes\\\":9}"
		   ",{\\\"name\\\":\\\"b\\\"}]\"");
	conf = fopen(tmpfile_path("slurm.conf"), "w");
	fputs("NodeName=n[1-3] RealMemory=2000\n", conf);
	fclose(conf);
	setenv("SLURM_CONF", tmpfile_path("slurm.conf"), 1);
	setenv("SLUICE_CONF", tmpfile_path("sluice.conf"), 1);
	snprintf(addr, sizeof(addr), "127.0.0.1:%u", sluiced_port);
	each(line, lines)
	{
		run(*line, "--server", addr, &remote);
		run(*line, "-f", tmpfile_path("db"), &local);
		ck_assert_str_eq(remote.data, local.data);
		ck_assert_uint_gt(local.len, 1);
	}
	slu_buf_free(&remote);
	slu_buf_free(&local);
	ctl_close();
	sluiced_end();
}
END_TEST

TEST_MAIN("sluiced_answers", test_same)

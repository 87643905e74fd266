/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests that sysquery --server gives the same answers as sysquery -f of the
 * same database. */
#include "config.h"
#include "tests/unit/sluiced/sluiced.h"

#include "common/file.h"
#include "sysquery/cli/ask.h"

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

/* Run a command line, cut at '|'; what it writes into "answer", or its error.
 */
static int run_line(const char *line, const char *option, const char *value)
{
	char text[512];
	char *argv[32] = {"sysquery", "--output",
			  (char *)tmpfile_path("answer"),
			  (char *)(uintptr_t)option, (char *)(uintptr_t)value};

	snprintf(text, sizeof(text), "%s", line);
	return sysquery(5 + (int)slu_split(text, "|", argv + 5, 26), argv);
}

static void run(const char *line, const char *option, const char *value,
		struct slu_buf *out)
{
	int ret = run_line(line, option, value);

	slu_buf_reset(out);
	if (ret)
		slu_buf_printf(out, "%s: %s", slu_kind_name(err.kind),
			       err.text);
	else
		expect_ok(slu_file_read(AT_FDCWD, tmpfile_path("answer"),
					1 << 20, out, &err),
			  err);
}

/* More than sluiced may say at once: 40 hosts with the same 2 MB. */
static void check_long(const char *addr)
{
	struct slu_buf text = {0};
	struct stat remote, local;
	struct slu_db *db;
	char *command;

	for (int i = 0; i < 250000; i++)
		slu_buf_printf(&text, "%s%07d", i ? "," : "\"connections\":\"[",
			       i + 1000000);
	slu_buf_puts(&text, "]\"");
	push("n1", text.data);
	db = slu_db_open(tmpfile_path("db"), SLU_DB_WRITE, &err);
	expect_ok(slu_db_script(
			  db,
			  "WITH n (i) AS (VALUES (3) UNION ALL SELECT i + 1 "
			  "FROM n WHERE i < 40) INSERT INTO Hosttable "
			  "(Hostname) SELECT 'n' || i FROM n; "
			  "INSERT INTO Host2Data SELECT HostID, (SELECT "
			  "max(DID) FROM Datatable) FROM Hosttable WHERE "
			  "HostID > 1",
			  &err),
		  err);
	slu_db_close(db);
	expect_ok(run_line("-e|connections", "-f", tmpfile_path("db")), err);
	rename(tmpfile_path("answer"), tmpfile_path("local"));
	expect_ok(run_line("-e|connections", "--server", addr), err);
	ck_assert_int_eq(stat(tmpfile_path("answer"), &remote), 0);
	ck_assert_int_eq(stat(tmpfile_path("local"), &local), 0);
	ck_assert_int_gt(local.st_size, 40 * 2000000);
	ck_assert_int_eq(remote.st_size, local.st_size);
	command = slu_asprintf("cmp %s %s", tmpfile_path("answer"),
			       tmpfile_path("local"));
	ck_assert_int_eq(system(command), 0);
	free(command);
	slu_buf_free(&text);
}

START_TEST(test_same_answers_as_original)
{
	static const char *const lines[] = {
		"-n|n[1-2]|-e|disks",
		"-l",
		"-L",
		"resources|--table",
		"resources|n1|--where|disks = 2",
		"hosts|-o|host,documents,since",
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
	/* Of the same moment; what only sluiced knows is not looked at. */
	run("page|--json|--now|@5", "--server", addr, &remote);
	run("page|--json|--now|@5", "-f", tmpfile_path("db"), &local);
	expect(local.len > 1000 && !strncmp(remote.data, local.data, 1000),
	       "%s", remote.data);
	check_long(addr);
	slu_buf_free(&remote);
	slu_buf_free(&local);
	ctl_close();
	sluiced_end();
}
END_TEST

TEST_MAIN("sluiced_answers", test_same_answers_as_original)

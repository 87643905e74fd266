/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "tests/unit/harness.h"
#include "burst_buffer/drivers/gekkofs.h"

#include <fcntl.h>
#include <unistd.h>
#include "common/file.h"
#include "tests/unit/tmpdir.h"

static struct slu_err err;

START_TEST(test_lines)
{
	static const struct {
		const char *text, *address;
		unsigned port;
	} cases[] = {
		{"n1 ofi+tcp://10.0.0.1:4433\n", "10.0.0.1", 4433},
		{"n1#d0 tcp://n1:65535\nn2 tcp://n2:1\n", "n1", 65535},
		{"n1 ofi+tcp://10.0.0.1:4433 with more:5\n", "10.0.0.1", 4433},
		{"n1 ofi+tcp://10.0.0.1 with more:5\n", NULL, 0},
		{"n1 tcp://[::1]:4433\n", "[::1]", 4433},
		{"n1 tcp://a:+5\n", NULL, 0},
		{"n1 tcp://a:000080\n", NULL, 0},
		{"n1 ofi+tcp://10.0.0.1:4433", NULL, 0}, /* not yet whole */
		{"", NULL, 0},
		{"\n", NULL, 0},
		{"n1://10.0.0.1:4433\n", NULL, 0},
		{"n1 10.0.0.1:4433\n", NULL, 0},
		{"n1 tcp://10.0.0.1\n", NULL, 0},
		{"n1 tcp://:4433\n", NULL, 0},
		{"n1 tcp://10.0.0.1:0\n", NULL, 0},
		{"n1 tcp://10.0.0.1:65536\n", NULL, 0},
		{"n1 tcp://10.0.0.1:44x\n", NULL, 0},
		{"n1|n2 tcp://10.0.0.1:4433\n", NULL, 0},
		{"n1\ttcp://10.0.0.1:4433\n", NULL, 0},
	};

	each(c, cases)
	{
		struct slu_gkfs_line line = {.port = 7};

		expect_ok(slu_file_write(AT_FDCWD, tmpfile_path("line"),
					 c->text, strlen(c->text), 0600, false,
					 &err),
			  err);
		expect(slu_gkfs_line_read(tmpfile_path("line"), &line) ==
			       (c->address ? 0 : -1),
		       "%s", c->text);
		expect(line.port == (c->address ? c->port : 7), "%s", c->text);
		if (c->address)
			ck_assert_str_eq(line.address, c->address);
	}
	ck_assert_int_eq(slu_gkfs_line_read("/no/file", NULL), -1);
}
END_TEST

START_TEST(test_hosts)
{
	struct slu_plan_node nodes[] = {
		{.name = "n1"}, {.name = "n2", .client = true}, {.name = "n3"}};
	struct slu_plan plan = {
		.node = nodes, .n_node = 3, .uid = getuid(), .gid = getgid()};
	struct slu_instance in = {.plan = &plan};
	struct slu_pair attrs[] = {{"n3", "n3 tcp://c:3"},
				   {"n1", "n1#d0 tcp://a:1|n1#d1 tcp://a:2"}};
	const char *path = tmpfile_path("hosts");
	struct slu_buf text = {0};

	expect_ok(slu_gkfs_hosts_write(&in, path, attrs, 2, &err), err);
	expect_ok(slu_file_read(AT_FDCWD, path, 4096, &text, &err), err);
	ck_assert_str_eq(text.data, "n1#d0 tcp://a:1\nn1#d1 tcp://a:2\n"
				    "n3 tcp://c:3\n");
	slu_buf_free(&text);
	expect_fail(slu_gkfs_hosts_write(&in, path, attrs, 1, &err), err,
		    SLU_IO, "node n1 did not say");
	attrs[0].value = "n3 tcp://c:3|nonsense";
	expect_fail(slu_gkfs_hosts_write(&in, path, attrs, 2, &err), err,
		    SLU_IO, "node n3 did not say");
}
END_TEST

/* Nobody listens on port 1; a file that is not there is said to be that. */
START_TEST(test_try)
{
	const char *path = tmpfile_path("hosts"),
		   *line = "n9 tcp://127.0.0.1:1\n";

	expect_fail(slu_gkfs_hosts_try("/no/file", &err), err, SLU_IO,
		    "is not there");
	expect_ok(slu_file_write(AT_FDCWD, path, line, strlen(line), 0600,
				 false, &err),
		  err);
	expect_fail(slu_gkfs_hosts_try(path, &err), err, SLU_IO,
		    "on node n9 does not answer");
}
END_TEST

TEST_MAIN("gekkofs_hosts", test_lines, test_hosts, test_try)

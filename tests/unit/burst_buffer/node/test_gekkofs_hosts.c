/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the hosts file of GekkoFS: parsing of its daemons' lines, and daemons
 * that die. */
#include "config.h"
#include "tests/unit/harness.h"
#include "burst_buffer/drivers/gekkofs.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/file.h"
#include "tests/unit/tmpdir.h"

static struct slu_err err;

START_TEST(test_daemon_lines)
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
		expect(slu_gkfs_line_read(tmpdir(), "line", &line) ==
			       (c->address ? 0 : -1),
		       "%s", c->text);
		expect(line.port == (c->address ? c->port : 7), "%s", c->text);
		if (c->address)
			ck_assert_str_eq(line.address, c->address);
	}
	ck_assert_int_eq(slu_gkfs_line_read("/no", "file", NULL), -1);
}
END_TEST

/* The user may make links where root reads. */
START_TEST(test_links)
{
	static const char line[] = "n1 tcp://10.0.0.1:4433\n";
	struct slu_gkfs_line out;

	ck_assert(!mkdir(tmpfile_path("own"), 0700));
	expect_ok(slu_file_write(AT_FDCWD, tmpfile_path("own/is"), line,
				 strlen(line), 0600, false, &err),
		  err);
	ck_assert(!symlink("is", tmpfile_path("own/link")));
	ck_assert(!symlink("own", tmpfile_path("other")));
	ck_assert_int_eq(slu_gkfs_line_read(tmpdir(), "own/is", &out), 0);
	ck_assert_int_eq(slu_gkfs_line_read(tmpdir(), "own/link", &out), -1);
	ck_assert_int_eq(slu_gkfs_line_read(tmpdir(), "other/is", &out), -1);
}
END_TEST

START_TEST(test_hosts)
{
	struct slu_plan_node nodes[] = {
		{.name = "n1"}, {.name = "n2", .client = true}, {.name = "n3"}};
	struct slu_plan plan = {
		.node = nodes, .n_node = 3, .uid = 65534, .gid = getgid()};
	struct slu_instance in = {.plan = &plan};
	struct slu_pair attrs[] = {{"n3", "n3 tcp://c:3"},
				   {"n1", "n1#d0 tcp://a:1|n1#d1 tcp://a:2"}};
	const char *path = tmpfile_path("hosts");
	struct slu_buf text = {0};
	struct stat st;

	expect_ok(slu_gkfs_hosts_write(&in, path, attrs, 2, &err), err);
	ck_assert(!stat(path, &st));
	ck_assert_uint_eq(st.st_uid, geteuid()); /* who reads it may not fill */
	ck_assert(!(st.st_mode & 0222));	 /* the file system that it */
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

static int listener(unsigned *port)
{
	struct sockaddr_in sa = {.sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(sa);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	ck_assert(fd >= 0 && !bind(fd, (struct sockaddr *)&sa, len) &&
		  !listen(fd, 4096) &&
		  !getsockname(fd, (struct sockaddr *)&sa, &len));
	*port = ntohs(sa.sin_port);
	return fd;
}

/* A hosts file of `nodes` nodes with `each` daemons; nobody listens on port 1,
 * where the one of index `dead` is. */
static void put_hosts(const char *path, size_t nodes, size_t each, size_t dead,
		      unsigned port)
{
	struct slu_buf text = {0};

	for (size_t i = 0; i < nodes * each; i++)
		slu_buf_printf(&text, "n%zu#d%zu tcp://127.0.0.1:%u\n",
			       i / each, i % each, i == dead ? 1 : port);
	expect_ok(slu_file_write(AT_FDCWD, path, text.data, text.len, 0600,
				 false, &err),
		  err);
	slu_buf_free(&text);
}

static void drain(int listener)
{
	int fd;

	while ((fd = accept(listener, NULL, NULL)) >= 0)
		close(fd);
}

/* How many nodes notice that one is dead? */
static size_t noticed(const char *path, size_t nodes, int listener)
{
	struct slu_plan plan = {.n_node = nodes};
	size_t n = 0;

	for (size_t i = 0; i < nodes; i++) {
		struct slu_instance in = {.plan = &plan, .self = i};

		if (slu_gkfs_check_daemons(&in, path, &err)) {
			ck_assert_ptr_nonnull(
				strstr(err.text, "does not answer"));
			n++;
		}
		drain(listener);
	}
	return n;
}

/* Whichever is dead, a node notices it, and of many nodes only a few ask. */
START_TEST(test_dead_daemon_is_noticed)
{
	static const struct {
		size_t nodes, each, most;
	} cases[] = {{1, 1, 1},	  {3, 1, 3},  {5, 4, 5},
		     {20, 1, 18}, {12, 3, 7}, {1, 30, 1}};
	const char *path = tmpfile_path("hosts");
	unsigned port;
	int fd = listener(&port);

	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		size_t by, nodes = cases[c].nodes, n = nodes * cases[c].each;

		put_hosts(path, nodes, cases[c].each, n, port);
		ck_assert_uint_eq(noticed(path, nodes, fd), 0);
		for (size_t dead = 0; dead < n; dead++) {
			put_hosts(path, nodes, cases[c].each, dead, port);
			by = noticed(path, nodes, fd);
			ck_assert(by >= 1 && by <= cases[c].most);
		}
	}
	close(fd);
}
END_TEST

/* The error names the node; for a missing file it says that the file is
 * missing. */
START_TEST(test_try_says)
{
	const char *path = tmpfile_path("hosts");
	struct slu_plan plan = {.n_node = 1};
	struct slu_instance in = {.plan = &plan};

	expect_fail(slu_gkfs_check_daemons(&in, "/no/file", &err), err, SLU_IO,
		    "is not there");
	put_hosts(path, 1, 1, 0, 1);
	expect_fail(slu_gkfs_check_daemons(&in, path, &err), err, SLU_IO,
		    "on node n0#d0 does not answer");
}
END_TEST

/* A host in the line of a user's daemon is resolved only if it is a node of the
 * plan. */
START_TEST(test_only_nodes_of_the_plan_are_resolved)
{
	static const struct {
		const char *name, *addr;
		bool answers;
	} cases[] = {
		{"localhost", NULL, true},
		{"n1", "localhost", true},
		{"n1", NULL, false},
		{"n1", "127.0.0.1", false},
	};
	const char *path = tmpfile_path("hosts");
	char line[64];
	unsigned port;
	int fd = listener(&port);

	snprintf(line, sizeof(line), "n1 tcp://localhost:%u\n", port);
	expect_ok(slu_file_write(AT_FDCWD, path, line, strlen(line), 0600,
				 false, &err),
		  err);
	each(c, cases)
	{
		struct slu_plan_node node = {.name = (char *)c->name,
					     .addr = (char *)c->addr};
		struct slu_plan plan = {.node = &node, .n_node = 1};
		struct slu_instance in = {.plan = &plan};

		expect(!slu_gkfs_check_daemons(&in, path, &err) == c->answers,
		       "%s %s", c->name, c->addr ? c->addr : "");
	}
	close(fd);
}
END_TEST

TEST_MAIN("gekkofs_hosts", test_daemon_lines, test_links, test_hosts,
	  test_dead_daemon_is_noticed, test_try_says,
	  test_only_nodes_of_the_plan_are_resolved)

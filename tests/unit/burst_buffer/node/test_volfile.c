/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests GlusterFS volfiles of bricks and clients, and the table of file system
 * types against the drivers. */
#include "config.h"
#include "tests/unit/harness.h"
#include "burst_buffer/drivers/driver.h"
#include "burst_buffer/drivers/glusterfs.h"
#include "burst_buffer/drivers/volfile.h"
#include "burst_buffer/request/site/fstype.h"

static struct slu_plan_node nodes[] = {
	{.name = "n1", .addr = "10.0.0.1"},
	{.name = "n2"},
};
static struct slu_pair pairs[] = {{"Shard", "16MiB"}};
static struct slu_plan plan = {.secret = "s3cret",
			       .node = nodes,
			       .n_node = 2,
			       .option = pairs,
			       .n_option = 1};

static const char *const dirs[] = {"/store/brick", "/other/brick"};

static void has(const struct slu_buf *text, const char *piece)
{
	ck_assert_msg(strstr(text->data, piece) != NULL, "no \"%s\" in\n%s",
		      piece, text->data);
}

START_TEST(test_brick)
{
	struct slu_buf text = {0};

	slu_volfile_server(&plan, 1, dirs, 20001, false, &text);
	has(&text, "    option directory /store/brick\n");
	has(&text, "    option thread-count 16\n");
	has(&text, "    option gfid2path off\n");
	has(&text, "    option max-hardlinks 0\n");
	has(&text, "volume brick1\n");
	has(&text, "bind-address n2\n");
	has(&text, "    option auth.login.brick1.allow sluice\n");
	has(&text, "    option auth.login.sluice.password s3cret\n");
	has(&text, "    subvolumes brick1\nend-volume\n");
	ck_assert_ptr_null(strstr(text.data, "auth.addr"));
	ck_assert_uint_eq(slu_volfile_port(text.data), 20001);
	slu_buf_free(&text);
	ck_assert_uint_eq(slu_volfile_port("option x 5\n"), 0);
	slu_volfile_server(&plan, 1, dirs, 20001, true, &text);
	has(&text, "    option ctime on\n");
	has(&text, "    type features/utime\n");
	has(&text, "    type features/locks\n    subvolumes utime\n");
	slu_buf_free(&text);
}
END_TEST

START_TEST(test_client)
{
	static const unsigned port[] = {20001, 20002};
	struct slu_buf text = {0};

	slu_volfile_client(&plan, port, 0, false, &text);
	has(&text, "    option remote-host 10.0.0.1\n"
		   "    option remote-port 20001\n"
		   "    option remote-subvolume brick0\n");
	has(&text, "    option remote-host n2\n"
		   "    option remote-port 20002\n"
		   "    option remote-subvolume brick1\n");
	has(&text, "    option assert-no-child-down on\n"
		   "    subvolumes brick0 brick1\nend-volume\n");
	ck_assert_ptr_null(strstr(text.data, "shard"));
	slu_buf_free(&text);
	slu_volfile_client(&plan, port, 16 << 20, true, &text);
	has(&text, "    option assert-no-child-down off\n");
	has(&text, "    option shard-block-size 16777216\n"
		   "    subvolumes all\nend-volume\n");
	slu_buf_free(&text);
}
END_TEST

/* A share over two devices: one server with a brick on each. A third device has
 * no part of it. */
START_TEST(test_devices)
{
	struct slu_plan_device more[] = {{(char *)"/other", 3},
					 {(char *)"/third", 0}};
	static const unsigned port[] = {20001, 20002};
	struct slu_buf text = {0};

	nodes[1].capacity = 7;
	nodes[1].more = more;
	nodes[1].n_more = 2;
	ck_assert_uint_eq(slu_plan_devices(&nodes[1]), 2);
	ck_assert_uint_eq(slu_plan_device(&nodes[1], 0).capacity, 4);
	ck_assert(slu_plan_is_spread(&plan));
	ck_assert_uint_eq(slu_gluster_bricks(&plan), 3);
	ck_assert_uint_eq(slu_gluster_servers(&plan), 2);
	slu_volfile_server(&plan, 1, dirs, 20001, true, &text);
	has(&text, "volume posix\n    type storage/posix\n"
		   "    option directory /store/brick\n");
	has(&text, "volume posix-1\n    type storage/posix\n"
		   "    option directory /other/brick\n");
	has(&text, "    type features/utime\n    subvolumes posix-1\n");
	has(&text, "volume locks-1\n    type features/locks\n"
		   "    subvolumes utime-1\n");
	has(&text, "volume brick1-1\n    type performance/io-threads\n");
	has(&text, "    option auth.login.brick1.allow sluice\n"
		   "    option auth.login.brick1-1.allow sluice\n"
		   "    subvolumes brick1 brick1-1\nend-volume\n");
	ck_assert_uint_eq(slu_volfile_port(text.data), 20001);
	slu_buf_free(&text);
	slu_volfile_client(&plan, port, 0, false, &text);
	has(&text, "    option remote-host n2\n"
		   "    option remote-port 20002\n"
		   "    option remote-subvolume brick1-1\n");
	has(&text, "    subvolumes brick0 brick1 brick1-1\nend-volume\n");
	slu_buf_free(&text);
	nodes[1].n_more = 0;
	ck_assert(!slu_plan_is_spread(&plan));
}
END_TEST

/* What a server says of itself. A number first would be the port to releases
 * that know of one brick only: they would use that and miss the others. */
START_TEST(test_port)
{
	static const struct {
		const char *attr;
		size_t bricks;
		unsigned port; /* 0: refused */
		const char *why;
	} cases[] = {
		{"20001", 1, 20001, NULL},
		{"bricks 2 port 20001", 2, 20001, NULL},
		{NULL, 1, 0, "node n1 did not say its port"},
		{"", 2, 0, "node n1 did not say its port"},
		{"bricks 2 port 70000", 2, 0, "did not say its port"},
		{"20001", 2, 0, "node n1 serves 1 of its 2 devices: is its "},
		{"bricks 2 port 20001", 3, 0, "serves 2 of its 3 devices"},
	};

	each(c, cases)
	{
		struct slu_err why;
		unsigned port;

		if (c->why) {
			expect_fail(slu_gluster_port("n1", c->bricks, c->attr,
						     &port, &why),
				    why, SLU_IO, c->why);
			continue;
		}
		expect_ok(
			slu_gluster_port("n1", c->bricks, c->attr, &port, &why),
			why);
		ck_assert_uint_eq(port, c->port);
		ck_assert(c->bricks == 1 || !strtoul(c->attr, NULL, 10));
	}
}
END_TEST

/* What is known of the drivers where none runs agrees with them. */
START_TEST(test_types)
{
	size_t n = 0;

	for (; slu_drivers[n]; n++) {
		const struct slu_driver *d = slu_drivers[n];
		const struct slu_fstype *type = slu_fstype_find(d->name);

		expect(type, "%s", d->name);
		ck_assert_str_eq(type->name, d->name);
		expect(type->shared == d->shared, "%s", d->name);
	}
	for (const struct slu_fstype *t = slu_fstypes; t->name; t++)
		expect(slu_driver_find(t->name), "%s", t->name);
}
END_TEST

/* A node that gives nothing has no brick, and its number is left out. */
START_TEST(test_clients)
{
	struct slu_buf text = {0};
	const unsigned ports[] = {1, 0};

	plan.node[1].client = true;
	slu_volfile_client(&plan, ports, 0, false, &text);
	plan.node[1].client = false;
	has(&text, "    subvolumes brick0\n");
	ck_assert_ptr_null(strstr(text.data, "volume brick1"));
	slu_buf_free(&text);
}
END_TEST

/* Many parts on one machine take their time; the dead are found all the same.
 */
START_TEST(test_patience)
{
	static struct slu_plan_node many[500];
	struct slu_plan p = {.node = many};
	static const struct {
		size_t nodes, clients;
		double least, want;
	} cases[] = {{1, 0, 15, 16},
		     {64, 0, 15, 79},
		     {64, 60, 20, 24},
		     {500, 0, 15, 135}};

	each(c, cases)
	{
		p.n_node = c->nodes;
		for (size_t i = 0; i < c->nodes; i++)
			many[i].client = i < c->clients;
		ck_assert_double_eq(slu_gluster_timeout(&p, c->least), c->want);
	}
}
END_TEST

START_TEST(test_table)
{
	ck_assert_str_eq(slu_driver_find("GlusterFS")->name, "glusterfs");
	ck_assert_str_eq(slu_driver_find("scratch")->name, "scratch");
	ck_assert_ptr_null(slu_driver_find("gluster"));
	ck_assert_ptr_null(slu_driver_find(NULL));
	ck_assert_str_eq(slu_plan_option(&plan, "shard", "x"), "16MiB");
	ck_assert_str_eq(slu_plan_option(&plan, "ports", "x"), "x");
}
END_TEST

TEST_MAIN("volfile", test_brick, test_client, test_clients, test_devices,
	  test_port, test_types, test_patience, test_table)

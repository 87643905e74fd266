/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the choice of the NUMA node for a server: on hand-made machines, on
 * random ones against trying all nodes, and from a resource map. */
#include "config.h"
#include "sysmap/database/server_numa.h"
#include "common/jsonx.h"
#include "sysmap/database/receive.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include "tests/unit/tmpdir.h"

static struct slu_err err;

static struct json_object *parse(const char *text)
{
	struct json_object *obj = slu_json_parse(text, strlen(text), &err);

	expect(obj, "%s", err.text);
	return obj;
}

#define FOUR                                                             \
	"[{\"node\":0,\"cpus\":\"0-3\",\"distances\":[10,12,32,32],"     \
	"\"networks\":[\"eth0\"]},"                                      \
	"{\"node\":1,\"cpus\":\"4-7\",\"distances\":[12,10,32,32],"      \
	"\"disks\":[\"sda\",\"nvme0n1\"]},"                              \
	"{\"node\":2,\"cpus\":\"8-11\",\"distances\":[32,32,10,12],"     \
	"\"networks\":[\"ib0\",\"mlx5_0\"]},"                            \
	"{\"node\":3,\"cpus\":\"12-15,32\",\"distances\":[32,32,12,10]," \
	"\"disks\":[\"nvme0n10\"]}]"

START_TEST(test_choice_of_numa_node)
{
	static const struct {
		const char *numa, *device, *network;
		bool far;
		const char *cpus, *why; /* cpus NULL: the error */
	} cases[] = {
		{FOUR, "/dev/nvme0n1p2", "eth0", false, "4-7",
		 "NUMA node 1, near nvme0n1p2 and eth0"},
		{FOUR, "/dev/nvme0n1p2", "eth0", true, "8-11",
		 "NUMA node 2, far from nvme0n1p2 and eth0"},
		{FOUR, "/dev/nvme0n10", "ib0", false, "12-15,32",
		 "NUMA node 3, near nvme0n10 and ib0"},
		{FOUR, "sda7", NULL, false, "4-7", "NUMA node 1, near sda7"},
		{FOUR, "", "mlx5_0", false, "8-11", "NUMA node 2, near mlx5_0"},
		{FOUR, "/dev/dm-0", "ib0", true, "0-3",
		 "NUMA node 0, far from ib0"},
		{FOUR, "/dev/sdaa", "ib1", false, NULL, "neither the disk"},
		{FOUR, NULL, NULL, true, NULL, "neither the disk"},
		{FOUR, "nvme0n1px", "", true, NULL, "neither the disk"},
		{"[{\"node\":0,\"cpus\":\"0-3\",\"disks\":[\"sda\"]}]", "sda",
		 NULL, false, NULL, "1 NUMA nodes"},
		/* memory without processors, and no distances */
		{"[{\"node\":0,\"cpus\":\"\",\"disks\":[\"sda\"]},"
		 "{\"node\":4,\"cpus\":\"0\"},{\"cpus\":3},7]",
		 "sda", NULL, false, "0", "NUMA node 4, near sda"},
		{"[{\"node\":0,\"disks\":[\"sda\"]},{\"node\":1}]", "sda", "",
		 false, NULL, "neither"},
		{"[7,\"x\",{\"disks\":{},\"networks\":[3,null]}]", "sda", "3x",
		 false, NULL, "neither"},
	};

	each(c, cases)
	{
		struct json_object *numa = parse(c->numa);
		struct slu_numa_place place;
		int rc = slu_numa_choose(numa, c->device, c->network, c->far,
					 &place, &err);

		expect((rc == 0) == !!c->cpus, "%s: %s", c->why, err.text);
		if (c->cpus) {
			ck_assert_str_eq(place.cpus, c->cpus);
			ck_assert_str_eq(place.why, c->why);
		} else {
			expect_err(err, SLU_NOTFOUND, c->why);
		}
		json_object_put(numa);
	}
}
END_TEST

/* No other node is nearer (farther) to both together. */
START_TEST(test_no_node_is_nearer)
{
	uint64_t seed = 5;

	for (int round = 0; round < 300; round++) {
		unsigned n = 2 + (unsigned)slu_random(&seed, 7);
		unsigned disk = (unsigned)slu_random(&seed, n),
			 net = (unsigned)slu_random(&seed, n), is, d[8][8];
		bool far = slu_random(&seed, 2);
		struct slu_numa_place place;
		struct json_object *numa;
		struct slu_buf text = {0};

		for (unsigned i = 0; i < n; i++) {
			slu_buf_printf(&text,
				       "%s{\"node\":%u,\"cpus\":\"%u\","
				       "\"disks\":[\"%s\"],"
				       "\"networks\":[\"%s\"],\"distances\":[",
				       i ? "," : "[", i, i,
				       i == disk ? "sda" : "sdx",
				       i == net ? "ib0" : "ibx");
			for (unsigned k = 0; k < n; k++) {
				d[i][k] = i == k ? 10
						 : 11 + (unsigned)slu_random(
								&seed, 5);
				slu_buf_printf(&text, "%s%u", k ? "," : "",
					       d[i][k]);
			}
			slu_buf_puts(&text, "]}");
		}
		slu_buf_puts(&text, "]");
		numa = parse(text.data);
		expect_ok(
			slu_numa_choose(numa, "sda1", "ib0", far, &place, &err),
			err);
		is = (unsigned)strtoul(place.cpus, NULL, 10);
		for (unsigned i = 0; i < n; i++) {
			int more = (int)(d[disk][i] + d[net][i]) -
				   (int)(d[disk][is] + d[net][is]);

			expect(far ? more <= 0 : more >= 0, "%s: %u, not %u",
			       text.data, is, i);
		}
		json_object_put(numa);
		slu_buf_free(&text);
	}
}
END_TEST

static void push(struct slu_db *db, const char *extractor, const char *text)
{
	struct slu_receiver *r = slu_receiver_new(db, &err);
	struct slu_document doc = {.extractor = extractor,
				   .text = (char *)(uintptr_t)text,
				   .len = strlen(text)};
	struct slu_map map = {.document = &doc, .n = 1};

	doc.hash = slu_document_hash(extractor, text, doc.len);
	expect_ok(slu_receive_map(r, "n1", &map, 1, &err), err);
	slu_receiver_free(r);
}

/* The interface is that of the node's address, else the fastest. */
START_TEST(test_interface_of_the_address)
{
	static const struct {
		const char *path, *addr, *why;
	} cases[] = {
		{"/nvme/sluice", "10.0.0.1",
		 "NUMA node 1, near nvme0n1p1 and eth0"},
		{"/nowhere", "10.0.0.2", "NUMA node 2, near ib0"},
		{"/nvme", "n1", "NUMA node 1, near nvme0n1p1 and ib0"},
	};
	struct slu_db *db =
		slu_db_open(tmpfile_path("numa.db"), SLU_DB_WRITE, &err);
	struct slu_numa_place place;

	expect(db, "%s", err.text);
	expect_fail(slu_numa_find(db, "n1", "/nvme", "n1", false, &place, &err),
		    err, SLU_NOTFOUND, "");
	push(db, "numa", FOUR);
	expect_fail(slu_numa_find(db, "n1", "/nvme", "n1", false, &place, &err),
		    err, SLU_NOTFOUND, "neither");
	push(db, "mountpoints",
	     "[{\"device\":\"/dev/nvme0n1p1\",\"mountpoint\":\"/nvme\","
	     "\"filesystem\":\"xfs\",\"size\":9999}]");
	push(db, "networkdevices",
	     "[{\"name\":\"ib9\",\"state\":\"down\",\"speed_mbits\":400000},"
	     "{\"name\":\"eth0\",\"state\":\"up\",\"speed_mbits\":1000},"
	     "{\"name\":\"ib0\",\"state\":\"up\",\"speed_mbits\":200000}]");
	push(db, "networkaddresses",
	     "[{\"name\":\"ib0\",\"ipv4\":[\"10.0.0.2/24\"]},"
	     "{\"name\":\"eth0\",\"ipv4\":[\"10.0.0.11\",\"10.0.0.1/24\"]}]");
	each(c, cases)
	{
		expect_ok(slu_numa_find(db, "n1", c->path, c->addr, false,
					&place, &err),
			  err);
		ck_assert_str_eq(place.why, c->why);
	}
	slu_db_close(db);
}
END_TEST

TEST_MAIN("numa", test_choice_of_numa_node, test_no_node_is_nearer,
	  test_interface_of_the_address)

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the parser of ibnetdiscover's output, and the documents and topology of
 * the fabric. */
#include "config.h"
#include "sysmap/infiniband/fabric.h"
#include "sysmap/extract.h"
#include "tests/unit/sysmap/machine.h"

#include <fcntl.h>
#include <stdlib.h>
#include "common/file.h"
#include "common/jsonx.h"
#include "sysmap/topology.h"

static struct slu_err err;

/* Two leaf switches, a spine, three hosts of which one has two adapters, one
 * adapter without a name, a switch's own. */
static const char text[] =
	"#\n# Topology file: generated on Wed Aug  6 16:11:23 2025\n#\n"
	"vendid=0x2c9\nswitchguid=0x00000000000000a1(a1)\n"
	"Switch\t4 \"S-00000000000000a1\"\t\t# \"leaf1\" enhanced port 0 lid "
	"73 lmc 0\n"
	"[1]\t\"H-00000000000000b1\"[1](b1) \t\t# \"n1 HCA-1\" lid 1 4xNDR\n"
	"[2]\t\"H-00000000000000b2\"[1](b2) \t\t# \"n2.site HCA-1\" lid 2 "
	"4xEDR\n"
	"[4]\t\"S-00000000000000a3\"[1]\t\t# \"a \"good\" spine\" lid 3 "
	"4xNDR\n"
	"\n"
	"Switch\t4 \"S-00000000000000a2\"\t\t# \"leaf2\" base port 0 lid 4\n"
	"[1]\t\"H-00000000000000b3\"[1](b3) \t\t# \"n3 mlx5_0\" lid 5 4xNDR\n"
	"[2]\t\"H-00000000000000b4\"[1](b4) \t\t# \"n1 HCA-2\" lid 6 4xNDR\n"
	"[3]\t\"H-00000000000000b5\"[1](b5) \t\t# \"Mellanox Technologies "
	"Aggregation Node\" lid 7 4xNDR\n"
	"[4]\t\"S-00000000000000a3\"[2]\t\t# \"a \"good\" spine\" lid 3\n"
	"\n"
	"Switch\t4 \"S-00000000000000a3\"\t\t# \"a \"good\" spine\" lid 3\n"
	"[1]\t\"S-00000000000000a1\"[4]\t\t# \"leaf1\" lid 73 4xNDR\n"
	"[2]\t\"S-00000000000000a2\"[4]\t\t# \"leaf2\" lid 4\n"
	"\n"
	"Ca\t1 \"H-00000000000000b1\"\t\t# \"n1 HCA-1\"\n"
	"[1](b1) \t\"S-00000000000000a1\"[1]\t\t# lid 1 lmc 0 \"leaf1\" lid 73 "
	"4xNDR\n"
	"Ca\t1 \"H-00000000000000b2\"\t\t# \"n2.site HCA-1\"\n"
	"Ca\t1 \"H-00000000000000b3\"\t\t# \"n3 mlx5_0\"\n"
	"Ca\t1 \"H-00000000000000b4\"\t\t# \"n1 HCA-2\"\n"
	"Ca\t1 \"H-00000000000000b5\"\t\t# \"Mellanox Technologies Aggregation "
	"Node\"\n"
	"Ca\t1 \"H-zz\"\t\t# \"broken\"\n[9]\t\"H-\n[1\n[x]\n";

static void check_text(struct json_object *obj, const char *want)
{
	ck_assert_str_eq(slu_json_text(obj), want);
	json_object_put(obj);
}

START_TEST(test_parse)
{
	struct slu_fabric f;
	char *copy = strdup(text);

	expect_ok(slu_fabric_parse(copy, &f, &err), err);
	ck_assert_uint_eq(f.n_nodes, 8);
	check_text(slu_fabric_switches(&f),
		   "[{\"guid\":\"00000000000000a1\",\"description\":\"leaf1\","
		   "\"ports\":4},"
		   "{\"guid\":\"00000000000000a2\",\"description\":\"leaf2\","
		   "\"ports\":4},"
		   "{\"guid\":\"00000000000000a3\",\"description\":"
		   "\"a \\\"good\\\" spine\",\"ports\":4}]");
	ck_assert_uint_eq(f.n_links, 7);
	ck_assert_str_eq(f.link[1].guid, "00000000000000a1");
	ck_assert_str_eq(f.link[1].peer, "00000000000000b2");
	ck_assert_str_eq(f.link[1].width, "4xEDR");
	ck_assert_str_eq(f.link[6].width, "");
	ck_assert_ptr_null(slu_fabric_find(&f, "00000000000000ff"));
	slu_fabric_free(&f);
	free(copy);
}
END_TEST

START_TEST(test_nothing)
{
	static const char *const texts[] = {
		"",
		"\n\n",
		"Switch",
		"Switch\t",
		"Ca 1 \"H-\"",
		"[1]",
		"[1] \"S-00000000000000a1\"[1] # \"leaf\" lid 1"};
	struct slu_fabric f;
	char copy[64];

	each(t, texts)
	{
		slu_copy(copy, sizeof(copy), *t);
		expect_fail(slu_fabric_parse(copy, &f, &err), err, SLU_INVALID,
			    "not the output of ibnetdiscover");
	}
}
END_TEST

START_TEST(test_host)
{
	static const struct {
		const char *description, *host, *device;
	} cases[] = {
		{"n17 HCA-1", "n17", "HCA-1"},
		{"n17 mlx5_0", "n17", "mlx5_0"},
		{"n17.cluster.site hfi1_0", "n17", "hfi1_0"},
		{"n17", "n17", ""},
		{"MT4129 ConnectX7   Mellanox Technologies", NULL, NULL},
		{"Mellanox Technologies Aggregation Node", NULL, NULL},
		{"n17 Mellanox", NULL, NULL},
		{"localhost HCA-1", NULL, NULL},
		{"-rf mlx5_0", NULL, NULL},
		{"a;b mlx5_0", NULL, NULL},
		{"n17 1", NULL, NULL},
		{"", NULL, NULL},
	};
	char host[256], device[64];
	bool is;

	each(c, cases)
	{
		is = slu_fabric_host(c->description, host, device);
		expect(is == !!c->host, "%s", c->description);
		if (!is)
			continue;
		expect(strcmp(host, c->host) == 0 &&
			       strcmp(device, c->device) == 0,
		       "%s: %s %s", c->description, host, device);
	}
}
END_TEST

START_TEST(test_topology)
{
	struct slu_topology t;
	struct slu_fabric f;
	char *copy = strdup(text);

	expect_ok(slu_fabric_parse(copy, &f, &err), err);
	expect_ok(slu_topology_of_fabric(&f, &t, &err), err);
	check_text(slu_topology_json(&t),
		   "[{\"switch\":\"a \\\"good\\\" spine\",\"level\":1,"
		   "\"hosts\":\"\",\"switches\":[\"leaf1\",\"leaf2\"]},"
		   "{\"switch\":\"leaf1\",\"level\":0,\"hosts\":\"n[1-2]\","
		   "\"switches\":[\"a \\\"good\\\" spine\"]},"
		   "{\"switch\":\"leaf2\",\"level\":0,\"hosts\":\"n[1,3]\","
		   "\"switches\":[\"a \\\"good\\\" spine\"]}]");
	slu_topology_free(&t);
	slu_fabric_free(&f);
	free(copy);
}
END_TEST

/* Two switches may be called the same. */
START_TEST(test_same_name)
{
	static const char two[] = "Switch 4 \"S-00000000000000a2\" # \"sw\"\n"
				  "Switch 4 \"S-00000000000000a1\" # \"sw\"\n"
				  "Switch 4 \"S-00000000000000a3\" # \"\"\n";
	struct slu_topology t;
	struct slu_fabric f;
	char *copy = strdup(two);

	expect_ok(slu_fabric_parse(copy, &f, &err), err);
	expect_ok(slu_topology_of_fabric(&f, &t, &err), err);
	ck_assert_uint_eq(t.n, 3);
	ck_assert_str_eq(t.sw[0].name, "00000000000000a3");
	ck_assert_str_eq(t.sw[1].name, "sw #00000000000000a1");
	ck_assert_str_eq(t.sw[2].name, "sw #00000000000000a2");
	slu_topology_free(&t);
	slu_fabric_free(&f);
	free(copy);
}
END_TEST

/* The extractors read it below the root, only when they are named, and the
 * recording goes before topology.conf. */
START_TEST(test_extractors)
{
	static const char conf[] = "SwitchName=s1 Nodes=n[1-2]\n";
	char *names[] = {"topology", "hosts", NULL};
	struct slu_root root;
	struct slu_map map;

	machine_file(tmpfile_path("m"), "etc/slurm/topology.conf", conf,
		     strlen(conf));
	expect_ok(slu_root_open(&root, tmpfile_path("m"), &err), err);
	expect_ok(slu_map_extract(&root, names, &map, &err), err);
	ck_assert_uint_eq(map.n, 1);
	ck_assert_str_eq(map.document[0].source, "slurm/topology.conf");
	slu_map_free(&map);
	machine_file(tmpfile_path("m"), "var/lib/sluice/ibnetdiscover", text,
		     strlen(text));
	expect_ok(slu_map_extract(&root, names, &map, &err), err);
	ck_assert_uint_eq(map.n, 2);
	ck_assert_str_eq(map.document[0].extractor, "hosts");
	ck_assert_str_eq(map.document[1].source, "ibnetdiscover/recorded");
	slu_map_free(&map);
	expect_ok(slu_map_extract(&root, NULL, &map, &err), err);
	for (size_t i = 0; i < map.n; i++)
		ck_assert_str_ne(map.document[i].extractor, "topology");
	slu_map_free(&map);
	slu_root_close(&root);
}
END_TEST

/* One sweep serves all four, also one that failed. */
START_TEST(test_one_sweep)
{
	static const char *const end[] = {"cat \"$0.out\"", "exit 3"};
	char *names[] = {"hosts", "switches", "connections", "topology", NULL};
	struct slu_buf log = {0};
	struct slu_root root;
	struct slu_map map;
	char *path = slu_asprintf("%s:%s", tmpdir(), getenv("PATH"));

	setenv("PATH", path, 1);
	free(path);
	machine_file(tmpdir(), "ibnetdiscover.out", text, strlen(text));
	machine_file(tmpfile_path("m"), "sys/class/infiniband/mlx5_0", "", 0);
	for (int i = 0; i < 2; i++) {
		char *tool = slu_asprintf(
			"#!/bin/sh\necho swept >>\"$0.log\"\n%s\n", end[i]);

		expect_ok(slu_file_write(AT_FDCWD,
					 tmpfile_path("ibnetdiscover"), tool,
					 strlen(tool), 0755, false, &err),
			  err);
		free(tool);
		expect_ok(slu_root_open(&root, tmpfile_path("m"), &err), err);
		root.live = true;
		expect_ok(slu_map_extract(&root, names, &map, &err), err);
		ck_assert_uint_eq(map.n, i ? 0 : 4);
		slu_map_free(&map);
		slu_root_close(&root);
	}
	expect_ok(slu_file_read(AT_FDCWD, tmpfile_path("ibnetdiscover.log"),
				1000, &log, &err),
		  err);
	ck_assert_str_eq(log.data, "swept\nswept\n");
	slu_buf_free(&log);
}
END_TEST

static struct slu_map extract(const char *conf)
{
	char *names[] = {"hosts", "topology", NULL};
	struct slu_root root;
	struct slu_map map;

	machine_file(tmpfile_path("m"), "etc/slurm/topology.conf", conf,
		     strlen(conf));
	expect_ok(slu_root_open(&root, tmpfile_path("m"), &err), err);
	expect_ok(slu_map_extract(&root, names, &map, &err), err);
	slu_root_close(&root);
	return map;
}

/* A topology.conf that cannot be read is not one that is not there: the
 * document that all others place by would go in silence. */
START_TEST(test_unreadable_topology_is_no_missing_one)
{
	static const char t[] = "topology: slurm/topology.conf: ";
	static const char *const bad[][2] = {
		{"SwitchName=a Nodes=n[1-\n", t},
		{"SwitchName=a Switches=b\n", "no switch b"},
		{"Include none\n", "topology.conf:1: "},
		{"BlockName=b1 Nodes=n[1-2]\nBlockSizes=2\n", "blocks"},
	};
	static const char leaves[] = "SwitchName=a Nodes=n[1-2]\n";
	struct slu_map map;

	each(c, bad)
	{
		map = extract((*c)[0]);
		ck_assert_uint_eq(map.n, 0);
		expect_err(map.wrong, SLU_INVALID, (*c)[1]);
		slu_map_free(&map);
	}
	machine_file(tmpfile_path("m"), "etc/slurm/leaves", leaves,
		     strlen(leaves));
	map = extract("SwitchName=t Switches=a\nInclude leaves");
	ck_assert_uint_eq(map.n, 1);
	ck_assert_ptr_nonnull(strstr(map.document[0].text, "\"n[1-2]\""));
	ck_assert_int_eq(map.wrong.kind, 0);
	slu_map_free(&map);
	map = extract("# nothing yet");
	ck_assert_uint_eq(map.n, 0);
	ck_assert_int_eq(map.wrong.kind, 0);
	slu_map_free(&map);
	/* what Slurm no longer reads is not believed */
	machine_file(tmpfile_path("m"), "etc/slurm/topology.yaml", "---\n", 4);
	map = extract(leaves);
	ck_assert_uint_eq(map.n, 0);
	expect_err(map.wrong, SLU_INVALID, "topology.yaml");
	slu_map_free(&map);
}
END_TEST

TEST_MAIN("fabric", test_parse, test_nothing, test_host, test_topology,
	  test_one_sweep, test_same_name, test_extractors,
	  test_unreadable_topology_is_no_missing_one)

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the reader of slurm.conf's nodes, and its comparison with the resource
 * map. */
#include "config.h"
#include "sysquery/map/slurmconf_check.h"
#include "tests/unit/sysquery/map.h"

#include <fcntl.h>
#include "common/file.h"
#include "sysquery/map/slurmconf.h"

static void conf(const char *name, const char *text)
{
	expect_ok(slu_file_write(AT_FDCWD, tmpfile_path(name), text,
				 strlen(text), 0644, false, &err),
		  err);
}

static struct json_object *read_conf(const char *text)
{
	conf("slurm.conf", text);
	return slu_slurmconf_read(tmpfile_path("slurm.conf"), &err);
}

/* The arguments without what tells the place. */
static void check_conf(const char *text, const char *want)
{
	struct json_object *args = read_conf(text), *nodes;

	ck_assert_msg(args != NULL, "%s: %s", text, err.text);
	json_object_object_get_ex(args, "nodes", &nodes);
	for (size_t i = 0; i < json_object_array_length(nodes); i++)
		json_object_object_del(json_object_array_get_idx(nodes, i),
				       "line");
	ck_assert_str_eq(slu_json_text(args), want);
	json_object_put(args);
}

START_TEST(test_parsed_slurm_conf)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"", "{\"tmpfs\":\"/tmp\",\"nodes\":[]}"},
		{"TmpFS=/local # here\nSlurmctldHost=a\n",
		 "{\"tmpfs\":\"/local\",\"nodes\":[]}"},
		{"  nodename=n[1-2]  procs=4 \tSTATE=UNKNOWN Weight=7",
		 "{\"tmpfs\":\"/tmp\",\"nodes\":[{\"State\":"
		 "\"UNKNOWN\",\"CPUs\":\"4\",\"nodes\":\"n[1-2]\"}]}"},
		/* CPUs goes before Procs, also where it is a default */
		{"NodeName=a CPUs=40 Procs=20\nNodeName=b Procs=9 CPUs=8\n"
		 "NodeName=DEFAULT CPUs=7\nNodeName=c Procs=6\n",
		 "{\"tmpfs\":\"/tmp\",\"nodes\":[{\"CPUs\":\"40\",\"nodes\":"
		 "\"a\"},{\"CPUs\":\"8\",\"nodes\":\"b\"},{\"CPUs\":\"7\","
		 "\"nodes\":\"c\"}]}"},
		{"NodeName=DEFAULT Procs=5\nNodeName=a\nNodeName=b Procs=4\n"
		 "NodeName=c CPUs=3\n",
		 "{\"tmpfs\":\"/tmp\",\"nodes\":[{\"CPUs\":\"5\",\"nodes\":"
		 "\"a\"},{\"CPUs\":\"4\",\"nodes\":\"b\"},{\"CPUs\":\"3\","
		 "\"nodes\":\"c\"}]}"},
		{"NodeName=DEFAULT Sockets=2 RealMemory=5\n"
		 "NodeName=a RealMemory=6\nNodeName=DEFAULT Sockets=4\n"
		 "NodeName=b Feature=x,y Gres=\"gpu:2\"\n",
		 "{\"tmpfs\":\"/tmp\",\"nodes\":[{\"RealMemory\":\"6\","
		 "\"Sockets\":\"2\",\"nodes\":\"a\"},{\"Features\":\"x,y\","
		 "\"Gres\":\"gpu:2\",\"Sockets\":\"4\",\"RealMemory\":\"5\","
		 "\"nodes\":\"b\"}]}"},
		{"NodeName=a \\\n  CPUs=1 \\\n  Boards=2\n#NodeName=b\n"
		 "NodeName=f State=FUTURE\nPartitionName=p Nodes=a",
		 "{\"tmpfs\":\"/tmp\",\"nodes\":[{\"CPUs\":\"1\","
		 "\"Boards\":\"2\",\"nodes\":\"a\"}]}"},
		{"NodeName = a CPUs = 99 Gres= \"gpu:2\" Boards+=1",
		 "{\"tmpfs\":\"/tmp\",\"nodes\":[{\"CPUs\":\"99\",\"Gres\":"
		 "\"gpu:2\",\"Boards\":\"1\",\"nodes\":\"a\"}]}"},
		{"NodeName=n[1-4],\\\nn[6-8] CPUs=1",
		 "{\"tmpfs\":\"/tmp\",\"nodes\":[{\"CPUs\":\"1\","
		 "\"nodes\":\"n[1-4],n[6-8]\"}]}"},
		{"include nodes.conf\nNodeName=z",
		 "{\"tmpfs\":\"/tmp\",\"nodes\":[{\"CPUs\":\"9\",\"nodes\":"
		 "\"i\"},{\"nodes\":\"z\"}]}"},
	};

	conf("nodes.conf", "NodeName=i CPUs=9\r\n");
	each(c, cases) check_conf(c->text, c->want);
}
END_TEST

START_TEST(test_conf_refused)
{
	static const struct {
		const char *text, *words;
		enum slu_kind kind;
	} cases[] = {
		{"\n\nNodeName=n[1-", "slurm.conf:3: ", SLU_INVALID},
		{"Include nothing.conf", "nothing.conf", SLU_INVALID},
		{"Include slurm.conf", "too deep", SLU_INVALID},
	};

	each(c, cases)
	{
		ck_assert_ptr_null(read_conf(c->text));
		expect_err(err, c->kind, c->words);
	}
	ck_assert_ptr_null(
		slu_slurmconf_parse("Include /etc/shadow", 19, &err));
	expect_err(err, SLU_INVALID, "no place");
}
END_TEST

/* Three nodes: n1 and n2 alike, n3 with GPUs and without AVX-512. */
static void fill(void)
{
	static const char *const hosts[] = {"n1", "n2", "n3"};

	each(h, hosts)
	{
		map_put(*h, "memoryinfo", "{\"TotalMemory\":1048576000}", 1);
		map_put(*h, "mountpoints",
			"[{\"mountpoint\":\"/\",\"size\":1048576},"
			"{\"mountpoint\":\"/scratch\",\"size\":104857600},"
			"{\"mountpoint\":\"/scratchy\",\"size\":5}]",
			1);
		map_put(*h, "cpuinfo",
			strcmp(*h, "n3")
				? "{\"CoreCount\":16,\"ThreadPerCore\":2,"
				  "\"CorePerSocket\":4,\"SocketCount\":2,"
				  "\"VendorId\":\"GenuineIntel\","
				  "\"CpuFlags\":[\"avx512f\",\"hypervisor\"]}"
				: "{\"CoreCount\":8,\"ThreadPerCore\":1,"
				  "\"CorePerSocket\":8,\"SocketCount\":1,"
				  "\"VendorId\":\"AuthenticAMD\","
				  "\"CpuFlags\":[\"avx2\"]}",
			1);
	}
	map_put("n3", "gpus", "[{\"name\":\"a\"},{\"name\":\"b\"}]", 1);
	map_put("n1", "disks", "[{\"name\":\"nvme0n1\",\"rotational\":false}]",
		1);
}

#define ROW(nodes, severity, key, rest)                     \
	"{\"nodes\":\"" nodes "\",\"severity\":\"" severity \
	"\",\"key\":\"" key "\"," rest "}"
#define WAS(conf, map, change) \
	"\"conf\":\"" conf "\",\"map\":\"" map "\",\"change\":\"" change "\""
#define IS(map, change) "\"map\":\"" map "\",\"change\":\"" change "\""

#define GOOD		"RealMemory=1000 TmpDisk=1 "
#define N12		"NodeName=n[1-2] CPUs=16 " GOOD
#define N3		"\nNodeName=n3 CPUs=8 Gres=gpu:x:2 " GOOD

START_TEST(test_findings_about_slurm_conf)
{
	static const struct {
		const char *conf, *want;
	} cases[] = {
		{N12 N3, "[]"},
		{"NodeName=n[1-2] Sockets=2 CoresPerSocket=4 "
		 "ThreadsPerCore=2 " GOOD N3,
		 "[]"},
		{"NodeName=n[1-2] CPUs=8 Boards=1 SocketsPerBoard=2 " GOOD N3,
		 "[]"}, /* the cores */
		{"NodeName=n[1-2] CPUs=32 Sockets=4 CoresPerSocket=4 "
		 "ThreadsPerCore=2 " GOOD N3,
		 "[" ROW("n[1-2]", "wrong", "Sockets",
			 WAS("4", "2",
			     "Sockets=2")) "," ROW("n[1-2]", "wrong", "CPUs",
						   WAS("32", "16",
						       "CPUs=16")) "]"},
		{"NodeName=n[1-3] CPUs=8 Gres=gpu:2 " GOOD,
		 "[]"}, /* where nobody counted GPUs, nothing is said */
		{N12 "\nNodeName=n3 CPUs=8 Gres=gpu:x:3(S:0),nic:1 "
		     "RealMemory=1001 TmpDisk=2",
		 "[" ROW("n3", "wrong", "RealMemory", WAS("1001", "1000", "RealMemory=1000")) "," ROW(
			 "n3", "wrong", "TmpDisk",
			 WAS("2", "1",
			     "TmpDisk=1")) "," ROW("n3", "wrong", "Gres",
						   WAS("gpu:x:3(S:0),nic:1",
						       "gpu:2",
						       "Gres=gpu:2")) "]"},
		{"TmpFS=/scratch/slurm\nNodeName=n[1-2] RealMemory=899\n"
		 "NodeName=n3 CPUs=8 " GOOD,
		 "[" ROW("n[1-2]", "hint", "CPUs", IS("16", "CPUs=16")) "," ROW("n[1-2]", "hint", "RealMemory", WAS("899", "1000", "RealMemory=1000")) "," ROW(
			 "n[1-2]", "hint", "TmpDisk",
			 IS("100",
			    "TmpDisk=100")) "," ROW("n3", "hint", "TmpDisk",
						    WAS("1", "100",
							"TmpDisk=100")) "," ROW("n3",
										"hint",
										"Gres",
										IS("gpu:2",
										   "Gres=gpu:2")) "]"},
		{N12 "Features=avx512f,rack1,amd\n" N3 "Features=avx512f,amd",
		 "[" ROW("n[1-2]", "wrong", "Features",
			 "\"conf\":\"avx512f,rack1,amd\","
			 "\"change\":\"remove amd\"") "," ROW("n3", "wrong",
							      "Features",
							      "\"conf\":\"avx512f,amd\","
							      "\"change\":\"remove avx512f\"") "]"},
		{N12 N3 "Features=nvme",
		 "[" ROW("n1", "hint", "Features", IS("nvme", "add nvme")) "]"},
		{"NodeName=n[1,8-9] CPUs=16 " GOOD,
		 "[" ROW("n[8-9]", "hint", "NodeName", "\"change\":\"run sysmap --push there\"") "," ROW(
			 "n[2-3]", "hint", "NodeName",
			 "\"change\":\"not in slurm.conf\"") "]"},
	};
	struct slu_buf out = {0};
	struct json_object *args;

	fill();
	each(c, cases)
	{
		args = read_conf(c->conf);
		ck_assert_msg(args != NULL, "%s", err.text);
		expect_ok(map_ask("check", slu_json_text(args), &out), err);
		ck_assert_str_eq(out.data, c->want);
		json_object_put(args);
	}
	slu_buf_free(&out);
}
END_TEST

START_TEST(test_refused)
{
	static const struct map_refused cases[] = {
		{"check", "{}", SLU_INVALID, "nodes"},
		{"check", "{\"nodes\":[7]}", SLU_INVALID, "nodes"},
		{"check", "{\"nodes\":[{\"nodes\":\"n[\"}]}", SLU_INVALID,
		 "nodes"},
	};

	fill();
	map_check_refused(cases);
}
END_TEST

TEST_MAIN("slurmconf_check", test_parsed_slurm_conf, test_conf_refused,
	  test_findings_about_slurm_conf, test_refused)

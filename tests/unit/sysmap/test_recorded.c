/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests sysmap --root on real machines recorded by hwloc (its
 * tests/hwloc/linux/NAME.tar.bz2 and topologies in XML), and on a real fabric.
 * Skipped where the recordings are missing.
 */
#include "config.h"
#include "sysmap/extract.h"
#include "tests/unit/harness.h"
#include "tests/unit/sysmap/data.h"
#include "tests/unit/sysmap/machine.h"

#include "common/jsonx.h"
#include "common/proc.h"
#include "sysmap/topology.h"

struct machine {
	const char *archive, *dir;
	uint64_t cpus, cores, sockets; /* what lstopo says */
	uint64_t memory;	       /* MemTotal */
	size_t disks, partitions;
};

static const struct machine machines[] = {
	{"128arm-2pa2n8cluster4co", "128arm-2pa2n8cluster4co", 128, 128, 2,
	 539679973376, 0, 0},
	{"16amd64-8n2c", "16amd64-8n2c", 16, 16, 8, 68717527040, 0, 0},
	{"2i386-2t-hugepagesizecount", "2i386-2t-hugepagesizecount", 2, 1, 1,
	 409617181966336, 0, 0},
	{"32amd64-4s2n4c-cgroup2", "32amd64-4s2n4c-cgroup", 32, 32, 4,
	 135470768128, 0, 0},
	{"32em64t-2n8c+dax+nvme+mic+dimms", "32em64t-2n8c+1mic", 16, 16, 2,
	 33624072192, 7, 6},
	{"40intel64-2g2n4c+pcilocality", "40intel64-2g2n4c+pci", 40, 40, 4,
	 542134673408, 1, 6},
};

static struct slu_err err;

static void unpack(const struct machine *m)
{
	char archive[PATH_MAX + 64];
	char *argv[] = {"tar", "-xjf",		 archive,
			"-C",  (char *)tmpdir(), "--no-same-owner",
			NULL};

	snprintf(archive, sizeof(archive), "%s/%s.tar.bz2",
		 data_path("topology/linux-roots"), m->archive);
	expect_ok(slu_run(argv, 60, NULL, &err), err);
}

static struct json_object *document(const struct slu_map *map, const char *name)
{
	for (size_t i = 0; i < map->n; i++)
		if (strcmp(map->document[i].extractor, name) == 0)
			return slu_json_parse(map->document[i].text,
					      map->document[i].len, &err);
	return NULL;
}

static uint64_t number(struct json_object *obj, const char *key)
{
	uint64_t value;

	expect_ok(slu_json_u64(obj, key, &value, &err), err);
	return value;
}

static size_t rows(const struct slu_map *map, const char *name)
{
	struct json_object *obj = document(map, name);
	size_t n = obj ? json_object_array_length(obj) : 0;

	json_object_put(obj);
	return n;
}

static void check_counts(const struct machine *m, const struct slu_map *map)
{
	struct json_object *obj;

	obj = document(map, "cpuinfo");
	expect(number(obj, "CoreCount") == m->cpus, "%s", m->dir);
	expect(number(obj, "SocketCount") == m->sockets, "%s", m->dir);
	expect(number(obj, "CorePerSocket") * m->sockets == m->cores, "%s",
	       m->dir);
	expect(number(obj, "ThreadPerCore") * m->cores == m->cpus, "%s",
	       m->dir);
	json_object_put(obj);
	obj = document(map, "memoryinfo");
	expect(number(obj, "TotalMemory") == m->memory, "%s: %lu", m->dir,
	       number(obj, "TotalMemory"));
	json_object_put(obj);
	expect(rows(map, "disks") == m->disks, "%s: %zu", m->dir,
	       rows(map, "disks"));
	expect(rows(map, "partitions") == m->partitions, "%s: %zu", m->dir,
	       rows(map, "partitions"));
}

/* Open an unpacked one; the names are the extractors wanted. */
static struct slu_map read_machine(const char *dir, char *const *names)
{
	struct slu_root root;
	struct slu_map map;

	expect_ok(slu_root_open(&root, tmpfile_path(dir), &err), err);
	expect_ok(slu_map_extract(&root, names, &map, &err), err);
	slu_root_close(&root);
	return map;
}

static const char *text_of(const struct slu_map *map, const char *name)
{
	for (size_t i = 0; i < map->n; i++)
		if (strcmp(map->document[i].extractor, name) == 0)
			return map->document[i].text;
	ck_abort_msg("no %s", name);
}

/* What lstopo counts, and more. */
START_TEST(test_machines)
{
	static const struct {
		size_t machine;
		const char *extractor, *words;
	} cases[] = {
		{4, "infiniband",
		 "\"state\":\"ACTIVE\",\"physical_state\":\"LinkUp\",\"rate\":"
		 "\"56 Gb/sec (4X FDR)\",\"address\":\"0000:82:00.0\","
		 "\"driver\":\"mlx4_core\",\"numa_node\":1"},
		{4, "numa",
		 "\"cpus\":\"8-15\",\"distances\":[21,10],"
		 "\"networks\":[\"ib0\",\"mlx4_0\"],"
		 "\"gpus\":[\"0000:83:00.0\"]"},
		{4, "nvme", "\"name\":\"nvme0n1\",\"size_bytes\":400088457216"},
		{4, "memorymodules",
		 "{\"slot\":\"DIMM_A1\",\"size_bytes\":4294967296,\"type\":"
		 "\"DDR3\",\"speed_mts\":1600,\"manufacturer\":\"00AD04B300AD"
		 "\",\"part_number\":\"HMT351R7CFR8C-PB\"}"},
		{4, "gpus", "\"device\":\"0x225c\""},
		{4, "networkdevices",
		 "\"name\":\"eth0\",\"type\":\"ethernet\","
		 "\"state\":\"up\",\"speed_mbits\":1000,"
		 "\"mtu\":1500"},
		{5, "networkdevices", "\"driver\":\"ib_qib\",\"numa_node\":2"},
		{5, "networkaddresses", "\"guid\":\"001175000077cfc8\""},
		{5, "blockqueues", "{\"name\":\"sda\",\"scheduler\":\"cfq\""},
		{5, "pcidevices", "\"class_name\":\"InfiniBand\""},
		{0, "numa", "\"distances\":[10,"},
	};
	struct slu_map map;
	const char *text;

	for (size_t m = 0; m < sizeof(machines) / sizeof(machines[0]); m++) {
		unpack(&machines[m]);
		map = read_machine(machines[m].dir, NULL);
		check_counts(&machines[m], &map);
		each(c, cases)
		{
			if (c->machine != m)
				continue;
			text = text_of(&map, c->extractor);
			expect(strstr(text, c->words), "%s: %s", c->words,
			       text);
		}
		slu_map_free(&map);
	}
}
END_TEST

/* Of a machine only lstopo's XML is there. */
START_TEST(test_hwloc)
{
#ifdef HAVE_HWLOC
	static const struct {
		const char *file, *extractor, *words;
	} cases[] = {
		{"lassen", "disks", "\"size_bytes\":1600321314816"},
		{"lassen", "cpuinfo",
		 "\"SocketCount\":2,\"ModelName\":"
		 "\"POWER9, altivec supported\""},
		{"lassen", "numa",
		 "\"gpus\":[\"0004:04:00.0\",\"0004:05:00.0\"]"},
		{"lassen", "memoryinfo", "\"TotalMemory\":274266980352"},
		{"lassen", "networkdevices", "\"name\":\"hsi0\""},
		{"catalyst", "numa",
		 "\"disks\":[\"sda\",\"sdb\",\"sdc\",\"sdd\"]"},
		{"corona", "gpus", "\"device\":\"0x66a1\""},
	};
	struct slu_buf text = {0};
	char name[128];
	struct slu_map map;

	each(c, cases)
	{
		snprintf(name, sizeof(name),
			 "topology/hwloc-xml/%s-node-local-storage.xml",
			 c->file);
		expect_ok(slu_file_read(AT_FDCWD, data_path(name), 1 << 24,
					&text, &err),
			  err);
		machine_file(tmpfile_path(c->file), "hwloc.xml", text.data,
			     text.len);
		map = read_machine(c->file, NULL);
		expect(strstr(text_of(&map, c->extractor), c->words), "%s: %s",
		       c->words, text_of(&map, c->extractor));
		slu_map_free(&map);
	}
	slu_buf_free(&text);
#endif
}
END_TEST

/* A fabric of 42 switches, each host on one leaf switch for each rail. */
START_TEST(test_fabric)
{
	char *names[] = {"topology", "connections", NULL};
	struct slu_buf text = {0};
	struct json_object *obj;
	struct slu_topology t;
	struct slu_map map;

	expect_ok(slu_file_read(AT_FDCWD,
				data_path("topology/ibnetdiscover-ndr.out"),
				1 << 24, &text, &err),
		  err);
	machine_file(tmpfile_path("f"), "var/lib/sluice/ibnetdiscover",
		     text.data, text.len);
	slu_buf_free(&text);
	map = read_machine("f", names);
	obj = slu_json_parse(map.document[1].text, map.document[1].len, &err);
	expect_ok(slu_topology_of_json(obj, &t, &err), err);
	ck_assert_uint_eq(
		slu_topology_hops(&t, "b05-p1-dgx-05-c01", "b05-p1-dgx-05-c18"),
		1);
	ck_assert_uint_eq(
		slu_topology_hops(&t, "b05-p1-dgx-05-c01", "a08-p1-dgx-04-c01"),
		3);
	slu_topology_free(&t);
	json_object_put(obj);
	slu_map_free(&map);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {test_machines, test_hwloc, test_fabric};

	need_data("topology");
	setenv("TMPDIR", "/dev/shm", 1); /* thousands of files */
	return run_tests("recorded", tests, 3);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Real machines as hwloc recorded them (its tests/hwloc/linux/NAME.tar.bz2),
 * read with --root. $SLUICE_LINUX_ROOTS names the directory that has them; the
 * test is skipped without it.
 */
#include "config.h"
#include "sysmap/extract.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

#include "common/jsonx.h"
#include "common/proc.h"

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
	 542134673408, 2, 6},
};

static struct slu_err err;

static void unpack(const struct machine *m)
{
	char archive[512];
	char *argv[] = {"tar", "-xjf",		 archive,
			"-C",  (char *)tmpdir(), "--no-same-owner",
			NULL};

	snprintf(archive, sizeof(archive), "%s/%s.tar.bz2",
		 getenv("SLUICE_LINUX_ROOTS"), m->archive);
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

static void check(const struct machine *m)
{
	struct json_object *obj;
	struct slu_root root;
	struct slu_map map;

	expect_ok(slu_root_open(&root, tmpfile_path(m->dir), &err), err);
	expect_ok(slu_map_extract(&root, NULL, &map, &err), err);
	obj = document(&map, "cpuinfo");
	expect(number(obj, "CoreCount") == m->cpus, "%s", m->dir);
	expect(number(obj, "SocketCount") == m->sockets, "%s", m->dir);
	expect(number(obj, "CorePerSocket") * m->sockets == m->cores, "%s",
	       m->dir);
	expect(number(obj, "ThreadPerCore") * m->cores == m->cpus, "%s",
	       m->dir);
	json_object_put(obj);
	obj = document(&map, "memoryinfo");
	expect(number(obj, "TotalMemory") == m->memory, "%s: %lu", m->dir,
	       number(obj, "TotalMemory"));
	json_object_put(obj);
	expect(rows(&map, "disks") == m->disks, "%s: %zu", m->dir,
	       rows(&map, "disks"));
	expect(rows(&map, "partitions") == m->partitions, "%s: %zu", m->dir,
	       rows(&map, "partitions"));
	slu_map_free(&map);
	slu_root_close(&root);
}

START_TEST(test_machines)
{
	each(m, machines)
	{
		unpack(m);
		check(m);
	}
}
END_TEST

/* TEST_MAIN's main() is the whole program, so the skip comes before it. */
__attribute__((constructor)) static void skip(void)
{
	if (getenv("SLUICE_LINUX_ROOTS"))
		return;
	puts("SLUICE_LINUX_ROOTS is not set");
	exit(77);
}

TEST_MAIN("recorded", test_machines)

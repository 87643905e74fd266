/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests sysmap's extractors on the hand-made machine "fat": every document must
 * equal fat.expected, which has a line "EXTRACTOR SOURCE JSON" for each. */
#include "config.h"
#include "sysmap/extract.h"
#include "tests/unit/sysmap/machine.h"

#include "common/jsonx.h"

static struct slu_err err;

static struct slu_map extract(const char *dir, char *const *names)
{
	struct slu_root root;
	struct slu_map map;

	expect_ok(slu_root_open(&root, dir, &err), err);
	expect_ok(slu_map_extract(&root, names, &map, &err), err);
	slu_root_close(&root);
	return map;
}

static const struct slu_document *find(const struct slu_map *map,
				       const char *name)
{
	for (size_t i = 0; i < map->n; i++)
		if (strcmp(map->document[i].extractor, name) == 0)
			return &map->document[i];
	return NULL;
}

/* The whole map of the hand-made machine is what it should be; fat.expected
 * has a line "EXTRACTOR SOURCE JSON" for each document. */
START_TEST(test_whole_map_of_fat_machine)
{
	struct slu_buf got = {0}, want = fixture_text("machines/fat.expected");
	struct slu_map map;

	machine_unpack("machines/fat.tree", tmpfile_path("m"));
	map = extract(tmpfile_path("m"), NULL);
	for (size_t i = 0; i < map.n; i++)
		slu_buf_printf(&got, "%s %s %s\n", map.document[i].extractor,
			       map.document[i].source, map.document[i].text);
	ck_assert_str_eq(got.data, want.data);
	slu_map_free(&map);
	slu_buf_free(&got);
	slu_buf_free(&want);
}
END_TEST

/* The second sources say the same of the same machine. */
START_TEST(test_sources)
{
	static char *const gone[] = {"proc/self/mountinfo", "proc/meminfo"};
	char path[PATH_MAX];
	struct slu_map map;

	machine_unpack("machines/fat.tree", tmpfile_path("m"));
	each(g, gone)
	{
		snprintf(path, sizeof(path), "%s/%s", tmpfile_path("m"), *g);
		ck_assert_int_eq(unlink(path), 0);
	}
	map = extract(tmpfile_path("m"), NULL);
	ck_assert_str_eq(find(&map, "mountpoints")->source, "linux/mounts");
	ck_assert_ptr_nonnull(strstr(find(&map, "mountpoints")->text,
				     "\"mountpoint\":\"/lustre/u\""));
	ck_assert_str_eq(find(&map, "memoryinfo")->source, "linux/sysfs");
	ck_assert_ptr_nonnull(strstr(find(&map, "memoryinfo")->text,
				     "\"TotalMemory\":270156136448,"));
	slu_map_free(&map);
}
END_TEST

/* Two cores of two threads each, as kernels of different age tell it. */
START_TEST(test_siblings)
{
	static const struct {
		const char *file, *core[2];
	} cases[] = {
		{"thread_siblings_list", {"0,2\n", "1,3\n"}},
		{"core_cpus_list", {"0,2\n", "1,3\n"}},
		{"thread_siblings", {"00000005\n", "0000000a\n"}},
		{"thread_siblings",
		 {"00000000,00000005\n", "00000000,0000000a\n"}},
	};
	char *names[] = {"cpuinfo", NULL}, dir[64], path[160];
	struct slu_map map;

	each(c, cases)
	{
		snprintf(dir, sizeof(dir), "old%td", c - cases);
		for (int i = 0; i < 4; i++) {
			snprintf(path, sizeof(path),
				 "sys/devices/system/cpu/cpu%d/topology/%s", i,
				 c->file);
			machine_file(tmpfile_path(dir), path, c->core[i % 2],
				     strlen(c->core[i % 2]));
		}
		map = extract(tmpfile_path(dir), names);
		ck_assert_uint_eq(map.n, 1);
		expect(strstr(map.document[0].text, "\"ThreadPerCore\":2") &&
			       strstr(map.document[0].text,
				      "\"CorePerSocket\":2"),
		       "case %td: %s", c - cases, map.document[0].text);
		slu_map_free(&map);
	}
}
END_TEST

START_TEST(test_extractors_by_name)
{
	char *two[] = {"memoryinfo", "disks", NULL}, *bad[] = {"disk", NULL};
	struct slu_root root;
	struct slu_map map;

	machine_unpack("machines/fat.tree", tmpfile_path("m"));
	map = extract(tmpfile_path("m"), two);
	ck_assert_uint_eq(map.n, 2);
	ck_assert_str_eq(map.document[0].extractor, "disks");
	ck_assert_str_eq(map.document[1].extractor, "memoryinfo");
	slu_map_free(&map);
	expect_ok(slu_root_open(&root, tmpfile_path("m"), &err), err);
	expect_fail(slu_map_extract(&root, bad, &map, &err), err, SLU_INVALID,
		    "\"disk\"; did you mean disks?");
	slu_root_close(&root);
}
END_TEST

/* An empty tree, and one where everything is something else. */
START_TEST(test_nothing)
{
	static const char *const rubbish[] = {
		"proc/cpuinfo",		  "proc/meminfo",
		"proc/version",		  "proc/self/mountinfo",
		"etc/os-release",	  "sys/class/block/sda/size",
		"sys/class/block/sda/dev"};
	char noise[70000];
	struct slu_map map;

	mkdir(tmpfile_path("m"), 0755);
	map = extract(tmpfile_path("m"), NULL);
	ck_assert_uint_eq(map.n, 1);
	ck_assert_str_eq(map.document[0].text, "{}"); /* machineinfo */
	slu_map_free(&map);
	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = (char)(i * 7919 >> 3);
	each(path, rubbish)
		machine_file(tmpfile_path("m"), *path, noise, sizeof(noise));
	machine_file(tmpfile_path("m"), "sys/class/block/sda/device/model",
		     noise, sizeof(noise));
	map = extract(tmpfile_path("m"), NULL);
	for (size_t i = 0; i < map.n; i++)
		json_object_put(slu_json_parse(map.document[i].text,
					       map.document[i].len, &err));
	slu_map_free(&map);
}
END_TEST

START_TEST(test_live)
{
	struct slu_map map = extract(NULL, NULL), again = extract(NULL, NULL);
	struct json_object *obj;

	ck_assert_ptr_nonnull(find(&map, "cpuinfo"));
	ck_assert_ptr_nonnull(find(&map, "memoryinfo"));
	for (size_t i = 0; i < map.n; i++) {
		obj = slu_json_parse(map.document[i].text, map.document[i].len,
				     &err);
		expect(obj != NULL, "%s: %s", map.document[i].extractor,
		       err.text);
		json_object_put(obj);
		if (!slu_extractor_find(map.document[i].extractor)->dynamic)
			expect(map.document[i].hash == again.document[i].hash,
			       "%s", map.document[i].extractor);
	}
	slu_map_free(&map);
	slu_map_free(&again);
}
END_TEST

START_TEST(test_hash)
{
	ck_assert_uint_eq(slu_document_hash("disks", "[]", 2),
			  slu_document_hash("disks", "[] ", 2));
	ck_assert_uint_ne(slu_document_hash("disks", "[]", 2),
			  slu_document_hash("partitions", "[]", 2));
	/* of "disks\n[]", by sha256sum */
	ck_assert_uint_eq(slu_document_hash("disks", "[]", 2),
			  UINT64_C(0x0020c0c87eeb09f6));
}
END_TEST

START_TEST(test_table_of_extractors)
{
	for (const struct slu_extractor *e = slu_extractors; e->name; e++) {
		ck_assert_ptr_eq(slu_extractor_find(e->name), e);
		ck_assert_ptr_nonnull(e->source->name);
		ck_assert_ptr_nonnull(e->help);
	}
	ck_assert_ptr_null(slu_extractor_find("nonsense"));
}
END_TEST

TEST_MAIN("extract", test_whole_map_of_fat_machine, test_sources, test_siblings,
	  test_extractors_by_name, test_nothing, test_live, test_hash,
	  test_table_of_extractors)

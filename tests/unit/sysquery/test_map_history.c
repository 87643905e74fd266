/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the history of documents in the resource map: n1 gets a larger disk,
 * loses it, and gets it back; n2 has another one. */
#include "config.h"
#include "tests/unit/sysquery/map.h"

/* n1 gets a bigger disk, loses it, and is given it back; n2 has another. */
static void fill(void)
{
	map_put("n1", "disks", "[{\"name\":\"a\",\"size\":1}]", 100);
	map_put("n1", "memoryinfo", "{\"TotalMemory\":5}", 100);
	map_put("n1", "mountusage", "[{\"mountpoint\":\"/\"}]", 100);
	map_put("n1", "disks", "[{\"name\":\"a\",\"size\":2}]", 200);
	map_put("n1", "disks", "[]", 300);
	map_put("n1", "disks", "[{\"name\":\"a\",\"size\":2}]", 400);
	map_put("n2", "disks", "[{\"name\":\"a\",\"size\":3}]", 150);
	map_put("n2", "cpuinfo", "{\"CoreCount\":8}", 150);
}

#define A(old, new) "{\"path\":\"[a].size\",\"old\":" old ",\"new\":" new "}"

START_TEST(test_history)
{
	static const struct map_case cases[] = {
		{"history", "{\"hosts\":[\"n2\"],\"extractors\":[\"disks\"]}",
		 "[{\"extractor\":\"disks\",\"since\":150,\"last_seen\":150,"
		 "\"host\":\"n2\"}]"},
		{"history", "{\"hosts\":[\"n1\"],\"extractors\":[\"disks\"]}",
		 "[{\"extractor\":\"disks\",\"since\":100,\"until\":200,"
		 "\"host\":\"n1\"},"
		 "{\"extractor\":\"disks\",\"since\":200,\"until\":300,"
		 "\"changes\":[" A(
			 "1",
			 "2") "],\"host\":\"n1\"},"
			      "{\"extractor\":\"disks\",\"since\":300,\"until\":400,"
			      "\"changes\":[{\"path\":\"\",\"new\":[]},"
			      "{\"path\":\"[a].name\",\"old\":\"a\"},"
			      "{\"path\":\"[a].size\",\"old\":2}],\"host\":\"n1\"},"
			      "{\"extractor\":\"disks\",\"since\":400,\"last_seen\":400,"
			      "\"changes\":[{\"path\":\"\",\"old\":[]},"
			      "{\"path\":\"[a].name\",\"new\":\"a\"},"
			      "{\"path\":\"[a].size\",\"new\":2}],\"host\":\"n1\"}]"},
	};
	static const struct map_refused refused[] = {
		{"history", "{}", SLU_INVALID, "of which host"},
		{"history", "{\"hosts\":[\"n9\"]}", SLU_NOTFOUND,
		 "nothing of n9"},
	};
	struct slu_buf out = {0};

	fill();
	map_check(cases);
	map_check_refused(refused);
	expect_ok(map_ask("history", "{\"hosts\":\"n[1-2]\"}", &out), err);
	ck_assert(strstr(out.data, "mountusage") == NULL); /* by the minute */
	ck_assert(strstr(out.data, "memoryinfo") != NULL);
	slu_buf_free(&out);
}
END_TEST

START_TEST(test_diff)
{
	static const struct map_case cases[] = {
		{"diff",
		 "{\"hosts\":[\"n1\",\"n2\"],\"extractors\":[\"disks\"]}",
		 "[{\"path\":\"[a].size\",\"old\":2,\"new\":3,"
		 "\"extractor\":\"disks\"}]"},
		{"diff", "{\"hosts\":[\"n2\",\"n1\"]}",
		 "[{\"path\":\"[a].size\",\"old\":3,\"new\":2,"
		 "\"extractor\":\"disks\"},"
		 "{\"path\":\"\",\"old\":{\"CoreCount\":8},"
		 "\"extractor\":\"cpuinfo\"},"
		 "{\"path\":\"\",\"new\":{\"TotalMemory\":5},"
		 "\"extractor\":\"memoryinfo\"}]"},
		{"diff", "{\"hosts\":[\"n1\"],\"since\":250}", "[]"},
		{"diff", "{\"hosts\":[\"n1\"],\"since\":199}",
		 "[{\"path\":\"[a].size\",\"old\":1,\"new\":2,"
		 "\"extractor\":\"disks\"}]"},
		{"diff", "{\"hosts\":[\"n2\"],\"since\":149}",
		 "[{\"path\":\"\",\"new\":[{\"name\":\"a\",\"size\":3}],"
		 "\"extractor\":\"disks\"},"
		 "{\"path\":\"\",\"new\":{\"CoreCount\":8},"
		 "\"extractor\":\"cpuinfo\"}]"},
	};
	static const struct map_refused refused[] = {
		{"diff", "{\"hosts\":[\"n1\"]}", SLU_INVALID, "two hosts"},
		{"diff", "{\"hosts\":[\"n1\",\"n2\"],\"since\":1}", SLU_INVALID,
		 "two hosts"},
		{"diff", "{\"hosts\":[\"n1\",\"n9\"]}", SLU_NOTFOUND, "n9"},
		{"diff", "{\"hosts\":[\"n1\"],\"since\":\"x\"}", SLU_INVALID,
		 "since"},
	};

	fill();
	map_check(cases);
	map_check_refused(refused);
}
END_TEST

TEST_MAIN("map_history", test_history, test_diff)

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests SQL queries on the resource map: the views, sizes with units, and
 * hostile statements, which are refused. */
#include "config.h"
#include <sqlite3.h>
#include "sysquery/map/map_select.h"
#include "tests/unit/sysquery/map.h"

static void fill(void)
{
	map_put("n1", "disks",
		"[{\"name\":\"nvme0\",\"size_bytes\":2199023255552,"
		"\"rotational\":false},{\"name\":\"sda\","
		"\"size_bytes\":1000,\"rotational\":true}]",
		1);
	map_put("n2", "disks",
		"[{\"name\":\"sda\",\"size_bytes\":1000,\"rotational\":true,"
		"\"odd key.x\":{\"y\":[1]}}]",
		1);
	map_put("n3", "disks", "[]", 1);
	map_put("n1", "memoryinfo", "{\"TotalMemory\":1024}", 1);
	map_put("n3", "memoryinfo", "{\"TotalMemory\":4096}", 1);
	map_put("n1", "numa", "{\"count\":2,\"nodes\":[{\"id\":0},{\"id\":1}]}",
		1);
	map_put("n2", "machineinfo", "{\"KernelVersion\":\"6\"}", 1);
	map_put("n2", "moduleinfo", "[\"nfs\",\"mlx5\"]", 1);
}

#define SQL(text) "{\"sql\":\"" text "\"}"

START_TEST(test_select)
{
	static const struct map_case cases[] = {
		{"select",
		 SQL("SELECT host FROM v_disks WHERE size_bytes >= 1TiB"),
		 "[{\"host\":\"n1\"}]"},
		{"select",
		 SQL("select host, count(*) AS n from V_Disks group by host "
		     "order by host -- as they come"),
		 "[{\"host\":\"n1\",\"n\":2},{\"host\":\"n2\",\"n\":1}]"},
		{"select",
		 SQL("SELECT \\\"odd key.x\\\" AS odd FROM v_disks WHERE odd "
		     "IS NOT NULL"),
		 "[{\"odd\":\"{\\\"y\\\":[1]}\"}]"},
		{"select",
		 SQL("SELECT host, TotalMemory FROM v_memoryinfo "
		     "ORDER BY TotalMemory DESC LIMIT 1"),
		 "[{\"host\":\"n3\",\"TotalMemory\":4096}]"},
		{"select", SQL("SELECT host, id FROM v_numa_nodes ORDER BY id"),
		 "[{\"host\":\"n1\",\"id\":0},{\"host\":\"n1\",\"id\":1}]"},
		{"select", SQL("SELECT value FROM v_moduleinfo ORDER BY 1"),
		 "[{\"value\":\"mlx5\"},{\"value\":\"nfs\"}]"},
		{"select",
		 SQL("SELECT host FROM v_summary EXCEPT SELECT host FROM "
		     "v_memoryinfo"),
		 "[{\"host\":\"n2\"}]"},
		/* known, but nobody has it */
		{"select", SQL("SELECT host, mountpoint FROM v_mountpoints"),
		 "[]"},
		/* known, where some have no firmware that says it */
		{"select",
		 SQL("SELECT host, BiosVersion FROM v_machineinfo WHERE "
		     "BiosVersion <> (SELECT BiosVersion FROM v_machineinfo "
		     "GROUP BY 1 ORDER BY count(*) DESC LIMIT 1)"),
		 "[]"},
		{"select",
		 SQL("SELECT host FROM v_machineinfo WHERE BiosVersion IS NULL"),
		 "[{\"host\":\"n2\"}]"},
		/* what the tables hold, without views */
		{"select",
		 SQL("WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
		     "FROM c WHERE i < 3) SELECT count(*) AS n FROM c, "
		     "Hosttable h, json_each('[1]')"),
		 "[{\"n\":9}]"},
		{"hosts", "{\"where\":\"memory >= 2KiB OR disks = 1\"}",
		 "[{\"host\":\"n2\",\"documents\":3,\"since\":1,"
		 "\"last_seen\":1},{\"host\":\"n3\",\"documents\":2,"
		 "\"since\":1,\"last_seen\":1}]"},
		{"hosts", "{\"where\":\"disks = 1\",\"hosts\":[\"n1\"]}", "[]"},
		{"summary", "{\"where\":\"disks > 5\"}", "[]"},
		{"resources", "{\"where\":\"disks > 5\"}", "{}"},
		{"resources",
		 "{\"where\":\"host IN (SELECT host FROM v_disks WHERE NOT "
		 "rotational) -- fast\",\"extractors\":[\"memoryinfo\"]}",
		 "{\"n1\":{\"memoryinfo\":{\"TotalMemory\":1024}}}"},
	};
	fill();
	map_check(cases);
}
END_TEST

/* The examples of sysquery(1), on documents as sysmap writes them. */
START_TEST(test_examples)
{
	static const struct map_case cases[] = {
		{"select",
		 SQL("SELECT host, sum(size_bytes) AS bytes FROM v_nvme WHERE "
		     "(host, numa_node) IN (SELECT host, numa_node FROM "
		     "v_infiniband) GROUP BY host HAVING bytes >= 1.5TiB"),
		 "[{\"host\":\"a1\",\"bytes\":2000409772032}]"},
		{"select",
		 SQL("SELECT host, BiosVersion FROM v_machineinfo WHERE "
		     "BiosVersion <> (SELECT BiosVersion FROM v_machineinfo "
		     "GROUP BY 1 ORDER BY count(*) DESC LIMIT 1)"),
		 "[{\"host\":\"a3\",\"BiosVersion\":\"2.7\"}]"},
		{"hosts",
		 "{\"where\":\"host IN (SELECT host FROM v_leaf WHERE switch "
		 "= 'leaf3')\"}",
		 "[{\"host\":\"a2\",\"documents\":2,\"since\":1,"
		 "\"last_seen\":1},{\"host\":\"a3\",\"documents\":2,"
		 "\"since\":1,\"last_seen\":1}]"},
		{"select", SQL("SELECT host, its_host FROM v_hosts"),
		 "[{\"host\":\"a1\",\"its_host\":\"a2\"}]"},
		{"summary", "{\"where\":\"size < 500GB\"}", "[]"},
	};
	static const struct map_case nowhere[] = {
		{"select", SQL("SELECT host FROM v_nvme WHERE numa_node = 1"),
		 "[]"},
	};
	static const char *const hosts[] = {"a1", "a2", "a3"};

	each(h, hosts)
	{
		map_put(*h, "machineinfo",
			strcmp(*h, "a3") ? "{\"BiosVersion\":\"2.4\"}"
					 : "{\"BiosVersion\":\"2.7\"}",
			1);
		map_put(*h, "infiniband",
			"[{\"device\":\"mlx5_0\",\"port\":1,\"numa_node\":1}]",
			1);
	}
	map_put("a1", "nvme",
		"[{\"name\":\"nvme0\",\"size_bytes\":1600321314816,"
		"\"numa_node\":0},{\"name\":\"nvme1\",\"size_bytes\":"
		"1600321314816,\"numa_node\":1},{\"name\":\"nvme2\","
		"\"size_bytes\":400088457216,\"numa_node\":1}]",
		1);
	map_put("a1", "topology",
		"[{\"switch\":\"leaf3\",\"level\":0,\"hosts\":\"a[2-4]\","
		"\"switches\":[\"spine1\"]},{\"switch\":\"spine1\","
		"\"level\":1,\"hosts\":\"\",\"switches\":[\"leaf3\"]}]",
		1);
	map_put("a1", "hosts", "[{\"host\":\"a2\",\"device\":\"HCA-1\"}]", 1);
	map_check(cases);
	map_put("a1", "nvme", "[{\"name\":\"nvme0\",\"size_bytes\":9}]", 2);
	map_check(nowhere);
}
END_TEST

/* Any node may push a topology with any names: queries must still get an
 * answer. */
START_TEST(test_hostile)
{
	static const char *const bad[] = {
		"{\"switch\":\"s1\"}", "[", "[7,null,{\"switch\":7}]",
		"[{\"switch\":\"s1\",\"hosts\":\"n[1-\"}]"};
	static const struct map_case none[] = {
		{"select", SQL("SELECT * FROM v_leaf"), "[]"}};
	static const struct map_case one[] = {
		{"select", SQL("SELECT * FROM v_leaf"),
		 "[{\"host\":\"n2\",\"switch\":\"s2\"}]"}};
	static const struct map_case newest[] = {
		{"select", SQL("SELECT switch FROM v_leaf"),
		 "[{\"switch\":\"s1\"}]"}};
	struct slu_buf out = {0};
	struct slu_db *db;
	int64_t now = 1;

	each(b, bad)
	{
		map_put("n1", "topology", *b, now++);
		map_check(none);
		expect_ok(map_ask("views", "{}", &out), err);
	}
	map_put("n1", "topology",
		"[{\"switch\":\"s1\",\"hosts\":\"n[1-\"},"
		"{\"switch\":\"s2\",\"hosts\":\"n2\"}]",
		now++);
	map_check(one);
	/* the newest, not the one with the highest number */
	map_put("n1", "topology", "[{\"switch\":\"s1\",\"hosts\":\"n1\"}]",
		now++);
	map_put("n1", "topology", "[]", now++);
	map_check(none);
	map_put("n1", "topology", "[{\"switch\":\"s1\",\"hosts\":\"n1\"}]",
		now++);
	map_check(newest);
	map_put("n1", "disks", "[{\"a\\\\b\":1,\"c\":2}]", now++);
	expect_ok(map_ask("views", "{}", &out), err);
	ck_assert_ptr_null(strchr(out.data, '\\'));
	db = slu_db_open(tmpfile_path("map.db"), SLU_DB_WRITE, &err);
	expect_ok(slu_db_script(db,
				"INSERT INTO Extractortable (Name) VALUES "
				"('junk')",
				&err),
		  err);
	slu_db_close(db);
	expect_ok(map_ask("views", "{}", &out), err);
	ck_assert_ptr_null(strstr(out.data, "junk"));
	slu_buf_free(&out);
}
END_TEST

START_TEST(test_views)
{
	struct slu_buf out = {0};

	fill();
	expect_ok(map_ask("views", "{}", &out), err);
	ck_assert(strstr(out.data, "{\"view\":\"v_memoryinfo\",\"columns\":"
				   "\"host, TotalMemory\"}") != NULL);
	ck_assert(strstr(out.data, "\"host, value\"") != NULL);
	ck_assert(strstr(out.data, "odd key.x") != NULL);
	ck_assert(strstr(out.data, "v_summary") != NULL);
	slu_buf_free(&out);
}
END_TEST

/* Databases of others, in which names differ by case: nothing is hidden. */
START_TEST(test_spellings)
{
	static const struct map_case cases[] = {
		{"select",
		 SQL("SELECT host, BiosVersion AS b FROM v_machineinfo "
		     "ORDER BY host"),
		 "[{\"host\":\"n1\",\"b\":\"1\"},{\"host\":\"n2\",\"b\":\"2\"}]"},
		{"select", SQL("SELECT host, id FROM v_machineinfo_x"),
		 "[{\"host\":\"n2\",\"id\":7}]"},
	};
	struct slu_db *db;

	map_put("n1", "machineinfo", "{\"BiosVersion\":\"1\"}", 1);
	map_put("n2", "kernel", "{\"BiosVersion\":\"2\",\"x\":[{\"id\":7}]}",
		1);
	db = slu_db_open(tmpfile_path("map.db"), SLU_DB_WRITE, &err);
	ck_assert_int_eq(slu_db_exec(db, &err,
				     "UPDATE Extractortable SET Name = "
				     "'MachineInfo' WHERE Name = 'kernel'",
				     ""),
			 1);
	slu_db_close(db);
	map_check(cases);
}
END_TEST

START_TEST(test_refused)
{
	static const struct map_refused cases[] = {
		{"select", "{}", SLU_INVALID, "sql"},
		{"select", SQL(""), SLU_INVALID, "empty statement"},
		{"select", SQL("SELEKT 1"), SLU_INVALID, "syntax"},
		{"select", SQL("SELECT 1; SELECT 2"), SLU_INVALID,
		 "more than one"},
		{"select", SQL("SELECT * FROM v_nothing"), SLU_INVALID,
		 "no such table"},
		{"select",
		 SQL("SELECT host, 1 AS n, n1.* FROM v_numa_nodes n1"),
		 SLU_INVALID, "two columns are called host: "},
		{"select", SQL("SELECT size FROM v_memoryinfo"), SLU_INVALID,
		 "no such column"},
		{"select", SQL("SELECT 99999999999TiB"), SLU_INVALID,
		 "99999999999TiB"},
		/* other people's */
		{"select", SQL("SELECT * FROM History"), SLU_DENIED,
		 "prohibited"},
		{"select", SQL("SELECT count(*) FROM Buffer"), SLU_DENIED,
		 "author"},
		{"select", SQL("SELECT 1 FROM sqlite_sequence"), SLU_DENIED,
		 "author"},
		{"select", SQL("SELECT * FROM pragma_database_list"),
		 SQLITE_VERSION_NUMBER > 3040001 ? SLU_DENIED : SLU_INVALID,
		 ""},
		{"select", SQL("SELECT load_extension('x')"), SLU_INVALID,
		 "load_extension"},
		{"select", SQL("PRAGMA user_version"), SLU_DENIED, "author"},
		{"select", SQL("ATTACH 'x' AS x"), SLU_DENIED, "author"},
		{"select", SQL("DELETE FROM Hosttable"), SLU_DENIED, "author"},
		{"select", SQL("CREATE TEMP TABLE t (a)"), SLU_DENIED,
		 "author"},
		{"select", SQL("VACUUM INTO 'x'"), SLU_DENIED, "author"},
		{"select", SQL("EXPLAIN DELETE FROM Hosttable"), SLU_DENIED,
		 "author"},
		{"hosts", "{\"where\":\"1) UNION SELECT User FROM (History\"}",
		 SLU_DENIED, "where: "},
		{"hosts", "{\"where\":\"nonsense = 1\"}", SLU_INVALID,
		 "no such column: nonsense"},
		{"hosts", "{\"where\":\"1=1); DELETE FROM Hosttable; --\"}",
		 SLU_INVALID, "more than one"},
		{"hosts", "{\"where\":7}", SLU_INVALID, "where"},
	};

	fill();
	map_check_refused(cases);
}
END_TEST

/* What would take all time and memory, is given some. */
START_TEST(test_bounds)
{
	static const struct map_refused cases[] = {
		{"select", SQL("SELECT hex(zeroblob(60000000))"), SLU_NOMEM,
		 "too big"},
		{"select",
		 SQL("WITH RECURSIVE c(i, b) AS (SELECT 1, zeroblob(10000000) "
		     "UNION ALL SELECT i + 1, zeroblob(10000000) FROM c WHERE "
		     "i < 1000) SELECT count(*) FROM c GROUP BY b || i "
		     "ORDER BY b"),
		 SLU_NOMEM, ""},
		{"select",
		 SQL("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL "
		     "SELECT x + 1 FROM c) SELECT x FROM c"),
		 SLU_NOMEM, "LIMIT"},
	};

	fill();
	map_check_refused(cases);
}
END_TEST

START_TEST(test_numbers)
{
	static const struct {
		const char *sql, *want;
	} cases[] = {
		{"a >= 1KiB", "a >= 1024"},
		{"1.5k+2GB", "1536+2000000000"},
		{"(1TiB)", "(1099511627776)"},
		{"'1TiB' \"1K\" `1K`", "'1TiB' \"1K\" `1K`"},
		{"x1K 1Kx 1K_", "x1K 1Kx 1K_"},
		{"1e3 17 0x1F", "1e3 17 0x1F"},
		{"'unclosed 1K", "'unclosed 1K"},
		{"", ""},
	};
	char *got;

	each(c, cases)
	{
		got = slu_select_numbers(c->sql, &err);
		ck_assert_str_eq(got, c->want);
		free(got);
	}
}
END_TEST

TEST_MAIN("map_select", test_select, test_examples, test_hostile,
	  test_spellings, test_views, test_refused, test_bounds, test_numbers)

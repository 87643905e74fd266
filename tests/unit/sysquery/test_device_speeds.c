/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the speeds of nodes' devices that are read from their documents. */
#include "config.h"
#include "sysquery/map/device_speeds.h"
#include "tests/unit/sysquery/map.h"

static struct slu_devices of(const char *hosts, const char *storage)
{
	struct slu_db *db =
		slu_db_open(tmpfile_path("map.db"), SLU_DB_READ, &err);
	struct slu_devices sum = {0};

	for (; *hosts; hosts++) {
		const char name[] = {'n', *hosts, '\0'};

		expect_ok(slu_devices_add(db, name, storage, &sum, &err), err);
	}
	slu_db_close(db);
	return sum;
}

static void expect_storage(const char *hosts, const char *storage, size_t n,
			   double write, double read)
{
	const struct slu_devices sum = of(hosts, storage);

	ck_assert_uint_eq(sum.measured, n);
	ck_assert_double_eq(sum.storage_write, write);
	ck_assert_double_eq(sum.storage_read, read);
}

static void expect_network(const char *hosts, size_t n, double bytes)
{
	const struct slu_devices sum = of(hosts, NULL);

	ck_assert_uint_eq(sum.linked, n);
	ck_assert_double_eq_tol(sum.network, bytes, 1);
}

static void put_speed(const char *host, const char *path, int write)
{
	char text[200];

	snprintf(text, sizeof(text),
		 "{\"path\":\"%s\",\"write_bytes_per_s\":%d,"
		 "\"read_bytes_per_s\":%d,\"bytes\":5}",
		 path, write, 2 * write);
	map_put(host, "storagespeed", text, 1);
}

START_TEST(test_storage)
{
	static const char mounts[] =
		"[{\"device\":\"/dev/b\",\"mountpoint\":\"/scratch\","
		"\"filesystem\":\"xfs\",\"size\":\"1073741824\"},"
		"{\"device\":\"/dev/c\",\"mountpoint\":\"/scratch/two\","
		"\"filesystem\":\"xfs\",\"size\":\"1073741824\"}]";

	put_speed("n1", "/scratch", 100);
	put_speed("n2", "/scratch", 30);
	put_speed("n4", "/elsewhere", 7);
	map_put("n1", "mountpoints", mounts, 1);
	expect_storage("1", "/scratch", 1, 100, 200);
	expect_storage("1", "/scratch/sluice", 1, 100, 200);
	/* it was not measured there */
	expect_storage("1", "/scratch/two/sluice", 0, 0, 0);
	expect_storage("4", "/scratch", 0, 0, 0);
	/* of several, as far as it is known */
	expect_storage("1234", "/scratch", 2, 130, 260);
	expect_storage("", "/scratch", 0, 0, 0);
	/* a document that makes no sense is none */
	map_put("n2", "storagespeed", "[7]", 2);
	map_put("n1", "storagespeed", "{\"path\":7}", 2);
	expect_storage("12", "/scratch", 0, 0, 0);
}
END_TEST

START_TEST(test_network)
{
	map_put("n1", "networkdevices",
		"[{\"name\":\"eth0\",\"state\":\"up\",\"speed_mbits\":1000},"
		"{\"name\":\"eth1\",\"state\":\"up\",\"speed_mbits\":10000},"
		"{\"name\":\"eth2\",\"state\":\"down\",\"speed_mbits\":90000},"
		"7]",
		1);
	map_put("n2", "networkdevices", "[]", 1);
	map_put("n2", "infiniband",
		"[{\"device\":\"mlx5_0\",\"state\":\"4: ACTIVE\","
		"\"rate\":\"100 Gb/sec (4X EDR)\"},"
		"{\"device\":\"mlx5_1\",\"state\":\"1: DOWN\","
		"\"rate\":\"400 Gb/sec (4X NDR)\"}]",
		1);
	map_put("n3", "disks", "[]", 1);
	expect_network("1", 1, 1.25e9);
	expect_network("2", 1, 12.5e9);
	expect_network("123", 2, 13.75e9);
	expect_network("3", 0, 0);
}
END_TEST

TEST_MAIN("devices can", test_storage, test_network)

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the capacity of each storage pool, computed from the maps that nodes
 * have pushed. */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"
#include "burst_buffer/plan/plan.h"
#include "burst_buffer/storage/image.h"
#include "sluiced/control/pool_capacity.h"
#include "store/db_private.h"
#include "sysmap/database/receive.h"

static struct slu_err err;
static struct slu_db *db;
static struct slu_receiver *receiver;

static void push_one(const char *node, const char *extractor, const char *text)
{
	struct slu_document doc = {
		.extractor = extractor,
		.text = (char *)(uintptr_t)text,
		.len = strlen(text),
		.hash = slu_document_hash(extractor, text, strlen(text))};
	struct slu_map map = {.document = &doc, .n = 1};

	expect_ok(slu_receive_map(receiver, node, &map, 1, &err), err);
}

static void push(const char *node, unsigned long long size,
		 unsigned long long available)
{
	char text[600];

	snprintf(text, sizeof(text),
		 "[{\"device\":\"/dev/sda\",\"mountpoint\":\"/\","
		 "\"filesystem\":\"ext4\",\"size\":10485760,\"options\":\"rw\","
		 "\"category\":\"local\"},"
		 "{\"device\":\"/dev/sdb\",\"mountpoint\":\"/s\","
		 "\"filesystem\":\"ext4\",\"size\":%llu,\"options\":\"rw\","
		 "\"category\":\"local\"}]",
		 size << 20);
	push_one(node, "mountpoints", text);
	snprintf(text, sizeof(text),
		 "[{\"mountpoint\":\"/s\",\"available\":%llu}]",
		 available << 20);
	push_one(node, "mountusage", text);
}

/* A node with one file system of a tier below /t. */
static void push_tier(const char *node, const char *tier,
		      unsigned long long size)
{
	char text[600];

	snprintf(text, sizeof(text),
		 "[{\"device\":\"/dev/sdb\",\"mountpoint\":\"/t\","
		 "\"filesystem\":\"ext4\",\"size\":%llu,\"options\":\"rw\","
		 "\"category\":\"local\",\"tier\":\"%s\"}]",
		 size << 20, tier);
	push_one(node, "mountpoints", text);
}

static void reckon(const char *conf_text, const char *nodes,
		   struct slu_capacity *out)
{
	struct slu_conf *conf = slu_conf_parse(conf_text, "test", &err);
	struct slu_hosts hosts;

	expect(conf, "%s", err.text);
	expect_ok(slu_hosts_parse(nodes, &hosts, &err), err);
	expect_ok(slu_pool_capacity_sum(db, conf, &hosts, out, &err), err);
	slu_hosts_free(&hosts);
	slu_conf_free(conf);
}

static const struct {
	const char *conf, *nodes;
	size_t pool; /* which one is looked at */
	unsigned long long total, available, largest; /* MiB */
	unsigned nodes_with;
	bool complete;
} cases[] = {
	{"", "n[1-2]", 0, 300, 90, 200, 2, true},
	{"", "n[1-3]", 0, 300, 90, 200, 2, false},
	{"", "", 0, 0, 0, 0, 0, true},
	{"IONodes=n3", "n[1-3]", 0, 300, 90, 200, 2, true},
	{"IONodes=n[2-3]\nRecruitIdle=n2", "n[1-3]", 0, 300, 90, 200, 2, true},
	{"Pool=a Nodes=n2\nPool=b Nodes=n[1,3]", "n[1-3]", 0, 200, 80, 200, 1,
	 true},
	{"Pool=a Nodes=n2\nPool=b Nodes=n[1,3]", "n[1-3]", 1, 100, 10, 100, 1,
	 false},
	{"Pool=a\nPool=b Size=7MiB", "n3", 1, 7, 7, 0, 0, true},
	{"NodeStorage=/s/x/y", "n1", 0, 100, 10, 100, 1, true},
	{"NodeStorage=/var/x", "n[1-2]", 0, 20, 20, 10, 2, true},
	{"Pool=a\nFileSystem=f Driver=scratch storage=/var/x", "n1", 0, 10, 10,
	 10, 1, true},
	{"NodeStorage=/var\nPool=a\nPool=b\n"
	 "FileSystem=f Driver=scratch storage=/s/x Pool=b",
	 "n1", 1, 100, 10, 100, 1, true},
};

/* Each tier in a pool of its own, with the nodes that have it. */
START_TEST(test_tiers)
{
	static const struct {
		const char *nodes;
		unsigned long long total[3];
		const char *hosts[3];
		bool complete;
	} asked[] = {
		{"n[1-4]", {40, 50, 0}, {"n[1,3]", "n2", ""}, false},
		{"n[1-3]", {40, 50, 0}, {"n[1,3]", "n2", ""}, true},
		{"n2", {0, 50, 0}, {"", "n2", ""}, true},
	};
	struct slu_capacity s;

	db = slu_db_open(tmpfile_path("tiers.db"), SLU_DB_WRITE, &err);
	expect(db, "%s", err.text);
	receiver = slu_receiver_new(db, &err);
	push_tier("n1", "flash", 10);
	push_tier("n2", "disk", 50);
	push_tier("n3", "flash", 30);
	each(c, asked)
	{
		reckon("Pool=f Tier=flash\nPool=d Tier=disk\nPool=p Tier=pmem",
		       c->nodes, &s);
		for (size_t i = 0; i < 3; i++) {
			ck_assert_uint_eq(s.pools[i].total, c->total[i] << 20);
			ck_assert_str_eq(s.pools[i].hosts, c->hosts[i]);
			ck_assert(s.pools[i].complete == c->complete);
		}
		slu_msg_clear(&slu_capacity_desc, &s);
	}
	reckon("Pool=f Tier=flash Nodes=n[2-3]\nPool=a", "n[1-3]", &s);
	ck_assert_str_eq(s.pools[0].hosts, "n3");
	ck_assert_ptr_null(s.pools[1].hosts);
	slu_msg_clear(&slu_capacity_desc, &s);
	slu_receiver_free(receiver);
	slu_db_close(db);
}
END_TEST

static unsigned reads; /* of documents */

static int count_read(unsigned what, void *arg, void *stmt, void *text)
{
	(void)what, (void)arg, (void)text;
	reads += strstr(sqlite3_sql(stmt), "Extractortable") != NULL;
	return 0;
}

static unsigned reads_of(const char *conf)
{
	struct slu_capacity s;

	reads = 0;
	reckon(conf, "n[1-3]", &s);
	slu_msg_clear(&slu_capacity_desc, &s);
	return reads;
}

/* A node's map is read once, however many pools need it. */
START_TEST(test_read_once)
{
	unsigned one;

	db = slu_db_open(tmpfile_path("once.db"), SLU_DB_WRITE, &err);
	expect(db, "%s", err.text);
	receiver = slu_receiver_new(db, &err);
	push_tier("n1", "flash", 10);
	push_tier("n2", "disk", 50);
	ck_assert(!sqlite3_trace_v2(db->sqlite, SQLITE_TRACE_STMT, count_read,
				    NULL));
	one = reads_of("Pool=f Tier=flash");
	ck_assert_uint_ge(one, 3);
	ck_assert_uint_eq(reads_of("Pool=f Tier=flash\nPool=d Tier=disk\n"
				   "Pool=p Tier=pmem\nPool=a"),
			  one);
	ck_assert_uint_eq(reads_of("Pool=a Nodes=n[1-2]\nPool=b Nodes=n3"),
			  one);
	slu_receiver_free(receiver);
	slu_db_close(db);
}
END_TEST

#define DEVICE(path, size, tier)                              \
	"{\"device\":\"/dev" path "\",\"mountpoint\":\"" path \
	"\",\"filesystem\":\"xfs\",\"size\":" size            \
	",\"options\":\"rw\",\"category\":\"local\",\"tier\":\"" tier "\"}"

static const char three_devices[] =
	"[" DEVICE("/t1", "52428800", "flash") "," DEVICE(
		"/t2", "62914560",
		"flash") "," DEVICE("/t3", "20971520",
				    "flash") "," DEVICE("/d", "7340032",
							"disk") "]";

/* Of like devices each counts, or the largest; one share may be as large as the
 * largest either way, or as all together where it is spread. */
START_TEST(test_devices)
{
	static const struct {
		const char *conf;
		unsigned long long total, available, largest; /* MiB */
	} asked[] = {
		{"", 60, 60, 60},
		{"NodeDevices=best", 60, 60, 60},
		{"NodeDevices=each", 130, 90, 60},
		{"NodeDevices=each\nNodeStorage=flash", 130, 90, 60},
		{"NodeDevices=each\nPool=f Tier=flash", 130, 90, 60},
		{"NodeDevices=each\nNodeStorage=/t1", 50, 10, 50},
		{"NodeDevices=each\nNodeStorage=/t*", 130, 90, 60},
		{"NodeDevices=each\nPool=d Tier=disk", 7, 7, 7},
		{"NodeDevices=all", 130, 90, 60},
		{"NodeDevices=all\nPool=d Tier=disk", 7, 7, 7},
	};
	const uint64_t flash = slu_plan_part_fits(50 << 20) +
			       slu_plan_part_fits(60 << 20) +
			       slu_plan_part_fits(20 << 20);
	struct slu_capacity s;
	bool spread;

	db = slu_db_open(tmpfile_path("devices.db"), SLU_DB_WRITE, &err);
	expect(db, "%s", err.text);
	receiver = slu_receiver_new(db, &err);
	push_one("n1", "mountpoints", three_devices);
	push_one("n1", "mountusage",
		 "[{\"mountpoint\":\"/t1\",\"available\":10485760}]");
	each(c, asked)
	{
		reckon(c->conf, "n1", &s);
		expect(s.pools[0].total == c->total << 20 &&
			       s.pools[0].available == c->available << 20 &&
			       s.pools[0].nodes == 1 &&
			       s.pools[0].largest ==
				       slu_image_fits(c->largest << 20),
		       "%s: %llu %llu %u", c->conf,
		       (unsigned long long)s.pools[0].total,
		       (unsigned long long)s.pools[0].available,
		       s.pools[0].nodes);
		spread = strstr(c->conf, "all") && !strstr(c->conf, "disk");
		expect(s.pools[0].together == (spread ? flash : 0) &&
			       s.pools[0].devices == (spread ? 3 : 0),
		       "%s: %llu", c->conf,
		       (unsigned long long)s.pools[0].together);
		slu_msg_clear(&slu_capacity_desc, &s);
	}
	slu_receiver_free(receiver);
	slu_db_close(db);
}
END_TEST

static int plan_of(const struct slu_conf *conf, uint64_t capacity)
{
	const struct slu_plan_site site = {.conf = conf, .map = db};
	char *request = slu_asprintf("jobfs type=g capacity=%llu",
				     (unsigned long long)capacity);
	const struct slu_job job = {.job_id = 7,
				    .array_task_id = SLU_NO_ID,
				    .uid = 1000,
				    .user = (char *)"ann",
				    .nodes = (char *)"n1",
				    .request = request};
	struct slu_plan plan;
	const int rc = slu_plan_make(&job, &site, &plan, &err);

	if (!rc)
		slu_msg_clear(&slu_plan_desc, &plan);
	free(request);
	return rc;
}

/* What is the most for a submission, a plan can give. */
START_TEST(test_most_of_devices)
{
	static const char text[] =
		"NodeDevices=all\nFileSystem=g Driver=glusterfs\n";
	struct slu_conf *conf = slu_conf_parse(text, "test", &err);
	struct slu_capacity s;

	db = slu_db_open(tmpfile_path("most.db"), SLU_DB_WRITE, &err);
	expect(db, "%s", err.text);
	receiver = slu_receiver_new(db, &err);
	push_one("n1", "mountpoints", three_devices);
	reckon(text, "n1", &s);
	expect_ok(plan_of(conf, s.pools[0].together), err);
	expect_fail(plan_of(conf, s.pools[0].together + 1), err, SLU_BUSY,
		    "of which only");
	slu_msg_clear(&slu_capacity_desc, &s);
	slu_receiver_free(receiver);
	slu_db_close(db);
	slu_conf_free(conf);
}
END_TEST

/* Nothing larger fits, and it is not said of what does. */
START_TEST(test_image_size_is_the_largest_that_fits)
{
	static const uint64_t rooms[] = {
		0, 1, 65535, 1 << 20, 10 << 20, 100 << 20, UINT64_C(1) << 40};

	for (size_t i = 0; i < sizeof(rooms) / sizeof(rooms[0]); i++) {
		uint64_t n = slu_image_fits(rooms[i]);

		ck_assert(n == 0 || slu_image_size(n) <= rooms[i]);
		ck_assert(slu_image_size(n + 1) > rooms[i]);
	}
}
END_TEST

START_TEST(test_reckon)
{
	db = slu_db_open(tmpfile_path("db"), SLU_DB_WRITE, &err);
	expect(db, "%s", err.text);
	receiver = slu_receiver_new(db, &err);
	push("n1", 100, 10);
	push("n2", 200, 80);
	each(c, cases)
	{
		struct slu_capacity s;
		const struct slu_pool_capacity *p;

		reckon(c->conf, c->nodes, &s);
		ck_assert(c->pool < s.n_pools);
		p = &s.pools[c->pool];
		expect(p->total == c->total << 20 &&
			       p->available == c->available << 20 &&
			       p->largest == slu_image_fits(c->largest << 20) &&
			       p->nodes == c->nodes_with &&
			       p->complete == c->complete,
		       "%s %s: %llu %llu %llu %u %d", c->conf, c->nodes,
		       (unsigned long long)p->total,
		       (unsigned long long)p->available,
		       (unsigned long long)p->largest, p->nodes, p->complete);
		slu_msg_clear(&slu_capacity_desc, &s);
	}
	slu_receiver_free(receiver);
	slu_db_close(db);
}
END_TEST

/* A file system is short of nodes where enough of them have said so. */
START_TEST(test_offers)
{
	struct slu_capacity s;

	db = slu_db_open(tmpfile_path("db2"), SLU_DB_WRITE, &err);
	expect(db, "%s", err.text);
	receiver = slu_receiver_new(db, &err);
	push_one("n1", "filesystems",
		 "[{\"name\":\"g\",\"ok\":false,\"text\":\"no glusterfsd\"},"
		 "{\"name\":\"f\",\"ok\":true,\"text\":\"\"},"
		 "{\"name\":\"(mover)\",\"ok\":false},"
		 "{\"name\":\"gone\",\"ok\":false}]");
	push_one("n2", "filesystems", "[{\"name\":\"g\",\"ok\":false}]");
	push_one("n3", "filesystems", "{\"g\":7}");
	push_one("ion1", "filesystems", "[{\"name\":\"f\",\"ok\":false}]");
	reckon("IONodes=ion1\nFileSystem=f Driver=scratch\n"
	       "FileSystem=g Driver=glusterfs",
	       "n[1-4],ion1", &s);
	ck_assert_uint_eq(s.n_fs, 1);
	ck_assert_str_eq(s.fs[0].name, "g");
	ck_assert_uint_eq(s.fs[0].able, 2);
	ck_assert_uint_eq(s.fs[0].unable, 2);
	ck_assert_str_eq(s.fs[0].node, "n1");
	ck_assert_str_eq(s.fs[0].why, "no glusterfsd");
	slu_msg_clear(&slu_capacity_desc, &s);
	reckon("Mover=/bin/m %s %d\nFileSystem=g Driver=glusterfs", "n[1-4]",
	       &s);
	ck_assert_uint_eq(s.n_fs, 2);
	ck_assert_str_eq(s.fs[1].name, SLU_CAPACITY_MOVER);
	ck_assert_uint_eq(s.fs[1].unable, 1);
	slu_msg_clear(&slu_capacity_desc, &s);
	slu_receiver_free(receiver);
	slu_db_close(db);
}
END_TEST

TEST_MAIN("supply", test_image_size_is_the_largest_that_fits, test_reckon,
	  test_tiers, test_read_once, test_devices, test_most_of_devices,
	  test_offers)

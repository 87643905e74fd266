/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "sysmap/database/planner_storage.h"
#include "sysmap/database/receive.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

static struct slu_err err;

/* A mount point: path, type, device, GiB, and what else there is to say. */
#define MOUNT(path, type, device, gib, rest)                        \
	"{\"device\":\"" device "\",\"mountpoint\":\"" path         \
	"\",\"filesystem\":\"" type "\",\"size\":" #gib "073741824" \
	",\"options\":" rest "}"
#define RW	"\"rw,noatime\",\"category\":\"local\""
#define RO	"\"ro\",\"category\":\"local\""
#define NET	"\"rw\",\"category\":\"network\""
#define MEMORY	"\"rw\",\"category\":\"memory\""
#define PART(d) "\"rw\",\"category\":\"local\",\"subtree\":\"" d "\""
#define ROOT	MOUNT("/", "ext4", "/dev/sda2", 5, RW)

static const struct {
	const char *mounts;
	const char *want; /* NULL: none */
} cases[] = {
	{"[]", NULL},
	{"[" ROOT "]", "/"},
	/* anything but the root, large or small */
	{"[" ROOT "," MOUNT("/scratch", "xfs", "/dev/sdb1", 1, RW) "]",
	 "/scratch"},
	{"[" MOUNT("/a", "xfs", "/dev/sdb1", 2,
		   RW) "," ROOT "," MOUNT("/b", "xfs", "/dev/sdc1", 3, RW) "]",
	 "/b"},
	/* but not what is for booting, read-only, not a disk, or a job's */
	{"[" ROOT "," MOUNT("/boot", "ext4", "/dev/sda1", 1, RW) "," MOUNT(
		 "/boot/efi", "vfat", "/dev/sda3", 1,
		 RW) "," MOUNT("/cd", "iso9660", "/dev/sr0", 9,
			       RO) "," MOUNT("/usr", "ext4", "/dev/sdd1", 9,
					     RO) "," MOUNT("/lustre", "lustre",
							   "s@tcp:/l", 9,
							   NET) "," MOUNT("/dev/shm",
									  "tmpfs",
									  "tmpfs",
									  9,
									  MEMORY) "," MOUNT("/run/sluice/7/mnt",
											    "ext4",
											    "/dev/loop1",
											    9,
											    RW) "]",
	 "/"},
	/* the root's disk once more is still the root's; parts are no disks */
	{"[" ROOT "," MOUNT("/var/x", "ext4", "/dev/sda2", 5, RW) "]", "/"},
	{"[" ROOT "," MOUNT("/etc/hosts", "ext4", "/dev/sdb1", 9,
			    PART("/docker/hosts")) "]",
	 "/"},
	{"[" ROOT
	 "," MOUNT("/scratch", "btrfs", "/dev/sdb", 1, PART("/@s")) "]",
	 "/scratch"},
	/* equal ones: the shorter path, then the first by name */
	{"[" MOUNT("/data/b", "xfs", "/dev/b", 2, RW) "," MOUNT(
		 "/b", "xfs", "/dev/c", 2, RW) "," MOUNT("/a", "xfs", "/dev/d",
							 2, RW) "]",
	 "/a"},
	/* as the original tool writes them */
	{"[" MOUNT("/scratch", "ext4", "/dev/sdb1", 1, "\"rw\"") "," MOUNT(
		 "/home", "nfs", "server:/home", 9, "\"rw\"") "]",
	 "/scratch"},
	/* rubbish */
	{"[{},7,null,[],{\"mountpoint\":3},{\"mountpoint\":\"x\",\"size\":1,"
	 "\"category\":\"local\",\"options\":\"rw\"}]",
	 NULL},
};

static void put(struct slu_receiver *r, const char *extractor, const char *text)
{
	struct slu_document doc = {
		.extractor = extractor,
		.text = (char *)text,
		.len = strlen(text),
		.hash = slu_document_hash(extractor, text, strlen(text))};
	struct slu_map map = {.document = &doc, .n = 1};

	expect_ok(slu_receive_map(r, "n1", &map, 1, &err), err);
}

START_TEST(test_choice)
{
	struct slu_db *db =
		slu_db_open(tmpfile_path("a.db"), SLU_DB_WRITE, &err);
	struct slu_receiver *r = slu_receiver_new(db, &err);
	struct slu_node_storage s;

	each(c, cases)
	{
		put(r, "mountpoints", c->mounts);
		if (!c->want) {
			expect_fail(slu_storage_find(db, "n1", &s, &err), err,
				    SLU_NOTFOUND, "NodeStorage");
			continue;
		}
		expect_ok(slu_storage_find(db, "n1", &s, &err), err);
		ck_assert_str_eq(s.path, c->want);
		ck_assert_uint_eq(s.available, s.size);
	}
	slu_receiver_free(r);
	slu_db_close(db);
}
END_TEST

START_TEST(test_available)
{
	struct slu_db *db =
		slu_db_open(tmpfile_path("a.db"), SLU_DB_WRITE, &err);
	struct slu_receiver *r = slu_receiver_new(db, &err);
	struct slu_node_storage s;

	expect_fail(slu_storage_find(db, "n1", &s, &err), err, SLU_NOTFOUND,
		    "sysmap --push");
	put(r, "mountpoints", "[" ROOT "]");
	put(r, "mountusage",
	    "[{\"mountpoint\":\"/x\",\"available\":1},"
	    "{\"mountpoint\":\"/\",\"available\":4096}]");
	expect_ok(slu_storage_find(db, "n1", &s, &err), err);
	ck_assert_str_eq(s.filesystem, "ext4");
	ck_assert_uint_eq(s.size, 5073741824);
	ck_assert_uint_eq(s.available, 4096);
	put(r, "mountpoints", "{}");
	expect_fail(slu_storage_find(db, "n1", &s, &err), err, SLU_INVALID,
		    "not an array");
	slu_receiver_free(r);
	slu_db_close(db);
}
END_TEST

/* A path lies on the file system with the longest mount point above it. */
START_TEST(test_at)
{
	static const struct {
		const char *path, *on; /* NULL: nobody can say */
	} paths[] = {
		{"/", "/"},
		{"/local/bb", "/local"},
		{"/local", "/local"},
		{"/local/", "/local"},
		{"/localx/bb", "/"},
		{"/local/b/c", "/local/b"},
		{"/lustre/x", "/lustre"},
	};
	struct slu_db *db =
		slu_db_open(tmpfile_path("a.db"), SLU_DB_WRITE, &err);
	struct slu_receiver *r = slu_receiver_new(db, &err);
	struct slu_node_storage s;

	expect_fail(slu_storage_at(db, "n1", "/x", &s, &err), err, SLU_NOTFOUND,
		    "n1");
	put(r, "mountpoints",
	    "[" ROOT "," MOUNT("/local", "xfs", "/dev/b", 1, RW) "," MOUNT(
		    "/local/b", "xfs", "/dev/c", 2,
		    RW) "," MOUNT("/lustre", "lustre", "s@tcp:/l", 9, NET) "]");
	put(r, "mountusage", "[{\"mountpoint\":\"/local\",\"available\":7}]");
	each(p, paths)
	{
		expect_ok(slu_storage_at(db, "n1", p->path, &s, &err), err);
		expect(strcmp(s.path, p->on) == 0, "%s", p->path);
		ck_assert(s.available ==
			  (strcmp(p->on, "/local") ? s.size : 7));
	}
	put(r, "mountpoints", "[]");
	expect_fail(slu_storage_at(db, "n1", "/x", &s, &err), err, SLU_NOTFOUND,
		    "does not show");
	slu_receiver_free(r);
	slu_db_close(db);
}
END_TEST

TEST_MAIN("node storage", test_choice, test_available, test_at)

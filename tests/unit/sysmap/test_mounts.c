/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the parsers of mount tables, and which mounts are left out. */
#include "config.h"
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "sysmap/linux/storage/mounts.h"
#include "tests/unit/sysmap/machine.h"
#include "common/clock.h"
#include "common/jsonx.h"
#include "sysmap/linux/linux.h"
#include "sysmap/lustre/lustre.h"

static struct slu_err err;

START_TEST(test_category)
{
	static const struct {
		const char *filesystem, *device;
		enum slu_mount_category want;
	} cases[] = {
		{"ext4", "/dev/sda1", SLU_MOUNT_LOCAL},
		{"xfs", "/dev/mapper/vg-lv", SLU_MOUNT_LOCAL},
		{"zfs", "tank/scratch", SLU_MOUNT_LOCAL},
		{"fuseblk", "/dev/sdb1", SLU_MOUNT_LOCAL},
		{"nfs4", "server:/home", SLU_MOUNT_NETWORK},
		{"lustre", "10.0.0.1@o2ib:/u", SLU_MOUNT_NETWORK},
		{"gpfs", "/dev/gpfs1", SLU_MOUNT_NETWORK},
		{"fuse.sshfs", "a@b:", SLU_MOUNT_NETWORK},
		{"fuse", "/dev/fuse", SLU_MOUNT_NETWORK},
		{"fuse.lxcfs", "lxcfs", SLU_MOUNT_PSEUDO},
		{"tmpfs", "tmpfs", SLU_MOUNT_MEMORY},
		{"tmpfs", "/dev/shm", SLU_MOUNT_MEMORY},
		{"devtmpfs", "devtmpfs", SLU_MOUNT_PSEUDO},
		{"overlay", "overlay", SLU_MOUNT_PSEUDO},
		{"proc", "proc", SLU_MOUNT_PSEUDO},
	};

	each(c, cases)
	{
		expect(slu_mount_category_of(c->filesystem, c->device) ==
			       c->want,
		       "%s %s", c->filesystem, c->device);
	}
}
END_TEST

static struct slu_mounts parse(enum slu_mount_form form, const char *text)
{
	struct slu_mounts mounts = {0};

	slu_buf_puts(&mounts.text, text);
	expect_ok(slu_mounts_parse(&mounts, form, &err), err);
	return mounts;
}

START_TEST(test_fields)
{
	struct slu_mounts m =
		parse(SLU_MOUNTINFO,
		      "36 35 98:0 /mnt1 /mnt\\0402\\134x rw,noatime master:1 "
		      "propagate_from:2 - ext3 /dev/root rw,errors=continue\n");

	ck_assert_uint_eq(m.n, 1);
	ck_assert_str_eq(m.mount[0].number, "98:0");
	ck_assert_str_eq(m.mount[0].subtree, "/mnt1");
	ck_assert_str_eq(m.mount[0].mountpoint, "/mnt 2\\x");
	ck_assert_str_eq(m.mount[0].options, "rw,noatime");
	ck_assert_str_eq(m.mount[0].filesystem, "ext3");
	ck_assert_str_eq(m.mount[0].device, "/dev/root");
	ck_assert_str_eq(m.mount[0].super_options, "rw,errors=continue");
	slu_mounts_free(&m);
	m = parse(SLU_MTAB, "/dev/sda1 /a\\011b ext3 rw,acl 0 0\n");
	ck_assert_uint_eq(m.n, 1);
	ck_assert_str_eq(m.mount[0].mountpoint, "/a?b"); /* a tab */
	ck_assert_str_eq(m.mount[0].device, "/dev/sda1");
	ck_assert_ptr_null(m.mount[0].number);
	slu_mounts_free(&m);
}
END_TEST

START_TEST(test_skipped)
{
	static const struct {
		enum slu_mount_form form;
		const char *text;
	} cases[] = {
		{SLU_MOUNTINFO, ""},
		{SLU_MOUNTINFO, "\n\n - - - -\n"},
		{SLU_MOUNTINFO, "1 2 3:4 / /a rw - ext4 /dev/a\n"},
		{SLU_MOUNTINFO, "1 2 3:4 / /a rw x y z\n"},
		{SLU_MOUNTINFO, "1 2 0:4 net:[1] /run/x rw - nsfs nsfs rw\n"},
		{SLU_MOUNTINFO, "1 2 0:4 / relative rw - ext4 /dev/a rw\n"},
		{SLU_MTAB, "/dev/a /a ext4\n"},
		{SLU_MTAB, "tmpfs /run/user/7 tmpfs rw 0 0\n"},
		{SLU_MTAB, "/dev/loop0 /d/sluice/12.3/loop ext4 rw 0 0\n"},
		{SLU_MTAB, "/dev/loop0 /d/sluice/kept/12 ext4 rw 0 0\n"},
		{SLU_MTAB, "a b c d e f g h i j k l m n o p q r s t u v w x y "
			   "z a b c d e f g h\n"},
	};
	struct slu_mounts m;

	each(c, cases)
	{
		m = parse(c->form, c->text);
		expect(m.n == 0, "%s", c->text);
		slu_mounts_free(&m);
	}
	/* a site may well call its disk so */
	m = parse(SLU_MTAB, "/dev/sdb1 /local/sluice/data ext4 rw 0 0\n");
	ck_assert_uint_eq(m.n, 1);
	slu_mounts_free(&m);
}
END_TEST

/* Sorted, without the hidden, the automounted, the users' and the jobs'. */
START_TEST(test_tidy)
{
	static const char *const want[] = {
		"/",	 "/boot", "/dev/shm", "/home", "/lustre/u",
		"/proc", "/ro",	  "/scratch", "/sys",  "/tmp"};
	const struct slu_mount *m;
	struct slu_mounts mounts;
	struct slu_root root;

	machine_unpack("machines/fat.tree", tmpfile_path("m"));
	expect_ok(slu_root_open(&root, tmpfile_path("m"), &err), err);
	expect_ok(slu_mounts_read(&root, &mounts, &err), err);
	ck_assert_uint_eq(mounts.n, sizeof(want) / sizeof(want[0]));
	for (size_t i = 0; i < mounts.n; i++)
		ck_assert_str_eq(mounts.mount[i].mountpoint, want[i]);
	m = slu_mounts_find(&mounts, "259:1", "/dev/nvme0n1p1");
	ck_assert_str_eq(m->mountpoint, "/scratch");
	ck_assert_ptr_null(slu_mounts_find(&mounts, "8:2", "/dev/sda2"));
	slu_mounts_free(&mounts);
	slu_root_close(&root);
}
END_TEST

/* A file system without a device; what lies below a mount that another one
 * covers; and what was mounted before the root, as by an initial RAM disk. */
START_TEST(test_covered)
{
	static const char table[] =
		"20 50 0:19 / /sys rw - sysfs sysfs rw\n"
		"50 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
		"51 50 8:2 / /data rw - xfs /dev/sda2 rw\n"
		"52 51 8:3 / /data/x rw - ext4 /dev/sda3 rw\n"
		"53 52 8:4 / /data/x/y rw - ext4 /dev/sda4 rw\n"
		"54 51 0:40 / /data rw shared:7 - tmpfs  rw,size=1k\n"
		"55 54 8:5 / /data/z rw - ext4 /dev/sda5 rw\n"
		"56 50 8:6 / /database rw - ext4 /dev/sda6 rw\n"
		"57 50 0:41 /@ /home rw - btrfs /dev/sda7 rw\n";
	static const char *const want[] = {"/",		"/data", "/data/z",
					   "/database", "/home", "/sys"};
	struct slu_mounts mounts;
	struct slu_root root;

	machine_file(tmpdir(), "proc/self/mountinfo", table, strlen(table));
	expect_ok(slu_root_open(&root, tmpdir(), &err), err);
	expect_ok(slu_mounts_read(&root, &mounts, &err), err);
	for (size_t i = 0; i < mounts.n && i < 6; i++)
		ck_assert_str_eq(mounts.mount[i].mountpoint, want[i]);
	ck_assert_uint_eq(mounts.n, 6);
	ck_assert_str_eq(mounts.mount[1].filesystem, "tmpfs");
	ck_assert_str_eq(mounts.mount[1].device, "");
	ck_assert_str_eq(
		slu_mounts_find(&mounts, "8:7", "/dev/sda7")->mountpoint,
		"/home");
	ck_assert_ptr_null(slu_mounts_find(&mounts, "9:1", "/dev/sda1"));
	slu_mounts_free(&mounts);
	slu_root_close(&root);
}
END_TEST

/* A device that is mounted several times. */
START_TEST(test_device_with_several_mounts)
{
	static const char table[] =
		"50 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
		"51 50 8:2 /home /home rw - ext4 /dev/sda2 rw\n"
		"52 50 8:2 / /local rw - ext4 /dev/sda2 rw\n"
		"53 50 8:2 / /alocal rw - ext4 /dev/sda2 rw\n"
		"54 50 8:3 /x /c/ontainer rw - ext4 /dev/sda3 rw\n"
		"55 50 8:3 /y /d rw - ext4 /dev/sda3 rw\n";
	struct slu_mounts mounts;
	struct slu_root root;

	machine_file(tmpdir(), "proc/self/mountinfo", table, strlen(table));
	expect_ok(slu_root_open(&root, tmpdir(), &err), err);
	expect_ok(slu_mounts_read(&root, &mounts, &err), err);
	ck_assert_str_eq(slu_mounts_find(&mounts, "8:2", "x")->mountpoint,
			 "/local");
	ck_assert_str_eq(slu_mounts_find(&mounts, "8:3", "x")->mountpoint,
			 "/d");
	slu_mounts_free(&mounts);
	slu_root_close(&root);
}
END_TEST

/* The root may be a network's (diskless nodes): who reads this runs from it. */
START_TEST(test_below_network)
{
	static const char table[] = "50 1 0:1 / / rw - nfs s:/root rw\n"
				    "51 50 0:2 / /n rw - nfs s:/n rw\n"
				    "52 51 0:3 / /n/tmp rw - tmpfs t rw\n"
				    "53 50 0:4 / /near rw - tmpfs t rw\n";
	static const bool want[] = {false, false, true, false};
	struct slu_mounts mounts;
	struct slu_root root;

	machine_file(tmpdir(), "proc/self/mountinfo", table, strlen(table));
	expect_ok(slu_root_open(&root, tmpdir(), &err), err);
	expect_ok(slu_mounts_read(&root, &mounts, &err), err);
	ck_assert_uint_eq(mounts.n, 4);
	for (size_t i = 0; i < mounts.n; i++)
		expect(slu_mount_below_network(&mounts, &mounts.mount[i]) ==
			       want[i],
		       "%s", mounts.mount[i].mountpoint);
	slu_mounts_free(&mounts);
	slu_root_close(&root);
}
END_TEST

/* Mounts a file system whose server never answers; -1: not allowed here. */
static int mount_silent(const char *at)
{
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	char options[80];

	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
	if (fd < 0 || !mount("silent", at, "fuse", 0, options))
		return fd;
	close(fd);
	return -1;
}

static uint64_t size_of(struct json_object *mounts, const char *name)
{
	struct json_object *one, *point, *size;

	for (size_t i = 0; i < json_object_array_length(mounts); i++) {
		one = json_object_array_get_idx(mounts, i);
		if (json_object_object_get_ex(one, "mountpoint", &point) &&
		    !strcmp(json_object_get_string(point), tmpfile_path(name)))
			return json_object_object_get_ex(one, "size", &size)
				       ? (uint64_t)json_object_get_int64(size)
				       : 0;
	}
	return 0;
}

/* A disk that is mounted below a network's mount has its size; where that one's
 * server does not answer, its device's, and soon. */
START_TEST(test_size_below_network)
{
	const char *t = tmpdir();
	char *table =
		slu_asprintf("50 1 0:1 / / rw - ext4 /dev/sda9 rw\n"
			     "51 50 0:2 / %s/n rw - nfs s:/n rw\n"
			     "52 51 8:1 / %s/n/disk rw - ext4 /dev/sda1 rw\n"
			     "53 51 8:2 / %s/n/hangs rw - ext4 /dev/sda2 rw\n"
			     "54 51 8:3 / %s/n/next rw - ext4 /dev/sda3 rw\n",
			     t, t, t, t);
	struct json_object *out;
	struct slu_root root;
	struct statvfs st;
	double start;
	int silent;

	machine_file(tmpdir(), "proc/self/mountinfo", table, strlen(table));
	machine_file(tmpdir(), "sys/dev/block/8:2/size", "4096\n", 5);
	machine_file(tmpdir(), "sys/dev/block/8:3/size", "8192\n", 5);
	machine_file(tmpdir(), "n/disk/file", "", 0);
	machine_file(tmpdir(), "n/hangs/file", "", 0);
	machine_file(tmpdir(), "n/next/file", "", 0);
	silent = mount_silent(tmpfile_path("n/hangs"));
	expect_ok(slu_root_open(&root, tmpdir(), &err), err);
	root.live = true;
	start = slu_now_mono();
	expect_ok(slu_linux_mountinfo(&root, &out, &err), err);
	ck_assert(slu_now_mono() < start + 10);
	ck_assert(!statvfs(tmpfile_path("n/disk"), &st));
	ck_assert_uint_eq(size_of(out, "n/disk"),
			  (uint64_t)st.f_frsize * st.f_blocks);
	if (silent >= 0) {
		ck_assert_uint_eq(size_of(out, "n/hangs"), 4096 * 512);
		ck_assert_uint_eq(size_of(out, "n/next"), 8192 * 512);
		ck_assert(!umount2(tmpfile_path("n/hangs"), MNT_DETACH));
		close(silent);
	}
	json_object_put(out);
	slu_root_close(&root);
	free(table);
}
END_TEST

/* OSTs by their osc devices, where there is nothing better: an address of the
 * kernel, here of x86, of POWER and of ARM. */
START_TEST(test_lustre_names)
{
	static const char table[] =
		"50 1 0:1 / /s rw - lustre 10.0.0.1@tcp:/scratch rw\n";
	static const char *const devices[] = {
		"scratch-OST0001-osc-ffff88105db50000",
		"scratch-OST0002-osc-c000000fe1234000",
		"scratch-OST0003-osc-0000000012345678",
		"scratch-OST0004-osc-MDT0000",
		"scratch-OST0005-osc-ffff",
		"other-OST0006-osc-ffff88105db50000",
	};
	struct json_object *out;
	struct slu_root root;
	char path[96];

	machine_file(tmpdir(), "proc/self/mountinfo", table, strlen(table));
	each(name, devices)
	{
		snprintf(path, sizeof(path), "proc/fs/lustre/osc/%s/x", *name);
		machine_file(tmpdir(), path, "x", 1);
	}
	expect_ok(slu_root_open(&root, tmpdir(), &err), err);
	expect_ok(slu_lustre_mounts(&root, &out, &err), err);
	ck_assert_ptr_nonnull(
		strstr(slu_json_text(out),
		       "\"osts\":[{\"index\":1,\"name\":\"scratch-OST0001\"},"
		       "{\"index\":2,\"name\":\"scratch-OST0002\"},"
		       "{\"index\":3,\"name\":\"scratch-OST0003\"}]"));
	json_object_put(out);
	slu_root_close(&root);
}
END_TEST

/* What lies below a file system, as the kernel says of its queue: of a disk, a
 * partition, a volume, of what has no number, and of nothing known. */
START_TEST(test_tiers)
{
	static const struct {
		const char *path, *text;
	} files[] = {
		{"sys/devices/sda/queue/rotational", "1\n"},
		{"sys/devices/sda/sda1/partition", "1\n"},
		{"sys/devices/nvme0n1/queue/rotational", "0\n"},
		{"sys/devices/nvme0n1/nvme0n1p1/partition", "1\n"},
		{"sys/devices/dm-0/queue/rotational", "0\n"},
		{"sys/devices/pmem0/queue/rotational", "0\n"},
		{"sys/devices/dm-1/queue/rotational", "0\n"},
		{"sys/devices/dm-1/queue/dax", "1\n"},
		{"proc/self/mountinfo",
		 "1 0 8:1 / /a rw - ext4 /dev/sda1 rw\n"
		 "2 0 259:1 / /b rw - xfs /dev/nvme0n1p1 rw\n"
		 "3 0 253:0 / /c rw - xfs /dev/mapper/vg-lv rw\n"
		 "4 0 259:9 / /d rw - xfs /dev/pmem0 rw\n"
		 "5 0 253:1 / /e rw - xfs /dev/mapper/pm rw\n"
		 "6 0 0:44 / /f rw - btrfs /dev/sda rw\n"
		 "7 0 0:45 / /g rw - tmpfs tmpfs rw,size=65536k,mode=755\n"
		 "8 0 9:9 / /h rw - ext4 /dev/md9 rw\n"},
	};
	static const char *const links[][2] = {
		{"sys/dev/block/8:1", "../../devices/sda/sda1"},
		{"sys/dev/block/259:1", "../../devices/nvme0n1/nvme0n1p1"},
		{"sys/dev/block/253:0", "../../devices/dm-0"},
		{"sys/dev/block/253:1", "../../devices/dm-1"},
		{"sys/dev/block/259:9", "../../devices/pmem0"},
		{"sys/class/block/sda", "../../devices/sda"},
	};
	static const char *const want[] = {"disk", "flash", "flash", "pmem",
					   "pmem", "disk",  "",	     ""};
	struct json_object *out, *row;
	struct slu_root root;

	each(f, files) machine_file(tmpfile_path("m"), f->path, f->text,
				    strlen(f->text));
	each(l, links) machine_link(tmpfile_path("m"), (*l)[0], (*l)[1]);
	expect_ok(slu_root_open(&root, tmpfile_path("m"), &err), err);
	expect_ok(slu_linux_mountinfo(&root, &out, &err), err);
	ck_assert_uint_eq(json_object_array_length(out),
			  sizeof(want) / sizeof(want[0]));
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		row = json_object_array_get_idx(out, i);
		expect(slu_eq(slu_json_str_at(row, "tier"), want[i]), "%s",
		       slu_json_str_at(row, "mountpoint"));
	}
	row = json_object_array_get_idx(out, 6);
	ck_assert_uint_eq(slu_json_u64_at(row, "size"), 64 << 20);
	json_object_put(out);
	slu_root_close(&root);
}
END_TEST

START_TEST(test_missing)
{
	struct slu_mounts mounts;
	struct slu_root root;

	expect_ok(slu_root_open(&root, tmpdir(), &err), err);
	expect_fail(slu_mounts_read(&root, &mounts, &err), err, SLU_NOTFOUND,
		    "/proc/mounts");
	machine_file(tmpdir(), "proc/mounts", "/dev/a / ext4 rw 0 0\n", 21);
	expect_ok(slu_mounts_read(&root, &mounts, &err), err);
	ck_assert_str_eq(slu_mounts_find(&mounts, "1:1", "/dev/a")->mountpoint,
			 "/");
	slu_mounts_free(&mounts);
	slu_root_close(&root);
}
END_TEST

TEST_MAIN("mounts", test_category, test_fields, test_skipped, test_tidy,
	  test_covered, test_device_with_several_mounts, test_below_network,
	  test_size_below_network, test_lustre_names, test_tiers, test_missing)

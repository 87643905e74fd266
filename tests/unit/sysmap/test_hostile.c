/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests sysmap on hostile recorded trees: each file of a machine is replaced in
 * turn by unexpected data. Every extractor must return soon and use little
 * memory, and every document must be JSON.
 */
#include "config.h"
#include "sysmap/extract.h"
#include "tests/unit/sysmap/machine.h"

#include <ftw.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include "common/jsonx.h"

#define SECONDS	  30	      /* it takes one when nobody else works */
#define MEMORY_KB (160 << 10) /* the test's own included */

static struct slu_err err;
static int turn; /* which ill is done next */
static int ills; /* how many there are: all, or only number `turn` */

static void rubbish(const char *path)
{
	FILE *f = fopen(path, "w");

	for (int i = 0; i < 20000; i++)
		fputc(i * 7919 >> 3, f);
	fclose(f);
}

static void huge(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0644);

	ck_assert(fd >= 0 && ftruncate(fd, (off_t)1 << 42) == 0);
	close(fd);
}

static void lines(const char *path)
{
	FILE *f = fopen(path, "w");

	for (int i = 0; i < 30000; i++)
		fprintf(f,
			"%d 1 0:%d / /m%d rw - lustre a:/fs rw\n"
			"/dev/s%d file 1 0 1\n%d: fs-OST%04x_UUID ACTIVE\n",
			i, i, i, i, i, i);
	fclose(f);
}

static void do_ill(int which, const char *path)
{
	switch (which) {
	case 0:
		ck_assert(mkfifo(path, 0644) == 0);
		break;
	case 1: /* to itself */
		ck_assert(symlink(path + strlen(tmpdir()), path) == 0);
		break;
	case 2:
		ck_assert(mkdir(path, 0755) == 0);
		break;
	case 3: /* out of the tree */
		ck_assert(symlink("../../../../../../../../etc/passwd", path) ==
			  0);
		break;
	case 4:
		rubbish(path);
		break;
	case 5:
		huge(path);
		break;
	case 6: /* a directory that contains itself */
		ck_assert(symlink(".", path) == 0);
		break;
	case 7:
		lines(path);
		break;
	case 8: /* of no right: root reads it all the same */
		rubbish(path);
		chmod(path, 0);
		break;
	case 9: /* endless; only root may make one */
		if (mknod(path, S_IFCHR | 0644, makedev(1, 5)))
			rubbish(path);
		break;
	}
}

#define ILLS 10

static int replace(const char *path, const struct stat *st, int type,
		   struct FTW *ftw)
{
	(void)st, (void)ftw;
	if (type != FTW_F)
		return 0;
	ck_assert(unlink(path) == 0);
	do_ill(ills ? turn++ % ills : turn, path);
	return 0;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Read all of it, and what is read on request only. */
static void read_it(const char *dir)
{
	char *names[64] = {0};
	struct rusage usage;
	struct json_object *obj;
	struct slu_root root;
	struct slu_map map;
	double start = now();

	for (size_t i = 0; slu_extractors[i].name; i++)
		names[i] = (char *)slu_extractors[i].name;
	expect_ok(slu_root_open(&root, dir, &err), err);
	expect_ok(slu_map_extract(&root, names, &map, &err), err);
	slu_root_close(&root);
	for (size_t i = 0; i < map.n; i++) {
		obj = slu_json_parse(map.document[i].text, map.document[i].len,
				     &err);
		expect(obj != NULL, "%s: %s", map.document[i].extractor,
		       err.text);
		expect(!strstr(map.document[i].text, "root:x:0:0"), "%s",
		       map.document[i].extractor);
		json_object_put(obj);
	}
	slu_map_free(&map);
	expect(now() - start < SECONDS, "%.1f s", now() - start);
	getrusage(RUSAGE_SELF, &usage);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	expect(usage.ru_maxrss < MEMORY_KB, "%ld KiB", usage.ru_maxrss);
#endif
}

/* The machine with what only is read where something else is missing. */
static void make_machine(const char *dir)
{
	static const char *const also[] = {
		"hwloc.xml",
		"var/lib/sluice/ibnetdiscover",
		"etc/slurm/topology.conf",
		"proc/config.gz",
		"sys/firmware/dmi/tables/DMI",
		"sys/firmware/dmi/entries/17-0/raw",
		"proc/fs/lustre/obdfilter/fs-OST0000/x",
		"sys/class/dmi/id/x",
	};

	machine_unpack("machines/fat.tree", dir);
	each(path, also) machine_file(dir, *path, "x", 1);
}

static void do_it(void)
{
	make_machine(tmpfile_path("m"));
	ck_assert(nftw(tmpfile_path("m"), replace, 16, FTW_PHYS) == 0);
	read_it(tmpfile_path("m"));
}

/* All files with the same garbage, one test for each kind. */
START_TEST(test_all_files_the_same_garbage)
{
	turn = _i;
	do_it();
}
END_TEST

/* A mixture, begun at another one each time. */
START_TEST(test_mixture)
{
	turn = _i;
	ills = ILLS;
	do_it();
}
END_TEST

/* More entries than any real machine has. */
START_TEST(test_more_entries_than_any_machine)
{
	static const char *const dirs[] = {
		"sys/class/net",	  "sys/class/block",
		"sys/bus/pci/devices",	  "sys/class/nvme",
		"sys/devices/system/cpu", "sys/devices/system/node"};
	static const char *const names[] = {"eth%d",	    "nvme%dn1",
					    "%04x:00:00.0", "nvme%d",
					    "cpu%d",	    "node%d"};
	char path[128], name[32];

	make_machine(tmpfile_path("m"));
	for (int i = 0; i < 3000; i++) {
		snprintf(name, sizeof(name), names[_i], i);
		snprintf(path, sizeof(path), "%s/%s/size", dirs[_i], name);
		machine_file(tmpfile_path("m"), path, "1", 1);
	}
	read_it(tmpfile_path("m"));
}
END_TEST

/* A way that leads back: each directory has a link to the top. */
START_TEST(test_loops)
{
	static const char *const places[] = {
		"sys/class/block/sda",
		"sys/class/net/eth0",
		"sys/class/nvme/nvme0",
		"sys/bus/pci/devices/0000:00:00.0",
		"sys/class/infiniband/mlx5_0/ports/1",
		"proc/fs/lustre/lov",
		"sys/module/nvme/parameters",
		"dev/disk/by-uuid/x"};

	mkdir(tmpfile_path("m"), 0755);
	each(path, places) machine_link(tmpfile_path("m"), *path, "/");
	read_it(tmpfile_path("m"));
}
END_TEST

/* hwloc 2.9 dies of it: distances of two nodes, and one node. */
START_TEST(test_hwloc)
{
	static const char xml[] =
		"<topology><object type=\"Machine\" os_index=\"0\" "
		"cpuset=\"0x3\" complete_cpuset=\"0x3\" nodeset=\"0x3\" "
		"complete_nodeset=\"0x3\" allowed_nodeset=\"0x3\">\n"
		"<distances nbobjs=\"2\" relative_depth=\"2\" "
		"latency_base=\"1.0\">\n"
		"<latency value=\"10\"/><latency value=\"21\"/>\n"
		"<latency value=\"21\"/><latency value=\"10\"/>\n"
		"</distances>\n"
		"<object type=\"NUMANode\" os_index=\"0\" cpuset=\"0x1\" "
		"complete_cpuset=\"0x1\" nodeset=\"0x1\" "
		"complete_nodeset=\"0x1\" local_memory=\"1024\">\n";

	machine_file(tmpfile_path("m"), "hwloc.xml", xml, strlen(xml));
	read_it(tmpfile_path("m"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("hostile");
	TCase *tcase = tcase_create("hostile");
	SRunner *runner = srunner_create(suite);
	int failed;

	setenv("TMPDIR", "/dev/shm", 1); /* thousands of files */
	scratch_begin();
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, test_all_files_the_same_garbage, 0, ILLS);
	tcase_add_loop_test(tcase, test_mixture, 0, 3);
	tcase_add_loop_test(tcase, test_more_entries_than_any_machine, 0, 6);
	tcase_add_test(tcase, test_loops);
	tcase_add_test(tcase, test_hwloc);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	scratch_end();
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the reader of a Lustre client's counters: a job's I/O is reported only
 * if it was alone on the node. */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/select_io/recorded.h"
#include "tests/unit/tmpdir.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/node/commands/llite.h"
#include "common/file.h"

#define OLD "proc/fs/lustre/llite/"
#define NEW "sys/kernel/debug/lustre/llite/"

static const char *path_of(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", tmpdir(), name);
	return path;
}

static void put(const char *name, const char *text)
{
	char dir[512];
	struct slu_err err;

	snprintf(dir, sizeof(dir), "%s", path_of(name));
	for (char *p = dir + strlen(tmpdir()) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(dir, 0755);
		*p = '/';
	}
	expect_ok(slu_file_write(AT_FDCWD, dir, text, strlen(text), 0644, false,
				 &err),
		  err);
}

/* As Lustre 2.14 prints them. */
static void count(const char *mount, double in, double out)
{
	char name[256], text[512];

	snprintf(name, sizeof(name), "%s/stats", mount);
	snprintf(text, sizeof(text),
		 "snapshot_time             1710759783.2710 secs.nsecs\n"
		 "read_bytes                12 samples [bytes] 1 4096 %.0f "
		 "9000\n"
		 "write_bytes               3 samples [bytes] 1 4096 %.0f\n"
		 "read                      12 samples [usecs] 1 2 3 4\n"
		 "ioctl                     114 samples [reqs]\n",
		 in, out);
	put(name, text);
}

START_TEST(test_read)
{
	double in, out;

	ck_assert_int_eq(slu_llite_read(tmpdir(), &in, &out), 0);
	ck_assert_double_eq(in + out, 0);
	count(OLD "home-ffff88105db50000", 100, 20);
	count(NEW "work-ffff88105db50000", 5e12, 7);
	put(NEW "idle-ffff88105db50001/stats",
	    "snapshot_time 1710759783.2710 secs.nsecs\n"
	    "read_bytes nonsense\n");
	ck_assert_int_eq(slu_llite_read(tmpdir(), &in, &out), 3);
	ck_assert_double_eq(in, 5e12 + 100);
	ck_assert_double_eq(out, 27);
}
END_TEST

/* A client of Lustre 2.10. */
START_TEST(test_recorded)
{
	const char *archive =
		recorded("lustre/lustre-2.10-proc-sys-tree.tar.gz");
	struct slu_buf text = {0};
	char command[2048];
	double in, out, want[2] = {-1, -1};

	if (!archive)
		return;
	snprintf(command, sizeof(command),
		 "tar -xzf '%.400s' -C '%s' --strip-components=1 "
		 "gsi/proc/fs/lustre/llite && cat '%s'/" OLD "*/stats >'%s'",
		 archive, tmpdir(), tmpdir(), path_of("all"));
	ck_assert_int_eq(system(command), 0);
	ck_assert_int_eq(
		slu_file_read(AT_FDCWD, path_of("all"), 1 << 20, &text, NULL),
		0);
	sscanf(strstr(text.data, "\nread_bytes") + 1,
	       "read_bytes %*u samples [bytes] %*u %*u %lf", &want[0]);
	sscanf(strstr(text.data, "\nwrite_bytes") + 1,
	       "write_bytes %*u samples [bytes] %*u %*u %lf", &want[1]);
	ck_assert_int_eq(slu_llite_read(tmpdir(), &in, &out), 1);
	ck_assert_double_eq(in, want[0]);
	ck_assert_double_eq(out, want[1]);
	slu_buf_free(&text);
}
END_TEST

static bool ended(uint32_t job, double *in, double *out)
{
	char dir[512];

	snprintf(dir, sizeof(dir), "%s", path_of("io"));
	return slu_llite_end(tmpdir(), dir, job, in, out);
}

static void begin(uint32_t job)
{
	char dir[512];
	struct slu_err err;

	snprintf(dir, sizeof(dir), "%s", path_of("io"));
	expect_ok(slu_llite_begin(tmpdir(), dir, job, &err), err);
}

START_TEST(test_alone_on_the_node)
{
	double in = -1, out = -1;

	begin(6); /* no Lustre: no note */
	ck_assert_int_ne(access(path_of("io/6.llite"), F_OK), 0);
	ck_assert(!ended(6, &in, &out));
	count(NEW "work", 1000, 100);
	begin(7);
	count(NEW "work", 1500, 170);
	begin(7); /* anew, after a requeue */
	count(NEW "work", 1600, 175);
	ck_assert(ended(7, &in, &out));
	ck_assert_double_eq(in, 100);
	ck_assert_double_eq(out, 5);
	ck_assert_int_ne(access(path_of("io/7.llite"), F_OK), 0);
	ck_assert(!ended(7, &in, &out)); /* told once */
	begin(8);
	count(NEW "work", 10, 0); /* mounted anew, or cleared */
	ck_assert(!ended(8, &in, &out));
	begin(9);
	put("io/9.llite", "torn");
	ck_assert(!ended(9, &in, &out));
	ck_assert_double_eq(in, 100);
}
END_TEST

/* Jobs that were on the node at the same time know nothing; the next does. */
START_TEST(test_shared)
{
	double in, out;

	count(NEW "work", 1000, 100);
	put("io/7", "1 2\n"); /* of tasks: no job's */
	begin(1);
	begin(2);
	ck_assert(!ended(1, &in, &out));
	begin(3); /* meets 2 */
	ck_assert(!ended(2, &in, &out));
	ck_assert(!ended(3, &in, &out));
	begin(4);
	count(NEW "work", 1001, 100);
	ck_assert(ended(4, &in, &out));
	ck_assert_double_eq(in, 1);
}
END_TEST

/* Whose epilog was killed: the next job has the node for itself again. */
START_TEST(test_tidy)
{
	char dir[512];
	double in, out;

	snprintf(dir, sizeof(dir), "%s", path_of("io"));
	count(NEW "work", 1000, 100);
	begin(1);
	begin(12);
	put("io/1", "1 2\n");
	put("proc/77/cmdline", "slurmstepd: [12.batch]");
	put("proc/78/cmdline", "slurmstepd: [100.batch]");
	slu_llite_tidy(tmpdir(), dir, time(NULL) + 10); /* young */
	ck_assert_int_eq(access(path_of("io/1.llite"), F_OK), 0);
	slu_llite_tidy(tmpdir(), dir, time(NULL) + 700);
	ck_assert_int_ne(access(path_of("io/1.llite"), F_OK), 0);
	ck_assert_int_eq(access(path_of("io/12.llite"), F_OK), 0);
	ck_assert_int_eq(access(path_of("io/1"), F_OK), 0);
	ended(12, &in, &out);
	begin(13);
	ck_assert(ended(13, &in, &out));
}
END_TEST

TEST_MAIN("llite", test_read, test_recorded, test_alone_on_the_node,
	  test_shared, test_tidy)

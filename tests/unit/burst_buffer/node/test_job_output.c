/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests messages that are appended to a job's output file, and the files to
 * which nothing may be appended (links, other users' files, devices). */
#include "config.h"
#include "burst_buffer/node/node.h"
#include "burst_buffer/node/stage/job_output.h"
#include "common/file.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define USER 1000

static struct slu_node n;

/* A path in the test's own directory, for as long as the test runs. */
static const char *at(const char *name)
{
	static char path[8][200];
	size_t i = 0;
	char want[200];

	snprintf(want, sizeof(want), "%s/%s", tmpdir(), name);
	while (*path[i] && strcmp(path[i], want) != 0)
		ck_assert_uint_lt(++i, 8);
	strcpy(path[i], want);
	return path[i];
}

/* The job's directory, and one of its user. */
static void begin(void)
{
	n = (struct slu_node){.plan = {.uid = USER, .gid = USER}};
	slu_copy(n.dir, sizeof(n.dir), at("job"));
	ck_assert(!chmod(tmpdir(), 0755) && !mkdir(n.dir, 0711));
	ck_assert(!mkdir(at("home"), 0755) && !chown(at("home"), USER, USER));
}

static void put(const char *path, uid_t owner, const char *text)
{
	FILE *f = fopen(path, "w");

	ck_assert(f && fputs(text, f) >= 0 && !fclose(f));
	ck_assert(!chown(path, owner, owner) && !chmod(path, 0644));
}

static const char *holds(const char *path)
{
	static char text[400];
	struct slu_buf buf = {0};
	struct slu_err err;

	expect_ok(slu_file_read(AT_FDCWD, path, sizeof(text), &buf, &err), err);
	slu_copy(text, sizeof(text), buf.data ? buf.data : "");
	slu_buf_free(&buf);
	return text;
}

/* As the SPANK hook does, of a file that is there. */
static void note(const char *path)
{
	char text[400];
	struct stat st;

	ck_assert(!stat(path, &st));
	snprintf(text, sizeof(text), "%llu %s", (unsigned long long)st.st_ino,
		 path);
	put(at("job/output"), 0, text);
}

START_TEST(test_appended)
{
	const char *path = at("home/a b\n.out");

	if (!have_root())
		return;
	begin();
	put(path, USER, "hello\n");
	note(path);
	slu_job_output_end(&n, "one\ntwo");
	ck_assert_str_eq(holds(path), "hello\nsluice: one\nsluice: two\n");
	slu_job_output_end(&n, "");
	ck_assert_str_eq(holds(path), "hello\nsluice: one\nsluice: two\n");
}
END_TEST

static void be_symlink(const char *path, const char *old)
{
	(void)old;
	ck_assert(!symlink(at("secret"), path));
}

static void be_symlink_to_itself(const char *path, const char *old)
{
	ck_assert(!symlink(old, path));
}

static void be_hard_link(const char *path, const char *old)
{
	(void)old;
	ck_assert(!link(at("secret"), path));
}

static void be_fifo(const char *path, const char *old)
{
	(void)old;
	ck_assert(!mkfifo(path, 0666) && !chown(path, USER, USER));
}

static int reader;

static void be_read_fifo(const char *path, const char *old)
{
	be_fifo(path, old);
	reader = open(path, O_RDONLY | O_NONBLOCK);
	ck_assert_int_ge(reader, 0);
}

static void be_another(const char *path, const char *old)
{
	(void)old;
	put(path, USER, "another\n");
}

static void be_directory(const char *path, const char *old)
{
	(void)old;
	ck_assert(!mkdir(path, 0777));
}

static void be_nothing(const char *path, const char *old)
{
	(void)path, (void)old;
}

static void be_roots(const char *path, const char *old)
{
	ck_assert(!rename(old, path) && !chown(path, 0, 0));
}

/* The job's user has put something else in its place. */
START_TEST(test_replaced)
{
	static void (*const be[])(const char *path, const char *old) = {
		be_symlink,   be_symlink_to_itself, be_hard_link,
		be_fifo,      be_read_fifo,	    be_another,
		be_directory, be_nothing,	    be_roots,
	};
	const char *path = at("home/out");
	const char *old = at("home/old");
	const char *secret = at("secret");
	char c;

	if (!have_root())
		return;
	begin();
	put(secret, 0, "secret\n");
	each(how, be)
	{
		slu_rmtree(AT_FDCWD, path, NULL);
		slu_rmtree(AT_FDCWD, old, NULL);
		put(path, USER, "hello\n");
		note(path);
		ck_assert(!rename(path, old));
		(*how)(path, old);
		slu_job_output_end(&n, "one");
		ck_assert_str_eq(holds(secret), "secret\n");
		if (*how == be_roots)
			ck_assert_str_eq(holds(path), "hello\n");
		else
			ck_assert_str_eq(holds(old), "hello\n");
		if (*how == be_another)
			ck_assert_str_eq(holds(path), "another\n");
		if (*how == be_read_fifo)
			ck_assert_int_le(read(reader, &c, 1), 0);
	}
}
END_TEST

/* What the note could hold, cut short or made by hand. */
START_TEST(test_notes)
{
	static const char *const notes[] = {
		"",
		" ",
		"7",
		"7 ",
		"x /etc/passwd",
		"7 out",
		"-1 /",
		"99999999999999999999999 /etc/passwd",
	};

	if (!have_root())
		return;
	begin();
	slu_job_output_end(&n, "one");
	each(text, notes)
	{
		put(at("job/output"), 0, *text);
		slu_job_output_end(&n, "one");
	}
}
END_TEST

/* A file beyond what root alone may reach. */
START_TEST(test_out_of_reach)
{
	const char *path = at("closed/out");

	if (!have_root())
		return;
	begin();
	ck_assert(!mkdir(at("closed"), 0700));
	put(path, USER, "hello\n");
	note(path);
	slu_job_output_end(&n, "one");
	ck_assert_str_eq(holds(path), "hello\n");
}
END_TEST

START_TEST(test_begin)
{
	const char *tell = at("job/tell");

	if (!have_root())
		return;
	begin();
	n.driver = slu_drivers[0];
	n.plan.name = (char *)"JOBFS";
	n.plan.driver = (char *)"scratch";
	n.plan.capacity = 3u << 20;
	n.plan.n_node = 2;
	n.planned = true;
	n.user_text = (char *)"staged in 1 file, 2B";
	slu_copy(n.data, sizeof(n.data), "/run/sluice/7/mnt/data");
	slu_job_output_begin(&n);
	ck_assert_str_eq(holds(tell),
			 "sluice: $BB_JOBFS is /run/sluice/7/mnt/data, 3MiB of "
			 "scratch on 2 nodes\n"
			 "sluice: staged in 1 file, 2B\n");
	ck_assert(!unlink(tell));
	n.plan.quiet = true;
	slu_job_output_begin(&n);
	ck_assert(access(tell, F_OK));
}
END_TEST

/* Of what has failed, in the words of the request. */
START_TEST(test_staging)
{
	static const struct {
		const char *driver, *said, *want;
		bool out, use;
		uint64_t input; /* bytes, as far as this node knows */
	} cases[] = {
		{"scratch",
		 "cannot open the source /run/sluice/7/mnt/data/out: No such "
		 "file or directory",
		 "cannot open the source $BB_JOBFS/out: No such file or "
		 "directory",
		 true, false, 0},
		{"scratch",
		 "/run/sluice/7/mnt/data/in/a: No space left on device",
		 "$BB_JOBFS/in/a: No space left on device; what is staged in "
		 "does not fit: capacity=3MiB is too small",
		 false, false, 0},
		{"glusterfs", "a: Disk quota exceeded",
		 "a: Disk quota exceeded; what is staged in does not fit: "
		 "capacity=3MiB is too small",
		 false, false, 0},
		{"glusterfs", "a: Disk quota exceeded",
		 "a: Disk quota exceeded; what is staged in (32MiB) does not "
		 "fit: capacity=3MiB is too small",
		 false, false, 32u << 20},
		{"glusterfs", "a: Disk quota exceeded",
		 "a: Disk quota exceeded; what is staged in does not fit: "
		 "capacity=3MiB is too small",
		 false, false, 3u << 20},
		/* somebody else's, or of no size */
		{"scratch", "/pfs/a: No space left on device",
		 "/pfs/a: No space left on device", true, false, 0},
		{"glusterfs", "a: No space left on device",
		 "a: No space left on device", false, true, 0},
		{"lustre", "a: Disk quota exceeded", "a: Disk quota exceeded",
		 false, false, 0},
		{"scratch", "/p: Permission denied", "/p: Permission denied",
		 false, false, 0},
	};

	each(c, cases)
	{
		struct slu_err said = {.kind = SLU_IO};

		n = (struct slu_node){
			.to_copy = c->input,
			.plan = {.name = (char *)"JOBFS",
				 .driver = (char *)(uintptr_t)c->driver,
				 .use = c->use,
				 .capacity = 3u << 20}};
		slu_copy(n.data, sizeof(n.data), "/run/sluice/7/mnt/data");
		slu_copy(said.text, sizeof(said.text), c->said);
		slu_job_output_failure(&n, c->out, &said);
		ck_assert_str_eq(said.text, c->want);
		ck_assert_int_eq(said.kind, SLU_IO);
	}
}
END_TEST

TEST_MAIN("job_output", test_staging, test_appended, test_replaced, test_notes,
	  test_out_of_reach, test_begin)

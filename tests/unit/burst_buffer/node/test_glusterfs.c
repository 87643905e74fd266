/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the glusterfs driver with real bricks; the parts of several nodes are
 * on this host. */
#include "config.h"
#include "tests/unit/burst_buffer/node/gluster_job.h"
#include "burst_buffer/host/mtab.h"
#include "burst_buffer/staging/stage.h"
#include "common/file.h"
#include <pthread.h>
#include <sys/mman.h>

#define TASKS (2 * NODES)

/* Six ports that other runs of this test hardly have. */
static const char *few_ports(void)
{
	static char text[32];
	unsigned low = 20000 + (unsigned)getpid() * 7 % 9000;

	snprintf(text, sizeof(text), "%u-%u", low, low + 5);
	return text;
}

/* A user below a bound part of it has the whole name space of all nodes, and
 * neither the mount's root nor what it tells. */
static void use_as_user(struct job *j)
{
	const char *bound = in(top, "bound");
	char path[4096];
	int status;

	snprintf(path, sizeof(path), "%s/data", j->in[0].top);
	make_dir(path, 0700);
	ck_assert(!chown(path, 65534, 65534));
	make_dir(bound, 0);
	chmod(top, 0711);
	ck_assert(!mount(path, bound, NULL, MS_BIND, NULL));
	snprintf(path, sizeof(path), "%s", bound);
	if (!fork()) {
		if (setgid(65534) || setuid(65534) || chdir(path))
			_exit(1);
		if (!access(".meta", F_OK) || !access("../.meta", F_OK) ||
		    !access(in(j->in[0].top, ".meta"), F_OK))
			_exit(2);
		for (int i = 0; i < 30; i++) {
			char name[8];

			snprintf(name, sizeof(name), "f%d", i);
			make_file(name, 1000, (unsigned)i);
		}
		_exit(mkdir("d", 0755) || symlink("x", "l") ||
		      rename("f1", "d/f1"));
	}
	wait(&status);
	ck_assert_int_eq(status, 0);
	for (size_t i = 1; i < NODES; i++) {
		snprintf(path, sizeof(path), "%s/data", j->in[i].top);
		ck_assert_ptr_null(tree_differs(bound, path, 1));
	}
	ck_assert(!umount(bound));
}

START_TEST(test_transitions)
{
	struct job j;
	double r, w;
	char again[SLU_ATTR_MAX];

	setup();
	job_new(&j, 1, "21000-21999");
	job_start(&j);
	expect_ok(driver->start(&j.in[1], again, &err), err);
	ck_assert_str_eq(again, j.attr_text[1]); /* the same one */
	job_attach(&j);
	job_attach(&j);
	use_as_user(&j);
	for (size_t i = 0; i < NODES; i++)
		expect_ok(driver->check(&j.in[i], &err), err);
	expect_ok(driver->counters(&j.in[0], &r, &w, &err), err);
	expect(w >= 30000 && w < 1000000, "%g", w);
	job_end(&j);
	expect_fail(driver->check(&j.in[0], &err), err, SLU_IO, "not mounted");
	job_free(&j);
	tree_remove(top);
}
END_TEST

/* How a program replaces what a file has by as many other bytes. */
enum rewriting { IN_PLACE, TRUNCATED, RENAMED, REWRITINGS };

static void rewrite(const char *path, enum rewriting how, const char *text)
{
	char other[4100];
	int fd;

	snprintf(other, sizeof(other), "%s.new", path);
	fd = open(how == RENAMED ? other : path,
		  O_WRONLY | (how == RENAMED	 ? O_CREAT
			      : how == TRUNCATED ? O_TRUNC
						 : 0),
		  0644);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), strlen(text));
	ck_assert(!fsync(fd) && !close(fd));
	if (how == RENAMED)
		ck_assert(!rename(other, path));
}

static void expect_text(const char *path, const char *want)
{
	char text[64] = "";
	int fd = open(path, O_RDONLY);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_ge(read(fd, text, sizeof(text) - 1), 0);
	close(fd);
	ck_assert_str_eq(text, want);
}

/* One node has read, and written, what another then rewrites: the next that
 * opens the file reads the new text. */
static void rewritten_is_read(const struct job *j)
{
	char first[4096], second[4096], text[64];

	snprintf(first, sizeof(first), "%s/state", j->in[0].top);
	snprintf(second, sizeof(second), "%s/state", j->in[1].top);
	make_text(first, "step 0000");
	expect_text(second, "step 0000");
	for (int i = 0; i < 4 * REWRITINGS; i++) {
		snprintf(text, sizeof(text), "step %04d", i + 1);
		rewrite(i % 2 ? first : second, (enum rewriting)(i / 4), text);
		expect_text(second, text);
		expect_text(first, text);
	}
}

/* What one node writes another sees at once, also when it has looked before:
 * the first tasks of a job look at files that others have just staged in. */
static void new_is_seen(const char *coherence)
{
	char path[4096];
	struct stat st;
	struct job j;

	job_up(&j, 9, coherence);
	for (int i = 0; i < 10; i++) {
		char name[8];

		snprintf(name, sizeof(name), "c%d", i);
		make_text(in(j.in[0].top, name), "");
		ck_assert(!stat(in(j.in[0].top, name), &st));
		snprintf(path, sizeof(path), "%s/%s", j.in[1].top, name);
		make_file(path, 5000, 1);
		ck_assert(!stat(in(j.in[0].top, name), &st));
		ck_assert_int_eq(st.st_size, 5000);
		ck_assert(!unlink(path));
		ck_assert_int_eq(stat(in(j.in[0].top, name), &st), -1);
	}
	rewritten_is_read(&j);
	job_end(&j);
	job_free(&j);
	tree_remove(top);
}

START_TEST(test_coherent)
{
	new_is_seen("shared");
	new_is_seen(NULL);
}
END_TEST

static int open_on(const struct job *j, int node, const char *name, int flags)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", j->in[node].top, name);
	fd = open(path, flags, 0644);
	ck_assert_msg(fd >= 0, "%s: %s", path, strerror(errno));
	return fd;
}

/* A descriptor that made the file, and has read it, reads what another node
 * has written since, though size and time are as before. */
static void descriptor_is_fresh(const struct job *j)
{
	int first = open_on(j, 0, "kept", O_RDWR | O_CREAT);
	int second = open_on(j, 1, "kept", O_RDWR);
	struct timespec times[2];
	char text[8] = "";
	struct stat st;

	for (char c = 'a'; c < 'k'; c++) {
		ck_assert_int_eq(pwrite(second, &c, 1, 0), 1);
		ck_assert_int_eq(pread(first, text, 8, 0), 1);
		ck_assert_int_eq(text[0], c);
		ck_assert(!fstat(first, &st));
		times[0] = st.st_atim;
		times[1] = st.st_mtim;
		c++;
		ck_assert_int_eq(pwrite(second, &c, 1, 0), 1);
		ck_assert(!futimens(second, times));
		ck_assert_int_eq(pread(first, text, 8, 0), 1);
		ck_assert_int_eq(text[0], c);
	}
	ck_assert(!close(first) && !close(second));
}

#define RECORD	5000 /* crosses pages */
#define RECORDS 40

static void append(const struct job *j, int node)
{
	int fd = open_on(j, node, "log", O_WRONLY | O_APPEND);
	char record[RECORD];

	memset(record, 'a' + node, sizeof(record));
	for (int i = 0; i < RECORDS; i++)
		if (write(fd, record, RECORD) != RECORD)
			_exit(1);
	_exit(0);
}

/* Records that all nodes append at once are all there, each in one piece. */
static void records_are_whole(const struct job *j)
{
	int fd = open_on(j, 0, "log", O_RDONLY | O_CREAT), status;
	char record[RECORD], same[RECORD];
	int n = 0;

	for (int node = 0; node < NODES; node++)
		if (!fork())
			append(j, node);
	while (wait(&status) > 0)
		ck_assert_int_eq(status, 0);
	for (; read(fd, record, RECORD) == RECORD; n++) {
		memset(same, record[0], RECORD);
		ck_assert(!memcmp(record, same, RECORD));
	}
	ck_assert_int_eq(n, NODES * RECORDS);
	close(fd);
}

/* What the kernel said when it was told that mappings are welcome. */
static bool mmap_works(const struct job *j)
{
	struct slu_buf text = {0};
	bool works;

	expect_ok(slu_file_read(AT_FDCWD, in(j->in[0].work, "told"), 64, &text,
				&err),
		  err);
	works = !strcmp(text.data, "mmap\n");
	slu_buf_free(&text);
	return works;
}

/* What was written through a mapping another node reads, and maps. */
static void mapping_is_read(const struct job *j)
{
	int first = open_on(j, 0, "mapped", O_RDWR | O_CREAT);
	int second = open_on(j, 1, "mapped", O_RDWR);
	char text[8], *m;
	struct stat st;

	ck_assert(!ftruncate(first, 8192));
	for (char c = 'a'; c < 'f'; c++) {
		/* The kernel has the size of when it asked last. */
		ck_assert(!fstat(first, &st) && !fstat(second, &st));
		m = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED,
			 c % 2 ? first : second, 0);
		if (!mmap_works(j)) {
			ck_assert_ptr_eq(m, MAP_FAILED);
			ck_assert_int_eq(errno, ENODEV);
			break;
		}
		ck_assert_ptr_ne(m, MAP_FAILED);
		ck_assert_int_eq(m[4095], c == 'a' ? 0 : c - 1);
		m[4095] = c;
		ck_assert(!msync(m, 8192, MS_SYNC) && !munmap(m, 8192));
		ck_assert_int_eq(pread(c % 2 ? second : first, text, 1, 4095),
				 1);
		ck_assert_int_eq(text[0], c);
	}
	ck_assert(!close(first) && !close(second));
}

static void expect_at(const struct job *j, const char *name, off_t at,
		      const char *text, off_t size)
{
	int fd = open_on(j, 1, name, O_RDONLY);
	char got[64] = "";
	struct stat st;

	ck_assert(!fstat(fd, &st));
	ck_assert_int_eq(st.st_size, size);
	ck_assert_int_eq(pread(fd, got, strlen(text), at), strlen(text));
	ck_assert_str_eq(got, text);
	ck_assert(!close(fd));
}

static void write_mapped(int fd, off_t at, const char *text)
{
	char *m = mmap(NULL, 20000, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	ck_assert_ptr_ne(m, MAP_FAILED);
	memcpy(m + at, text, strlen(text));
	ck_assert(!msync(m, 20000, MS_SYNC) && !munmap(m, 20000));
}

/* A page that is written back goes where it belongs, also when the descriptor
 * that the kernel takes for it appends; and that still does. */
static void mapping_is_in_place(const struct job *j)
{
	int first = open_on(j, 0, "both", O_RDWR | O_CREAT), second, third;

	ck_assert(!ftruncate(first, 20000));
	second = open_on(j, 0, "both", O_RDWR | O_APPEND);
	write_mapped(first, 5000, "one");
	expect_at(j, "both", 5000, "one", 20000);
	ck_assert(!close(first));
	for (int again = 0; again < 3; again++) {
		write_mapped(second, 9000 + again, "two");
		expect_at(j, "both", 9000 + again, "two", 20000 + 3 * again);
		ck_assert_int_eq(write(second, "end", 3), 3);
		expect_at(j, "both", 20000 + 3 * again, "end",
			  20003 + 3 * again);
	}
	third = open_on(j, 0, "both", O_WRONLY | O_APPEND);
	write_mapped(second, 12000, "three");
	expect_at(j, "both", 12000, "three", 20009);
	ck_assert(!close(second) && !close(third));
	second = open_on(j, 0, "both", O_RDWR | O_APPEND);
	write_mapped(second, 15000, "four");
	expect_at(j, "both", 15000, "four", 20009);
	ck_assert(!close(second));
}

/* What is said to be done is done: of the ways to change a file's blocks. */
static void blocks_are_changed(const struct job *j)
{
	static const int modes[] = {FALLOC_FL_ZERO_RANGE,
				    FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE,
				    FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE};
	static const char zeros[8192];
	char old[16384], got[8192];

	memset(old, 'x', sizeof(old));
	each(mode, modes)
	{
		int fd = open_on(j, 0, "blocks", O_RDWR | O_CREAT | O_TRUNC);

		ck_assert_int_eq(write(fd, old, sizeof(old)), sizeof(old));
		if (!fallocate(fd, *mode, 4096, 8192)) {
			ck_assert_int_eq(pread(fd, got, 8192, 4096), 8192);
			ck_assert(!memcmp(got, zeros, 8192));
		} else {
			ck_assert_int_eq(errno, EOPNOTSUPP);
			ck_assert(!(*mode & FALLOC_FL_PUNCH_HOLE));
		}
		ck_assert(!close(fd));
	}
}

static void changed_in_place(const char *coherence)
{
	struct job j;

	job_up(&j, 15, coherence);
	blocks_are_changed(&j);
	if (!coherence && !mmap_works(&j))
		printf("this kernel has no mappings of direct descriptors\n");
	else
		mapping_is_in_place(&j);
	job_end(&j);
	job_free(&j);
	tree_remove(top);
}

START_TEST(test_changes_in_place)
{
	changed_in_place("private");
	changed_in_place("shared");
	changed_in_place(NULL);
}
END_TEST

START_TEST(test_strict)
{
	struct job j;

	job_up(&j, 15, NULL);
	descriptor_is_fresh(&j);
	records_are_whole(&j);
	mapping_is_read(&j);
	job_end(&j);
	job_free(&j);
	tree_remove(top);
}
END_TEST

/* A client that cannot be made strict is no client. */
START_TEST(test_not_strict)
{
	const char *root;
	struct job j;

	setup();
	job_new(&j, 17, "21000-21999");
	job_start(&j);
	j.option[1].value = (char *)"/nowhere/library.so";
	expect_fail(driver->attach(&j.in[0], j.attr, NODES, &root, &err), err,
		    SLU_IO, "does not load /nowhere/library.so");
	job_end(&j);
	job_free(&j);
	tree_remove(top);
}
END_TEST

/* What happens to a file that one node has read, on another. */
enum late { OVERWRITTEN, OLD_TIME, GROWN, SHRUNK, LATES };

static void write_late(const char *path, enum late how)
{
	char b[8192];
	int fd = open(path, O_WRONLY), n = how == GROWN ? 8192 : 4096;
	struct stat st;

	memset(b, 'B', sizeof(b));
	ck_assert(fd >= 0 && !fstat(fd, &st));
	ck_assert_int_eq(write(fd, b, (size_t)n), n);
	if (how == SHRUNK)
		ck_assert(!ftruncate(fd, 1000));
	if (how == OLD_TIME)
		ck_assert(!futimens(
			fd, (struct timespec[]){st.st_mtim, st.st_mtim}));
	ck_assert(!close(fd));
}

/* How many bytes, and of them how many are 'B'. */
static size_t look(const char *path, size_t *is_b)
{
	char text[8193];
	int fd = open(path, O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text));

	ck_assert(fd >= 0 && n >= 0 && !close(fd));
	*is_b = 0;
	for (ssize_t i = 0; i < n; i++)
		*is_b += text[i] == 'B';
	return (size_t)n;
}

static void stage_out(const char *source, const char *destination, bool content)
{
	static const enum slu_act_name acts[] = {SLU_PREPARE, SLU_COPY,
						 SLU_VERIFY, SLU_FINISH};
	struct slu_stage_part part = {
		.source = source,
		.destination = destination,
		.n = 1,
		.content = content,
		.durable = true,
	};
	struct slu_stage_result r;

	part.manifest =
		open(in(top, "manifest"), O_RDWR | O_CREAT | O_TRUNC, 0600);
	ck_assert_int_ge(part.manifest, 0);
	for (size_t i = 0; i < sizeof(acts) / sizeof(*acts); i++)
		expect_ok(slu_stage(acts[i], &part, &r, &err), err);
	close(part.manifest);
}

static void expect_staged(const struct job *j, bool content)
{
	static const size_t size[LATES] = {4096, 4096, 8192, 1000};
	char first[4200], second[4200], source[4096], to[4096];
	size_t is_b;

	snprintf(source, sizeof(source), "%s/out%d/", j->in[0].top, content);
	snprintf(to, sizeof(to), "%s/to%d", top, content);
	make_dir(source, 0755);
	for (int i = 0; i < LATES; i++) {
		snprintf(first, sizeof(first), "%s/%d", source, i);
		snprintf(second, sizeof(second), "%s/out%d/%d", j->in[1].top,
			 content, i);
		make_file(first, 4096, 1);
		look(first, &is_b);
		write_late(second, (enum late)i);
		if (i == OVERWRITTEN || i == OLD_TIME) {
			look(first, &is_b);
			ck_assert_uint_lt(is_b, 4096); /* it reads old bytes */
		}
	}
	stage_out(source, to, content);
	for (int i = 0; i < LATES; i++) {
		snprintf(first, sizeof(first), "%s/%d", to, i);
		ck_assert_uint_eq(look(first, &is_b), size[i]);
		ck_assert_uint_eq(is_b, size[i]);
	}
}

/* A node that goes on reading its own old bytes stages out what the last writer
 * wrote, whichever way it is verified. */
START_TEST(test_staged_fresh)
{
	struct job j;

	job_up(&j, 13, "private");
	expect_staged(&j, false);
	expect_staged(&j, true);
	job_end(&j);
	job_free(&j);
	tree_remove(top);
}
END_TEST

/* All tasks of a program make its directory, each through its node's mount,
 * then their own below it: how many times that failed. */
static int make_both(const struct job *j, int task, pthread_barrier_t *all)
{
	const char *mounted = j->in[task % NODES].top;
	char path[4096];
	int failed = 0;

	for (int round = 0; round < 300; round++) {
		pthread_barrier_wait(all);
		snprintf(path, sizeof(path), "%s/%d", mounted, round);
		if (mkdir(path, 0755) && errno != EEXIST)
			failed++;
		snprintf(path, sizeof(path), "%s/%d/%d", mounted, round, task);
		failed += mkdir(path, 0755) != 0;
	}
	return failed;
}

START_TEST(test_same_directories)
{
	pthread_barrier_t *all =
		mmap(NULL, sizeof(*all), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_barrierattr_t shared;
	struct job j;
	int status;

	job_up(&j, 11, NULL);
	pthread_barrierattr_init(&shared);
	pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(all, &shared, TASKS);
	for (int i = 0; i < TASKS; i++)
		if (!fork())
			_exit(make_both(&j, i, all) > 0);
	for (int i = 0; i < TASKS; i++) {
		wait(&status);
		ck_assert_int_eq(status, 0);
	}
	job_end(&j);
	job_free(&j);
	munmap(all, sizeof(*all));
	tree_remove(top);
}
END_TEST

/* Without the library nothing keeps calls that change names apart: one at a
 * time is all that such a server may handle. */
START_TEST(test_without_library)
{
	struct job j;
	char attr[SLU_ATTR_MAX];

	setup();
	job_new(&j, 15, "21000-21999");
	j.option[1].value = (char *)"/nowhere/library.so";
	expect_fail(driver->start(&j.in[0], attr, &err), err, SLU_IO,
		    "the server does not load /nowhere/library.so: with "
		    "threads=1");
	ck_assert(!slu_mounted(j.in[0].top));
	j.option[j.plan.n_option++] = (struct slu_pair){"threads", (char *)"1"};
	expect_ok(driver->start(&j.in[0], attr, &err), err);
	expect_ok(driver->stop(&j.in[0], &err), err);
	job_end(&j);
	job_free(&j);
	tree_remove(top);
}
END_TEST

/* Two jobs that have the same few ports to choose from share none, and the
 * password of one opens nothing of the other. */
START_TEST(test_two_jobs)
{
	struct job a, b;
	const char *root;

	setup();
	job_new(&a, 3, few_ports());
	job_new(&b, 5, few_ports());
	job_start(&a);
	job_start(&b);
	for (size_t i = 0; i < NODES; i++)
		for (size_t k = 0; k < NODES; k++)
			ck_assert_str_ne(a.attr_text[i], b.attr_text[k]);
	/* No port is left for a third one. */
	{
		struct job c;
		char attr[SLU_ATTR_MAX];

		job_new(&c, 7, few_ports());
		expect_fail(driver->start(&c.in[0], attr, &err), err, SLU_BUSY,
			    "is taken");
		job_free(&c);
	}
	job_attach(&a);
	make_text(in(a.in[0].top, "secret"), "a");
	/* The other's bricks with the own password. */
	free(b.plan.secret);
	b.plan.secret = strdup("wrong");
	expect_fail(driver->attach(&b.in[0], a.attr, NODES, &root, &err), err,
		    SLU_IO, "");
	ck_assert(!slu_mounted(b.in[0].top));
	job_end(&b);
	job_end(&a);
	job_free(&a);
	job_free(&b);
	tree_remove(top);
}
END_TEST

/* What it has said of itself is told. */
START_TEST(test_no_such_address)
{
	struct job j;
	char attr[SLU_ATTR_MAX];

	setup();
	job_new(&j, 9, "21000-21000");
	j.node[0].addr = "192.0.2.7";
	expect_fail(driver->start(&j.in[0], attr, &err), err, SLU_IO,
		    "glusterfsd ended with exit code 1: [");
	expect(strstr(err.text, "Cannot assign requested address"), "%s",
	       err.text);
	job_free(&j);
	tree_remove(top);
}
END_TEST

START_TEST(test_options)
{
	struct job j;
	char attr[SLU_ATTR_MAX];
	static const char *const bad[] = {"x",	 "1",	    "0-5",
					  "9-5", "1-65536", "1-2x"};

	setup();
	each(b, bad)
	{
		job_new(&j, 6, *b);
		expect_fail(driver->start(&j.in[0], attr, &err), err,
			    SLU_INVALID, "is no range of ports");
		job_free(&j);
		tree_remove(top);
		top = tree_new();
	}
	tree_remove(top);
}
END_TEST

/* An ordinary user need not have the right to what root will use. */
static int probe_as(uid_t uid)
{
	struct slu_option option = {"client_library", client_library()};
	struct slu_fs_conf conf = {.option = &option, .n_option = 1};
	struct slu_buf why = {0};
	int status;

	if (!fork())
		_exit(setuid(uid) ||
		      slu_driver_find("glusterfs")->probe(&conf, &why));
	ck_assert(wait(&status) > 0);
	return status;
}

START_TEST(test_probe)
{
	struct slu_option option[] = {
		{"server", "/nowhere/glusterfsd"},
		{"client_library", "/nowhere/library.so"}};
	struct slu_fs_conf conf = {.option = option, .n_option = 2};
	struct slu_buf why = {0};

	ck_assert_int_eq(slu_driver_find("glusterfs")->probe(&conf, &why), 2);
	ck_assert_ptr_nonnull(strstr(why.data, "/nowhere/glusterfsd"));
	ck_assert_ptr_nonnull(strstr(why.data, "/nowhere/library.so"));
	slu_buf_free(&why);
	ck_assert_int_eq(probe_as(0), 0);
	ck_assert_int_eq(probe_as(65534), 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {test_transitions,	 test_coherent,
				      test_strict,	 test_changes_in_place,
				      test_not_strict,	 test_same_directories,
				      test_staged_fresh, test_without_library,
				      test_two_jobs,	 test_no_such_address,
				      test_options,	 test_probe};

	return gluster_tests("glusterfs", tests,
			     sizeof(tests) / sizeof(*tests));
}

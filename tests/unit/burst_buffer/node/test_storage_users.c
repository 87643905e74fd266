/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests processes that still use a storage that is to be wiped. */
#include "config.h"
#include "tests/unit/burst_buffer/node/in_flight.h"
#include "tests/unit/burst_buffer/node/root.h"
#include "tests/unit/burst_buffer/node/storage_top.h"
#include "burst_buffer/drivers/driver.h"
#include "burst_buffer/host/loop_device.h"
#include "common/file.h"
#include <linux/fuse.h>
#include <linux/io_uring.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/un.h>

/* A process of the user that holds it is killed, also one that was started with
 * the rights of root, as by su(1); one of somebody else is not, and is named.
 */
START_TEST(test_only_the_users_processes_are_killed)
{
	struct slu_storage_want w = want(8 * MIB);
	static const struct {
		uid_t real, effective;
	} uids[] = {{65534, 65534}, {65534, 0}, {0, 0}};
	char name[40];

	setup();
	w.storage = in(top, "storage");
	each(uid, uids)
	{
		pid_t pid;
		int status;

		expect_ok(slu_storage_make(&w, &s, &err), err);
		pid = fork();
		if (!pid) {
			if (chdir(s.fs) || setresuid(uid->real, uid->effective,
						     uid->effective))
				_exit(1);
			for (;;)
				pause();
		}
		usleep(100000);
		if (uid->real) {
			expect_ok(slu_storage_wipe(&s, 65534, &err), err);
			waitpid(pid, &status, 0);
			ck_assert(WIFSIGNALED(status));
			continue;
		}
		snprintf(name, sizeof(name), "(%d)", (int)pid);
		ck_assert_int_eq(slu_storage_wipe(&s, 65534, &err), 1);
		expect(strstr(err.text, name), "%s", err.text);
		ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), 0);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	teardown();
}
END_TEST

/* It has not been ended by others. */
static void let_go(pid_t pid)
{
	ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Ways to hold a file system. Each begins in its root, as another user, with
 * `fd` a file there. */

static void hold_cwd(int fd)
{
	close(fd);
}

static void hold_file(int fd)
{
	(void)!(fd < 0 || chdir("/"));
}

static void hold_map(int fd)
{
	char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		_exit(1);
	close(fd);
	(void)!chdir("/");
}

static void hold_chroot(int fd)
{
	close(fd);
	if (unshare(CLONE_NEWUSER) || chroot("."))
		_exit(2);
}

static void hold_socket(int fd)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "s"};

	close(fd);
	if (bind(socket(AF_UNIX, SOCK_STREAM, 0), (void *)&name, sizeof(name)))
		_exit(1);
	(void)!chdir("/");
}

static void hold_fifo(int fd)
{
	close(fd);
	if (mkfifo("p", 0600))
		_exit(1);
	(void)!(open("p", O_RDWR) < 0 || chdir("/"));
}

static void hold_lock(int fd)
{
	if (flock(fd, LOCK_EX) || unlink("file") || chdir("/"))
		_exit(1);
}

static void hold_in_flight(int fd)
{
	if (put_in_flight(fd))
		_exit(1);
	(void)!chdir("/");
}

/* Nor has one this, which no table shows. */
static void hold_uring(int fd)
{
	struct io_uring_params p = {0};
	int ring = (int)syscall(SYS_io_uring_setup, 1, &p);

	if (ring < 0 ||
	    syscall(SYS_io_uring_register, ring, IORING_REGISTER_FILES, &fd, 1))
		_exit(2);
	close(fd);
	(void)!chdir("/");
}

static void hold_watch(int fd)
{
	int watch = inotify_init1(0);

	if (inotify_add_watch(watch, ".", IN_ALL_EVENTS) < 0)
		_exit(1);
	close(fd);
	(void)!chdir("/");
}

/* Not until it goes on can it be killed by who traces it. */
static void hold_traced(int fd)
{
	pid_t pid = fork();

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(0);
	}
	close(fd);
	waitpid(pid, NULL, WUNTRACED);
	(void)!chdir("/");
}

static const struct holder {
	const char *name;
	void (*hold)(int fd);
	bool goes; /* it does not keep the file system */
} holders[] = {
	{"cwd", hold_cwd, false},	 {"file", hold_file, false},
	{"map", hold_map, false},	 {"chroot", hold_chroot, false},
	{"socket", hold_socket, false},	 {"fifo", hold_fifo, false},
	{"lock", hold_lock, false},	 {"in flight", hold_in_flight, false},
	{"io_uring", hold_uring, false}, {"inotify", hold_watch, true},
	{"ptrace", hold_traced, false},
};

static void nothing(int number)
{
	(void)number;
}

/* Then it writes at each SIGUSR1, if it can, what shall not come to anything;
 * 0: this kernel has no such thing. */
static pid_t start_holder(const struct holder *h, char *const fs)
{
	char ready = 'y';
	int ends[2], fd, status;
	pid_t pid;

	ck_assert(!pipe(ends) && !chmod(fs, 0777));
	pid = fork();
	if (!pid) {
		close(ends[0]);
		if (chdir(fs) || setgid(65533) || setuid(65533))
			_exit(1);
		fd = open("file", O_RDWR | O_CREAT, 0600);
		if (fd < 0 || ftruncate(fd, 4096) || write(fd, "old", 3) != 3)
			_exit(1);
		h->hold(fd);
		signal(SIGUSR1, nothing);
		(void)!write(ends[1], &ready, 1);
		for (;;) {
			pause();
			(void)!pwrite(fd, fs, 4096, 1 << 20);
			fsync(fd);
		}
	}
	close(ends[1]);
	ready = 'n';
	(void)!read(ends[0], &ready, 1);
	close(ends[0]);
	if (ready == 'y')
		return pid;
	waitpid(pid, &status, 0);
	expect(WIFEXITED(status) && WEXITSTATUS(status) == 2, "%s", h->name);
	fprintf(stderr, "%s: not to be had here\n", h->name);
	return 0;
}

struct held {
	const struct holder *h;
	struct slu_storage storage;
	char device[SLU_LOOP_NAME];
	pid_t holder, wiper;
	int image;
};

static void begin_held(struct held *x, uint32_t job_id)
{
	struct slu_storage_want w = want(8 * MIB);
	char image[4200];

	w.storage = in(top, "storage");
	w.job_id = job_id;
	expect_ok(slu_storage_make(&w, &x->storage, &err), err);
	snprintf(image, sizeof(image), "%s/image", x->storage.dir);
	x->image = open(image, O_RDONLY | O_CLOEXEC);
	expect_ok(slu_loop_find(image, x->device, &err), err);
	/* as where it is not only its servers' */
	ck_assert(!chmod(x->storage.dir, 0711));
	x->holder = start_holder(x->h, x->storage.fs);
}

/* They take their time: all at once. */
static void wipe_held(struct held *x)
{
	x->wiper = fork();
	if (x->wiper)
		return;
	_exit(slu_storage_wipe(&x->storage, 65534, &err) + 1);
}

/* As far as others are concerned, there is nothing of it; he lives. */
static void check_held(struct held *x)
{
	struct stat st;
	int status;

	waitpid(x->wiper, &status, 0);
	expect(WIFEXITED(status) && WEXITSTATUS(status) ==
					    (x->holder && !x->h->goes ? 2 : 1),
	       "%s: %x", x->h->name, status);
	ck_assert(lstat(x->storage.dir, &st) && errno == ENOENT);
	if (x->holder) {
		expect(!waitpid(x->holder, NULL, WNOHANG), "%s", x->h->name);
		kill(x->holder, SIGUSR1);
		usleep(100000);
	}
	ck_assert(!fstat(x->image, &st));
	/* what nobody holds is not emptied, but for us it would be gone */
	expect(!x->holder || x->h->goes || st.st_blocks == 0, "%s: %jd",
	       x->h->name, (intmax_t)st.st_blocks);
}

/* Devices are given to others at once. */
static bool is_attached(const struct held *x)
{
	struct slu_buf file = {0};
	char path[100];
	bool is;

	snprintf(path, sizeof(path), "/sys/block/%s/loop/backing_file",
		 x->device + strlen("/dev/"));
	is = !slu_file_read(AT_FDCWD, path, 4200, &file, NULL) && file.data &&
	     strstr(file.data, x->storage.dir);
	slu_buf_free(&file);
	return is;
}

static void end_held(struct held *x)
{
	close(x->image);
	if (x->holder)
		let_go(x->holder);
	for (int i = 0; is_attached(x) && i < 1000; i++)
		usleep(10000);
	expect(!is_attached(x), "%s: %s", x->h->name, x->device);
}

/* Whoever holds it, however: it is gone, its room is free, and what he holds
 * ends with him. */
START_TEST(test_any_holder_loses_the_storage)
{
	enum { N = sizeof(holders) / sizeof(*holders) };
	static struct held all[N];

	setup();
	for (unsigned i = 0; i < N; i++) {
		all[i].h = &holders[i];
		begin_held(&all[i], 17 + i);
	}
	for (int i = 0; i < N; i++)
		wipe_held(&all[i]);
	for (int i = 0; i < N; i++)
		check_held(&all[i]);
	nothing_left();
	for (int i = 0; i < N; i++)
		end_held(&all[i]);
	teardown();
}
END_TEST

/* Makes directories in all that it has made, wherever they are moved to. */
static void grow(int n)
{
	char name[32];
	int dir[64];

	if (setgid(65534) || setuid(65534))
		_exit(1);
	for (int i = 0; i < 64; i++)
		dir[i] = open(".", O_RDONLY | O_DIRECTORY);
	for (unsigned i = 0;; i++) {
		int *in = &dir[rand() % 64], *to = &dir[rand() % 64], fd = -1;

		snprintf(name, sizeof(name), "%d.%u", n, i);
		if (mkdirat(*in, name, 0700) ||
		    (fd = openat(*in, name, O_RDONLY)) < 0)
			fd = dup(*to), to = in;
		close(*to);
		*to = fd;
	}
}

/* Where there is a quota nothing is unmounted, and nobody in the way of that:
 * processes of the user's, of another job of his, are killed all the same. */
START_TEST(test_growing)
{
	pid_t pid[4];
	char path[4200];
	int status;

	setup();
	make_dir(in(top, "storage"), 0711);
	expect_ok(slu_storage_locate(in(top, "storage"), 17, 4, &s, &err), err);
	make_dir(s.dir, 0711);
	make_dir(s.fs, 0755);
	ck_assert(!slu_storage_mark(s.dir, "quota", "1358954500\n", &err));
	snprintf(path, sizeof(path), "%s/data", s.fs);
	make_dir(path, 0700);
	ck_assert(!chown(path, 65534, 65534) && !chdir(path));
	for (int i = 0; i < 4; i++)
		if (!(pid[i] = fork()))
			grow(i);
	ck_assert(!chdir("/"));
	usleep(50000);
	expect_ok(slu_storage_wipe(&s, 65534, &err), err);
	each(p, pid)
	{
		ck_assert_int_eq(waitpid(*p, &status, 0), *p);
		ck_assert(WIFSIGNALED(status));
	}
	teardown();
}
END_TEST

/* Makes files in its directory while it may. */
static void fill(int n)
{
	char name[32];
	int fd = 0;

	if (setgid(65534) || setuid(65534))
		_exit(1);
	for (unsigned i = 0; fd >= 0; i++) {
		snprintf(name, sizeof(name), "%d.%u", n, i);
		fd = open(name, O_WRONLY | O_CREAT, 0600);
		close(fd);
	}
	_exit(0);
}

/* On a parallel file system they may be on other hosts, where nobody ends them,
 * and what cannot be removed is not of this node. */
START_TEST(test_growing_elsewhere)
{
	const struct slu_driver *lustre = slu_driver_find("lustre");
	struct slu_pair root = {"root", NULL};
	const struct slu_plan plan = {
		.job_id = 17, .buffer = 4, .option = &root, .n_option = 1};
	const struct slu_instance instance = {.plan = &plan};
	const char *gone;
	struct stat st;
	int status;

	setup();
	root.value = top;
	make_dir(in(top, "17.4"), 0711);
	make_dir(in(top, "17.4/data"), 0700);
	ck_assert(!chown(in(top, "17.4/data"), 65534, 65534) &&
		  !chdir(in(top, "17.4/data")));
	for (int i = 0; i < 4; i++)
		if (!fork())
			fill(i);
	ck_assert(!chdir("/"));
	usleep(50000);
	expect_ok(lustre->wipe(&instance, &err), err);
	while (wait(&status) > 0)
		ck_assert_int_eq(status, 0);
	gone = in(top, ".gone.0.17.4");
	ck_assert(access(gone, F_OK));
	make_dir(in(top, "17.4"), 0711);
	make_dir(in(top, "17.4/m"), 0755);
	ck_assert(!mount(top, in(top, "17.4/m"), NULL, MS_BIND, NULL));
	ck_assert_int_eq(lustre->wipe(&instance, &err), 1);
	expect(strstr(err.text, "mount point"), "%s", err.text);
	ck_assert(!stat(gone, &st));
	ck_assert_int_eq(st.st_mode & 0777, 0700);
	ck_assert(!umount(in(top, ".gone.0.17.4/m")));
	teardown();
}
END_TEST

/* A process of another user's in a namespace of its own, which has what is
 * mounted now, too, where nobody can take it away. 0: none can be made here. */
static pid_t hold_mounts(void)
{
	char ready;
	int ends[2];
	pid_t pid;

	ck_assert(!pipe(ends));
	pid = fork();
	if (!pid) {
		if (setgid(65533) || setuid(65533))
			_exit(1);
		ready = unshare(CLONE_NEWUSER | CLONE_NEWNS) ? 'n' : 'y';
		(void)!write(ends[1], &ready, 1);
		for (;;)
			pause();
	}
	ck_assert_int_eq(read(ends[0], &ready, 1), 1);
	close(ends[0]);
	close(ends[1]);
	if (ready == 'y')
		return pid;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 0;
}

START_TEST(test_namespace)
{
	struct slu_storage_want w = want(8 * MIB);
	struct stat st;
	char path[4200];
	pid_t pid;
	int fd;

	setup();
	w.storage = in(top, "storage");
	expect_ok(slu_storage_make(&w, &s, &err), err);
	snprintf(path, sizeof(path), "%s/image", s.dir);
	fd = open(path, O_RDONLY);
	pid = hold_mounts();
	ck_assert_int_eq(slu_storage_wipe(&s, 65534, &err), pid ? 1 : 0);
	ck_assert(!fstat(fd, &st));
	expect(!pid || st.st_blocks == 0, "%jd", (intmax_t)st.st_blocks);
	if (pid)
		let_go(pid);
	close(fd);
	teardown();
}
END_TEST

/* Data that such a one has, too, is kept all the same, and takes no room when
 * its time is over. */
START_TEST(test_kept_namespace)
{
	struct slu_storage_want w = want(8 * MIB);
	char kept[4096], path[4200];
	struct stat st;
	pid_t pid;
	int fd;

	setup();
	w.storage = in(top, "storage");
	expect_ok(slu_storage_make(&w, &s, &err), err);
	snprintf(path, sizeof(path), "%s/precious", s.fs);
	make_text(path, "x");
	snprintf(path, sizeof(path), "%s/image", s.dir);
	fd = open(path, O_RDONLY);
	pid = hold_mounts();
	if (!pid) {
		skip("no namespaces of users");
		return;
	}
	expect_ok(slu_storage_keep(&s, 65534, 1000, kept, &err), err);
	snprintf(path, sizeof(path), "%s/precious", kept);
	ck_assert(!access(path, R_OK));
	ck_assert_int_eq(open(path, O_WRONLY), -1);
	ck_assert_int_eq(errno, EROFS);
	expect_ok(slu_storage_expire(w.storage, 1001, NULL, 0, &err), err);
	ck_assert(!fstat(fd, &st));
	expect(st.st_blocks == 0, "%jd", (intmax_t)st.st_blocks);
	let_go(pid);
	close(fd);
	teardown();
}
END_TEST

/* Answers with a directory to whatever name, until it is stopped. */
static void serve_fuse(int fd)
{
	static char in[1 << 17];
	const struct fuse_attr attr = {.ino = 1, .mode = S_IFDIR | 0755};
	struct {
		struct fuse_out_header head;
		union {
			struct fuse_init_out init;
			struct fuse_entry_out entry;
			struct fuse_attr_out attr;
		};
	} out;
	const struct fuse_in_header *ask = (const void *)in;
	size_t n;

	while (read(fd, in, sizeof(in)) > 0) {
		memset(&out, 0, sizeof(out));
		n = 0;
		if (ask->opcode == FUSE_INIT) {
			out.init.major = FUSE_KERNEL_VERSION;
			out.init.minor = 31;
			out.init.max_write = 65536;
			n = sizeof(out.init);
		} else if (ask->opcode == FUSE_LOOKUP) {
			out.entry.nodeid = 2;
			out.entry.attr = attr;
			n = sizeof(out.entry);
		} else if (ask->opcode == FUSE_GETATTR) {
			out.attr.attr = attr;
			n = sizeof(out.attr);
		} else if (ask->opcode == FUSE_FORGET) {
			continue;
		} else {
			out.head.error = -ENOSYS;
		}
		out.head.unique = ask->unique;
		out.head.len = (uint32_t)(sizeof(out.head) + n);
		(void)!write(fd, &out, out.head.len);
	}
	_exit(0);
}

/* A user's file system in his buffer, with another one in it, whose server
 * hangs. */
START_TEST(test_fuse)
{
	struct slu_storage_want w = want(8 * MIB);
	int fd = open("/dev/fuse", O_RDWR);
	char x[4200], y[4210], options[80];
	pid_t pid;

	if (fd < 0) {
		skip("no /dev/fuse");
		return;
	}
	setup();
	w.storage = in(top, "storage");
	expect_ok(slu_storage_make(&w, &s, &err), err);
	snprintf(x, sizeof(x), "%s/x", s.fs);
	snprintf(y, sizeof(y), "%s/y", x);
	make_dir(x, 0755);
	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=40000,user_id=65534,group_id=65534,"
		 "allow_other",
		 fd);
	ck_assert(!mount("x", x, "fuse.x", MS_NOSUID | MS_NODEV, options));
	pid = fork(); /* only now there is something to read */
	if (!pid)
		serve_fuse(fd);
	close(fd);
	ck_assert(!mount("y", y, "tmpfs", 0, NULL));
	kill(pid, SIGSTOP);
	expect_ok(slu_storage_wipe(&s, 65534, &err), err);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	teardown();
}
END_TEST

ROOT_TEST_MAIN("storage users", test_only_the_users_processes_are_killed,
	       test_any_holder_loses_the_storage, test_growing,
	       test_growing_elsewhere, test_namespace, test_kept_namespace,
	       test_fuse)

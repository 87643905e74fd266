/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What lives on in a storage that is to be wiped. */
#include "config.h"
#include "tests/unit/root.h"
#include "tests/unit/storage_top.h"

/* A process of the user that holds it is killed, also one that was started with
 * the rights of root, as by su(1); one of somebody else is not, and is named.
 */
START_TEST(test_busy)
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
		expect_fail(slu_storage_wipe(&s, 65534, &err), err, SLU_BUSY,
			    name);
		ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), 0);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		expect_ok(slu_storage_wipe(&s, 65534, &err), err);
	}
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

/* Another user's namespace that was made meanwhile has the mount, too, where
 * nobody can take it away. */
START_TEST(test_namespace)
{
	struct slu_storage_want w = want(8 * MIB);
	struct stat st;
	char path[4200], ready;
	pid_t pid;
	int fd, ends[2];

	setup();
	w.storage = in(top, "storage");
	expect_ok(slu_storage_make(&w, &s, &err), err);
	snprintf(path, sizeof(path), "%s/image", s.dir);
	fd = open(path, O_RDONLY);
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
	expect_ok(slu_storage_wipe(&s, 65534, &err), err);
	ck_assert(!fstat(fd, &st));
	expect(ready == 'n' || st.st_blocks == 0, "%jd",
	       (intmax_t)st.st_blocks);
	ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(fd);
	close(ends[0]);
	close(ends[1]);
	teardown();
}
END_TEST

ROOT_TEST_MAIN("storage users", test_busy, test_growing, test_namespace)

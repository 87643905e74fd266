/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests a glusterfs whose bricks are lost, hang or are full. */
#include "config.h"
#include "tests/unit/burst_buffer/node/gluster_job.h"
#include "burst_buffer/host/root_daemon.h"
#include "burst_buffer/host/kill_users.h"
#include "burst_buffer/storage/storage.h"
#include "common/file.h"
#include <signal.h>
#include <sys/xattr.h>

/* A brick that died is missed by name, at once, and does not stop the rest
 * from going away. */
START_TEST(test_lost_brick)
{
	struct job j;
	struct slu_pid pid;

	job_up(&j, 2, NULL);
	expect_ok(slu_server_find("gluster", in(j.in[1].work, "brick.vol"),
				  &pid, &err),
		  err);
	expect_ok(driver->lives(&j.in[1], &err), err);
	ck_assert(!slu_pid_kill(&pid, SIGKILL));
	expect_ok(slu_pid_wait(&pid, 5, &err), err);
	expect_ok(driver->lives(&j.in[0], &err), err);
	expect_fail(driver->lives(&j.in[1], &err), err, SLU_IO, "has ended");
	for (int i = 0; i < 100 && !driver->check(&j.in[0], NULL); i++)
		usleep(20000);
	expect_fail(driver->check(&j.in[0], &err), err, SLU_IO, "node n1");
	job_end(&j);
	job_free(&j);
	tree_remove(top);
}
END_TEST

/* A process that waits for a brick that does not answer can die after abort,
 * and detaching does not hang either. */
START_TEST(test_abort)
{
	struct job j;
	struct slu_pid pid;
	pid_t user;
	int status;

	job_up(&j, 4, NULL);
	for (size_t i = 0; i < NODES; i++) {
		expect_ok(slu_server_find("gluster",
					  in(j.in[i].work, "brick.vol"), &pid,
					  &err),
			  err);
		ck_assert(!slu_pid_kill(&pid, SIGSTOP));
	}
	user = fork();
	if (!user)
		_exit(mkdir(in(j.in[0].top, "x"), 0700) ? 0 : 1);
	usleep(300000);
	kill(user, SIGKILL);
	usleep(300000);
	ck_assert_int_eq(waitpid(user, &status, WNOHANG), 0); /* hangs */
	expect_ok(slu_users_stuck(0, 1, &pid, &err), err);
	ck_assert_int_eq(pid.pid, user);
	expect_ok(driver->abort(&j.in[0], &err), err);
	alarm(10);
	ck_assert_int_eq(waitpid(user, &status, 0), user);
	alarm(60);
	for (size_t i = 1; i < NODES; i++) /* one will need a SIGKILL */
		if (!slu_server_find("gluster", in(j.in[i].work, "brick.vol"),
				     &pid, NULL))
			slu_pid_kill(&pid, SIGCONT);
	job_end(&j);
	job_free(&j);
	tree_remove(top);
}
END_TEST

/* Bricks of limited size, as jobs have them. */
static void limit_bricks(struct job *j, struct slu_storage *storage,
			 uint64_t bytes)
{
	for (size_t i = 0; i < NODES; i++) {
		char *dir = (char *)(uintptr_t)j->in[i].fs;
		const struct slu_storage_want want = {.storage = dir,
						      .job_id = j->plan.job_id,
						      .buffer = i + 1,
						      .capacity = bytes,
						      .own_fs = true};

		expect_ok(slu_storage_make(&want, &storage[i], &err), err);
		free(dir);
		j->in[i].fs = strdup(storage[i].fs);
	}
}

/* In writes of 8 KiB; 0: it ended as it should. */
static int fill_file(const char *path)
{
	static const char block[8192];
	int fd = open(path, O_WRONLY | O_CREAT, 0644), rc;

	if (fd < 0)
		return 1;
	while (write(fd, block, sizeof(block)) > 0)
		;
	rc = errno == ENOSPC ? 0 : 2;
	close(fd);
	return unlink(path) ? 3 : rc;
}

/* A full file system reports it at each write: its client stays alive, and no
 * process hangs. */
START_TEST(test_full_file_system_reports_it)
{
	struct slu_storage storage[NODES];
	struct job j;
	int status = -1, ended = 0;
	pid_t user;

	setup();
	job_new(&j, 8, "21000-21999");
	limit_bricks(&j, storage, 4 << 20);
	job_start(&j);
	job_attach(&j);
	user = fork();
	for (int i = 0; !user && i < 8; i++)
		if ((status = fill_file(in(j.in[0].top, "big"))) || i == 7)
			_exit(status);
	for (int i = 0; i < 4500 && !ended; i++) {
		ended = waitpid(user, &status, WNOHANG) == user;
		usleep(10000);
	}
	if (!ended)
		driver->abort(&j.in[0], NULL);
	expect(ended && status == 0, "ended %d, status %d", ended, status);
	job_end(&j);
	for (size_t i = 0; i < NODES; i++)
		expect_ok(slu_storage_wipe(&storage[i], (uid_t)-1, &err), err);
	job_free(&j);
	tree_remove(top);
}
END_TEST

/* Attributes that do not fit: a line of the brick's and of the client's each.
 */
static void make_it_complain(const char *dir, int times)
{
	static char value[8000];
	int fd = open(in(dir, "f"), O_CREAT | O_WRONLY, 0600);

	ck_assert_int_ge(fd, 0);
	memset(value, 1, sizeof(value));
	for (int i = 0; i < times; i++)
		ck_assert(fsetxattr(fd, "user.x", value, sizeof(value), 0));
	close(fd);
}

static off_t taken(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_blocks * 512;
}

static off_t logged(const struct job *j)
{
	return taken(in(j->in[0].log, "brick.log")) +
	       taken(in(j->in[0].log, "client.log"));
}

/* Whoever makes the daemons log without end fills nothing but the place of
 * their logs; these keep their first words, and the last ones. */
START_TEST(test_logs)
{
	struct slu_buf before = {0}, after = {0};
	struct job j;
	char *log;

	job_up(&j, 12, NULL);
	make_it_complain(j.in[0].top, 1);
	log = strdup(in(j.in[0].log, "brick.log"));
	expect_ok(slu_file_read(AT_FDCWD, log, SLU_LOGS_SIZE, &before, &err),
		  err);
	ck_assert_uint_gt(before.len, 0);
	for (int i = 0; i < 400 && logged(&j) < SLU_LOGS_SIZE; i++)
		make_it_complain(j.in[0].top, 100);
	ck_assert_int_le(logged(&j), SLU_LOGS_SIZE);
	slu_logs_trim(j.in[0].log);
	ck_assert_int_le(logged(&j), SLU_LOGS_SIZE / 2);
	make_it_complain(j.in[0].top, 1);
	expect_ok(slu_file_read(AT_FDCWD, log, 1 << 30, &after, &err), err);
	ck_assert_mem_eq(after.data, before.data, before.len);
	expect_ok(driver->check(&j.in[0], &err), err);
	free(log);
	slu_buf_free(&before);
	slu_buf_free(&after);
	job_end(&j);
	job_free(&j);
	tree_remove(top);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {test_lost_brick, test_abort,
				      test_full_file_system_reports_it,
				      test_logs};

	return gluster_tests("glusterfs_faults", tests,
			     sizeof(tests) / sizeof(*tests));
}

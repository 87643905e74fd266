/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the change from root to SlurmUser: its directories are created, or
 * refused with a remedy. */
#include <pwd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sluiced/user.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

struct outcome {
	int rc;
	uid_t uid; /* as whom it went on */
	struct slu_err err;
};

/* In a child, which does not come back to what it was. */
static struct outcome become(const struct slu_conf *conf)
{
	struct outcome *shared =
		mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct outcome copy;
	int status;
	pid_t pid;

	ck_assert_ptr_ne(shared, MAP_FAILED);
	pid = fork();
	if (!pid) {
		shared->rc = slu_user_become(conf, NULL, &shared->err);
		shared->uid = getuid();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	copy = *shared;
	munmap(shared, sizeof(*shared));
	return copy;
}

static struct slu_conf conf_of(const char *database, const char *socket)
{
	chmod(tmpdir(), 0755);
	return (struct slu_conf){
		.slurm_user = (char *)"nobody",
		.database = (char *)(uintptr_t)tmpfile_path(database),
		.control_socket = (char *)(uintptr_t)tmpfile_path(socket),
	};
}

static uid_t owner_of(const char *name)
{
	struct stat st;

	ck_assert_int_eq(stat(tmpfile_path(name), &st), 0);
	return st.st_uid;
}

START_TEST(test_directories_are_made)
{
	struct slu_conf conf = conf_of("lib/x.db", "run/x.sock");
	struct outcome got = become(&conf);

	expect(got.rc == 0, "%s", got.err.text);
	ck_assert_uint_eq(got.uid, getpwnam("nobody")->pw_uid);
	ck_assert_uint_eq(owner_of("lib"), got.uid);
	ck_assert_uint_eq(owner_of("run"), got.uid);
	got = become(&conf); /* it is there */
	expect(got.rc == 0, "%s", got.err.text);
}
END_TEST

/* A node's own directory of notes, which must not become SlurmUser's. */
START_TEST(test_of_root)
{
	struct slu_conf conf = conf_of("lib/x.db", "run/x.sock");
	struct outcome got;

	ck_assert(!mkdir(tmpfile_path("run"), 0755));
	got = become(&conf);
	expect_err(got.err, SLU_DENIED, "ControlSocket: SlurmUser=nobody");
	expect_err(got.err, SLU_DENIED, "which belongs to root: name a file");
	ck_assert_uint_eq(owner_of("run"), 0);
	conf = conf_of("run/x.db", "other/x.sock");
	got = become(&conf);
	expect_err(got.err, SLU_DENIED, "Database: SlurmUser=nobody");
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {test_directories_are_made, test_of_root};

	if (geteuid()) {
		printf("sluiced_user: skipped, needs root\n");
		return 77;
	}
	return run_tests("sluiced_user", tests, 2);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests a glusterfs where the shares of some nodes are spread over several
 * devices: one server with a brick on each. */
#include "config.h"
#include "tests/unit/burst_buffer/node/gluster_job.h"
#include "burst_buffer/host/root_daemon.h"
#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>

#define FILES  60
#define ROUNDS 60

/* Two nodes with three devices each, and one with one. */
static void start(struct job *j, uint32_t id)
{
	setup();
	job_new(j, id, "22000-22999");
	job_spread(j, 0);
	job_spread(j, 2);
	job_start(j);
}

static void begin(struct job *j, uint32_t id)
{
	start(j, id);
	job_attach(j);
}

static void end(struct job *j)
{
	job_end(j);
	job_free(j);
	tree_remove(top);
}

/* Files of the job's directory d on a brick. */
static size_t count_files(const char *fs)
{
	DIR *d = opendir(in(fs, "brick/d"));
	struct dirent *e;
	size_t n = 0;

	ck_assert_ptr_nonnull(d);
	while ((e = readdir(d)))
		n += e->d_name[0] == 'f';
	closedir(d);
	return n;
}

/* Each device has some of the files, all nodes see all of them, and a server
 * that runs is the same when it is started again. */
START_TEST(test_spread)
{
	char path[4200], again[SLU_ATTR_MAX];
	uint64_t since, then;
	size_t sum = 0, n;
	struct job j;

	begin(&j, 31);
	ck_assert_int_eq(strncmp(j.attr_text[0], "bricks 3 port ", 14), 0);
	ck_assert_uint_gt(strtoul(j.attr_text[1], NULL, 10), 0);
	expect_ok(driver->start(&j.in[0], again, &err), err);
	ck_assert_str_eq(again, j.attr_text[0]);
	make_dir(in(j.in[1].top, "d"), 0755);
	for (int i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "%s/d/f%d", j.in[1].top, i);
		make_file(path, 3000, (unsigned)i);
	}
	for (size_t i = 0; i < NODES; i++) {
		n = count_files(j.in[i].fs);
		expect(n > 0, "node %zu", i);
		sum += n;
		for (size_t k = 0; j.in[i].more_fs && k < DEVICES - 1; k++) {
			n = count_files(j.in[i].more_fs[k]);
			expect(n > 0, "node %zu, device %zu", i, k + 1);
			sum += n;
		}
		expect_ok(driver->check(&j.in[i], &err), err);
	}
	ck_assert_uint_eq(sum, FILES);
	snprintf(path, sizeof(path), "%s", j.in[0].top);
	for (size_t i = 1; i < NODES; i++)
		ck_assert_ptr_null(tree_differs(path, j.in[i].top, 1));
	expect_ok(driver->whole(&j.in[0], &since, &err), err);
	expect_ok(driver->whole(&j.in[0], &then, &err), err);
	ck_assert(since == then);
	end(&j);
}
END_TEST

/* A node's server is lost with all its devices. */
static void lose(struct job *j, bool partial)
{
	struct slu_pid pid;

	for (size_t i = 0; i < NODES; i++)
		j->in[i].partial = partial;
	job_attach(j);
	expect_ok(slu_server_find("gluster", in(j->in[2].work, "brick.vol"),
				  &pid, &err),
		  err);
	ck_assert(!slu_pid_kill(&pid, SIGKILL));
	expect_ok(slu_pid_wait(&pid, 5, &err), err);
	for (int i = 0; i < 100 && !driver->check(&j->in[0], NULL); i++)
		usleep(20000);
}

/* The client ends, and the node is named once. */
START_TEST(test_lost)
{
	uint64_t since;
	struct job j;

	start(&j, 32);
	lose(&j, false);
	expect_fail(driver->check(&j.in[0], &err), err, SLU_IO,
		    "has lost the server of node n2");
	expect_fail(driver->whole(&j.in[0], &since, &err), err, SLU_IO,
		    "has lost the server of node n2");
	end(&j);
}
END_TEST

/* With OnServerLoss=leave it goes on. */
START_TEST(test_lost_partial)
{
	uint64_t since;
	struct job j;

	start(&j, 34);
	lose(&j, true);
	expect_fail(driver->check(&j.in[0], &err), err, SLU_IO, "node n2");
	expect_fail(driver->whole(&j.in[0], &since, &err), err, SLU_IO,
		    "connected to 2 of its 3 parts");
	end(&j);
}
END_TEST

/* A client that expects more devices than the server has says which node's. */
START_TEST(test_older_server)
{
	const char *root;
	struct job j;

	setup();
	job_new(&j, 33, "22000-22999");
	job_start(&j);
	job_spread(&j, 1);
	expect_fail(driver->attach(&j.in[0], j.attr, NODES, &root, &err), err,
		    SLU_IO, "node n1 serves 1 of its 3 devices");
	end(&j);
}
END_TEST

/* Through its node's mount a task makes what all make, then its own below. */
static int make_both(const struct job *j, int task)
{
	char path[4200];
	int failed = 0;

	for (int round = 0; round < ROUNDS; round++) {
		snprintf(path, sizeof(path), "%s/%d", j->in[task % NODES].top,
			 round);
		failed += mkdir(path, 0755) && errno != EEXIST;
		snprintf(path, sizeof(path), "%s/%d/%d",
			 j->in[task % NODES].top, round, task);
		failed += mkdir(path, 0755) != 0;
	}
	return failed;
}

START_TEST(test_same_directories)
{
	struct job j;
	int status;

	begin(&j, 34);
	for (int i = 0; i < 2 * NODES; i++)
		if (!fork())
			_exit(make_both(&j, i) > 0);
	for (int i = 0; i < 2 * NODES; i++) {
		wait(&status);
		ck_assert_int_eq(status, 0);
	}
	end(&j);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {test_spread, test_lost, test_lost_partial,
				      test_older_server, test_same_directories};

	return gluster_tests("gluster_devices", tests,
			     sizeof(tests) / sizeof(*tests));
}

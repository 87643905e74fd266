/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests clients without a password that reach a brick's port: arbitrary bytes,
 * and very many idle connections. */
#include "config.h"
#include "tests/unit/burst_buffer/node/gluster_job.h"
#include "burst_buffer/host/root_daemon.h"
#include "common/file.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/resource.h>

#define IDLE	 3000
#define TALKS	 4000
#define LAST	 0x80000000u /* of a record's fragments */
#define GIGABYTE (1 << 30)

static int call_brick(const struct job *j)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port =
					 htons((uint16_t)atoi(j->attr_text[0])),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct timeval patience = {.tv_sec = 1};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (!connect(fd, (struct sockaddr *)&to, sizeof(to)))
		return fd;
	close(fd);
	return -1;
}

/* Noise, or the beginning of an RPC that looks right: a version and a program
 * that there is, with a length that is wrong. */
static size_t make_words(uint32_t *word, size_t n)
{
	static const uint32_t lengths[] = {0,	 40,	     100,
					   4096, 0x3fffffff, 0x7fffffff};
	static const uint32_t programs[] = {14398633, 1298437, 34123456,
					    123451501, 4867634};

	for (size_t i = 0; i < n; i++)
		word[i] = (uint32_t)random();
	if (random() % 2)
		return (size_t)random() % n;
	word[0] = htonl(LAST | lengths[random() % 6]);
	word[2] = htonl(0);
	word[3] = htonl(2);
	word[4] = htonl(programs[random() % 5]);
	word[5] = htonl(random() % 2 ? 330 : 1);
	word[6] = htonl((uint32_t)random() % 60);
	return 7 + (size_t)random() % (n - 7);
}

static void talk(const struct job *j)
{
	uint32_t word[1000];
	int fd = call_brick(j);
	size_t n = make_words(word, 1000);

	if (fd < 0)
		return;
	(void)!send(fd, word, n * sizeof(*word), MSG_NOSIGNAL);
	close(fd);
}

static size_t resident(const struct slu_pid *pid)
{
	struct slu_buf text = {0};
	char path[64];
	size_t pages = 0;

	snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid->pid);
	if (!slu_file_read(AT_FDCWD, path, 4096, &text, NULL))
		sscanf(text.data, "%*u %zu", &pages);
	slu_buf_free(&text);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static struct slu_pid brick(const struct job *j)
{
	struct slu_pid pid;

	expect_ok(slu_server_find("gluster", in(j->in[0].work, "brick.vol"),
				  &pid, &err),
		  err);
	return pid;
}

/* Each node reads what another has written, on all bricks. */
static void expect_works(struct job *j)
{
	static int round;
	const char *why;
	char name[40], to[60];

	round++;
	make_dir(in(top, "same"), 0755);
	make_dir(in(j->in[0].top, "d"), 0755);
	for (int i = 0; i < 12; i++) {
		snprintf(name, sizeof(name), "same/%d", i);
		make_file(in(top, name), 70000, (unsigned)(round + i));
		snprintf(to, sizeof(to), "d/%d", i);
		make_file(in(j->in[0].top, to), 70000, (unsigned)(round + i));
	}
	why = tree_differs(in(top, "same"), in(j->in[1].top, "d"), 0);
	expect(!why, "%s", why);
	ck_assert(!slu_rmtree(AT_FDCWD, in(j->in[2].top, "d"), &err));
	ck_assert(!slu_rmtree(AT_FDCWD, in(top, "same"), &err));
	for (size_t i = 0; i < NODES; i++)
		expect_ok(driver->check(&j->in[i], &err), err);
	expect_ok(driver->lives(&j->in[0], &err), err);
}

/* The brick neither ends nor grows, and its clients go on. */
START_TEST(test_noise)
{
	struct slu_pid was, is;
	struct job j;

	job_up(&j, 20, NULL);
	was = brick(&j);
	srandom(7);
	for (int i = 0; i < TALKS; i++) {
		talk(&j);
		if (i % 1000 == 999)
			expect_works(&j);
	}
	is = brick(&j);
	ck_assert(is.pid == was.pid && is.start == was.start);
	expect(resident(&is) < GIGABYTE, "%zu bytes", resident(&is));
	job_end(&j);
	job_free(&j);
	tree_remove(top);
}
END_TEST

static size_t call_often(const struct job *j, int fd[IDLE])
{
	int failed = 0;

	for (int i = 0; i < IDLE; i++) {
		fd[i] = failed < 5 ? call_brick(j) : -1;
		failed += fd[i] < 0;
	}
	return (size_t)(IDLE - failed);
}

static void hang_up(const int fd[IDLE])
{
	for (int i = 0; i < IDLE; i++)
		if (fd[i] >= 0)
			close(fd[i]);
}

/* pid 0: of this process. */
static void allow_files(pid_t pid, rlim_t n)
{
	const struct rlimit files = {n, n};

	ck_assert(!prlimit(pid, RLIMIT_NOFILE, &files, NULL));
}

/* Connections that are only kept open do not delay others. */
START_TEST(test_idle_connections_block_no_client)
{
	int fd[IDLE];
	struct job j;

	job_up(&j, 22, NULL);
	allow_files(0, IDLE + 100);
	ck_assert_uint_gt(call_often(&j, fd), IDLE * 9 / 10);
	expect_works(&j);
	hang_up(fd);
	expect_works(&j);
	job_end(&j);
	job_free(&j);
	tree_remove(top);
}
END_TEST

static void wait_connected(const struct job *j)
{
	for (size_t i = 0; i < NODES; i++)
		for (int k = 0; k < 100 && driver->check(&j->in[i], NULL); k++)
			usleep(200000);
}

/* Who takes all descriptors of a brick may part it from the job while he has
 * them, which is told; it goes on afterwards, and goes away as ever. */
START_TEST(test_no_descriptors)
{
	struct slu_pid was, is;
	int fd[IDLE];
	struct job j;

	job_up(&j, 24, NULL);
	was = brick(&j);
	allow_files(was.pid, IDLE / 2);
	allow_files(0, IDLE + 100);
	call_often(&j, fd);
	if (driver->check(&j.in[0], &err))
		expect(strstr(err.text, "does not answer"), "%s", err.text);
	hang_up(fd);
	wait_connected(&j);
	expect_works(&j);
	is = brick(&j);
	ck_assert(is.pid == was.pid && is.start == was.start);
	job_end(&j);
	job_free(&j);
	tree_remove(top);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {test_noise,
				      test_idle_connections_block_no_client,
				      test_no_descriptors};

	return gluster_tests("gluster_junk", tests,
			     sizeof(tests) / sizeof(*tests));
}

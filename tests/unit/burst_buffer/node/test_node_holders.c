/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests `sluice-node down` on n1 while other processes hold the job's file
 * system, in several random ways at once, and while it is killed at a random
 * moment. SLUICE_HOLDERS=N tries N cases of each type (2).
 */
#include "config.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/un.h>
#include "tests/unit/burst_buffer/node/in_flight.h"
#include "tests/unit/burst_buffer/node/node_life.h"

#define MOST 3

static unsigned seed;

/* Ways to hold it. Each begins in it, as somebody else, with `fd` a file there;
 * 0: he holds it. */

static int hold_file(int fd)
{
	return fd < 0 || chdir("/");
}

static int hold_cwd(int fd)
{
	return close(fd);
}

static int hold_map(int fd)
{
	char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return at == MAP_FAILED || (*at = 'x', close(fd)) || chdir("/");
}

static int hold_namespace(int fd)
{
	return close(fd) || chdir("/") || unshare(CLONE_NEWUSER | CLONE_NEWNS);
}

static int hold_in_flight(int fd)
{
	return put_in_flight(fd) || chdir("/");
}

/* A file system of his own below, whose server takes every request and answers
 * none. fusermount, which is root's, would mount it. */
static int mount_silent(void)
{
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	char options[100];

	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=40777,user_id=%d,group_id=%d", fd, OTHER_UID,
		 OTHER_UID);
	if (mkdir("fuse", 0777) ||
	    mount("x", "fuse", "fuse.x", MS_NOSUID | MS_NODEV, options))
		return -1;
	return fd;
}

static int (*const ways[])(int fd) = {hold_file,      hold_cwd,
				      hold_map,	      hold_namespace,
				      hold_in_flight, NULL /* FUSE */};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

static void serve_nobody(int fd)
{
	static char in[1 << 17];

	while (read(fd, in, sizeof(in)) > 0)
		;
}

/* In a child. */
static void hold(unsigned way, int ready)
{
	char path[PATH_MAX], ok;
	int fuse = -1, fd;

	job_path(path, "mnt/data");
	if (chdir(path) || (!ways[way] && (fuse = mount_silent()) < 0) ||
	    setgid(OTHER_UID) || setuid(OTHER_UID))
		_exit(1);
	fd = open("f", O_RDWR);
	ok = ways[way] && ways[way](fd) ? 'n' : 'y';
	if (fuse >= 0 && (close(fd) || chdir("/")))
		ok = 'n';
	(void)!write(ready, &ok, 1);
	if (fuse >= 0)
		serve_nobody(fuse);
	for (;;)
		pause();
}

static int start_holder(unsigned way, FILE *pids)
{
	char ok = 'n';
	int ready[2];
	pid_t pid;

	if (pipe(ready))
		return 61;
	pid = fork();
	if (!pid)
		hold(way, ready[1]);
	close(ready[1]);
	fprintf(pids, "%d\n", (int)pid);
	return read(ready[0], &ok, 1) == 1 && ok == 'y' ? 0 : 62 + (int)way;
}

static int make_open(const char *arg)
{
	char path[PATH_MAX];
	int fd;

	(void)arg;
	if (!is_n1())
		return 0;
	job_path(path, "mnt/data/f");
	fd = open(path, O_RDWR | O_CREAT, 0666);
	if (fd < 0 || ftruncate(fd, 4096) || fchmod(fd, 0666))
		return 60;
	close(fd);
	job_path(path, "mnt/data");
	return chmod(path, 0777) ? 60 : 0;
}

/* arg: the ways, one digit each. */
static int start_holders(const char *arg)
{
	FILE *pids = is_n1() ? fopen(at("holders"), "w") : NULL;
	int rc = 0;

	for (const char *p = arg; pids && *p && !rc; p++)
		rc = start_holder((unsigned)(*p - '0'), pids);
	if (pids)
		fclose(pids);
	return rc;
}

/* All of them are alive: none was mistaken for a process of the job. */
static int end_holders(const char *arg)
{
	FILE *pids = is_n1() ? fopen(at("holders"), "r") : NULL;
	int rc = 0, pid;

	(void)arg;
	while (pids && fscanf(pids, "%d", &pid) == 1)
		rc |= kill(pid, SIGKILL);
	if (pids)
		fclose(pids);
	return rc ? 68 : 0;
}

/* Of this test. */
static bool has_loop_devices(void)
{
	char *argv[] = {"losetup", "-n", "-O", "BACK-FILE", NULL};
	struct slu_buf text = {.max = 1 << 20};
	bool has;

	if (slu_run(argv, 10, &text, NULL))
		return false;
	has = text.data && strstr(text.data, world);
	slu_buf_free(&text);
	return has;
}

/* Then nothing speaks of it any more. */
static void end_holding(void)
{
	nodes_all(end_holders, "", 0);
	for (int i = 0; i < 500 && has_loop_devices(); i++)
		usleep(20000);
	ck_assert(!has_loop_devices());
	nodes_all(run_verb, "recover", 0);
	expect_nothing_left();
}

static void choose_ways(char *ways_of)
{
	unsigned n = 1 + (unsigned)rand_r(&seed) % MOST, k = 0;

	for (unsigned i = 0; i < n; i++) {
		char way = (char)('0' + (unsigned)rand_r(&seed) % WAYS);

		if (!memchr(ways_of, way, k))
			ways_of[k++] = way;
	}
	ways_of[k] = '\0';
}

/* Whatever holds it, and wherever `down` is killed: the node is clean, with all
 * data where it belongs, and with the holders all that they had ends. */
static void held_life(const char *type)
{
	bool shared = !strcmp(type, "glusterfs");
	char how[WAYS + 1] = "";

	if (!begin(type, ""))
		return;
	choose_ways(how);
	printf("%s: held by %s\n", type, how);
	job_starts(request);
	up();
	run_tasks(shared);
	nodes_all(make_open, "", 0);
	nodes_all(start_holders, how, 0);
	job_ends(request, "COMPLETED");
	node_shared[0].kill_at =
		node_shared[0].requests + 1 + rand_r(&seed) % 12;
	node_shared[0].after = rand_r(&seed) % 2;
	down();
	ctl_until("DONE");
	expect_output(shared);
	nodes_all(nothing_left, "nothing left", 0);
	end_holding();
	nodes_end();
}

START_TEST(test_scratch)
{
	seed = 100 + (unsigned)_i;
	held_life("scratch");
}
END_TEST

START_TEST(test_glusterfs)
{
	seed = 200 + (unsigned)_i;
	if (!no_glusterfs())
		held_life("glusterfs");
}
END_TEST

/* Of sluiced's history. */
static bool is_on_record(const char *words)
{
	char sql[300];
	char *argv[] = {"sqlite3", (char *)at("db"), sql, NULL};
	struct slu_buf said = {.max = 100};
	bool is;

	snprintf(sql, sizeof(sql),
		 "SELECT COUNT(*) FROM BufferHistory WHERE Text LIKE '%%%s%%'",
		 words);
	is = !slu_run(argv, 10, &said, NULL) && said.data &&
	     atoi(said.data) == 1;
	slu_buf_free(&said);
	return is;
}

/* The process that holds it is reported; when it has done so for long the node
 * is drained, until it ends. */
START_TEST(test_too_long)
{
	if (!begin_up("scratch", "HeldFor=1s\n"))
		return;
	run_tasks(false);
	nodes_all(make_open, "", 0);
	nodes_all(start_holders, "1", 0);
	job_ends(request, "COMPLETED");
	down();
	ctl_until("DONE");
	ck_assert(is_on_record("n1: some of the storage is held: %is in use "
			       "by test_node_holde ("));
	nodes_all(run_verb, "recover", 0);
	ck_assert_str_eq(ctl_drained, "");
	sleep(2);
	nodes_all(run_verb, "recover", 0);
	ctl_until_drained("is in use by test_node_holde (");
	ck_assert_ptr_nonnull(strstr(ctl_drained, "7.1 was given up"));
	end_holding();
	ctl_until_drained("");
	nodes_end();
}
END_TEST

static int run(void)
{
	Suite *suite = suite_create("node_holders");
	const char *times = getenv("SLUICE_HOLDERS");
	int n = times ? atoi(times) : 2;

	add(suite, "scratch", test_scratch, n);
	add(suite, "glusterfs", test_glusterfs, n);
	add(suite, "too_long", test_too_long, 1);
	return run_suite(suite);
}

int main(void)
{
	int rc = enter_own_host("node_holders");

	return rc ? rc : run();
}

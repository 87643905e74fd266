/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests sluice-node up and down on two nodes against a whole sluiced, without
 * faults and with every kind of fault. */
#include "config.h"
#include "tests/unit/burst_buffer/node/node_life.h"
#include "common/proc.h"

START_TEST(test_scratch)
{
	if (!begin("scratch", ""))
		return;
	whole_life(false, true);
	nodes_end();
}
END_TEST

START_TEST(test_glusterfs)
{
	if (no_glusterfs() || !begin("glusterfs", ""))
		return;
	whole_life(true, true);
	nodes_end();
}
END_TEST

/* Mistakes, and what becomes of them. */

static void read_file(const char *path, char *text, size_t size)
{
	FILE *f = fopen(path, "r");

	ck_assert_msg(f != NULL, "%s", path);
	text[fread(text, 1, size - 1, f)] = '\0';
	fclose(f);
}

/* 0: tasks are refused with a sentence that has these words. */
static int refused(const char *words)
{
	char path[PATH_MAX], text[1000];

	job_path(path, "env");
	if (!access(path, F_OK))
		return 30;
	job_path(path, "refused");
	read_file(path, text, sizeof(text));
	return strstr(text, words) && strchr(text, '\n') ? 0 : 31;
}

static void expect_refused(const char *words)
{
	nodes_all(refused, words, 0);
}

/* What it names is no business of others on the node. */
static int user_reads(const char *note)
{
	char path[PATH_MAX];

	job_path(path, note);
	return become_ann() || access(path, R_OK) ? 32 : 0;
}

static int stranger_reads(const char *note)
{
	char path[PATH_MAX];

	job_path(path, note);
	return setgid(NODE_UID + 1) || setuid(NODE_UID + 1) ||
			       !access(path, R_OK)
		       ? 33
		       : 0;
}

START_TEST(test_no_source)
{
	if (!begin("scratch", ""))
		return;
	snprintf(request, sizeof(request),
		 "jobfs capacity=40MiB; stage_in source=%s/pfs/none "
		 "destination=$BB_JOBFS/in",
		 world);
	job_starts(request);
	up();
	ctl_until_told("pfs/none: No such file");
	ck_assert_str_eq(ctl_verdict, "hold");
	expect_refused("pfs/none: No such file");
	nodes_all(user_reads, "refused", 0);
	nodes_all(stranger_reads, "refused", 0);
	end_cancelled();
}
END_TEST

START_TEST(test_too_large)
{
	if (!begin("scratch", ""))
		return;
	snprintf(request, sizeof(request), "jobfs capacity=900TiB");
	job_starts(request);
	up();
	expect_refused("is free");
	end_cancelled();
}
END_TEST

/* A node's own refusal is reported at once, as any error of its own. Nor does
 * it drain the node, as a user may have made its storage before. */
START_TEST(test_untrusted)
{
	if (!begin("scratch", ""))
		return;
	ck_assert(!chmod(at("storage.n1"), 0777));
	job_starts(request);
	up();
	ctl_until_told("users other than root can write to");
	expect_refused("users other than root can write to");
	if (!_i)
		ck_assert(!chmod(at("storage.n1"), 0755));
	end_cancelled();
}
END_TEST

START_TEST(test_no_destination)
{
	if (!begin("scratch", ""))
		return;
	ck_assert(!chmod(pfs("out"), 0555));
	job_starts(request);
	up();
	run_tasks(false);
	job_ends(request, "COMPLETED");
	down();
	ctl_until("DONE");
	ctl_until_told("Permission denied");
	ck_assert_str_eq(ctl_verdict, "fail");
	nodes_all(data_kept, "", 0);
	nodes_all(expire, "", 0);
	expect_nothing_left();
	nodes_end();
}
END_TEST

static int fetch_refused(const char *words)
{
	char verb[400], path[PATH_MAX], text[2000] = "";
	int rc;

	snprintf(path, sizeof(path), "%s/said.%s", world,
		 getenv("SLURMD_NODENAME"));
	snprintf(verb, sizeof(verb), "fetch --job %d --to %.300s/got", JOB,
		 world);
	if (!freopen(path, "w", stderr))
		return 61;
	rc = run_verb(verb);
	fflush(stderr);
	read_file(path, text, sizeof(text));
	return rc == 1 && strstr(text, words) ? 0 : 62;
}

/* What a node has of a file in pieces may look whole: no piece of it but the
 * first need ever have come to this node. */
START_TEST(test_kept_in_pieces)
{
	char line[PATH_MAX + 200];

	snprintf(line, sizeof(line),
		 "FileSystem=sharded Driver=glusterfs shard=4MiB "
		 "coherence=private client_library=%s\n",
		 nodes_client_library());
	if (no_glusterfs() || !begin("sharded", line))
		return;
	ck_assert(!chmod(pfs("out"), 0555));
	job_starts(request);
	up();
	run_tasks(true);
	job_ends(request, "COMPLETED");
	down();
	ctl_until("DONE");
	ctl_until_told("Permission denied");
	nodes_all(fetch_refused, "in pieces", 0);
	nodes_all(expire, "", 0);
	expect_nothing_left();
	nodes_end();
}
END_TEST

/* A sluiced that has lost what it knew does not make us forget it, too. */
START_TEST(test_lost_database)
{
	if (!begin_up("scratch", ""))
		return;
	run_tasks(false);
	sluiced_stop(SIGTERM, 0);
	ck_assert(!unlink(at("db")));
	sluiced_start();
	ctl_connect();
	ctl_hello(NULL, 0);
	down();
	nodes_all(data_kept, "", 0);
	nodes_all(expire, "", 0);
	expect_nothing_left();
	nodes_end();
}
END_TEST

/* slurmctld has reported other addresses: the node's requests are refused, and
 * repeated until they are accepted. */
START_TEST(test_denied)
{
	if (!begin_up("scratch", ""))
		return;
	run_tasks(false);
	job_ends(request, "COMPLETED");
	down_denied();
	heard_at_last();
	nodes_all(data_kept, "", 0); /* it could not know what to do with it */
	nodes_all(expire, "", 0);
	expect_nothing_left();
	nodes_end();
}
END_TEST

/* Without sluiced: a refusal, no harm, and nothing to clean. */
START_TEST(test_no_sluiced)
{
	if (!begin("scratch", "SetupTimeout=1\n"))
		return;
	sluiced_stop(SIGTERM, 0);
	ctl_fd = -1; /* poll leaves it out */
	up();
	expect_refused("sluiced");
	down();
	expect_nothing_left();
	sluiced_start();
	ctl_connect();
	nodes_end();
}
END_TEST

static void cancel_job(void)
{
	job_ends(request, "CANCELLED");
}

/* Cancelled in the middle of a copy of very many files. */
START_TEST(test_cancel)
{
	double start;
	int rc[NODES];

	if (!begin("scratch", ""))
		return;
	for (int i = 0; i < 10000; i++) {
		char name[40];

		snprintf(name, sizeof(name), "in/many%d", i);
		close(open(pfs(name), O_WRONLY | O_CREAT, 0644));
	}
	job_starts(request);
	for (int i = 0; i < NODES; i++)
		node_send(i, run_verb, "up --job 7");
	start = slu_now_mono();
	nodes_wait_and(rc, 10000, "STAGE_IN", cancel_job);
	expect(slu_now_mono() - start < 20, "%g s", slu_now_mono() - start);
	ck_assert_int_eq(rc[0] | rc[1], 0);
	expect_refused("");
	down();
	ctl_until("DONE");
	expect_nothing_left();
	nodes_end();
}
END_TEST

static int write_to_the_last_byte(const char *path)
{
	static char block[1 << 16];
	int fd = open(path, O_WRONLY | O_CREAT, 0600);
	size_t size = sizeof(block);
	ssize_t n;

	while ((n = write(fd, block, size)) > 0 || size > 1)
		size = n > 0 ? size : size / 2;
	return errno == ENOSPC ? 0 : 50;
}

/* The user fills it to the last byte; what is in it comes out all the same. */
static int fill(const char *arg)
{
	char path[PATH_MAX];
	int rc;

	job_path(path, arg);
	strcat(path, getenv("SLURMD_NODENAME"));
	if (become_ann())
		return 12;
	rc = write_to_the_last_byte(path);
	if (rc)
		return rc;
	/* Making more files fails or not, but it does not hang. */
	for (int i = 0; i < 200; i++) {
		snprintf(strrchr(path, '/'), 100, "/more%d", i);
		close(open(path, O_WRONLY | O_CREAT, 0600));
	}
	return 0;
}

static void full(const char *type)
{
	bool shared = !strcmp(type, "glusterfs");

	if (!begin_up(type, ""))
		return;
	run_tasks(shared);
	nodes_all(fill, "mnt/data/filled.", 0);
	job_ends(request, "COMPLETED");
	down();
	ctl_until("DONE");
	ck_assert_str_eq(ctl_text, "");
	expect_output(shared);
	expect_nothing_left();
	nodes_end();
}

START_TEST(test_full_scratch)
{
	full("scratch");
}
END_TEST

START_TEST(test_full_glusterfs)
{
	if (!no_glusterfs())
		full("glusterfs");
}
END_TEST

/* Nor can more files be made, by any user, though much of the space is free. */
static int fill_files(const char *arg)
{
	char path[PATH_MAX];
	int fd;

	(void)arg;
	for (int i = 0; i < 1000000; i++) {
		snprintf(path, sizeof(path), "%s/%d", at("storage/7.1/fs"), i);
		fd = open(path, O_WRONLY | O_CREAT, 0600);
		if (fd < 0)
			break;
		close(fd);
	}
	return errno == ENOSPC ? 0 : 50;
}

static int make_large(const char *arg)
{
	char path[PATH_MAX];

	job_path(path, arg);
	return is_n1() && (become_ann() ||
			   close(open(path, O_WRONLY | O_CREAT, 0600)) ||
			   truncate(path, 5 << 26))
		       ? 51
		       : 0;
}

START_TEST(test_full_of_files)
{
	struct stat st;

	if (no_glusterfs() || !begin("glusterfs", ""))
		return;
	job_starts(request);
	up();
	run_tasks(true);
	nodes_all(make_large, "mnt/data/in/large", 0);
	nodes_all(fill_files, "", 0);
	job_ends(request, "COMPLETED");
	down();
	ctl_until("DONE");
	ck_assert_str_eq(ctl_text, "");
	ck_assert(!stat(pfs("out/in/large"), &st));
	ck_assert_int_eq(st.st_size, 5 << 26);
	ck_assert(!unlink(pfs("out/in/large")));
	expect_output(true);
	expect_nothing_left();
	nodes_end();
}
END_TEST

/* There is not even root's room for the list of the very many files in it. */
static int fill_all(const char *arg)
{
	char path[PATH_MAX];
	size_t len;

	if (unlink(at("storage/7.1/fs/.sluice/out.1")))
		return 51;
	job_path(path, "mnt/data/in/");
	len = strlen(path);
	for (int i = 0; i < 1000; i++) {
		snprintf(path + len, sizeof(path) - len, "%0250d", i);
		if (close(open(path, O_WRONLY | O_CREAT, 0644)))
			return 52;
	}
	job_path(path, arg);
	return write_to_the_last_byte(path);
}

START_TEST(test_no_room)
{
	if (!begin_up("scratch", ""))
		return;
	run_tasks(false);
	nodes_all(fill_all, "mnt/data/filled", 0);
	job_ends(request, "COMPLETED");
	down();
	ctl_until("DONE");
	ctl_until_told("no space for the list of what is to be staged");
	ck_assert_str_eq(ctl_verdict, "fail");
	nodes_all(data_kept, "", 0);
	nodes_all(expire, "", 0);
	expect_nothing_left();
	nodes_end();
}
END_TEST

static int dry_run(const char *arg)
{
	char path[PATH_MAX];
	FILE *out = freopen(at("printed"), "a", stdout);
	int rc = run_verb(arg);

	fclose(out);
	job_path(path, "");
	return rc ? rc : !access(path, F_OK) && !strncmp(arg, "up", 2) ? 80 : 0;
}

START_TEST(test_dry_run)
{
	char text[8000];

	if (!begin("scratch", ""))
		return;
	nodes_all(dry_run, "up --job 7 --dry-run", 0);
	nodes_all(dry_run, "down --job 7 --dry-run", 0);
	job_starts(request);
	up();
	nodes_all(dry_run, "down --job 7 --dry-run", 0);
	nodes_all(reads, "exactly", 0); /* it is still there */
	read_file(at("printed"), text, sizeof(text));
	ck_assert_ptr_nonnull(strstr(text, "would ask"));
	ck_assert_ptr_nonnull(strstr(text, "nothing to do"));
	ck_assert_ptr_nonnull(strstr(text, "would stage out"));
	ck_assert_ptr_nonnull(strstr(text, "storage/7.1"));
	job_ends(request, "CANCELLED");
	down();
	nodes_end();
}
END_TEST

static int run(void)
{
	Suite *suite = suite_create("node");

	add(suite, "scratch", test_scratch, 1);
	add(suite, "glusterfs", test_glusterfs, 1);
	add(suite, "no_source", test_no_source, 1);
	add(suite, "too_large", test_too_large, 1);
	add(suite, "untrusted", test_untrusted, 2);
	add(suite, "no_destination", test_no_destination, 1);
	add(suite, "kept_in_pieces", test_kept_in_pieces, 1);
	add(suite, "lost_database", test_lost_database, 1);
	add(suite, "denied", test_denied, 1);
	add(suite, "no_sluiced", test_no_sluiced, 1);
	add(suite, "cancel", test_cancel, 1);
	add(suite, "full_scratch", test_full_scratch, 1);
	add(suite, "full_glusterfs", test_full_glusterfs, 1);
	add(suite, "full_of_files", test_full_of_files, 1);
	add(suite, "no_room", test_no_room, 1);
	add(suite, "dry_run", test_dry_run, 1);
	return run_suite(suite);
}

int main(void)
{
	int rc = enter_own_host("node");

	return rc ? rc : run();
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* File systems that Debian does not have, on two nodes against a whole
 * sluiced, with the programs of tests/fakes in their place. */
#include "config.h"
#include "tests/unit/node_files.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include "common/file.h"
#include "common/proc.h"

/* `sluice-node act` is this very program, started anew: its user can neither
 * write the journal nor look into it, and nothing else of root's is open. */
__attribute__((constructor)) static void act(int argc, char **argv)
{
	int journal, rc;

	if (argc < 2 || strcmp(argv[1], "act"))
		return;
	journal = argc > 4 ? atoi(argv[argc - 1]) : 0;
	if (journal > 0 && (fcntl(journal, F_GETFL) & O_ACCMODE) != O_RDONLY)
		_exit(97);
	for (int fd = 3; fd < 64; fd++)
		if (fd != journal && fcntl(fd, F_GETFD) >= 0)
			_exit(96);
	rc = sluice_node_main(argc, argv);
	_exit(prctl(PR_GET_DUMPABLE) ? 98 : rc);
}

/* A program that starts the fake with what it is told. */
static void make_server(const char *told)
{
	char text[3 * PATH_MAX], *daemon;

	daemon = realpath("tests/fakes/fake_gkfs_daemon", NULL);
	expect(daemon, "no fake daemon");
	snprintf(text, sizeof(text),
		 "#!/bin/sh\nexport FAKE_GKFS_STORE=%s/pfs/store %s\n"
		 "exec %s \"$@\"\n",
		 world, told, daemon);
	make_text(pfs("daemon"), text);
	ck_assert(!chmod(pfs("daemon"), 0755));
	free(daemon);
}

static bool begin(const char *told, const char *options)
{
	char *library =
		realpath("tests/fakes/.libs/fake_gkfs_intercept.so", NULL);
	struct slu_buf line = {0};
	bool can;

	expect(library, "no fake library");
	slu_buf_printf(&line,
		       "FileSystem=gkfs Driver=gekkofs Unauthenticated=accept "
		       "server=%s/pfs/daemon library=%s listen=127.0.0.1 %s\n"
		       "OnSetupFailure=fail\nOnStageInFailure=fail\n",
		       tmpdir(), library, options);
	free(library);
	can = nodes_begin(line.data);
	slu_buf_free(&line);
	if (!can)
		return false;
	make_server(told);
	make_input();
	set_request("gkfs");
	return true;
}

/* What a step's task does, with the variables that it is given: it reads its
 * input and writes beside it. */
static int task(const char *script)
{
	char path[PATH_MAX], line[PATH_MAX];
	static const char *const notes[] = {"env", "env.steps"};
	char *argv[] = {"sh", "-c", (char *)script, NULL};
	struct slu_err why;
	int rc;

	if (become_ann())
		return 12;
	for (int i = 0; i < 2; i++) {
		FILE *f;

		job_path(path, notes[i]);
		f = fopen(path, "r");
		if (!f)
			return 10 + i;
		while (fgets(line, sizeof(line), f)) {
			char *value = strchr(line, '=');

			line[strcspn(line, "\n")] = '\0';
			*value++ = '\0';
			setenv(line, value, 1);
		}
		fclose(f);
	}
	rc = slu_run(argv, 20, NULL, &why);
	if (rc)
		fprintf(stderr, "%s: %s\n", script, why.text);
	return rc ? 13 : 0;
}

/* Without the library there is an empty directory, where nobody can write. */
static int outside(const char *arg)
{
	char path[PATH_MAX];

	(void)arg;
	job_path(path, "mnt/data/x");
	if (become_ann())
		return 12;
	return open(path, O_WRONLY | O_CREAT, 0600) < 0 ? 0 : 14;
}

static int nothing_left(const char *arg)
{
	char path[PATH_MAX];
	struct dirent *e;
	int left = 0;
	DIR *d;

	(void)arg;
	job_path(path, "");
	if (!access(path, F_OK))
		return 20;
	snprintf(path, sizeof(path), "%s/storage", world);
	d = opendir(path);
	while (d && (e = readdir(d)))
		left += e->d_name[0] != '.' && strcmp(e->d_name, "kept");
	if (d)
		closedir(d);
	return left ? 21 : 0;
}

static void begin_job(void)
{
	job_starts(request);
	up();
	ctl_until("RUNNING");
}

static void end_job(const char *state)
{
	job_ends(request, state);
	down();
	ctl_until("DONE");
}

static void end_job_well(void)
{
	end_job("COMPLETED");
	ck_assert_str_eq(ctl_text, "");
	expect_output(true);
	nodes_all(nothing_left, "nothing left", 0);
}

START_TEST(test_gekkofs)
{
	if (!begin("FAKE_GKFS_SLOW=0.3", _i ? "daemons=2 preload=all" : ""))
		return;
	begin_job();
	up(); /* again: nothing changes */
	nodes_all(outside, "outside", 0);
	nodes_all(task,
		  "cat $BB_JOBFS/in/f1 $BB_JOBFS/in/sub/f3 >/dev/null && "
		  "echo result >$BB_JOBFS/in/from.$SLURMD_NODENAME",
		  0);
	end_job_well();
	expect(access(pfs("store"), F_OK) || !rmdir(pfs("store")),
	       "the daemons have left something");
	nodes_end();
}
END_TEST

START_TEST(test_gekkofs_fails)
{
	if (!begin("FAKE_GKFS_FAIL=1", ""))
		return;
	job_starts(request);
	up();
	ctl_until_told("the GekkoFS daemon ended at once");
	ck_assert_str_eq(ctl_verdict, "fail");
	end_job("FAILED");
	nodes_all(nothing_left, "nothing left", 0);
	nodes_end();
}
END_TEST

/* A daemon that dies takes data along: the stage-out says so. */
START_TEST(test_gekkofs_dies)
{
	if (!begin("FAKE_GKFS_DIE=2", "\nKeepFailed=0"))
		return;
	begin_job();
	sleep(2);
	end_job("COMPLETED");
	expect(strstr(ctl_text, "does not answer"), "%s", ctl_text);
	ck_assert_str_eq(ctl_verdict, "fail");
	nodes_all(nothing_left, "nothing left", 0);
	nodes_end();
}
END_TEST

/* A tree with a link in it cannot be staged in, and the user is told. */
START_TEST(test_gekkofs_link)
{
	if (!begin("FAKE_GKFS_SLOW=0", ""))
		return;
	make_link(pfs("in/link"), "f1");
	job_starts(request);
	up();
	ctl_until_told("cannot make the link");
	end_job("FAILED");
	nodes_all(nothing_left, "nothing left", 0);
	nodes_end();
}
END_TEST

/* lustre: the directory that plays the parallel file system does */

/* What earlier jobs left: one's data whose time is over, one's whose is not,
 * and two removals, of which one has been given up. */
static void make_old(void)
{
	static const struct timespec long_ago[2] = {{.tv_sec = 1000},
						    {.tv_sec = 1000}};
	static const char *const dirs[] = {
		"jobs/kept",	    "jobs/kept/3.1",	"jobs/kept/3.2",
		"jobs/.gone.0.4.1", "jobs/.gone.0.4.2", "jobs/kept/.gone.4.3"};

	each(d, dirs) make_dir(pfs(*d), 0711);
	make_text(pfs("jobs/kept/3.1/until"), "1000");
	make_text(pfs("jobs/kept/3.2/until"), "9999999999");
	make_text(pfs("jobs/.gone.0.4.1/data"), "x");
	ck_assert(!utimensat(AT_FDCWD, pfs("jobs/.gone.0.4.1"), long_ago, 0));
	ck_assert(
		!utimensat(AT_FDCWD, pfs("jobs/kept/.gone.4.3"), long_ago, 0));
}

static void wait_for_removal(const char *path)
{
	for (int i = 0; !access(pfs(path), F_OK) && i < 1200; i++)
		usleep(50000);
}

static void expect_swept(void)
{
	wait_for_removal("jobs/.gone.0.4.1"); /* the last one */
	expect(access(pfs("jobs/kept/3.1"), F_OK), "its time is over");
	expect(!access(pfs("jobs/kept/3.2"), F_OK), "its time is not over");
	expect(access(pfs("jobs/.gone.0.4.1"), F_OK), "not swept");
	expect(access(pfs("jobs/kept/.gone.4.3"), F_OK), "not swept");
	expect(!access(pfs("jobs/.gone.0.4.2"), F_OK), "another is at it");
}

static bool begin_lustre(const char *more)
{
	char line[400];

	snprintf(line, sizeof(line),
		 "FileSystem=gkfs Driver=lustre root=%.150s/pfs/jobs "
		 "lfs=%.150s/pfs/lfs stripe_count=2\n%s",
		 tmpdir(), tmpdir(), more);
	if (!nodes_begin(line))
		return false;
	ck_assert(!chown(pfs(""), 0, 0)); /* what leads to root= is root's */
	make_dir(pfs("jobs"), 0711);
	make_text(pfs("lfs"), "#!/bin/sh\necho \"$@\" >>\"${0%/*}/lfs.log\"\n");
	ck_assert(!chmod(pfs("lfs"), 0755));
	make_input();
	set_request("gkfs");
	return true;
}

static int uses_mount(const char *script)
{
	char path[PATH_MAX];
	char *argv[] = {"sh", "-c", (char *)script, NULL};

	job_path(path, "mnt/data");
	setenv("BB_JOBFS", path, 1);
	if (become_ann())
		return 12;
	return slu_run(argv, 20, NULL, NULL) ? 13 : 0;
}

START_TEST(test_lustre)
{
	if (!begin_lustre(""))
		return;
	make_link(pfs("in/link"), "f1");
	make_old();
	begin_job();
	up();
	expect_swept();
	nodes_all(uses_mount,
		  "cat $BB_JOBFS/in/f1 >$BB_JOBFS/in/from.$SLURMD_NODENAME", 0);
	expect(!access(pfs("jobs/7.1/data/in/from.n1"), F_OK), "not there");
	expect(!access(pfs("lfs.log"), F_OK), "no stripes were set");
	end_job_well();
	ck_assert(!unlink(pfs("jobs/kept/3.2/until")) &&
		  !rmdir(pfs("jobs/kept/3.2")) && !rmdir(pfs("jobs/kept")) &&
		  !rmdir(pfs("jobs/.gone.0.4.2")) &&
		  !unlink(pfs("jobs/.swept")) && !rmdir(pfs("jobs")));
	nodes_end();
}
END_TEST

/* Who owns what leads to root= could put anything there. */
START_TEST(test_lustre_trust)
{
	if (!begin_lustre(""))
		return;
	ck_assert(!chown(pfs(""), NODE_UID, NODE_UID));
	job_starts(request);
	up();
	ctl_until_told("does not belong to root");
	end_job("FAILED");
	expect(access(pfs("jobs/7.1"), F_OK), "made");
	nodes_all(nothing_left, "nothing left", 0);
	nodes_end();
}
END_TEST

/* Where no job comes any more that has such a file system, it is removed all
 * the same: each hour, by one node. */
START_TEST(test_lustre_expired)
{
	static const struct timespec long_ago[2] = {{.tv_sec = 1000},
						    {.tv_sec = 1000}};

	if (!begin_lustre(""))
		return;
	make_old();
	nodes_all(run_verb, "recover", 0);
	expect_swept();
	make_dir(pfs("jobs/kept/3.1"), 0711);
	make_text(pfs("jobs/kept/3.1/until"), "1000");
	nodes_all(run_verb, "recover", 0);
	expect(!access(pfs("jobs/kept/3.1"), F_OK), "not yet");
	ck_assert(!utimensat(AT_FDCWD, pfs("jobs/.swept"), long_ago, 0));
	nodes_all(run_verb, "recover", 0);
	wait_for_removal("jobs/kept/3.1");
	expect(access(pfs("jobs/kept/3.1"), F_OK), "its time is over");
	nodes_end();
}
END_TEST

/* Data of a failed stage-out stays, where its owner can read it. */
START_TEST(test_lustre_kept)
{
	if (!begin_lustre(""))
		return;
	begin_job();
	ck_assert(!rmdir(pfs("out")));
	make_text(pfs("out"), "no directory");
	end_job("COMPLETED");
	ck_assert_str_eq(ctl_verdict, "fail");
	expect(!access(pfs("jobs/kept/7.1/data/in/f1"), F_OK), "not kept");
	expect(access(pfs("jobs/7.1"), F_OK), "still there");
	nodes_all(nothing_left, "nothing left", 0);
	nodes_end();
}
END_TEST

/* stripe: directories laid out before the job, by itself or with a jobfs */

static void make_lfs(void)
{
	char text[3 * PATH_MAX], fake[PATH_MAX], real[PATH_MAX];
	const char *top = getenv("srcdir");

	snprintf(fake, sizeof(fake), "%s/tests/fakes/fake_lfs",
		 top ? top : "..");
	snprintf(text, sizeof(text),
		 "#!/bin/sh\nFAKE_LFS_STATE=%s/pfs/state exec %s \"$@\"\n",
		 world, realpath(fake, real));
	make_text(pfs("lfs"), text);
	ck_assert(!chmod(pfs("lfs"), 0755));
	make_dir(pfs("state"), 0777);
	ck_assert(!chmod(pfs("state"), 01777));
}

/* Four targets, as a server of theirs would tell. */
static void tell_targets(void)
{
	struct slu_buf text = {0}, reply = {0};

	slu_buf_puts(&text, "{\"host\":\"n1\",\"osts\":[");
	for (int i = 0; i < 4; i++)
		slu_buf_printf(&text,
			       "%s{\"name\":\"s-OST000%d\",\"index\":%d,"
			       "\"total\":1000000000,\"available\":%d}",
			       i ? "," : "", i, i, 900000000 + i * 1000000);
	slu_buf_puts(&text, "]}");
	expect_ok(slu_http_post(http, "/v1/osts?host=n1", text.data, text.len,
				0, &reply, &err),
		  err);
	slu_buf_free(&text);
	slu_buf_free(&reply);
}

/* The layout of a directory as lfs has it; who set it comes first. */
static const char *layout_of(const char *path)
{
	static char text[1000];
	struct slu_buf name = {0};
	FILE *f;

	slu_buf_printf(&name, "%s/", pfs("state"));
	for (; *path; path++)
		if (*path == '/')
			slu_buf_puts(&name, "%2F");
		else
			slu_buf_add(&name, path, 1);
	f = fopen(name.data, "r");
	expect(f, "%s", name.data);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	slu_buf_free(&name);
	return text;
}

static bool begin_stripe(const char *more)
{
	char line[600];

	snprintf(line, sizeof(line),
		 "FileSystem=gkfs Driver=lustre root=%.150s/pfs/jobs "
		 "lfs=%.150s/pfs/lfs %s\nOnSetupFailure=fail\n",
		 tmpdir(), tmpdir(), more);
	if (!nodes_begin(line))
		return false;
	ck_assert(!chown(pfs(""), 0, 0)); /* what leads to root= is root's */
	make_dir(pfs("jobs"), 0711);
	make_lfs();
	make_dir(pfs("ann"), 0755);
	ck_assert(!chown(pfs("ann"), NODE_UID, NODE_UID));
	tell_targets();
	return true;
}

START_TEST(test_stripe)
{
	struct stat st;

	if (!begin_stripe(""))
		return;
	snprintf(request, sizeof(request),
		 "stripe target=%s/pfs/ann/new/%%j stripes=2 size=1GiB; "
		 "stripe target=%s/pfs/ann/big size=20GiB",
		 world, world);
	begin_job();
	up();
	ck_assert_str_eq(layout_of(pfs("ann/new/7")),
			 "uid 1000\n-1 2 1048576 3,2\n");
	ck_assert_str_eq(layout_of(pfs("ann/big")),
			 "uid 1000\n67108864 1 1048576 -\n"
			 "1073741824 4 1048576 -\n"
			 "10737418240 4 2097152 -\n"
			 "-1 4 4194304 -\n");
	ck_assert(!stat(pfs("ann/new"), &st) && st.st_uid == NODE_UID);
	end_job("COMPLETED");
	nodes_all(nothing_left, "nothing left", 0);
	expect(!access(pfs("ann/new/7"), F_OK), "it is the user's to keep");
	nodes_end();
}
END_TEST

/* The job's own directory, by the targets there are. */
START_TEST(test_stripe_jobfs)
{
	char data[PATH_MAX];

	if (!begin_stripe(_i ? "layout=place stripe_count=3" : ""))
		return;
	make_input();
	set_request("gkfs");
	begin_job();
	job_path(data, "mnt/data");
	ck_assert_str_eq(layout_of(data), _i ? "uid 1000\n-1 3 1048576 3,2,1\n"
					     : "uid 1000\n-1 1 1048576 -\n");
	nodes_all(uses_mount,
		  "cat $BB_JOBFS/in/f1 >$BB_JOBFS/in/from.$SLURMD_NODENAME", 0);
	end_job_well();
	nodes_end();
}
END_TEST

/* Where the user may not write, the job is told so. */
START_TEST(test_stripe_fails)
{
	if (!begin_stripe(""))
		return;
	make_dir(pfs("root"), 0755);
	snprintf(request, sizeof(request), "stripe target=%s/pfs/%s", world,
		 _i ? "root" : "root/new");
	job_starts(request);
	up();
	ctl_until_told(_i ? "Permission denied" : "cannot make");
	ck_assert_str_eq(ctl_verdict, "fail");
	end_job("FAILED");
	nodes_all(nothing_left, "nothing left", 0);
	nodes_end();
}
END_TEST

/* beeond: what it would do by ssh, each node does for it */

/* Whoever has come by "ssh" is carried out, until the test ends. */
static int agent(const char *arg)
{
	char dir[PATH_MAX - 8], cmd[PATH_MAX], rc[PATH_MAX];

	(void)arg;
	snprintf(dir, sizeof(dir), "%s/pfs/spool/%s", world,
		 getenv("SLURMD_NODENAME"));
	if (fork())
		return 0;
	snprintf(cmd, sizeof(cmd), "%s/cmd", dir);
	snprintf(rc, sizeof(rc), "%s/rc", dir);
	for (;; usleep(10000)) {
		char *argv[] = {"sh", cmd, NULL};

		if (access(cmd, F_OK))
			continue;
		make_text(rc, slu_run(argv, 20, NULL, NULL) ? "1" : "0");
		unlink(cmd);
	}
}

static void make_beeond(const char *told)
{
	char text[3 * PATH_MAX], fake[PATH_MAX], real[PATH_MAX];
	const char *top = getenv("srcdir");

	snprintf(fake, sizeof(fake), "%s/tests/fakes/fake_beeond",
		 top ? top : "..");
	snprintf(text, sizeof(text),
		 "#!/bin/sh\nexport FAKE_BEEOND_SPOOL=%s/pfs/spool "
		 "FAKE_BEEOND_SHARED=%s/pfs/shared %s\n. %s\n",
		 world, world, told, realpath(fake, real));
	make_text(pfs("beeond"), text);
	ck_assert(!chmod(pfs("beeond"), 0755));
}

static bool begin_beeond(const char *told, const char *options)
{
	char line[600];

	snprintf(line, sizeof(line),
		 "FileSystem=gkfs Driver=beeond server=%.150s/pfs/beeond "
		 "meta=1 remote=pdsh %s\nOnSetupFailure=fail\n",
		 tmpdir(), options);
	if (!nodes_begin(line))
		return false;
	make_beeond(told);
	make_dir(pfs("shared"), 0755);
	make_dir(pfs("spool"), 0755);
	make_dir(pfs("spool/n1"), 0755);
	make_dir(pfs("spool/n2"), 0755);
	make_input();
	set_request("gkfs");
	nodes_all(agent, "agent", 0);
	return true;
}

static bool has(const char *path, const char *want)
{
	struct slu_buf text = {0};
	bool ok = !slu_file_read(AT_FDCWD, path, 100, &text, NULL) &&
		  text.data && !strcmp(text.data, want);

	slu_buf_free(&text);
	return ok;
}

START_TEST(test_beeond)
{
	if (!begin_beeond("", ""))
		return;
	begin_job();
	up();
	expect(has(pfs("spool/n1/chunk"), "512k\n"), "not BeeGFS's own");
	nodes_all(uses_mount,
		  "cat $BB_JOBFS/in/f1 >$BB_JOBFS/in/from.$SLURMD_NODENAME", 0);
	expect(!access(pfs("shared/data/in/from.n1"), F_OK), "not there");
	end_job_well();
	nodes_end();
}
END_TEST

/* Each node's metadata server would make a root directory of these chunks; all
 * else is as the site says. */
START_TEST(test_beeond_chunk)
{
	char options[200];

	snprintf(options, sizeof(options), "chunk=auto config=%.150s/pfs/etc",
		 tmpdir());
	if (!begin_beeond("", options))
		return;
	make_dir(pfs("etc"), 0755);
	make_text(pfs("etc/beegfs-meta.conf"),
		  "tuneNumWorkers=4\ntuneDefaultChunkSize = 2m");
	make_text(pfs("etc/beegfs-client.conf"), "x");
	begin_job();
	up();
	nodes_all(uses_mount, "touch $BB_JOBFS/in/from.$SLURMD_NODENAME", 0);
	expect(has(pfs("spool/n1/chunk"), "524288\n"), "first node");
	expect(has(pfs("spool/n2/chunk"), "524288\n"), "second node");
	end_job_well();
	nodes_end();
}
END_TEST

/* It fails on the second node, when the first one already has it. */
START_TEST(test_beeond_fails)
{
	if (!begin_beeond("FAKE_BEEOND_FAIL=n2", ""))
		return;
	job_starts(request);
	up();
	ctl_until_told("starting on n2 failed");
	ck_assert_str_eq(ctl_verdict, "fail");
	end_job("FAILED");
	nodes_all(nothing_left, "nothing left", 0);
	nodes_end();
}
END_TEST

static int run(void)
{
	TCase *tc = tcase_create("fs");
	Suite *s = suite_create("fs");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, test_gekkofs, 0, 2);
	tcase_add_test(tc, test_gekkofs_fails);
	tcase_add_test(tc, test_gekkofs_dies);
	tcase_add_test(tc, test_gekkofs_link);
	tcase_add_test(tc, test_lustre);
	tcase_add_test(tc, test_lustre_kept);
	tcase_add_test(tc, test_lustre_trust);
	tcase_add_test(tc, test_lustre_expired);
	tcase_add_test(tc, test_stripe);
	tcase_add_loop_test(tc, test_stripe_jobfs, 0, 2);
	tcase_add_loop_test(tc, test_stripe_fails, 0, 2);
	tcase_add_test(tc, test_beeond);
	tcase_add_test(tc, test_beeond_chunk);
	tcase_add_test(tc, test_beeond_fails);
	suite_add_tcase(s, tc);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}

int main(void)
{
	int rc = enter_own_host("fs");

	return rc ? rc : run();
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the gekkofs driver: a simulated GekkoFS (tests/fakes) on two nodes
 * against a whole sluiced. */
#include "config.h"
#include "tests/unit/burst_buffer/node/fs_job.h"
#include <fcntl.h>
#include <sys/resource.h>
#include "common/file.h"
#include "common/proc.h"

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
	char *guard = realpath(".libs/libsluice_forked.so", NULL);
	struct slu_buf line = {0};
	bool can;

	expect(library && guard, "no libraries");
	slu_buf_printf(
		&line,
		"FileSystem=gkfs Driver=gekkofs Unauthenticated=accept "
		"server=%s/pfs/daemon library=%s guard=%s listen=127.0.0.1 %s\n"
		"OnSetupFailure=fail\nOnStageInFailure=fail\n",
		tmpdir(), library, guard, options);
	free(library);
	free(guard);
	can = nodes_begin(line.data);
	slu_buf_free(&line);
	if (!can)
		return false;
	make_server(told);
	make_input();
	set_request("gkfs");
	return true;
}

/* As the SPANK plugin takes it. */
static void take_line(char *line)
{
	char *value = strchr(line, '=');

	struct rlimit files;
	unsigned n;

	line[strcspn(line, "\n")] = '\0';
	if (!strcmp(line, "-LIBGKFS_")) {
		unsetenv("LIBGKFS_FORWARDING_MAP_FILE");
		unsetenv("LIBGKFS_PROXY_PID_FILE");
	}
	if (sscanf(line, "nofile %u", &n) == 1) {
		ck_assert(!getrlimit(RLIMIT_NOFILE, &files));
		files.rlim_cur = n;
		ck_assert(!setrlimit(RLIMIT_NOFILE, &files));
	}
	if (!value)
		return;
	*value++ = '\0';
	setenv(line, value, 1);
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
		while (fgets(line, sizeof(line), f))
			take_line(line);
		fclose(f);
	}
	rc = slu_run(argv, 20, NULL, &why);
	if (rc)
		fprintf(stderr, "%s: %s\n", script, why.text);
	return rc ? 13 : 0;
}

/* Without the library there is an empty directory, in which no process can
 * write. */
static int outside(const char *arg)
{
	char path[PATH_MAX];

	(void)arg;
	job_path(path, "mnt/data/x");
	if (become_ann())
		return 12;
	return open(path, O_WRONLY | O_CREAT, 0600) < 0 ? 0 : 14;
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

/* The daemon's log is kept after its storage was deleted. */
static int kept_log(const char *arg)
{
	char path[PATH_MAX];
	struct slu_buf text = {0};

	(void)arg;
	snprintf(path, sizeof(path), "%s/run/failed.gekkofs.0", world);
	return slu_file_read(AT_FDCWD, path, 4096, &text, NULL) || !text.data ||
	       strncmp(text.data, "job 7\n", 6) ||
	       !strstr(text.data, "told to fail");
}

START_TEST(test_gekkofs_fails)
{
	if (!begin("FAKE_GKFS_FAIL=1", ""))
		return;
	job_starts(request);
	up();
	ctl_until_told("the GekkoFS daemon ended at once: fake_gkfs_daemon: "
		       "told to fail");
	nodes_all(kept_log, "", 0);
	ck_assert_str_eq(ctl_verdict, "fail");
	end_job("FAILED");
	nodes_all(nothing_left, "nothing left", 0);
	nodes_end();
}
END_TEST

/* The verdict names the program that cannot be run. */
START_TEST(test_gekkofs_missing)
{
	if (!begin("", ""))
		return;
	ck_assert(!unlink(pfs("daemon")));
	job_starts(request);
	up();
	ctl_until_told("pfs/daemon: No such file or directory");
	ck_assert_str_eq(ctl_verdict, "fail");
	end_job("FAILED");
	nodes_all(nothing_left, "nothing left", 0);
	nodes_end();
}
END_TEST

/* A daemon that dies loses data: the stage-out reports it. */
START_TEST(test_gekkofs_dies)
{
	if (!begin("FAKE_GKFS_DIE=2", "\nKeepFailed=0\nOnServerLoss=leave"))
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

/* One that dies while the job runs is noticed then, and what is left is kept:
 * the job is ended. */
START_TEST(test_server_lost)
{
	if (!begin("FAKE_GKFS_DIE=3", ""))
		return;
	begin_job();
	ctl_until_told("a daemon of gkfs (GekkoFS) has ended");
	ck_assert_str_eq(ctl_verdict, "fail");
	end_job("FAILED");
	expect(strstr(ctl_text, "run failed: n"), "%s", ctl_text);
	expect(strstr(ctl_text, "the data is kept on n[1-2]"), "%s", ctl_text);
	nodes_end();
}
END_TEST

/* A tree with a link cannot be staged in, and the user is told why. */
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
/* A hole is read as zeros, on both ways and whoever verifies it; what lies
 * beside it is in its place. */
static void make_holes(const char *name)
{
	int fd = open(pfs(name), O_WRONLY | O_CREAT, 0644);
	char *data = malloc(70000);

	memset(data, 'x', 70000);
	ck_assert(fd >= 0 && data);
	ck_assert_int_eq(pwrite(fd, data, 70000, 0), 70000);
	ck_assert_int_eq(pwrite(fd, data, 70000, 5 << 20), 70000);
	ck_assert(!ftruncate(fd, 7 << 20) && !close(fd));
	free(data);
}

/* What a task writes is what it writes anywhere: $2 is a part of $1. */
#define WRITE_HOLE                                        \
	"dd if=$1 of=$2 bs=30000 seek=60 status=none && " \
	"dd if=$1 of=$2 bs=30000 seek=180 conv=notrunc status=none"

START_TEST(test_holes)
{
	const char *verify = _i ? " verify=content" : "";
	char script[4 * PATH_MAX];

	if (!begin("FAKE_GKFS_SLOW=0", ""))
		return;
	make_holes("in/sparse");
	snprintf(request, sizeof(request),
		 "jobfs type=gkfs capacity=40MiB name=JOBFS; stage_in "
		 "source=%s/pfs/in destination=$BB_JOBFS%s; stage_out "
		 "source=$BB_JOBFS/in destination=%s/pfs/out%s",
		 world, verify, world, verify);
	begin_job();
	snprintf(script, sizeof(script), "cmp $BB_JOBFS/in/sparse %s",
		 pfs("in/sparse"));
	nodes_all(task, script, 0);
	nodes_all(task,
		  "test $SLURMD_NODENAME = n2 || "
		  "{ set $BB_JOBFS/in/f19 $BB_JOBFS/in/hole; " WRITE_HOLE "; }",
		  0);
	end_job("COMPLETED");
	ck_assert_str_eq(ctl_text, "");
	snprintf(script, sizeof(script),
		 "cd %s && cmp in/sparse out/in/sparse && set in/f19 plain && "
		 "{ " WRITE_HOLE "; } && cmp plain out/in/hole",
		 pfs(""));
	ck_assert_int_eq(system(script), 0);
	nodes_all(nothing_left, "nothing left", 0);
	nodes_end();
}
END_TEST

/* d/x and d:x would share their content: a tree with such a name, a file that
 * is called so, and a destination. */
START_TEST(test_colons)
{
	static const char *const names[] = {"in/sub:f0", "in/a:b", "in/f1"};
	static const char *const source[] = {"in", "in/a:b", "in/f1"};
	static const char *const to[] = {"", "/", "/a:b"};

	if (!begin("FAKE_GKFS_SLOW=0", ""))
		return;
	make_file(pfs(names[_i]), 100, 1);
	snprintf(request, sizeof(request),
		 "jobfs type=gkfs capacity=40MiB name=JOBFS; stage_in "
		 "source=%s/pfs/%s destination=$BB_JOBFS%s%s",
		 world, source[_i], to[_i], _i ? " type=file" : "");
	job_starts(request);
	up();
	ctl_until_told("has a ':' in its name");
	end_job("FAILED");
	nodes_all(nothing_left, "nothing left", 0);
	nodes_end();
}
END_TEST

/* One file, under its own name or another; of the two it is the first node's
 * that made it. */
START_TEST(test_one_file)
{
	static const char *const to[] = {"", "/renamed"};
	char script[4 * PATH_MAX];

	if (!begin("FAKE_GKFS_SLOW=0", ""))
		return;
	snprintf(request, sizeof(request),
		 "jobfs type=gkfs capacity=40MiB name=JOBFS; stage_out "
		 "source=$BB_JOBFS/d/f destination=%s/pfs/out%s type=file",
		 world, to[_i]);
	begin_job();
	nodes_all(task,
		  "test $SLURMD_NODENAME = n2 || { cd $BB_JOBFS && mkdir d && "
		  "echo one >d/f; }",
		  0);
	end_job("COMPLETED");
	ck_assert_str_eq(ctl_text, "");
	make_text(tmpfile_path("one"), "one\n");
	snprintf(script, sizeof(script), "cmp %s %s%s", tmpfile_path("one"),
		 pfs("out"), _i ? to[_i] : "/f");
	ck_assert_int_eq(system(script), 0);
	nodes_all(nothing_left, "nothing left", 0);
	nodes_end();
}
END_TEST

/* Both are files of the job: what is staged out, and who was made last. */
static const struct collisions {
	const char *out, *made;
} collisions[] = {
	{"", "echo one >d/x; echo two >d:x"},
	{"", "echo two >d:x; echo one >d/x"},
	{"/d", "echo one >d/x; echo two >d:x"},
	{"/d/*", "echo one >d/x; echo two >d:x"},
};

/* What one of them holds is the other's: neither is staged out, and a name with
 * a ':' that collides with none is. */
START_TEST(test_colliding_paths)
{
	const struct collisions *t = &collisions[_i % 4];
	bool alone = _i == 4;
	char script[4 * PATH_MAX];

	if (!begin("FAKE_GKFS_SLOW=0", ""))
		return;
	snprintf(request, sizeof(request),
		 "jobfs type=gkfs capacity=40MiB name=JOBFS; stage_out "
		 "source=$BB_JOBFS%s destination=%s/pfs/out/ verify=content",
		 alone ? "" : t->out, world);
	begin_job();
	snprintf(script, sizeof(script),
		 "test $SLURMD_NODENAME = n2 || { cd $BB_JOBFS && "
		 "mkdir d && { %s; }; }",
		 alone ? "echo noon >d/12:30; echo dx >dx" : t->made);
	nodes_all(task, script, 0);
	end_job("COMPLETED");
	if (alone) {
		ck_assert_str_eq(ctl_text, "");
		make_text(tmpfile_path("noon"), "noon\n");
		snprintf(script, sizeof(script), "cmp %s %s",
			 tmpfile_path("noon"), pfs("out/d/12:30"));
		ck_assert_int_eq(system(script), 0);
	} else {
		expect(strstr(ctl_text, "d:x share their content") ||
			       strstr(ctl_text, "d/x share their content"),
		       "%s", ctl_text);
		ck_assert_str_eq(ctl_verdict, "fail");
		snprintf(script, sizeof(script),
			 "test -z \"$(find %s -type f)\"", pfs("out"));
		ck_assert_int_eq(system(script), 0);
	}
	nodes_end();
}
END_TEST

/* Whoever runs us has set what leads a client elsewhere, and few open files:
 * copiers do not see it. */
START_TEST(test_environment)
{
	struct rlimit files;
	char path[PATH_MAX];

	ck_assert(!getrlimit(RLIMIT_NOFILE, &files));
	files.rlim_cur = 1024;
	ck_assert(!setrlimit(RLIMIT_NOFILE, &files));
	ck_assert(!setenv("LIBGKFS_FORWARDING_MAP_FILE", "/nowhere", 1));
	snprintf(path, sizeof(path), "%s/proxy", tmpdir());
	make_text(path, "1\nna+sm://1-0\n");
	ck_assert(!setenv("LIBGKFS_PROXY_PID_FILE", path, 1));
	if (!begin("FAKE_GKFS_SLOW=0", "client_env=LIBGKFS_DENTRY_CACHE=ON"))
		return;
	begin_job();
	nodes_all(task,
		  "test $LIBGKFS_DENTRY_CACHE = ON && "
		  "echo result >$BB_JOBFS/in/from.$SLURMD_NODENAME",
		  0);
	end_job_well();
	nodes_end();
}
END_TEST

/* A child that has started no program is refused at once, and says so; its
 * programs work, and so does what it was forked from. */
START_TEST(test_forked)
{
	if (!begin("FAKE_GKFS_SLOW=0", ""))
		return;
	begin_job();
	nodes_all(task,
		  "f=/tmp/said.$$; "
		  "(: >$BB_JOBFS/in/x) 2>$f && exit 1; "
		  "grep -q 'sluice: .*/in/x: a forked process' $f || exit 2; "
		  "(cd $BB_JOBFS) 2>/dev/null && exit 3; "
		  "(cat $BB_JOBFS/in/f1; :) | cat >/dev/null || exit 4; "
		  "rm $f; echo result >$BB_JOBFS/in/from.$SLURMD_NODENAME",
		  0);
	end_job_well();
	nodes_end();
}
END_TEST

static int run(void)
{
	Suite *suite = suite_create("gekkofs");

	add(suite, "gekkofs", test_gekkofs, 2);
	add(suite, "fails", test_gekkofs_fails, 1);
	add(suite, "missing", test_gekkofs_missing, 1);
	add(suite, "dies", test_gekkofs_dies, 1);
	add(suite, "server_lost", test_server_lost, 1);
	add(suite, "link", test_gekkofs_link, 1);
	add(suite, "environment", test_environment, 1);
	add(suite, "forked", test_forked, 1);
	add(suite, "holes", test_holes, 2);
	add(suite, "colons", test_colons, 3);
	add(suite, "one_file", test_one_file, 2);
	add(suite, "collisions", test_colliding_paths, 5);
	return run_suite(suite);
}

int main(void)
{
	int rc = enter_own_host("gekkofs");

	return rc ? rc : run();
}

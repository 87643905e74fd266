/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests staging by the site's own copy program: real programs, and faults of a
 * program. */
#include "config.h"
#include "tests/unit/harness.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>
#include "burst_buffer/staging/acts/move.h"
#include "burst_buffer/staging/share.h"
#include "tests/unit/burst_buffer/node/tree.h"

#define PATIENCE 60000 /* ms */

static char *top;
static char src[4096], dst[4096];
static struct slu_err err;
static char *env[] = {"PATH=/usr/bin:/bin", "SLUICE_NODES=n1,n2", NULL};

static void setup(void)
{
	top = tree_new();
	snprintf(src, sizeof(src), "%s", in(top, "src"));
	snprintf(dst, sizeof(dst), "%s", in(top, "dst"));
	make_dir(src, 0755);
	make_dir(dst, 0755);
	make_dir(in(src, "dir"), 0750);
	make_file(in(src, "dir/100%s"), 1000, 1);
	make_file(in(src, "large"), SLU_STAGE_RANGE + 1, 2);
	make_link(in(src, "link"), "nowhere");
	ck_assert(!chmod(in(src, "dir/100%s"), 0444));
	memset(&err, 0, sizeof(err));
}

static int open_manifest(void)
{
	int fd = open(in(top, "manifest"), O_RDWR | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_ge(fd, 0);
	return fd;
}

static int act(enum slu_act_name name, struct slu_stage_part *part,
	       struct slu_stage_result *r)
{
	ck_assert(!lseek(part->manifest, 0, SEEK_SET));
	return slu_stage(name, part, r, &err);
}

/* Contents of src into dst by it, then by us: how many files it had left. */
static uint64_t stage_by(char *const *words)
{
	const struct slu_mover mover = {words, env};
	struct slu_stage_result r;
	struct slu_stage_part part = {.destination = dst, .n = 1};
	char source[sizeof(src) + 1];
	uint64_t left;

	snprintf(source, sizeof(source), "%s/", src);
	part.source = source;
	part.manifest = open_manifest();
	expect_ok(act(SLU_PREPARE, &part, &r), err);
	expect(slu_stage_move(&part, &mover, &err) == 1, "%s", err.text);
	part.quick = true;
	expect_ok(act(SLU_COPY, &part, &r), err);
	left = r.files - r.kept;
	part.content = true;
	expect_ok(act(SLU_VERIFY, &part, &r), err);
	expect_ok(act(SLU_FINISH, &part, &r), err);
	close(part.manifest);
	return left;
}

/* A shell's, in a source that has nothing to do with it. */
static int move_by(char *script, struct slu_stage_part *part)
{
	char *words[] = {"/bin/sh", "-c", script, "sh", "%s", "%d", top, NULL};
	const struct slu_mover mover = {words, env};

	part->source = src;
	part->destination = top; /* src is in it */
	return slu_stage_move(part, &mover, &err);
}

START_TEST(test_real_copy_programs)
{
	static char *cp[] = {"/bin/cp", "-a", "%s/.", "%d", NULL};
	static char *no_times[] = {"/bin/cp", "-r", "%s/.", "%d/", NULL};
	static char *rsync[] = {"/usr/bin/rsync", "--archive", "%s/", "%d",
				NULL};
	static char *idle[] = {"/bin/true", "%s", "%d", NULL};
	const struct {
		char *const *words;
		uint64_t left;
	} cases[] = {{cp, 0}, {no_times, 2}, {rsync, 0}, {idle, 2}};
	const char *how;

	each(c, cases)
	{
		if (access(c->words[0], X_OK)) {
			skip(c->words[0]);
			continue;
		}
		setup();
		ck_assert_uint_eq(stage_by(c->words), c->left);
		how = tree_differs(src, dst, 1);
		expect(!how, "%s: %s", c->words[0], how);
		tree_remove(top);
	}
}
END_TEST

/* Nor has a copier to know extended attributes: what it leaves out comes
 * along, also where the user may not write any more. */
START_TEST(test_attributes)
{
	static char *plain[] = {
		"/bin/cp", "-r", "--preserve=mode,timestamps,links",
		"%s/.",	   "%d", NULL};
	static const char *const files[] = {"dir/100%s", "large"};
	char path[4200], value[8];

	setup();
	each(f, files) if (setxattr(in(src, *f), "user.made", "by us", 5, 0))
	{
		skip("no attributes here");
		tree_remove(top);
		return;
	}
	ck_assert(!chmod(in(src, "large"), 0444));
	ck_assert(!chmod(in(src, "dir"), 0555));
	snprintf(path, sizeof(path), "chown -R 65534 %s", top);
	ck_assert_int_eq(system(path), 0);
	ck_assert(!geteuid() ? !seteuid(65534) : 1);
	ck_assert_uint_eq(stage_by(plain), 0);
	each(f, files)
	{
		ck_assert_int_eq(getxattr(in(dst, *f), "user.made", value, 8),
				 5);
		ck_assert(!memcmp(value, "by us", 5));
	}
	ck_assert(!getuid() ? !seteuid(0) : 1);
	ck_assert_ptr_null(tree_differs(src, dst, 1));
	tree_remove(top);
}
END_TEST

START_TEST(test_arguments_and_environment)
{
	struct slu_stage_part part = {.n = 1};
	char want[3 * 4096], got[3 * 4096] = "";
	int fd;

	setup();
	expect(move_by("echo $0 $1 $2 $SLUICE_NODES $(env | wc -l) >$3/said",
		       &part) == 1,
	       "%s", err.text);
	snprintf(want, sizeof(want), "sh %s %s/src n1,n2 ", src, top);
	fd = open(in(top, "said"), O_RDONLY);
	ck_assert_int_gt(read(fd, got, sizeof(got) - 1), 0);
	close(fd);
	expect(!strncmp(got, want, strlen(want)), "%.300s", got);
	/* ours, and what a shell adds */
	ck_assert_int_le(atoi(got + strlen(want)), 6);
	tree_remove(top);
}
END_TEST

START_TEST(test_failures)
{
	static const struct {
		char *words[4];
		const char *text;
	} cases[] = {
		{{"/bin/sh", "-c", "echo one; echo 'no space' >&2; exit 23"},
		 "mover: /bin/sh ended with exit code 23: no space"},
		{{"/bin/sh", "-c", "kill -9 $$"},
		 "mover: /bin/sh was killed by signal 9"},
		{{"/no/such", "%s", "%d"},
		 "mover: /no/such ended with exit code 127: cannot run "
		 "/no/such: No such file or directory"},
	};
	struct slu_stage_part part = {
		.source = src, .destination = dst, .n = 1};

	setup();
	make_dir(in(dst, "src"), 0755);
	each(c, cases)
	{
		const struct slu_mover mover = {(char *const *)c->words, env};

		expect_fail(slu_stage_move(&part, &mover, &err), err, SLU_IO,
			    c->text);
	}
	tree_remove(top);
}
END_TEST

/* What is no whole directory is not its business. */
START_TEST(test_only_whole_directories)
{
	static const struct {
		const char *source;
		enum slu_stage_what what;
	} cases[] = {
		{"large", SLU_WHAT_FILE},
		{"large", SLU_WHAT_ANY},
		{"large", SLU_WHAT_LIST},
		{"l*", SLU_WHAT_DIRECTORY},
	};
	static char *words[] = {"/bin/false", "%s", "%d", NULL};
	const struct slu_mover mover = {words, env};

	setup();
	each(c, cases)
	{
		struct slu_stage_part part = {.source = in(src, c->source),
					      .destination = dst,
					      .what = c->what,
					      .n = 1};

		ck_assert_int_eq(slu_stage_move(&part, &mover, &err), 0);
	}
	tree_remove(top);
}
END_TEST

/* The process that the script has noted; 0: not yet. */
static pid_t noted(void)
{
	int pid = 0;
	FILE *f = fopen(in(top, "pid"), "r");

	if (f && fscanf(f, "%d\n", &pid) != 1)
		pid = 0;
	if (f)
		fclose(f);
	return pid;
}

static bool gone(pid_t pid)
{
	for (int ms = 0; ms < PATIENCE; ms++) {
		if (kill(pid, 0) && errno == ESRCH)
			return true;
		usleep(1000);
	}
	return false;
}

/* A copy program that leaves its process group and session, and reports that at
 * once. */
#define STRAY                                                             \
	"setsid sh -c 'echo $$ >'\"$3\"'/p; mv '\"$3\"'/p '\"$3\"'/pid; " \
	"exec sleep 1000' & "
#define UNTIL "while [ ! -e \"$3\"/pid ]; do sleep 0.01; done; "

/* Nothing of it is there when it has ended, even well. */
START_TEST(test_strays)
{
	struct slu_stage_part part = {.n = 1};
	pid_t pid;

	setup();
	expect(move_by(STRAY UNTIL "exit 0", &part) == 1, "%s", err.text);
	pid = noted();
	ck_assert_int_gt(pid, 1);
	ck_assert(gone(pid));
	tree_remove(top);
}
END_TEST

static int stop(void *arg, uint64_t bytes, uint64_t files)
{
	(void)arg, (void)bytes, (void)files;
	return noted() != 0;
}

START_TEST(test_stopped)
{
	struct slu_stage_part part = {.n = 1, .progress = stop};

	setup();
	expect_fail(move_by(STRAY "exec sleep 1000", &part), err, SLU_BUSY,
		    "stopped");
	ck_assert(gone(noted()));
	tree_remove(top);
}
END_TEST

/* Who called it is killed: sluice-node, or the child that it does it in. */
START_TEST(test_caller_killed)
{
	struct slu_stage_part part = {.n = 1};
	pid_t caller;

	setup();
	caller = fork();
	if (!caller) {
		setsid();
		move_by(STRAY "exec sleep 1000", &part);
		_exit(1);
	}
	for (int ms = 0; !noted() && ms < PATIENCE; ms++)
		usleep(1000);
	ck_assert(!kill(-caller, SIGKILL)); /* as slurmd does */
	ck_assert_int_eq(waitpid(caller, NULL, 0), caller);
	ck_assert(gone(noted()));
	tree_remove(top);
}
END_TEST

TEST_MAIN("move", test_real_copy_programs, test_attributes,
	  test_arguments_and_environment, test_failures,
	  test_only_whole_directories, test_strays, test_stopped,
	  test_caller_killed)

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests jobs' directories on the parallel file system and their stripe layouts,
 * on two nodes against a whole sluiced. */
#include "config.h"
#include "tests/unit/burst_buffer/node/fs_job.h"
#include <fcntl.h>

/* lustre: the directory that plays the parallel file system does */

/* What earlier jobs left: one's data whose time is over, one's whose is not,
 * and two removals, of which one has been given up. */
/* Known, by a kernel that does not run any more, to have been kept for long. */
static void make_aged(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/age", name);
	make_text(pfs(path), "another-boot 5 999999999\n");
}

static void make_old(void)
{
	static const struct timespec long_ago[2] = {{.tv_sec = 1000},
						    {.tv_sec = 1000}};
	static const char *const dirs[] = {
		"jobs/kept",	    "jobs/kept/3.1",	"jobs/kept/3.2",
		"jobs/.gone.0.4.1", "jobs/.gone.0.4.2", "jobs/kept/.gone.4.3"};

	each(d, dirs) make_dir(pfs(*d), 0711);
	make_text(pfs("jobs/kept/3.1/until"), "1000");
	make_aged("jobs/kept/3.1");
	make_text(pfs("jobs/kept/3.2/until"), "9999999999");
	make_aged("jobs/kept/3.2");
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
		 "lfs=%.150s/pfs/lfs stripe_count=2 stripe_size=4MiB "
		 "ost_pool=flash\n%s",
		 tmpdir(), tmpdir(), more);
	if (!nodes_begin(line))
		return false;
	ck_assert(!chown(pfs(""), 0, 0)); /* what leads to root= is root's */
	make_dir(pfs("jobs"), 0711);
	/* as lfs has it: no MiB */
	make_text(pfs("lfs"),
		  "#!/bin/sh\n[ \"${*% *}\" = 'setstripe -c 2 -S 4194304 -p "
		  "flash' ] && : >\"${0%/*}/lfs.log\"\n");
	ck_assert(!chmod(pfs("lfs"), 0755));
	make_input();
	set_request("gkfs");
	return true;
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
		  !unlink(pfs("jobs/kept/3.2/age")) &&
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
	make_aged("jobs/kept/3.1");
	nodes_all(run_verb, "recover", 0);
	expect(!access(pfs("jobs/kept/3.1"), F_OK), "not yet");
	ck_assert(!utimensat(AT_FDCWD, pfs("jobs/.swept"), long_ago, 0));
	nodes_all(run_verb, "recover", 0);
	wait_for_removal("jobs/kept/3.1");
	expect(access(pfs("jobs/kept/3.1"), F_OK), "its time is over");
	nodes_end();
}
END_TEST

/* A look that finds it due, if the last was by this host. */
static void look_again(void)
{
	const struct timespec then[2] = {{.tv_sec = time(NULL) - 4000},
					 {.tv_sec = time(NULL) - 4000}};

	ck_assert(!utimensat(AT_FDCWD, pfs("jobs/.swept"), then, 0));
	nodes_all(run_verb, "recover", 0);
}

static void put_sweeper(const char *boot)
{
	make_text(pfs("jobs/.swept"), boot);
}

static bool has_age(void)
{
	return !access(pfs("jobs/kept/3.1/age"), F_OK);
}

/* All dates say that its time is over, of this node and of sluiced: a server of
 * time may have been wrong. The host that looks goes on looking, so that it
 * ages; another takes that over only from one that has ceased to. */
START_TEST(test_lustre_dates_jump)
{
	if (!begin_lustre(""))
		return;
	make_dir(pfs("jobs/kept"), 0711);
	make_dir(pfs("jobs/kept/3.1"), 0711);
	make_text(pfs("jobs/kept/3.1/until"), "1000");
	put_sweeper("another-boot");
	look_again();
	expect(!has_age(), "another host's turn");
	put_sweeper("another-boot");
	ck_assert(!utimensat(
		AT_FDCWD, pfs("jobs/.swept"),
		(struct timespec[2]){{.tv_sec = 1000}, {.tv_sec = 1000}}, 0));
	nodes_all(run_verb, "recover", 0);
	for (int i = 0; !has_age() && i < 1200; i++)
		usleep(50000);
	expect(has_age(), "not looked at");
	for (int i = 0; i < 3; i++)
		look_again();
	expect(!access(pfs("jobs/kept/3.1"), F_OK), "removed by its date");
	make_aged("jobs/kept/3.1");
	look_again();
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

static bool begin_site(const char *more, const char *on_failure)
{
	char line[600];

	snprintf(line, sizeof(line),
		 "FileSystem=gkfs Driver=lustre root=%.150s/pfs/jobs "
		 "lfs=%.150s/pfs/lfs %s\n%s",
		 tmpdir(), tmpdir(), more, on_failure);
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

static bool begin_stripe(const char *more)
{
	return begin_site(more, "OnSetupFailure=fail\n");
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
			 "uid 1000\n-1 2 1048576 3,2 raid0\n");
	ck_assert_str_eq(layout_of(pfs("ann/big")),
			 "uid 1000\n67108864 1 1048576 - raid0\n"
			 "1073741824 4 1048576 - raid0\n"
			 "10737418240 4 2097152 - raid0\n"
			 "-1 4 4194304 - raid0\n");
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
	ck_assert_str_eq(layout_of(data),
			 _i ? "uid 1000\n-1 3 1048576 3,2,1 raid0\n"
			    : "uid 1000\n-1 1 1048576 - raid0\n");
	nodes_all(uses_mount,
		  "cat $BB_JOBFS/in/f1 >$BB_JOBFS/in/from.$SLURMD_NODENAME", 0);
	end_job_well();
	nodes_end();
}
END_TEST

/* What can never work is not tried again, what may be is. */
START_TEST(test_stripe_held)
{
	static const struct {
		const char *target, *lfs, *told, *verdict;
		bool made; /* by us, in what may not be mounted elsewhere */
	} cases[] = {
		{"root", "", "Permission denied", "hold", false},
		{"root/new", "", "cannot make", "hold", true},
		{"ann/file", "", "not a directory", "hold", true},
		{"ann/x", "echo Inappropriate ioctl >&2; exit 25",
		 "Inappropriate ioctl", "hold", false},
		{"ann/x", "echo No space >&2; exit 28", "No space", "requeue",
		 false},
		{"ann/x", "kill -9 $$", "killed", "requeue", false},
	};
	struct stat top, st;
	bool same;
	FILE *f;

	if (!begin_site("", ""))
		return;
	ck_assert(!stat("/", &top) && !stat(pfs(""), &st));
	same = top.st_dev == st.st_dev;
	make_dir(pfs("root"), 0755);
	f = fopen(pfs("ann/file"), "w");
	ck_assert(f && !fclose(f));
	if (*cases[_i].lfs) {
		f = fopen(pfs("lfs"), "w");
		ck_assert(f &&
			  fprintf(f, "#!/bin/sh\n%s\n", cases[_i].lfs) > 0 &&
			  !fclose(f));
	}
	snprintf(request, sizeof(request), "stripe target=%s/pfs/%s", world,
		 cases[_i].target);
	job_starts(request);
	up();
	ctl_until_told(cases[_i].told);
	ck_assert_str_eq(ctl_verdict, cases[_i].made && same
					      ? "requeue"
					      : cases[_i].verdict);
	end_job("FAILED");
	nodes_all(nothing_left, "nothing left", 0);
	nodes_end();
}
END_TEST

/* Where the user may not write, the job gets an error. */
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

static int run(void)
{
	Suite *suite = suite_create("fs_lustre");

	add(suite, "lustre", test_lustre, 1);
	add(suite, "lustre_kept", test_lustre_kept, 1);
	add(suite, "lustre_trust", test_lustre_trust, 1);
	add(suite, "lustre_expired", test_lustre_expired, 1);
	add(suite, "lustre_dates_jump", test_lustre_dates_jump, 1);
	add(suite, "stripe", test_stripe, 1);
	add(suite, "stripe_jobfs", test_stripe_jobfs, 2);
	add(suite, "stripe_fails", test_stripe_fails, 2);
	add(suite, "stripe_held", test_stripe_held, 6);
	return run_suite(suite);
}

int main(void)
{
	int rc = enter_own_host("fs_lustre");

	return rc ? rc : run();
}

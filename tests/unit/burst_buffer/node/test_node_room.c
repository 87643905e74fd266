/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests two nodes with real storage, where files of another user fill one disk:
 * what happens to the job, and which user is named as the cause. */
#include "config.h"
#include "tests/unit/burst_buffer/node/node_life.h"
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include "burst_buffer/node/setup/room.h"

/* A disk of its own for n1's storage. */
static int own_disk(const char *options)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%.200s/storage", world);
	return is_n1() && mount("tmpfs", path, "tmpfs", 0, options) ? 60 : 0;
}

/* Somebody writes so many MiB there, beside what is Sluice's. */
static int others_write(const char *mib)
{
	static const char block[1 << 20] = {1};
	char path[PATH_MAX];
	FILE *f;
	int rc = 0;

	if (!is_n1())
		return 0;
	snprintf(path, sizeof(path), "%.200s/storage/results", world);
	if (mkdir(path, 0755) || chown(path, NODE_UID, NODE_UID))
		return 61;
	strcat(path, "/large");
	f = fopen(path, "w");
	for (int i = atoi(mib); f && i > 0 && rc == 0; i--)
		rc = fwrite(block, sizeof(block), 1, f) != 1;
	if (!f || fclose(f) || rc || chown(path, NODE_UID, NODE_UID))
		return 62;
	return 0;
}

static int no_disk(const char *arg)
{
	char path[PATH_MAX];

	(void)arg;
	snprintf(path, sizeof(path), "%.200s/storage", world);
	return is_n1() && umount2(path, MNT_DETACH) ? 63 : 0;
}

static bool begin_full(const char *type, const char *mib)
{
	if (!begin(type, ""))
		return false;
	nodes_all(own_disk, "size=400m,mode=0755", 0);
	nodes_all(others_write, mib, 0);
	return true;
}

/* 0: on this node it is so large, in MiB. */
static int is_large(const char *words)
{
	char path[PATH_MAX];
	struct stat st = {0};
	int n1 = -1, n2 = -1, is, want;

	if (sscanf(words, "%d %d", &n1, &n2) != 2)
		return 65;
	want = is_n1() ? n1 : n2;
	snprintf(path, sizeof(path), "%.200s/storage/7.1/image", world);
	is = stat(path, &st) ? 0 : (int)(st.st_size >> 20);
	return is >= want && is <= want + want / 3 ? 0 : 66;
}

/* What a node lacks the other one gives. */
static void around(const char *mib, const char *large)
{
	if (no_glusterfs() || !begin_full("glusterfs", mib))
		return;
	snprintf(request, sizeof(request),
		 "jobfs type=glusterfs capacity=200MiB");
	job_starts(request);
	up();
	nodes_all(is_large, large, 0);
	ctl_until("RUNNING");
	job_ends(request, "COMPLETED");
	down();
	ctl_until("DONE");
	nodes_all(no_disk, "", 0);
	expect_nothing_left();
	nodes_end();
}

START_TEST(test_next_node_takes_the_share)
{
	around("395", "0 200");
}
END_TEST

START_TEST(test_shares_follow_the_room)
{
	around("350", "40 150");
}
END_TEST

/* Each needs its own: nothing is made, and all get the cause. */
START_TEST(test_full_node_is_blamed)
{
	if (!begin_full("scratch", "380"))
		return;
	snprintf(request, sizeof(request),
		 "jobfs type=scratch capacity=100MiB");
	job_starts(request);
	up();
	ctl_until_told("n1: ");
	expect(strstr(ctl_text, "only 20MiB is free: files of ") &&
		       strstr(ctl_text, " take 380MiB there, most below ") &&
		       strstr(ctl_text, "/storage/results"),
	       "%s", ctl_text);
	ck_assert_str_eq(ctl_verdict, "requeue");
	nodes_all(no_disk, "", 0);
	end_cancelled();
}
END_TEST

/* n1's disk has less than it says, as a thin volume: what a program wrote there
 * is lost behind its back, and what is read later may be old. */
static int thin_disk(const char *arg)
{
	char command[2 * PATH_MAX];

	(void)arg;
	snprintf(
		command, sizeof(command),
		"set -e; cd %.200s; mkdir thin; mount -t tmpfs -o size=12m "
		"none thin; truncate -s 200M thin/image; mkfs.ext4 -q -O ^has_journal "
		"thin/image; mount -o loop thin/image storage",
		world);
	return is_n1() && system(command) ? 67 : 0;
}

/* When it could not write, and before anybody reads. */
static int more_room(const char *arg)
{
	char command[2 * PATH_MAX];

	(void)arg;
	snprintf(command, sizeof(command),
		 "sync; mount -o remount,size=400m %.200s/thin", world);
	return is_n1() && system(command) ? 68 : 0;
}

static int no_thin_disk(const char *arg)
{
	char command[2 * PATH_MAX];

	(void)arg;
	snprintf(command, sizeof(command),
		 "cd %.200s; umount -l storage; umount -l thin", world);
	return is_n1() && system(command) ? 68 : 0;
}

static int writes_much(const char *arg)
{
	char command[2 * PATH_MAX], path[PATH_MAX];

	(void)arg;
	job_path(path, "mnt/data/in/much");
	snprintf(command, sizeof(command),
		 "head -c 15M /dev/urandom >%s; exit 0", path);
	return is_n1() && (become_ann() || system(command)) ? 69 : 0;
}

START_TEST(test_not_stored)
{
	if (!begin("scratch", "KeepFailed=0\n"))
		return;
	nodes_all(thin_disk, "", 0);
	job_starts(request);
	up();
	ctl_until("RUNNING");
	nodes_all(writes_much, "", 0);
	nodes_all(more_room, "", 0);
	job_ends(request, "COMPLETED");
	down();
	ctl_until("DONE");
	expect(strstr(ctl_text, "did not reach the node's disk"), "%s",
	       ctl_text);
	ck_assert_str_eq(ctl_verdict, "fail");
	nodes_all(no_thin_disk, "", 0);
	expect_nothing_left();
	nodes_end();
}
END_TEST

static Suite *suite_of(void)
{
	Suite *suite = suite_create("node room");

	add(suite, "around", test_next_node_takes_the_share, 1);
	add(suite, "partly", test_shares_follow_the_room, 1);
	add(suite, "told", test_full_node_is_blamed, 1);
	add(suite, "not_stored", test_not_stored, 1);
	return suite;
}

int main(void)
{
	int rc = enter_own_host("node");

	return rc ? rc : run_suite(suite_of());
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements the life of a job of node_life.h, as steps that run on the
 * simulated nodes. */
#include "config.h"
#include "tests/unit/burst_buffer/node/node_life.h"
#include <dirent.h>
#include <signal.h>
#include "burst_buffer/storage/storage.h"

/* Input that only a file system with links, modes and owners keeps. */
static void make_odd_input(void)
{
	make_link(pfs("in/l"), "f1");
	ck_assert(!chmod(pfs("in/f1"), 0400));
	ck_assert(!chown(pfs("in/f1"), NODE_UID, NODE_UID));
}

bool is_n1(void)
{
	return !strcmp(getenv("SLURMD_NODENAME"), "n1");
}

int on_n1(const char *verb)
{
	return is_n1() ? run_verb(verb) : 0;
}

int reads(const char *arg)
{
	char env[400] = "", want[400], path[PATH_MAX];
	FILE *f;

	job_path(path, "env");
	f = fopen(path, "r");
	if (!f || !fgets(env, sizeof(env), f))
		return 10;
	fclose(f);
	snprintf(want, sizeof(want), "BB_JOBFS=%s/run/%d/mnt/data\n", world,
		 JOB);
	if (strcmp(env, want))
		return 11;
	if (become_ann())
		return 12;
	job_path(path, "mnt/data/in");
	/* For a second a client may know the directories' old times. */
	if (tree_differs(pfs("in"), path, !strcmp(arg, "exactly")))
		return 13;
	job_path(path, "mnt/data/.sluice");
	if (!access(path, F_OK))
		return 14;
	job_path(path, "plan.json");
	if (fopen(path, "r"))
		return 15;
	job_path(path, "log");
	f = fopen(path, "r");
	return f && !fclose(f) ? 0 : 16;
}

/* What it does: it adds a file. */
static int writes(const char *arg)
{
	char path[PATH_MAX];
	FILE *f;

	job_path(path, arg);
	strcat(path, getenv("SLURMD_NODENAME"));
	if (become_ann())
		return 12;
	f = fopen(path, "w");
	return f && fputs("result", f) >= 0 && !fclose(f) ? 0 : 17;
}

void run_tasks(bool shared)
{
	nodes_all(reads, shared ? "nearly" : "exactly", 0);
	nodes_all(writes, "mnt/data/in/from.", 0);
}

/* But for what was told of its end (receipts.h). */
static int only_has(const char *dir, const char *but)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int more = 0;

	while (d && (e = readdir(d)))
		more += strcmp(e->d_name, ".") && strcmp(e->d_name, "..") &&
			strcmp(e->d_name, but);
	if (d)
		closedir(d);
	return !more;
}

int nothing_left(const char *arg)
{
	char path[PATH_MAX];
	struct slu_buf mounts = {0};

	(void)arg;
	job_path(path, "");
	if (!access(path, F_OK))
		return 20;
	snprintf(path, sizeof(path), "%s/run/7", world);
	if (slu_file_read(AT_FDCWD, "/proc/self/mountinfo", 1 << 22, &mounts,
			  NULL) ||
	    strstr(mounts.data, path))
		return 21;
	slu_buf_free(&mounts);
	snprintf(path, sizeof(path), "%s/storage/kept", world);
	return only_has(path, ".done") ? 0 : 22;
}

static bool empty_in(const char *storage)
{
	char path[PATH_MAX], kept[PATH_MAX + 8];

	snprintf(path, sizeof(path), "%s/%s", world, storage);
	snprintf(kept, sizeof(kept), "%s/kept", path);
	return only_has(path, "kept") && only_has(kept, ".done");
}

static int storage_empty(const char *arg)
{
	(void)arg;
	if (!nodes_have_two())
		return empty_in("storage") ? 0 : 1;
	return empty_in("storage/sluice") && empty_in("storage2/sluice") ? 0
									 : 1;
}

void expect_nothing_left(void)
{
	mkdir(at("empty"), 0755);
	nodes_all(nothing_left, "nothing left", 0);
	nodes_all(storage_empty, "storage empty", 0);
}

void end_cancelled(void)
{
	job_ends(request, "CANCELLED");
	down();
	ctl_until("DONE");
	expect_nothing_left();
	nodes_end();
}

void whole_life(bool shared, bool slowly)
{
	job_starts(request);
	up();
	ctl_until("RUNNING");
	if (slowly) {
		up(); /* again: nothing changes */
		sleep(1);
		nodes_all(reads, "exactly", 0);
	}
	run_tasks(shared);
	job_ends(request, "COMPLETED");
	down();
	ctl_until("DONE");
	ck_assert_str_eq(ctl_text, "");
	expect_output(shared);
	expect_nothing_left();
	down(); /* again: nothing to do */
}

bool begin(const char *type, const char *more)
{
	if (!nodes_begin(more))
		return false;
	make_input();
	make_odd_input();
	set_request(type);
	return true;
}

bool begin_up(const char *type, const char *more)
{
	if (!begin(type, more))
		return false;
	job_starts(request);
	up();
	return true;
}

bool no_glusterfs(void)
{
	if (!access("/usr/sbin/glusterfsd", X_OK) &&
	    !access("/dev/fuse", R_OK | W_OK))
		return false;
	skip("no glusterfs or no /dev/fuse");
	return true;
}

void lose_database(void)
{
	sluiced_stop(SIGTERM, 0);
	ck_assert(!unlink(at("db")));
	sluiced_start();
	ctl_connect();
	ctl_hello(NULL, 0);
}

int data_kept(const char *arg)
{
	char path[PATH_MAX];

	(void)arg;
	if (become_ann())
		return 12;
	snprintf(path, sizeof(path), "%s/storage/kept/7.1/fs/data/in/from.%s",
		 world, getenv("SLURMD_NODENAME"));
	return access(path, R_OK) ? 40 : 0;
}

int expire(const char *arg)
{
	char storage[PATH_MAX];

	(void)arg;
	snprintf(storage, sizeof(storage), "%s/storage", world);
	return slu_storage_expire(storage, INT64_MAX - 1, NULL, 0, NULL) ? 41
									 : 0;
}

static char right_addr[sizeof(sluiced_addr)];

void down_denied(void)
{
	slu_copy(right_addr, sizeof(right_addr), sluiced_addr);
	slu_copy(sluiced_addr, sizeof(sluiced_addr), "192.0.2.7");
	sluiced_stop(SIGTERM, 0);
	sluiced_start();
	ctl_connect();
	ctl_hello(NULL, 0);
	down();
}

void heard_at_last(void)
{
	slu_copy(sluiced_addr, sizeof(sluiced_addr), right_addr);
	ctl_hello(NULL, 0);
	ctl_until("DONE");
}

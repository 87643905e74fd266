/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests users' FUSE file systems whose server accepts a request and never
 * answers: they are aborted. */
#include "config.h"
#include "tests/unit/burst_buffer/node/root.h"
#include "tests/unit/burst_buffer/node/tree.h"
#include "burst_buffer/host/aside.h"
#include "burst_buffer/host/fuse.h"
#include <linux/fuse.h>
#include <poll.h>
#include <sys/stat.h>

/* A directory, in which nothing is and whatever is to be made never is. */
static void serve(int fd)
{
	static char in[1 << 17];
	const struct fuse_attr attr = {.ino = 1, .mode = S_IFDIR | 0777};
	struct {
		struct fuse_out_header head;
		union {
			struct fuse_init_out init;
			struct fuse_attr_out attr;
		};
	} out;
	const struct fuse_in_header *ask = (const void *)in;
	size_t n;

	while (read(fd, in, sizeof(in)) > 0) {
		memset(&out, 0, sizeof(out));
		n = 0;
		if (ask->opcode == FUSE_INIT) {
			out.init.major = FUSE_KERNEL_VERSION;
			out.init.minor = 31;
			out.init.max_write = 65536;
			n = sizeof(out.init);
		} else if (ask->opcode == FUSE_GETATTR) {
			out.attr.attr = attr;
			n = sizeof(out.attr);
		} else if (ask->opcode == FUSE_MKDIR) {
			continue;
		} else {
			out.head.error = -ENOENT;
		}
		out.head.unique = ask->unique;
		out.head.len = (uint32_t)(sizeof(out.head) + n);
		(void)!write(fd, &out, out.head.len);
	}
	_exit(0);
}

static pid_t mount_silent(const char *point, unsigned uid)
{
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	char options[100];
	pid_t pid;

	make_dir(point, 0755);
	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=40777,user_id=%u,group_id=%u,allow_other", fd,
		 uid, uid);
	ck_assert(!mount("x", point, "fuse.x", MS_NOSUID | MS_NODEV, options));
	pid = fork();
	if (!pid)
		serve(fd);
	close(fd);
	return pid;
}

static int make(struct slu_aside *aside, void *arg, void *out,
		struct slu_err *err)
{
	(void)out;
	if (slu_aside_become(aside, 65534, 65534, err))
		return -1;
	return mkdir(arg, 0700) ? slu_errno(err, SLU_IO, "mkdir") : 0;
}

/* The child holds `end`: is it still there? */
static bool has_ended(int end)
{
	struct pollfd p = {.fd = end};

	return poll(&p, 1, 5000) == 1 && (p.revents & POLLHUP);
}

static bool hangs_for(char *path, int *end)
{
	struct slu_aside a = {.fn = make, .arg = path, .seconds = 0.5};
	struct slu_err err;
	int ends[2], rc;

	ck_assert(!pipe(ends));
	rc = slu_aside(&a, "x", NULL, &err);
	ck_assert(rc && err.kind == SLU_TIMEOUT);
	close(ends[1]);
	*end = ends[0];
	return !has_ended(ends[0]);
}

/* Who works for a user can be ended though a server of this user's has what he
 * waits for; another one's, and root's, are not touched, nor are those of his
 * in which nobody waits. */
START_TEST(test_abort)
{
	static const unsigned uids[] = {65533, 0, 65534, 65534};
	char path[4][200], *top = tree_new();
	struct stat st;
	pid_t pid[4];
	int end[3];

	if (access("/dev/fuse", R_OK | W_OK)) {
		skip("no /dev/fuse");
		return;
	}
	chmod(top, 0755);
	for (int i = 0; i < 4; i++) {
		snprintf(path[i], sizeof(path[i]), "%s/%d", top, i);
		pid[i] = mount_silent(path[i], uids[i]);
		ck_assert(!stat(path[i], &st));
	}
	for (int i = 0; i < 3; i++) {
		strcat(path[i], "/new");
		expect(hangs_for(path[i], &end[i]) == (i < 2), "%d", i);
		*strrchr(path[i], '/') = '\0';
		close(end[i]);
	}
	ck_assert_int_eq(slu_fuse_abort(getpid()), 0); /* root's own */
	ck_assert(!stat(path[0], &st) && !stat(path[1], &st) &&
		  !stat(path[3], &st));
	ck_assert(stat(path[2], &st) && errno == ENOTCONN);
	for (int i = 0; i < 4; i++) {
		kill(pid[i], SIGKILL);
		ck_assert(!umount2(path[i], MNT_DETACH | MNT_FORCE));
	}
	tree_remove(top);
}
END_TEST

ROOT_TEST_MAIN("fuse", test_abort)

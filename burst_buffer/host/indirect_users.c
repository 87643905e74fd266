/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds sockets bound to names in a file system by asking the kernel
 * (sock_diag(7)), and mount namespaces that contain it by forking a child into
 * each, which reads its mount table.
 */
#include "config.h"
#include "burst_buffer/host/indirect_users.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common/file.h"
#include "common/str.h"

#define MINOR_BITS 20 /* of the kernel's device numbers */

static int ask_for_names(void)
{
	const struct {
		struct nlmsghdr head;
		struct unix_diag_req req;
	} ask = {
		.head = {.nlmsg_len = sizeof(ask),
			 .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			 .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
		.req = {.sdiag_family = AF_UNIX,
			.udiag_states = ~0u,
			.udiag_show = UDIAG_SHOW_VFS},
	};
	const struct timeval patience = {.tv_sec = 1};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (send(fd, &ask, sizeof(ask), 0) == (ssize_t)sizeof(ask))
		return fd;
	close(fd);
	return -1;
}

static bool is_on(const struct nlmsghdr *head, uint32_t device)
{
	const struct unix_diag_msg *msg = NLMSG_DATA(head);
	const struct rtattr *a = (const struct rtattr *)(msg + 1);
	size_t left = head->nlmsg_len - NLMSG_LENGTH(sizeof(*msg));

	for (; RTA_OK(a, left); a = RTA_NEXT(a, left))
		if (a->rta_type == UNIX_DIAG_VFS) {
			const struct unix_diag_vfs *vfs = RTA_DATA(a);

			return vfs->udiag_vfs_dev == device;
		}
	return false;
}

static uint32_t inode_of(const struct nlmsghdr *head)
{
	const struct unix_diag_msg *msg = NLMSG_DATA(head);

	return msg->udiag_ino;
}

void slu_find_indirect_users(struct slu_indirect_users *h, unsigned major,
			     unsigned minor)
{
	const uint32_t device = major << MINOR_BITS | minor;
	_Alignas(struct nlmsghdr) char answer[32768];
	const struct nlmsghdr *head;
	int fd = ask_for_names();
	bool more = fd >= 0;
	ssize_t got;

	*h = (struct slu_indirect_users){.major = major, .minor = minor};

	while (more && (got = recv(fd, answer, sizeof(answer), 0)) > 0) {
		size_t left = (size_t)got;

		for (head = (void *)answer; more && NLMSG_OK(head, left);
		     head = NLMSG_NEXT(head, left)) {
			more = head->nlmsg_type == SOCK_DIAG_BY_FAMILY;
			if (more && h->n_bound < SLU_BOUND_MAX &&
			    is_on(head, device))
				h->bound[h->n_bound++] = inode_of(head);
		}
	}
	if (fd >= 0)
		close(fd);
}

bool slu_is_bound(void *arg, int at, const char *link)
{
	const struct slu_indirect_users *h = arg;
	char target[64] = "";
	unsigned inode;

	if (!h->n_bound ||
	    readlinkat(at, link, target, sizeof(target) - 1) < 0 ||
	    sscanf(target, "socket:[%u", &inode) != 1)
		return false;
	for (size_t i = 0; i < h->n_bound; i++)
		if (h->bound[i] == inode)
			return true;
	return false;
}

/* "36 35 7:4 / /point ...", in the caller's namespace, by a /proc that was
 * opened in another one, as users may have mounted their own here. */
static bool has_mounted(int proc, const struct slu_indirect_users *h)
{
	struct slu_buf table = {0};
	char device[40];

	snprintf(device, sizeof(device), " %u:%u ", h->major, h->minor);
	return !slu_file_read(proc, "self/mountinfo", 64u << 20, &table,
			      NULL) &&
	       table.data && strstr(table.data, device);
}

static bool namespace_mounts(int ns, const struct slu_indirect_users *h)
{
	int proc, status = -1;
	pid_t pid;

	proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	pid = proc < 0 ? -1 : fork();
	if (!pid)
		_exit(setns(ns, CLONE_NEWNS) || !has_mounted(proc, h));
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (proc >= 0)
		close(proc);
	return !status;
}

/* Many processes share a namespace, so each one is asked once. */
static bool ask_once(struct slu_indirect_users *h, int ns)
{
	struct slu_seen_ns *s = h->seen, *const end = s + h->n_seen;
	struct stat own, its;
	bool mounts;

	if (stat("/proc/self/ns/mnt", &own) || fstat(ns, &its) ||
	    own.st_ino == its.st_ino)
		return false;
	while (s < end && s->inode != its.st_ino)
		s++;
	if (s < end)
		return s->mounts;
	mounts = namespace_mounts(ns, h);
	if (h->n_seen < SLU_SEEN_MAX)
		h->seen[h->n_seen++] = (struct slu_seen_ns){its.st_ino, mounts};
	return mounts;
}

bool slu_is_namespace(void *arg, int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_CLOEXEC);
	bool is = fd >= 0 && ask_once(arg, fd);

	if (fd >= 0)
		close(fd);
	return is;
}

bool slu_is_kept_namespace(void *arg, int at, const char *name)
{
	char target[64] = "";

	return readlinkat(at, name, target, sizeof(target) - 1) > 4 &&
	       !strncmp(target, "mnt:", 4) && slu_is_namespace(arg, at, name);
}

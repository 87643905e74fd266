/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libsluice_direct.so, for LD_PRELOAD into the client of glusterfs: every
 * descriptor is a direct one. The kernel then keeps no page of a file that
 * programs read or write, so that a node cannot read its own old bytes, and a
 * record that is appended reaches its brick in one piece.
 *
 * glusterfs has --direct-io-mode for it, but (10.3) does not make a descriptor
 * direct by which open(2) has made its file, and knows nothing of mappings,
 * which the kernel refuses for direct descriptors unless the server says at the
 * beginning that they are welcome (Linux 6.6). Both are put right in its
 * answers on their way to /dev/fuse.
 *
 * SLUICE_DIRECT names a file, which is written when the kernel has been told:
 * "mmap", or "no mmap" from a kernel that cannot have them. No such file: this
 * library does not work.
 */
#include "config.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#define FUSE_DEVICE makedev(10, 229)
#define REPLY_MAX   512 /* of those that are changed */

/* FUSE_INIT as of protocol 7.36, which not every linux/fuse.h knows. */
#define HAS_FLAGS2  (UINT32_C(1) << 30) /* FUSE_INIT_EXT */
#define ALLOW_MMAP2 (UINT32_C(1) << 4)	/* FUSE_DIRECT_IO_ALLOW_MMAP >> 32 */

struct init_request {
	struct fuse_in_header head;
	uint32_t major, minor, max_readahead, flags, flags2;
};

struct init_reply {
	struct fuse_out_header head;
	uint32_t major, minor, max_readahead, flags;
	uint16_t max_background, congestion_threshold;
	uint32_t max_write, time_gran;
	uint16_t max_pages, map_alignment;
	uint32_t flags2;
};

typedef ssize_t vector_f(int, const struct iovec *, int);

static vector_f *real_readv, *real_writev;
static const char *told; /* SLUICE_DIRECT */
static atomic_int device = -1;
static atomic_bool mmap_allowed;

/* Requests whose answers are to be changed. */
static struct waiting {
	uint64_t unique;
	uint32_t opcode;
} * waiting;
static size_t room;
static atomic_size_t n_waiting;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_device(int fd)
{
	struct stat st;

	if (device == -1 && !fstat(fd, &st) && S_ISCHR(st.st_mode) &&
	    st.st_rdev == FUSE_DEVICE)
		device = fd;
	return device == fd;
}

static size_t gather(void *to, size_t size, const struct iovec *iov, int n)
{
	size_t len = 0;

	for (int i = 0; i < n && len < size; i++) {
		size_t part = iov[i].iov_len < size - len ? iov[i].iov_len
							  : size - len;

		memcpy((char *)to + len, iov[i].iov_base, part);
		len += part;
	}
	return len;
}

/* Without memory the client ends: better no file system than one that is not
 * what it says. */
static void expect_reply(const struct fuse_in_header *head)
{
	pthread_mutex_lock(&lock);
	if (n_waiting == room) {
		room = room ? 2 * room : 64;
		waiting = realloc(waiting, room * sizeof(*waiting));
		if (!waiting)
			abort();
	}
	waiting[n_waiting++] = (struct waiting){head->unique, head->opcode};
	pthread_mutex_unlock(&lock);
}

/* The opcode of the request that it answers; 0: none to be changed. */
static uint32_t answered(uint64_t unique)
{
	uint32_t opcode = 0;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < n_waiting; i++)
		if (waiting[i].unique == unique) {
			opcode = waiting[i].opcode;
			waiting[i] = waiting[--n_waiting];
			break;
		}
	pthread_mutex_unlock(&lock);
	return opcode;
}

static void see_request(const struct iovec *iov, int n, size_t len)
{
	struct init_request request = {0};
	size_t size = sizeof(request) < len ? sizeof(request) : len;

	if (gather(&request, size, iov, n) < sizeof(request.head))
		return;
	if (request.head.opcode == FUSE_INIT)
		mmap_allowed = (request.flags & HAS_FLAGS2) &&
			       (request.flags2 & ALLOW_MMAP2);
	if (request.head.opcode == FUSE_INIT ||
	    request.head.opcode == FUSE_OPEN ||
	    request.head.opcode == FUSE_CREATE)
		expect_reply(&request.head);
}

__attribute__((visibility("default"))) ssize_t
readv(int fd, const struct iovec *iov, int n)
{
	ssize_t len = real_readv(fd, iov, n);

	if (len > 0 && is_device(fd))
		see_request(iov, n, (size_t)len);
	return len;
}

static void tell(void)
{
	const char *text = mmap_allowed ? "mmap\n" : "no mmap\n";
	int fd =
		told ? open(told, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)
		     : -1;

	if (fd >= 0) {
		(void)!write(fd, text, strlen(text));
		close(fd);
	}
}

static void change_init(void *reply, size_t len)
{
	struct init_reply *init = reply;

	if (len < sizeof(*init))
		mmap_allowed = false;
	if (mmap_allowed) {
		init->flags |= HAS_FLAGS2;
		init->flags2 |= ALLOW_MMAP2;
	}
	tell();
}

/* What was opened stands at the end of both answers. */
static void change_open(char *reply, size_t len)
{
	struct fuse_open_out out;

	memcpy(&out, reply + len - sizeof(out), sizeof(out));
	out.open_flags &= ~(uint32_t)FOPEN_KEEP_CACHE;
	out.open_flags |= FOPEN_DIRECT_IO;
	memcpy(reply + len - sizeof(out), &out, sizeof(out));
}

__attribute__((visibility("default"))) ssize_t
writev(int fd, const struct iovec *iov, int n)
{
	_Alignas(uint64_t) char reply[REPLY_MAX];
	struct fuse_out_header head;
	struct iovec one = {.iov_base = reply};
	uint32_t opcode;

	if (!n_waiting || !is_device(fd) ||
	    gather(&head, sizeof(head), iov, n) < sizeof(head))
		return real_writev(fd, iov, n);
	opcode = answered(head.unique);
	if (!opcode || head.error)
		return real_writev(fd, iov, n);
	one.iov_len = gather(reply, sizeof(reply), iov, n);
	if (one.iov_len != head.len ||
	    one.iov_len < sizeof(head) + sizeof(struct fuse_open_out))
		abort(); /* this is not the protocol that we know */
	if (opcode == FUSE_INIT)
		change_init(reply, one.iov_len);
	else
		change_open(reply, one.iov_len);
	return real_writev(fd, &one, 1);
}

/* What the client starts is to be as it always was. */
__attribute__((constructor)) static void begin(void)
{
	real_readv = (vector_f *)dlsym(RTLD_NEXT, "readv");
	real_writev = (vector_f *)dlsym(RTLD_NEXT, "writev");
	told = getenv("SLUICE_DIRECT");
	unsetenv("LD_PRELOAD");
}

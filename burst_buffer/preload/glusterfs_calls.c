/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libsluice_glusterfs.so, for LD_PRELOAD into glusterfs: corrects what its FUSE
 * client does not do as programs expect. It wraps readv() and writev() on
 * /dev/fuse, and changes, holds back or injects FUSE messages. Pages of mapped
 * files are written at their offsets (appended.c), modes of fallocate(2) that
 * the client would silently ignore are refused, and with SLUICE_DIRECT all I/O
 * is direct. With SLUICE_SERVER it is in a server (brick) and wraps other calls
 * (brick_names.c, brick_data.c). An answer that is not of the known protocol
 * ends the process (abort()).
 */
#include "config.h"
#include "burst_buffer/preload/glusterfs_calls.h"

#include <dlfcn.h>
#include <errno.h>
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
#include <unistd.h>

#define FUSE_DEVICE makedev(10, 229)
#define REPLY_MAX   512	 /* bytes of an answer that is changed */
#define NO_DEVICE   (-2) /* in the server: there will be none */

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

/* SLUICE_TOLD: the file that shows which of this works. It is written after the
 * handshake with the kernel: "cached", "mmap", or "no mmap" from a kernel that
 * has no mappings with direct I/O; by a server when it is loaded: "names".
 * Where it is missing the driver concludes that this library was not loaded. */
static const char *told;
/* SLUICE_DIRECT set (to any value): every descriptor uses direct I/O. The
 * kernel then caches no pages that programs read or write, so that a host
 * cannot read its own stale data, and a record that is appended reaches its
 * brick in one piece. glusterfs has --direct-io-mode for that, but (10.3) does
 * not apply it to a descriptor whose open(2) has created the file, and does not
 * support mappings, which the kernel refuses for direct descriptors unless the
 * server says at the beginning that they are welcome (Linux 6.6). */
static bool direct;
static atomic_int device = -1;
static atomic_bool mmap_allowed;

/* Requests whose answers have to be changed or watched. */
static struct waiting {
	uint64_t unique, node;
	uint32_t opcode, flags; /* of open(2) */
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

/* Without memory the client ends: better no file system than one that does not
 * keep its promises. */
static void expect_reply(const struct fuse_in_header *head, uint32_t flags)
{
	pthread_mutex_lock(&lock);
	if (n_waiting == room) {
		room = room ? 2 * room : 64;
		waiting = realloc(waiting, room * sizeof(*waiting));
		if (!waiting)
			abort();
	}
	waiting[n_waiting++] = (struct waiting){head->unique, head->nodeid,
						head->opcode, flags};
	pthread_mutex_unlock(&lock);
}

/* Takes the request with this number from the list; false: it is not there. */
static bool answered(uint64_t unique, struct waiting *request)
{
	bool found = false;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; !found && i < n_waiting; i++)
		if (waiting[i].unique == unique) {
			*request = waiting[i];
			waiting[i] = waiting[--n_waiting];
			found = true;
		}
	pthread_mutex_unlock(&lock);
	return found;
}

static void see_init(const struct iovec *iov, int n, size_t len)
{
	struct init_request request = {0};

	slu_gather(&request, sizeof(request) < len ? sizeof(request) : len, iov,
		   n);
	mmap_allowed =
		(request.flags & HAS_FLAGS2) && (request.flags2 & ALLOW_MMAP2);
	expect_reply(&request.head, 0);
}

/* Looks at a request that the client is about to handle for the kernel. */
static void see_request(const struct iovec *iov, int n, size_t len)
{
	struct {
		struct fuse_in_header head;
		union {			 /* all begin so */
			uint32_t flags;	 /* of an open */
			uint64_t handle; /* of a release */
		} in;
	} r;

	if (slu_gather(&r, sizeof(r), iov, n) < sizeof(r))
		return;
	switch (r.head.opcode) {
	case FUSE_INIT:
		see_init(iov, n, len);
		break;
	case FUSE_OPEN:
	case FUSE_CREATE:
		expect_reply(&r.head, r.in.flags);
		break;
	case FUSE_RELEASE:
		slu_closed(r.head.nodeid, r.in.handle);
	}
}

/* FALLOC_FL_ZERO_RANGE would be answered as done. */
static bool refused(int fd, const struct iovec *iov, int n)
{
	struct {
		struct fuse_in_header head;
		struct fuse_fallocate_in in;
	} r;
	const uint32_t known = FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE;

	if (slu_gather(&r, sizeof(r), iov, n) < sizeof(r) ||
	    r.head.opcode != FUSE_FALLOCATE || !(r.in.mode & ~known))
		return false;
	slu_answer(fd, r.head.unique, EOPNOTSUPP);
	return true;
}

__attribute__((visibility("default"))) ssize_t
readv(int fd, const struct iovec *iov, int n)
{
	ssize_t len;
	size_t now;

	do {
		do {
			now = device == fd ? slu_own_request(iov, n) : 0;
			if (now)
				return (ssize_t)now;
		} while (device == fd && !slu_may_read(fd));
		len = slu_real_readv(fd, iov, n);
		if (len <= 0 || !is_device(fd))
			return len;
		now = (size_t)len;
		see_request(iov, n, now);
	} while (refused(fd, iov, n) || !slu_written_back(iov, n, &now));
	return (ssize_t)now;
}

static void tell(const char *text)
{
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
	if (direct && mmap_allowed) {
		init->flags |= HAS_FLAGS2;
		init->flags2 |= ALLOW_MMAP2;
	}
	tell(!direct ? "cached\n" : mmap_allowed ? "mmap\n" : "no mmap\n");
}

/* The open flags are at the end of both answers; that of FUSE_CREATE begins
 * with the node's number. */
static void change_open(char *reply, size_t len, const struct waiting *request)
{
	const size_t at = len - sizeof(struct fuse_open_out);
	uint64_t node = request->node;
	struct fuse_open_out out;

	memcpy(&out, reply + at, sizeof(out));
	if (request->opcode == FUSE_CREATE)
		memcpy(&node, reply + sizeof(struct fuse_out_header),
		       sizeof(node));
	slu_opened(node, out.fh, request->flags);
	if (!direct)
		return;
	out.open_flags &= ~(uint32_t)FOPEN_KEEP_CACHE;
	out.open_flags |= FOPEN_DIRECT_IO;
	memcpy(reply + at, &out, sizeof(out));
}

static ssize_t change_reply(int fd, const struct iovec *iov, int n,
			    const struct waiting *request)
{
	_Alignas(uint64_t) char reply[REPLY_MAX];
	struct iovec one = {reply, slu_gather(reply, sizeof(reply), iov, n)};
	struct fuse_out_header head;

	memcpy(&head, reply, sizeof(head));
	if (one.iov_len != head.len ||
	    one.iov_len < sizeof(head) + sizeof(struct fuse_open_out))
		abort(); /* this is not the protocol that we know */
	if (request->opcode == FUSE_INIT)
		change_init(reply, one.iov_len);
	else
		change_open(reply, one.iov_len, request);
	return slu_real_writev(fd, &one, 1);
}

__attribute__((visibility("default"))) ssize_t
writev(int fd, const struct iovec *iov, int n)
{
	struct fuse_out_header head;
	struct waiting request;

	if (!is_device(fd) ||
	    slu_gather(&head, sizeof(head), iov, n) < sizeof(head))
		return slu_real_writev(fd, iov, n);
	if (slu_own_answer(fd, iov, n))
		return (ssize_t)head.len;
	if (!n_waiting || !answered(head.unique, &request) || head.error)
		return slu_real_writev(fd, iov, n);
	return change_reply(fd, iov, n, &request);
}

/* Programs that the client starts must not load this library. */
__attribute__((constructor)) static void begin(void)
{
	bool server;

	slu_real_readv = (slu_vector_f *)dlsym(RTLD_NEXT, "readv");
	slu_real_writev = (slu_vector_f *)dlsym(RTLD_NEXT, "writev");
	told = getenv("SLUICE_TOLD");
	direct = getenv("SLUICE_DIRECT") != NULL;
	server = getenv("SLUICE_SERVER") != NULL;
	if (server)
		device = NO_DEVICE;
	slu_wrap_data(server);
	if (slu_wrap_names(server) && server)
		tell("names\n");
	unsetenv("LD_PRELOAD");
}

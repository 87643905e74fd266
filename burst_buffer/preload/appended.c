/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes a page of a mapped file land at its offset when the kernel writes it
 * back to a GlusterFS mount. The kernel sends the page through any writable
 * descriptor that this host has of the file, the newest first. If that was
 * opened with O_APPEND, so is the server's file, and Linux appends every write
 * to such a file, whatever its offset (pwrite(2), "BUGS"). So the page is
 * redirected to a descriptor without O_APPEND. If the host has none of this
 * file, this code opens one by a FUSE request of its own to the client, and
 * closes it after the kernel's last one. Without memory it ends the client.
 */
#include "config.h"
#include "burst_buffer/preload/glusterfs_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define OWN	(UINT64_C(1) << 63) /* in `unique` of the library's requests */
#define BUCKETS 1024

struct handle {
	struct handle *next;
	uint64_t node, fh;
	bool append, own;
};

/* A request that waits: for a descriptor that the library opens, or until the
 * client reads it. */
struct request {
	struct request *next;
	uint64_t node, opener; /* `unique` of the FUSE_OPEN that it waits for */
	size_t len;
	_Alignas(uint64_t) char data[];
};

struct write_request {
	struct fuse_in_header head;
	struct fuse_write_in in;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct handle *handles[BUCKETS];
static struct request *stopped, *ready;
static uint64_t own_requests;
static int wake = -1;

static struct handle **bucket(uint64_t node)
{
	return &handles[node % BUCKETS];
}

/* Without memory the client ends: better no file system than a wrong one. */
static void *need(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

static void add(uint64_t node, uint64_t fh, bool append, bool own)
{
	struct handle **first = bucket(node), *h = need(malloc(sizeof(*h)));

	*h = (struct handle){*first, node, fh, append, own};
	*first = h;
}

void slu_opened(uint64_t node, uint64_t fh, uint32_t flags)
{
	if ((flags & O_ACCMODE) == O_RDONLY)
		return;
	pthread_mutex_lock(&lock);
	add(node, fh, flags & O_APPEND, false);
	pthread_mutex_unlock(&lock);
}

/* The lock is held, here and in all functions below. Appends to a list. */
static void put_last(struct request **list, struct request *r)
{
	while (*list)
		list = &(*list)->next;
	r->next = NULL;
	*list = r;
}

static struct request *new_request(size_t len)
{
	struct request *r = need(calloc(1, sizeof(*r) + len));

	r->len = len;
	return r;
}

static struct request *own_request(uint32_t opcode, uint64_t node,
				   const void *in, size_t size)
{
	struct fuse_in_header head = {
		.len = (uint32_t)(sizeof(head) + size),
		.opcode = opcode,
		.unique = OWN | ++own_requests,
		.nodeid = node,
	};
	struct request *r = new_request(head.len);

	r->node = node;
	r->opener = head.unique;
	memcpy(r->data, &head, sizeof(head));
	memcpy(r->data + sizeof(head), in, size);
	return r;
}

static void close_own(uint64_t node, uint64_t fh)
{
	const struct fuse_release_in in = {.fh = fh, .flags = O_RDWR};

	put_last(&ready, own_request(FUSE_RELEASE, node, &in, sizeof(in)));
}

static bool is_open(uint64_t node)
{
	for (const struct handle *h = *bucket(node); h; h = h->next)
		if (h->node == node && !h->own)
			return true;
	return false;
}

void slu_closed(uint64_t node, uint64_t fh)
{
	struct handle **at, *h;
	bool last;

	pthread_mutex_lock(&lock);
	for (at = bucket(node); (h = *at); at = &h->next)
		if (h->node == node && h->fh == fh && !h->own) {
			*at = h->next;
			free(h);
			break;
		}
	last = h && !is_open(node);
	for (at = bucket(node); last && (h = *at);) {
		if (h->node != node) {
			at = &h->next;
			continue;
		}
		*at = h->next;
		close_own(node, h->fh);
		free(h);
	}
	pthread_mutex_unlock(&lock);
}

/* A descriptor of this file that can write at any offset; NULL: there is none.
 */
static const struct handle *in_place(uint64_t node)
{
	for (const struct handle *h = *bucket(node); h; h = h->next)
		if (h->node == node && !h->append)
			return h;
	return NULL;
}

static bool appends(uint64_t node, uint64_t fh)
{
	for (const struct handle *h = *bucket(node); h; h = h->next)
		if (h->node == node && h->fh == fh)
			return h->append;
	return false;
}

static struct request *stop(const struct iovec *iov, int n, size_t len,
			    uint64_t node)
{
	struct request *r = new_request(len), *first = stopped;

	slu_gather(r->data, len, iov, n);
	r->node = node;
	while (first && first->node != node)
		first = first->next;
	put_last(&stopped, r);
	r->opener = first ? first->opener : 0;
	return r;
}

/* Parks the request until the library has a descriptor for it. True: iov now
 * holds the FUSE_OPEN for that. */
static bool open_own(const struct iovec *iov, int n, size_t *len, uint64_t node)
{
	const struct fuse_open_in in = {.flags = O_RDWR};
	struct request *r = stop(iov, n, *len, node), *opener;

	if (r->opener)
		return false; /* the FUSE_OPEN is already under way */
	opener = own_request(FUSE_OPEN, node, &in, sizeof(in));
	r->opener = opener->opener;
	*len = slu_scatter(iov, n, 0, opener->data, opener->len);
	free(opener);
	return true;
}

bool slu_written_back(const struct iovec *iov, int n, size_t *len)
{
	const size_t at = offsetof(struct write_request, in.fh);
	struct write_request w;
	const struct handle *h;
	bool pass = true;

	if (slu_gather(&w, sizeof(w), iov, n) < sizeof(w) ||
	    w.head.opcode != FUSE_WRITE ||
	    !(w.in.write_flags & FUSE_WRITE_CACHE))
		return true;
	pthread_mutex_lock(&lock);
	if (appends(w.head.nodeid, w.in.fh)) {
		h = in_place(w.head.nodeid);
		if (h)
			slu_scatter(iov, n, at, &h->fh, sizeof(h->fh));
		else
			pass = open_own(iov, n, len, w.head.nodeid);
	}
	pthread_mutex_unlock(&lock);
	return pass;
}

size_t slu_own_request(const struct iovec *iov, int n)
{
	struct request *r;
	size_t len = 0;

	pthread_mutex_lock(&lock);
	r = ready;
	if (r) {
		ready = r->next;
		len = slu_scatter(iov, n, 0, r->data, r->len);
	}
	pthread_mutex_unlock(&lock);
	free(r);
	return len;
}

/* The thread that parked a request reads it when its descriptor is there. */
bool slu_may_read(int device)
{
	struct pollfd fd[2] = {{.fd = device, .events = POLLIN},
			       {.events = POLLIN}};
	uint64_t times;
	bool waits, ours;

	pthread_mutex_lock(&lock);
	ours = ready; /* since it was asked for */
	waits = stopped;
	if (waits && wake < 0)
		wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (waits && wake < 0)
		abort();
	fd[1].fd = wake;
	pthread_mutex_unlock(&lock);
	if (ours || !waits)
		return !ours;
	if (poll(fd, 2, -1) < 0)
		return errno != EINTR;
	return !(fd[1].revents && read(wake, &times, sizeof(times)) > 0);
}

/* Continues requests that waited for this descriptor; if it could not be opened
 * they fail. */
static void go_on(int device, struct request *r, const uint64_t *fh)
{
	struct write_request *w = (struct write_request *)r->data;

	if (fh) {
		w->in.fh = *fh;
		put_last(&ready, r);
		return;
	}
	slu_answer(device, w->head.unique, EIO);
	free(r);
}

static void opener_done(int device, uint64_t opener, const uint64_t *fh)
{
	struct request **at = &stopped, *r;
	uint64_t one = 1;
	bool noted = false;

	while ((r = *at)) {
		if (r->opener != opener) {
			at = &r->next;
			continue;
		}
		*at = r->next;
		if (fh && !noted)
			add(r->node, *fh, false, true);
		noted = true;
		go_on(device, r, fh);
	}
	if (wake >= 0)
		(void)!write(wake, &one, sizeof(one));
}

bool slu_own_answer(int device, const struct iovec *iov, int n)
{
	struct {
		struct fuse_out_header head;
		struct fuse_open_out out;
	} reply;
	size_t len = slu_gather(&reply, sizeof(reply), iov, n);

	if (len < sizeof(reply.head) || !(reply.head.unique & OWN))
		return false;
	pthread_mutex_lock(&lock);
	opener_done(device, reply.head.unique,
		    len == sizeof(reply) && !reply.head.error ? &reply.out.fh
							      : NULL);
	pthread_mutex_unlock(&lock);
	return true;
}

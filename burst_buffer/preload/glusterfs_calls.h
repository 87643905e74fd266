/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_BUFFER_PRELOAD_GLUSTERFS_CALLS_H
#define SLU_BURST_BUFFER_PRELOAD_GLUSTERFS_CALLS_H

/*
 * Declares what the files of libsluice_glusterfs.so share (glusterfs_calls.c
 * says what it is for). Any thread of the client or server may call the
 * functions.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

typedef ssize_t slu_vector_f(int, const struct iovec *, int);

/* vectors.c: the C library's own. */
extern slu_vector_f *slu_real_readv, *slu_real_writev;

/* Copy from and to a vector; returns the number of bytes. */
size_t slu_gather(void *to, size_t size, const struct iovec *iov, int n);
size_t slu_scatter(const struct iovec *iov, int n, size_t at, const void *from,
		   size_t size);

/* Tell the kernel that its request has failed. */
void slu_answer(int device, uint64_t unique, int error);

/* brick_names.c: call before there are threads. In a server, calls that change
 * names are handled one at a time from then on. False: this libglusterfs does
 * not have the functions for that. */
bool slu_wrap_names(bool server);

/* brick_data.c: call before there are threads. In a server, no file is read or
 * written elsewhere while a call writes to it from then on. */
void slu_wrap_data(bool server);

/* appended.c: a program has opened (the flags of open(2)) or closed a file. */
void slu_opened(uint64_t node, uint64_t fh, uint32_t flags);
void slu_closed(uint64_t node, uint64_t fh);
/* Copy the next request that this library injects to iov; returns its length,
 * 0: none is queued. */
size_t slu_own_request(const struct iovec *iov, int n);
/* While requests are parked, wait until the device can be read or this library
 * has a request to inject. True: read the device; false: call
 * slu_own_request() again. */
bool slu_may_read(int device);
/* Call after each read of a request (*len bytes) from /dev/fuse. A page that is
 * written back through an O_APPEND descriptor is redirected to one that does
 * not append. True: pass iov to the client; it holds *len bytes, which may be a
 * FUSE_OPEN of this library instead. False: the request is parked until such a
 * FUSE_OPEN is answered; read the next one. */
bool slu_written_back(const struct iovec *iov, int n, size_t *len);
/* An answer of the client. True: it belongs to a request of this library, so
 * do not pass it to the kernel. */
bool slu_own_answer(int device, const struct iovec *iov, int n);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies FUSE messages from and to the buffers of readv() and writev(), and
 * answers a request of the kernel with an error in place of the client. */
#include "config.h"
#include "burst_buffer/preload/glusterfs_calls.h"

#include <linux/fuse.h>
#include <string.h>

slu_vector_f *slu_real_readv, *slu_real_writev;

size_t slu_gather(void *to, size_t size, const struct iovec *iov, int n)
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

size_t slu_scatter(const struct iovec *iov, int n, size_t at, const void *from,
		   size_t size)
{
	size_t done = 0;

	for (int i = 0; i < n && done < size; i++) {
		size_t room = iov[i].iov_len, part;

		if (at >= room) {
			at -= room;
			continue;
		}
		part = room - at < size - done ? room - at : size - done;
		memcpy((char *)iov[i].iov_base + at, (const char *)from + done,
		       part);
		done += part;
		at = 0;
	}
	return done;
}

void slu_answer(int device, uint64_t unique, int error)
{
	struct fuse_out_header head = {
		.len = sizeof(head), .error = -error, .unique = unique};
	struct iovec one = {&head, sizeof(head)};

	(void)!slu_real_writev(device, &one, 1);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STORAGE_IMAGE_H
#define SLU_STORAGE_IMAGE_H

/*
 * A job's storage as an ext4 file system in a file: how much of a node's
 * storage a share takes, planned with and made so; and how it is made. What
 * returns int is 0, or -1 with *err.
 */

#include <stdbool.h>
#include <stdint.h>
#include "burst_buffer/host/loop_device.h"
#include "common/err.h"

/* Inodes: one for every 16 KiB, more in small ones, where small files count. */
static inline uint64_t slu_image_inodes(uint64_t capacity)
{
	uint64_t n = capacity / 4096;

	if (n > 131072)
		n = 131072;
	if (n < capacity / 16384)
		n = capacity / 16384;
	if (n < 1024)
		n = 1024;
	return n < 4000000000u ? n : 4000000000u;
}

/* Bytes of the image that leaves `capacity` to the user, as measured: root's
 * 2 %, the tables of inodes and of blocks, which weigh more in small ones. */
static inline uint64_t slu_image_size(uint64_t capacity)
{
	uint64_t size = capacity + slu_image_inodes(capacity) * 512;
	uint64_t small = size / 32 < (16u << 20) ? size / 32 : 16u << 20;

	return (size + size / 36 + small) | 0xffff;
}

/* The most bytes for users of which the image fits into so much room. */
static inline uint64_t slu_image_fits(uint64_t room)
{
	uint64_t low = 0, high = room + 1;

	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		if (slu_image_size(middle) > room)
			high = middle;
		else
			low = middle;
	}
	return low;
}

/* The image's blocks read as zeros: nobody has to zero inode tables. A power
 * cut ends a job with its data, so that no write of it is worth waiting for the
 * disk: least of all an unmount's, after which the image is removed. */
#define SLU_IMAGE_JOB  "noinit_itable,nobarrier"
#define SLU_IMAGE_KEEP "noinit_itable"

/* A file of `size` bytes, reserved where the file system can do that.
 * SLU_BUSY: there is too little room. */
int slu_image_make(const char *image, uint64_t size, struct slu_err *err);
/* SLU_BUSY, with the sentence that says so: `size` bytes are needed. */
int slu_image_no_room(const char *path, uint64_t size, uint64_t free,
		      struct slu_err *err);
/* mkfs.ext4; with a journal if it is to be kept. */
int slu_image_format(char *image, uint64_t capacity, bool keep,
		     struct slu_err *err);
/* Through a loop device that goes with the mount; options as above. */
int slu_image_mount(const char *image, const char *point, bool read_only,
		    const char *options, struct slu_err *err);
/* Read-only; by the loop device that it still has, if somebody's namespace
 * holds one: with two the same file system would be had twice. */
int slu_image_show(const char *image, const char *point, struct slu_err *err);
/* Wait for its loop device to go, which it does with its last user, a moment
 * after the unmount; SLU_BUSY: it has one. `name`, if not empty, is the one
 * that it had: looking for it among all takes long where there are many. */
int slu_image_wait(const char *image, char name[SLU_LOOP_NAME],
		   struct slu_err *err);
/* Who has this device still has nothing on it from now on. */
int slu_image_empty(const char *image, const char *name, struct slu_err *err);
/* Was it unmounted when it was used last, and no error seen? A node that went
 * down says no. */
bool slu_image_is_clean(const char *image);
/* e2fsck after a crash: what is safe to mend is mended. */
int slu_image_check(char *image, struct slu_err *err);
/* What of the mounted image holds nothing goes back to the file system that it
 * lies in, where that can be done. */
void slu_image_trim(const char *fs);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STORAGE_IMAGE_H
#define SLU_STORAGE_IMAGE_H

/*
 * Provides a job's storage as an ext4 file system in a file (the image), where
 * a project quota cannot limit it: makes, mounts, checks and empties images,
 * and computes how large the file has to be for a capacity. Functions that
 * return int give 0, or -1 with *err.
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

/* The largest capacity whose image fits into so much space. */
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

/* Mount options. A new image's blocks read as zeros, so inode tables need not
 * be zeroed. A job's data does not outlive a power cut, so no write has to wait
 * for the disk, least of all the one at the unmount, after which the image is
 * removed. */
#define SLU_IMAGE_JOB  "noinit_itable,nobarrier"
#define SLU_IMAGE_KEEP "noinit_itable"

/* A file of `size` bytes, reserved where the file system can do that.
 * SLU_BUSY: there is too little room. */
int slu_image_make(const char *image, uint64_t size, struct slu_err *err);
/* SLU_BUSY with the text: `size` bytes are needed. */
int slu_image_no_room(const char *path, uint64_t size, uint64_t free,
		      struct slu_err *err);
/* mkfs.ext4; with a journal if the image is to be kept. */
int slu_image_format(char *image, uint64_t capacity, bool keep,
		     struct slu_err *err);
/* Through a loop device that disappears with the mount; options as above. */
int slu_image_mount(const char *image, const char *point, bool read_only,
		    const char *options, struct slu_err *err);
/* Mounts it read-only; through the loop device that it still has, if a
 * namespace holds one: with two devices the same file system would exist
 * twice. */
int slu_image_show(const char *image, const char *point, struct slu_err *err);
/* Waits until the image's loop device is gone, which happens with its last
 * user, a moment after the unmount; SLU_BUSY: it still exists. `name`, if not
 * empty, is that device: searching for it among many takes long. */
int slu_image_wait(const char *image, char name[SLU_LOOP_NAME],
		   struct slu_err *err);
/* Empties the image, so that a process that still holds this device finds
 * nothing on it. */
int slu_image_empty(const char *image, const char *name, struct slu_err *err);
/* Was it unmounted after its last use, without errors? Not if the node
 * crashed. */
bool slu_image_is_clean(const char *image);
/* e2fsck after a crash: makes safe repairs. */
int slu_image_check(char *image, struct slu_err *err);
/* Returns unused blocks of the mounted image to the file system below, where
 * that is possible. */
void slu_image_trim(const char *fs);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_BUFFER_HOST_LOOP_DEVICE_H
#define SLU_BURST_BUFFER_HOST_LOOP_DEVICE_H

/* Makes a file usable as a block device, by a loop device that disappears with
 * its last user (Linux 5.8), and finds out which device has which file. */

#include <stdbool.h>
#include "common/err.h"

#define SLU_LOOP_NAME 24

/* Attach `file` (open for reading and writing; `path` is for messages) to a
 * free device. Returns the device, open: it detaches when this and the mount
 * made of it are closed. Its name goes to `name`. */
int slu_loop_attach(int file, const char *path, char name[SLU_LOOP_NAME],
		    struct slu_err *err);

/* The device that has exactly this file, or SLU_NOTFOUND. (Not by its name:
 * other mount namespaces have files of the same name.) */
int slu_loop_find(const char *path, char name[SLU_LOOP_NAME],
		  struct slu_err *err);

/* The device under the file system at `point`, if it has the file `image`;
 * else SLU_NOTFOUND. Quicker than to look for it among all. */
int slu_loop_under(const char *point, const char *image,
		   char name[SLU_LOOP_NAME], struct slu_err *err);

/* Does this device have exactly this file? */
bool slu_loop_has(const char *name, const char *path);

/* Does the device have a file that was removed, whose path ended so
 * ("7.1/image")? */
bool slu_loop_has_removed(const char *name, const char *tail);

/* The device becomes as long as its file is now. */
void slu_loop_resize(const char *name);

/* Bytes that the device has read and written since the machine started, for all
 * files that it had: only differences mean something. */
int slu_loop_counters(const char *name, double *read_bytes,
		      double *written_bytes, struct slu_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_ROOT_H
#define SLU_SYSMAP_ROOT_H

/*
 * Reads files and links of the machine: the live one, or a recorded tree
 * (--root DIR). Every read of an extractor goes through here, so that a
 * recorded tree can neither lead outside of it (links resolve inside it) nor
 * block or harm the reader: only regular files are opened, up to a size limit.
 * Texts are made printable, see slu_printable(). Paths are relative to the root
 * ("proc/mounts"). A struct may be read by several threads.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/err.h"
#include "common/str.h"

#define SLU_ROOT_ATTR_MAX 4096	     /* bytes of one attribute file */
#define SLU_TABLE_MAX	  (8u << 20) /* bytes of /proc/cpuinfo and the like */
#define SLU_LIST_MAX	  16384	     /* entries of one directory */

/*
 * The total cost limit of reading one machine: files opened, entries listed and
 * KiB read. This is many times what the largest machine needs; beyond it every
 * read fails, so that no tree can occupy its reader for more than some seconds.
 */
#define SLU_ROOT_WORK 2000000

/* Result of a sweep of the fabric: it takes up to a minute, and the documents
 * of one fabric must be consistent, so all sources share it. */
struct slu_sweep {
	bool done;
	struct slu_err err; /* kind 0: text is there */
	struct slu_buf text;
};

struct slu_root {
	int fd;
	bool live; /* this machine, now: file systems can be queried as well */
	atomic_long *work;	 /* what is left of SLU_ROOT_WORK */
	struct slu_sweep *sweep; /* used by one thread only */
	/* The directory of slurm.conf; set by callers that want another one
	 * than etc/slurm. Borrowed. */
	const char *slurm;
};

/* dir NULL or "/": the live machine. */
int slu_root_open(struct slu_root *root, const char *dir, struct slu_err *err);
void slu_root_close(struct slu_root *root);

/* A whole file; longer than max is SLU_NOMEM, missing SLU_NOTFOUND. *out is
 * overwritten; bytes are not changed. */
int slu_root_read(const struct slu_root *root, const char *path, size_t max,
		  struct slu_buf *out, struct slu_err *err);

/* First line of a small file, tabs as blanks, without blanks around it; "" and
 * false when it is missing, unreadable or empty. */
bool slu_root_attr(const struct slu_root *root, char *out, size_t size,
		   const char *path, ...) __attribute__((format(printf, 4, 5)));
/* The same as an unsigned decimal number; false leaves *out alone. */
bool slu_root_number(const struct slu_root *root, uint64_t *out,
		     const char *path, ...)
	__attribute__((format(printf, 3, 4)));
/* Like slu_root_number(), of a number that may be negative. */
bool slu_root_signed(const struct slu_root *root, int64_t *out,
		     const char *path, ...)
	__attribute__((format(printf, 3, 4)));
/* The text of a link: usually a relative path. */
bool slu_root_target(const struct slu_root *root, char *out, size_t size,
		     const char *path, ...)
	__attribute__((format(printf, 4, 5)));
/* Last component of a link's target. */
bool slu_root_link(const struct slu_root *root, char *out, size_t size,
		   const char *path, ...) __attribute__((format(printf, 4, 5)));
bool slu_root_exists(const struct slu_root *root, const char *path, ...)
	__attribute__((format(printf, 2, 3)));

/* Names in a directory, in natural order (sda2 before sda10), NULL-ended;
 * caller frees with slu_strv_free. A missing directory is SLU_NOTFOUND. */
char **slu_root_list(const struct slu_root *root, const char *path,
		     struct slu_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_PRELOAD_H
#define SLU_SELECT_IO_PRELOAD_H

/*
 * Defines the C library's functions that a preloaded library (LD_PRELOAD)
 * replaces: open(), creat() and their variants, each by the including file's
 * own open_at(). Include it first, as <fcntl.h> must not be fortified (else it
 * defines open() and others itself).
 */

#undef _FORTIFY_SOURCE
#include "config.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))
/* The next definition of NAME, looked up once. */
#define NEXT(name)                     \
	static __typeof__(&name) next; \
	if (!next)                     \
	next = (__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name)

/* The mode, if there is one. */
static inline mode_t slu_take_mode(int flags, va_list ap)
{
	return flags & (O_CREAT | __O_TMPFILE) ? va_arg(ap, mode_t) : 0;
}

/* Calls that open a file: all are passed to open_at() of the including file. */
static int open_at(int dir, const char *path, int flags, mode_t mode);

#define OPEN(name)                                           \
	EXPORT int name(const char *path, int flags, ...);   \
	int name(const char *path, int flags, ...)           \
	{                                                    \
		va_list ap;                                  \
		mode_t mode;                                 \
                                                             \
		va_start(ap, flags);                         \
		mode = slu_take_mode(flags, ap);             \
		va_end(ap);                                  \
		return open_at(AT_FDCWD, path, flags, mode); \
	}
#define OPENAT(name)                                                \
	EXPORT int name(int dir, const char *path, int flags, ...); \
	int name(int dir, const char *path, int flags, ...)         \
	{                                                           \
		va_list ap;                                         \
		mode_t mode;                                        \
                                                                    \
		va_start(ap, flags);                                \
		mode = slu_take_mode(flags, ap);                    \
		va_end(ap);                                         \
		return open_at(dir, path, flags, mode);             \
	}
#define CREAT(name)                                                          \
	EXPORT int name(const char *path, mode_t mode);                      \
	int name(const char *path, mode_t mode)                              \
	{                                                                    \
		return open_at(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, \
			       mode);                                        \
	}

#endif

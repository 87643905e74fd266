/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls the C library's own openat(2), which libsluice_placed.so replaces. */
#include "config.h"
#include "select_io/client/placed.h"

#include <dlfcn.h>

int slu_placed_real_open(int dir, const char *path, int flags, mode_t mode)
{
	static int (*next)(int, const char *, int, ...);

	if (!next)
		next = (int (*)(int, const char *, int, ...))(uintptr_t)dlsym(
			RTLD_NEXT, "openat");
	return next(dir, path, flags, mode);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names in a server of glusterfs, whose threads (performance/io-threads) handle
 * calls at the same time. But a directory has no gfid between its mkdir(2) and
 * the setxattr(2) that gives it one: a lookup between them fails, or gives it
 * another. So while a call that changes names is handled no other such call is,
 * and no lookup; those that read and write data go on.
 *
 * io-threads passes a call on by default_*_resume() of libglusterfs, in one of
 * its threads, and all below is done in that thread before it returns. These
 * functions are wrapped here; their parameters are those of GlusterFS 9 to 11.
 */
#include "config.h"
#include "burst_buffer/preload/glusterfs_calls.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/types.h>

/* Lookups are many: who changes names must not wait for ever. */
static pthread_rwlock_t names =
	PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static bool serving; /* this is a server, not a client */

/* What is only passed on may be void *. */
#define WRAP(name, lock, parameters, arguments)                         \
	static int32_t(*real_##name) parameters;                        \
	__attribute__((visibility("default"))) int32_t name parameters; \
	int32_t name parameters                                         \
	{                                                               \
		int32_t rc;                                             \
                                                                        \
		if (!serving)                                           \
			return real_##name arguments;                   \
		pthread_rwlock_##lock(&names);                          \
		rc = real_##name arguments;                             \
		pthread_rwlock_unlock(&names);                          \
		return rc;                                              \
	}

WRAP(default_lookup_resume, rdlock,
     (void *frame, void *this, void *loc, void *xdata),
     (frame, this, loc, xdata))
WRAP(default_readdirp_resume, rdlock,
     (void *frame, void *this, void *fd, size_t size, off_t off, void *xdata),
     (frame, this, fd, size, off, xdata))
WRAP(default_mkdir_resume, wrlock,
     (void *frame, void *this, void *loc, mode_t mode, mode_t mask,
      void *xdata),
     (frame, this, loc, mode, mask, xdata))
WRAP(default_mknod_resume, wrlock,
     (void *frame, void *this, void *loc, mode_t mode, dev_t dev, mode_t mask,
      void *xdata),
     (frame, this, loc, mode, dev, mask, xdata))
WRAP(default_create_resume, wrlock,
     (void *frame, void *this, void *loc, int32_t flags, mode_t mode,
      mode_t mask, void *fd, void *xdata),
     (frame, this, loc, flags, mode, mask, fd, xdata))
WRAP(default_symlink_resume, wrlock,
     (void *frame, void *this, const char *to, void *loc, mode_t mask,
      void *xdata),
     (frame, this, to, loc, mask, xdata))
WRAP(default_link_resume, wrlock,
     (void *frame, void *this, void *from, void *to, void *xdata),
     (frame, this, from, to, xdata))
WRAP(default_rename_resume, wrlock,
     (void *frame, void *this, void *from, void *to, void *xdata),
     (frame, this, from, to, xdata))
WRAP(default_unlink_resume, wrlock,
     (void *frame, void *this, void *loc, int flags, void *xdata),
     (frame, this, loc, flags, xdata))
WRAP(default_rmdir_resume, wrlock,
     (void *frame, void *this, void *loc, int flags, void *xdata),
     (frame, this, loc, flags, xdata))

bool slu_wrap_names(bool server)
{
	bool all = true;

	serving = server;
#define FIND(name)                                        \
	*(void **)&real_##name = dlsym(RTLD_NEXT, #name); \
	all = all && real_##name
	FIND(default_lookup_resume);
	FIND(default_readdirp_resume);
	FIND(default_mkdir_resume);
	FIND(default_mknod_resume);
	FIND(default_create_resume);
	FIND(default_symlink_resume);
	FIND(default_link_resume);
	FIND(default_rename_resume);
	FIND(default_unlink_resume);
	FIND(default_rmdir_resume);
	return all;
}

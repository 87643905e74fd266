/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps a lookup from seeing a half-made directory, in a server (brick) of
 * GlusterFS, whose threads (performance/io-threads) handle calls at the same
 * time: between mkdir(2) and the setxattr(2) that gives the directory its gfid,
 * a lookup fails, or gives it another one. So a call that changes names
 * excludes all other such calls and all lookups; reads and writes of data go
 * on. Wraps the functions default_*_resume() of libglusterfs, in which
 * io-threads does all of a call before they return; their parameters are those
 * of GlusterFS 9 to 11.
 */
#include "config.h"
#include "burst_buffer/preload/glusterfs_calls.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/types.h>

/* Writers first: a stream of lookups must not hold up a change for ever. */
static pthread_rwlock_t names =
	PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static bool serving; /* this is a server, not a client */

/* Parameters that are only passed on are declared as void *. */
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libsluice_forked.so, for LD_PRELOAD beside the client of GekkoFS: makes a
 * forked child's calls to the file system fail at once, with one sentence. A
 * child that has not called execve() lacks the client's thread that receives
 * the daemons' answers, so its calls would wait for ever. The client sees
 * system calls by intercept_hook_point of libsyscall_intercept; in a child this
 * library replaces that hook, and passes on calls outside of the file system
 * and those that need no daemon. A program that the child starts loads the
 * client again, and works. SLUICE_INTERPOSED holds the path of the file system.
 */
#include "config.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NO_COMMAND 0x51ce /* no command of fcntl(2) */

/* 0: the hook has made the call, *result is what it returns; else the kernel
 * has to make it. */
typedef int hook_f(long, long, long, long, long, long, long, long *);

/* Where the hook is set, and the client's. System calls of this code go through
 * the hook, too, which passes them on. */
static hook_f **point, *client;
static char root[PATH_MAX];
static size_t root_len;

enum where { PATH, AT, FD, LOCAL, PROGRAM };

static const struct {
	long number;
	enum where where; /* PATH: the path is the first argument; AT: the
			   * second, after a directory; FD: a descriptor is
			   * the first; LOCAL: the client needs no daemon for
			   * it; PROGRAM: execve */
} calls[] = {
#ifdef SYS_open
	{SYS_open, PATH},      {SYS_creat, PATH},    {SYS_stat, PATH},
	{SYS_lstat, PATH},     {SYS_access, PATH},   {SYS_mkdir, PATH},
	{SYS_rmdir, PATH},     {SYS_unlink, PATH},   {SYS_readlink, PATH},
	{SYS_chmod, PATH},     {SYS_chown, PATH},    {SYS_lchown, PATH},
	{SYS_rename, PATH},    {SYS_renameat, AT},   {SYS_getdents, FD},
	{SYS_dup2, LOCAL},
#endif
	{SYS_chdir, PATH},     {SYS_truncate, PATH}, {SYS_statfs, PATH},
	{SYS_openat, AT},      {SYS_openat2, AT},    {SYS_mkdirat, AT},
	{SYS_unlinkat, AT},    {SYS_newfstatat, AT}, {SYS_statx, AT},
	{SYS_faccessat, AT},   {SYS_faccessat2, AT}, {SYS_readlinkat, AT},
	{SYS_fchmodat, AT},    {SYS_fchownat, AT},   {SYS_utimensat, AT},
	{SYS_renameat2, AT},   {SYS_read, FD},	     {SYS_write, FD},
	{SYS_pread64, FD},     {SYS_pwrite64, FD},   {SYS_readv, FD},
	{SYS_writev, FD},      {SYS_preadv, FD},     {SYS_pwritev, FD},
	{SYS_fstat, FD},       {SYS_lseek, FD},	     {SYS_ftruncate, FD},
	{SYS_fsync, FD},       {SYS_fdatasync, FD},  {SYS_getdents64, FD},
	{SYS_fchdir, FD},      {SYS_fstatfs, FD},    {SYS_close, LOCAL},
	{SYS_dup, LOCAL},      {SYS_dup3, LOCAL},    {SYS_fcntl, LOCAL},
	{SYS_execve, PROGRAM},
};

static bool is_below(const char *path)
{
	return !strncmp(path, root, root_len) &&
	       (!path[root_len] || path[root_len] == '/');
}

/* The client answers an unknown fcntl command with another error than the
 * kernel does: that shows which descriptors are its own. */
static bool is_its(int fd)
{
	long result = 0;

	return fd >= 0 &&
	       !client(SYS_fcntl, fd, NO_COMMAND, 0, 0, 0, 0, &result) &&
	       result == -ENOTSUP;
}

/* Is the working directory in the file system, also where the client has let
 * the kernel change it? */
static bool stands_there(void)
{
	char cwd[PATH_MAX];

	return syscall(SYS_getcwd, cwd, sizeof(cwd)) > 0 && is_below(cwd);
}

static bool is_there(int dir, const char *path)
{
	if (!path)
		return false;
	if (*path == '/')
		return is_below(path);
	return dir == AT_FDCWD ? stands_there() : is_its(dir);
}

/* Fails the call with EIO. The first time, stderr gets the sentence `what`
 * about this path. */
static int refuse(const char *path, const char *what, long *result)
{
	static bool told;
	char text[PATH_MAX + 256];
	int n = snprintf(text, sizeof(text),
			 "sluice: %s: %s: GekkoFS, see sluice(7)\n",
			 path ? path : root, what);

	if (!told && n > 0)
		(void)!write(STDERR_FILENO, text, (size_t)n);
	told = true;
	*result = -EIO;
	return 0;
}

/* Refuses a program in the file system, which the kernel cannot see, and a
 * start without LIBGKFS_CWD, from which the new client would know its working
 * directory. */
static int start_program(const char *path, char *const *env, long *result)
{
	if (is_there(AT_FDCWD, path))
		return refuse(path,
			      "programs in this file system cannot be "
			      "executed",
			      result);
	while (env && *env && strncmp(*env, "LIBGKFS_CWD=", 12))
		env++;
	if (env && !*env && stands_there())
		return refuse(path,
			      "a program cannot be started from a working "
			      "directory in this file system that its "
			      "environment does not name",
			      result);
	return 1;
}

static int in_child(long number, long a, long b, long c, long d, long e, long f,
		    long *result)
{
	static const char forked[] = "a forked process cannot use this "
				     "before it has executed a program";
	size_t i = 0;

	while (i < sizeof(calls) / sizeof(*calls) && calls[i].number != number)
		i++;
	if (i == sizeof(calls) / sizeof(*calls))
		return 1;
	switch (calls[i].where) {
	case PATH:
		return is_there(AT_FDCWD, (const char *)a)
			       ? refuse((const char *)a, forked, result)
			       : 1;
	case AT:
		return is_there((int)a, (const char *)b)
			       ? refuse((const char *)b, forked, result)
			       : 1;
	case FD:
		return is_its((int)a) ? refuse(NULL, forked, result) : 1;
	case LOCAL:
		return client(number, a, b, c, d, e, f, result);
	case PROGRAM:
		return start_program((const char *)a, (char *const *)c, result);
	}
	return 1;
}

static void after_fork(void)
{
	if (*point && *point != in_child) {
		client = *point;
		*point = in_child;
	}
}

__attribute__((constructor)) static void begin(void)
{
	const char *where = getenv("SLUICE_INTERPOSED");

	point = dlsym(RTLD_DEFAULT, "intercept_hook_point");
	if (!point || !where || strlen(where) >= sizeof(root))
		return;
	strcpy(root, where);
	root_len = strlen(root);
	pthread_atfork(NULL, NULL, after_fork);
}

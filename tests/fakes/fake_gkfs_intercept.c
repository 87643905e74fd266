/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stand-in for libgkfs_intercept.so: a library for LD_PRELOAD that leads
 * paths below the mount directory into the store of fake_gkfs_daemon. Its
 * rules are the real client's: the hosts file must be there and hold nothing
 * but hosts, every daemon must answer, else any program it is loaded into ends
 * with 1; there are no links, renames, modes that change or times, and what
 * the kernel is asked about our descriptors directly, it does not know.
 */
#include "config.h"
#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <regex.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char mountdir[PATH_MAX], store[PATH_MAX];

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

static void die(const char *what, const char *detail)
{
	fprintf(stderr, "[gkfs_client] %s: %s\n", what, detail);
	_exit(1);
}

/* Where this daemon says that things are. */
static void ask(const char *uri)
{
	struct sockaddr_in sa = {.sin_family = AF_INET};
	char host[64] = "", answer[2 * PATH_MAX + 4] = "", *end;
	const char *at = strstr(uri, "://");
	unsigned port = 0;
	size_t len = 0;
	ssize_t n;
	int fd;

	if (!at || sscanf(at, "://%63[^:]:%u", host, &port) != 2 ||
	    inet_pton(AF_INET, host, &sa.sin_addr) != 1)
		die("Failed to connect to hosts", uri);
	sa.sin_port = htons((unsigned short)port);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (connect(fd, (struct sockaddr *)&sa, sizeof(sa)))
		die("Failed to connect to hosts", uri);
	while ((n = REAL(read)(fd, answer + len, sizeof(answer) - 1 - len)) > 0)
		len += (size_t)n;
	close(fd);
	end = strchr(answer, '\n');
	if (!end)
		die("Failed to connect to hosts", uri);
	*end = '\0';
	snprintf(mountdir, sizeof(mountdir), "%s", answer);
	end[1 + strcspn(end + 1, "\n")] = '\0';
	snprintf(store, sizeof(store), "%s", end + 1);
}

__attribute__((constructor)) static void init(void)
{
	const char *path = getenv("LIBGKFS_HOSTS_FILE");
	regmatch_t m[4];
	char line[1024];
	regex_t re;
	FILE *(*open_it)(const char *, const char *) = real("fopen");
	FILE *f = open_it(path ? path : "./gkfs_hosts.txt", "re");

	if (!f)
		die("Failed to load hosts addresses", path ? path : "");
	regcomp(&re, "^([^ ]+) +([^ ]+) *([^ ]*)$", REG_EXTENDED);
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strcmp(line, "#FS_INSTANCE_END"))
			break;
		if (regexec(&re, line, 4, m, 0))
			die("Failed to load hosts addresses", line);
		line[m[2].rm_eo] = '\0';
		ask(line + m[2].rm_so);
	}
	fclose(f);
	regfree(&re);
	if (!*store)
		die("Failed to load hosts addresses", "no host");
}

/* The path in the store, or as it is. */
static const char *led(const char *path, char out[PATH_MAX])
{
	size_t n = strlen(mountdir);

	if (!n || strncmp(path, mountdir, n) || (path[n] && path[n] != '/'))
		return path;
	snprintf(out, PATH_MAX, "%s%s", store, path + n);
	return out;
}

static bool ours_path(const char *path)
{
	char out[PATH_MAX];

	return led(path, out) == out;
}

static bool ours(int fd)
{
	char link[40], path[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = fd < 0 ? -1 : readlink(link, path, sizeof(path) - 1);
	return n > 0 && *store && !strncmp(path, store, strlen(store));
}

static bool ours_at(int dir, const char *path)
{
	return ours_path(path) || (*path != '/' && ours(dir));
}

static int refuse(int error)
{
	errno = error;
	return -1;
}

static bool wrong_flags(int flags)
{
	return flags & O_PATH;
}

/* The argument of open() that is only there when it creates a file. */
#define GET_MODE(mode, flags)                                                  \
	do {                                                                   \
		va_list ap;                                                    \
                                                                               \
		va_start(ap, flags);                                           \
		mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0; \
		va_end(ap);                                                    \
	} while (0)

int openat(int dir, const char *path, int flags, ...)
{
	char out[PATH_MAX];
	mode_t mode;

	GET_MODE(mode, flags);
	if (ours_at(dir, path) && wrong_flags(flags))
		return refuse(ENOTSUP);
	return REAL(openat)(dir, led(path, out), flags, mode);
}

int openat64(int dir, const char *path, int flags, ...)
{
	mode_t mode;

	GET_MODE(mode, flags);
	return openat(dir, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
	mode_t mode;

	GET_MODE(mode, flags);
	return openat(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
	mode_t mode;

	GET_MODE(mode, flags);
	return openat(AT_FDCWD, path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
	char out[PATH_MAX];

	return REAL(fopen)(led(path, out), mode);
}

/* Times are those of 1970. */
static int timeless(int rc, struct stat *st, bool is_ours)
{
	if (!rc && is_ours) {
		st->st_mtim = st->st_atim = st->st_ctim =
			(struct timespec){0, 0};
	}
	return rc;
}

int fstatat(int dir, const char *restrict path, struct stat *restrict st,
	    int flags)
{
	char out[PATH_MAX];

	return timeless(REAL(fstatat)(dir, led(path, out), st, flags), st,
			ours_at(dir, path));
}

int fstat(int fd, struct stat *st)
{
	return timeless(REAL(fstat)(fd, st), st, ours(fd));
}

int stat(const char *restrict path, struct stat *restrict st)
{
	return fstatat(AT_FDCWD, path, st, 0);
}

int lstat(const char *restrict path, struct stat *restrict st)
{
	return fstatat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

int statx(int dir, const char *restrict path, int flags, unsigned mask,
	  struct statx *restrict st)
{
	char out[PATH_MAX];

	return REAL(statx)(dir, led(path, out), flags, mask, st);
}

int access(const char *path, int mode)
{
	char out[PATH_MAX];

	return REAL(access)(led(path, out), mode);
}

int mkdir(const char *path, mode_t mode)
{
	char out[PATH_MAX];

	return REAL(mkdir)(led(path, out), mode);
}

int unlink(const char *path)
{
	char out[PATH_MAX];

	return REAL(unlink)(led(path, out));
}

int rmdir(const char *path)
{
	char out[PATH_MAX];

	return REAL(rmdir)(led(path, out));
}

DIR *opendir(const char *path)
{
	char out[PATH_MAX];

	return REAL(opendir)(led(path, out));
}

int chdir(const char *path)
{
	char out[PATH_MAX];

	return REAL(chdir)(led(path, out));
}

/* What GekkoFS does not do */

int rename(const char *from, const char *to)
{
	return ours_path(from) || ours_path(to) ? refuse(ENOTSUP)
						: REAL(rename)(from, to);
}

int symlink(const char *target, const char *path)
{
	return ours_path(path) ? refuse(ENOTSUP) : REAL(symlink)(target, path);
}

int symlinkat(const char *target, int dir, const char *path)
{
	return ours_at(dir, path) ? refuse(ENOTSUP)
				  : REAL(symlinkat)(target, dir, path);
}

int chmod(const char *path, mode_t mode)
{
	return ours_path(path) ? refuse(ENOTSUP) : REAL(chmod)(path, mode);
}

int fchmod(int fd, mode_t mode)
{
	return ours(fd) ? refuse(ENOTSUP) : REAL(fchmod)(fd, mode);
}

int fchown(int fd, uid_t uid, gid_t gid)
{
	return ours(fd) ? refuse(EBADF) : REAL(fchown)(fd, uid, gid);
}

int futimens(int fd, const struct timespec times[2])
{
	return ours(fd) ? refuse(EBADF) : REAL(futimens)(fd, times);
}

int utimensat(int dir, const char *path, const struct timespec times[2],
	      int flags)
{
	return ours_at(dir, path) ? refuse(ENOENT)
				  : REAL(utimensat)(dir, path, times, flags);
}

ssize_t copy_file_range(int in, off64_t *from, int out, off64_t *to, size_t len,
			unsigned flags)
{
	return ours(in) || ours(out)
		       ? refuse(EBADF)
		       : REAL(copy_file_range)(in, from, out, to, len, flags);
}

/* The kernel has never heard of our descriptors. */
long syscall(long number, ...)
{
	long a[6];
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_openat2 && ours((int)a[0]))
		return refuse(EBADF);
	return ((long (*)(long, ...))real("syscall"))(number, a[0], a[1], a[2],
						      a[3], a[4], a[5]);
}

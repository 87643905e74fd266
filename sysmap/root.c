/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads files below one root directory. For a recorded tree openat2() resolves
 * links as if the tree were "/". A file is first opened with O_PATH, because
 * opening a device may have side effects.
 */
#include "config.h"
#include "sysmap/root.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "common/file.h"
#include "common/hostlist.h"

int slu_root_open(struct slu_root *root, const char *dir, struct slu_err *err)
{
	bool live = !dir || strcmp(dir, "/") == 0;
	int fd = open(live ? "/" : dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	atomic_long *work = malloc(sizeof(*work));
	struct slu_sweep *sweep = calloc(1, sizeof(*sweep));

	if (fd < 0) {
		slu_errno(err, errno == ENOENT ? SLU_NOTFOUND : SLU_IO, "%s",
			  live ? "/" : dir);
	} else if (work && sweep) {
		atomic_init(work, SLU_ROOT_WORK);
		*root = (struct slu_root){.fd = fd,
					  .live = live,
					  .work = work,
					  .sweep = sweep,
					  .slurm = "etc/slurm"};
		return 0;
	} else {
		slu_err(err, SLU_NOMEM, "out of memory");
		close(fd);
	}
	free(work);
	free(sweep);
	return -1;
}

void slu_root_close(struct slu_root *root)
{
	if (root->fd >= 0)
		close(root->fd);
	root->fd = -1;
	free(root->work);
	root->work = NULL;
	if (root->sweep)
		slu_buf_free(&root->sweep->text);
	free(root->sweep);
	root->sweep = NULL;
}

/* Spends units of the work limit; false: it is exhausted. */
static bool spend(const struct slu_root *root, size_t units)
{
	return atomic_fetch_sub(root->work, (long)units) >= (long)units;
}

static int open_in(const struct slu_root *root, const char *path, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)flags | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int fd;

	while (*path == '/')
		path++;
	do {
		if (!spend(root, 1)) {
			errno = EDQUOT;
			return -1;
		}
		if (root->live)
			return openat(root->fd, path, flags | O_CLOEXEC);
		/* EAGAIN: a rename anywhere in the system while the kernel
		 * resolved a ".." */
		fd = (int)syscall(SYS_openat2, root->fd, path, &how,
				  sizeof(how));
	} while (fd < 0 && errno == EAGAIN);
	return fd;
}

/* Is it a regular file? Otherwise closes it. */
static int regular(int fd)
{
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	errno = EINVAL;
	return -1;
}

static int open_file(const struct slu_root *root, const char *path)
{
	const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY;
	char again[32];
	int handle, fd;

	if (root->live)
		return regular(open_in(root, path, flags));
	handle = regular(open_in(root, path, O_PATH));
	if (handle < 0)
		return -1;
	snprintf(again, sizeof(again), "/proc/self/fd/%d", handle);
	fd = open(again, flags | O_CLOEXEC);
	close(handle);
	return fd;
}

static int read_all(const struct slu_root *root, int fd, const char *path,
		    size_t max, struct slu_buf *out, struct slu_err *err)
{
	/* A server with Lustre 2.17 may panic at a read(2) of job_stats whose
	 * buffer is smaller than the data that is ready: never use the rest. */
	char chunk[65536];
	ssize_t n;

	slu_buf_reset(out);
	while ((n = read(fd, chunk, sizeof(chunk))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		if (out->len + (size_t)n > max ||
		    !spend(root, (size_t)n / 1024))
			return slu_err(err, SLU_NOMEM,
				       "/%s: longer than %zu bytes", path, max);
		slu_buf_add(out, chunk, (size_t)n);
	}
	if (n < 0)
		return slu_errno(err, SLU_IO, "/%s", path);
	slu_buf_add(out, "", 0); /* an empty file is "", not NULL */
	return out->failed ? slu_err(err, SLU_NOMEM, "/%s: out of memory", path)
			   : 0;
}

int slu_root_read(const struct slu_root *root, const char *path, size_t max,
		  struct slu_buf *out, struct slu_err *err)
{
	int fd = open_file(root, path);
	int ret;

	if (fd < 0)
		return slu_errno(err, errno == ENOENT ? SLU_NOTFOUND : SLU_IO,
				 "/%s", path);
	ret = read_all(root, fd, path, max, out, err);
	close(fd);
	return ret;
}

static bool path_of(char path[PATH_MAX], const char *fmt, va_list ap)
{
	int n = vsnprintf(path, PATH_MAX, fmt, ap);

	return n >= 0 && n < PATH_MAX;
}

static bool read_attr(const struct slu_root *root, char *out, size_t size,
		      const char *path)
{
	char text[SLU_ROOT_ATTR_MAX + 1];
	int fd = open_file(root, path);
	ssize_t n;

	out[0] = '\0';
	if (fd < 0)
		return false;
	do /* an attribute is read as a whole */
		n = read(fd, text, SLU_ROOT_ATTR_MAX);
	while (n < 0 && errno == EINTR);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	for (char *tab = text; (tab = strchr(tab, '\t'));)
		*tab = ' ';
	slu_copy(out, size, slu_trim(text));
	slu_printable(out); /* after cutting, which may split a character */
	return out[0] != '\0';
}

bool slu_root_attr(const struct slu_root *root, char *out, size_t size,
		   const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list ap;
	bool ok;

	va_start(ap, fmt);
	ok = path_of(path, fmt, ap);
	va_end(ap);
	out[0] = '\0';
	return ok && read_attr(root, out, size, path);
}

/* The text of a number; false if the file has something else. */
static bool read_digits(const struct slu_root *root, char *out, size_t size,
			const char *fmt, va_list ap)
{
	char path[PATH_MAX];
	const char *digits = out;

	if (!path_of(path, fmt, ap) || !read_attr(root, out, size, path))
		return false;
	digits += out[0] == '-';
	return digits[0] && !digits[strspn(digits, "0123456789")];
}

bool slu_root_number(const struct slu_root *root, uint64_t *out,
		     const char *fmt, ...)
{
	unsigned long long value;
	char text[32];
	va_list ap;
	bool ok;

	va_start(ap, fmt);
	ok = read_digits(root, text, sizeof(text), fmt, ap) && text[0] != '-';
	va_end(ap);
	errno = 0;
	value = ok ? strtoull(text, NULL, 10) : 0;
	if (!ok || errno)
		return false;
	*out = value;
	return true;
}

bool slu_root_signed(const struct slu_root *root, int64_t *out, const char *fmt,
		     ...)
{
	long long value;
	char text[32];
	va_list ap;
	bool ok;

	va_start(ap, fmt);
	ok = read_digits(root, text, sizeof(text), fmt, ap);
	va_end(ap);
	errno = 0;
	value = ok ? strtoll(text, NULL, 10) : 0;
	if (!ok || errno)
		return false;
	*out = value;
	return true;
}

static bool read_target(const struct slu_root *root, char target[PATH_MAX],
			const char *fmt, va_list ap)
{
	char path[PATH_MAX];
	ssize_t n;
	int fd;

	fd = path_of(path, fmt, ap) ? open_in(root, path, O_PATH | O_NOFOLLOW)
				    : -1;
	if (fd < 0)
		return false;
	n = readlinkat(fd, "", target, PATH_MAX - 1);
	close(fd);
	if (n <= 0)
		return false;
	target[n] = '\0';
	return true;
}

bool slu_root_target(const struct slu_root *root, char *out, size_t size,
		     const char *fmt, ...)
{
	char target[PATH_MAX];
	va_list ap;
	bool ok;

	va_start(ap, fmt);
	ok = read_target(root, target, fmt, ap);
	va_end(ap);
	out[0] = '\0';
	return ok && slu_copy(out, size, target);
}

bool slu_root_link(const struct slu_root *root, char *out, size_t size,
		   const char *fmt, ...)
{
	char target[PATH_MAX], *slash;
	va_list ap;
	bool ok;

	va_start(ap, fmt);
	ok = read_target(root, target, fmt, ap);
	va_end(ap);
	out[0] = '\0';
	if (!ok)
		return false;
	slash = strrchr(target, '/');
	slu_copy(out, size, slash ? slash + 1 : target);
	slu_printable(out);
	return out[0] != '\0';
}

bool slu_root_exists(const struct slu_root *root, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list ap;
	bool ok;
	int fd;

	va_start(ap, fmt);
	ok = path_of(path, fmt, ap);
	va_end(ap);
	fd = ok ? open_in(root, path, O_PATH) : -1;
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static int compare(const void *a, const void *b)
{
	return slu_host_cmp(*(char *const *)a, *(char *const *)b);
}

/* Appends a name; the list stays NULL-terminated. */
static int append(char ***names, size_t *n, const char *name)
{
	char **more = realloc(*names, (*n + 2) * sizeof(*more));

	if (!more)
		return -1;
	*names = more;
	more[*n] = strdup(name);
	more[*n + 1] = NULL;
	return more[(*n)++] ? 0 : -1;
}

static int list_names(const struct slu_root *root, DIR *dir, char ***names,
		      size_t *n)
{
	struct dirent *entry;

	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		if (*n == SLU_LIST_MAX || !spend(root, 1) ||
		    append(names, n, entry->d_name))
			return -1;
	}
	return 0;
}

char **slu_root_list(const struct slu_root *root, const char *path,
		     struct slu_err *err)
{
	int fd = open_in(root, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	char **names = calloc(1, sizeof(*names));
	size_t n = 0;

	if (!dir) {
		slu_errno(err, errno == ENOENT ? SLU_NOTFOUND : SLU_IO, "/%s",
			  path);
		if (fd >= 0)
			close(fd);
		free(names);
		return NULL;
	}
	if (!names || list_names(root, dir, &names, &n)) {
		slu_err(err, SLU_NOMEM, "/%s: too many entries", path);
		slu_strv_free(names);
		names = NULL;
	}
	closedir(dir);
	if (names)
		qsort(names, n, sizeof(*names), compare);
	return names;
}

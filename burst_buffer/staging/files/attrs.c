/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies and compares extended attributes. Access control lists are attributes,
 * too, in the format of linux/posix_acl_xattr.h; they are copied unchanged, as
 * user ids are the same on all nodes of a cluster.
 */
#include "config.h"
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>
#include "burst_buffer/staging/files/attrs.h"
#include "burst_buffer/staging/files/beneath.h"

#define VALUE_MAX 65536 /* of Linux: all names of a file, and one value */
#define USER	  "user."
#define ACCESS	  "system.posix_acl_access"
#define DEFAULT	  "system.posix_acl_default"

static bool is_acl(const char *name)
{
	return !strcmp(name, ACCESS) || !strcmp(name, DEFAULT);
}

/* The file has none, or the file system does not support it. */
static bool is_none(int error)
{
	return error == ENODATA || error == ENOTSUP || error == ENOSYS;
}

static bool is_unable(const char *name, int error)
{
	if (!is_acl(name))
		return error == ENOTSUP;
	switch (error) {
	case ENOTSUP:
	case ENOSYS:
	case EINVAL: /* a user id that this user namespace does not have */
	case EPERM:
	case E2BIG: /* too many entries for this file system */
	case ERANGE:
	case ENOSPC:
		return true;
	}
	return false;
}

/* The mode that replaces an access control list where the copy cannot have one:
 * the group's rights as in the list, less, for group and others, what the list
 * denies to one of their members. A list that cannot be read gives both
 * nothing. */
static mode_t alone(const char *value, size_t len, mode_t mode)
{
	const struct posix_acl_xattr_entry *entry =
		(const void *)(value + sizeof(struct posix_acl_xattr_header));
	size_t n = len < sizeof(struct posix_acl_xattr_header)
			   ? 0
			   : (len - sizeof(struct posix_acl_xattr_header)) /
				     sizeof(*entry);
	mode_t group = 0, mask = 07, all = n ? 07 : 0;
	bool named = false;

	for (size_t i = 0; i < n; i++) {
		switch (le16toh(entry[i].e_tag)) {
		case ACL_USER:
		case ACL_GROUP:
			named = true;
			all &= le16toh(entry[i].e_perm);
			break;
		case ACL_GROUP_OBJ:
			group = le16toh(entry[i].e_perm);
			break;
		case ACL_MASK:
			mask = le16toh(entry[i].e_perm);
			break;
		}
	}
	return mode & (~(mode_t)077 | (group & mask & all) << 3 |
		       (named ? all & mask : all));
}

int slu_let_read(int fd, uid_t uid)
{
	const uint32_t none = htole32(ACL_UNDEFINED_ID);
	const uint16_t may = htole16(ACL_READ);
	const struct {
		struct posix_acl_xattr_header head;
		struct posix_acl_xattr_entry entry[5];
	} list = {
		.head = {htole32(POSIX_ACL_XATTR_VERSION)},
		.entry = {{htole16(ACL_USER_OBJ), may, none},
			  {htole16(ACL_USER), may, htole32(uid)},
			  {htole16(ACL_GROUP_OBJ), 0, none},
			  {htole16(ACL_MASK), may, none},
			  {htole16(ACL_OTHER), 0, none}},
	};

	(void)!fchown(fd, geteuid(), (gid_t)-1); /* it may be the user's */
	return fsetxattr(fd, ACCESS, &list, sizeof(list), 0);
}

mode_t slu_mode_alone(int fd, mode_t mode)
{
	_Alignas(4) char few[1024];
	ssize_t n = fgetxattr(fd, ACCESS, few, sizeof(few));

	if (n < 0)
		return is_none(errno) ? mode : alone(NULL, 0, mode);
	return alone(few, (size_t)n, mode);
}

static int open_at(int root, const char *path)
{
	return slu_open_beneath(root, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK,
				0);
}

bool slu_can_have_list(int root, const char *path)
{
	int fd = open_at(root, path);
	bool can = fgetxattr(fd, ACCESS, NULL, 0) >= 0 || errno == ENODATA ||
		   !is_none(errno);

	if (fd >= 0)
		close(fd);
	return can;
}

mode_t slu_mode_alone_at(int root, const char *path, mode_t mode)
{
	int fd = open_at(root, path);

	mode = slu_mode_alone(fd, mode);
	if (fd >= 0)
		close(fd);
	return mode;
}

mode_t slu_first_mode(int in, const char *path, mode_t mode, bool plain_in,
		      bool plain_out)
{
	if (!plain_out)
		return 0600;
	if (!plain_in)
		mode = path ? slu_mode_alone_at(in, path, mode)
			    : slu_mode_alone(in, mode);
	return mode | 0600;
}

/* Removes the list of this name that `out` had, or inherited. To ask first
 * costs less than to remove nothing. */
static int drop(int out, const char *name, struct slu_err *err)
{
	if ((fgetxattr(out, name, NULL, 0) < 0 && is_none(errno)) ||
	    !fremovexattr(out, name) || is_none(errno))
		return 0;
	return slu_errno(err, SLU_IO, "remove %s", name);
}

static int copy_one(int in, int out, const char *name, char *value,
		    mode_t *mode, struct slu_err *err)
{
	ssize_t n = fgetxattr(in, name, value, VALUE_MAX);

	if (n < 0 && errno == ENODATA && !is_acl(name))
		return 0;
	if (n < 0 && !(is_acl(name) && is_none(errno)))
		return slu_errno(err, SLU_IO, "read %s of", name);
	if (n >= 0 && !fsetxattr(out, name, value, (size_t)n, 0))
		return 0;
	if (n >= 0 && !is_unable(name, errno))
		return slu_errno(err, SLU_IO, "write %s", name);
	if (!strcmp(name, ACCESS))
		*mode = alone(value, n < 0 ? 0 : (size_t)n, *mode);
	return is_acl(name) ? drop(out, name, err) : 0;
}

static bool is_among(const char *names, ssize_t n, const char *name)
{
	for (ssize_t i = 0; i < n; i += (ssize_t)strlen(names + i) + 1)
		if (!strcmp(names + i, name))
			return true;
	return false;
}

/* Removes lists of the copy that its source does not have. */
static int drop_others(int out, const char *names, ssize_t n,
		       struct slu_err *err)
{
	struct stat st;

	if (!is_among(names, n, ACCESS) && drop(out, ACCESS, err))
		return -1;
	if (fstat(out, &st))
		return slu_errno(err, SLU_IO, "look at the copy");
	return S_ISDIR(st.st_mode) && !is_among(names, n, DEFAULT)
		       ? drop(out, DEFAULT, err)
		       : 0;
}

int slu_copy_attrs(int in, int out, mode_t *mode, struct slu_err *err)
{
	char few[256], *names = few, *value;
	ssize_t n = in == -1 ? 0 : flistxattr(in, few, sizeof(few));
	int rc;

	if (n == 0 || (n < 0 && is_none(errno)))
		return drop_others(out, "", 0, err);
	if (n < 0 && errno != ERANGE)
		return slu_errno(err, SLU_IO, "read the attributes");
	value = malloc(2 * VALUE_MAX);
	if (!value)
		return slu_err(err, SLU_NOMEM, "out of memory");
	if (n < 0) {
		names = value + VALUE_MAX;
		n = flistxattr(in, names, VALUE_MAX);
	}
	rc = n < 0 ? slu_errno(err, SLU_IO, "read the attributes")
		   : drop_others(out, names, n, err);
	for (ssize_t i = 0; !rc && i < n; i += (ssize_t)strlen(names + i) + 1)
		if (!strncmp(names + i, USER, strlen(USER)) ||
		    is_acl(names + i))
			rc = copy_one(in, out, names + i, value, mode, err);
	free(value);
	return rc;
}

/* Names of the attributes that are copied, NUL-ended, in at most VALUE_MAX
 * bytes of `names`; -1: they cannot be read. */
static ssize_t list_ours(int fd, char *names)
{
	ssize_t n = flistxattr(fd, names, VALUE_MAX), kept = 0;

	if (n < 0)
		return is_none(errno) ? 0 : -1;
	for (ssize_t i = 0, len; i < n; i += len) {
		len = (ssize_t)strlen(names + i) + 1;
		if (strncmp(names + i, USER, strlen(USER)) != 0 &&
		    !is_acl(names + i))
			continue;
		memmove(names + kept, names + i, (size_t)len);
		kept += len;
	}
	return kept;
}

static bool same_value(int in, int out, const char *name, char *value)
{
	ssize_t n = fgetxattr(in, name, value, VALUE_MAX);
	ssize_t m = fgetxattr(out, name, value + VALUE_MAX, VALUE_MAX);

	if (m < 0)
		return errno == ENOTSUP || errno == ENOSYS;
	return n == m && !memcmp(value, value + VALUE_MAX, (size_t)n);
}

bool slu_same_attrs(int in, int out)
{
	char *names = NULL, *others, *value;
	ssize_t n, m;
	bool same;

	if (flistxattr(in, NULL, 0) <= 0 && flistxattr(out, NULL, 0) <= 0)
		return true;
	names = malloc(4 * VALUE_MAX);
	if (!names)
		return false;
	others = names + VALUE_MAX;
	value = others + VALUE_MAX;
	n = list_ours(in, names);
	m = list_ours(out, others);
	same = n >= 0 && m >= 0;
	for (ssize_t i = 0; same && i < n; i += (ssize_t)strlen(names + i) + 1)
		same = same_value(in, out, names + i, value);
	/* Other attributes that the user has given the copy may stay, but not
	 * lists. */
	for (ssize_t i = 0; same && i < m; i += (ssize_t)strlen(others + i) + 1)
		same = !is_acl(others + i) || is_among(names, n, others + i);
	free(names);
	return same;
}

int slu_show_directory(int in, int out, mode_t mode, struct slu_err *err)
{
	struct stat st;

	mode &= 0777;
	if (slu_copy_attrs(in, out, &mode, err))
		return -1;
	if (fstat(out, &st) ||
	    fchmod(out, mode | 0700 | SLU_SHOWN | (st.st_mode & S_ISGID)))
		return slu_errno(err, SLU_IO, "set the mode");
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Extended attributes. Access control lists are attributes, too, in the format
 * of linux/posix_acl_xattr.h; they are copied as they are, as numbers mean the
 * same users on all nodes of a cluster.
 */
#include "config.h"
#include <endian.h>
#include <errno.h>
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>
#include "burst_buffer/staging/attrs.h"

#define VALUE_MAX 65536 /* of Linux: all names of a file, and one value */
#define USER	  "user."
#define ACCESS	  "system.posix_acl_access"
#define DEFAULT	  "system.posix_acl_default"

static bool is_acl(const char *name)
{
	return !strcmp(name, ACCESS) || !strcmp(name, DEFAULT);
}

static bool is_unable(const char *name, int error)
{
	return error == ENOTSUP ||
	       (is_acl(name) &&
		(error == ENOSYS || error == EINVAL || error == EPERM));
}

/* The mode of a file with this list if it had none; a list that cannot be read
 * gives the group nothing. */
static mode_t alone(const char *value, size_t len, mode_t mode)
{
	const struct posix_acl_xattr_entry *entry =
		(const void *)(value + sizeof(struct posix_acl_xattr_header));
	size_t n = len < sizeof(struct posix_acl_xattr_header)
			   ? 0
			   : (len - sizeof(struct posix_acl_xattr_header)) /
				     sizeof(*entry);
	mode_t group = 0, mask = 07;

	for (size_t i = 0; i < n; i++) {
		if (le16toh(entry[i].e_tag) == ACL_GROUP_OBJ)
			group = le16toh(entry[i].e_perm) & 07;
		if (le16toh(entry[i].e_tag) == ACL_MASK)
			mask = le16toh(entry[i].e_perm) & 07;
	}
	return mode & (~(mode_t)070 | (group & mask) << 3);
}

void slu_let_read(int fd, uid_t uid)
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

	(void)!fchown(fd, geteuid(), (gid_t)-1); /* it was the user's once */
	(void)!fsetxattr(fd, ACCESS, &list, sizeof(list), 0);
}

mode_t slu_mode_alone(int fd, mode_t mode)
{
	_Alignas(4) char few[1024];
	ssize_t n = fgetxattr(fd, ACCESS, few, sizeof(few));

	if (n < 0)
		return errno == ERANGE ? mode & ~(mode_t)070 : mode;
	return alone(few, (size_t)n, mode);
}

static int copy_one(int in, int out, const char *name, char *value,
		    mode_t *mode, struct slu_err *err)
{
	ssize_t n = fgetxattr(in, name, value, VALUE_MAX);

	if (n < 0)
		return errno == ENODATA
			       ? 0
			       : slu_errno(err, SLU_IO, "read %s of", name);
	if (!fsetxattr(out, name, value, (size_t)n, 0))
		return 0;
	if (!is_unable(name, errno))
		return slu_errno(err, SLU_IO, "write %s", name);
	if (!strcmp(name, ACCESS))
		*mode = alone(value, (size_t)n, *mode);
	return 0;
}

int slu_copy_attrs(int in, int out, mode_t *mode, struct slu_err *err)
{
	char few[256], *names = few, *value;
	ssize_t n = flistxattr(in, few, sizeof(few));
	int rc = 0;

	if (n == 0 || (n < 0 && errno != ERANGE))
		return 0; /* none, or no such thing here */
	value = malloc(2 * VALUE_MAX);
	if (!value)
		return slu_err(err, SLU_NOMEM, "out of memory");
	if (n < 0) {
		names = value + VALUE_MAX;
		n = flistxattr(in, names, VALUE_MAX);
	}
	for (ssize_t i = 0; !rc && i < n; i += (ssize_t)strlen(names + i) + 1)
		if (!strncmp(names + i, USER, strlen(USER)) ||
		    is_acl(names + i))
			rc = copy_one(in, out, names + i, value, mode, err);
	free(value);
	return rc;
}

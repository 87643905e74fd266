/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the kernel's mount tables. Texts point into the file's buffer, which
 * is split in place; blanks in mount points are octal escapes. */
#include "config.h"
#include "sysmap/linux/storage/mounts.h"

#include <stdlib.h>
#include <string.h>
#include "common/str.h"
#include "sysmap/linux/procs.h"

#define FIELDS_MAX 32
#define DEPTH_MAX  32 /* of nested mounts */

/* With more mounts, shadowed ones are kept, as each is compared with each. */
#define COMPARED_MAX 2048

static bool any(const char *const *words, const char *word)
{
	for (; *words; words++)
		if (strcmp(*words, word) == 0)
			return true;
	return false;
}

enum slu_mount_category slu_mount_category_of(const char *filesystem,
					      const char *device)
{
	static const char *const network[] = {
		"nfs",		"nfs4",	       "lustre",
		"gpfs",		"beegfs",      "fhgfs",
		"beegfs_nodev", "fhgfs_nodev", "ceph",
		"cifs",		"smb3",	       "smbfs",
		"afs",		"9p",	       "virtiofs",
		"glusterfs",	"orangefs",    "pvfs2",
		"panfs",	"wekafs",      "gfs2",
		"ocfs2",	"fuse",	       "ncpfs",
		"dvs",		"coda",	       NULL};
	static const char *const pseudo[] = {"fuse.lxcfs", "fuse.portal",
					     "fuse.gvfsd-fuse", NULL};
	static const char *const memory[] = {"tmpfs", "ramfs", NULL};
	static const char *const local[] = {"zfs", "btrfs", "bcachefs",
					    "fuseblk", NULL};

	if (any(pseudo, filesystem))
		return SLU_MOUNT_PSEUDO;
	if (any(network, filesystem) || strncmp(filesystem, "fuse.", 5) == 0)
		return SLU_MOUNT_NETWORK;
	if (any(memory, filesystem))
		return SLU_MOUNT_MEMORY;
	if (any(local, filesystem) || strncmp(device, "/dev/", 5) == 0)
		return SLU_MOUNT_LOCAL;
	return SLU_MOUNT_PSEUDO;
}

/* 36 35 98:0 /sub /mnt rw,noatime master:1 - ext4 /dev/sda1 rw,data=ordered */
static bool parse_mountinfo(char **field, size_t n, struct slu_mount *mount)
{
	size_t dash = 6;

	while (dash < n && strcmp(field[dash], "-") != 0)
		dash++;
	if (dash + 3 >= n)
		return false;
	*mount = (struct slu_mount){
		.id = strtol(field[0], NULL, 10),
		.parent = strtol(field[1], NULL, 10),
		.number = slu_unescape(field[2]),
		.subtree = slu_unescape(field[3]),
		.mountpoint = slu_unescape(field[4]),
		.options = slu_unescape(field[5]),
		.filesystem = slu_unescape(field[dash + 1]),
		.device = slu_unescape(field[dash + 2]),
		.super_options = slu_unescape(field[dash + 3]),
	};
	return true;
}

/* /dev/sda1 /mnt ext4 rw,noatime,data=ordered 0 0 */
static bool parse_mtab(char **field, size_t n, struct slu_mount *mount)
{
	if (n < 4)
		return false;
	*mount = (struct slu_mount){
		.device = slu_unescape(field[0]),
		.mountpoint = slu_unescape(field[1]),
		.filesystem = slu_unescape(field[2]),
		.options = slu_unescape(field[3]),
	};
	return true;
}

bool slu_mount_of_job(const char *mountpoint)
{
	const char *at = strstr(mountpoint, "/sluice/");

	return at && ((at[8] >= '0' && at[8] <= '9') ||
		      strncmp(at + 8, "kept/", 5) == 0);
}

bool slu_mount_of_system(const char *mountpoint)
{
	static const char *const places[] = {"/dev", "/proc", "/run",
					     "/sys", "/tmp",  NULL};

	for (const char *const *p = places; *p; p++)
		if (slu_is_below(mountpoint, *p))
			return true;
	return strcmp(mountpoint, "/") == 0;
}

static bool transient(const struct slu_mount *mount)
{
	static const char *const places[] = {
		"/run/user/",		"/run/credentials/", "/run/netns",
		"/run/docker/",		"/run/containerd/",  "/var/lib/docker/",
		"/var/lib/containers/", "/var/lib/kubelet/", NULL};

	for (const char *const *p = places; *p; p++)
		if (strncmp(mount->mountpoint, *p, strlen(*p)) == 0)
			return true;
	if (strcmp(mount->filesystem, "nsfs") == 0)
		return true;
	return slu_mount_of_job(mount->mountpoint);
}

/* Splits at each single blank, since a file system without a device has an
 * empty field. */
static size_t split(char *line, char **field)
{
	size_t n = 0;

	for (char *one; (one = strsep(&line, " "));) {
		if (n == FIELDS_MAX)
			return n + 1;
		field[n++] = one;
	}
	return n;
}

int slu_mounts_parse(struct slu_mounts *out, enum slu_mount_form form,
		     struct slu_err *err)
{
	char *field[FIELDS_MAX], *line, *rest = out->text.data;
	struct slu_mount one, *more;
	size_t n, cap = 0;
	bool ok;

	while (rest && (line = strsep(&rest, "\n"))) {
		n = split(line, field);
		if (n > FIELDS_MAX)
			continue;
		ok = form == SLU_MOUNTINFO ? parse_mountinfo(field, n, &one)
					   : parse_mtab(field, n, &one);
		if (!ok || one.mountpoint[0] != '/' || transient(&one))
			continue;
		if (out->n == SLU_MOUNTS_MAX)
			break;
		one.category =
			slu_mount_category_of(one.filesystem, one.device);
		if (out->n == cap) {
			cap = cap ? 2 * cap : 64;
			more = realloc(out->mount, cap * sizeof(*more));
			if (!more)
				return slu_err(err, SLU_NOMEM, "mount table");
			out->mount = more;
		}
		out->mount[out->n++] = one;
	}
	return 0;
}

/* Is there another mount with the same parent at a directory above it? */
static bool is_covered(const struct slu_mounts *mounts,
		       const struct slu_mount *mount)
{
	const struct slu_mount *m;

	for (size_t i = 0; i < mounts->n; i++) {
		m = &mounts->mount[i];
		if (m->parent == mount->parent && m->id != mount->parent &&
		    strcmp(m->mountpoint, mount->mountpoint) != 0 &&
		    (slu_is_below(mount->mountpoint, m->mountpoint) ||
		     strcmp(m->mountpoint, "/") == 0))
			return true;
	}
	return false;
}

static const struct slu_mount *find_id(const struct slu_mounts *mounts, long id)
{
	for (size_t i = 0; i < mounts->n; i++)
		if (mounts->mount[i].id == id)
			return &mounts->mount[i];
	return NULL;
}

/* Is it unreachable, because it, or a mount that contains it, is shadowed? Not
 * by a later mount at the same place, see compare(). */
static bool is_hidden(const struct slu_mounts *mounts,
		      const struct slu_mount *mount)
{
	if (mounts->n > COMPARED_MAX)
		return false;
	for (int depth = 0; mount && mount->id && depth < DEPTH_MAX; depth++) {
		if (is_covered(mounts, mount))
			return true;
		mount = mount->parent != mount->id
				? find_id(mounts, mount->parent)
				: NULL;
	}
	return false;
}

/* Is it mounted by an automounter, so that it comes and goes with its use?
 * first: the first of autofs's own mounts in the table; n: none. */
static bool on_demand(const struct slu_mounts *mounts, size_t first,
		      const struct slu_mount *mount)
{
	if (mount->category != SLU_MOUNT_NETWORK)
		return false;
	for (size_t i = first; i < mounts->n; i++)
		if (strcmp(mounts->mount[i].filesystem, "autofs") == 0 &&
		    slu_is_below(mount->mountpoint,
				 mounts->mount[i].mountpoint))
			return true;
	return false;
}

/* By mount point; among equals the later mounted first, which is the visible
 * one. Entries are in one array, in the order of mounting. */
static int compare(const void *a, const void *b)
{
	const struct slu_mount *const *x = a, *const *y = b;
	int order = strcmp((*x)->mountpoint, (*y)->mountpoint);

	if (order)
		return order;
	return *x < *y ? 1 : -1;
}

/* Sorts, and removes shadowed and automounted ones. */
static int tidy(struct slu_mounts *mounts, struct slu_err *err)
{
	struct slu_mount *table = calloc(mounts->n + 1, sizeof(*table));
	struct slu_mount **order = calloc(mounts->n + 1, sizeof(*order));
	size_t n = 0, autofs = 0;

	if (!table || !order) {
		free(table);
		free(order);
		return slu_err(err, SLU_NOMEM, "mount table");
	}
	for (size_t i = 0; i < mounts->n; i++)
		order[i] = &mounts->mount[i];
	while (autofs < mounts->n &&
	       strcmp(mounts->mount[autofs].filesystem, "autofs") != 0)
		autofs++;
	qsort(order, mounts->n, sizeof(*order), compare);
	for (size_t i = 0; i < mounts->n; i++)
		if (!on_demand(mounts, autofs, order[i]) &&
		    !is_hidden(mounts, order[i]) &&
		    (n == 0 || strcmp(table[n - 1].mountpoint,
				      order[i]->mountpoint) != 0))
			table[n++] = *order[i];
	free(order);
	free(mounts->mount);
	mounts->mount = table;
	mounts->n = n;
	return 0;
}

static int read_table(const struct slu_root *root, const char *path,
		      enum slu_mount_form form, struct slu_mounts *out,
		      struct slu_err *err)
{
	struct slu_mounts mounts = {0};

	if (slu_root_read(root, path, SLU_TABLE_MAX, &mounts.text, err) ||
	    slu_mounts_parse(&mounts, form, err) || tidy(&mounts, err)) {
		slu_mounts_free(&mounts);
		return -1;
	}
	*out = mounts;
	return 0;
}

int slu_mounts_read_mountinfo(const struct slu_root *root,
			      struct slu_mounts *out, struct slu_err *err)
{
	return read_table(root, "proc/self/mountinfo", SLU_MOUNTINFO, out, err);
}

int slu_mounts_read_mtab(const struct slu_root *root, struct slu_mounts *out,
			 struct slu_err *err)
{
	return read_table(root, "proc/mounts", SLU_MTAB, out, err);
}

int slu_mounts_read(const struct slu_root *root, struct slu_mounts *out,
		    struct slu_err *err)
{
	if (slu_mounts_read_mountinfo(root, out, NULL) == 0)
		return 0;
	return slu_mounts_read_mtab(root, out, err);
}

void slu_mounts_free(struct slu_mounts *mounts)
{
	free(mounts->mount);
	slu_buf_free(&mounts->text);
	*mounts = (struct slu_mounts){0};
}

/* 0:N is not a real device number: Btrfs has an anonymous one. */
static bool is_on(const struct slu_mount *m, const char *number,
		  const char *device)
{
	if (m->number && strncmp(m->number, "0:", 2) != 0)
		return strcmp(m->number, number) == 0;
	return strcmp(m->device, device) == 0;
}

/* The root of a file system precedes a bind mount of it, then the shorter path
 * is first. */
static bool is_better(const struct slu_mount *a, const struct slu_mount *b)
{
	bool all_a = !a->subtree || strcmp(a->subtree, "/") == 0;
	bool all_b = !b->subtree || strcmp(b->subtree, "/") == 0;

	if (all_a != all_b)
		return all_a;
	return strlen(a->mountpoint) < strlen(b->mountpoint);
}

const struct slu_mount *slu_mounts_find(const struct slu_mounts *mounts,
					const char *number, const char *device)
{
	const struct slu_mount *best = NULL;

	for (size_t i = 0; i < mounts->n; i++)
		if (is_on(&mounts->mount[i], number, device) &&
		    (!best || is_better(&mounts->mount[i], best)))
			best = &mounts->mount[i];
	return best;
}

bool slu_mount_below_network(const struct slu_mounts *mounts,
			     const struct slu_mount *mount)
{
	const struct slu_mount *m;
	size_t len;

	for (size_t i = 0; i < mounts->n; i++) {
		m = &mounts->mount[i];
		len = strlen(m->mountpoint);
		if (m->category == SLU_MOUNT_NETWORK && len > 1 &&
		    strncmp(mount->mountpoint, m->mountpoint, len) == 0 &&
		    mount->mountpoint[len] == '/')
			return true;
	}
	return false;
}

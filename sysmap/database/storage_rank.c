/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads candidates from a host's "mountpoints" document, and ranks them. The
 * result depends only on the documents, so that it is the same for each job: of
 * two mounts of one disk the one with the shorter path is chosen.
 */
#include "config.h"
#include "sysmap/database/storage_rank.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "common/jsonx.h"
#include "common/size.h"
#include "sysmap/linux/storage/mounts.h"

const char *slu_mount_text(struct json_object *mount, const char *key)
{
	const char *value = NULL;

	slu_json_str_opt(mount, key, &value, NULL);
	return value ? value : "";
}

struct json_object *slu_mount_at(struct json_object *array, const char *path)
{
	struct json_object *one;

	for (size_t i = 0; i < json_object_array_length(array); i++) {
		one = json_object_array_get_idx(array, i);
		if (strcmp(slu_mount_text(one, "mountpoint"), path) == 0)
			return one;
	}
	return NULL;
}

/* Properties of a mount */

/* The original tool's documents have LOCAL, or nothing. */
static enum slu_mount_category category_of(struct json_object *mount)
{
	static const struct {
		const char *name;
		enum slu_mount_category category;
	} names[] = {{"local", SLU_MOUNT_LOCAL},
		     {"network", SLU_MOUNT_NETWORK},
		     {"memory", SLU_MOUNT_MEMORY},
		     {"pseudo", SLU_MOUNT_PSEUDO}};
	const char *said = slu_mount_text(mount, "category");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcasecmp(names[i].name, said) == 0)
			return names[i].category;
	return slu_mount_category_of(slu_mount_text(mount, "filesystem"),
				     slu_mount_text(mount, "device"));
}

static bool is_writable(struct json_object *mount)
{
	const char *options = slu_mount_text(mount, "options");

	return strncmp(options, "rw", 2) == 0 &&
	       (options[2] == ',' || options[2] == '\0');
}

/* File systems without user files: boot partitions, or read-only ones. */
static bool is_special(const char *path, const char *filesystem)
{
	static const char *const types[] = {
		"vfat",	 "msdos", "exfat", "iso9660", "udf", "squashfs",
		"erofs", "ntfs",  "ntfs3", "fuseblk", NULL};
	static const char *const places[] = {"/boot", "/efi", NULL};

	for (const char *const *t = types; *t; t++)
		if (strcmp(*t, filesystem) == 0)
			return true;
	for (const char *const *p = places; *p; p++)
		if (slu_is_below(path, *p))
			return true;
	return false;
}

/* A bind mount of a part of a file system, often of a single file. Btrfs mounts
 * its subvolumes this way. */
static bool is_part(struct json_object *mount)
{
	return *slu_mount_text(mount, "subtree") &&
	       strcmp(slu_mount_text(mount, "filesystem"), "btrfs") != 0;
}

static const char *unfit(struct json_object *mount,
			 const struct slu_candidate *c,
			 enum slu_mount_category category)
{
	if (category == SLU_MOUNT_NETWORK)
		return "a network file system";
	if (category == SLU_MOUNT_MEMORY && slu_mount_of_system(c->path))
		return "memory that the system itself uses";
	if (is_special(c->path, c->filesystem))
		return "for booting, or of a type that is no job's";
	if (!is_writable(mount))
		return "mounted read-only";
	if (is_part(mount))
		return "a part of a file system that is mounted elsewhere";
	if (slu_mount_of_job(c->path))
		return "a job's file system";
	return c->size ? NULL : "its size is not known";
}

/* A typical read rate for devices of this kind without a measurement, in bytes
 * per second: only the order matters. */
static double usual_speed(const struct slu_candidate *c)
{
	static const double usual[] = {
		[SLU_TIER_UNKNOWN] = 100e6, [SLU_TIER_PMEM] = 6e9,
		[SLU_TIER_FLASH] = 500e6,   [SLU_TIER_DISK] = 150e6,
		[SLU_TIER_RAM] = 8e9,
	};

	return c->tier == SLU_TIER_FLASH &&
			       strncmp(c->device, "/dev/nvme", 9) == 0
		       ? 2e9
		       : usual[c->tier];
}

static enum slu_tier tier_of(struct json_object *mount,
			     enum slu_mount_category category)
{
	return category == SLU_MOUNT_MEMORY
		       ? SLU_TIER_RAM
		       : slu_tier_of(slu_mount_text(mount, "tier"));
}

static bool read_one(struct json_object *mount, struct slu_candidate *c)
{
	const enum slu_mount_category category = category_of(mount);

	*c = (struct slu_candidate){
		.path = slu_mount_text(mount, "mountpoint"),
		.filesystem = slu_mount_text(mount, "filesystem"),
		.device = slu_mount_text(mount, "device"),
		.tier = tier_of(mount, category),
	};
	slu_json_u64_opt(mount, "size", &c->size, NULL);
	c->unfit = unfit(mount, c, category);
	c->speed = usual_speed(c);
	return c->path[0] == '/' && category != SLU_MOUNT_PSEUDO;
}

/* Assigns a measurement to the mount of its path. */
static void take_speed(struct slu_candidate *all, size_t n,
		       struct json_object *speed)
{
	const char *path = slu_mount_text(speed, "path");
	struct slu_candidate *on = NULL;
	uint64_t read = 0;

	slu_json_u64_opt(speed, "read_bytes_per_s", &read, NULL);
	for (size_t i = 0; read && i < n; i++)
		if ((slu_is_below(path, all[i].path) ||
		     !strcmp(all[i].path, "/")) &&
		    (!on || strlen(all[i].path) > strlen(on->path)))
			on = &all[i];
	if (on)
		on->speed = (double)read;
}

struct slu_candidate *slu_candidates_read(struct json_object *mounts,
					  struct json_object *speed, size_t *n)
{
	const size_t most = json_object_array_length(mounts);
	struct slu_candidate *all = calloc(most + 1, sizeof(*all));
	struct json_object *root = slu_mount_at(mounts, "/");
	const char *disk = root ? slu_mount_text(root, "device") : NULL;

	*n = 0;
	for (size_t i = 0; all && i < most; i++) {
		if (!read_one(json_object_array_get_idx(mounts, i), &all[*n]))
			continue;
		all[*n].root = disk && all[*n].tier != SLU_TIER_RAM &&
			       strcmp(all[*n].device, disk) == 0;
		++*n;
	}
	if (all && speed)
		take_speed(all, *n, speed);
	return all;
}

/* Is `path` at or below the mount point `point`? */
static bool is_below(const char *path, const char *point)
{
	size_t n = strlen(point);

	if (n && point[n - 1] == '/')
		n--;
	return strncmp(path, point, n) == 0 && (!path[n] || path[n] == '/');
}

void slu_candidate_at(struct json_object *mounts, const char *path,
		      struct slu_candidate *best)
{
	struct json_object *m;
	const char *point;

	*best = (struct slu_candidate){0};
	for (size_t i = 0; i < json_object_array_length(mounts); i++) {
		m = json_object_array_get_idx(mounts, i);
		point = slu_mount_text(m, "mountpoint");
		if (!is_below(path, point) || slu_mount_of_job(point) ||
		    (best->path && strlen(point) < strlen(best->path)))
			continue;
		best->path = point;
		best->filesystem = slu_mount_text(m, "filesystem");
		best->device = slu_mount_text(m, "device");
		best->tier = tier_of(m, category_of(m));
		best->size = 0;
		slu_json_u64_opt(m, "size", &best->size, NULL);
	}
}

/* The choice */

static bool fits(const struct slu_candidate *c, const char *word)
{
	const enum slu_tier tier = slu_tier_of(word);

	if (c->unfit)
		return false;
	if (tier)
		return c->tier == tier;
	return word[0] == '/' ? fnmatch(word, c->path, FNM_PATHNAME) == 0
			      : c->tier != SLU_TIER_RAM;
}

static bool by_speed(const char *word)
{
	return strcasecmp(word, "fastest") == 0;
}

static bool better(const struct slu_candidate *a, const struct slu_candidate *b,
		   bool fastest)
{
	if (!b)
		return true;
	if (fastest && (a->speed < b->speed || a->speed > b->speed))
		return a->speed > b->speed;
	if (a->size != b->size)
		return a->size > b->size;
	if (strlen(a->path) != strlen(b->path))
		return strlen(a->path) < strlen(b->path);
	return strcmp(a->path, b->path) < 0;
}

static const struct slu_candidate *best(const struct slu_candidate *all,
					size_t n, const char *choice,
					bool may_be_root)
{
	const struct slu_candidate *found = NULL;
	char word[SLU_CHOICE_WORD];

	for (size_t k = 0;
	     !found && slu_list_word(choice, k, word, sizeof(word)); k++)
		for (size_t i = 0; i < n; i++)
			if ((may_be_root || !all[i].root) &&
			    fits(&all[i], word) &&
			    better(&all[i], found, by_speed(word)))
				found = &all[i];
	return found;
}

const struct slu_candidate *
slu_candidates_choose(const struct slu_candidate *all, size_t n,
		      const char *choice)
{
	const struct slu_candidate *found = best(all, n, choice, false);

	return found ? found : best(all, n, choice, true);
}

/* Copies the word of the choice that the mount satisfies; false: none. */
static bool fitting(const struct slu_candidate *c, const char *choice,
		    size_t *at, char word[SLU_CHOICE_WORD])
{
	for (*at = 0; slu_list_word(choice, *at, word, SLU_CHOICE_WORD); ++*at)
		if (fits(c, word))
			return true;
	return false;
}

bool slu_candidate_fits(const struct slu_candidate *c, const char *choice)
{
	char word[SLU_CHOICE_WORD];
	size_t at;

	return fitting(c, choice, &at, word);
}

static bool same_device(const struct slu_candidate *a,
			const struct slu_candidate *b)
{
	return a->device[0] == '/' && strcmp(a->device, b->device) == 0;
}

/* All memory is one; datasets of ZFS, as "pool/name", share their pool. */
bool slu_candidates_share(const struct slu_candidate *a,
			  const struct slu_candidate *b)
{
	const size_t pool = strcspn(a->device, "/");

	if (a->tier == SLU_TIER_RAM || b->tier == SLU_TIER_RAM)
		return a->tier == b->tier;
	if (pool == 0)
		return same_device(a, b);
	return strcspn(b->device, "/") == pool &&
	       strncmp(a->device, b->device, pool) == 0;
}

/* The system has its own partitions and volumes there, often on the disk of the
 * root file system: what fills them is missing elsewhere. */
static bool is_of_system(const struct slu_candidate *c, const char *word)
{
	static const char *const places[] = {"/home", "/opt", "/usr", "/var",
					     NULL};

	for (const char *const *p = places; *p && word[0] != '/'; p++)
		if (slu_is_below(c->path, *p))
			return true;
	return false;
}

/* Adds the best one that is worse than those before it; false: none is. */
static bool add_next(const struct slu_candidate *all, size_t n,
		     const char *word, const struct slu_candidate **out,
		     size_t found)
{
	const struct slu_candidate *next = NULL, *c;

	for (size_t i = 0; i < n; i++) {
		bool has = false;

		c = &all[i];
		for (size_t k = 0; k < found; k++)
			has |= c == out[k] || slu_candidates_share(c, out[k]);
		if (!has && c->root == out[0]->root && !is_of_system(c, word) &&
		    c->tier == out[0]->tier && fits(c, word) &&
		    better(c, next, by_speed(word)))
			next = c;
	}
	out[found] = next;
	return next;
}

size_t slu_candidates_each(const struct slu_candidate *all, size_t n,
			   const char *choice, const struct slu_candidate **out)
{
	char word[SLU_CHOICE_WORD];
	size_t found = 0, at;

	out[0] = slu_candidates_choose(all, n, choice);
	if (!out[0] || !fitting(out[0], choice, &at, word))
		return 0;
	for (found = 1; found < n; found++)
		if (!add_next(all, n, word, out, found))
			break;
	return found;
}

/* Reasons against a mount */

static void why_worse(const struct slu_candidate *c,
		      const struct slu_candidate *taken, bool fastest,
		      struct slu_buf *out)
{
	char has[SLU_SIZE_TEXT], more[SLU_SIZE_TEXT];

	if (same_device(c, taken))
		slu_buf_printf(out, "the same file system as %s", taken->path);
	else if (fastest && taken->speed > c->speed)
		slu_buf_printf(out, "%s is faster", taken->path);
	else if (taken->size > c->size)
		slu_buf_printf(out, "%s is larger: %s, this has %s",
			       taken->path, slu_size_text(taken->size, more),
			       slu_size_text(c->size, has));
	else
		slu_buf_printf(out, "%s is as good, and named first",
			       taken->path);
}

void slu_candidate_why_not(const struct slu_candidate *c,
			   const struct slu_candidate *taken,
			   const char *choice, bool each, struct slu_buf *out)
{
	char word[SLU_CHOICE_WORD], before[SLU_CHOICE_WORD];
	size_t at, first;

	if (c->unfit)
		slu_buf_puts(out, c->unfit);
	else if (!fitting(c, choice, &at, word))
		slu_buf_printf(out, "%s names nothing that it is (%s)", choice,
			       slu_tier_names[c->tier]);
	else if (!taken)
		slu_buf_puts(out, "not known");
	else if (c->root && !taken->root)
		slu_buf_printf(out,
			       "on the disk of the root file system, and there "
			       "is %s",
			       taken->path);
	else if (fitting(taken, choice, &first, before) && first < at)
		slu_buf_printf(out, "%s comes before %s, and there is %s",
			       before, word, taken->path);
	else if (each && c->tier != taken->tier)
		slu_buf_printf(out, "%s is taken, which is %s: this is %s",
			       taken->path, slu_tier_names[taken->tier],
			       slu_tier_names[c->tier]);
	else if (each && is_of_system(c, word) && !same_device(c, taken))
		slu_buf_printf(out, "the system's own, and there is %s",
			       taken->path);
	else if (each && !same_device(c, taken) &&
		 slu_candidates_share(c, taken))
		slu_buf_printf(out, "it shares its room with %s", taken->path);
	else
		why_worse(c, taken, by_speed(word), out);
}

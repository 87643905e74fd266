/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_DATABASE_STORAGE_RANK_H
#define SLU_SYSMAP_DATABASE_STORAGE_RANK_H

/*
 * Ranks the file systems of a host as storage for jobs, and finds those that a
 * choice (a list of words such as "nvme" or "fastest", see common/tiers.h)
 * selects. Works on documents; does not use the database.
 */

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/str.h"
#include "common/tiers.h"

struct slu_candidate {
	const char *path, *filesystem, *device; /* the document's */
	uint64_t size;				/* bytes */
	double speed; /* bytes/s of sequential reads: measured, else typical of
			 such a device */
	enum slu_tier tier;
	bool root;	   /* on the disk of the root file system */
	const char *unfit; /* why no choice selects it; NULL: it is eligible */
};

/* Each mount of a document "mountpoints" that is not a pseudo file system;
 * speed: the document "storagespeed", or NULL. Caller frees; strings belong to
 * the document. NULL: out of memory. */
struct slu_candidate *slu_candidates_read(struct json_object *mounts,
					  struct json_object *speed, size_t *n);

/*
 * The best of those that fit the first word of the choice that any of them
 * fits: the fastest or the largest, then the one with the shorter path. File
 * systems on the disk of the root file system are only selected if no word
 * finds another. NULL: none fits. Not for a choice that is a path.
 */
const struct slu_candidate *
slu_candidates_choose(const struct slu_candidate *all, size_t n,
		      const char *choice);

/*
 * Those of which each is as good to a job: the one of slu_candidates_choose(),
 * and what else fits the same word and is of the same tier, on other devices,
 * and not on the root file system's unless that one is. Of those that share
 * their room only the best; none in places of the system (/home, /opt, /usr,
 * /var) unless the word is a pattern. Best first; out: room for n. Returns how
 * many.
 */
size_t slu_candidates_each(const struct slu_candidate *all, size_t n,
			   const char *choice,
			   const struct slu_candidate **out);

/* Is the room of one that of the other, too? */
bool slu_candidates_share(const struct slu_candidate *a,
			  const struct slu_candidate *b);
/* Why it was not selected, a clause; taken: the selected one, or NULL. each:
 * it was selected by slu_candidates_each(), with others. */
void slu_candidate_why_not(const struct slu_candidate *c,
			   const struct slu_candidate *taken,
			   const char *choice, bool each, struct slu_buf *out);
/* Does a word of the choice fit it? */
bool slu_candidate_fits(const struct slu_candidate *c, const char *choice);

/* The mount that contains this absolute path; best->path is NULL if there is
 * none. Borrows from `mounts`. */
void slu_candidate_at(struct json_object *mounts, const char *path,
		      struct slu_candidate *best);

/* The member of an object, "" where there is none. */
const char *slu_mount_text(struct json_object *mount, const char *key);
/* The element of an array with this mount point, or NULL. */
struct json_object *slu_mount_at(struct json_object *array, const char *path);

#endif

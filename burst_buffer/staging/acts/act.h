/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_ACT_H
#define SLU_STAGING_ACT_H

/*
 * State and helpers that the acts of staging share (COPY, VERIFY, FINISH and
 * DISCARD of stage.h), each of which is a file act_*.c. Private to
 * burst_buffer/staging.
 */

#include <pthread.h>
#include <stdbool.h>
#include <sys/stat.h>
#include "burst_buffer/staging/acts/held_source.h"
#include "burst_buffer/staging/copied.h"
#include "burst_buffer/staging/manifest.h"
#include "burst_buffer/staging/stage.h"
#include "burst_buffer/staging/walk/path_rules.h"

struct slu_act {
	const struct slu_stage_part *part;
	struct slu_stage_places places;
	struct slu_totals totals;
	struct slu_manifest *manifest;
	struct slu_copied known;
	struct slu_held_source held;
	pthread_mutex_t lock; /* guards what follows */
	bool stopped;
	uint64_t bytes, files; /* what was done */
	uint64_t in_place;     /* files written in place, the first */
	char first_in_place[208];
	_Atomic uint64_t kept; /* files that were kept unchanged */
	_Atomic uint64_t hits, misses, cached_bytes; /* slu_stage_cached */
};

/* Adds to what was done, and reports it; -1 with SLU_BUSY if the act has to
 * stop. */
int slu_act_count(struct slu_act *act, uint64_t bytes, uint64_t files,
		  struct slu_err *err);

/* The path to open for an entry: its own, or the one name of type=file. */
const char *slu_act_path(const char *single, const struct slu_entry *entry);

/* The name of this file in `dir` now: its final name, or, until it is verified,
 * the temporary one beside it, which is stored in `beside` (NAME_MAX + 1
 * bytes). */
const char *slu_act_name(const struct slu_act *act, int dir, const char *name,
			 char *beside);

/* Creates a file, empty, for writing: under its temporary name, or in place.
 * `st` is its source's. -1: errno, and a sentence. */
int slu_act_create(struct slu_act *act, int dir, const char *name,
		   const struct slu_entry *entry, mode_t mode,
		   const struct stat *st, struct slu_err *err);

/* Gives a verified file its final name, if it does not have it yet. */
struct slu_worker;
int slu_act_land(struct slu_act *act, struct slu_worker *worker,
		 const struct slu_entry *entry, struct slu_err *err);

/* Syncs names of files, as their data was synced before; called at the end of
 * an act. */
int slu_act_sync(struct slu_act *act, struct slu_err *err);

/* Does this file get its final name only in FINISH? */
bool slu_act_lands_last(const struct slu_act *act,
			const struct slu_entry *entry);

/* Does the node that copies this file finish it, with mode, attributes and
 * time? Else the one that verifies it does: for files that several nodes write,
 * and for early copies, which must not look complete before all of it is on
 * disk. */
bool slu_act_copier_finishes(const struct slu_act *act,
			     const struct slu_entry *entry);

/* How many chunks of the work each node has. */
unsigned slu_act_chunks(const struct slu_act *act);

/* "cannot WHAT ROOT/PATH: ", and errno's text. */
int slu_act_errno(struct slu_err *err, const char *what, const char *root,
		  const struct slu_entry *entry);
/* "ROOT/PATH SAYING". */
int slu_act_err(struct slu_err *err, const char *root,
		const struct slu_entry *entry, const char *saying);

/* Is the source, open as fd, still as in the manifest? *st: its present state.
 */
int slu_act_check_source(struct slu_act *act, int fd,
			 const struct slu_entry *entry, struct stat *st,
			 struct slu_err *err);

/* Copy attributes, where both sides support them; the destination keeps only
 * access control lists that the source has. *mode is what the entry has to get
 * afterwards. */
int slu_act_attrs(struct slu_act *act, int in, int out,
		  const struct slu_entry *entry, mode_t *mode,
		  struct slu_err *err);

/* As slu_act_attrs() for an entry whose data no node copies; opens its source
 * with these flags. */
int slu_act_bring_attrs(struct slu_act *act, int out,
			const struct slu_entry *entry, int flags, mode_t *mode,
			struct slu_err *err);

/* The file system that is written: syncfs() on it reaches everything on this
 * device, unless a process serves it. */
struct slu_target {
	dev_t dev;
	bool fuse, lustre;
};
void slu_target_look(struct slu_target *target, int dst);

int slu_act_copy(struct slu_act *act, struct slu_err *err);
/* The descriptor from which to read this range of `in`: `in` itself, or the
 * node's stage cache, into which the range may be copied first; the caller
 * closes it. `st` is `in`'s. */
int slu_act_cached(struct slu_worker *worker, int in, const struct stat *st,
		   uint64_t offset, uint64_t len);
/* One range of a file. */
struct slu_unit;
/* Reads a range only into the stage cache, for a prefetch (part->only_cache).
 */
int slu_act_warm_range(struct slu_worker *worker, const struct slu_unit *unit,
		       struct slu_err *err);
int slu_act_copy_range(const struct slu_target *target,
		       struct slu_worker *worker, const struct slu_unit *unit,
		       struct slu_err *err);
int slu_act_verify(struct slu_act *act, struct slu_err *err);
/* Compares one range of a file on both sides, or the whole file if this node
 * holds it on its disk. */
int slu_act_compare(struct slu_act *act, struct slu_worker *worker,
		    const struct slu_unit *unit, struct slu_err *err);
int slu_act_finish(struct slu_act *act, struct slu_err *err);
int slu_act_discard(struct slu_act *act, struct slu_err *err);

#endif

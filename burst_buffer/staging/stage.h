/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_STAGE_H
#define SLU_STAGING_STAGE_H

/*
 * Runs one act of a staging request on one node: copies files into the job's
 * file system before a job (stage-in) or out of it afterwards (stage-out).
 *
 * The caller makes all nodes wait for each other between the acts. Everything
 * is done with the rights of the calling process, which has become the user;
 * the paths that the user named are resolved once per act, to directories, and
 * below those no link is followed. Errors are one sentence with the path and
 * the system's reason.
 */

/*
 * The acts:
 *
 *	PREPARE  (first node) walk the source, write the manifest, make
 *		 directories and links at the destination
 *	COPY	 (every node) copy its share of the files, and more when others
 *		 are slower
 *	VERIFY	 (every node) check what another has copied: kind, size and
 *		 time of every entry, on request its content; with part->ended
 *		 also that its source is what it was in PREPARE. The files of
 *		 all nodes add up to the totals
 *	FINISH	 (first node) modes and times of directories
 *	DISCARD	 (every node, after one has failed) remove what is not verified
 *
 * With part->beside, files are written under temporary names, and get their
 * final names when they are verified (temporary_file.h), or in FINISH if they
 * are large and several nodes compare their content. If the directory of a file
 * cannot be written, but the file can, it is written in place, and counted.
 */

/*
 * Names at the destination: a source directory named without a trailing slash
 * becomes a directory of that name inside the destination; with a trailing
 * slash, and always for the root of the job's file system, its contents go into
 * the destination. A file goes into a destination that is a directory or ends
 * in a slash, else it gets the destination's name. Files that a list or a
 * pattern selects keep their paths below the list's directory, or below the
 * directory before the first component with a wildcard. Missing parents are
 * made.
 */

#include <stdbool.h>
#include <stdint.h>
#include "burst_buffer/staging/claims.h"
#include "common/err.h"
#include "common/str.h"

enum slu_act_name {
	SLU_PREPARE,
	SLU_COPY,
	SLU_VERIFY,
	SLU_FINISH,
	SLU_DISCARD
};

/* What the source is: a directory; a file; a list, that is a file with names of
 * what is to be staged (selection.h); either of the first two. A source with *
 * ? or [ in it is a pattern, see selection.h, unless it is a LIST; as a FILE it
 * matches only regular files. */
enum slu_stage_what {
	SLU_WHAT_DIRECTORY,
	SLU_WHAT_FILE,
	SLU_WHAT_LIST,
	SLU_WHAT_ANY,
};

/* The node's stage cache, which keeps ranges of sources for later jobs. Any
 * thread. */
struct slu_stage_cache_use {
	/* Called before [offset, offset + len) of the source, open for reading,
	 * is read. Returns a descriptor for this range, which the caller
	 * closes; *ticket 0: it has the data; else it is empty and the caller
	 * has to fill it first. -1: the range is not cached. */
	int (*open)(void *arg, int in, uint64_t offset, uint64_t len,
		    uint32_t *ticket);
	/* The entry with this ticket was filled from `in`, or that failed:
	 * false if it must not be read any more. */
	bool (*filled)(void *arg, int in, uint32_t ticket, bool whole);
	void *arg;
};

/* Ranges of sources that were in the cache, and that were not; bytes of the
 * former. */
struct slu_stage_cached {
	uint64_t hits, misses, bytes;
};

struct slu_stretch;
struct slu_stage_part {
	const char *source, *destination;
	enum slu_stage_what what;
	/* A directory of this name is inserted in the destination's path,
	 * before the last component for a file (a node's own, if each node has
	 * its own data); NULL: none. */
	const char *below;
	/* The root of the job's file system: naming it means its contents, also
	 * without a trailing slash; NULL: unknown. */
	const char *fs_root;
	/* This side keeps no modes, times and links (GekkoFS). */
	bool plain_source, plain_destination;
	/* On this side each node sees times of its own of the same file
	 * (slu_fstype_striped()). They are not compared; of a source only
	 * `content` then shows that it has changed. At a destination two nodes
	 * must not write the same file: one copies all of it. */
	bool own_times_source, own_times_destination;
	bool content; /* VERIFY: read all of it on both sides */
	/* VERIFY by content and FINISH: the root of the job's file system where
	 * this node has its files as they are, an open directory
	 * (held_source.h); held_source: the source is there, not the
	 * destination. -1: this node holds nothing, others do; 0: no node does.
	 */
	int held;
	bool held_source;
	/* a tag, see temporary_file.h; NULL: write in place */
	const char *beside;
	bool bricks;	  /* the source is a kept glusterfs brick */
	unsigned self, n; /* this node's place among those that copy */
	/* COPY and VERIFY: how the nodes claim chunks, the same for all of them
	 * in both acts. NULL: each does its own share. */
	const struct slu_claims *claims;
	/* COPY; NULL: without a stage cache. */
	const struct slu_stage_cache_use *cache;
	/* COPY: only read into the stage cache what it has not; nothing is
	 * written at the destination. `pace`, if not NULL: called with bytes
	 * that were read, may wait. */
	bool only_cache;
	void (*pace)(void *arg, uint64_t bytes);
	/* COPY: a file of this node that records what was done, so that the act
	 * can continue after a crash. 0: none. Only read, if its records are
	 * passed to a function (journal.h). */
	int journal;
	void (*tell)(uint64_t number, const struct slu_stretch *is);
	/* PREPARE: of a source directory only this path below it, with the
	 * directories that lead there. NULL: all. */
	const char *only;
	/* Files at the destination with the size, mode and time of their
	 * sources were copied before: by a mover (moved), or while the job ran,
	 * as recorded in `known` (copied.h), to which an early copy appends. 0:
	 * without records size, mode and time decide. */
	bool quick, moved;
	int known;
	bool early; /* the job runs, a last copy follows */
	/* Programs have mapped files of the source: writes to pages that are
	 * already dirty would not change the ctime. */
	bool mapped;
	/* The source should not be written any more: any write until VERIFY is
	 * detected, even if size and time are reset. */
	bool ended;
	bool durable;	  /* COPY: make sure that it is on disk */
	unsigned threads; /* 0: the usual number */
	int manifest;	  /* PREPARE: empty, read-write; else readable */
	/* Called from any thread, one at a time, with what was done since the
	 * last call. Not 0: stop with SLU_BUSY. May be NULL. */
	int (*progress)(void *arg, uint64_t bytes, uint64_t files);
	void *arg;
	/* For a file that has changed: appends which process has it open, if
	 * any. Any thread. May be NULL. */
	void (*who)(const char *path, struct slu_buf *out);
};

struct slu_stage_result {
	/* Done by this call. PREPARE's and all nodes' COPY counts add up to the
	 * totals. */
	uint64_t bytes, files;
	uint64_t total_bytes, total_files; /* of the manifest */
	uint64_t kept; /* COPY: files that were kept, with quick */
	struct slu_stage_cached cached; /* COPY */
	bool quick;
	bool held; /* VERIFY: each node has verified the files that it holds */
	uint64_t skipped; /* PREPARE: entries that are no files */
	char first_skipped[208];
	/* PREPARE: files that were copied while the job ran, or begun, and that
	 * no longer exist. */
	uint64_t gone;
	uint64_t in_place; /* files that could not be written under a temporary
			      name */
	char first_in_place[208];
};

int slu_stage(enum slu_act_name act, const struct slu_stage_part *part,
	      struct slu_stage_result *result, struct slu_err *err);

#endif

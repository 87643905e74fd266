/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_WIRE_FS_SHARES_H
#define SLU_WIRE_FS_SHARES_H

/*
 * What of a job's I/O went to which of Lustre's file systems, as a text in
 * messages about jobs: "scratch 10 20 3 0,home 0 5 1 0", that is for each the
 * name, bytes read, bytes written, their RPCs, and operations of metadata.
 * A name may be there several times; the numbers then are added up. "?" stands
 * for what was counted without a name.
 */

#include "common/fs_name.h"
#include "common/str.h"

#define SLU_FS_SHARE_TEXT 128 /* bytes of one, at most */
#define SLU_FS_UNKNOWN	  "?"

struct slu_fs_share {
	char fs[SLU_FS_NAME];
	double read_bytes, written_bytes, rpcs, metadata_ops;
};

enum slu_fs_known { /* bits */
		    SLU_FS_BYTES = 1,
		    SLU_FS_OPS = 2, /* of metadata */
};

/* Appends a share to the text. */
void slu_fs_share_put(struct slu_buf *text, const struct slu_fs_share *share);
/* Reads the next share and advances *text. 1; 0: the end, *text is "";
 * -1: it is no text of shares. */
int slu_fs_share_next(const char **text, struct slu_fs_share *out);
/* The same, added up by name, in the order of the text; returns their number,
 * SLU_FS_SHARES at most: further names are left out. */
#define SLU_FS_SHARES 16
size_t slu_fs_share_all(const char *text,
			struct slu_fs_share out[SLU_FS_SHARES]);
/* Adds up what went to the file system fs, and what was counted without a name:
 * that may have gone there, too. Returns what is known of file systems, of enum
 * slu_fs_known: a kind of which the text (or NULL) has something with a name. A
 * file system that is not in the text has zeros. */
unsigned slu_fs_share_of(const char *text, const char *fs,
			 struct slu_fs_share *out);

#endif

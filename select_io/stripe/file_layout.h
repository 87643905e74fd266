/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_STRIPE_FILE_LAYOUT_H
#define SLU_SELECT_IO_STRIPE_FILE_LAYOUT_H

/*
 * Parses the layout of existing files, as `lfs getstripe -y` prints it (Lustre
 * 2.10 to 2.17), and the targets as `lfs df` prints them. With -y no names of
 * files are printed, so that no name can be taken for a layout. Any thread.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLU_FILE_PARTS	 64
#define SLU_FILE_STRIPES 4096 /* of all parts */
#define SLU_FILE_POOL	 16

struct slu_file_part {
	uint64_t begin, end; /* bytes; UINT64_MAX: the end of the file */
	uint32_t count, width;
	bool made; /* has objects */
	bool mdt;  /* on the metadata target */
	bool pool; /* on targets of the file's pool */
	/* Where its targets are in ost[]; named 0: not known which. */
	size_t first, named;
};

struct slu_file_layout {
	struct slu_file_part part[SLU_FILE_PARTS];
	size_t n;
	uint32_t ost[SLU_FILE_STRIPES];
	size_t n_ost;
	char pool[SLU_FILE_POOL]; /* "" is none */
	/* Why it is to be left as it is: mirrored, released, in several pools
	 * ...; NULL: it may be changed. */
	const char *special;
};

/* The next layout of the text, which moves on; false: there is none. */
bool slu_file_layout_next(const char **text, struct slu_file_layout *out);

/* A line of `lfs df` about an object storage target; total and available in
 * bytes. False: it is about something else. */
struct slu_df_target {
	char fsname[9]; /* of Lustre */
	uint32_t index;
	uint64_t total, available;
};
bool slu_df_target_parse(const char *line, struct slu_df_target *out);

#endif

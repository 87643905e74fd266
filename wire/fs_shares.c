/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes and reads the text that says which part of a job's I/O went to which
 * of Lustre's file systems. */
#include "wire/fs_shares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void slu_fs_share_put(struct slu_buf *text, const struct slu_fs_share *share)
{
	slu_buf_printf(text, "%s%s %.0f %.0f %.0f %.0f", text->len ? "," : "",
		       share->fs, share->read_bytes, share->written_bytes,
		       share->rpcs, share->metadata_ops);
}

/* " 12"; advances *at. */
static bool take_number(const char **at, double *out)
{
	char *end;

	if ((*at)[0] != ' ' || (*at)[1] < '0' || (*at)[1] > '9')
		return false;
	*out = strtod(*at + 1, &end);
	*at = end;
	return isfinite(*out);
}

int slu_fs_share_next(const char **text, struct slu_fs_share *out)
{
	const char *at = *text;
	size_t len = strcspn(at, " ");

	if (!*at)
		return 0;
	if (len >= sizeof(out->fs))
		return -1;
	memcpy(out->fs, at, len);
	out->fs[len] = '\0';
	at += len;
	if (!(slu_eq(out->fs, SLU_FS_UNKNOWN) ||
	      slu_fs_name_is_valid(out->fs)) ||
	    !take_number(&at, &out->read_bytes) ||
	    !take_number(&at, &out->written_bytes) ||
	    !take_number(&at, &out->rpcs) ||
	    !take_number(&at, &out->metadata_ops) ||
	    (*at && (*at != ',' || !at[1])))
		return -1;
	*text = *at ? at + 1 : at;
	return 1;
}

static void add(struct slu_fs_share *sum, const struct slu_fs_share *more)
{
	sum->read_bytes += more->read_bytes;
	sum->written_bytes += more->written_bytes;
	sum->rpcs += more->rpcs;
	sum->metadata_ops += more->metadata_ops;
}

size_t slu_fs_share_all(const char *text,
			struct slu_fs_share out[SLU_FS_SHARES])
{
	struct slu_fs_share share;
	size_t n = 0, i;

	for (const char *at = text ? text : "";
	     slu_fs_share_next(&at, &share) > 0;) {
		for (i = 0; i < n && !slu_eq(out[i].fs, share.fs);)
			i++;
		if (i < n)
			add(&out[i], &share);
		else if (n < SLU_FS_SHARES)
			out[n++] = share;
	}
	return n;
}

unsigned slu_fs_share_of(const char *text, const char *fs,
			 struct slu_fs_share *out)
{
	struct slu_fs_share share, sum = {.read_bytes = 0};
	unsigned known = 0;
	bool named;

	slu_copy(sum.fs, sizeof(sum.fs), fs);
	for (const char *at = text ? text : "";
	     slu_fs_share_next(&at, &share) > 0;) {
		named = !slu_eq(share.fs, SLU_FS_UNKNOWN);
		if (named && share.read_bytes + share.written_bytes > 0)
			known |= SLU_FS_BYTES;
		if (named && share.metadata_ops > 0)
			known |= SLU_FS_OPS;
		if (named && !slu_eq(share.fs, fs))
			continue;
		add(&sum, &share);
	}
	*out = sum;
	return known;
}

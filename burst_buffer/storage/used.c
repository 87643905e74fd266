/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures how full an instance's storage is, without touching a device: by
 * statfs(), which gives the numbers of an image's file system, or of the
 * project below a project quota. Anything else would give the whole disk's
 * numbers and is refused.
 */
#include "config.h"
#include "burst_buffer/storage/internal.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

static bool is_its_own(const struct slu_storage *s)
{
	struct stat above, fs;

	return slu_storage_has_mark(s->dir, SLU_QUOTA_MARK) ||
	       (!stat(s->dir, &above) && !stat(s->fs, &fs) &&
		above.st_dev != fs.st_dev);
}

int slu_storage_used(const struct slu_storage *s, uint64_t *bytes,
		     struct slu_err *err)
{
	struct statvfs st;

	if (!*s->dir || !is_its_own(s))
		return slu_err(err, SLU_NOTFOUND, "there is no storage");
	if (statvfs(s->fs, &st))
		return slu_errno(err, SLU_IO, "%s", s->fs);
	*bytes = (uint64_t)(st.f_blocks - st.f_bfree) * st.f_frsize;
	return 0;
}

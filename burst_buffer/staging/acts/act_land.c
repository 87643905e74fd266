/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gives a copied and verified file its final name, and notes an early copy as
 * complete (copied.h). */
#include <errno.h>
#include "burst_buffer/staging/acts/scan.h"
#include "burst_buffer/staging/files/fresh.h"
#include "burst_buffer/staging/files/temporary_file.h"

static void note_arrived(struct slu_act *a, struct slu_parent_cache *src,
			 const struct slu_entry *e)
{
	const char *name;
	int dir = slu_parent_cache_open(src, slu_act_path(a->places.from, e),
					&name);
	struct stat st;

	if (a->part->early && a->known.fd && dir >= 0 &&
	    !slu_stat_fresh(dir, name, &st))
		slu_copied_arrived(&a->known, e->path, &st);
}

int slu_act_land(struct slu_act *a, struct slu_worker *w,
		 const struct slu_entry *e, struct slu_err *err)
{
	const char *tag = a->part->beside, *name;
	int dir = slu_parent_cache_open(&w->dst, slu_act_path(a->places.to, e),
					&name);

	if (!tag)
		return 0;
	if (dir < 0 ||
	    (slu_temporary_file_rename(dir, name, tag) && errno != ENOENT))
		return slu_act_errno(err, "replace", a->places.dst_path, e);
	note_arrived(a, &w->src, e);
	return 0;
}

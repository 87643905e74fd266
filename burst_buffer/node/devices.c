/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Goes through the devices over which this node's share of a job's file system
 * is spread: adds up what lies there, marks them, looks whether they are
 * usable. */
#include "config.h"
#include "burst_buffer/node/devices.h"

#include <string.h>
#include <sys/statvfs.h>
#include "burst_buffer/host/mtab.h"
#include "burst_buffer/storage/storage_health.h"

struct slu_storage *slu_devices_storage(const struct slu_node *n, size_t k)
{
	return k ? &n->more[k - 1] : (struct slu_storage *)&n->storage;
}

int slu_devices_used(const struct slu_node *n, uint64_t *bytes,
		     struct slu_err *err)
{
	uint64_t sum = 0, one;

	for (size_t k = 0; k <= n->n_more; k++) {
		if (slu_storage_used(slu_devices_storage(n, k), &one, err))
			return -1;
		sum += one;
	}
	*bytes = sum;
	return 0;
}

uint64_t slu_devices_kept_takes(const struct slu_node *n)
{
	uint64_t sum = 0, one;

	for (size_t k = 0; k <= n->n_more; k++) {
		one = slu_storage_kept_takes(slu_devices_storage(n, k));
		if (!one)
			return 0;
		sum += one;
	}
	return sum;
}

int slu_devices_stored(const struct slu_node *n, struct slu_err *err)
{
	struct slu_err why;
	int rc = 0;

	for (size_t k = 0; k <= n->n_more; k++)
		if (slu_storage_stored(slu_devices_storage(n, k),
				       rc ? &why : err))
			rc = -1;
	return rc;
}

int slu_devices_there(const struct slu_node *n, struct slu_err *err)
{
	const struct slu_storage *s;

	for (size_t k = 0; *n->storage.dir && k <= n->n_more; k++) {
		s = slu_devices_storage(n, k);
		if (!slu_storage_is_kept(s) && slu_storage_is_there(s, err))
			return -1;
	}
	return 0;
}

int slu_devices_mark(const struct slu_node *n, const char *mark,
		     struct slu_err *err)
{
	for (size_t k = 0; k <= n->n_more; k++)
		if (slu_storage_mark(slu_devices_storage(n, k)->dir, mark, "",
				     err))
			return -1;
	return 0;
}

bool slu_devices_have_mark(const struct slu_node *n, const char *mark)
{
	bool have = false;

	for (size_t k = 0; !have && *n->storage.dir && k <= n->n_more; k++)
		have = slu_storage_has_mark(slu_devices_storage(n, k)->dir,
					    mark);
	return have;
}

/* Such a directory is sluice/ below a mount point. */
int slu_devices_check(const struct slu_node *n, const char *storage,
		      struct slu_err *err)
{
	struct statvfs st = {0};
	char point[PATH_MAX];
	char *slash;

	if (!n->plan.node[n->self].n_more)
		return 0;
	slu_copy(point, sizeof(point), storage);
	slash = strrchr(point, '/');
	if (slash)
		slash[slash == point] = '\0';
	if (!slash || !slu_mounted(point))
		return slu_err(err, SLU_BUSY,
			       "%s is not mounted, though the resource map "
			       "has it",
			       point);
	if (!statvfs(point, &st) && st.f_flag & ST_RDONLY)
		return slu_err(err, SLU_BUSY, "%s is read-only", point);
	return 0;
}

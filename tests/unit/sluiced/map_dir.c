/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements the helpers of map_dir.h. */
#include "config.h"
#include "tests/unit/sluiced/map_dir.h"
#include <fcntl.h>
#include <sys/stat.h>
#include "common/file.h"
#include "common/str.h"

struct slu_err err;
const char *dir;

struct slu_epoch *epoch(uint64_t number, const uint32_t *job,
			const char *const *ions, size_t n)
{
	struct slu_assignment a = {.epoch = number};

	a.ions = strdup("ion[1-4]");
	a.jobs = calloc(n + 1, sizeof(*a.jobs));
	a.n_jobs = n;
	for (size_t i = 0; i < n; i++) {
		a.jobs[i].job_id = job[i];
		a.jobs[i].nodes = slu_asprintf("n%u", job[i]);
		a.jobs[i].ions = strdup(ions[i]);
	}
	return slu_epoch_new(&a);
}

const char *text(uint32_t job_id)
{
	static char copy[4][128];
	static int turn;
	struct slu_buf buf = {0};
	char path[256], *out = copy[turn++ % 4];

	snprintf(path, sizeof(path), "%s/%u.map", dir, job_id);
	out[0] = '\0';
	if (slu_file_read(AT_FDCWD, path, 128, &buf, &err) == 0)
		snprintf(out, 128, "%s", buf.data);
	slu_buf_free(&buf);
	return out;
}

void make_dir(const char *name)
{
	static char kept[256]; /* tmpfile_path() uses its own again */

	snprintf(kept, sizeof(kept), "%s", tmpfile_path(name));
	dir = kept;
	ck_assert_int_eq(mkdir(dir, 0755), 0);
}

const uint32_t j12[2] = {1, 2}, j23[2] = {2, 3};
const char *const i12[2] = {"ion1", "ion2"};
const char *const i_direct[2] = {"ion1", ""};
const char *const i34[2] = {"ion3", "ion4"};

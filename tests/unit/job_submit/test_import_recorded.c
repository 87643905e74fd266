/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the import of recorded files of other sites; skipped where there are
 * none. */
#include "config.h"
#include "tests/unit/harness.h"
#include <unistd.h>
#include "common/proc.h"
#include "job_submit/import/import_formats.h"

struct heard {
	uint64_t jobs, logs;
	struct slu_import_io io;
};

static int to_uid(const char *user, uint32_t *uid)
{
	(void)user;
	*uid = 1000;
	return 0;
}

static int hear_job(void *arg, const struct slu_job *job, struct slu_err *err)
{
	struct heard *heard = arg;

	(void)job, (void)err;
	heard->jobs++;
	return 0;
}

static int hear_io(void *arg, const struct slu_import_io *io,
		   struct slu_err *err)
{
	struct heard *heard = arg;

	(void)err;
	heard->logs++;
	heard->io = *io;
	return 0;
}

/* false: there is no such file. */
static bool import(const char *format, const char *name, struct heard *heard)
{
	const char *data = getenv("SLUICE_DATA");
	char path[1024];
	char *argv[] = {(char[]){"gzip"}, (char[]){"-dcf"}, path, NULL};
	struct slu_buf text = {.max = 1 << 28};
	struct slu_import into = {gmtime_r, to_uid, hear_job,
				  hear_io,  heard,  0};
	struct slu_import_report r;
	struct slu_err err;

	*heard = (struct heard){0};
	snprintf(path, sizeof(path), "%s/%s", data ? data : "../shared/data",
		 name);
	if (access(path, R_OK) < 0) {
		printf("not tried: there is no %s; see SLUICE_DATA\n", path);
		return false;
	}
	expect_ok(slu_run(argv, 60, &text, &err), err);
	expect_ok(slu_import(format, text.data, text.len, &into, &r, &err),
		  err);
	ck_assert_msg(r.broken == 0, "%ld: %s", (long)r.broken, r.named[0]);
	ck_assert_uint_eq(r.jobs, heard->jobs + heard->logs);
	slu_buf_free(&text);
	return true;
}

START_TEST(test_recorded_sacct)
{
	struct heard heard;

	if (import("sacct", "slurm/xdmod-pozidriv.log.gz", &heard))
		ck_assert_uint_gt(heard.jobs, 5000);
}
END_TEST

/* Its totals. */
START_TEST(test_darshan)
{
	struct heard heard;

	if (!import("darshan", "darshan/sample.txt.gz", &heard))
		return;
	ck_assert_uint_eq(heard.logs, 1);
	ck_assert_uint_eq(heard.io.job_id, 4478544);
	ck_assert_int_eq(heard.io.start, 1490000867);
	expect(heard.io.written_bytes > 2.19902e12 &&
		       heard.io.written_bytes < 2.19903e12,
	       "%g %g", heard.io.read_bytes, heard.io.written_bytes);
}
END_TEST

TEST_MAIN("import_recorded", test_recorded_sacct, test_darshan)

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes the import of other programs' job histories. The first byte of the
 * input selects the format, and whether times are local ones with daylight
 * saving. Each job that is imported has run, has numbers within the range of
 * the history, and is counted in the report.
 */
#include "config.h"
#include "tests/fuzz/fuzz.h"
#include <math.h>
#include <string.h>
#include <time.h>
#include "job_submit/import/import_formats.h"

static uint64_t taken;

static int to_uid(const char *user, uint32_t *uid)
{
	*uid = (uint32_t)strlen(user);
	return *uid % 7 ? 0 : -1;
}

static int take(void *arg, const struct slu_job *job, struct slu_err *err)
{
	char *text = slu_encode_text(&slu_job_desc, job);

	(void)arg, (void)err;
	must(text != NULL);
	must(job->job_id > 0 && job->job_id < SLU_NO_ID);
	must(job->start > 0 && job->end > job->start);
	must(job->end <= UINT32_MAX && job->submit <= UINT32_MAX);
	must(job->submit >= 0 && job->eligible >= 0);
	must(job->suspended >= 0 && slu_job_ran(job) > 0);
	must(job->limit <= UINT32_MAX / 60);
	free(text);
	taken++;
	return 0;
}

static int take_io(void *arg, const struct slu_import_io *io,
		   struct slu_err *err)
{
	(void)arg, (void)err;
	must(io->job_id && io->start > 0);
	must(io->read_bytes >= 0 && io->written_bytes >= 0);
	must(isfinite(io->read_bytes + io->written_bytes));
	must(io->calls >= 0 && io->consecutive >= 0 &&
	     io->shared_bytes <= io->called_bytes);
	taken += io->source != SLU_IO_ACCOUNTING; /* that is its job's */
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const format[] = {"swf", "sacct", "json", "darshan"};
	struct slu_import import = {gmtime_r, to_uid, take, take_io, NULL, 0};
	struct slu_import_report report;
	struct slu_err err;
	char *text;

	if (!size)
		return 0;
	if (data[0] / 4 % 2)
		import.to_local = localtime_r;
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 0);
	text = malloc(size);
	must(text != NULL);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	taken = 0;
	slu_import(format[data[0] % 4], text, size - 1, &import, &report, &err);
	must(report.jobs == taken);
	free(text);
	return 0;
}

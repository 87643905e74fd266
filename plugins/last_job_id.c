/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stores the highest job number in a file beside slurmctld's state. After a
 * restart it lets slurmctld skip the numbers up to that one, if they are fewer
 * than PASS_MOST.
 */
#include "config.h"
#include "plugins/last_job_id.h"

#include <fcntl.h>
#include <stdlib.h>

#include "common/file.h"
#include "plugins/compat.h"

#define NAME "sluice.last_job"

/* The most numbers that may be skipped: as many as are submitted between two
 * saves. A larger difference means that the state is an old copy, or that
 * numbers began again after MaxJobId. */
#define PASS_MOST 10000u
#define OLD_COPY  (1u << 24)

static char *path_of_file(void)
{
	const slurmctld_lock_t lock = {.conf = READ_LOCK};
	char *path;

	lock_slurmctld(lock);
	path = slu_asprintf("%s/" NAME, slurm_conf.state_save_location);
	unlock_slurmctld(lock);
	return path;
}

void slu_last_job_id_keep(void *arg, uint32_t last)
{
	char text[16], *path = path_of_file();
	struct slu_err err;
	int len;

	(void)arg;
	len = snprintf(text, sizeof(text), "%u\n", last);
	if (path &&
	    slu_file_swap(AT_FDCWD, path, text, (size_t)len, 0600, &err) < 0)
		error("sluice: %s", err.text);
	free(path);
}

/* 0: there is none. */
static uint32_t read_kept(void)
{
	char *path = path_of_file();
	struct slu_buf text = {0};
	struct slu_err err;
	uint32_t last = 0;

	if (path && slu_file_read(AT_FDCWD, path, 64, &text, &err) == 0)
		last = (uint32_t)strtoul(text.data ? text.data : "", NULL, 10);
	else if (path && err.kind != SLU_NOTFOUND)
		error("sluice: %s", err.text);
	slu_buf_free(&text);
	free(path);
	return last;
}

static uint32_t next_number(bool take)
{
	return get_next_job_id(!take) & MAX_JOB_ID;
}

/* The next number, afterwards. */
static uint32_t pass_until(uint32_t first, uint32_t last)
{
	uint32_t next = first;

	while (next >= first && next <= last)
		next = next_number(true) + 1;
	return next;
}

uint32_t slu_last_job_id_pass(void *arg)
{
	const slurmctld_lock_t lock = {
		.conf = READ_LOCK, .job = WRITE_LOCK, .fed = READ_LOCK};
	const uint32_t last = read_kept();
	uint32_t first, next;

	(void)arg;
	lock_slurmctld(lock);
	first = next = next_number(false);
	if (last >= first && last - first < PASS_MOST)
		next = pass_until(first, last);
	unlock_slurmctld(lock);
	if (next != first)
		info("sluice: jobs %u to %u had begun and are forgotten: their "
		     "numbers are not given again",
		     first, last);
	else if (last >= first && last - first < OLD_COPY)
		error("sluice: jobs up to %u had begun, numbers go on with %u: "
		      "set FirstJobId=%u",
		      last, first, last + 1);
	return next - 1;
}

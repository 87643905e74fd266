/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of several drivers: the name of an instance's cgroups, a check that
 * the mounted root answers, counters for drivers that count nothing, and the
 * environment of programs that reach an interposed file system.
 */
#include "config.h"
#include "burst_buffer/drivers/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* Nodes that share one kernel keep their notes in file systems of their own, so
 * the device number of in->dir tells them apart. If the notes are lost, the
 * process that takes the instance down makes their directory again. */
void slu_instance_group(const struct slu_instance *in, char *name, size_t size)
{
	struct stat st = {0};

	(void)stat(in->dir, &st);
	snprintf(name, size, "sluice-%u.%llu.%zu-%llx", in->plan->job_id,
		 (unsigned long long)in->plan->buffer, in->self,
		 (unsigned long long)st.st_dev);
}

int slu_instance_look(struct slu_aside *aside, void *arg, void *out,
		      struct slu_err *err)
{
	const struct slu_instance *in = arg;
	struct stat st;

	(void)aside, (void)out;
	return stat(in->top, &st) ? slu_errno(err, SLU_IO, "%s", in->top) : 0;
}

int slu_instance_no_counters(const struct slu_instance *in, double *read_bytes,
			     double *written_bytes, struct slu_err *err)
{
	(void)in, (void)read_bytes, (void)written_bytes;
	return slu_err(err, SLU_NOTFOUND, "no counters");
}

static void allow_files(rlim_t n)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files))
		return;
	if (files.rlim_max < n)
		files.rlim_max = n;
	if (files.rlim_cur < n)
		files.rlim_cur = n;
	/* if it fails the program reports that */
	(void)setrlimit(RLIMIT_NOFILE, &files);
}

void slu_instance_enter(char *lines)
{
	const char *path = getenv("PATH");
	char *kept = strdup(path ? path : "/usr/bin:/bin"), *line, *value;
	unsigned n;

	clearenv();
	if (kept)
		setenv("PATH", kept, 1);
	free(kept);
	while ((line = strsep(&lines, "\n")))
		if ((value = strchr(line, '='))) {
			*value++ = '\0';
			setenv(line, value, 1);
		} else if (sscanf(line, "nofile %u", &n) == 1) {
			allow_files(n);
		}
}

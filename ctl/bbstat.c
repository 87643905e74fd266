/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the text of `scontrol show bbstat`. Runs under slurmctld's locks, so
 * from memory only.
 */
#include "config.h"
#include "ctl/private.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COLUMNS 80 /* width of a terminal */

/* Prints which settings to change in the files that slurmctld has read. */
static void print_advice(struct slu_ctl *ctl, struct slu_buf *out)
{
	const char *line;
	size_t len;

	pthread_rwlock_rdlock(&ctl->site_lock);
	if (ctl->conf_wrong)
		slu_buf_printf(out, "%s: the old sluice.conf is used\n",
			       ctl->conf_wrong);
	for (line = ctl->slurm_advice; line && *line; line += len + 1) {
		len = strcspn(line, "\n");
		slu_buf_printf(out, "slurm.conf: %.*s\n", (int)len, line);
	}
	pthread_rwlock_unlock(&ctl->site_lock);
}

static char *buffers(struct slu_ctl *ctl, uint32_t job_id)
{
	struct slu_buf out = {.max = 1 << 20}, folded = {0};

	slu_buf_printf(&out, "sluiced: %s\n",
		       ctl->linked ? "connected" : "not connected");
	if (!job_id) {
		print_advice(ctl, &out);
		slu_each_io(s, ctl) slu_iostart_print(s, time(NULL), &out);
	}
	slu_mirror_print(&ctl->mirror, job_id, &out);
	slu_waits_print(&ctl->waits, job_id, time(NULL), &out);
	if (!out.failed)
		slu_buf_fold(&folded, out.data, COLUMNS);
	slu_buf_free(&out);
	if (folded.data && !folded.failed)
		return slu_buf_steal(&folded);
	slu_buf_free(&folded);
	return strdup("too many to show: scontrol show bbstat JOBID, "
		      "or sysquery buffers\n");
}

static char *hook_times(struct slu_ctl *ctl)
{
	struct slu_buf out = {0};

	slu_times_print(&ctl->times, &out);
	return slu_buf_steal(&out);
}

char *slu_ctl_status(struct slu_ctl *ctl, const char *word, bool hidden)
{
	unsigned long long job = word ? strtoull(word, NULL, 10) : 0;

	if (slu_eq(word, "hooks"))
		return hook_times(ctl);
	if ((word && word[strspn(word, "0123456789")]) || job > UINT32_MAX)
		return strdup("usage: scontrol show bbstat [JOBID|hooks]\n");
	if (hidden)
		return strdup("PrivateData=jobs: see scontrol show burst\n");
	return buffers(ctl, (uint32_t)job);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Leftovers, see the header. A plan is noted before anything is made by it, so
 * that storage which no note speaks of has no owner. */
#include "config.h"
#include "burst_buffer/node/leftovers.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int slu_instance_parse(const char *name, uint32_t *job_id, uint64_t *buffer)
{
	unsigned long long job, instance;
	int end = 0;

	if (strspn(name, "0123456789.") != strlen(name) ||
	    sscanf(name, "%llu.%llu%n", &job, &instance, &end) != 2 ||
	    name[end] || job > UINT32_MAX)
		return -1;
	*job_id = (uint32_t)job;
	*buffer = instance;
	return 0;
}

static bool is_known(const struct slu_node *n, uint32_t job_id, uint64_t buffer)
{
	struct slu_node other = {.job_id = job_id};

	snprintf(other.dir, sizeof(other.dir), "%s/%u", n->conf->run_dir,
		 (unsigned)job_id);
	return slu_noted_is(&other, buffer);
}

/* Best effort: sluiced may not know it any more, or be away. */
static void tell_clean(struct slu_node *n, uint32_t job_id, uint64_t buffer)
{
	struct slu_report r = {
		.step = "clean", .ok = true, .phase = "teardown"};
	struct slu_node as = *n;
	struct slu_err err;

	as.job_id = job_id;
	as.plan.buffer = buffer;
	as.deadline = slu_clock() + 5;
	slu_talk_step(&as, &r, &err);
	n->http = as.http;
}

static void remove_one(struct slu_node *n, const char *storage,
		       const char *name)
{
	struct slu_storage s;
	struct slu_err err;
	uint32_t job_id;
	uint64_t buffer;

	if (slu_instance_parse(name, &job_id, &buffer) ||
	    (job_id == n->job_id && buffer == n->plan.buffer) ||
	    is_known(n, job_id, buffer))
		return;
	if (slu_storage_locate(storage, job_id, buffer, &s, &err) ||
	    slu_storage_wipe(&s, (uid_t)-1, &err)) {
		slu_node_log(n, SLU_ERROR, "cannot remove a leftover: %s",
			     err.text);
		return;
	}
	slu_node_log(n, SLU_WARN, "removed a leftover of job %u: %s",
		     (unsigned)job_id, s.dir);
	tell_clean(n, job_id, buffer);
}

void slu_leftovers_remove(struct slu_node *n, const char *storage)
{
	DIR *d = opendir(storage);
	struct dirent *e;
	struct slu_err err;

	slu_notes_sweep(n);
	while (d && (e = readdir(d)))
		remove_one(n, storage, e->d_name);
	if (d)
		closedir(d);
	if (slu_storage_expire(storage, slu_today(), &err))
		slu_node_log(n, SLU_ERROR, "cannot remove kept data: %s",
			     err.text);
}

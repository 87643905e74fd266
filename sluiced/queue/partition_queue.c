/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses the output of squeue and sinfo: one record per line, with fields
 * separated by '|', of which the last has the rest of the line.
 */
#include "sluiced/queue/partition_queue.h"

#include <stdlib.h>
#include <string.h>
#include "common/size.h"
#include "common/str.h"

enum {
	ID,
	STATE,
	PARTITION,
	NODES,
	CPUS,
	PRIORITY,
	LIMIT,
	ELAPSED,
	USER,
	START,
	ON,
	PLANNED_ON,
	ACCOUNT,
	REASON,
	NAME,
	FIELDS
};

/* The last field has the rest of the line, as names may contain bars. */
static bool split(char *line, char **field, size_t n)
{
	for (size_t i = 0; i + 1 < n; i++) {
		field[i] = strsep(&line, "|");
		if (!line)
			return false;
	}
	field[n - 1] = line;
	return true;
}

static bool number(const char *text, uint64_t most, uint64_t *out)
{
	char *end;

	*out = strtoull(text, &end, 10);
	return end > text && !*end && *text != '-' && *out <= most;
}

/* 0 for "UNLIMITED", "N/A" and the like. */
static int64_t seconds(const char *text)
{
	int64_t s;

	return slu_seconds_parse(text, &s, NULL) == 0 ? s : 0;
}

static bool take(char **field, struct slu_queued *out)
{
	uint64_t id, uid, nodes, cpus, priority, start;
	bool waits = !strcmp(field[STATE], "PENDING");

	if (!waits && strcmp(field[STATE], "RUNNING") != 0 &&
	    strcmp(field[STATE], "SUSPENDED") != 0)
		return false;
	if (!number(field[ID], UINT32_MAX, &id) ||
	    !number(field[USER], UINT32_MAX, &uid) ||
	    !number(field[NODES], UINT32_MAX, &nodes) ||
	    !number(field[CPUS], UINT32_MAX, &cpus) ||
	    !number(field[PRIORITY], UINT64_MAX, &priority))
		return false;
	if (!number(field[START], INT64_MAX, &start))
		start = 0;
	*out = (struct slu_queued){
		.job_id = (uint32_t)id,
		.uid = (uint32_t)uid,
		.waits = waits,
		.nodes = (uint32_t)nodes,
		.cpus = (uint32_t)cpus,
		.priority = priority,
		.limit = seconds(field[LIMIT]),
		.elapsed = seconds(field[ELAPSED]),
		.planned = (int64_t)start,
		.partition = field[PARTITION],
		.on = field[ON],
		.planned_on = field[PLANNED_ON],
		.account = field[ACCOUNT],
		.reason = field[REASON],
		.name = field[NAME],
	};
	return true;
}

bool slu_partition_queue_next(char **text, struct slu_queued *out)
{
	char *field[FIELDS], *line;

	while (*text && (line = strsep(text, "\n")))
		if (split(line, field, FIELDS) && take(field, out))
			return true;
	return false;
}

static bool is_usable(const char *state)
{
	static const char *const never[] = {"down", "drain",  "fail", "maint",
					    "unk",  "reboot", "*"};

	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		if (strstr(state, never[i]))
			return false;
	return true;
}

bool slu_nodes_next(char **text, struct slu_usable *out)
{
	char *field[3], *line;
	uint64_t cpus;

	while (*text && (line = strsep(text, "\n")))
		if (split(line, field, 3) && is_usable(field[1]) &&
		    number(field[2], UINT32_MAX, &cpus)) {
			*out = (struct slu_usable){field[0], (uint32_t)cpus};
			return true;
		}
	return false;
}

/* The default partition has a star behind its name. */
static bool is_partition(char *name, const char *wanted)
{
	char *star = strchr(name, '*');

	if (star)
		*star = '\0';
	return wanted ? slu_eq(name, wanted) : star != NULL;
}

uint32_t slu_default_limit(char *text, const char *partition)
{
	char *field[3], *line;
	int64_t limit;

	while (text && (line = strsep(&text, "\n"))) {
		if (!split(line, field, 3) ||
		    !is_partition(field[0], partition))
			continue;
		/* without DefaultTime ("n/a") it is MaxTime */
		limit = seconds(slu_eq(field[1], "n/a") ? field[2] : field[1]);
		return limit > 0 && limit / 60 < UINT32_MAX
			       ? (uint32_t)(limit / 60)
			       : 0;
	}
	return 0;
}

bool slu_partition_queue_in(const struct slu_queued *job, const char *partition)
{
	size_t len = strlen(partition);

	for (const char *at = job->partition; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (!strncmp(at, partition, len) &&
		    (!at[len] || at[len] == ','))
			return true;
	}
	return false;
}

bool slu_partition_queue_apart(const struct slu_queued *job)
{
	static const char *const apart[] = {"Dependency", "BeginTime",
					    "JobHeld", "JobArrayTaskLimit"};

	for (size_t i = 0; i < sizeof(apart) / sizeof(apart[0]); i++)
		if (!strncmp(job->reason, apart[i], strlen(apart[i])))
			return true;
	return !job->priority;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_VERBS_H
#define SLU_NODE_VERBS_H

/*
 * Shared by the subcommands that users run (probe, status, fetch, discard,
 * cancel) and `io`: finds storage and kept data on this node, and prints
 * results.
 */

#include "burst_buffer/node/node.h"
#include "common/table.h"

/* Finds Sluice's storage directories on this node: NodeStorage, if that is a
 * path; if it is a choice, or a pool has a tier, sluice/ on every mounted disk
 * (and, where that may be chosen, tmpfs) that has one; and those that storage=
 * names. NULL-ended; slu_strv_free. NULL: err. */
char **slu_storages(const struct slu_conf *conf, struct slu_err *err);
/* As slu_storages() with `first` (taken over, also on failure) in place of
 * NodeStorage. */
char **slu_storages_with(const struct slu_conf *conf, char **first,
			 struct slu_err *err);

/* Data of a failed stage-out. */
struct slu_kept {
	char dir[4096]; /* STORAGE/kept/JOB.BUFFER */
	uint32_t job_id;
	uint64_t buffer;
	int64_t until; /* Unix seconds; 0: not known */
};

/* All kept data on this node, of one job (job_id 0: of all), oldest first. The
 * caller frees *list. */
int slu_kept_list(const struct slu_conf *conf, uint32_t job_id,
		  struct slu_kept **list, size_t *n, struct slu_err *err);

/* The names of all kept data for struct slu_node_ask, without data that takes
 * no space. The caller frees it. NULL: it cannot be read. */
char *slu_kept_names(const struct slu_conf *conf);

/* Prints rows: as a table, or with --json as they are. */
int slu_print_rows(const struct slu_node *n, struct json_object *rows,
		   const struct slu_column *columns, struct slu_err *err);

/* Prints "sluice-node VERB: TEXT" to standard error. Returns the exit code. */
int slu_verb_failed(const char *verb, const struct slu_err *err);

#endif

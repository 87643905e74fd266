/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_PROBE_H
#define SLU_NODE_PROBE_H

/* Collects the results of `sluice-node probe`: one row for each check of what
 * this node can offer. */

#include "burst_buffer/node/verbs.h"

enum slu_probe_word {
	SLU_PROBE_OK,
	SLU_PROBE_NOW,	/* the same; the text changes with time */
	SLU_PROBE_NOTE, /* worth knowing; nothing is prevented */
	SLU_PROBE_BAD,	/* this prevents something */
};

struct slu_probe {
	struct json_object *rows; /* check, result, text */
	/* the same without rows that change with time */
	struct json_object *stable;
	size_t bad;
	struct json_object *fs; /* of each file system: name, ok, text */
	char storage[PATH_MAX]; /* of job file systems here; "": unknown */
	char **tiers; /* the same of pools with a tier, and of like devices;
			  NULL: not known */
};

void slu_probe_add(struct slu_probe *p, enum slu_probe_word word,
		   const char *check, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Compares the text of `scontrol show config` with sluice.conf, and reads the
 * files that it names (Prolog, plugstack.conf; slurm_dir: directory of
 * slurm.conf). The result is "ok" when nothing has to be changed. */
void slu_probe_slurm(struct slu_probe *p, const struct slu_conf *conf,
		     const char *config, const char *slurm_dir);

/* probe_storage.c: this host's rows of the resource map, by the question; NULL:
 * sluiced cannot be asked. Caller puts. */
struct json_object *slu_probe_ask_map(struct slu_node *n, const char *question,
				      struct slu_err *err);
/* Where jobs' file systems lie here, of "summary"'s rows and of pools with a
 * tier: p->storage and p->tiers. */
void slu_probe_find_storage(struct slu_node *n, struct slu_probe *p,
			    struct json_object *rows);
/* Try all that jobs may be given here. */
void slu_probe_storage(struct slu_node *n, struct slu_probe *p);

/* Sends the results to sluiced. */
int slu_probe_push(struct slu_node *n, const struct slu_probe *p,
		   struct slu_err *err);

/* The subcommand `probe`. Returns its exit code. */
int slu_cmd_probe(struct slu_node *n);

#endif

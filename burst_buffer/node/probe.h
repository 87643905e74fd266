/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_PROBE_H
#define SLU_NODE_PROBE_H

/* What `sluice-node probe` has found out so far: a row a check. */

#include "burst_buffer/node/verbs.h"

enum slu_probe_word {
	SLU_PROBE_OK,
	SLU_PROBE_NOW,	/* the same; the text is of this moment */
	SLU_PROBE_NOTE, /* worth knowing; nothing stands in the way */
	SLU_PROBE_BAD,	/* this stands in the way */
};

struct slu_probe {
	struct json_object *rows; /* check, result, text */
	struct json_object *told; /* the same without what changes by itself */
	size_t bad;
	struct json_object *fs; /* of each file system: name, ok, text */
	char storage[PATH_MAX]; /* of job file systems here; "": unknown */
};

void slu_probe_add(struct slu_probe *p, enum slu_probe_word word,
		   const char *check, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Compare the text of `scontrol show config` with sluice.conf, and look into
 * the files it names (Prolog, plugstack.conf; slurm_dir: where slurm.conf
 * is). Says "ok" when there is nothing to change. */
void slu_probe_slurm(struct slu_probe *p, const struct slu_conf *conf,
		     const char *config, const char *slurm_dir);

/* Tell sluiced. */
int slu_probe_push(struct slu_node *n, const struct slu_probe *p,
		   struct slu_err *err);

#endif

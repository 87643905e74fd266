/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds a verb, and a key of a verb, in the grammar of requests: a table with a
 * row for each verb and, for each of its keys, the setter that checks and
 * stores the value. The keys of a #BB verb are in the verb's file; verbs and
 * keys of #DW lines are in dw.c.
 */
#include "config.h"
#include "burst_buffer/request/verbs/grammar.h"
#include <string.h>
#include "burst_buffer/request/verbs/stage_verbs.h"
#include "common/str.h"

static const struct slu_verb our_verbs[] = {
	{"jobfs", slu_begin_jobfs, slu_jobfs_keys, slu_end_jobfs},
	{"stage_in", slu_begin_stage_in, slu_stage_in_keys, NULL},
	{"stage_out", slu_begin_stage_out, slu_stage_out_keys, NULL},
	{"forward", slu_begin_forward, slu_forward_keys, NULL},
	{"limit", slu_begin_limit, slu_limit_keys, NULL},
	{"bandwidth", slu_begin_bandwidth, slu_bandwidth_keys, NULL},
	{"persistent", slu_begin_use, slu_use_keys, NULL},
	{"persistent_create", slu_begin_create, slu_create_keys, NULL},
	{"persistent_destroy", slu_begin_destroy, slu_destroy_keys, NULL},
	{"stripe", slu_begin_stripe, slu_stripe_keys, slu_end_stripe},
	/* as Slurm itself has them, for DataWarp */
	{"create_persistent", slu_begin_create, slu_dw_create_keys, NULL},
	{"destroy_persistent", slu_begin_destroy, slu_dw_destroy_keys, NULL},
	{NULL, NULL, NULL, NULL},
};

const struct slu_verb *slu_request_verb(const char *name, bool dw,
					struct slu_err *err)
{
	const struct slu_verb *verbs = dw ? slu_dw_verbs : our_verbs;
	const char *words[SLU_VERBS + 1] = {NULL};
	size_t i;

	for (i = 0; verbs[i].name; i++) {
		if (strcmp(verbs[i].name, name) == 0)
			break;
		words[i] = verbs[i].name;
	}
	if (verbs[i].name)
		return &verbs[i];
	slu_not_known("unknown request ", name, "", words, "there are ", err);
	return NULL;
}

int slu_request_key(const struct slu_verb *verb, const char *name,
		    struct slu_err *err)
{
	const char *words[SLU_VERB_KEYS + 1] = {NULL};
	int i;

	for (i = 0; verb->key[i].name; i++) {
		if (strcmp(verb->key[i].name, name) == 0)
			return i;
		words[i] = verb->key[i].name;
	}
	return slu_not_known("unknown key ", name, "", words, "there are ",
			     err);
}

static bool has_verb(const struct slu_verb *verb, const char *word)
{
	while (verb->name && strcmp(verb->name, word) != 0)
		verb++;
	return verb->name;
}

bool slu_request_is_verb(const char *word)
{
	return has_verb(our_verbs, word) || has_verb(slu_dw_verbs, word);
}

static bool has_key(const struct slu_verb *verb, const char *word)
{
	for (; verb->name; verb++)
		for (const struct slu_request_key *k = verb->key; k->name; k++)
			if (strcmp(k->name, word) == 0)
				return true;
	return false;
}

bool slu_request_is_key(const char *word)
{
	return has_key(our_verbs, word) || has_key(slu_dw_verbs, word);
}

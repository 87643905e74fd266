/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The grammar of #BB lines: a row for each verb, and for each key of a verb
 * with the setter that checks its value. Here are the keys of jobfs; other
 * verbs have files of their own, and those of #DW lines are in dw.c.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "burst_buffer/request/grammar.h"
#include "burst_buffer/request/stage_verbs.h"
#include "common/size.h"
#include "common/str.h"

#define NAME_MAX_LEN 32

int slu_set_fs(struct slu_request *req, const char *value, struct slu_err *err)
{
	if (strlen(value) > 64 || value[strspn(value, SLU_WORD_CHARS ".-")])
		return slu_err(err, SLU_INVALID,
			       "\"%.64s\" cannot name a file system", value);
	return slu_set_word(&req->fs, value, err);
}

int slu_set_capacity(struct slu_request *req, const char *value,
		     struct slu_err *err)
{
	return slu_size_parse(value, &req->capacity, err);
}

/* It becomes the variable BB_<name>. */
int slu_set_name(struct slu_request *req, const char *value,
		 struct slu_err *err)
{
	if (strlen(value) > NAME_MAX_LEN ||
	    !value[strspn(value, "0123456789")] ||
	    value[strspn(value, SLU_WORD_CHARS)])
		return slu_err(err, SLU_INVALID,
			       "\"%.64s\" is no name: letters, digits and _, "
			       "not digits alone, at most %d",
			       value, NAME_MAX_LEN);
	return slu_set_word(&req->name, value, err);
}

static int set_nodes(struct slu_request *req, const char *value,
		     struct slu_err *err)
{
	if (strcmp(value, "all") == 0) {
		req->nodes = SLU_ALL_NODES;
		return 0;
	}
	if (!slu_set_number(value, &req->nodes) || req->nodes == 0)
		return slu_err(err, SLU_INVALID,
			       "\"%.64s\" is neither a number from 1 to 999999 "
			       "nor all",
			       value);
	return 0;
}

static int set_tolerate(struct slu_request *req, const char *value,
			struct slu_err *err)
{
	if (!slu_set_number(value, &req->tolerate))
		return slu_err(err, SLU_INVALID,
			       "\"%.64s\" is not a number of nodes that may "
			       "be lost",
			       value);
	return 0;
}

static int set_pool(struct slu_request *req, const char *value,
		    struct slu_err *err)
{
	return slu_set_word(&req->pool, value, err);
}

static int set_tier(struct slu_request *req, const char *value,
		    struct slu_err *err)
{
	int i = slu_choose(value, slu_tier_names + SLU_TIER_PMEM, err);

	if (i < 0)
		return -1;
	req->tier = (enum slu_tier)(SLU_TIER_PMEM + i);
	return 0;
}

int slu_set_profile(struct slu_request *req, const char *value,
		    struct slu_err *err)
{
	if (strlen(value) > 64 || !strchr(SLU_LETTERS, *value) ||
	    value[strspn(value, SLU_WORD_CHARS ".-")])
		return slu_err(
			err, SLU_INVALID,
			"\"%.64s\" cannot name a profile: a letter, then "
			"letters, digits and _.-",
			value);
	return slu_set_word(&req->profile, value, err);
}

static int set_dw(struct slu_request *req, const char *value,
		  struct slu_err *err)
{
	int i = slu_choose(value, slu_dw_names, err);

	if (i < 0)
		return -1;
	req->dw_both = i == SLU_DW_BOTH;
	req->dw = req->dw_both ? SLU_DW_STRIPED : (enum slu_dw)i;
	req->dw_said = true;
	return 0;
}

static int set_split(struct slu_request *req, const char *value,
		     struct slu_err *err)
{
	int i = slu_choose(value, slu_split_names + SLU_SPLIT_NO, err);

	if (i < 0)
		return -1;
	req->split = (enum slu_split)(SLU_SPLIT_NO + i);
	return 0;
}

static int set_bind(struct slu_request *req, const char *value,
		    struct slu_err *err)
{
	int i = slu_choose(value, slu_bind_names + SLU_BIND_NEAR, err);

	if (i < 0)
		return -1;
	req->bind = (enum slu_bind)(SLU_BIND_NEAR + i);
	return 0;
}

int slu_parse_tell(struct slu_request *req, const char *value,
		   struct slu_err *err)
{
	int i = slu_choose(value, slu_tell_names + SLU_TELL_NO, err);

	if (i < 0)
		return -1;
	req->tell = (enum slu_tell)(SLU_TELL_NO + i);
	return 0;
}

const char *const slu_dw_names[] = {[SLU_DW_NO] = "no",
				    [SLU_DW_STRIPED] = "striped",
				    [SLU_DW_PRIVATE] = "private",
				    [SLU_DW_BOTH] = "both",
				    NULL};
const char *const slu_split_names[] = {[SLU_SPLIT_UNSAID] = "",
				       [SLU_SPLIT_NO] = "no",
				       [SLU_SPLIT_SWITCH] = "switch",
				       NULL};
const char *const slu_bind_names[] = {[SLU_BIND_UNSAID] = "",
				      [SLU_BIND_NEAR] = "near",
				      [SLU_BIND_FAR] = "far",
				      [SLU_BIND_NONE] = "none",
				      NULL};
const char *const slu_tell_names[] = {[SLU_TELL_UNSAID] = "",
				      [SLU_TELL_NO] = "no",
				      [SLU_TELL_YES] = "yes",
				      NULL};

/* Verbs */

int slu_begin_jobfs(struct slu_request *req, int line, struct slu_err *err)
{
	if (req->has_fs)
		return slu_err(err, SLU_INVALID,
			       req->persistent
				       ? "a job has either a file system of "
					 "its own or a persistent buffer"
				       : "only one jobfs is allowed");
	req->has_fs = true;
	req->line = line;
	req->tolerate = UINT32_MAX;
	return slu_set_word(&req->name, "JOBFS", err);
}

int slu_end_jobfs(struct slu_request *req, struct slu_err *err)
{
	return req->capacity || req->profile
		       ? 0
		       : slu_err(err, SLU_INVALID, "capacity= is missing");
}

/* The tables */

static const struct slu_key jobfs_keys[] = {
	{"type", false, slu_set_fs},
	{"capacity", false, slu_set_capacity},
	{"name", false, slu_set_name},
	{"nodes", false, set_nodes},
	{"tolerate", false, set_tolerate},
	{"profile", false, slu_set_profile},
	{"split", false, set_split},
	{"bind", false, set_bind},
	{"pool", false, set_pool},
	{"tier", false, set_tier},
	{"coherence", false, slu_set_coherence},
	{"tell", false, slu_parse_tell},
	{"dw", false, set_dw},
	/* as Slurm itself has it in --bb, for DataWarp */
	{"access", false, slu_dw_access},
	{NULL, false, NULL},
};
_Static_assert(sizeof(jobfs_keys) / sizeof(*jobfs_keys) <= SLU_VERB_KEYS + 1,
	       "a list of its keys has no room for all");
static const struct slu_verb our_verbs[] = {
	{"jobfs", slu_begin_jobfs, jobfs_keys, slu_end_jobfs},
	{"stage_in", slu_begin_stage_in, slu_stage_in_keys, NULL},
	{"stage_out", slu_begin_stage_out, slu_stage_out_keys, NULL},
	{"forward", slu_begin_forward, slu_forward_keys, NULL},
	{"limit", slu_begin_limit, slu_limit_keys, NULL},
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
		for (const struct slu_key *k = verb->key; k->name; k++)
			if (strcmp(k->name, word) == 0)
				return true;
	return false;
}

bool slu_request_is_key(const char *word)
{
	return has_key(our_verbs, word) || has_key(slu_dw_verbs, word);
}

static const struct slu_key *find_preset(const char *key, struct slu_err *err)
{
	const char *words[SLU_VERB_KEYS + 1] = {NULL};
	size_t n = 0;

	for (const struct slu_key *k = jobfs_keys; k->name; k++) {
		if (k->set == slu_set_name || k->set == slu_set_profile ||
		    k->set == set_dw || k->set == slu_dw_access ||
		    k->set == slu_parse_tell)
			continue;
		if (strcasecmp(k->name, key) == 0)
			return k;
		words[n++] = k->name;
	}
	slu_not_known("unknown key ", key, "", words, "there are ", err);
	if (err)
		err->kind = SLU_NOTFOUND;
	return NULL;
}

int slu_request_preset(struct slu_request *req, const char *key,
		       const char *value, struct slu_err *err)
{
	const struct slu_key *k = find_preset(key, err);
	struct slu_request one = {.tolerate = UINT32_MAX};
	int rc;

	if (!k)
		return -1;
	rc = k->set(&one, value, err);
	if (rc)
		slu_err_prefix(err, "%s", k->name);
	if (!req->fs) {
		req->fs = one.fs;
		one.fs = NULL;
	}
	req->capacity = req->capacity ? req->capacity : one.capacity;
	req->nodes = req->nodes ? req->nodes : one.nodes;
	if (req->tolerate == UINT32_MAX)
		req->tolerate = one.tolerate;
	req->split = req->split ? req->split : one.split;
	req->bind = req->bind ? req->bind : one.bind;
	req->coherence = req->coherence ? req->coherence : one.coherence;
	if (!req->pool && !req->tier) {
		req->pool = one.pool;
		one.pool = NULL;
		req->tier = one.tier;
	}
	slu_request_free(&one);
	return rc;
}

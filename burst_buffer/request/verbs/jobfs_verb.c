/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the keys of the verb `jobfs`, which asks for a file system for the
 * job, and takes those that the request leaves out from its profile. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/request/verbs/grammar.h"
#include <strings.h>
#include "common/str.h"

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

int slu_set_tier(struct slu_request *req, const char *value,
		 struct slu_err *err)
{
	int i = slu_choose(value, slu_tier_names + SLU_TIER_PMEM, err);

	if (i < 0)
		return -1;
	req->tier = (enum slu_tier)(SLU_TIER_PMEM + i);
	return 0;
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

const struct slu_request_key slu_jobfs_keys[] = {
	{"type", false, slu_set_fs},
	{"capacity", false, slu_set_capacity},
	{"name", false, slu_set_name},
	{"nodes", false, set_nodes},
	{"tolerate", false, set_tolerate},
	{"profile", false, slu_set_profile},
	{"split", false, set_split},
	{"bind", false, set_bind},
	{"pool", false, set_pool},
	{"tier", false, slu_set_tier},
	{"coherence", false, slu_set_coherence},
	{"tell", false, slu_parse_tell},
	{"dw", false, set_dw},
	/* as Slurm itself has it in --bb, for DataWarp */
	{"access", false, slu_dw_access},
	{NULL, false, NULL},
};
_Static_assert(sizeof(slu_jobfs_keys) / sizeof(*slu_jobfs_keys) <=
		       SLU_VERB_KEYS + 1,
	       "a list of its keys has no room for all");

static const struct slu_request_key *find_preset(const char *key,
						 struct slu_err *err)
{
	const char *words[SLU_VERB_KEYS + 1] = {NULL};
	size_t n = 0;

	for (const struct slu_request_key *k = slu_jobfs_keys; k->name; k++) {
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
	const struct slu_request_key *k = find_preset(key, err);
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

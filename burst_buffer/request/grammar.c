/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words of the grammar: one row per verb and one per key of a verb. What a
 * row accepts stands in its setter. Those of #DW lines are in dw.c.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "burst_buffer/request/grammar.h"
#include "common/size.h"
#include "common/str.h"

#define NAME_MAX_LEN 32

static int nomem(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "out of memory");
}

int slu_set_word(char **field, const char *value, struct slu_err *err)
{
	char *copy = strdup(value);

	if (!copy)
		return nomem(err);
	free(*field);
	*field = copy;
	return 0;
}

/* What other programs call what is one of the words, or NULL. */
static const char *called(const char *value, const char *const *words)
{
	static const char *const names[][2] = {
		{"size", "capacity"},	{"space", "capacity"},
		{"src", "source"},	{"from", "source"},
		{"dst", "destination"}, {"dest", "destination"},
		{"to", "destination"},	{"target", "destination"},
		{"filesystem", "type"}, {"fs", "type"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		for (size_t k = 0; words[k]; k++)
			if (strcmp(names[i][0], value) == 0 &&
			    strcmp(names[i][1], words[k]) == 0)
				return words[k];
	return NULL;
}

/* What could have been meant: the nearest of the words, else all of them after
 * `lead`. */
static int not_known(const char *before, const char *value, const char *after,
		     const char *const *words, const char *lead,
		     struct slu_err *err)
{
	const char *near;
	struct slu_buf all = {.max = 300};

	if (!err)
		return -1;
	near = called(value, words);
	if (!near)
		near = slu_nearest(value, words);
	for (int i = 0; !near && words[i]; i++)
		slu_buf_printf(&all, "%s%s", i ? ", " : "", words[i]);
	slu_err(err, SLU_INVALID, "%s\"%.64s\"%s; %s%s", before, value, after,
		near ? "did you mean " : lead,
		near	   ? near
		: all.data ? all.data
			   : "");
	slu_buf_free(&all);
	return -1;
}

int slu_choose(const char *value, const char *const *words, struct slu_err *err)
{
	for (int i = 0; words[i]; i++)
		if (strcmp(value, words[i]) == 0)
			return i;
	return not_known("", value, " is not known", words, "it may be ", err);
}

static struct slu_request_stage *last(struct slu_request *req)
{
	return &req->stage[req->n_stage - 1];
}

/* Keys */

bool slu_set_number(const char *value, uint32_t *out)
{
	if (strlen(value) > 6 || value[strspn(value, "0123456789")])
		return false;
	*out = (uint32_t)strtoul(value, NULL, 10);
	return true;
}

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

int slu_set_tell(struct slu_request *req, const char *value,
		 struct slu_err *err)
{
	int i = slu_choose(value, slu_tell_names + SLU_TELL_NO, err);

	if (i < 0)
		return -1;
	req->tell = (enum slu_tell)(SLU_TELL_NO + i);
	return 0;
}

int slu_set_source(struct slu_request *req, const char *value,
		   struct slu_err *err)
{
	return slu_set_word(&last(req)->source, value, err);
}

int slu_set_destination(struct slu_request *req, const char *value,
			struct slu_err *err)
{
	return slu_set_word(&last(req)->destination, value, err);
}

const char *const slu_stage_type_names[] = {[SLU_STAGE_DIRECTORY] = "directory",
					    [SLU_STAGE_FILE] = "file",
					    [SLU_STAGE_LIST] = "list",
					    [SLU_STAGE_AUTO] = "auto",
					    NULL};
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
const char *const slu_on_names[] = {[SLU_ON_ALWAYS] = "always",
				    [SLU_ON_SUCCESS] = "success",
				    [SLU_ON_FAILURE] = "failure",
				    NULL};

int slu_set_type(struct slu_request *req, const char *value,
		 struct slu_err *err)
{
	int i = slu_choose(value, slu_stage_type_names, err);

	if (i < 0)
		return -1;
	last(req)->type = (enum slu_stage_type)i;
	return 0;
}

static int set_verify(struct slu_request *req, const char *value,
		      struct slu_err *err)
{
	static const char *const words[] = {"size", "content", NULL};
	int i = slu_choose(value, words, err);

	if (i < 0)
		return -1;
	last(req)->content = i == 1;
	return 0;
}

static int set_stage_nodes(struct slu_request *req, const char *value,
			   struct slu_err *err)
{
	static const char *const words[] = {"all", "staging", NULL};
	int i = slu_choose(value, words, err);

	if (i < 0)
		return -1;
	last(req)->apart = i == 1;
	return 0;
}

static int set_on(struct slu_request *req, const char *value,
		  struct slu_err *err)
{
	int i = slu_choose(value, slu_on_names, err);

	if (i < 0)
		return -1;
	last(req)->on = (enum slu_stage_on)i;
	return 0;
}

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

int slu_begin_stage(struct slu_request *req, bool out, int line,
		    struct slu_err *err)
{
	struct slu_request_stage *grown;

	if (req->n_stage == SLU_REQUEST_STAGE_MAX)
		return slu_err(err, SLU_INVALID,
			       "more than %d stage_in and stage_out",
			       SLU_REQUEST_STAGE_MAX);
	grown = realloc(req->stage, (req->n_stage + 1) * sizeof(*grown));
	if (!grown)
		return nomem(err);
	req->stage = grown;
	grown[req->n_stage++] = (struct slu_request_stage){
		.out = out, .type = SLU_STAGE_AUTO, .line = line};
	return 0;
}

static int begin_stage_in(struct slu_request *req, int line,
			  struct slu_err *err)
{
	return slu_begin_stage(req, false, line, err);
}

static int begin_stage_out(struct slu_request *req, int line,
			   struct slu_err *err)
{
	return slu_begin_stage(req, true, line, err);
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
	{"coherence", false, slu_set_coherence},
	{"tell", false, slu_set_tell},
	{"dw", false, set_dw},
	/* as Slurm itself has it in --bb, for DataWarp */
	{"access", false, slu_dw_access},
	{NULL, false, NULL},
};
_Static_assert(sizeof(jobfs_keys) / sizeof(*jobfs_keys) <= SLU_VERB_KEYS + 1,
	       "a list of its keys has no room for all");
static const struct slu_key stage_in_keys[] = {
	{"source", true, slu_set_source},
	{"destination", true, slu_set_destination},
	{"type", false, slu_set_type},
	{"verify", false, set_verify},
	{NULL, false, NULL},
};
static const struct slu_key stage_out_keys[] = {
	{"source", true, slu_set_source},
	{"destination", true, slu_set_destination},
	{"type", false, slu_set_type},
	{"on", false, set_on},
	{"verify", false, set_verify},
	{"nodes", false, set_stage_nodes},
	{NULL, false, NULL},
};
static const struct slu_verb our_verbs[] = {
	{"jobfs", slu_begin_jobfs, jobfs_keys, slu_end_jobfs},
	{"stage_in", begin_stage_in, stage_in_keys, NULL},
	{"stage_out", begin_stage_out, stage_out_keys, NULL},
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
	not_known("unknown request ", name, "", words, "there are ", err);
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
	return not_known("unknown key ", name, "", words, "there are ", err);
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
		    k->set == slu_set_tell)
			continue;
		if (strcasecmp(k->name, key) == 0)
			return k;
		words[n++] = k->name;
	}
	not_known("unknown key ", key, "", words, "there are ", err);
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
	slu_request_free(&one);
	return rc;
}

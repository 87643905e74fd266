/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words of the grammar: one row per verb and one per key of a verb. What a
 * row accepts stands in its setter; what the text of a request is, at the end.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/request/grammar.h"
#include "common/size.h"
#include "common/str.h"

#define NAME_MAX_LEN 32

static int nomem(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "out of memory");
}

static int set_string(char **field, const char *value, struct slu_err *err)
{
	char *copy = strdup(value);

	if (!copy)
		return nomem(err);
	free(*field);
	*field = copy;
	return 0;
}

static int choose(const char *value, const char *const *words,
		  struct slu_err *err)
{
	const char *near;
	int i;

	for (i = 0; words[i]; i++)
		if (strcmp(value, words[i]) == 0)
			return i;
	near = slu_nearest(value, words);
	return slu_err(err, SLU_INVALID, "\"%.64s\" is not known; %s %s", value,
		       near ? "did you mean" : "one is", near ? near : *words);
}

static struct slu_request_stage *last(struct slu_request *req)
{
	return &req->stage[req->n_stage - 1];
}

/* Keys */

static int set_fs(struct slu_request *req, const char *value,
		  struct slu_err *err)
{
	if (strlen(value) > 64 || value[strspn(value, SLU_WORD_CHARS ".-")])
		return slu_err(err, SLU_INVALID,
			       "\"%.64s\" cannot name a file system", value);
	return set_string(&req->fs, value, err);
}

static int set_capacity(struct slu_request *req, const char *value,
			struct slu_err *err)
{
	return slu_size_parse(value, &req->capacity, err);
}

/* It becomes the variable BB_<name>. */
static int set_name(struct slu_request *req, const char *value,
		    struct slu_err *err)
{
	if (strlen(value) > NAME_MAX_LEN || !strchr(SLU_LETTERS, *value) ||
	    value[strspn(value, SLU_WORD_CHARS)])
		return slu_err(err, SLU_INVALID,
			       "\"%.64s\" is no name: a letter, then letters, "
			       "digits and _, at most %d",
			       value, NAME_MAX_LEN);
	return set_string(&req->name, value, err);
}

static int set_nodes(struct slu_request *req, const char *value,
		     struct slu_err *err)
{
	(void)req;
	if (strcmp(value, "all") == 0)
		return 0;
	return slu_err(err, SLU_INVALID,
		       "only nodes=all is built so far, not \"%.64s\"", value);
}

static int set_source(struct slu_request *req, const char *value,
		      struct slu_err *err)
{
	return set_string(&last(req)->source, value, err);
}

static int set_destination(struct slu_request *req, const char *value,
			   struct slu_err *err)
{
	return set_string(&last(req)->destination, value, err);
}

static const char *const type_names[] = {
	[SLU_STAGE_DIRECTORY] = "directory", [SLU_STAGE_FILE] = "file", NULL};
static const char *const on_names[] = {[SLU_ON_ALWAYS] = "always",
				       [SLU_ON_SUCCESS] = "success",
				       [SLU_ON_FAILURE] = "failure",
				       NULL};

static int set_type(struct slu_request *req, const char *value,
		    struct slu_err *err)
{
	int i;

	if (strcmp(value, "list") == 0)
		return slu_err(err, SLU_INVALID, "\"list\" is not built yet");
	i = choose(value, type_names, err);
	if (i < 0)
		return -1;
	last(req)->type = (enum slu_stage_type)i;
	return 0;
}

static int set_on(struct slu_request *req, const char *value,
		  struct slu_err *err)
{
	int i = choose(value, on_names, err);

	if (i < 0)
		return -1;
	last(req)->on = (enum slu_stage_on)i;
	return 0;
}

static int set_max(struct slu_request *req, const char *value,
		   struct slu_err *err)
{
	if (strcmp(value, "none") == 0) {
		req->forward_max = 0;
		return 0;
	}
	if (strlen(value) > 6 || value[strspn(value, "0123456789")] ||
	    *value == '0')
		return slu_err(err, SLU_INVALID,
			       "\"%.64s\" is neither a number from 1 to 999999 "
			       "nor none",
			       value);
	req->forward_max = (uint32_t)strtoul(value, NULL, 10);
	return 0;
}

/* Verbs */

static int begin_jobfs(struct slu_request *req, int line, struct slu_err *err)
{
	(void)line;
	if (req->has_fs)
		return slu_err(err, SLU_INVALID, "only one jobfs is allowed");
	req->has_fs = true;
	return set_string(&req->name, "JOBFS", err);
}

static int begin_stage(struct slu_request *req, bool out, int line,
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
	grown[req->n_stage++] =
		(struct slu_request_stage){.out = out, .line = line};
	return 0;
}

static int begin_stage_in(struct slu_request *req, int line,
			  struct slu_err *err)
{
	return begin_stage(req, false, line, err);
}

static int begin_stage_out(struct slu_request *req, int line,
			   struct slu_err *err)
{
	return begin_stage(req, true, line, err);
}

static int begin_forward(struct slu_request *req, int line, struct slu_err *err)
{
	(void)line;
	if (req->has_forward)
		return slu_err(err, SLU_INVALID, "only one forward is allowed");
	req->has_forward = true;
	req->forward_max = UINT32_MAX;
	return 0;
}

/* The tables */

static const struct slu_key jobfs_keys[] = {
	{"type", false, set_fs},   {"capacity", true, set_capacity},
	{"name", false, set_name}, {"nodes", false, set_nodes},
	{"tolerate", false, NULL}, {"profile", false, NULL},
	{NULL, false, NULL},
};
static const struct slu_key stage_in_keys[] = {
	{"source", true, set_source},
	{"destination", true, set_destination},
	{"type", false, set_type},
	{NULL, false, NULL},
};
static const struct slu_key stage_out_keys[] = {
	{"source", true, set_source}, {"destination", true, set_destination},
	{"type", false, set_type},    {"on", false, set_on},
	{NULL, false, NULL},
};
static const struct slu_key forward_keys[] = {
	{"max", false, set_max},
	{NULL, false, NULL},
};

static const struct slu_verb verbs[] = {
	{"jobfs", begin_jobfs, jobfs_keys},
	{"stage_in", begin_stage_in, stage_in_keys},
	{"stage_out", begin_stage_out, stage_out_keys},
	{"forward", begin_forward, forward_keys},
	{"persistent_create", NULL, NULL},
	{"persistent", NULL, NULL},
	{"persistent_destroy", NULL, NULL},
	{"stripe", NULL, NULL},
};
#define N_VERBS (sizeof(verbs) / sizeof(verbs[0]))

const struct slu_verb *slu_request_verb(const char *name, struct slu_err *err)
{
	const char *words[N_VERBS + 1] = {NULL}, *near;
	size_t i;

	for (i = 0; i < N_VERBS; i++) {
		if (strcmp(verbs[i].name, name) == 0)
			break;
		words[i] = verbs[i].name;
	}
	if (i < N_VERBS && verbs[i].begin)
		return &verbs[i];
	near = slu_nearest(name, words);
	if (i < N_VERBS)
		slu_err(err, SLU_INVALID, "%s is not built yet", name);
	else
		slu_err(err, SLU_INVALID, "unknown request \"%s\"; %s%s", name,
			near ? "did you mean " : "there are jobfs, stage_in, ",
			near ? near : "stage_out and forward");
	return NULL;
}

int slu_request_key(const struct slu_verb *verb, const char *name,
		    struct slu_err *err)
{
	const char *words[SLU_VERB_KEYS + 1] = {NULL}, *near;
	int i;

	for (i = 0; verb->key[i].name; i++) {
		if (strcmp(verb->key[i].name, name) == 0)
			break;
		words[i] = verb->key[i].name;
	}
	if (verb->key[i].set)
		return i;
	if (verb->key[i].name)
		return slu_err(err, SLU_INVALID, "%s= is not built yet", name);
	near = slu_nearest(name, words);
	return slu_err(err, SLU_INVALID, "unknown key \"%s\"; %s %s", name,
		       near ? "did you mean" : "the first is",
		       near ? near : words[0]);
}

/* Back to text */

static void put_pair(struct slu_buf *buf, const char *key, const char *value)
{
	slu_buf_printf(buf, " %s=", key);
	if (!strpbrk(value, SLU_BARE_REFUSED " \t;")) {
		slu_buf_puts(buf, value);
		return;
	}
	slu_buf_puts(buf, "\"");
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			slu_buf_puts(buf, "\\");
		slu_buf_add(buf, value, 1);
	}
	slu_buf_puts(buf, "\"");
}

static void put_stage(struct slu_buf *buf, const struct slu_request_stage *s)
{
	slu_buf_printf(buf, "%s%s", buf->len ? "; " : "",
		       s->out ? "stage_out" : "stage_in");
	put_pair(buf, "source", s->source);
	put_pair(buf, "destination", s->destination);
	if (s->type != SLU_STAGE_DIRECTORY)
		put_pair(buf, "type", type_names[s->type]);
	if (s->on != SLU_ON_ALWAYS)
		put_pair(buf, "on", on_names[s->on]);
}

char *slu_request_text(const struct slu_request *req)
{
	struct slu_buf buf = {0};
	size_t i;

	if (req->has_fs) {
		slu_buf_puts(&buf, "jobfs");
		if (req->fs)
			put_pair(&buf, "type", req->fs);
		slu_buf_printf(&buf, " capacity=%llu",
			       (unsigned long long)req->capacity);
		if (strcmp(req->name, "JOBFS") != 0)
			put_pair(&buf, "name", req->name);
	}
	for (i = 0; i < req->n_stage; i++)
		put_stage(&buf, &req->stage[i]);
	if (req->has_forward) {
		slu_buf_printf(&buf, "%sforward", buf.len ? "; " : "");
		if (req->forward_max == 0)
			slu_buf_puts(&buf, " max=none");
		else if (req->forward_max != UINT32_MAX)
			slu_buf_printf(&buf, " max=%u",
				       (unsigned)req->forward_max);
	}
	return slu_buf_steal(&buf);
}

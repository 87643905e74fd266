/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A request as its canonical text. What parses back the same in another order
 * or language has one text. */
#include "config.h"
#include <string.h>
#include "burst_buffer/request/grammar.h"
#include "burst_buffer/request/stage_verbs.h"
#include "common/str.h"

void slu_put_pair(struct slu_buf *buf, const char *key, const char *value)
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
	slu_put_pair(buf, "source", s->source);
	slu_put_pair(buf, "destination", s->destination);
	if (s->type != SLU_STAGE_AUTO)
		slu_put_pair(buf, "type", slu_stage_type_names[s->type]);
	if (s->on != SLU_ON_ALWAYS)
		slu_put_pair(buf, "on", slu_on_names[s->on]);
	if (s->content)
		slu_put_pair(buf, "verify", "content");
	if (s->apart)
		slu_put_pair(buf, "nodes", "staging");
}

static void put_jobfs(struct slu_buf *buf, const struct slu_request *req)
{
	if (req->persistent) {
		slu_buf_puts(buf, "persistent");
		slu_put_pair(buf, "name", req->name);
		if (req->coherence)
			slu_put_pair(buf, "coherence",
				     slu_coherence_names[req->coherence]);
		if (req->tell)
			slu_put_pair(buf, "tell", slu_tell_names[req->tell]);
		if (req->dw)
			slu_put_pair(buf, "dw", slu_dw_names[req->dw]);
		return;
	}
	slu_buf_puts(buf, "jobfs");
	if (req->fs)
		slu_put_pair(buf, "type", req->fs);
	if (req->capacity)
		slu_buf_printf(buf, " capacity=%llu",
			       (unsigned long long)req->capacity);
	if (strcmp(req->name, "JOBFS") != 0)
		slu_put_pair(buf, "name", req->name);
	if (req->nodes == SLU_ALL_NODES && req->profile)
		slu_buf_puts(buf, " nodes=all");
	else if (req->nodes && req->nodes != SLU_ALL_NODES)
		slu_buf_printf(buf, " nodes=%u", (unsigned)req->nodes);
	if (req->tolerate != UINT32_MAX)
		slu_buf_printf(buf, " tolerate=%u", (unsigned)req->tolerate);
	if (req->split == SLU_SPLIT_SWITCH ||
	    (req->split == SLU_SPLIT_NO && req->profile))
		slu_put_pair(buf, "split", slu_split_names[req->split]);
	if (req->bind > SLU_BIND_NEAR ||
	    (req->bind == SLU_BIND_NEAR && req->profile))
		slu_put_pair(buf, "bind", slu_bind_names[req->bind]);
	if (req->pool)
		slu_put_pair(buf, "pool", req->pool);
	else if (req->tier) /* else its pool says it */
		slu_put_pair(buf, "tier", slu_tier_names[req->tier]);
	if (req->coherence)
		slu_put_pair(buf, "coherence",
			     slu_coherence_names[req->coherence]);
	if (req->tell)
		slu_put_pair(buf, "tell", slu_tell_names[req->tell]);
	if (req->profile)
		slu_put_pair(buf, "profile", req->profile);
	if (req->dw)
		slu_put_pair(buf, "dw",
			     slu_dw_names[req->dw_both ? SLU_DW_BOTH
						       : (int)req->dw]);
}

static void put_stripe(struct slu_buf *buf, const struct slu_request_stripe *s)
{
	slu_buf_printf(buf, "%sstripe", buf->len ? "; " : "");
	slu_put_pair(buf, "target", s->target);
	if (s->size)
		slu_buf_printf(buf, " size=%llu", (unsigned long long)s->size);
	if (s->random)
		slu_put_pair(buf, "access", slu_access_names[1]);
	if (s->readers)
		slu_buf_printf(buf, " readers=%u", (unsigned)s->readers);
	if (s->stripes)
		slu_buf_printf(buf, " stripes=%u", (unsigned)s->stripes);
	if (s->per_file)
		slu_put_pair(buf, "per_file", "yes");
	if (s->fsname)
		slu_put_pair(buf, "fsname", s->fsname);
}

char *slu_request_text(const struct slu_request *req)
{
	struct slu_buf buf = {0};
	size_t i;

	if (req->has_fs)
		put_jobfs(&buf, req);
	for (i = 0; i < req->n_stage; i++)
		put_stage(&buf, &req->stage[i]);
	for (i = 0; i < req->n_stripe; i++)
		put_stripe(&buf, &req->stripe[i]);
	if (req->has_forward) {
		slu_buf_printf(&buf, "%sforward", buf.len ? "; " : "");
		if (req->forward_max == 0)
			slu_buf_puts(&buf, " max=none");
		else if (req->forward_max != UINT32_MAX)
			slu_buf_printf(&buf, " max=%u",
				       (unsigned)req->forward_max);
		if (req->forward_pattern)
			slu_buf_printf(&buf, " pattern=%s",
				       req->forward_pattern);
	}
	if (req->keep_limit)
		slu_buf_printf(&buf, "%slimit tighten=no", buf.len ? "; " : "");
	for (i = 0; i < req->n_persist; i++)
		slu_put_persist(&buf, &req->persist[i]);
	return slu_buf_steal(&buf);
}

/* What the text leaves out is the default where there is no profile. */
static void forget_defaults(struct slu_request *req)
{
	if (req->nodes == SLU_ALL_NODES)
		req->nodes = 0;
	if (req->split == SLU_SPLIT_NO)
		req->split = SLU_SPLIT_UNSAID;
	if (req->bind == SLU_BIND_NEAR)
		req->bind = SLU_BIND_UNSAID;
}

void slu_request_as_text(struct slu_request *req)
{
	if (!req->profile)
		forget_defaults(req);
	req->dw_said = req->dw;
	req->dw_both = req->dw_both && req->dw && !req->persistent;
	req->has_limit = req->keep_limit;
	req->line = req->forward_line = 0;
	for (size_t i = 0; i < req->n_stage; i++) {
		req->stage[i].line = 0;
		req->stage[i].dw = false;
	}
	for (size_t i = 0; i < req->n_stripe; i++)
		req->stripe[i].line = 0;
	for (size_t i = 0; i < req->n_persist; i++) {
		req->persist[i].line = 0;
		req->persist[i].force_said = req->persist[i].force;
	}
}

bool slu_request_has_buffer(const char *text)
{
	return text &&
	       (!strncmp(text, "jobfs", 5) || !strncmp(text, "stripe", 6) ||
		!strncmp(text, "persistent ", 11));
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a request as its canonical text, the one line that Slurm keeps with
 * the job and from which the plan is made. Requests that mean the same have the
 * same text, whatever their order and language (#BB, #DW).
 */
#include "config.h"
#include <string.h>
#include "burst_buffer/request/verbs/grammar.h"
#include "burst_buffer/request/verbs/stage_verbs.h"
#include "common/str.h"

#define NO_IO_WAIT "bandwidth wait=no"

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

static void put_persist(struct slu_buf *buf,
			const struct slu_request_persist *one)
{
	slu_buf_printf(buf, "%spersistent_%s", buf->len ? "; " : "",
		       one->destroy ? "destroy" : "create");
	put_pair(buf, "name", one->name);
	if (one->capacity)
		slu_buf_printf(buf, " capacity=%llu",
			       (unsigned long long)one->capacity);
	if (one->fs)
		put_pair(buf, "type", one->fs);
	if (one->coherence)
		put_pair(buf, "coherence", slu_coherence_names[one->coherence]);
	if (one->tier)
		put_pair(buf, "tier", slu_tier_names[one->tier]);
	if (one->profile)
		put_pair(buf, "profile", one->profile);
	if (one->group)
		put_pair(buf, "group", one->group);
	if (one->lifetime)
		slu_buf_printf(buf, " lifetime=%llds",
			       (long long)one->lifetime);
	if (one->force)
		slu_buf_puts(buf, " force=yes");
}

static void put_stage(struct slu_buf *buf, const struct slu_request_stage *s)
{
	slu_buf_printf(buf, "%s%s", buf->len ? "; " : "",
		       s->out ? "stage_out" : "stage_in");
	put_pair(buf, "source", s->source);
	put_pair(buf, "destination", s->destination);
	if (s->type != SLU_STAGE_AUTO)
		put_pair(buf, "type", slu_stage_type_names[s->type]);
	if (s->on != SLU_ON_ALWAYS)
		put_pair(buf, "on", slu_on_names[s->on]);
	if (s->content)
		put_pair(buf, "verify", "content");
	if (s->apart)
		put_pair(buf, "nodes", "staging");
}

static void put_jobfs(struct slu_buf *buf, const struct slu_request *req)
{
	if (req->persistent) {
		slu_buf_puts(buf, "persistent");
		put_pair(buf, "name", req->name);
		if (req->coherence)
			put_pair(buf, "coherence",
				 slu_coherence_names[req->coherence]);
		if (req->tell)
			put_pair(buf, "tell", slu_tell_names[req->tell]);
		if (req->dw)
			put_pair(buf, "dw", slu_dw_names[req->dw]);
		return;
	}
	slu_buf_puts(buf, "jobfs");
	if (req->fs)
		put_pair(buf, "type", req->fs);
	if (req->capacity)
		slu_buf_printf(buf, " capacity=%llu",
			       (unsigned long long)req->capacity);
	if (strcmp(req->name, "JOBFS") != 0)
		put_pair(buf, "name", req->name);
	if (req->nodes == SLU_ALL_NODES && req->profile)
		slu_buf_puts(buf, " nodes=all");
	else if (req->nodes && req->nodes != SLU_ALL_NODES)
		slu_buf_printf(buf, " nodes=%u", (unsigned)req->nodes);
	if (req->tolerate != UINT32_MAX)
		slu_buf_printf(buf, " tolerate=%u", (unsigned)req->tolerate);
	if (req->split == SLU_SPLIT_SWITCH ||
	    (req->split == SLU_SPLIT_NO && req->profile))
		put_pair(buf, "split", slu_split_names[req->split]);
	if (req->bind > SLU_BIND_NEAR ||
	    (req->bind == SLU_BIND_NEAR && req->profile))
		put_pair(buf, "bind", slu_bind_names[req->bind]);
	if (req->pool)
		put_pair(buf, "pool", req->pool);
	else if (req->tier) /* else its pool says it */
		put_pair(buf, "tier", slu_tier_names[req->tier]);
	if (req->coherence)
		put_pair(buf, "coherence", slu_coherence_names[req->coherence]);
	if (req->tell)
		put_pair(buf, "tell", slu_tell_names[req->tell]);
	if (req->profile)
		put_pair(buf, "profile", req->profile);
	if (req->dw)
		put_pair(buf, "dw",
			 slu_dw_names[req->dw_both ? SLU_DW_BOTH
						   : (int)req->dw]);
}

static void put_stripe(struct slu_buf *buf, const struct slu_request_stripe *s)
{
	slu_buf_printf(buf, "%sstripe", buf->len ? "; " : "");
	put_pair(buf, "target", s->target);
	if (s->size)
		slu_buf_printf(buf, " size=%llu", (unsigned long long)s->size);
	if (s->random)
		put_pair(buf, "access", slu_access_names[1]);
	if (s->readers)
		slu_buf_printf(buf, " readers=%u", (unsigned)s->readers);
	if (s->shared)
		put_pair(buf, "shared", "yes");
	if (s->stripes)
		slu_buf_printf(buf, " stripes=%u", (unsigned)s->stripes);
	if (s->per_file)
		put_pair(buf, "per_file", "yes");
	if (s->fsname)
		put_pair(buf, "fsname", s->fsname);
	if (s->pool)
		put_pair(buf, "pool", s->pool);
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
	if (req->no_io_wait)
		slu_buf_printf(&buf, "%s" NO_IO_WAIT, buf.len ? "; " : "");
	for (i = 0; i < req->n_persist; i++)
		put_persist(&buf, &req->persist[i]);
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
	req->has_bandwidth = req->no_io_wait;
	req->line = req->forward_line = req->bandwidth_line = 0;
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

bool slu_request_no_io_wait(const char *text)
{
	return text && (!strncmp(text, NO_IO_WAIT, strlen(NO_IO_WAIT)) ||
			strstr(text, "; " NO_IO_WAIT));
}

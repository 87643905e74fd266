/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses the text of --bb, and the #BB and #DW lines of a batch script before
 * its first command, into a struct slu_request. A line holds requests separated
 * by ';', each a verb and key=value pairs. A value is written as in a shell:
 * pieces without blanks and special characters, or in double quotes, where \"
 * and \\ stand for the character. Control characters are refused everywhere, so
 * that no user's text can pass for a line of a log or a message of Sluice.
 */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/request/mistakes.h"
#include "burst_buffer/request/names.h"
#include "burst_buffer/request/script/lookalike.h"
#include "burst_buffer/request/verbs/grammar.h"
#include "common/size.h"
#include "common/str.h"

#define WORD_MAX  48
#define VALUE_MAX 4096

struct word {
	char key[WORD_MAX];
	char *value; /* NULL: a word without '=' */
};

struct line {
	const char *p, *end;
	const char *from; /* its begin, for columns */
	const char *at;	  /* the word that is read; NULL: none yet */
	int number;
	int reported_line; /* its number for messages; 0 for a --bb of one line
			    */
	bool dw;	   /* in the language of #DW lines */
	bool typed; /* typed by a person: probable typing errors are refused */
};

/* Words */

static bool blank(char c)
{
	return c == ' ' || c == '\t';
}

static void skip_blanks(struct line *l)
{
	while (l->p < l->end && blank(*l->p))
		l->p++;
}

static bool at_end(const struct line *l)
{
	return l->p == l->end || *l->p == ';';
}

static int read_quoted(struct line *l, struct slu_buf *out, struct slu_err *err)
{
	for (l->p++; l->p < l->end && *l->p != '"'; l->p++) {
		if (*l->p == '\\' && l->p + 1 < l->end &&
		    (l->p[1] == '"' || l->p[1] == '\\'))
			l->p++;
		slu_buf_add(out, l->p, 1);
	}
	if (l->p == l->end)
		return slu_err(err, SLU_INVALID, "a \" is not closed");
	l->p++;
	return 0;
}

static int read_bare(struct line *l, struct slu_buf *out, struct slu_err *err)
{
	size_t n;

	for (; !at_end(l) && !blank(*l->p) && *l->p != '"'; l->p += n) {
		n = slu_plain(l->p, l->end);
		if (l->p[0] == '$' && l->p + 1 < l->end && l->p[1] == '(')
			return slu_err(err, SLU_INVALID, SLU_NO_COMMAND);
		if (!n && strchr(SLU_BARE_REFUSED, *l->p))
			return slu_err(err, SLU_INVALID,
				       "put the value in double quotes if the "
				       "%c is meant",
				       *l->p);
		if (!n && l->typed && slu_hardly_meant(l->p, err))
			return -1;
		n += !n;
		slu_buf_add(out, l->p, n);
	}
	return 0;
}

/* In pieces, as a shell has them: "$BB_JOBFS"/out. */
static int read_pieces(struct line *l, struct slu_buf *out, struct slu_err *err)
{
	int rc = 0;

	while (!rc && !at_end(l) && !blank(*l->p))
		rc = (*l->p == '"' ? read_quoted : read_bare)(l, out, err);
	return rc;
}

static int read_value(struct line *l, const char *key, char **value,
		      struct slu_err *err)
{
	struct slu_buf buf = {.max = VALUE_MAX};

	if (read_pieces(l, &buf, err)) {
		slu_buf_free(&buf);
		return slu_err_prefix(err, "%s", key);
	}
	if (buf.failed || buf.len == 0) {
		if (buf.failed)
			slu_err(err, SLU_INVALID, "%s is longer than %d bytes",
				key, VALUE_MAX);
		else
			slu_err(err, SLU_INVALID, "%s= needs a value%s", key,
				l->reported_line
					? ", without a blank before it"
					: "; a variable that stood there the "
					  "shell has replaced: put --bb in "
					  "single quotes");
		slu_buf_free(&buf);
		return -1;
	}
	*value = slu_buf_steal(&buf);
	return *value ? 0 : slu_err(err, SLU_NOMEM, "out of memory");
}

/* How many bytes of a word are shown in a message: up to a limit, or to a
 * character that is not plain. */
static size_t length_of(const char *word)
{
	size_t n = 0;

	while (n < 40 && word[n] > ' ' && word[n] <= '~' && word[n] != ';')
		n++;
	return n;
}

/* The error for a word with a character that is not allowed in words. */
static int bad_word(const char *start, struct slu_err *err)
{
	char near[WORD_MAX + 1];
	size_t n = length_of(start), i;

	snprintf(near, sizeof(near), "%.*s", (int)n, start);
	for (i = 0; near[i] && near[i] != '='; i++)
		if (near[i] == '-')
			near[i] = '_';
	near[i] = '\0';
	if (slu_request_is_verb(near) || slu_request_is_key(near))
		return slu_err(err, SLU_INVALID, "write %s", near);
	return slu_err(
		err, SLU_INVALID,
		"a request is a verb and key=value pairs, not \"%.*s\"%s",
		(int)n, start,
		*start == '/' || *start == '$'
			? "; write source=PATH destination=PATH"
			: "");
}

/* The next word of a request; the caller has seen that there is one. */
static int read_word(struct line *l, struct word *w, struct slu_err *err)
{
	const char *start = l->at = l->p;
	size_t n = 0;

	w->value = NULL;
	for (; !at_end(l) && !blank(*l->p) && *l->p != '='; l->p++) {
		if (n + 1 == sizeof(w->key) || !strchr(SLU_WORD_CHARS, *l->p))
			return bad_word(start, err);
		w->key[n++] = *l->p;
	}
	w->key[n] = '\0';
	if (at_end(l) || *l->p != '=')
		return 0;
	l->p++;
	if (n == 0)
		return slu_err(err, SLU_INVALID, "a key is missing before =");
	return read_value(l, w->key, &w->value, err);
}

/* Requests */

/* A word that stands alone, often by a blank too many. */
static int alone(const struct slu_verb *verb, const char *word,
		 struct slu_err *err)
{
	const char *key = slu_request_key(verb, "capacity", NULL) >= 0
				  ? "capacity"
				  : "size";
	bool sized = slu_request_key(verb, key, NULL) >= 0;
	char unit[WORD_MAX + 1];
	uint64_t bytes;

	snprintf(unit, sizeof(unit), "1%s", word);
	if (slu_request_key(verb, word, NULL) >= 0)
		return slu_err(err, SLU_INVALID,
			       "write %s=VALUE without blanks", word);
	if (sized && !slu_size_parse(word, &bytes, NULL))
		return slu_err(err, SLU_INVALID, "write %s=%s", key, word);
	if (sized && !slu_size_parse(unit, &bytes, NULL))
		return slu_err(err, SLU_INVALID,
			       "write a size without a blank, as %s=100%s", key,
			       word);
	return slu_err(err, SLU_INVALID,
		       "\"%s\" is no key=value pair; requests are "
		       "separated by ; and a value with a blank is put in "
		       "double quotes",
		       word);
}

static int apply_pair(struct slu_request *req, const struct slu_verb *verb,
		      const struct word *w, unsigned *said, struct slu_err *err)
{
	int i = slu_request_key(verb, w->key, w->value ? err : NULL);

	if (!w->value && (i < 0 || verb->key[i].set != slu_set_hurry))
		return alone(verb, w->key, err);
	if (i < 0)
		return -1;
	if (*said & (1u << i))
		return slu_err(err, SLU_INVALID, "%s= is said twice", w->key);
	*said |= 1u << i;
	if (verb->key[i].set(req, w->value ? w->value : "yes", err))
		return slu_err_prefix(err, "%s", w->key);
	return 0;
}

/* *w is the word that was read already. */
static int parse_pairs(struct slu_request *req, const struct slu_verb *verb,
		       struct word *w, struct line *l, struct slu_err *err)
{
	const char *verb_at = l->at;
	unsigned said = 0;
	int i, rc = w->value ? apply_pair(req, verb, w, &said, err) : 0;

	for (skip_blanks(l); rc == 0 && !at_end(l); skip_blanks(l)) {
		free(w->value);
		rc = read_word(l, w, err);
		if (rc == 0)
			rc = apply_pair(req, verb, w, &said, err);
	}
	if (rc == 0)
		l->at = verb_at; /* what is missing is nowhere else */
	for (i = 0; rc == 0 && verb->key[i].name; i++)
		if (verb->key[i].required && !(said & (1u << i)))
			rc = slu_err(err, SLU_INVALID, "%s= is missing",
				     verb->key[i].name);
	return rc == 0 && verb->end ? verb->end(req, err) : rc;
}

/* Refuses a size in the place of the verb, and suggests capacity=100GB, the
 * short form of a jobfs. */
static int check_verb(const struct word *w, struct slu_err *err)
{
	uint64_t bytes;

	return w->value || slu_size_parse(w->key, &bytes, NULL)
		       ? 0
		       : slu_err(err, SLU_INVALID, "write capacity=%s", w->key);
}

/* One request, up to ';' or the line's end. Except in #DW lines, one that
 * begins with a pair is the short form of a jobfs. */
static int parse_one(struct slu_request *req, struct line *l,
		     struct slu_err *err)
{
	struct word w = {"", NULL};
	const struct slu_verb *verb;
	int rc = read_word(l, &w, err) || check_verb(&w, err) ? -1 : 0;

	if (rc == 0) {
		verb = slu_request_verb(w.value && !l->dw ? "jobfs" : w.key,
					l->dw, err);
		rc = verb ? verb->begin(req, l->reported_line, err) : -1;
		if (rc == 0)
			rc = parse_pairs(req, verb, &w, l, err);
		if (rc && verb)
			slu_err_prefix(err, "%s", verb->name);
	}
	free(w.value);
	return rc;
}

static int parse_line(struct slu_request *req, struct line *l,
		      struct slu_err *err)
{
	const char *c;
	size_t found = 0;

	for (c = l->p; c < l->end; c++)
		if (((unsigned char)*c < 0x20 || *c == 0x7f) && *c != '\t') {
			l->at = c;
			return slu_err(err, SLU_INVALID,
				       "control characters are refused");
		}
	for (skip_blanks(l); l->p < l->end; skip_blanks(l)) {
		if (*l->p == ';') {
			l->p++;
			continue;
		}
		if (parse_one(req, l, err))
			return -1;
		found++;
	}
	if (found == 0)
		return slu_err(err, SLU_INVALID, "nothing is asked for");
	return 0;
}

/* Texts */

/* Step to the next line of *text; false at the end. */
static bool next_line(const char **text, struct line *l)
{
	if (!**text)
		return false;
	l->p = l->from = *text;
	l->at = NULL;
	l->end = l->p + strcspn(l->p, "\n");
	*text = *l->end ? l->end + 1 : l->end;
	if (l->end > l->p && l->end[-1] == '\r')
		l->end--;
	l->number++;
	skip_blanks(l);
	return true;
}

/* Skip "#BB" when the line begins with it; "#BB_LUA" is Slurm's
 * burst_buffer/lua. */
static bool skip_magic(struct line *l, const char *magic)
{
	size_t n = strlen(magic);

	if ((size_t)(l->end - l->p) < n || strncmp(l->p, magic, n) != 0 ||
	    (l->p + n < l->end && !blank(l->p[n])))
		return false;
	l->p += n;
	return true;
}

/* The kind of a line; *l is left at the text of its request. */
enum said { SAID_NOTHING, SAID_REQUEST, SAID_COMMAND, SAID_DW };

static enum said look(struct line *l)
{
	if (skip_magic(l, "#BB"))
		return SAID_REQUEST;
	if (skip_magic(l, "#DW"))
		return SAID_DW;
	return l->p == l->end || *l->p == '#' ? SAID_NOTHING : SAID_COMMAND;
}

/* The column of the word that was read last, counted from 1 in characters of
 * UTF-8; 0: no word was read. */
static size_t column(const struct line *l)
{
	size_t n = l->at != NULL;

	for (const char *c = l->from; l->at && c < l->at; c++)
		n += ((unsigned char)*c & 0xc0) != 0x80;
	return n;
}

/* A mistake in one line does not hide those in the next. */
static void parse_said(struct slu_request *req, struct line *l,
		       const char *option, struct slu_mistakes *m)
{
	const bool had_fs = req->has_fs;
	struct slu_err err;

	l->reported_line = !option || strchr(option, '\n') ? l->number : 0;
	if (!parse_line(req, l, &err))
		return;
	m->unnamed |= req->has_fs != had_fs;
	slu_request_at(l->reported_line, &err);
	if (option)
		slu_err_prefix(&err, "--bb");
	slu_request_column(column(l), &err);
	slu_mistake(m, &err);
}

/* All lines of --bb, or those of a script before its first command. */
static void parse_text(struct slu_request *req, const char *text, bool script,
		       bool typed, struct slu_mistakes *m)
{
	const char *option = script ? NULL : text;
	struct line l = {.typed = typed};
	struct slu_err err;
	size_t total = 0;

	text += slu_byte_order_mark(text);
	while (next_line(&text, &l)) {
		enum said said = look(&l);

		if (said == SAID_COMMAND && script)
			return;
		if (said == SAID_NOTHING)
			continue;
		total += (size_t)(l.end - l.p);
		l.dw = said == SAID_DW;
		if (total > SLU_REQUEST_MAX) {
			slu_err(&err, SLU_INVALID,
				"line %d: more than %d bytes of requests",
				l.number, SLU_REQUEST_MAX);
			slu_mistake(m, &err);
			return;
		}
		parse_said(req, &l, option, m);
	}
}

static void tell_stray(void *arg, int line, const char *text, bool sure)
{
	struct slu_err err;

	if (!sure)
		return;
	slu_err(&err, SLU_INVALID, "line %d: %s", line, text);
	slu_mistake(arg, &err);
}

static int read_request(const char *option, const char *script, bool typed,
			bool strays, struct slu_request *out,
			struct slu_err *err)
{
	struct slu_mistakes m = {.err = err};
	struct slu_request req = {0};

	if (option)
		parse_text(&req, option, false, typed, &m);
	if (script)
		parse_text(&req, script, true, typed, &m);
	if (option && strays)
		slu_request_strays(option, true, tell_stray, &m);
	if (script && strays)
		slu_request_strays(script, false, tell_stray, &m);
	m.unnamed |= m.n && !req.has_fs; /* or its verb is wrong */
	slu_request_names(&req, &m);
	if (slu_mistakes_end(&m)) {
		slu_request_free(&req);
		return -1;
	}
	*out = req;
	return 0;
}

int slu_request_submitted(const char *option, const char *script, bool strays,
			  struct slu_request *out, struct slu_err *err)
{
	return read_request(option, script, true, strays, out, err);
}

int slu_request_parse(const char *option, const char *script,
		      struct slu_request *out, struct slu_err *err)
{
	return read_request(option, script, false, false, out, err);
}

/* A line like "#SBATCH hetjob", between the options of two components. */
static bool separates(const struct line *l)
{
	size_t len = (size_t)(l->end - l->p);

	return ((len > 6 && !strncmp(l->p, "#SLURM", 6)) ||
		(len > 7 && !strncmp(l->p, "#SBATCH", 7))) &&
	       (memmem(l->p, len, "hetjob", 6) ||
		memmem(l->p, len, "packjob", 7));
}

char *slu_request_component(const char *script, uint32_t component)
{
	struct slu_buf out = {0};
	struct line l = {0};
	bool past = false;     /* its own options */
	bool commands = false; /* requests have no effect any more */
	uint32_t at = 0;

	for (const char *line = script; next_line(&script, &l); line = script) {
		bool separator = separates(&l);
		enum said said = look(&l);

		at += separator;
		commands |= said == SAID_COMMAND;
		past |= at > component || commands;
		if (!component && past && !commands && said != SAID_NOTHING)
			slu_buf_puts(&out, "#EXCLUDED ");
		if (!component || l.number == 1 ||
		    (at == component && !past && !separator))
			slu_buf_add(&out, line, (size_t)(script - line));
		else if (!past) /* for the numbers of the lines after it */
			slu_buf_puts(&out, "\n");
	}
	if (component)
		slu_buf_puts(&out, "\nexit 0\n");
	return slu_buf_steal(&out);
}

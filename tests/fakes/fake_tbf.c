/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements the rule lists, the grammar of commands, and the token buckets. */
#include "config.h"
#include "tests/fakes/fake_tbf.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_RATE 10000
#define MAX_RATE     1000000

int fake_tbf_init(struct fake_tbf *tbf, unsigned cpts)
{
	*tbf = (struct fake_tbf){.policy = "fifo", .cpts = cpts};
	for (int h = 0; h < FAKE_HEADS; h++) {
		tbf->rule[h] = calloc(FAKE_RULES, sizeof(**tbf->rule));
		tbf->default_rate[h] = DEFAULT_RATE;
		if (!tbf->rule[h])
			return -1;
	}
	return 0;
}

void fake_tbf_free(struct fake_tbf *tbf)
{
	for (int h = 0; h < FAKE_HEADS; h++)
		free(tbf->rule[h]);
	*tbf = (struct fake_tbf){0};
}

int fake_tbf_set_policy(struct fake_tbf *tbf, const char *policy)
{
	static const char *const known[] = {
		"fifo",	   "tbf",     "tbf jobid",  "tbf nid", "tbf opcode",
		"tbf uid", "tbf gid", "tbf projid", NULL};

	for (const char *const *k = known; *k; k++) {
		if (strcmp(*k, policy) != 0 ||
		    (tbf->braces_only && strcmp(policy, "tbf projid") == 0))
			continue; /* projects are of 2.17 */
		if (strcmp(tbf->policy, policy) != 0)
			for (int h = 0; h < FAKE_HEADS; h++) {
				tbf->n[h] = 0; /* its rules are gone */
				tbf->default_rate[h] = DEFAULT_RATE;
			}
		slu_copy(tbf->policy, sizeof(tbf->policy), policy);
		return 0;
	}
	return EINVAL;
}

struct command {
	char verb[8], name[64], expr[FAKE_EXPR], rank[64];
	bool has_rate, has_rank;
	uint32_t rate;
};

/* "rate=20": digits only, above 0 and below a million. */
static int parse_rate(const char *text, struct command *c)
{
	if (!*text || text[strspn(text, "0123456789")] || strlen(text) > 6)
		return EINVAL;
	c->rate = (uint32_t)strtoul(text, NULL, 10);
	c->has_rate = true;
	return c->rate > 0 && c->rate < MAX_RATE ? 0 : EINVAL;
}

/* One word, where braces keep blanks together; ends are one blank each. */
static int next_word(const char **p, char *out, size_t size)
{
	size_t n = 0;
	int depth = 0;

	for (; **p && (depth > 0 || **p != ' '); (*p)++) {
		depth += (**p == '{') - (**p == '}');
		if (n + 1 >= size)
			return ENAMETOOLONG;
		out[n++] = **p;
	}
	out[n] = '\0';
	if (**p == ' ')
		(*p)++;
	return n > 0 && depth == 0 ? 0 : EINVAL;
}

static int parse_name(const char *name)
{
	if (name[strspn(name, "abcdefghijklmnopqrstuvwxyz"
			      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")])
		return EINVAL;
	return strlen(name) > 15 ? ENAMETOOLONG : 0;
}

static int parse_option(const char *word, struct command *c)
{
	if (strncmp(word, "rate=", 5) == 0)
		return parse_rate(word + 5, c);
	if (strncmp(word, "rank=", 5) == 0) {
		c->has_rank = true;
		return slu_copy(c->rank, sizeof(c->rank), word + 5) ? 0
								    : EINVAL;
	}
	return strncmp(word, "realtime=", 9) == 0 ? 0 : EINVAL;
}

/* Everything behind "reg " or "hp ". */
static int parse(const char *text, struct command *c)
{
	char word[512];
	int rc = next_word(&text, c->verb, sizeof(c->verb));

	if (rc == 0)
		rc = next_word(&text, c->name, sizeof(c->name));
	if (rc == 0)
		rc = parse_name(c->name);
	if (rc == 0 && strcmp(c->verb, "start") == 0)
		rc = next_word(&text, c->expr, sizeof(c->expr));
	while (rc == 0 && *text) {
		rc = next_word(&text, word, sizeof(word));
		if (rc == 0)
			rc = parse_option(word, c);
	}
	return rc;
}

/* Users, groups and projects are numbers; no wildcard. */
static bool is_bad_number(const char *expr, size_t key)
{
	static const char *const ids[] = {"uid", "gid", "projid"};
	const char *list = expr + key + 2;

	for (size_t i = 0; i < 3; i++)
		if (strlen(ids[i]) == key && strncmp(expr, ids[i], key) == 0)
			return list[strspn(list, "0123456789 ")] != '}';
	return false;
}

/* "jobid={a b}" for the type jobid; any keys for the generic type. */
static int check_expr(const struct fake_tbf *tbf, const char *expr)
{
	const char *type = tbf->policy + strcspn(tbf->policy, " ");
	size_t n = strcspn(expr, "=");

	type += *type == ' ';
	if (*type && (strlen(type) != n || strncmp(type, expr, n) != 0))
		return EINVAL;
	if (strncmp(expr + n, "={", 2) != 0 || expr[n + 2] == '}' ||
	    expr[strlen(expr) - 1] != '}')
		return EINVAL;
	return is_bad_number(expr, n) ? EINVAL : 0;
}

static size_t find(const struct fake_tbf *tbf, int h, const char *name)
{
	size_t i = 0;

	while (i < tbf->n[h] && strcmp(tbf->rule[h][i].name, name) != 0)
		i++;
	return i;
}

static void take_out(struct fake_tbf *tbf, int h, size_t i)
{
	tbf->n[h]--;
	memmove(&tbf->rule[h][i], &tbf->rule[h][i + 1],
		(tbf->n[h] - i) * sizeof(struct fake_rule));
}

static int put_in(struct fake_tbf *tbf, int h, const struct command *c,
		  struct fake_rule rule)
{
	size_t at = 0; /* on top */

	if (c->has_rank)
		at = find(tbf, h, c->rank); /* "default" is behind all */
	if (tbf->n[h] == FAKE_RULES)
		return ENOMEM;
	memmove(&tbf->rule[h][at + 1], &tbf->rule[h][at],
		(tbf->n[h] - at) * sizeof(rule));
	tbf->rule[h][at] = rule;
	tbf->n[h]++;
	return 0;
}

static bool has_place(const struct fake_tbf *tbf, int h,
		      const struct command *c)
{
	return !c->has_rank || strcmp(c->rank, "default") == 0 ||
	       find(tbf, h, c->rank) < tbf->n[h];
}

static int start(struct fake_tbf *tbf, int h, const struct command *c)
{
	struct fake_rule rule = {.rate = c->has_rate ? c->rate : DEFAULT_RATE};
	int rc = check_expr(tbf, c->expr);

	if (rc)
		return rc;
	if (strcmp(c->name, "default") == 0 ||
	    find(tbf, h, c->name) < tbf->n[h])
		return EEXIST;
	if (!has_place(tbf, h, c))
		return ENOENT;
	slu_copy(rule.name, sizeof(rule.name), c->name);
	slu_copy(rule.expr, sizeof(rule.expr), c->expr);
	rule.number = ++tbf->sequence;
	return put_in(tbf, h, c, rule);
}

static int change(struct fake_tbf *tbf, int h, const struct command *c)
{
	size_t i = find(tbf, h, c->name);
	struct fake_rule rule;

	if (strcmp(c->name, "default") == 0) {
		if (c->has_rate)
			tbf->default_rate[h] = c->rate;
		return c->has_rank ? EINVAL : 0;
	}
	if (i == tbf->n[h] || !has_place(tbf, h, c))
		return ENOENT;
	if (c->has_rate) {
		tbf->rule[h][i].rate = c->rate;
		tbf->rule[h][i].generation++;
	}
	if (!c->has_rank || strcmp(c->rank, c->name) == 0)
		return 0;
	rule = tbf->rule[h][i];
	take_out(tbf, h, i);
	return put_in(tbf, h, c, rule);
}

static int stop(struct fake_tbf *tbf, int h, const struct command *c)
{
	size_t i = find(tbf, h, c->name);

	if (strcmp(c->name, "default") == 0)
		return EPERM;
	if (i < tbf->n[h])
		take_out(tbf, h, i);
	return 0; /* also when there was none */
}

static int apply(struct fake_tbf *tbf, int h, const struct command *c)
{
	if (strcmp(c->verb, "start") == 0)
		return start(tbf, h, c);
	if (strcmp(c->verb, "change") == 0)
		return c->has_rate || c->has_rank ? change(tbf, h, c) : EINVAL;
	return strcmp(c->verb, "stop") == 0 ? stop(tbf, h, c) : EINVAL;
}

int fake_tbf_command(struct fake_tbf *tbf, const char *command)
{
	char text[4096];
	struct command c = {0};
	int first = 0, last = FAKE_HEADS - 1, rc;

	if (!slu_copy(text, sizeof(text), command))
		return EINVAL;
	text[strcspn(text, "\n")] = '\0';
	command = text;
	if (strncmp(command, "reg ", 4) == 0) {
		last = 0;
		command += 4;
	} else if (strncmp(command, "hp ", 3) == 0) {
		first = 1;
		command += 3;
	}
	if (strncmp(tbf->policy, "tbf", 3) != 0)
		return ENODEV;
	rc = parse(command, &c);
	for (int h = first; h <= last && rc == 0; h++)
		rc = apply(tbf, h, &c); /* not atomic: as in Lustre */
	return rc;
}

/* Lustre's: '*' alone is special. */
static bool wildcard(const char *pattern, const char *s)
{
	if (*pattern == '*')
		return wildcard(pattern + 1, s) ||
		       (*s && wildcard(pattern, s + 1));
	return *pattern == *s && (!*s || wildcard(pattern + 1, s + 1));
}

/* One of the patterns in the braces; key: "jobid". */
static bool matches(const char *expr, const char *key, const char *job)
{
	char list[FAKE_EXPR], *rest = list, *pattern;
	size_t n = strlen(key);

	if (strncmp(expr, key, n) != 0 || strncmp(expr + n, "={", 2) != 0)
		return false;
	slu_copy(list, sizeof(list), expr + n + 2);
	list[strcspn(list, "}")] = '\0';
	while ((pattern = strsep(&rest, " ")))
		if (wildcard(pattern, job))
			return true;
	return false;
}

const struct fake_rule *fake_tbf_match(const struct fake_tbf *tbf, int h,
				       const char *job)
{
	const char *type = strchr(tbf->policy, ' ');

	for (size_t i = 0; i < tbf->n[h]; i++)
		if (matches(tbf->rule[h][i].expr, type ? type + 1 : "jobid",
			    job))
			return &tbf->rule[h][i];
	return NULL;
}

static const char *client_of(const struct fake_tbf *tbf, const char *client)
{
	return strchr(tbf->policy, ' ') ? "" : client;
}

bool fake_tbf_is_class(const struct fake_tbf *tbf, const struct fake_class *c,
		       const char *job, const char *client, unsigned cpt)
{
	return c->cpt == cpt && strcmp(c->job, job) == 0 &&
	       strcmp(c->client, client_of(tbf, client)) == 0;
}

struct fake_class fake_tbf_class(const struct fake_tbf *tbf, const char *job,
				 const char *client, unsigned cpt)
{
	struct fake_class c = {.cpt = cpt};

	slu_copy(c.job, sizeof(c.job), job);
	slu_copy(c.client, sizeof(c.client), client_of(tbf, client));
	return c;
}

static const struct fake_rule *by_number(const struct fake_tbf *tbf,
					 uint32_t number)
{
	for (size_t i = 0; i < tbf->n[0]; i++)
		if (tbf->rule[0][i].number == number)
			return &tbf->rule[0][i];
	return NULL;
}

void fake_tbf_arrive(const struct fake_tbf *tbf, struct fake_class *c,
		     double now)
{
	const struct fake_rule *rule = by_number(tbf, c->rule);
	uint32_t number, generation;

	if (c->sequence != tbf->sequence || (!rule && c->rule > 0))
		rule = fake_tbf_match(tbf, 0, c->job);
	number = rule ? rule->number : 0;
	generation = rule ? rule->generation : 0;
	if (c->rate == 0 || number != c->rule || generation != c->generation) {
		c->tokens = FAKE_DEPTH;
		c->check = now;
	}
	c->rule = number;
	c->generation = generation;
	c->sequence = tbf->sequence;
	c->rate = rule ? rule->rate : tbf->default_rate[0];
}

static void dump_cpt(const struct fake_tbf *tbf, int h, unsigned cpt,
		     fake_classes_f *classes, void *arg, struct slu_buf *out)
{
	bool typed = strchr(tbf->policy, ' ') && tbf->braces_only;

	slu_buf_printf(out, "CPT %u:\n", cpt);
	for (size_t i = 0; i < tbf->n[h]; i++) {
		const struct fake_rule *r = &tbf->rule[h][i];

		slu_buf_printf(out, "%s %s %u, ref %u\n", r->name,
			       typed ? strchr(r->expr, '{') : r->expr, r->rate,
			       classes && h == 0 ? classes(arg, r, cpt) : 0);
	}
	slu_buf_printf(out, "default %s %u, ref 0\n", typed ? "{*}" : "*",
		       tbf->default_rate[h]);
}

int fake_tbf_dump(const struct fake_tbf *tbf, fake_classes_f *classes,
		  void *arg, struct slu_buf *out)
{
	if (strncmp(tbf->policy, "tbf", 3) != 0)
		return ENODEV;
	for (int h = 0; h < FAKE_HEADS; h++) {
		slu_buf_puts(out, h ? "high_priority_requests:\n"
				    : "regular_requests:\n");
		for (unsigned cpt = 0; cpt < tbf->cpts; cpt++)
			dump_cpt(tbf, h, cpt, classes, arg, out);
	}
	return 0;
}

static void dump_policy(const char *name, bool started, bool fallback,
			struct slu_buf *out)
{
	slu_buf_printf(out,
		       "  - name: %s\n    state: %s\n    fallback: %s\n"
		       "    queued: 0                   \n"
		       "    active: 0                   \n\n",
		       name, started ? "started" : "stopped",
		       fallback ? "yes" : "no");
}

void fake_tbf_dump_policies(const struct fake_tbf *tbf, struct slu_buf *out)
{
	bool fifo = strcmp(tbf->policy, "fifo") == 0;

	for (int h = 0; h < FAKE_HEADS; h++) {
		slu_buf_puts(out, h ? "high_priority_requests:\n"
				    : "\nregular_requests:\n");
		dump_policy("fifo", true, true, out);
		dump_policy("crrn", false, false, out);
		dump_policy(fifo ? "tbf" : tbf->policy, !fifo, false, out);
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses and formats rules. A line is parsed from the right ("RATE, ref N" ends
 * it in every version), since what a rule matches may contain blanks and
 * braces.
 */
#include "config.h"
#include "select_io/tbf/rules.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include "common/str.h"

/* Parses and removes the number at the end of [p, *end). */
static bool last_number(const char *p, const char **end, uint32_t *out)
{
	const char *digits = *end;
	unsigned long n;

	while (digits > p && isdigit((unsigned char)digits[-1]))
		digits--;
	n = strtoul(digits, NULL, 10);
	if (digits == *end || n > UINT32_MAX)
		return false;
	*out = (uint32_t)n;
	*end = digits;
	return true;
}

static bool last_word(const char *p, const char **end, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(*end - p) < n || memcmp(*end - n, word, n) != 0)
		return false;
	*end -= n;
	return true;
}

/* Parses "NAME MATCH RATE, ref N" in [p, end); Lustre allows up to 4,095 bytes.
 */
static bool parse_rule(const char *p, const char *end, struct slu_rule *rule)
{
	const char *blank;

	if (!last_number(p, &end, &rule->classes) ||
	    !last_word(p, &end, ", ref ") ||
	    !last_number(p, &end, &rule->rate) || !last_word(p, &end, " "))
		return false;
	blank = memchr(p, ' ', (size_t)(end - p));
	if (!blank)
		blank = end;
	if (blank == p || blank - p >= SLU_RULE_NAME)
		return false;
	snprintf(rule->name, sizeof(rule->name), "%.*s", (int)(blank - p), p);
	p = blank < end ? blank + 1 : end;
	snprintf(rule->match, sizeof(rule->match), "%.*s", (int)(end - p), p);
	return true;
}

static int add_rule(struct slu_rules *out, const struct slu_rule *rule,
		    struct slu_err *err)
{
	if (out->n == out->cap) {
		size_t cap = out->cap ? 2 * out->cap : 64;
		struct slu_rule *more = realloc(out->rule, cap * sizeof(*more));

		if (!more)
			return slu_err(err, SLU_NOMEM, "%zu rules", cap);
		out->rule = more;
		out->cap = cap;
	}
	out->rule[out->n++] = *rule;
	return 0;
}

/* Other CPTs list the same rules in the same order; their classes are added. */
static void add_classes(struct slu_rules *out, size_t *at,
			const struct slu_rule *rule)
{
	for (size_t i = 0; i < out->n; i++, *at = (*at + 1) % out->n)
		if (strcmp(out->rule[*at].name, rule->name) == 0) {
			out->rule[*at].classes += rule->classes;
			*at = (*at + 1) % out->n;
			return;
		}
}

int slu_rules_parse(struct slu_rules *out, const char *text,
		    struct slu_err *err)
{
	const char *p = strstr(text, "regular_requests:"), *end;
	struct slu_rule rule;
	unsigned cpts = 0;
	size_t at = 0;

	if (!p)
		return slu_err(err, SLU_INVALID,
			       "nrs_tbf_rule: no \"regular_requests:\"");
	out->n = 0;
	for (; *p && strncmp(p, "high_priority", 13) != 0;
	     p = *end ? end + 1 : end) {
		end = strchrnul(p, '\n');
		if (strncmp(p, "CPT ", 4) == 0) {
			cpts++;
			at = 0;
		} else if (!parse_rule(p, end, &rule)) {
			continue;
		} else if (cpts <= 1) {
			if (add_rule(out, &rule, err))
				return -1;
		} else if (out->n > 0) {
			add_classes(out, &at, &rule);
		}
	}
	out->cpts = cpts ? cpts : 1;
	return 0;
}

void slu_rules_free(struct slu_rules *rules)
{
	free(rules->rule);
	*rules = (struct slu_rules){0};
}

const struct slu_rule *slu_rules_find(const struct slu_rules *rules,
				      const char *name)
{
	for (size_t i = 0; i < rules->n; i++)
		if (strcmp(rules->rule[i].name, name) == 0)
			return &rules->rule[i];
	return NULL;
}

bool slu_rule_is_ours(const char *name)
{
	return strncmp(name, SLU_RULE_PREFIX, strlen(SLU_RULE_PREFIX)) == 0 ||
	       strncmp(name, SLU_RULE_EXEMPT, strlen(SLU_RULE_EXEMPT)) == 0;
}

/* The text after "word:" without surrounding blanks. */
static bool field(const char *line, const char *word, char *out, size_t size)
{
	size_t n = strlen(word);
	const char *end = strchrnul(line, '\n');

	while (line < end && (*line == ' ' || *line == '-'))
		line++;
	if (strncmp(line, word, n) != 0 || line[n] != ':')
		return false;
	line += n + 1;
	while (line < end && *line == ' ')
		line++;
	while (end > line && end[-1] == ' ')
		end--;
	snprintf(out, size, "%.*s", (int)(end - line), line);
	return true;
}

void slu_policy_parse(const char *text, char out[SLU_POLICY_SIZE])
{
	char name[SLU_POLICY_SIZE] = "", state[16] = "", fallback[8];
	const char *p = text, *end;

	*out = '\0';
	for (; *p && strncmp(p, "high_priority", 13) != 0;
	     p = *end ? end + 1 : end) {
		end = strchrnul(p, '\n');
		if (field(p, "name", name, sizeof(name)) ||
		    field(p, "state", state, sizeof(state)) ||
		    !field(p, "fallback", fallback, sizeof(fallback)) ||
		    strcmp(state, "started") != 0)
			continue;
		if (strcmp(fallback, "no") == 0 || !*out)
			slu_copy(out, SLU_POLICY_SIZE, name);
	}
}

bool slu_policy_is_ours(const char *policy)
{
	static const char *const ours[] = {"tbf", "tbf jobid", "tbf uid",
					   "tbf gid", "tbf projid"};

	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		if (strcmp(policy, ours[i]) == 0)
			return true;
	return false;
}

void slu_rule_name(const char *job, char out[SLU_RULE_NAME])
{
	const size_t room = SLU_RULE_NAME - 1 - strlen(SLU_RULE_PREFIX);
	size_t n = strlen(job), plain = 0;
	unsigned long long hash;

	while (isalnum((unsigned char)job[plain]) || job[plain] == '_')
		plain++;
	if (n > 0 && n == plain && n < room) {
		snprintf(out, SLU_RULE_NAME, SLU_RULE_PREFIX "%s", job);
		return;
	}
	/* 11 hexadecimal digits: longer than any plain id */
	hash = XXH3_64bits(job, strlen(job)) >> 20;
	snprintf(out, SLU_RULE_NAME, SLU_RULE_PREFIX "%011llx", hash);
}

/* Lustre 2.12 to 2.14 print other bytes as '?'. */
static bool is_plain(char c)
{
	return isgraph((unsigned char)c) && !strchr("{}*?,&=\"\\", c);
}

/* At most one '*': Lustre matches several with exponential backtracking, while
 * it holds a spinlock. */
bool slu_rule_match(const char *job, char out[SLU_RULE_MATCH])
{
	size_t n = strlen(job), head = 0, tail = 0;

	while (head < n && is_plain(job[head]))
		head++;
	while (tail < n - head && is_plain(job[n - 1 - tail]))
		tail++;
	snprintf(out, SLU_RULE_MATCH, "jobid={%.*s%s%s}", (int)head, job,
		 head < n ? "*" : "", job + n - tail);
	return head + tail > 0;
}

uint32_t slu_rule_rate(double rate, unsigned cpts)
{
	double each = ceil(rate / (cpts ? cpts : 1));

	if (!(each >= 1))
		return 1;
	return each > SLU_RULE_RATE_MAX ? SLU_RULE_RATE_MAX : (uint32_t)each;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Implements shell completion from the tables of commands, options and answers.
 */
#include "config.h"
#include "sysquery/cli/complete.h"

#include <string.h>
#include "sysquery/cli/options.h"

static void offer(struct slu_buf *out, const char *before, size_t n,
		  const char *word, const char *begun)
{
	if (strncmp(word, begun, strlen(begun)) == 0)
		slu_buf_printf(out, "%.*s%s\n", (int)n, before, word);
}

static void offer_commands(struct slu_buf *out, const char *begun)
{
	for (const struct slu_command *c = slu_commands; c->name; c++)
		offer(out, "", 0, c->name, begun);
}

static void offer_options(struct slu_buf *out, const struct slu_command *c,
			  const char *begun)
{
	for (const struct slu_cli_option *o = slu_options; o->key; o++)
		if (o->name && strncmp(begun, "--", 2) == 0 &&
		    (!c || slu_ask_takes(c, o->key) || o->key == 'h'))
			offer(out, "--", 2, o->name, begun + 2);
}

/* Completes the field after the last comma of a list, whose fields may have a
 * sign. */
static void offer_fields(struct slu_buf *out, const struct slu_form *answer,
			 const char *begun)
{
	const struct slu_answer_key *keys = answer->keys;
	const char *comma = strrchr(begun, ',');
	size_t n = comma ? (size_t)(comma + 1 - begun) : 0;

	n += begun[n] == '-' || begun[n] == '+';
	if (answer->main)
		keys = slu_key_find(keys, answer->main)->of;
	for (const struct slu_answer_key *k = keys; k && k->key; k++)
		if (k->is < SLU_IS_OBJECT)
			offer(out, begun, n, slu_key_name(k), begun + n);
}

static const struct slu_command *command_among(char *const *word, int n)
{
	for (int i = 0; i < n; i++)
		for (const struct slu_command *c = slu_commands; c->name; c++)
			if (strcmp(c->name, word[i]) == 0)
				return c;
	return NULL;
}

static bool wants_field(const struct slu_command *c, const char *option)
{
	return c && slu_ask_takes(c, SLU_OPT_FORMAT) &&
	       (strcmp(option, "-o") == 0 || strcmp(option, "--format") == 0 ||
		strcmp(option, "--sort") == 0);
}

void slu_complete(char *const *word, int n, struct slu_buf *out)
{
	const struct slu_command *c = command_among(word, n - 1);
	const char *begun = n ? word[n - 1] : "";

	if (n > 1 && wants_field(c, word[n - 2]))
		offer_fields(out, c->answer, begun);
	else if (*begun == '-')
		offer_options(out, c, strcmp(begun, "-") ? begun : "--");
	else if (!c)
		offer_commands(out, begun);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses the command line, by the tables of options and subcommands. The
 * original tool's options -n and -e take every word up to the next option, so
 * getopt() cannot parse it.
 */
#include "config.h"
#include "sysquery/cli/options.h"

#include <stdio.h>
#include <string.h>
#include "common/jsonx.h"

/* Does the option have a letter, besides its long name? */
static bool typed(const struct slu_cli_option *opt)
{
	return opt->key < SLU_OPT_FIRST;
}

/*
 * Long names may be abbreviated where that is unambiguous, as in getopt_long().
 */
static const struct slu_cli_option *find(const char *word, size_t len)
{
	const struct slu_cli_option *found = NULL;
	bool more = false;

	if (len == 2 && word[1] == '-')
		return NULL;
	for (const struct slu_cli_option *o = slu_options; o->key; o++) {
		if (typed(o) && word[1] == o->key)
			return o;
		if (word[1] != '-' || !o->name ||
		    strncmp(o->name, word + 2, len - 2))
			continue;
		if (strlen(o->name) + 2 == len)
			return o;
		more = found != NULL;
		found = o;
	}
	return more ? NULL : found;
}

static bool is_option(const char *word)
{
	return word && word[0] == '-' && word[1] != '\0';
}

/* A negative number is read as the option's value, so that the error says that
 * it is invalid. */
static bool is_negative(const char *word)
{
	return word[0] == '-' && word[1] >= '0' && word[1] <= '9';
}

/* May this word be the option's? A field to sort by may have a minus. */
static bool is_value(const struct slu_cli_option *opt, const char *word)
{
	return word && (!is_option(word) || is_negative(word) ||
			(opt->key == SLU_OPT_SORT && word[1] != '-'));
}

static bool is_count(const char *word)
{
	return word && *word && !word[strspn(word, "0123456789")];
}

static bool contains(const int *keys, size_t n, int key)
{
	for (size_t i = 0; i < n && keys[i]; i++)
		if (keys[i] == key)
			return true;
	return false;
}

/* The option at argv[*i], and its words; *i is left on the last of them. */
static int take_option(struct slu_ask *ask, char **argv, int *i,
		       struct slu_err *err)
{
	const char *word = argv[*i];
	size_t len = word[1] == '-' ? strcspn(word, "=") : 2;
	const struct slu_cli_option *opt = find(word, len);
	const char *value = word[len] == '=' ? word + len + 1 : word + len;

	if (!opt || (opt->takes == SLU_TAKES_NOTHING && *value))
		return slu_err(err, SLU_INVALID, "unknown option %s", word);
	if (!slu_ask_given(ask, opt->key) && ask->n_given < SLU_OPTIONS_MAX)
		ask->given[ask->n_given++] = opt->key;
	if (opt->takes == SLU_TAKES_NOTHING)
		return opt->set(ask, opt->arg, NULL, err);
	if (opt->takes == SLU_TAKES_MAYBE && !*value)
		value = is_count(argv[*i + 1]) && opt->key == SLU_OPT_WATCH
				? argv[++*i]
				: NULL;
	if (opt->takes == SLU_TAKES_MAYBE)
		return opt->set(ask, opt->arg, value, err) < 0
			       ? slu_err_prefix(err, "%s", word)
			       : 0;
	if (!*value) {
		if (!is_value(opt, argv[*i + 1]))
			return slu_err(err, SLU_INVALID, "%s needs a value",
				       word);
		value = argv[++*i];
	}
	if (opt->set(ask, opt->arg, value, err))
		return slu_err_prefix(err, "%s", word);
	while (opt->takes == SLU_TAKES_MANY && argv[*i + 1] &&
	       !is_option(argv[*i + 1]))
		if (opt->set(ask, opt->arg, argv[++*i], err))
			return slu_err_prefix(err, "%s", word);
	return 0;
}

static const struct slu_command *find_command(const char *name)
{
	for (const struct slu_command *c = slu_commands; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

static int unknown_command(const char *name, struct slu_err *err)
{
	const char *names[32] = {0}, *nearest;

	for (size_t i = 0; slu_commands[i].name && i < 31; i++)
		names[i] = slu_commands[i].name;
	nearest = slu_nearest(name, names);
	return slu_err(err, SLU_INVALID, "there is no command \"%s\"%s%s%s",
		       name, nearest ? "; did you mean " : "",
		       nearest ? nearest : "", nearest ? "?" : "");
}

/* Does what the command shows allow this one? */
static bool allows(const struct slu_form *answer, int key)
{
	switch (key) {
	case SLU_OPT_FORMAT:
	case SLU_OPT_SORT:
		return answer && (answer->rows || answer->main) && answer->keys;
	case SLU_OPT_STATE:
		return answer && answer->state;
	case SLU_OPT_SINCE:
	case SLU_OPT_UNTIL:
		return answer && answer->time;
	case SLU_OPT_LAST:
		return answer && answer->rows && !answer->map;
	}
	return false;
}

/* Is it an option of this command (NULL: of the original form)? */
static bool is_of(const struct slu_command *c, int key)
{
	static const int always[] = {'f', SLU_OPT_OUTPUT, SLU_OPT_JSON,
				     SLU_OPT_SERVER, 0},
			 tables[] = {SLU_OPT_TABLE, SLU_OPT_WIDE, SLU_OPT_WATCH,
				     0},
			 original[] = {'n', 'e', 'l', 'L', 'o', 0};

	if (!c)
		return contains(always, SLU_OPTIONS_MAX, key) ||
		       contains(original, SLU_OPTIONS_MAX, key);
	return contains(always, SLU_OPTIONS_MAX, key) ||
	       contains(tables, SLU_OPTIONS_MAX, key) || key == 'o' ||
	       allows(c->answer, key) ||
	       contains(c->options, SLU_OPTIONS_MAX, key);
}

bool slu_ask_takes(const struct slu_command *command, int key)
{
	return is_of(command, key);
}

/* -o is where the output goes, but where there are fields, these, as Slurm's
 * commands have it. */
static int settle_letter(struct slu_ask *ask, const struct slu_command *c,
			 struct slu_err *err)
{
	bool fields = c && allows(c->answer, SLU_OPT_FORMAT);
	const char **to = fields ? &ask->fields : &ask->output;

	if (!ask->letter)
		return 0;
	if (*to)
		return slu_err(err, SLU_INVALID,
			       "-o and --%s: want one of them",
			       fields ? "format" : "output");
	*to = ask->letter;
	return 0;
}

/* Options that exclude each other. */
static int check_forms(const struct slu_ask *ask, struct slu_err *err)
{
	const char *form = ask->table	 ? "--table"
			   : ask->wide	 ? "--wide"
			   : ask->fields ? "-o"
					 : NULL;

	if (ask->json && form)
		return slu_err(err, SLU_INVALID,
			       "--json and %s: want one of them", form);
	if (ask->json && (ask->list_hosts || ask->list_extractors))
		return slu_err(err, SLU_INVALID,
			       "lists are no JSON: want the command %s",
			       ask->list_hosts ? "hosts" : "extractors");
	if (ask->file && ask->server)
		return slu_err(err, SLU_INVALID,
			       "--filename and --server: want one of them");
	if (ask->watch && ask->output)
		return slu_err(err, SLU_INVALID,
			       "--watch and --output: want one of them");
	return 0;
}

/* Without a command and without what the original tool has: the summary. */
static const char *command_of(const struct slu_ask *ask)
{
	static const int original[] = {'f', 'n', 'e', 'l', 'L', 'o'};

	for (size_t i = 0; i < sizeof(original) / sizeof(original[0]); i++)
		if (slu_ask_given(ask, original[i]))
			return ask->command;
	return ask->command ? ask->command : "site";
}

/* Do options and operands belong to the command? */
static int check(struct slu_ask *ask, struct slu_err *err)
{
	const struct slu_command *c;

	ask->command =
		ask->help || ask->version ? ask->command : command_of(ask);
	c = ask->command ? find_command(ask->command) : NULL;
	if (settle_letter(ask, c, err))
		return -1;
	if (ask->help || ask->version)
		return 0;
	if (ask->command && !c)
		return unknown_command(ask->command, err);
	for (const struct slu_cli_option *o = slu_options; o->key; o++)
		if (slu_ask_given(ask, o->key) && !is_of(c, o->key))
			return slu_err(err, SLU_INVALID,
				       "--%s is not an option of %s", o->name,
				       c ? c->name : "this form");
	if (check_forms(ask, err))
		return -1;
	if (c && ask->n_operands > c->max_operands)
		return slu_err(err, SLU_INVALID, "%s: too many words: %s",
			       c->name, ask->operand[c->max_operands]);
	return 0;
}

int slu_ask_parse(struct slu_ask *ask, int argc, char **argv,
		  struct slu_err *err)
{
	*ask = (struct slu_ask){.args = json_object_new_object()};
	for (int i = 1; i < argc; i++) {
		if (is_option(argv[i])) {
			if (take_option(ask, argv, &i, err))
				return -1;
		} else if (!ask->command) {
			ask->command = argv[i];
		} else if (ask->n_operands < SLU_OPERANDS_MAX) {
			ask->operand[ask->n_operands++] = argv[i];
		} else {
			return slu_err(err, SLU_INVALID,
				       "more than %d words: %s",
				       SLU_OPERANDS_MAX, argv[i]);
		}
	}
	return check(ask, err);
}

void slu_ask_free(struct slu_ask *ask)
{
	json_object_put(ask->args);
}

/* ' ': it has none. */
static char letter_of(const struct slu_cli_option *o)
{
	if (o->key == SLU_OPT_FORMAT)
		return 'o'; /* see settle_letter() */
	return typed(o) ? (char)o->key : ' ';
}

static void help_option(const struct slu_cli_option *o, struct slu_buf *out)
{
	char left[64], letter = letter_of(o);
	bool has = letter != ' ';

	if (!o->name)
		return;
	snprintf(left, sizeof(left), "%c%c%c --%s%s%s", has ? '-' : ' ', letter,
		 has ? ',' : ' ', o->name,
		 o->takes == SLU_TAKES_ONE || o->takes == SLU_TAKES_MANY ? " "
									 : "",
		 o->value ? o->value : "");
	slu_buf_printf(out, "  %-26s %s\n", left, o->help);
}

/* Of all commands, or of this one. */
static void help_commands(const struct slu_command *one, struct slu_buf *out)
{
	char left[64];

	if (one) {
		slu_buf_printf(out, "Usage: sysquery %s%s%s [OPTION]...\n%s\n",
			       one->name, *one->operands ? " " : "",
			       one->operands, one->doc);
		return;
	}
	slu_buf_puts(out, "Usage: sysquery [-f DB] [-n HOST...] "
			  "[-e EXTRACTOR...] [-l | -L]\n"
			  "       sysquery COMMAND [OPTION]...\n"
			  "Ask what Sluice knows.\n\nCommands:\n");
	for (const struct slu_command *c = slu_commands; c->name; c++) {
		snprintf(left, sizeof(left), "%s %s", c->name, c->operands);
		slu_buf_printf(out, "  %-24s %s\n", left, c->doc);
	}
}

void slu_ask_help(const struct slu_ask *ask, struct slu_buf *out)
{
	const struct slu_command *c =
		ask->command ? find_command(ask->command) : NULL;

	help_commands(c, out);
	slu_buf_puts(out, "\nOptions:\n");
	for (const struct slu_cli_option *o = slu_options; o->key; o++)
		if (!c || is_of(c, o->key))
			help_option(o, out);
	slu_buf_puts(
		out,
		"\nExit status: 0 answered, 1 no answer could be had, 2 the "
		"question was wrong,\n3 there is no such thing, 4 the "
		"caller may not know, 5 check or doctor\nfound something "
		"wrong.\n");
}

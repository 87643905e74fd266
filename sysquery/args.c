/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line. The original tool's options -n and -e take every word up
 * to the next option, so getopt() cannot read it. Options that belong to a
 * question go straight into its arguments.
 */
#include "config.h"
#include "sysquery/ask.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "common/jsonx.h"
#include "common/size.h"
#include "sysquery/when.h"

enum takes { NOTHING, ONE, MANY };

struct opt {
	int key;
	const char *name, *value, *help;
	enum takes takes;
	int (*set)(struct slu_ask *ask, const char *arg, const char *value,
		   struct slu_err *err);
	const char *arg; /* the argument of the question that it sets */
};

#define TEXT(field)                                                    \
	static int set_##field(struct slu_ask *ask, const char *arg,   \
			       const char *value, struct slu_err *err) \
	{                                                              \
		(void)arg, (void)err;                                  \
		ask->field = value;                                    \
		return 0;                                              \
	}
TEXT(file)
TEXT(server)
TEXT(output)

#define FLAG(field)                                                    \
	static int set_##field(struct slu_ask *ask, const char *arg,   \
			       const char *value, struct slu_err *err) \
	{                                                              \
		(void)arg, (void)value, (void)err;                     \
		ask->field = true;                                     \
		return 0;                                              \
	}
FLAG(accuracy)
FLAG(json)
FLAG(table)
FLAG(wide)
FLAG(list_hosts)
FLAG(list_extractors)
FLAG(help)
FLAG(version)

/* The array of this name among the arguments, made when missing. */
static struct json_object *list_of(struct slu_ask *ask, const char *key)
{
	struct json_object *list;

	if (json_object_object_get_ex(ask->args, key, &list))
		return list;
	list = json_object_new_array();
	json_object_object_add(ask->args, key, list);
	return list;
}

int slu_ask_add_hosts(struct slu_ask *ask, const char *value,
		      struct slu_err *err)
{
	struct json_object *list = list_of(ask, "hosts");
	struct slu_hosts hosts;

	if (slu_hosts_parse(value, &hosts, err))
		return -1;
	for (size_t i = 0; i < hosts.n; i++)
		json_object_array_add(list,
				      json_object_new_string(hosts.name[i]));
	slu_hosts_free(&hosts);
	return 0;
}

static int add_hosts(struct slu_ask *ask, const char *arg, const char *value,
		     struct slu_err *err)
{
	(void)arg;
	return slu_ask_add_hosts(ask, value, err);
}

static int add_words(struct slu_ask *ask, const char *arg, const char *value,
		     struct slu_err *err)
{
	struct json_object *list = list_of(ask, arg);
	char *copy = strdup(value), *rest = copy, *name;

	if (!copy)
		return slu_err(err, SLU_NOMEM, "out of memory");
	while ((name = strsep(&rest, ",")))
		if (*name)
			json_object_array_add(list,
					      json_object_new_string(name));
	free(copy);
	return 0;
}

int slu_ask_number(struct slu_ask *ask, const char *key, const char *value,
		   struct slu_err *err)
{
	unsigned long long number;
	char *end;

	errno = 0;
	number = strtoull(value, &end, 10);
	if (errno || *end || *value < '0' || *value > '9' || number > INT64_MAX)
		return slu_err(err, SLU_INVALID, "\"%s\" is no number", value);
	slu_json_set_u64(ask->args, key, number);
	return 0;
}

static int put_text(struct slu_ask *ask, const char *arg, const char *value,
		    struct slu_err *err)
{
	(void)err;
	slu_json_set_str(ask->args, arg, value);
	return 0;
}

static int put_size(struct slu_ask *ask, const char *arg, const char *value,
		    struct slu_err *err)
{
	uint64_t bytes;

	if (slu_size_parse(value, &bytes, err))
		return -1;
	slu_json_set_u64(ask->args, arg, bytes);
	return 0;
}

static int put_seconds(struct slu_ask *ask, const char *arg, const char *value,
		       struct slu_err *err)
{
	int64_t seconds;

	if (slu_seconds_parse(value, &seconds, err))
		return -1;
	slu_json_set_i64(ask->args, arg, seconds);
	return 0;
}

static int put_time(struct slu_ask *ask, const char *arg, const char *value,
		    struct slu_err *err)
{
	int64_t when;

	if (slu_when_parse(value, time(NULL), &when, err))
		return -1;
	slu_json_set_i64(ask->args, arg, when);
	return 0;
}

static int put_minutes(struct slu_ask *ask, const char *arg, const char *value,
		       struct slu_err *err)
{
	int64_t minutes;

	if (slu_limit_parse(value, &minutes, err))
		return -1;
	slu_json_set_i64(ask->args, arg, minutes);
	return 0;
}

static int put_share(struct slu_ask *ask, const char *arg, const char *value,
		     struct slu_err *err)
{
	char *end;
	double share = strtod(value, &end);

	if (end == value || *end || !(share > 0 && share < 1))
		return slu_err(err, SLU_INVALID,
			       "\"%s\" is no share between 0 and 1", value);
	slu_json_set_double(ask->args, arg, share);
	return 0;
}

static int put_user(struct slu_ask *ask, const char *arg, const char *value,
		    struct slu_err *err)
{
	struct passwd *pw = getpwnam(value);

	if (!pw && slu_ask_number(ask, arg, value, err) < 0)
		return slu_err(err, SLU_INVALID, "there is no user \"%s\"",
			       value);
	if (pw)
		slu_json_set_u64(ask->args, arg, pw->pw_uid);
	return 0;
}

/* The same as to name it after the question. */
static int put_job(struct slu_ask *ask, const char *arg, const char *value,
		   struct slu_err *err)
{
	(void)arg;
	if (ask->n_operands)
		return slu_err(err, SLU_INVALID, "one job at a time");
	ask->operand[ask->n_operands++] = value;
	return 0;
}

static const struct opt opts[] = {
	{'f', "filename", "DB", "ask this database instead of sluiced", ONE,
	 set_file, NULL},
	{SLU_OPT_SERVER, "server", "HOST:PORT", "ask the sluiced there", ONE,
	 set_server, NULL},
	{'n', "hosts", "HOST...", "of these hosts only: n[1-4] or n1 n2", MANY,
	 add_hosts, NULL},
	{'e', "extractors", "NAME...", "of these extractors only", MANY,
	 add_words, "extractors"},
	{'l', "list-hosts", NULL, "list the hosts, one a line", NOTHING,
	 set_list_hosts, NULL},
	{'L', "list-extractors", NULL, "list the extractors, one a line",
	 NOTHING, set_list_extractors, NULL},
	{'o', "output", "FILE", "write there instead of standard output", ONE,
	 set_output, NULL},
	{SLU_OPT_JSON, "json", NULL, "JSON, also on a terminal", NOTHING,
	 set_json, NULL},
	{SLU_OPT_TABLE, "table", NULL, "a table, also into a file", NOTHING,
	 set_table, NULL},
	{SLU_OPT_WIDE, "wide", NULL, "a table of which nothing is cut", NOTHING,
	 set_wide, NULL},
	{SLU_OPT_WHERE, "where", "CONDITION",
	 "of hosts: for which this SQL holds", ONE, put_text, "where"},
	{SLU_OPT_SINCE, "since", "TIME",
	 "of diff, reports, page, backtest: 2026-11-20T12:30, 3d", ONE,
	 put_time, "since"},
	{SLU_OPT_NOW, "now", "TIME", "of page: as of then", ONE, put_time,
	 "now"},
	{SLU_OPT_LAST, "last", "N", "of jobs, I/O nodes: so many", ONE,
	 slu_ask_number, "last"},
	{SLU_OPT_EXPLAIN, "explain", "JOBID",
	 "of I/O nodes: this job, and its curve", ONE, slu_ask_number,
	 "job_id"},
	{SLU_OPT_JOB, "job", "JOBID", "of buffers: of this job, in detail", ONE,
	 put_job, NULL},
	{SLU_OPT_POLICY, "policy", "NAME",
	 "of I/O nodes: what if this were the policy", ONE, put_text, "policy"},
	{SLU_OPT_IONS, "ions", "N", "of I/O nodes: what if there were so many",
	 ONE, slu_ask_number, "pool"},
	{SLU_OPT_WITHOUT, "without", "JOBID",
	 "of I/O nodes: what if this job did not run", ONE, slu_ask_number,
	 "without"},
	{SLU_OPT_USER, "user", "NAME",
	 "of jobs, predictions, reports, page: this user's", ONE, put_user,
	 "uid"},
	{SLU_OPT_NAME, "name", "NAME",
	 "of a prediction, osts place: the job's name", ONE, put_text, "name"},
	{SLU_OPT_NODES, "nodes", "N", "of a prediction: its number of nodes",
	 ONE, slu_ask_number, "nodes"},
	{SLU_OPT_LIMIT, "limit", "TIME",
	 "of a prediction: minutes, HH:MM:SS, UNLIMITED", ONE, put_minutes,
	 "limit"},
	{SLU_OPT_PARTITION, "partition", "NAME",
	 "of a prediction: its partition", ONE, put_text, "partition"},
	{SLU_OPT_ACCOUNT, "account", "NAME",
	 "of a prediction, a report: its account", ONE, put_text, "account"},
	{SLU_OPT_STRIPE_SIZE, "stripe-size", "SIZE",
	 "of a prediction: of its files", ONE, put_size, "stripe_size"},
	{SLU_OPT_ELAPSED, "elapsed", "TIME",
	 "of a prediction: it has run so long", ONE, put_seconds, "elapsed"},
	{SLU_OPT_ACCURACY, "accuracy", NULL,
	 "of jobs: how good predictions were", NOTHING, set_accuracy, NULL},
	{SLU_OPT_MODE, "mode", "MODE", "of a backtest: this PredictMode only",
	 ONE, put_text, "mode"},
	{SLU_OPT_QUANTILE, "quantile", "SHARE",
	 "of a backtest: instead of PredictQuantile", ONE, put_share,
	 "quantile"},
	{SLU_OPT_MACHINE, "machine", "N",
	 "of a backtest: so many processors, or nodes", ONE, slu_ask_number,
	 "machine"},
	{SLU_OPT_STRIPES, "stripes", "N", "of osts place: targets of each file",
	 ONE, slu_ask_number, "stripes"},
	{SLU_OPT_SIZE, "size", "SIZE",
	 "of osts place, stripe explain: bytes of the file", ONE, put_size,
	 "size"},
	{SLU_OPT_COUNT, "count", "N", "of osts place: so many files at once",
	 ONE, slu_ask_number, "files"},
	{SLU_OPT_ACCESS, "access", "HOW",
	 "of stripe explain: sequential or random", ONE, put_text, "access"},
	{SLU_OPT_READERS, "readers", "N",
	 "of stripe explain: processes that read at once", ONE, slu_ask_number,
	 "readers"},
	{SLU_OPT_FSNAME, "fsname", "NAME",
	 "of osts place, stripe explain: of which Lustre", ONE, put_text,
	 "fsname"},
	{SLU_OPT_TARGETS, "targets", "N",
	 "of stripe explain: targets there are", ONE, slu_ask_number,
	 "targets"},
	{SLU_OPT_LUSTRE, "lustre", "VERSION",
	 "of stripe explain: of the servers", ONE, put_text, "lustre"},
	{SLU_OPT_PRESET, "preset", "NAME",
	 "of stripe explain: a published layout", ONE, put_text, "preset"},
	{'h', "help", NULL, "show this", NOTHING, set_help, NULL},
	{SLU_OPT_VERSION, "version", NULL, "show the version", NOTHING,
	 set_version, NULL},
	{.key = 0},
};

/* Has it a letter? */
static bool typed(const struct opt *opt)
{
	return opt->key < SLU_OPT_FIRST;
}

/* Long names may be cut short where that is clear, as getopt_long() has it. */
static const struct opt *find(const char *word, size_t len)
{
	const struct opt *found = NULL;
	bool more = false;

	if (len == 2 && word[1] == '-')
		return NULL;
	for (const struct opt *o = opts; o->key; o++) {
		if (typed(o) && word[1] == o->key)
			return o;
		if (word[1] != '-' || strncmp(o->name, word + 2, len - 2))
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

/* A value that is wrong, and to be told so. */
static bool is_negative(const char *word)
{
	return word[0] == '-' && word[1] >= '0' && word[1] <= '9';
}

static bool contains(const int *keys, size_t n, int key)
{
	for (size_t i = 0; i < n && keys[i]; i++)
		if (keys[i] == key)
			return true;
	return false;
}

bool slu_ask_given(const struct slu_ask *ask, int key)
{
	return contains(ask->given, ask->n_given, key);
}

/* The option at argv[*i], and its words; *i is left on the last of them. */
static int take_option(struct slu_ask *ask, char **argv, int *i,
		       struct slu_err *err)
{
	const char *word = argv[*i];
	size_t len = word[1] == '-' ? strcspn(word, "=") : 2;
	const struct opt *opt = find(word, len);
	const char *value = word[len] == '=' ? word + len + 1 : word + len;

	if (!opt || (opt->takes == NOTHING && *value))
		return slu_err(err, SLU_INVALID, "unknown option %s", word);
	if (!slu_ask_given(ask, opt->key) && ask->n_given < SLU_OPTIONS_MAX)
		ask->given[ask->n_given++] = opt->key;
	if (opt->takes == NOTHING)
		return opt->set(ask, opt->arg, NULL, err);
	if (!*value) {
		if (!argv[*i + 1] ||
		    (is_option(argv[*i + 1]) && !is_negative(argv[*i + 1])))
			return slu_err(err, SLU_INVALID, "%s needs a value",
				       word);
		value = argv[++*i];
	}
	if (opt->set(ask, opt->arg, value, err))
		return slu_err_prefix(err, "%s", word);
	while (opt->takes == MANY && argv[*i + 1] && !is_option(argv[*i + 1]))
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

/* Is it an option of this command (NULL: of the original form)? */
static bool is_of(const struct slu_command *c, int key)
{
	static const int always[] = {'f', 'o', SLU_OPT_JSON, SLU_OPT_SERVER, 0},
			 original[] = {'n', 'e', 'l', 'L', 0};

	return contains(always, SLU_OPTIONS_MAX, key) ||
	       (c && (key == SLU_OPT_TABLE || key == SLU_OPT_WIDE)) ||
	       contains(c ? c->options : original, SLU_OPTIONS_MAX, key);
}

/* Do options and operands belong to the command? */
static int check(const struct slu_ask *ask, struct slu_err *err)
{
	const struct slu_command *c =
		ask->command ? find_command(ask->command) : NULL;

	if (ask->help || ask->version)
		return 0;
	if (ask->command && !c)
		return unknown_command(ask->command, err);
	for (const struct opt *o = opts; o->key; o++)
		if (slu_ask_given(ask, o->key) && !is_of(c, o->key))
			return slu_err(err, SLU_INVALID,
				       "--%s is not an option of %s", o->name,
				       c ? c->name : "this form");
	if (ask->json && (ask->table || ask->wide))
		return slu_err(err, SLU_INVALID,
			       "--json and --%s: want one of them",
			       ask->table ? "table" : "wide");
	if (ask->json && (ask->list_hosts || ask->list_extractors))
		return slu_err(err, SLU_INVALID,
			       "lists are no JSON: want the command %s",
			       ask->list_hosts ? "hosts" : "extractors");
	if (ask->file && ask->server)
		return slu_err(err, SLU_INVALID,
			       "--filename and --server: want one of them");
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

static void help_option(const struct opt *o, struct slu_buf *out)
{
	char left[64];

	snprintf(left, sizeof(left), "%c%c%c --%s %s", typed(o) ? '-' : ' ',
		 typed(o) ? o->key : ' ', typed(o) ? ',' : ' ', o->name,
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
	for (const struct opt *o = opts; o->key; o++)
		if (!c || is_of(c, o->key))
			help_option(o, out);
	slu_buf_puts(
		out,
		"\nExit status: 0 answered, 1 no answer could be had, 2 the "
		"question was wrong,\n3 there is no such thing, 4 the "
		"caller may not know, 5 check found something.\n");
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_CLI_ASK_H
#define SLU_SYSQUERY_CLI_ASK_H

/*
 * Parses sysquery's command line, asks the question, and shows the answer: the
 * interface between the files of cli/ and the subcommands. Each subcommand is a
 * row in subcommands.c and a file below cmd/, which asks the database of -f, or
 * sluiced, and defines the table for the answer.
 */

#include <json-c/json.h>
#include <stdio.h>
#include "common/hostlist.h"
#include "common/table.h"
#include "store/db.h"
#include "sysquery/answers/answers.h"
#include "sysquery/answers/colors.h"

#define SLU_OPERANDS_MAX 64
#define SLU_OPTIONS_MAX	 64
#define SLU_COLUMNS_MAX	 40

/* The key of an option is its letter, or one of these if it has none. */
enum slu_opt {
	SLU_OPT_FIRST = 256,
	SLU_OPT_SERVER = SLU_OPT_FIRST,
	SLU_OPT_JSON,
	SLU_OPT_TABLE,
	SLU_OPT_WHERE,
	SLU_OPT_SINCE,
	SLU_OPT_NOW,
	SLU_OPT_LAST,
	SLU_OPT_EXPLAIN,
	SLU_OPT_JOB,
	SLU_OPT_POLICY,
	SLU_OPT_IONS,
	SLU_OPT_WITHOUT,
	SLU_OPT_USER,
	SLU_OPT_NAME,
	SLU_OPT_FSNAME,
	SLU_OPT_LUSTRE,
	SLU_OPT_NODES,
	SLU_OPT_LIMIT,
	SLU_OPT_PARTITION,
	SLU_OPT_ACCOUNT,
	SLU_OPT_STRIPE_SIZE,
	SLU_OPT_ELAPSED,
	SLU_OPT_ACCURACY,
	SLU_OPT_REPLAY,
	SLU_OPT_PLOT,
	SLU_OPT_MODE,
	SLU_OPT_QUANTILE,
	SLU_OPT_MACHINE,
	SLU_OPT_STRIPES,
	SLU_OPT_SIZE,
	SLU_OPT_COUNT,
	SLU_OPT_ACCESS,
	SLU_OPT_READERS,
	SLU_OPT_TARGETS,
	SLU_OPT_PRESET,
	SLU_OPT_TASKS,
	SLU_OPT_TARGET_RATE,
	SLU_OPT_MDT,
	SLU_OPT_POOL,
	SLU_OPT_TOP,
	SLU_OPT_OUTPUT,
	SLU_OPT_WIDE,
	SLU_OPT_FORMAT,
	SLU_OPT_SORT,
	SLU_OPT_STATE,
	SLU_OPT_UNTIL,
	SLU_OPT_WATCH,
	SLU_OPT_VERSION,
};

struct slu_ask {
	const char *file;   /* -f: the database; NULL: ask sluiced */
	const char *server; /* --server: HOST:PORT; NULL: DaemonAddr's */
	const char *output; /* --output */
	const char *letter; /* -o: the same without a command, else fields */
	const char *fields, *sort, *state; /* NULL: not given */
	bool json, table; /* neither: a table on a terminal, else JSON */
	bool bare;	  /* --json=0: without schema and units */
	unsigned watch;	  /* seconds; 0: once */
	bool wide;	  /* --wide: nothing is omitted or cut */
	bool whole;	  /* about one item: its sentences are not cut */
	bool accuracy;	  /* --accuracy */
	bool replay;	  /* --replay */
	const char *plot; /* --plot */
	/* --explain */
	const char *explain;
	bool list_hosts, list_extractors, help, version;
	const char *command; /* NULL: the original tool's form */
	const char *operand[SLU_OPERANDS_MAX];
	size_t n_operands;
	struct json_object *args;   /* arguments of the question */
	bool differs;		    /* set by check: it has found differences */
	int given[SLU_OPTIONS_MAX]; /* keys of options, each once */
	size_t n_given;
};

/* Its options are those of all commands, those that its answer allows (-o,
 * --sort, --state, ...: see is_of() in args.c), and these. */
struct slu_command {
	const char *name;
	const char *operands; /* as in the usage line */
	const char *doc;
	int options[16]; /* their keys; 0 ends them */
	size_t max_operands;
	int (*run)(struct slu_ask *ask, struct slu_err *err);
	const struct slu_form *answer; /* its answer; NULL: not of rows */
};
extern const struct slu_command slu_commands[]; /* name NULL ends it */

/* args.c: the command line. Texts are argv's; slu_ask_free frees the rest. */
int slu_ask_parse(struct slu_ask *ask, int argc, char **argv,
		  struct slu_err *err);
void slu_ask_free(struct slu_ask *ask);
/* Add a host list (in brackets) to the question. */
int slu_ask_add_hosts(struct slu_ask *ask, const char *hosts,
		      struct slu_err *err);
/* Store a number as an argument of the question. */
int slu_ask_number(struct slu_ask *ask, const char *key, const char *value,
		   struct slu_err *err);
/* The same of a job's number, as job_id. Of a task of an array ("17_3") the
 * error says which numbers it has. */
int slu_ask_job(struct slu_ask *ask, const char *value, struct slu_err *err);
/* Does the command (NULL: the original form) take the option with this key? */
bool slu_ask_takes(const struct slu_command *command, int key);
/* The text of --help, for the command if there is one. */
void slu_ask_help(const struct slu_ask *ask, struct slu_buf *out);

/* given.c: was the option with this key given? */
bool slu_ask_given(const struct slu_ask *ask, int key);

/* show_answer.c: ask a question; *out is its JSON. Fails with -f for those that
 * only sluiced can answer. */
int slu_ask_text(const struct slu_ask *ask, const char *question,
		 struct slu_buf *out, struct slu_err *err);
/* The database of -f, as a query; NULL: error. Caller closes. */
struct slu_query;
struct slu_db *slu_ask_open(const struct slu_ask *ask, const char *question,
			    const struct slu_query **query,
			    struct slu_err *err);
/* POST to sluiced, with any path; fails with -f. */
int slu_ask_post(const struct slu_ask *ask, const char *path, const char *body,
		 size_t len, struct slu_buf *out, struct slu_err *err);
/* answer_parts.c: ask, and write the documents as JSON to the output while they
 * arrive: those of many hosts may not fit in memory. envelope: with schema and
 * version, unless --json=0. */
int slu_ask_documents(const struct slu_ask *ask, bool envelope,
		      struct slu_err *err);
/* answer_parts.c: ask for the documents of a few hosts at a time, each answer
 * an object {HOST:{...},...}, so that none is too long; `part` returns -1 to
 * stop. */
typedef int slu_part_f(void *arg, const struct slu_buf *text,
		       struct slu_err *err);
int slu_ask_parts(const struct slu_ask *ask, slu_part_f *part, void *arg,
		  struct slu_err *err);
/* answer_parts.c: a file for output that is written in parts: {.path} (NULL:
 * standard output), opened at the first part. Call slu_sink_end() last, with
 * the result. */
struct slu_sink {
	const char *path, *name;
	FILE *file;
};
int slu_sink_put(void *sink, const void *data, size_t len, struct slu_err *err);
int slu_sink_end(struct slu_sink *sink, int ret, struct slu_err *err);
/* The answer to a question, parsed. Caller puts. */
struct json_object *slu_ask_object(const struct slu_ask *ask,
				   const char *question, struct slu_err *err);
/* Write an answer to the output. */
int slu_ask_write(const struct slu_ask *ask, const struct slu_buf *text,
		  struct slu_err *err);
/* Write an answer as JSON: rows as they were selected, with schema and units
 * (see answers.h; an answer without a table there is written unchanged). */
int slu_ask_json(const struct slu_ask *ask, const char *name,
		 struct json_object *said, struct slu_err *err);
/* All of a simple subcommand: ask, and show as JSON, or as a table with these
 * columns (NULL: those of the answer). */
int slu_ask_show(const struct slu_ask *ask, const char *question,
		 const struct slu_column *columns, struct slu_err *err);
/* The same for a table that needs more than columns: `render` prints it. */
typedef int slu_render_f(const struct slu_ask *ask, struct json_object *answer,
			 struct slu_buf *out, struct slu_err *err);
int slu_ask_render(const struct slu_ask *ask, const char *question,
		   slu_render_f *render, struct slu_err *err);
/* The second half of that, for an answer that is there already. */
int slu_ask_present(const struct slu_ask *ask, const char *name,
		    struct json_object *answer, slu_render_f *render,
		    struct slu_err *err);
/* With --plot: write to that file what `draw` makes of the answer. */
int slu_ask_plot(const struct slu_ask *ask,
		 void (*draw)(struct json_object *answer, struct slu_buf *out),
		 struct json_object *answer, struct slu_err *err);
/* Is there nothing to ask: no -f, no --server, and no sluice.conf on this host?
 */
bool slu_ask_nobody(const struct slu_ask *ask);
/* terminal.c: is the output a terminal? */
bool slu_ask_terminal(const struct slu_ask *ask);
/* Is the output a table? */
bool slu_ask_table(const struct slu_ask *ask);
/* A heading (NULL: none) and a table, with an empty line before all but the
 * first; nothing if there are no rows. */
int slu_ask_section(const struct slu_ask *ask, const char *heading,
		    struct json_object *rows, const struct slu_column *columns,
		    struct slu_buf *out, struct slu_err *err);
/* Before an answer is shown again (--watch): clears the screen and prints the
 * time. */
void slu_ask_clear_screen(const struct slu_ask *ask, FILE *out);
/* How tables look on this output. */
struct slu_table_look slu_ask_look(const struct slu_ask *ask);
/* A table in that style, with its title line even without rows (see
 * slu_table()). */
int slu_ask_tabulate(const struct slu_ask *ask, struct json_object *rows,
		     const struct slu_column *columns, struct slu_buf *out,
		     struct slu_err *err);
/* A sentence and a newline, broken to the terminal's width and made safe for
 * it. Not for text that is to be copied into a shell. */
void slu_ask_say(const struct slu_ask *ask, struct slu_buf *out,
		 const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A command with its operand, made safe but not broken, to be copied into a
 * shell. */
void slu_ask_say_command(struct slu_buf *out, const char *command,
			 const char *operand);

/* row_filter.c: does each state of --state exist in this answer (NULL: any)? */
int slu_ask_check_states(const struct slu_ask *ask,
			 const struct slu_form *answer, struct slu_err *err);
/* Select and sort these rows in place, by --state, --since, --until, --last and
 * --sort. */
int slu_ask_narrow(const struct slu_ask *ask, const struct slu_form *answer,
		   struct json_object **rows, struct slu_err *err);
/* The columns of keys that have a title, or those of -o. A NULL key ends them.
 */
int slu_ask_columns(const struct slu_ask *ask,
		    const struct slu_answer_key *keys,
		    struct slu_column column[SLU_COLUMNS_MAX + 1],
		    struct slu_err *err);
/* A list in an object, with these keys, as a table with their columns; a
 * heading as above. Nothing if there is no such list, or if -o selects one
 * table. */
int slu_ask_part(const struct slu_ask *ask, const char *heading,
		 struct json_object *object, const struct slu_answer_key *keys,
		 const char *key, struct slu_buf *out, struct slu_err *err);
/* Both, as a table: for the list that an answer is, or for its `main` one. */
int slu_ask_list(const struct slu_ask *ask, const struct slu_form *answer,
		 struct json_object *rows, struct slu_buf *out,
		 struct slu_err *err);

/* cmd/site/page.c: the document of the page (page/page.h), with since and now
 * from the arguments. Caller frees with json_object_put(). */
struct json_object *slu_ask_page(struct slu_ask *ask, struct slu_err *err);

/* cmd/ */
int slu_cmd_original(struct slu_ask *ask, struct slu_err *err);
int slu_cmd_site(struct slu_ask *ask, struct slu_err *err);
int slu_cmd_schema(struct slu_ask *ask, struct slu_err *err);
int slu_cmd_resources(struct slu_ask *ask, struct slu_err *err);
int slu_cmd_hosts(struct slu_ask *ask, struct slu_err *err);
int slu_cmd_extractors(struct slu_ask *ask, struct slu_err *err);
int slu_cmd_check(struct slu_ask *ask, struct slu_err *err);
int slu_cmd_sql(struct slu_ask *ask, struct slu_err *err);
int slu_cmd_history(struct slu_ask *ask, struct slu_err *err);
int slu_cmd_diff(struct slu_ask *ask, struct slu_err *err);
int slu_cmd_buffers(struct slu_ask *ask, struct slu_err *err);
int slu_cmd_ions(struct slu_ask *ask, struct slu_err *err);
int slu_cmd_osts(struct slu_ask *ask, struct slu_err *err);
int slu_cmd_stripe(struct slu_ask *ask, struct slu_err *err);
int slu_cmd_job(struct slu_ask *ask, struct slu_err *err);
int slu_cmd_jobs(struct slu_ask *ask, struct slu_err *err);
int slu_cmd_report(struct slu_ask *ask, struct slu_err *err);
int slu_cmd_backtest(struct slu_ask *ask, struct slu_err *err);
int slu_cmd_start(struct slu_ask *ask, struct slu_err *err);
int slu_cmd_iostart(struct slu_ask *ask, struct slu_err *err);
int slu_cmd_prestage(struct slu_ask *ask, struct slu_err *err);
int slu_cmd_why(struct slu_ask *ask, struct slu_err *err);
int slu_cmd_predict(struct slu_ask *ask, struct slu_err *err);
int slu_cmd_page(struct slu_ask *ask, struct slu_err *err);
int slu_cmd_import(struct slu_ask *ask, struct slu_err *err);
int slu_cmd_doctor(struct slu_ask *ask, struct slu_err *err);
int slu_cmd_dump(struct slu_ask *ask, struct slu_err *err);
int slu_cmd_check_integrity(struct slu_ask *ask, struct slu_err *err);

#endif

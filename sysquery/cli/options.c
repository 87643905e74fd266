/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Defines the table of options, and what each changes in the query. An option
 * that belongs to a single question is put into the question's arguments
 * directly.
 */
#include "config.h"
#include "sysquery/cli/options.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "common/conf_values.h"
#include "common/jsonx.h"
#include "common/size.h"
#include "sysquery/cli/time_text.h"

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
TEXT(letter)
TEXT(fields)
TEXT(sort)
TEXT(plot)
TEXT(explain)

#define FLAG(field)                                                    \
	static int set_##field(struct slu_ask *ask, const char *arg,   \
			       const char *value, struct slu_err *err) \
	{                                                              \
		(void)arg, (void)value, (void)err;                     \
		ask->field = true;                                     \
		return 0;                                              \
	}
FLAG(accuracy)
FLAG(replay)
FLAG(table)
FLAG(wide)
FLAG(list_hosts)
FLAG(list_extractors)
FLAG(help)
FLAG(version)

#define WATCH_SECONDS 2

static int set_json(struct slu_ask *ask, const char *arg, const char *value,
		    struct slu_err *err)
{
	(void)arg;
	ask->json = true;
	ask->bare = value && strcmp(value, "0") == 0;
	if (value && strcmp(value, "0") != 0 && strcmp(value, "1") != 0)
		return slu_err(err, SLU_INVALID,
			       "version \"%.16s\": it is 1, or 0 for JSON "
			       "without schema and units",
			       value);
	return 0;
}

/* Rows are selected by sluiced if there may be many, else by sysquery. */
static int set_state(struct slu_ask *ask, const char *arg, const char *value,
		     struct slu_err *err)
{
	(void)err;
	ask->state = value;
	slu_json_set_str(ask->args, arg, value);
	return 0;
}

static int set_watch(struct slu_ask *ask, const char *arg, const char *value,
		     struct slu_err *err)
{
	int64_t seconds = WATCH_SECONDS;

	(void)arg;
	if (value && slu_seconds_parse(value, &seconds, err))
		return -1;
	if (seconds < 1 || seconds > 86400)
		return slu_err(err, SLU_INVALID, "want 1 to 86400 seconds");
	ask->watch = (unsigned)seconds;
	return 0;
}

/* The array of this name in the arguments; created if missing. */
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

int slu_ask_job(struct slu_ask *ask, const char *value, struct slu_err *err)
{
	size_t digits = strspn(value, "0123456789");
	unsigned long long job = strtoull(value, NULL, 10);

	if (digits && value[digits] == '_')
		return slu_err(
			err, SLU_INVALID,
			"\"%s\" is a task of an array: want %.*s, or the "
			"number that it has once it is split off (squeue "
			"-h -r -j %s -o %%A)",
			value, (int)digits, value, value);
	if (!digits || value[digits] || !job || job > UINT32_MAX)
		return slu_err(err, SLU_INVALID,
			       "\"%s\" is no job (see sysquery --help)", value);
	slu_json_set_u64(ask->args, "job_id", job);
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

static int put_mdt(struct slu_ask *ask, const char *arg, const char *value,
		   struct slu_err *err)
{
	uint64_t bytes;

	if (slu_conf_read_data_on_mdt(value, &bytes, err))
		return -1;
	slu_json_set_u64(ask->args, arg, bytes);
	return 0;
}

static int put_rate(struct slu_ask *ask, const char *arg, const char *value,
		    struct slu_err *err)
{
	uint64_t bytes;

	if (slu_rate_parse(value, &bytes, err))
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

/* The same as the operand JOB. */
static int put_job(struct slu_ask *ask, const char *arg, const char *value,
		   struct slu_err *err)
{
	(void)arg;
	if (ask->n_operands)
		return slu_err(err, SLU_INVALID, "one job at a time");
	ask->operand[ask->n_operands++] = value;
	return 0;
}

const struct slu_cli_option slu_options[] = {
	{'f', "filename", "DB", "ask this database instead of sluiced",
	 SLU_TAKES_ONE, set_file, NULL},
	{SLU_OPT_SERVER, "server", "HOST:PORT", "ask the sluiced there",
	 SLU_TAKES_ONE, set_server, NULL},
	{'n', "hosts", "HOST...", "of these hosts only: n[1-4] or n1 n2",
	 SLU_TAKES_MANY, add_hosts, NULL},
	{'e', "extractors", "NAME...", "of these extractors only",
	 SLU_TAKES_MANY, add_words, "extractors"},
	{'l', "list-hosts", NULL, "list the hosts, one a line",
	 SLU_TAKES_NOTHING, set_list_hosts, NULL},
	{'L', "list-extractors", NULL, "list the extractors, one a line",
	 SLU_TAKES_NOTHING, set_list_extractors, NULL},
	{SLU_OPT_OUTPUT, "output", "FILE",
	 "write there; without fields also -o", SLU_TAKES_ONE, set_output,
	 NULL},
	{SLU_OPT_JSON, "json", "[=0]",
	 "JSON, also on a terminal; 0: without units", SLU_TAKES_MAYBE,
	 set_json, NULL},
	{SLU_OPT_TABLE, "table", NULL, "a table, also into a file",
	 SLU_TAKES_NOTHING, set_table, NULL},
	{SLU_OPT_WIDE, "wide", NULL, "a table of which nothing is cut",
	 SLU_TAKES_NOTHING, set_wide, NULL},
	{SLU_OPT_FORMAT, "format", "FIELD,...", "a table of these fields",
	 SLU_TAKES_ONE, set_fields, NULL},
	{SLU_OPT_SORT, "sort", "FIELD,...", "by these; -FIELD: largest first",
	 SLU_TAKES_ONE, set_sort, NULL},
	{SLU_OPT_STATE, "state", "STATE,...", "in these states only",
	 SLU_TAKES_ONE, set_state, "state"},
	{SLU_OPT_WATCH, "watch", " [SECONDS]", "again and again, every 2 s",
	 SLU_TAKES_MAYBE, set_watch, NULL},
	{SLU_OPT_WHERE, "where", "CONDITION",
	 "of hosts: for which this SQL holds", SLU_TAKES_ONE, put_text,
	 "where"},
	{SLU_OPT_SINCE, "since", "TIME", "since 2026-11-20T12:30, or 3d ago",
	 SLU_TAKES_ONE, put_time, "since"},
	{SLU_OPT_UNTIL, "until", "TIME", "the same: until then", SLU_TAKES_ONE,
	 put_time, "until"},
	{SLU_OPT_NOW, "now", "TIME", "of page: as of then", SLU_TAKES_ONE,
	 put_time, "now"},
	{SLU_OPT_MODE, "mode", "MODE", "of a backtest: this PredictMode only",
	 SLU_TAKES_ONE, put_text, "mode"},
	{SLU_OPT_QUANTILE, "quantile", "SHARE",
	 "of a backtest: quantile in place of PredictQuantile", SLU_TAKES_ONE,
	 put_share, "quantile"},
	{SLU_OPT_MACHINE, "machine", "N",
	 "of a backtest, replay: so many processors, nodes", SLU_TAKES_ONE,
	 slu_ask_number, "machine"},
	{SLU_OPT_LAST, "last", "N", "the last so many", SLU_TAKES_ONE,
	 slu_ask_number, "last"},
	{SLU_OPT_EXPLAIN, "explain", "JOBID|HOST",
	 "of I/O nodes: this job; of resources: why", SLU_TAKES_ONE,
	 set_explain, NULL},
	{SLU_OPT_JOB, "job", "JOBID", "of buffers: of this job, in detail",
	 SLU_TAKES_ONE, put_job, NULL},
	{SLU_OPT_POLICY, "policy", "NAME",
	 "of I/O nodes: what if this were the policy", SLU_TAKES_ONE, put_text,
	 "policy"},
	{SLU_OPT_IONS, "ions", "N", "of I/O nodes: what if there were so many",
	 SLU_TAKES_ONE, slu_ask_number, "pool"},
	{SLU_OPT_WITHOUT, "without", "JOBID",
	 "of I/O nodes: what if this job did not run", SLU_TAKES_ONE,
	 slu_ask_number, "without"},
	{SLU_OPT_USER, "user", "NAME", "this user's", SLU_TAKES_ONE, put_user,
	 "uid"},
	{SLU_OPT_NAME, "name", "NAME",
	 "of a prediction, osts place: the job's name", SLU_TAKES_ONE, put_text,
	 "name"},
	{SLU_OPT_NODES, "nodes", "N", "of a prediction: its number of nodes",
	 SLU_TAKES_ONE, slu_ask_number, "nodes"},
	{SLU_OPT_LIMIT, "limit", "TIME",
	 "of a prediction: minutes, HH:MM:SS, UNLIMITED", SLU_TAKES_ONE,
	 put_minutes, "limit"},
	{SLU_OPT_PARTITION, "partition", "NAME",
	 "of a prediction: its partition", SLU_TAKES_ONE, put_text,
	 "partition"},
	{SLU_OPT_ACCOUNT, "account", "NAME",
	 "of a prediction, a report: its account", SLU_TAKES_ONE, put_text,
	 "account"},
	{SLU_OPT_STRIPE_SIZE, "stripe-size", "SIZE",
	 "of a prediction: of its files", SLU_TAKES_ONE, put_size,
	 "stripe_size"},
	{SLU_OPT_ELAPSED, "elapsed", "TIME",
	 "of a prediction: it has run so long", SLU_TAKES_ONE, put_seconds,
	 "elapsed"},
	{SLU_OPT_ACCURACY, "accuracy", NULL,
	 "of jobs: how good predictions were", SLU_TAKES_NOTHING, set_accuracy,
	 NULL},
	{SLU_OPT_REPLAY, "replay", NULL,
	 "of I/O nodes: simulate the recorded jobs again", SLU_TAKES_NOTHING,
	 set_replay, NULL},
	{SLU_OPT_PLOT, "plot", "FILE",
	 "of a replay, backtest: draw it, as HTML with SVG", SLU_TAKES_ONE,
	 set_plot, NULL},
	{SLU_OPT_STRIPES, "stripes", "N", "of osts place: targets of each file",
	 SLU_TAKES_ONE, slu_ask_number, "stripes"},
	{SLU_OPT_SIZE, "size", "SIZE",
	 "of osts place, stripe explain: bytes of the file", SLU_TAKES_ONE,
	 put_size, "size"},
	{SLU_OPT_COUNT, "count", "N", "of osts place: so many files at once",
	 SLU_TAKES_ONE, slu_ask_number, "files"},
	{SLU_OPT_ACCESS, "access", "HOW", "of stripe: sequential or random",
	 SLU_TAKES_ONE, put_text, "access"},
	{SLU_OPT_READERS, "readers", "N",
	 "of stripe: processes that read at once", SLU_TAKES_ONE,
	 slu_ask_number, "readers"},
	{SLU_OPT_TASKS, "tasks", "N",
	 "of stripe explain: each uses a part of its own", SLU_TAKES_ONE,
	 slu_ask_number, "tasks"},
	{SLU_OPT_FSNAME, "fsname", "NAME",
	 "of osts place, stripe, iostart: which Lustre", SLU_TAKES_ONE,
	 put_text, "fsname"},
	{SLU_OPT_TARGETS, "targets", "N",
	 "of stripe explain: targets there are", SLU_TAKES_ONE, slu_ask_number,
	 "targets"},
	{SLU_OPT_TARGET_RATE, "target-rate", "SIZE",
	 "of stripe: bytes/s of a target", SLU_TAKES_ONE, put_rate,
	 "target_rate"},
	{SLU_OPT_MDT, "mdt", "SIZE",
	 "of stripe explain: so much on the MDT, or off", SLU_TAKES_ONE,
	 put_mdt, "mdt"},
	{SLU_OPT_POOL, "pool", "NAME", "of stripe explain: whose targets",
	 SLU_TAKES_ONE, put_text, "pool"},
	{SLU_OPT_LUSTRE, "lustre", "VERSION",
	 "of stripe: release of Lustre "
	 "on the servers",
	 SLU_TAKES_ONE, put_text, "lustre"},
	{SLU_OPT_TOP, "top", "N", "of stripe check: so many files",
	 SLU_TAKES_ONE, slu_ask_number, "top"},
	{SLU_OPT_PRESET, "preset", "NAME",
	 "of stripe explain: a published layout", SLU_TAKES_ONE, put_text,
	 "preset"},
	{'o', NULL, "FIELD,...|FILE", NULL, SLU_TAKES_ONE, set_letter, NULL},
	{'h', "help", NULL, "show this", SLU_TAKES_NOTHING, set_help, NULL},
	{SLU_OPT_VERSION, "version", NULL, "show the version",
	 SLU_TAKES_NOTHING, set_version, NULL},
	{.key = 0},
};

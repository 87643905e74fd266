/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysquery backtest: simulates a PredictMode with the site's own history before
 * it is enabled. It reads the database itself instead of querying sluiced: that
 * takes minutes, with a progress display.
 */
#include "config.h"
#include "sysquery/cli/ask.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/conf.h"
#include "common/jsonx.h"
#include "job_submit/simulation/policy_backtest.h"
#include "sysquery/page/page.h"

#define QUANTILE 0.75 /* the default of sluice.conf */
#define FLOOR	 300
#define BAR	 20 /* columns of the longest bar */
#define ROWS	 80 /* most rows of a table; JSON has all */

static void tell(void *arg, const char *what, uint64_t done, uint64_t all)
{
	(void)arg;
	fprintf(stderr, "\r\033[K%s: %llu of %llu", what,
		(unsigned long long)done, (unsigned long long)all);
	if (done == all)
		fputs("\r\033[K", stderr);
	fflush(stderr);
}

/* Reads sluice.conf if there is one: also the database, unless -f is given.
 * Caller frees *path. */
static int take_conf(const struct slu_ask *ask,
		     struct slu_backtest_options *what, char **path,
		     struct slu_err *err)
{
	char *name = slu_conf_path();
	struct slu_conf *conf = NULL;
	int rc = 0;

	if (!slu_conf_absent()) {
		conf = slu_conf_load(name, err);
		rc = conf ? 0 : -1;
	} else if (!ask->file) {
		rc = slu_err(err, SLU_INVALID,
			     "this host has no sluice.conf: backtest on the "
			     "host of sluiced, or with -f DB");
	}
	if (conf) {
		what->quantile = conf->predict_quantile;
		what->floor = conf->predict_floor;
	}
	if (rc == 0)
		*path = strdup(ask->file ? ask->file : conf->database);
	slu_conf_free(conf);
	free(name);
	return rc;
}

static int take_args(struct json_object *args,
		     struct slu_backtest_options *what, struct slu_err *err)
{
	if (slu_json_i64_opt(args, "since", &what->since, err) < 0 ||
	    slu_json_i64_opt(args, "machine", &what->machine, err) < 0 ||
	    slu_json_double_opt(args, "quantile", &what->quantile, err) < 0 ||
	    slu_json_str_opt(args, "mode", &what->mode, err) < 0)
		return -1;
	return 0;
}

/* Adds a bar to each row, proportional to its value. */
static void add_bars(struct json_object *rows, const char *key)
{
	char bar[BAR + 1];
	double most = 0;
	size_t n = json_object_array_length(rows), width;

	for (size_t i = 0; i < n; i++) {
		double x = slu_json_number_at(
			json_object_array_get_idx(rows, i), key);

		most = x > most ? x : most;
	}
	for (size_t i = 0; most > 0 && i < n; i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);

		width = (size_t)(BAR * slu_json_number_at(row, key) / most +
				 0.5);
		memset(bar, '#', width);
		bar[width] = '\0';
		slu_json_set_str(row, "bar", bar);
	}
}

static struct json_object *part(struct json_object *answer, const char *key)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(answer, key, &value);
	return value;
}

static void show_head(const struct slu_ask *ask, struct json_object *answer,
		      struct slu_buf *out)
{
	struct json_object *warnings = part(answer, "warnings");
	struct json_object *errors = part(answer, "errors");
	struct json_object *was = part(answer, "recorded");

	slu_ask_say(ask, out,
		    "%.0f jobs, %.0f judged, %.0f with a prediction; on %.0f "
		    "%s",
		    slu_json_number_at(answer, "jobs"),
		    slu_json_number_at(answer, "judged"),
		    slu_json_number_at(errors, "jobs"),
		    slu_json_number_at(answer, "machine"),
		    json_object_get_string(part(answer, "unit")));
	slu_ask_say(ask, out,
		    "median error %.0f s, of requests %.0f s; %.0f submissions "
		    "warned, of which %.0f ended at their limit (of %.0f that "
		    "did)",
		    slu_json_number_at(errors, "median_error"),
		    slu_json_number_at(errors, "median_error_asked"),
		    slu_json_number_at(warnings, "jobs"),
		    slu_json_number_at(warnings, "came_true"),
		    slu_json_number_at(warnings, "ended_at_limit"));
	slu_ask_say(ask, out,
		    "recorded: wait %.0f s, slowdown %.2f; the waiting below "
		    "is simulated, without partitions, priorities and "
		    "reservations: compare with advise",
		    slu_json_number_at(was, "wait"),
		    slu_json_number_at(was, "slowdown"));
	slu_buf_puts(out, "\n");
}

/* Tables show the groups with the most jobs; JSON has all. */
static int show_group(const struct slu_ask *ask, struct json_object *answer,
		      const char *key, const char *heading, struct slu_buf *out,
		      struct slu_err *err)
{
	struct json_object *rows = part(answer, key);
	size_t n = json_object_array_length(rows);
	const struct slu_column columns[] = {
		{key, heading, .type = SLU_COL_PLAIN},
		{"mode", "MODE", .type = SLU_COL_PLAIN},
		{"jobs", "JOBS", .type = SLU_COL_PLAIN},
		{"lowered", "LOWERED", .type = SLU_COL_PLAIN},
		{"raised", "RAISED", .type = SLU_COL_PLAIN},
		{"extended", "EXTENDED", .type = SLU_COL_PLAIN},
		{"cut", "CUT", .type = SLU_COL_PLAIN, .drop = 2},
		{"freed", "FREED_H", .type = SLU_COL_PLAIN, .drop = 1},
		{"wait", "WAIT", .type = SLU_COL_SECONDS},
		{.key = NULL}};

	if (n > ROWS)
		json_object_array_del_idx(rows, ROWS, n - ROWS);
	return slu_ask_section(ask, NULL, rows, columns, out, err);
}

static int show(const struct slu_ask *ask, struct json_object *answer,
		struct slu_buf *out, struct slu_err *err)
{
	static const struct slu_column modes[] = {
		{"mode", "MODE", .type = SLU_COL_PLAIN},
		{"lowered", "LOWERED", .type = SLU_COL_PLAIN},
		{"raised", "RAISED", .type = SLU_COL_PLAIN},
		{"extended", "EXTENDED", .type = SLU_COL_PLAIN},
		{"late", "LATE", .type = SLU_COL_PLAIN, .drop = 3},
		{"cut", "CUT", .type = SLU_COL_PLAIN},
		{"freed", "FREED_H", .type = SLU_COL_PLAIN, .drop = 2},
		{"delayed", "DELAYED", .type = SLU_COL_PLAIN, .drop = 5},
		{"delay", "BY", .type = SLU_COL_SECONDS, .drop = 6},
		{"longest_wait", "LONGEST", .type = SLU_COL_SECONDS, .drop = 4},
		{"slowdown", "SLOWDOWN", .type = SLU_COL_PLAIN},
		{"wait", "WAIT", .type = SLU_COL_SECONDS},
		{"bar", "OF_THE_LONGEST", .type = SLU_COL_PLAIN, .drop = 1},
		{.key = NULL}};
	static const struct slu_column calibration[] = {
		{"share", "SHARE", .type = SLU_COL_PLAIN},
		{"below", "ENDED_BEFORE", .type = SLU_COL_PLAIN},
		{"worst", "WORST_WEEK", .type = SLU_COL_PLAIN},
		{"week", "OF", .type = SLU_COL_PLAIN},
		{.key = NULL}};

	if (slu_json_number_at(answer, "judged") <= 0) {
		slu_ask_say(ask, out,
			    "%.0f ended jobs, none of which can be judged: "
			    "that takes some that ran and came to their own "
			    "end, submitted after what --since says (sysquery "
			    "import has those of before Sluice)",
			    slu_json_number_at(answer, "jobs"));
		return 0;
	}
	show_head(ask, answer, out);
	add_bars(part(answer, "modes"), "wait");
	if (slu_ask_tabulate(ask, part(answer, "modes"), modes, out, err) < 0 ||
	    slu_ask_section(ask, NULL, part(answer, "calibration"), calibration,
			    out, err) < 0 ||
	    show_group(ask, answer, "partition", "PARTITION", out, err) < 0 ||
	    show_group(ask, answer, "user", "USER", out, err) < 0)
		return -1;
	return 0;
}

static int backtest(const char *path, const struct slu_backtest_options *what,
		    struct json_object **out, struct slu_err *err)
{
	struct slu_db *db = slu_db_open(path, SLU_DB_READ, err);
	int rc = db ? slu_backtest(db, what, out, err) : -1;

	slu_db_close(db);
	return rc;
}

int slu_cmd_backtest(struct slu_ask *ask, struct slu_err *err)
{
	const struct slu_progress progress = {tell, NULL};
	struct slu_backtest_options what = {
		.quantile = QUANTILE,
		.floor = FLOOR,
		.progress = isatty(STDERR_FILENO) ? &progress : NULL};
	struct json_object *answer = NULL;
	char *path = NULL;
	int rc;

	if (ask->server)
		return slu_err(err, SLU_INVALID,
			       "backtest reads the database itself: want -f DB "
			       "or the host of sluiced");
	rc = take_conf(ask, &what, &path, err);
	if (rc == 0)
		rc = take_args(ask->args, &what, err);
	if (rc == 0)
		rc = backtest(path, &what, &answer, err);
	if (rc == 0)
		rc = slu_ask_plot(ask, slu_page_backtest, answer, err);
	if (rc == 0)
		rc = slu_ask_present(ask, "backtest", answer, show, err);
	json_object_put(answer);
	free(path);
	return rc;
}

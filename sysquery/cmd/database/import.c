/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysquery import: parses history recorded by other programs, and sends it to
 * sluiced, which stores it. */
#include "config.h"
#include "sysquery/cli/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "common/file.h"
#include "common/http.h"
#include "common/jsonx.h"
#include "job_submit/import/import_formats.h"

#define MAX_TEXT ((size_t)1 << 30)
#define PLENTY	 4096 /* cached user ids */
#define CLOCKS	 1800 /* s */
/* v0.0.N in slurmrestd's paths; a release supports about three of them. */
#define REST_NEWEST 46
#define REST_OLDEST SLU_IMPORT_REST
/* The default is only today's jobs. */
#define REST_SINCE "start_time=2000-01-01"

struct sender {
	const struct slu_ask *ask;
	struct slu_import_jobs batch;
	size_t text; /* bytes of its texts */
	/* totals of sluiced's answers, see wire/job.h */
	uint64_t added, io, changed, old, unknown;
};

static int add_up(struct sender *s, struct json_object *answer,
		  struct slu_err *err)
{
	const struct {
		const char *key;
		uint64_t *sum;
	} parts[] = {{"added", &s->added},
		     {"io", &s->io},
		     {"io_changed", &s->changed},
		     {"old", &s->old},
		     {"unknown", &s->unknown}};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		uint64_t n = 0;

		if (slu_json_u64_opt(answer, parts[i].key, &n, err) < 0)
			return -1;
		*parts[i].sum += n;
	}
	return 0;
}

static int flush(struct sender *s, struct slu_err *err)
{
	char *body = slu_encode_text(&slu_import_jobs_desc, &s->batch);
	struct json_object *answer = NULL;
	struct slu_buf reply = {0};
	int ret = -1;

	for (size_t i = 0; i < s->batch.n_jobs; i++)
		slu_msg_clear(&slu_job_desc, &s->batch.jobs[i]);
	s->batch.n_jobs = s->batch.n_io = s->text = 0;
	if (!body) {
		slu_err(err, SLU_NOMEM, "out of memory");
		goto out;
	}
	if (slu_ask_post(s->ask, "/v1/import", body, strlen(body), &reply,
			 err) < 0)
		goto out;
	answer = slu_json_parse(reply.data ? reply.data : "", reply.len, err);
	if (answer)
		ret = add_up(s, answer, err);
out:
	json_object_put(answer);
	slu_buf_free(&reply);
	free(body);
	return ret;
}

static int take(void *arg, const struct slu_job *job, struct slu_err *err)
{
	struct sender *s = arg;
	size_t text = slu_import_text(job);

	if (s->text + text >= SLU_IMPORT_TEXT && flush(s, err) < 0)
		return -1;
	s->text += text;
	if (slu_job_copy(&s->batch.jobs[s->batch.n_jobs], job) < 0)
		return slu_err(err, SLU_NOMEM, "out of memory");
	s->batch.n_jobs++;
	return s->batch.n_jobs < SLU_IMPORT_JOBS ? 0 : flush(s, err);
}

static int take_io(void *arg, const struct slu_import_io *io,
		   struct slu_err *err)
{
	struct sender *s = arg;

	s->batch.io[s->batch.n_io++] = *io;
	return s->batch.n_io < SLU_IMPORT_JOBS ? 0 : flush(s, err);
}

static int to_uid(const char *user, uint32_t *uid)
{
	static char *known[PLENTY];
	static uint32_t number[PLENTY];
	size_t at = 0;
	struct passwd *pw;

	for (const char *c = user; *c; c++)
		at = (at * 31 + (unsigned char)*c) % PLENTY;
	if (!known[at] || strcmp(known[at], user) != 0) {
		pw = getpwnam(user);
		if (!pw)
			return -1;
		free(known[at]);
		known[at] = strdup(user);
		number[at] = pw->pw_uid;
	}
	*uid = number[at];
	return 0;
}

/* Warns of jobs that were skipped or incomplete. */
static void warn(const struct sender *s, const char *format,
		 const struct slu_import_report *report)
{
	const char *name = s->ask->operand[1];
	const char *part = strcmp(format, "json") ? "line" : "entry";

	for (uint64_t i = 0; i < report->broken && i < SLU_IMPORT_NAMED; i++)
		fprintf(stderr, "sysquery: %s: %s %s\n", name, part,
			report->named[i]);
	if (report->joined)
		fprintf(stderr,
			"sysquery: %s: %llu lines, the first of them line "
			"%llu, are taken for parts of the text before\n",
			name, (unsigned long long)report->joined,
			(unsigned long long)report->joined_at);
	if (*report->lacks)
		fprintf(stderr, "sysquery: %s: %s\n", name, report->lacks);
	if (s->old)
		fprintf(stderr,
			"sysquery: %s: %llu jobs ended longer ago than "
			"HistoryDays and are not kept\n",
			name, (unsigned long long)s->old);
	if (s->unknown)
		fprintf(stderr,
			"sysquery: %s: %llu entries belong to jobs that are "
			"not in the history: import those jobs first\n",
			name, (unsigned long long)s->unknown);
	if (s->added)
		fprintf(stderr,
			"sysquery: %s: slurmctld learns from the new jobs "
			"after scontrol reconfigure\n",
			name);
}

static int show(const struct slu_ask *ask, struct json_object *report,
		struct slu_buf *out, struct slu_err *err)
{
	struct json_object *rows = json_object_new_array();
	int ret;

	json_object_array_add(rows, json_object_get(report));
	ret = slu_ask_list(ask, &slu_form_import, rows, out, err);
	json_object_put(rows);
	return ret;
}

static int say(const struct sender *s, const char *format,
	       const struct slu_import_report *report, struct slu_err *err)
{
	struct json_object *obj = json_object_new_object();
	int ret;

	slu_json_set_u64(obj, "jobs", report->jobs);
	slu_json_set_u64(obj, "added", s->added);
	slu_json_set_u64(obj, "io", s->io);
	slu_json_set_u64(obj, "io_changed", s->changed);
	slu_json_set_u64(obj, "skipped", report->skipped);
	slu_json_set_u64(obj, "broken", report->broken);
	slu_json_set_u64(obj, "old", s->old);
	slu_json_set_u64(obj, "unknown", s->unknown);
	warn(s, format, report);
	ret = slu_ask_present(s->ask, "import", obj, show, err);
	json_object_put(obj);
	return ret;
}

/* One GET to "http://HOST:PORT" or "unix:PATH" (version 0: with a path). */
static int get(const char *where, int version, const char *const *headers,
	       struct slu_buf *text, struct slu_err *err)
{
	bool is_unix = !strncmp(where, "unix:", 5);
	const char *server = is_unix ? "http://localhost" : where;
	size_t len = strlen(server);
	char path[64] = "", *url;
	int rc;

	if (version) {
		snprintf(path, sizeof(path),
			 "/slurmdb/v0.0.%d/jobs?" REST_SINCE, version);
		len -= server[len - 1] == '/';
	}
	url = slu_asprintf("%.*s%s", (int)len, server, path);
	if (!url)
		return slu_err(err, SLU_NOMEM, "out of memory");
	rc = slu_http_get(url, is_unix ? where + 5 : NULL, headers, text, err);
	free(url);
	return rc;
}

static bool has_path(const char *where)
{
	const char *host = strstr(where, "://"), *path;

	if (!strncmp(where, "unix:", 5))
		return false;
	path = strchr(host ? host + 3 : where, '/');
	return path && path[1];
}

static bool is_too_old(const char *where)
{
	const char *version = strstr(where, "/v0.0.");

	return version && atoi(version + strlen("/v0.0.")) < REST_OLDEST;
}

/* Without a path, that of the newest version that slurmrestd supports. */
static int get_jobs(const char *where, const char *const *headers,
		    struct slu_buf *text, struct slu_err *err)
{
	if (has_path(where) && is_too_old(where))
		return slu_err(err, SLU_INVALID,
			       "before v0.0.%d it gives wrong start times of "
			       "jobs",
			       REST_OLDEST);
	if (has_path(where))
		return get(where, 0, headers, text, err);
	for (int v = REST_NEWEST; v >= REST_OLDEST; v--)
		if (get(where, v, headers, text, err) == 0)
			return 0;
		else if (err->kind != SLU_NOTFOUND)
			return -1;
	return slu_err(err, SLU_NOTFOUND,
		       "neither v0.0.%d nor v0.0.%d nor any between answers: "
		       "name the path, http://HOST:PORT/slurmdb/VERSION/jobs",
		       REST_OLDEST, REST_NEWEST);
}

static int add_advice(const char *what, struct slu_err *err)
{
	return slu_err(err, err->kind, "%s: %s", err->text, what);
}

/* Either slurmrestd or slurmctld behind it may have refused it. */
static int advise_token(struct slu_err *err)
{
	if (strstr(err->text, "uthentication"))
		add_advice("get a valid SLURM_JWT by export $(scontrol "
			   "token)",
			   err);
	return -1;
}

static int advise(const char *where, struct slu_err *err)
{
	if (err->kind == SLU_NOTFOUND && has_path(where))
		return add_advice("without a path its newest version is found",
				  err);
	if (err->kind == SLU_NOMEM)
		return add_advice("ask for less at once, /slurmdb/VERSION/jobs?"
				  "start_time=2026-01-01&end_time=2026-02-01",
				  err);
	return advise_token(err);
}

/* With the user's token in SLURM_JWT, as printed by `scontrol token`. */
static int read_rest(const char *where, struct slu_buf *text,
		     struct slu_err *err)
{
	const char *token = getenv("SLURM_JWT");
	struct passwd *pw = getpwuid(geteuid());
	char *user =
		slu_asprintf("X-SLURM-USER-NAME: %s", pw ? pw->pw_name : "");
	char *proof =
		slu_asprintf("X-SLURM-USER-TOKEN: %s", token ? token : "");
	const char *headers[] = {token ? user : NULL, proof, NULL};
	int rc;

	text->max = MAX_TEXT;
	if (user && proof)
		rc = get_jobs(where, headers, text, err);
	else
		rc = slu_err(err, SLU_NOMEM, "out of memory");
	if (proof)
		explicit_bzero(proof, strlen(proof));
	free(proof);
	free(user);
	if (rc == 0)
		return 0;
	advise(where, err);
	return slu_err_prefix(err, "%s", where);
}

static int read_file(const char *format, const char *path, struct slu_buf *text,
		     struct slu_err *err)
{
	bool named = strcmp(path, "-") != 0;
	int fd = named ? open(path, O_RDONLY | O_CLOEXEC) : 0;
	int rc;

	if (fd < 0)
		return slu_errno(err,
				 errno == ENOENT   ? SLU_NOTFOUND
				 : errno == EACCES ? SLU_DENIED
						   : SLU_IO,
				 "open %s", path);
	rc = slu_fd_read(fd, path, MAX_TEXT, text, err);
	if (named)
		close(fd);
	if (rc == 0 && text->len > 2 && !memcmp(text->data, "\x1f\x8b", 2))
		return slu_err(err, SLU_INVALID,
			       "%s is compressed: zcat %s | sysquery import "
			       "%s -",
			       path, path, format);
	return rc;
}

/* Reads the input; *format is its format. */
static int read_all(const struct slu_ask *ask, const char **format,
		    struct slu_buf *text, struct slu_err *err)
{
	*format = ask->operand[0];
	if (strcmp(*format, "rest") == 0) {
		*format = "json";
		return read_rest(ask->operand[1], text, err);
	}
	if (slu_import_format(*format, err) < 0)
		return slu_err_prefix(err, "import");
	return read_file(*format, ask->operand[1], text, err);
}

/* Tolerates clock skew; a larger difference is another time zone. */
static int64_t latest(void)
{
	return (int64_t)time(NULL) + CLOCKS;
}

static int import_text(struct sender *s, const char *format,
		       struct slu_buf *text, struct slu_err *err)
{
	struct slu_import import = {localtime_r, to_uid, take,
				    take_io,	 s,	 latest()};
	const char *name = s->ask->operand[1];
	struct slu_import_report report;

	if (slu_import(format, text->data ? text->data : (char[]){""},
		       text->len, &import, &report, err) < 0) {
		advise_token(err);
		return slu_err_prefix(err, "%s", name);
	}
	if (s->batch.n_jobs + s->batch.n_io && flush(s, err) < 0)
		return -1;
	if (say(s, format, &report, err) < 0)
		return -1;
	if (report.torn)
		return slu_err(
			err, SLU_IO,
			"%s: it ceases to be JSON in entry %llu, what is "
			"before that is imported: repeat it with the "
			"whole",
			name, (unsigned long long)report.torn);
	if (report.broken && !report.jobs && !report.skipped)
		return slu_err(err, SLU_INVALID,
			       "%s: nothing in it is of the format %s", name,
			       format);
	return 0;
}

int slu_cmd_import(struct slu_ask *ask, struct slu_err *err)
{
	struct slu_job jobs[SLU_IMPORT_JOBS];
	struct slu_import_io io[SLU_IMPORT_JOBS];
	struct sender s = {.ask = ask, .batch = {.jobs = jobs, .io = io}};
	struct slu_buf text = {0};
	const char *format;
	int ret = -1;

	if (ask->n_operands != 2)
		return slu_err(err, SLU_INVALID,
			       "import: say the format (swf, sacct, json or "
			       "darshan) and the file, or rest and the URL");
	if (read_all(ask, &format, &text, err) == 0)
		ret = import_text(&s, format, &text, err);
	for (size_t i = 0; i < s.batch.n_jobs; i++)
		slu_msg_clear(&slu_job_desc, &jobs[i]);
	slu_buf_free(&text);
	return ret;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command line of sluice-ionbench: measures a PerformanceTable on idle I/O
 * nodes, from within an ordinary job. The same program generates the load as
 * the job's tasks ("sluice-ionbench load ...", for internal use).
 */
#include "config.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "common/cli.h"
#include "common/conf.h"
#include "common/file.h"
#include "common/proc.h"
#include "common/size.h"
#include "select_io/ionbench/load.h"
#include "select_io/ionbench/options.h"
#include "select_io/ionbench/report.h"

#define NAME	    "sluice-ionbench"
#define EXIT_USAGE  2
#define MAX_TABLE   (16 << 20)
#define MAX_LOG	    (1 << 30)
#define PARSER_TIME 120 /* s for darshan-parser */

static volatile sig_atomic_t signalled;

static void note_signal(int sig)
{
	signalled = sig;
}

static int is_signalled(void)
{
	return signalled;
}

static int failed(const struct slu_err *err)
{
	fprintf(stderr, NAME ": %s\n", err->text);
	return err->kind == SLU_INVALID ? EXIT_USAGE : 1;
}

static int usage(struct slu_err *err)
{
	fprintf(stderr, NAME ": %s (see " NAME " --help)\n", err->text);
	return err->kind == SLU_INVALID ? EXIT_USAGE : 1;
}

/* Patterns. */

static int read_log(const char *path, struct slu_buf *out, struct slu_err *err)
{
	static const char mark[] = "# darshan log version";
	char *argv[] = {"darshan-parser", (char *)path, NULL};

	if (slu_file_read(AT_FDCWD, path, MAX_LOG, out, err) < 0)
		return -1;
	if (out->data && strstr(out->data, mark))
		return 0;
	slu_buf_free(out);
	out->max = MAX_LOG;
	return slu_run(argv, PARSER_TIME, out, err);
}

static int add_log_patterns(const char *path, struct slu_bench_patterns *out,
			    struct slu_err *err)
{
	struct slu_buf text = {0};
	int rc = read_log(path, &text, err);

	if (rc == 0)
		rc = slu_bench_add_darshan(out,
					   text.data ? text.data : (char[]){""},
					   text.len, err);
	slu_buf_free(&text);
	return rc < 0 ? slu_err_prefix(err, "%s", path) : 0;
}

static int find_patterns(const struct slu_bench_args *a, struct slu_bench *b,
			 struct slu_err *err)
{
	struct slu_patterns *table = NULL;
	struct slu_buf text = {0};
	int rc = 0;

	if (a->from) {
		rc = slu_file_read(AT_FDCWD, a->from, MAX_TABLE, &text, err);
		table = rc == 0 ? slu_patterns_parse(text.data ? text.data : "",
						     a->from, err)
				: NULL;
		rc = table ? 0 : -1;
	}
	if (rc == 0 && a->list)
		rc = slu_bench_add_list(&b->patterns, a->list, table, err);
	else if (rc == 0 && table)
		rc = slu_bench_add_table(&b->patterns, table, err);
	for (size_t i = 0; rc == 0 && i < a->n_logs; i++)
		rc = add_log_patterns(a->log[i], &b->patterns, err);
	if (rc == 0 && b->patterns.n == 0)
		rc = slu_err(err, SLU_INVALID,
			     "no patterns: give --patterns, --from or "
			     "--darshan");
	slu_patterns_free(table);
	slu_buf_free(&text);
	return rc;
}

/* The job. */

static uint32_t number_of(const char *name)
{
	const char *text = getenv(name);

	return text ? (uint32_t)strtoul(text, NULL, 10) : 0;
}

static void find_job(struct slu_bench_args *a, struct slu_bench *b)
{
	a->setup.nodes = number_of("SLURM_JOB_NUM_NODES");
	a->setup.tasks = number_of("SLURM_NTASKS");
	b->nodes = getenv("SLURM_JOB_NODELIST");
	if (a->setup.tasks < a->setup.nodes)
		a->setup.tasks = a->setup.nodes;
}

static void take_recruits(struct slu_idle_ions *idle,
			  struct slu_hosts *recruits)
{
	idle->recruits = *recruits;
	*recruits = (struct slu_hosts){0};
	slu_hosts_sort(&idle->recruits);
}

static int open_idle(const struct slu_bench_args *a, struct slu_bench *b,
		     struct slu_err *err)
{
	struct slu_conf *conf = NULL;
	const char *dir = a->mapping;
	char *path;
	int rc;

	if (b->ions[b->n_ions - 1] == 0)
		return 0;
	path = slu_conf_path();
	conf = slu_conf_load(path ? path : "", err);
	free(path);
	if (!conf && !dir)
		return -1;
	if (!dir)
		dir = conf->mapping_dir;
	rc = dir ? slu_idle_ions_open(&b->idle, dir, number_of("SLURM_JOB_ID"),
				      err)
		 : slu_err(err, SLU_INVALID,
			   "sluice.conf has no MappingDir: give --mapping");
	if (rc == 0 && conf)
		take_recruits(&b->idle, &conf->recruit_idle);
	slu_conf_free(conf);
	if (rc == 0 && b->ions[b->n_ions - 1] > b->idle.all.n)
		rc = slu_err(err, SLU_INVALID, "--ions: there are only %zu",
			     b->idle.all.n);
	return rc;
}

static int check_room(const char *dir, uint64_t bytes, struct slu_err *err)
{
	struct statvfs st;

	if (!dir || statvfs(dir, &st) < 0)
		return 0; /* the tasks find or create it */
	if ((double)st.f_bavail * (double)st.f_frsize >= 2.0 * (double)bytes)
		return 0;
	return slu_err(err, SLU_INVALID,
		       "%s has no room for twice the bytes of a measurement "
		       "(--bytes)",
		       dir);
}

static int check_args(const struct slu_bench_args *a, struct slu_bench *b,
		      struct slu_err *err)
{
	if (!a->table)
		return slu_err(err, SLU_INVALID, "no --table");
	if (*b->directory != '/' || (b->direct && *b->direct != '/'))
		return slu_err(err, SLU_INVALID,
			       "directories are absolute paths");
	if (b->ions[b->n_ions - 1] == 0)
		return slu_err(err, SLU_INVALID,
			       "--ions: a table has a number beside 0");
	if (!a->setup.nodes && !a->dry_run)
		return slu_err(err, SLU_INVALID,
			       "runs within a job only: submit what --script "
			       "prints");
	return check_room(b->direct ? b->direct : b->directory, a->setup.bytes,
			  err);
}

/* "TABLE" as an absolute path, since steps have other working directories.
 * Caller frees. */
static char *absolute(const char *path, const char *suffix)
{
	char cwd[PATH_MAX];

	if (*path == '/' || !getcwd(cwd, sizeof(cwd)))
		return slu_asprintf("%s%s", path, suffix);
	return slu_asprintf("%s/%s%s", cwd, path, suffix);
}

/* Inside the job. */

static void take_signals(void)
{
	struct sigaction sa = {.sa_handler = note_signal};

	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGINT, &sa, NULL);
}

static int measure(const struct slu_bench_args *a, struct slu_bench *b)
{
	static const char *const ends[] = {
		[SLU_BENCH_BUDGET] = "", [SLU_BENCH_STOPPED] = ""};
	struct slu_err err = {0};
	char about[256], when[32];
	time_t now = time(NULL);
	enum slu_bench_end end;

	strftime(when, sizeof(when), "%Y-%m-%d", gmtime(&now));
	snprintf(about, sizeof(about),
		 NAME " " PACKAGE_VERSION ", %s: means of MB/s, %u nodes, %u "
		      "tasks, %llu bytes or %lld s each",
		 when, a->setup.nodes, a->setup.tasks,
		 (unsigned long long)a->setup.bytes,
		 (long long)a->setup.seconds);
	b->about = about;
	take_signals();
	end = slu_bench_measure(b, &err);
	if (end != SLU_BENCH_WHOLE)
		fprintf(stderr, NAME ": %s%s\n", err.text,
			ends[end] ? "; run it again to continue" : "");
	if (a->json && slu_bench_print_json(b, end ? err.text : NULL) != 0)
		return 1;
	return (int)end;
}

static int run(struct slu_bench_args *a, struct slu_bench *b)
{
	char *table, *state;
	struct slu_err err;
	int rc;

	find_job(a, b);
	if (check_args(a, b, &err) < 0 || find_patterns(a, b, &err) < 0)
		return usage(&err);
	table = absolute(a->table, "");
	state = a->state ? absolute(a->state, "")
			 : absolute(a->table, ".state");
	b->table = table;
	b->state = state;
	b->results.fd = -1;
	if (!table || !state)
		rc = failed((slu_err(&err, SLU_NOMEM, "out of memory"), &err));
	else if (open_idle(a, b, &err) < 0 ||
		 slu_bench_open(&b->results, state, &a->setup, a->dry_run,
				&err) < 0)
		rc = failed(&err);
	else
		rc = a->dry_run ? slu_bench_print_plan(b) : measure(a, b);
	slu_bench_close(&b->results);
	slu_idle_ions_close(&b->idle);
	free(table);
	free(state);
	return rc;
}

/* A task: "load OP PATH LAYOUT ACCESS REQUEST BYTES SECONDS MOST". */
static int run_load(char **argv)
{
	struct slu_load l = {.op = argv[2],
			     .path = argv[3],
			     .shared = !strcmp(argv[4], "shared"),
			     .strided = !strcmp(argv[5], "strided"),
			     .request = strtoull(argv[6], NULL, 10),
			     .bytes = strtoull(argv[7], NULL, 10),
			     .seconds = strtod(argv[8], NULL),
			     .most = strtoull(argv[9], NULL, 10),
			     .rank = number_of("SLURM_PROCID"),
			     .tasks = number_of("SLURM_STEP_NUM_TASKS"),
			     .nodes = number_of("SLURM_STEP_NUM_NODES")};
	double begun, ended;
	struct slu_err err;
	uint64_t moved;

	if (!l.request || !l.tasks || !l.nodes) {
		slu_err(&err, SLU_INVALID, "load is for the tasks of a step");
		return failed(&err);
	}
	if (slu_load_run(&l, &moved, &begun, &ended, &err) < 0)
		return failed(&err);
	printf("%llu %.6f %.6f\n", (unsigned long long)moved, begun, ended);
	return slu_cli_show(NAME, "");
}

int main(int argc, char **argv)
{
	struct slu_bench b = {.ions = {0, 1, 2},
			      .n_ions = 3,
			      .repeat = 3,
			      .budget = 3600,
			      .most = (uint64_t)1 << 40,
			      .wait = 600,
			      .signalled = is_signalled};
	struct slu_bench_args a = {.setup = {.bytes = 1 << 30, .seconds = 30}};
	struct slu_err err = {0};
	int rc;

	if (argc == 10 && !strcmp(argv[1], "load"))
		return run_load(argv);
	rc = slu_bench_options(&a, &b, argc, argv, &err);
	if (rc != SLU_BENCH_GO_ON)
		return rc == SLU_BENCH_MISUSED ? usage(&err) : rc;
	rc = a.script ? slu_bench_print_script(argc, argv) : run(&a, &b);
	slu_bench_patterns_free(&b.patterns);
	free(a.log);
	return rc;
}

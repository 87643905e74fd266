/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sluice-preview: checks a request before it is submitted: its syntax, the
 * site's rules where this host has sluice.conf, and whether the input that it
 * stages in exists and fits. cli_filter/sluice runs it with --quiet for each
 * submission: it then only warns about sources, as slurmctld reports the rest.
 * A file system that hangs ends it by SIGALRM a second after --seconds.
 */
#include "config.h"

#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "burst_buffer/preview/stage_sources.h"
#include "burst_buffer/request/site/fstype.h"
#include "common/cli.h"
#include "common/conf.h"
#include "common/file.h"
#include "common/size.h"
#include "common/str.h"

#define NAME	   "sluice-preview"
#define SCRIPT_MAX (16 << 20)
#define SECONDS	   2

static const char help[] =
	"Usage: " NAME " [OPTION]... [SCRIPT]\n"
	"What is wrong with the request of a batch script, and whether what it\n"
	"stages in is there and fits.\n\n"
	"  --bb TEXT      the request of sbatch's --bb\n"
	"  --nodes N      of how many nodes the job will be\n"
	"  --name NAME    of the job, for %x\n"
	"  --seconds N    look at sources no longer than that (default: 2)\n"
	"  --quiet        only warnings of sources\n"
	"  --help         show this and exit\n"
	"  --version      show the version and exit\n\n"
	"Exit status: 0 nothing is wrong, 1 something is, 2 wrong usage.\n";

struct preview {
	const char *option, *script, *name;
	unsigned nodes; /* 0: not known */
	bool quiet;
	int wrong;
	struct timespec end;
};

static int usage_error(const char *what, const char *text)
{
	fprintf(stderr, NAME ": %s%s%s (see " NAME " --help)\n", what,
		*what ? ": " : "", text);
	return 2;
}

static void set_end(struct preview *p, unsigned seconds)
{
	clock_gettime(CLOCK_MONOTONIC, &p->end);
	p->end.tv_sec += seconds;
	alarm(seconds + 1); /* a file system that hangs */
}

static bool in_time(void *arg)
{
	const struct preview *p = arg;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec < p->end.tv_sec ||
	       (now.tv_sec == p->end.tv_sec && now.tv_nsec < p->end.tv_nsec);
}

static void warn(void *arg, int line, const char *text)
{
	struct preview *p = arg;

	p->wrong = 1;
	if (line)
		fprintf(stderr, "sluice: warning: line %d: %s\n", line, text);
	else
		fprintf(stderr, "sluice: warning: %s\n", text);
}

static void warn_line(void *arg, int line, const char *text, bool sure)
{
	(void)sure;
	warn(arg, line, text);
}

static int refused(const struct preview *p, const struct slu_err *err)
{
	char *text;

	if (p->quiet) /* slurmctld will report it */
		return 0;
	text = slu_request_quote(err->text, p->option, p->script);
	for (const char *line = text ? text : err->text; *line;) {
		int n = (int)strcspn(line, "\n");

		fprintf(stderr, NAME ": %.*s\n", n, line);
		line += n + (line[n] == '\n');
	}
	free(text);
	return 1;
}

/* The capacity for the sources; 0: unknown. */
static uint64_t room(const struct preview *p, const struct slu_request *req,
		     const struct slu_conf *conf)
{
	const struct slu_fs_conf *fs = conf ? slu_conf_fs(conf, req->fs) : NULL;
	const struct slu_fstype *type = fs ? slu_fstype_find(fs->driver) : NULL;

	if (!req->has_fs || req->persistent || (type && type->remote))
		return 0;
	return type && !type->shared && p->nodes ? req->capacity / p->nodes
						 : req->capacity;
}

static void say_sum(struct preview *p, const struct slu_sources *sum,
		    uint64_t fits)
{
	char bytes[SLU_SIZE_TEXT], into[SLU_SIZE_TEXT];
	const char *least = sum->cut ? "at least " : "";

	slu_size_text(sum->bytes, bytes);
	slu_size_text(fits, into);
	if (fits && sum->bytes > fits) {
		p->wrong = 1;
		fprintf(stderr,
			"sluice: warning: %s%s to stage into %s: a job whose "
			"input does not fit is held; ask for more capacity=\n",
			least, bytes, into);
	} else if (!p->quiet) {
		printf("%s%llu file%s, %s to stage in%s%s\n", least,
		       (unsigned long long)sum->files,
		       sum->files == 1 ? "" : "s", bytes, fits ? ", into " : "",
		       fits ? into : "");
	}
}

static void see_sources(struct preview *p, const struct slu_request *req,
			const struct slu_conf *conf)
{
	const struct passwd *pw = getpwuid(getuid());
	const struct slu_symbols sym = {.user = pw ? pw->pw_name : NULL,
					.job_name = p->name,
					.array_task_id = UINT32_MAX};
	const struct slu_sources_look look = {
		.go_on = in_time, .tell = warn, .arg = p};
	struct slu_sources sum;

	slu_sources_see(req, &sym, &look, &sum);
	say_sum(p, &sum, room(p, req, conf));
}

/* NULL: this host has no configuration, or it is invalid. */
static struct slu_conf *site(void)
{
	char *path = slu_conf_path();
	struct slu_conf *conf = path ? slu_site_load(path, NULL, NULL) : NULL;

	free(path);
	return conf;
}

static int check_site(struct slu_request *req, const struct slu_conf *conf,
		      struct slu_err *err)
{
	const struct passwd *pw = getpwuid(getuid());

	return slu_request_resolve(req, conf, err) ||
			       slu_request_check(req, conf,
						 pw ? pw->pw_name : NULL, err)
		       ? -1
		       : 0;
}

static int preview(struct preview *p)
{
	struct slu_conf *conf = NULL;
	struct slu_request req;
	struct slu_err err;
	int rc;

	if (slu_request_submitted(p->option, p->script, true, &req, &err))
		return refused(p, &err);
	conf = site();
	rc = conf && check_site(&req, conf, &err) ? refused(p, &err) : 0;
	if (!rc && p->script && !p->quiet)
		slu_request_absent(p->script, &req, warn_line, p);
	if (!rc && req.n_stage)
		see_sources(p, &req, conf);
	else if (!rc && !p->quiet)
		puts(req.has_fs || req.persistent
			     ? "nothing to stage in"
			     : "this job gets no file system");
	slu_request_free(&req);
	slu_conf_free(conf);
	return rc ? rc : p->wrong;
}

static int parse_number(const char *text, unsigned *out)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*end || end == text || n == 0 || n > 1000000)
		return usage_error(text,
				   "a number from 1 to 1000000 is wanted");
	*out = (unsigned)n;
	return 0;
}

static int run(struct preview *p, const char *file)
{
	struct slu_buf script = {0};
	struct slu_err err;
	int rc;

	if (file && slu_file_read(AT_FDCWD, file, SCRIPT_MAX, &script, &err))
		return p->quiet ? 0 : usage_error("", err.text);
	p->script = script.data;
	rc = preview(p);
	slu_buf_free(&script);
	return rc;
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{"bb", required_argument, NULL, 'b'},
		{"nodes", required_argument, NULL, 'n'},
		{"name", required_argument, NULL, 'x'},
		{"seconds", required_argument, NULL, 's'},
		{"quiet", no_argument, NULL, 'q'},
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'v'},
		{NULL, 0, NULL, 0}};
	struct preview p = {0};
	unsigned seconds = SECONDS;
	int c;

	while ((c = slu_cli_option(NAME, argc, argv, ":", longs)) != -1)
		switch (c) {
		case 'b':
			p.option = optarg;
			break;
		case 'n':
			if (parse_number(optarg, &p.nodes))
				return 2;
			break;
		case 'x':
			p.name = optarg;
			break;
		case 's':
			if (parse_number(optarg, &seconds))
				return 2;
			break;
		case 'q':
			p.quiet = true;
			break;
		case 'h':
			return slu_cli_show(NAME, help);
		case 'v':
			return slu_cli_show(NAME,
					    NAME " " PACKAGE_VERSION "\n");
		default:
			return 2;
		}
	if (argc - optind > 1)
		return usage_error(argv[optind + 1], "one SCRIPT is wanted");
	if (optind == argc && !p.option)
		return usage_error("", "which SCRIPT?");
	set_end(&p, seconds);
	return run(&p, argv[optind]);
}

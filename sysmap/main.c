/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysmap: reads this machine (or a recorded one) once, and prints the map,
 * writes it to a database, or pushes it to sluiced. No process remains.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>
#include "common/cli.h"
#include "common/clock.h"
#include "common/conf_host.h"
#include "common/jsonx.h"
#include "common/size.h"
#include "sysmap/measure_storage.h"
#include "sysmap/output.h"
#include "sysmap/push.h"
#include "sysmap/database/receive.h"
#include "sysmap/database/planner_storage.h"

#define NAMES_MAX	128
#define PUSH_DEADLINE	10.0 /* s; the next run tries again */

#define MEASURE_BYTES	(UINT64_C(256) << 20)
#define MEASURE_SECONDS 3.0

enum { EXIT_USAGE = 2 };

struct options {
	char *names[NAMES_MAX + 1]; /* of extractors, NULL-terminated */
	size_t n_names;
	const struct slu_format *format;
	const char *output, *root, *host, *db;
	struct slu_measure_limits limits;
	const char *measured; /* directory; "": the node's storage */
	bool list, push;
};

static const char help[] =
	"Usage: sysmap [OPTION]... [-e] [EXTRACTOR]...\n"
	"Read the resources of this machine.\n\n"
	"  -l, --list             list the extractors and where each reads\n"
	"  -e, --extractor NAMES  only these (all by default)\n"
	"  -f, --format FORMAT    json (default), sql, table, yaml or xml\n"
	"  -o, --output FILE      write there instead of standard output\n"
	"      --db FILE          store into this database\n"
	"      --push             send to sluiced what it does not have\n"
	"      --measure[=DIR]    also try how fast node-local storage is\n"
	"      --measure-bytes N  with at most so much (256MiB)\n"
	"      --measure-seconds N  for at most so long (3)\n"
	"      --root DIR         read a recorded machine instead of this one\n"
	"      --host NAME        whose map it is (this host's by default)\n"
	"      --help             show this\n"
	"      --version          show the version\n";

static int fail(const struct slu_err *err)
{
	fprintf(stderr, "sysmap: %s\n", err->text);
	return err->kind == SLU_INVALID ? EXIT_USAGE : EXIT_FAILURE;
}

static int usage(const char *text, const char *word)
{
	fprintf(stderr, "sysmap: %s%s (see sysmap --help)\n", text, word);
	return EXIT_USAGE;
}

/* Splits "disks,cpuinfo" in place. -1, or the exit code. */
static int add_names(struct options *opt, char *text)
{
	size_t left = NAMES_MAX - opt->n_names;
	size_t n = slu_split(text, ", ", opt->names + opt->n_names, left);

	if (n > left)
		return usage("too many extractors", "");
	opt->n_names += n;
	opt->names[opt->n_names] = NULL;
	return -1;
}

static const struct slu_format *find_format(char *name)
{
	for (const struct slu_format *f = slu_formats; f->name; f++)
		if (strcasecmp(f->name, name) ==
		    0) /* the original has capitals */
			return f;
	return NULL;
}

enum {
	DB = 256,
	PUSH,
	MEASURE,
	BYTES,
	SECONDS,
	ROOT,
	HOST,
	HELP,
	VERSION_,
};

static const struct option known[] = {
	{"list", no_argument, NULL, 'l'},
	{"extractor", required_argument, NULL, 'e'},
	{"format", required_argument, NULL, 'f'},
	{"output", required_argument, NULL, 'o'},
	{"db", required_argument, NULL, DB},
	{"push", no_argument, NULL, PUSH},
	{"measure", optional_argument, NULL, MEASURE},
	{"measure-bytes", required_argument, NULL, BYTES},
	{"measure-seconds", required_argument, NULL, SECONDS},
	{"root", required_argument, NULL, ROOT},
	{"host", required_argument, NULL, HOST},
	{"help", no_argument, NULL, HELP},
	{"version", no_argument, NULL, VERSION_},
	{NULL, 0, NULL, 0}};

/* One option. -1: continue; else the exit code. */
static int take(int c, struct options *opt)
{
	char *end;

	switch (c) {
	case 'l':
		opt->list = true;
		break;
	case 'e':
		return add_names(opt, optarg);
	case 'f':
		opt->format = find_format(optarg);
		if (!opt->format)
			return usage("there is no format ", optarg);
		break;
	case 'o':
		opt->output = optarg;
		break;
	case DB:
		opt->db = optarg;
		break;
	case PUSH:
		opt->push = true;
		break;
	case MEASURE:
		opt->measured = optarg ? optarg : "";
		break;
	case BYTES:
		if (slu_size_parse(optarg, &opt->limits.bytes, NULL))
			return usage("no size: ", optarg);
		break;
	case SECONDS:
		opt->limits.seconds = strtod(optarg, &end);
		if (*end ||
		    !(opt->limits.seconds > 0 && opt->limits.seconds <= 3600))
			return usage("no number of seconds up to 3600: ",
				     optarg);
		break;
	case ROOT:
		opt->root = optarg;
		break;
	case HOST:
		opt->host = optarg;
		break;
	case HELP:
		return slu_cli_show("sysmap", help);
	case VERSION_:
		return slu_cli_show("sysmap", "sysmap " PACKAGE_VERSION "\n");
	}
	return -1;
}

/* All options. -1: continue; else the exit code. */
static int parse(int argc, char **argv, struct options *opt)
{
	int c, code = -1;

	while (code < 0 && (c = slu_cli_option("sysmap", argc, argv,
					       ":le:f:o:", known)) != -1)
		code = c == '?' ? EXIT_USAGE : take(c, opt);
	for (; code < 0 && optind < argc; optind++)
		code = add_names(opt, argv[optind]);
	return code;
}

/* The node name: SLURMD_NODENAME where several nodes share a machine. */
static const char *find_host(const struct options *opt,
			     const struct slu_root *root)
{
	static char name[256];
	const char *slurm = getenv("SLURMD_NODENAME");

	if (opt->host)
		return opt->host;
	if (root->live && slurm && *slurm)
		return slurm;
	if (!slu_root_attr(root, name, sizeof(name),
			   "proc/sys/kernel/hostname"))
		slu_root_attr(root, name, sizeof(name), "etc/hostname");
	name[strcspn(name, ".")] = '\0';
	return name;
}

/* Prints for each source whether it is used, and why not. */
static void list_sources(const struct slu_root *root,
			 const struct slu_extractor *e)
{
	struct json_object *obj;
	struct slu_err err;
	bool found = false;

	for (const struct slu_source *s = e->source; s->name; s++) {
		if (found) {
			printf("    %-22s not needed\n", s->name);
		} else if (s->read(root, &obj, &err) == 0) {
			printf("    %-22s chosen\n", s->name);
			json_object_put(obj);
			found = true;
		} else {
			printf("    %-22s not here: %s\n", s->name, err.text);
		}
	}
}

static int list(const struct slu_root *root, char *const *names)
{
	struct slu_err err;

	if (slu_extractors_check(names, &err))
		return fail(&err);
	for (const struct slu_extractor *e = slu_extractors; e->name; e++) {
		if (*names && !slu_extractor_wanted(e, names))
			continue;
		printf("%-16s %s\n", e->name, e->help);
		if (e->on_request && !*names)
			printf("    only when it is named\n");
		else
			list_sources(root, e);
	}
	return slu_cli_show("sysmap", "");
}

static int print(const struct options *opt, const struct slu_map *map,
		 const char *host, struct slu_err *err)
{
	FILE *out = opt->output ? fopen(opt->output, "w") : stdout;
	const char *name = opt->output ? opt->output : "standard output";
	struct slu_buf text = {0};
	int ret;

	if (!out)
		return slu_errno(err, SLU_IO, "%s", name);
	ret = opt->format->write(map, host, &text, err);
	if (ret == 0 && fwrite(text.data, 1, text.len, out) != text.len)
		ret = slu_errno(err, SLU_IO, "%s", name);
	if ((opt->output ? fclose(out) : fflush(out)) && ret == 0)
		ret = slu_errno(err, SLU_IO, "%s", name);
	slu_buf_free(&text);
	return ret;
}

static int store(const char *path, const struct slu_map *map, const char *host,
		 struct slu_err *err)
{
	struct slu_db *db = slu_db_open(path, SLU_DB_LOAD, err);
	struct slu_receiver *r = db ? slu_receiver_new(db, err) : NULL;
	int ret = r ? slu_receive_map(r, host, map, time(NULL), err) : -1;

	slu_receiver_free(r);
	slu_db_close(db);
	return ret;
}

static int push(const struct slu_map *map, const char *host,
		struct slu_err *err)
{
	struct slu_http *http = slu_http_of_host(PUSH_DEADLINE, err);
	struct slu_pushed pushed;
	int ret = -1;

	if (http)
		ret = slu_push(http, host, map, PUSH_DEADLINE, &pushed, err);
	slu_http_free(http);
	return ret;
}

/* The storage for jobs with NodeStorage=auto. */
static int find_storage(const struct slu_root *root, const char *host,
			struct slu_node_storage *out, struct slu_err *err)
{
	char *names[] = {"mountpoints", NULL};
	struct json_object *mounts = NULL;
	struct slu_map map;
	int ret = -1;

	if (slu_map_extract(root, names, &map, err))
		return -1;
	if (map.n)
		mounts = slu_json_parse(map.document[0].text,
					map.document[0].len, err);
	else
		slu_err(err, SLU_NOTFOUND, "nothing is mounted");
	if (mounts)
		ret = slu_storage_choose(mounts, NULL, host, "auto", out, err);
	json_object_put(mounts);
	slu_map_free(&map);
	return ret;
}

static int measure(const struct options *opt, const struct slu_root *root,
		   const char *host, struct slu_map *map, struct slu_err *err)
{
	struct slu_node_storage storage;
	const char *path = opt->measured;
	struct slu_measured measured;
	int dir, ret;

	if (!root->live)
		return slu_err(err, SLU_INVALID,
			       "a recorded machine cannot be measured");
	if (!*path) {
		if (find_storage(root, host, &storage, err))
			return -1;
		path = storage.path;
	}
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return slu_errno(err, SLU_IO, "%s", path);
	ret = slu_measure(dir, &opt->limits, slu_now_mono, &measured, err);
	close(dir);
	if (ret)
		return slu_err_prefix(err, "%s", path);
	return slu_map_add(map, "storagespeed", "measurement",
			   slu_measured_json(path, &opt->limits, &measured),
			   err);
}

static int run(const struct options *opt, const struct slu_root *root,
	       struct slu_err *err)
{
	const char *host = find_host(opt, root);
	struct slu_map map;
	int ret = 0;

	if (!*host && (opt->db || opt->push))
		return slu_err(err, SLU_INVALID,
			       "the recorded machine has no name: say --host");
	if (slu_map_extract(root, opt->n_names ? opt->names : NULL, &map, err))
		return -1;
	if (opt->measured)
		ret = measure(opt, root, host, &map, err);
	if (ret == 0 && opt->db)
		ret = store(opt->db, &map, host, err);
	if (ret == 0 && opt->push)
		ret = push(&map, host, err);
	if (ret == 0 && ((!opt->db && !opt->push) || opt->output))
		ret = print(opt, &map, host, err);
	if (ret == 0 && map.wrong.kind)
		ret = slu_err(err, map.wrong.kind, "%s", map.wrong.text);
	slu_map_free(&map);
	return ret;
}

/* The directory of this machine's slurm.conf; caller frees. NULL: not found. */
static char *slurm_dir(void)
{
	char *path = slu_conf_slurm_path();
	char *slash = path ? strrchr(path, '/') : NULL, *full = NULL;
	bool there = path && access(path, F_OK) == 0;

	if (slash)
		slash[slash == path] = '\0';
	if (there)
		full = realpath(slash ? path : ".", NULL);
	free(path);
	return full;
}

int main(int argc, char **argv)
{
	struct options opt = {
		.format = slu_formats,
		.limits = {.bytes = MEASURE_BYTES, .seconds = MEASURE_SECONDS}};
	int ret = parse(argc, argv, &opt);
	struct slu_root root;
	struct slu_err err;
	char *slurm;

	if (ret >= 0)
		return ret;
	if (slu_root_open(&root, opt.root, &err))
		return fail(&err);
	slurm = root.live ? slurm_dir() : NULL;
	if (slurm)
		root.slurm = slurm;
	if (opt.list)
		ret = list(&root, opt.names);
	else
		ret = run(&opt, &root, &err) ? fail(&err) : EXIT_SUCCESS;
	slu_root_close(&root);
	free(slurm);
	return ret;
}

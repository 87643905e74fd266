/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `sluice-node`: parses the command line and runs one of its subcommands, which
 * make, check and remove jobs' file systems on a compute node. prolog, epilog,
 * slurmd's health check, services and users start it.
 */
#include "config.h"
#include "burst_buffer/node/forwarder/forwarder.h"
#include "burst_buffer/node/verbs.h"
#include "burst_buffer/node/stage/interpose.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/cli.h"
#include "common/clock.h"
#include "burst_buffer/node/commands/watch.h"
#include "burst_buffer/node/commands/commands.h"
#include "burst_buffer/node/teardown/discard.h"
#include "burst_buffer/node/teardown/down.h"
#include "burst_buffer/node/cache/cache_list.h"
#include "burst_buffer/node/probe/probe.h"

/* Seconds. SETUP: waiting for a sluice.conf, SetupTimeout's default and what
 * sluiced needs to act on it; between two looks; until slurmd has started. */
#define SETUP_TIME   150
#define PAUSE	     5
#define RECOVER_TIME 60

static int watch(struct slu_node *n)
{
	return slu_watch(n, slu_cmd_up);
}

static const struct command {
	const char *name, *usage, *doc;
	int (*fn)(struct slu_node *n);
	bool needs_job, needs_root;
} commands[] = {
	{"up", "--job J", "make a job's file system on this node (the prolog)",
	 slu_cmd_up, true, true},
	{"down", "--job J", "stage out and take it off again (the epilog)",
	 slu_cmd_down, true, true},
	{"missed", "--job J", "say that no prolog was run here (before tasks)",
	 slu_cmd_missed_prolog, true, true},
	{"watch", "--job J [--period S]",
	 "end a hung client of an ended job (started by up)", watch, true,
	 true},
	{"recover", "", "take down what a restart of this node cut off",
	 slu_cmd_recover, false, true},
	{"serve", "[--period S]", "make and end this node's persistent buffers",
	 slu_cmd_serve, false, true},
	{"status", "[--json|--wide]", "what of ours is on this node",
	 slu_cmd_status, false, false},
	{"cache", "[--json|--wide|--drop]",
	 "what is kept here of what jobs staged in", slu_cmd_cache, false,
	 true},
	{"probe", "[--json|--wide] [--push]",
	 "what this node offers, what stands in the way", slu_cmd_probe, false,
	 false},
	{"fetch", "JOB DIR", "copy what a failed stage-out left on this node",
	 slu_cmd_fetch, true, false},
	{"discard", "JOB [--json]",
	 "give up what is kept of one's own job (root: here)", slu_cmd_discard,
	 true, false},
	{"cancel", "JOB", "give up the stage-out of one's own job",
	 slu_cmd_cancel, true, false},
	{"begin", "--job J", "note Lustre's counters (prolog)", slu_cmd_begin,
	 true, true},
	{"io", "--job J", "send what the job read and wrote (epilog)",
	 slu_cmd_io, true, true},
};
#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const struct option longs[] = {{"job", required_argument, NULL, 'j'},
				      {"node", required_argument, NULL, 'n'},
				      {"log", required_argument, NULL, 'l'},
				      {"to", required_argument, NULL, 't'},
				      {"period", required_argument, NULL, 'p'},
				      {"json", no_argument, NULL, 'J'},
				      {"wide", no_argument, NULL, 'w'},
				      {"push", no_argument, NULL, 'P'},
				      {"drop", no_argument, NULL, 'D'},
				      {"dry-run", no_argument, NULL, 'd'},
				      {"help", no_argument, NULL, 'h'},
				      {"version", no_argument, NULL, 'v'},
				      {NULL, 0, NULL, 0}};

static void help(void)
{
	printf("Usage: sluice-node COMMAND [OPTION...]\n\n");
	for (size_t i = 0; i < N_COMMANDS; i++)
		printf("  %-7s %-19s %s\n", commands[i].name, commands[i].usage,
		       commands[i].doc);
	printf("\n"
	       "  forwarder --hosts FILE --ions HOSTLIST [--metadata DIR] "
	       "[--mapping DIR\n"
	       "          [--on-loss tell|requeue|end]] -- PROGRAM ARG...\n"
	       "          keep a forwarding daemon running on an I/O node\n"
	       "\n"
	       "  --job J     the job's number\n"
	       "  --node NAME this node, as Slurm calls it\n"
	       "  --to DIR    where fetch puts the data\n"
	       "  --json      status, cache, probe, discard: as JSON\n"
	       "  --wide      status, cache, probe: all columns, however "
	       "wide\n"
	       "  --drop      cache: remove all of it\n"
	       "  --push      probe: tell sluiced which file systems cannot "
	       "be had here\n"
	       "  --period S  serve, watch: seconds between two questions\n"
	       "  --dry-run   say what would be done, and do nothing\n"
	       "  --log FILE  log there (- is stderr; default "
	       "/var/log/sluice-node.log,\n"
	       "              or stderr when it is a terminal)\n"
	       "  --help, --version\n\n"
	       "exit codes: 0 done; 1 failed (up, down: this node cannot be "
	       "cleaned;\n"
	       "status: something is left over; probe: something stands in "
	       "the way);\n"
	       "2 wrong usage or configuration\n");
}

static int usage(const char *what, const char *word)
{
	fprintf(stderr, "sluice-node: %s%s (see sluice-node --help)\n", what,
		word);
	return 2;
}

static int usage_of(const struct command *command)
{
	fprintf(stderr, "usage: sluice-node %s %s\n", command->name,
		command->usage);
	return 2;
}

static int parse_period(const char *text, double *seconds)
{
	char *end;

	*seconds = strtod(text, &end);
	return end == text || *end || !(*seconds > 0 && *seconds < 1e4) ? -1
									: 0;
}

/* 0: go on; else the exit code plus one. */
static int parse_options(int argc, char **argv, struct slu_node_options *opt)
{
	int c;

	while ((c = slu_cli_option("sluice-node", argc, argv, ":", longs)) !=
	       -1) {
		switch (c) {
		case 'j':
			if (slu_node_parse_job(optarg, &opt->job_id))
				return 1 + usage("no job number: ", optarg);
			break;
		case 'n':
			opt->node = optarg;
			break;
		case 'l':
			opt->log = optarg;
			break;
		case 't':
			opt->to = optarg;
			break;
		case 'p':
			if (parse_period(optarg, &opt->period))
				return 1 +
				       usage("no number of seconds: ", optarg);
			break;
		case 'J':
			opt->json = true;
			break;
		case 'w':
			opt->wide = true;
			break;
		case 'P':
			opt->push = true;
			break;
		case 'D':
			opt->drop = true;
			break;
		case 'd':
			opt->dry_run = true;
			break;
		case 'h':
			help();
			return 1 + slu_cli_show("sluice-node", "");
		case 'v':
			return 1 + slu_cli_show("sluice-node",
						"sluice-node " PACKAGE_VERSION
						"\n");
		default:
			return 1 + 2;
		}
	}
	return 0;
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

/* The job's number, and fetch's directory, may be given without an option.
 * Returns the first word that is left over, or NULL. */
static const char *take_words(const struct command *command, char **word,
			      struct slu_node_options *opt)
{
	if (*word && command->needs_job && !opt->job_id) {
		if (slu_node_parse_job(*word, &opt->job_id))
			return *word;
		word++;
	}
	if (*word && command->fn == slu_cmd_fetch && !opt->to)
		opt->to = *word++;
	return *word;
}

/* Without a configuration no file system can be made, and the tasks of a job
 * that asks for one are refused. slurmd sends standard error to /dev/null. */
static int no_configuration(struct slu_node *n, const struct command *command,
			    const struct slu_err *err)
{
	fprintf(stderr, "sluice-node: %s\n", err->text);
	if (n->log_file)
		slu_node_log(n, SLU_ERROR, "%s", err->text);
	return command->fn == slu_cmd_up ? 0 : 2;
}

/* A node without a configuration cannot reach sluiced. If the prolog returned,
 * Slurm would start the tasks, they would be refused, and the job would be
 * FAILED; as long as it does not return, sluiced requeues the job after
 * SetupTimeout, and a sluice.conf that appears is used. */
static int open_patiently(struct slu_node *n,
			  const struct slu_node_options *opt,
			  struct slu_err *err)
{
	double end = slu_now_mono() + SETUP_TIME;
	int rc;

	while ((rc = slu_node_open(n, opt, err)) && slu_conf_absent() &&
	       slu_now_mono() < end) {
		slu_node_log(n, SLU_ERROR, "%s", err->text);
		slu_node_close(n);
		sleep(PAUSE);
	}
	return rc;
}

static int run(const struct command *command, struct slu_node_options *opt)
{
	bool waits = command->fn == slu_cmd_up && !opt->dry_run;
	struct slu_node n;
	struct slu_err err;
	int rc;

	opt->strict = command->fn == slu_cmd_probe;
	opt->conf_seconds = command->fn == slu_cmd_recover ? RECOVER_TIME : 0;
	if (waits ? open_patiently(&n, opt, &err)
		  : slu_node_open(&n, opt, &err))
		rc = no_configuration(&n, command, &err);
	else
		rc = command->fn(&n);
	if (rc == 0 && !command->needs_root)
		rc = slu_cli_show("sluice-node", "");
	slu_node_close(&n);
	return rc;
}

int main(int argc, char **argv)
{
	struct slu_node_options opt = {0};
	const struct command *command;
	const char *word;
	int rc;

	if (argc > 1 && !strcmp(argv[1], "act"))
		return slu_act_main(argc - 2, argv + 2);
	if (argc > 1 && !strcmp(argv[1], "forwarder"))
		return slu_forwarder_main(argc, argv);
	rc = parse_options(argc, argv, &opt);
	if (rc)
		return rc - 1;
	if (optind >= argc)
		return usage("no command", "");
	command = find_command(argv[optind]);
	if (!command)
		return usage("unknown command ", argv[optind]);
	word = take_words(command, argv + optind + 1, &opt);
	if (word)
		return usage("what is meant by ", word);
	if ((command->needs_job && !opt.job_id) ||
	    (command->fn == slu_cmd_fetch && !opt.to))
		return usage_of(command);
	if (command->needs_root && !opt.dry_run && geteuid())
		return usage("only root can do this: ", command->name);
	umask(022);
	/* slurmd's PATH may lack mkfs and the servers, a shell's may lack Slurm
	 */
	setenv("PATH",
	       SLU_SLURM_PATH
	       "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
	       1);
	return run(command, &opt);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses the command line of sluice-tbfd: its table of options, what they set,
 * and which of them go together.
 */
#include "config.h"
#include "select_io/tbfd/commands/tbfd_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/cli.h"

#define STATE "/var/lib/sluice-tbfd/tbfd" /* .json, -mdt.json */

static const char help[] =
	"Usage: sluice-tbfd --rate RATE [OPTION...]\n"
	"       sluice-tbfd status [--json] [--state FILE]\n"
	"       sluice-tbfd nodes --publish CONF\n"
	"       sluice-tbfd --clean | --measure SECONDS\n"
	"Share the bandwidth of this Lustre server by adaptive token borrowing;"
	" see\nsluice-tbfd(8).\n"
	"\n"
	"  -r, --rate RATE        of each target: RPCs a second, or bytes as "
	"2GB/s\n"
	"  -R, --target-rate TARGET=RATE  of this target\n"
	"  -c, --class CLASS      who shares: job, uid, gid or project (job)\n"
	"      --service NAME     whose requests: ost_io, mdt or mdt_io (ost_io)\n"
	"  -p, --period SECONDS   how often to decide (0.1)\n"
	"  -n, --nodes FILE       lines \"JOBID NODES [UID|GID|PROJECT]\"\n"
	"  -N, --nodes-from COMMAND  a command that prints such lines; "
	"sluiced: ask the\n"
	"                         sluiced of --publish\n"
	"  -x, --exempt WHAT      uid=N or jobid=PATTERN, or of the class: never "
	"limited\n"
	"      --min-rate RPCS    no job gets less a second (10)\n"
	"      --min-change PART  change a rule by no less (0.1)\n"
	"      --headroom PART    what rules lose beside others (0.3)\n"
	"      --linger SECONDS   keep the rule of an idle job (10)\n"
	"      --forget SECONDS   keep its record (3600)\n"
	"      --literal          the published equations as they are printed\n"
	"      --no-hungry        lend to all, not to the throttled first\n"
	"      --no-instant       lenders wait a period to take tokens back\n"
	"      --resync SECONDS   how often to look at the rules (5)\n"
	"  -s, --state FILE       records and status (" STATE ".json)\n"
	"  -m, --metrics FILE     numbers for Prometheus' textfile collector\n"
	"  -P, --publish CONF     tell the sluiced of this sluice.conf how the"
	" server is\n"
	"      --root DIR         read the server recorded there; implies"
	" --dry-run\n"
	"      --lctl PROGRAM     go through lctl instead of files\n"
	"      --dry-run          print what would be written\n"
	"      --once             one period only\n"
	"      --clean            stop the rules of sluice-tbfd and end\n"
	"      --measure SECONDS  print the most RPCs a second of each target\n"
	"      --json             status as JSON\n"
	"      --syslog           log to syslog, not to standard error\n"
	"  -v, --verbose          log every command\n"
	"      --help             show this and exit\n"
	"      --version          show the version and exit\n";

enum {
	MIN_RATE = 256,
	MIN_CHANGE,
	HEADROOM,
	LINGER,
	FORGET,
	LITERAL,
	NO_HUNGRY,
	NO_INSTANT,
	RESYNC,
	SERVICE,
	ROOT,
	LCTL,
	DRY_RUN,
	ONCE,
	CLEAN,
	MEASURE,
	JSON,
	SYSLOG,
	SHOW_HELP,
	SHOW_VERSION
};

static const struct option longs[] = {
	{"rate", required_argument, NULL, 'r'},
	{"target-rate", required_argument, NULL, 'R'},
	{"class", required_argument, NULL, 'c'},
	{"service", required_argument, NULL, SERVICE},
	{"period", required_argument, NULL, 'p'},
	{"nodes", required_argument, NULL, 'n'},
	{"nodes-from", required_argument, NULL, 'N'},
	{"exempt", required_argument, NULL, 'x'},
	{"min-rate", required_argument, NULL, MIN_RATE},
	{"min-change", required_argument, NULL, MIN_CHANGE},
	{"headroom", required_argument, NULL, HEADROOM},
	{"linger", required_argument, NULL, LINGER},
	{"forget", required_argument, NULL, FORGET},
	{"literal", no_argument, NULL, LITERAL},
	{"no-hungry", no_argument, NULL, NO_HUNGRY},
	{"no-instant", no_argument, NULL, NO_INSTANT},
	{"resync", required_argument, NULL, RESYNC},
	{"state", required_argument, NULL, 's'},
	{"metrics", required_argument, NULL, 'm'},
	{"publish", required_argument, NULL, 'P'},
	{"root", required_argument, NULL, ROOT},
	{"lctl", required_argument, NULL, LCTL},
	{"dry-run", no_argument, NULL, DRY_RUN},
	{"once", no_argument, NULL, ONCE},
	{"clean", no_argument, NULL, CLEAN},
	{"measure", required_argument, NULL, MEASURE},
	{"json", no_argument, NULL, JSON},
	{"syslog", no_argument, NULL, SYSLOG},
	{"verbose", no_argument, NULL, 'v'},
	{"help", no_argument, NULL, SHOW_HELP},
	{"version", no_argument, NULL, SHOW_VERSION},
	{NULL, 0, NULL, 0},
};

static bool is_number(const char *text, double least, double *out)
{
	char *end;

	*out = strtod(text, &end);
	return end != text && !*end && *out >= least && *out <= 1e9;
}

static int number(const char *text, double least, double *out)
{
	if (is_number(text, least, out))
		return 0;
	fprintf(stderr,
		"sluice-tbfd: \"%s\" is no number from %g on (see sluice-tbfd "
		"--help)\n",
		text, least);
	return -1;
}

static int refuse(const char *why)
{
	fprintf(stderr, "sluice-tbfd: %s (see sluice-tbfd --help)\n", why);
	return -1;
}

static int rate(const char *text, double *tokens, bool *bytes)
{
	struct slu_err err;

	return slu_tbfd_rate(text, tokens, bytes, &err) ? refuse(err.text) : 0;
}

static int add_rate(struct slu_tbfd_command_line *p, const char *text)
{
	struct slu_tbfd_options *o = &p->opt;
	const char *equals = strchr(text, '=');
	double tokens;
	bool bytes;

	if (!equals || equals == text) {
		fprintf(stderr,
			"sluice-tbfd: --target-rate %s: write "
			"TARGET=RATE\n",
			text);
		return -1;
	}
	if (rate(equals + 1, &tokens, &bytes))
		return -1;
	p->byte_rates += bytes;
	if (o->n_target_rates == SLU_TBFD_RATES_MAX) {
		return refuse("too many --target-rate");
	}
	o->target_rate[o->n_target_rates++] = text;
	return 0;
}

static int add_exempt(struct slu_tbfd_options *o, const char *text)
{
	if (o->n_exempt == SLU_TBFD_EXEMPT_MAX) {
		return refuse("too many --exempt");
	}
	o->exempt[o->n_exempt++] = text;
	return 0;
}

static int set_class(struct slu_tbfd_options *o, const char *word)
{
	struct slu_err err;

	return slu_tbfd_class(word, &o->set.class_key, &err) ? refuse(err.text)
							     : 0;
}

static int set_service(struct slu_tbfd_command_line *p, const char *name)
{
	struct slu_err err;

	p->service = slu_lustre_service(name, &err);
	return p->service ? 0 : refuse(err.text);
}

static int set_number(struct slu_tbfd_command_line *p, int c)
{
	struct slu_tbfd_options *o = &p->opt;

	switch (c) {
	case 'r':
		return rate(optarg, &o->set.rate, &o->set.bytes);
	case 'p':
		return number(optarg, 0.01, &o->period);
	case MIN_RATE:
		return number(optarg, 1, &o->set.min_rate);
	case MIN_CHANGE:
		return number(optarg, 0, &o->set.min_change);
	case HEADROOM:
		return number(optarg, 0, &o->set.headroom);
	case LINGER:
		return number(optarg, 0, &o->set.linger);
	case FORGET:
		return number(optarg, 0, &o->set.forget);
	case RESYNC:
		return number(optarg, 0, &o->resync);
	case MEASURE:
		return number(optarg, 1, &p->measure);
	default:
		return -1;
	}
}

static int set_option(struct slu_tbfd_command_line *p, int c)
{
	struct slu_tbfd_options *o = &p->opt;

	switch (c) {
	case 'R':
		return add_rate(p, optarg);
	case 'x':
		return add_exempt(o, optarg);
	case 'c':
		return set_class(o, optarg);
	case SERVICE:
		return set_service(p, optarg);
	case 'n':
		o->nodes = optarg;
		break;
	case 'N':
		o->nodes_command = optarg;
		break;
	case 's':
		o->state = optarg;
		break;
	case 'P':
		p->publish = optarg;
		break;
	case 'm':
		o->metrics = optarg;
		break;
	case LITERAL:
		o->set.literal = true;
		o->set.hungry = o->set.instant = false;
		break;
	case NO_HUNGRY:
		o->set.hungry = false;
		break;
	case NO_INSTANT:
		o->set.instant = false;
		break;
	case ROOT:
		p->root = optarg;
		o->dry_run = o->dry_run || strcmp(optarg, "/") != 0;
		break;
	case LCTL:
		p->lctl = optarg;
		break;
	case DRY_RUN:
		o->dry_run = true;
		break;
	case ONCE:
		o->once = true;
		break;
	case CLEAN:
		p->clean = true;
		break;
	case JSON:
		p->json = true;
		break;
	case SYSLOG:
		p->syslog = true;
		break;
	case 'v':
		p->log.max = SLU_DEBUG;
		break;
	case SHOW_HELP:
		exit(slu_cli_show("sluice-tbfd", help));
	case SHOW_VERSION:
		exit(slu_cli_show("sluice-tbfd",
				  "sluice-tbfd " PACKAGE_VERSION "\n"));
	default:
		return set_number(p, c);
	}
	return 0;
}

/* --nodes-from sluiced: the command is this program itself. */
static int take_sluiced(struct slu_tbfd_command_line *p)
{
	bool asks = p->opt.nodes_command &&
		    !strcmp(p->opt.nodes_command, "sluiced");

	if ((asks || p->nodes) && (!p->publish || strpbrk(p->publish, " \t"))) {
		return refuse(
			"--publish CONF is needed, which names the sluiced "
			"to ask; the path of CONF must have no blanks");
	}
	if (!asks)
		return 0;
	p->self = slu_asprintf("/proc/self/exe nodes --publish %s", p->publish);
	p->opt.nodes_command = p->self;
	return p->self ? 0 : -1;
}

/* Does the class go with the other options? */
static int check_class(const struct slu_tbfd_command_line *p)
{
	struct slu_err err;

	if (slu_tbfd_exemptions(&p->opt, &err))
		return refuse(err.text);
	if (!p->opt.set.class_key || !p->self)
		return 0;
	return refuse("--nodes-from sluiced does not give the owners of "
		      "jobs: write a program around squeue -h -t R,CG -o "
		      "\"%A %D %U\"");
}

/* RPCs of one target and bytes of another: 0 when there is no such thing, or
 * no --rate: the unit's --clean has only those of targets. */
static int rates_differ(const struct slu_tbfd_command_line *p)
{
	if (p->opt.set.rate == 0 ||
	    p->byte_rates == (p->opt.set.bytes ? p->opt.n_target_rates : 0))
		return 0;
	return refuse("--rate and --target-rate: all in RPCs or all in bytes a "
		      "second; those of tbfd.rates (--measure) count too");
}

/* What follows from the service. */
static int take_service(struct slu_tbfd_command_line *p)
{
	bool io = strcmp(p->service->name, "ost_io") == 0;

	snprintf(p->state, sizeof(p->state), STATE "%s%s.json", io ? "" : "-",
		 io ? "" : p->service->name);
	if (!p->opt.state)
		p->opt.state = p->state;
	p->opt.set.metadata = p->service->requests;
	if (!p->opt.set.metadata || !p->opt.set.bytes)
		return 0;
	return refuse("requests of mdt have no bytes: write --rate in requests "
		      "a second");
}

int slu_tbfd_parse(struct slu_tbfd_command_line *p, int argc, char **argv)
{
	int c;

	while ((c = slu_cli_option("sluice-tbfd", argc, argv,
				   ":r:R:c:p:n:N:x:s:m:P:v", longs)) != -1)
		if (set_option(p, c))
			return -1;
	p->opt.set.exempt = p->opt.exempt;
	p->status = optind < argc && strcmp(argv[optind], "status") == 0;
	p->nodes = optind < argc && strcmp(argv[optind], "nodes") == 0;
	optind += p->status || p->nodes;
	if (optind < argc) {
		fprintf(stderr,
			"sluice-tbfd: what is \"%s\"? (see sluice-tbfd "
			"--help)\n",
			argv[optind]);
		return -1;
	}
	if (take_sluiced(p) || rates_differ(p) || check_class(p) ||
	    take_service(p))
		return -1;
	if (p->opt.set.rate == 0 && !p->status && !p->nodes && !p->clean &&
	    !p->measure && !p->publish) {
		return refuse("--rate is missing; --measure finds the rate");
	}
	return 0;
}

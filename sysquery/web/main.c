/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sluice-web: serves the page of `sysquery page` over HTTP, always up to date,
 * to browsers that send the token. */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "common/cli.h"
#include "common/jsonx.h"
#include "sysquery/cli/ask.h"
#include "sysquery/page/page.h"
#include "sysquery/web/page_server.h"
#include "sysquery/cli/time_text.h"

#define NAME	"sluice-web"
#define LISTEN	"127.0.0.1:6823"
#define REFRESH 60u /* s */
#define KEEP	5.0 /* s */
#define SINCE	"7d"

static const char usage[] =
	"Usage: sluice-web [OPTION]...\n"
	"Serve what sysquery page draws to the browsers of this host, for who "
	"has the\n"
	"token that it prints. Shows what the user who runs it may see.\n\n"
	"  -l, --listen ADDR      PORT, HOST:PORT or [::1]:PORT (" LISTEN ")\n"
	"  -t, --token-file FILE  the token, made if there is none, not "
	"printed\n"
	"  -r, --refresh SECONDS  browsers load it again so often; 0: not (60)\n"
	"      --since TIME       show so much: 12h, 30d (" SINCE ")\n"
	"  -f, --filename DB      this database instead of sluiced\n"
	"      --server HOST:PORT the sluiced there\n"
	"      --help             show this and exit\n"
	"      --version          show the version and exit\n";

enum { SHOW_SINCE = 256, SERVER, SHOW_HELP, SHOW_VERSION };
static const struct option longs[] = {
	{"listen", required_argument, NULL, 'l'},
	{"token-file", required_argument, NULL, 't'},
	{"refresh", required_argument, NULL, 'r'},
	{"since", required_argument, NULL, SHOW_SINCE},
	{"filename", required_argument, NULL, 'f'},
	{"server", required_argument, NULL, SERVER},
	{"help", no_argument, NULL, SHOW_HELP},
	{"version", no_argument, NULL, SHOW_VERSION},
	{NULL, 0, NULL, 0},
};

struct program {
	const char *listen, *token_file, *since, *file, *server;
	unsigned refresh;
	struct slu_web web;
};

/* Runs in the server's thread. */
static int make_page(void *arg, struct slu_buf *out, struct slu_err *err)
{
	const struct program *p = arg;
	struct slu_ask ask = {.file = p->file,
			      .server = p->server,
			      .args = json_object_new_object()};
	struct json_object *doc = NULL;
	int64_t since;
	int rc = -1;

	if (slu_when_parse(p->since, time(NULL), &since, err) == 0) {
		slu_json_set_i64(ask.args, "since", since);
		doc = slu_ask_page(&ask, err);
	}
	if (doc)
		rc = slu_page_render(doc, p->refresh, out, err);
	json_object_put(doc);
	json_object_put(ask.args);
	return rc;
}

static int set_refresh(struct program *p, const char *text, struct slu_err *err)
{
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (errno || *end || *text < '0' || *text > '9' || n > 86400)
		return slu_err(err, SLU_INVALID,
			       "--refresh: want seconds, at most 86400");
	p->refresh = (unsigned)n;
	return 0;
}

/* Returns 1 to continue, 0 if all is done, -1 after an error. */
static int take_option(struct program *p, int c, struct slu_err *err)
{
	switch (c) {
	case 'l':
		p->listen = optarg;
		return 1;
	case 't':
		p->token_file = optarg;
		return 1;
	case 'r':
		return set_refresh(p, optarg, err) < 0 ? -1 : 1;
	case SHOW_SINCE:
		p->since = optarg;
		return 1;
	case 'f':
		p->file = optarg;
		return 1;
	case SERVER:
		p->server = optarg;
		return 1;
	case SHOW_HELP:
		exit(slu_cli_show(NAME, usage));
	case SHOW_VERSION:
		exit(slu_cli_show(NAME, NAME " " PACKAGE_VERSION "\n"));
	}
	exit(2); /* the error was printed */
}

static int parse(struct program *p, int argc, char **argv, struct slu_err *err)
{
	int64_t since;
	int c;

	while ((c = slu_cli_option(NAME, argc, argv, ":l:t:r:f:", longs)) != -1)
		if (take_option(p, c, err) < 0)
			return -1;
	if (optind < argc)
		return slu_err(err, SLU_INVALID, "what is \"%s\"?",
			       argv[optind]);
	if (p->file && p->server)
		return slu_err(err, SLU_INVALID,
			       "--filename and --server: want one of them");
	if (slu_when_parse(p->since, time(NULL), &since, err) < 0)
		return -1;
	return since < time(NULL)
		       ? 0
		       : slu_err(err, SLU_INVALID, "--since: it is not past");
}

/* The host for a URL: for a wildcard address this host's name. */
static const char *host_of(const char *listen, int len, char name[256])
{
	static const char *const all[] = {"0.0.0.0", "[::]", "*"};

	if (!len)
		return slu_copy(name, 256, "127.0.0.1"), name;
	snprintf(name, 256, "%.*s", len, listen);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(name, all[i]))
			gethostname(name, 255);
	return name;
}

/* Prints the URL; with a token file a command that reads it, so that only users
 * who may read the file get the token. */
static void say_where(const struct program *p, unsigned port, bool loopback)
{
	const char *colon = strrchr(p->listen, ':');
	char name[256] = "";

	if (!loopback)
		fprintf(stderr,
			NAME ": anybody who can reach it and has the token is "
			     "shown all, unencrypted\n");
	printf("http://%s:%u/?token=",
	       host_of(p->listen, colon ? (int)(colon - p->listen) : 0, name),
	       port);
	if (p->token_file)
		printf("$(cat %s)\n", p->token_file);
	else
		puts(p->web.token);
	fflush(stdout);
}

static void wait_for_end(void)
{
	sigset_t set;
	int signo;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigwait(&set, &signo);
}

/* Called before threads exist: signals are only received by sigwait(). */
static void block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static int serve(struct program *p, struct slu_err *err)
{
	struct MHD_Daemon *server;
	bool loopback;
	unsigned port;
	int fd;

	if ((p->token_file ? slu_token_of_file(p->token_file, p->web.token, err)
			   : slu_token_make(p->web.token, err)) < 0)
		return -1;
	fd = slu_web_listen(p->listen, &port, &loopback, err);
	if (fd < 0)
		return -1;
	block_signals();
	server = slu_web_start(&p->web, fd, port, err);
	if (!server) {
		close(fd);
		return -1;
	}
	say_where(p, port, loopback);
	wait_for_end();
	slu_web_stop(&p->web, server);
	return 0;
}

int main(int argc, char **argv)
{
	struct program p = {.listen = LISTEN,
			    .since = SINCE,
			    .refresh = REFRESH,
			    .web = {.keep = KEEP, .page = make_page}};
	struct slu_err err = {0};

	p.web.arg = &p;
	if (parse(&p, argc, argv, &err) < 0) {
		fprintf(stderr, NAME ": %s (see " NAME " --help)\n", err.text);
		return 2;
	}
	if (serve(&p, &err) < 0) {
		fprintf(stderr, NAME ": %s\n", err.text);
		return err.kind == SLU_INVALID ? 2 : 1;
	}
	return 0;
}

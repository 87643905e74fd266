/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysquery: shows what Sluice knows of nodes, jobs and storage. Parses the
 * command line, runs the subcommand (see sysquery/cli/ask.h), and with --watch
 * repeats it.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sysquery/cli/ask.h"
#include "sysquery/cli/complete.h"

enum { EXIT_DIFFERS = 5 };

/* The exit code by kind of error; sysquery(1) lists them. */
static int status_of(enum slu_kind kind)
{
	switch (kind) {
	case SLU_INVALID:
		return 2;
	case SLU_NOTFOUND:
		return 3;
	case SLU_DENIED:
		return 4;
	case SLU_BUSY:
	case SLU_TIMEOUT:
	case SLU_IO:
	case SLU_NOMEM:
	case SLU_INTERNAL:
		break;
	}
	return EXIT_FAILURE;
}

static int answer(struct slu_ask *ask, struct slu_err *err)
{
	const struct slu_command *c = slu_commands;

	if (!ask->command)
		return slu_cmd_original(ask, err);
	while (strcmp(c->name, ask->command) != 0)
		c++; /* slu_ask_parse() has checked that it is there */
	return c->run(ask, err);
}

static int run(struct slu_ask *ask, struct slu_err *err)
{
	struct slu_buf text = {0};
	int ret;

	if (!ask->help && !ask->version)
		return answer(ask, err);
	if (ask->help)
		slu_ask_help(ask, &text);
	else
		slu_buf_puts(&text, "sysquery " PACKAGE_VERSION "\n");
	ret = slu_ask_write(ask, &text, err);
	slu_buf_free(&text);
	return ret;
}

/* One query; *watch: seconds until the next one; 0: none. */
static int once(int argc, char **argv, unsigned *watch)
{
	int status = EXIT_SUCCESS;
	struct slu_ask ask;
	struct slu_err err = {0};

	*watch = 0;
	if (slu_ask_parse(&ask, argc, argv, &err)) {
		fprintf(stderr, "sysquery: %s (see sysquery --help)\n",
			slu_printable(err.text));
		status = status_of(err.kind);
	} else {
		*watch = ask.watch;
		if (run(&ask, &err)) {
			fprintf(stderr, "sysquery: %s\n",
				slu_printable(err.text));
			status = status_of(err.kind);
		} else if (ask.differs) {
			status = EXIT_DIFFERS;
		}
	}
	slu_ask_free(&ask);
	return status;
}

static int complete(int argc, char **argv)
{
	struct slu_buf out = {0};

	slu_complete(argv, argc, &out);
	fputs(out.data ? out.data : "", stdout);
	slu_buf_free(&out);
	return EXIT_SUCCESS;
}

/* --complete is called by etc/sluice.completion. */
int main(int argc, char **argv)
{
	unsigned watch;
	int status;

	if (argc > 1 && strcmp(argv[1], "--complete") == 0)
		return complete(argc - 2, argv + 2);
	while ((status = once(argc, argv, &watch)), watch)
		sleep(watch);
	return status;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asks a forwarding daemon's program for its release and options. */
#include "config.h"
#include "burst_buffer/node/forwarder/forwarder.h"

#include <stdio.h>
#include <string.h>

#include "common/proc.h"

#define SAID_MAX 65536
#define PATIENCE 10.0 /* s */

static int run(char *const argv[], struct slu_buf *said, struct slu_err *err)
{
	*said = (struct slu_buf){.max = SAID_MAX};
	if (slu_run(argv, PATIENCE, said, err))
		return -1;
	return said->len ? 0
			 : slu_err(err, SLU_IO, "%s %s: no answer", argv[0],
				   argv[1]);
}

/* Has the help a line that begins with the option ("-m,--mountdir TEXT")? Only
 * the beginning counts: descriptions of other options name options that this
 * build may lack. */
static bool has(const char *help, const char *option)
{
	size_t len = strlen(option);

	for (const char *line = help; line; line = strchr(line, '\n')) {
		line += strspn(line, " \t\n");
		if (line[0] == '-' && line[1] != '-' && line[2] == ',')
			line += 3;
		if (!strncmp(line, option, len) && strchr(" =,\t\n", line[len]))
			return true;
	}
	return false;
}

/* Release 0.9.3 does not print its version without its required options. */
static int add_release(char *program, struct slu_buf *out, struct slu_err *err)
{
	char *argv[] = {program, "--version", "-m", "/nowhere",
			"-r",	 "/nowhere",  NULL};
	struct slu_buf said;
	int rc = run(argv, &said, err);

	if (rc == 0)
		slu_buf_printf(out, "release %.*s",
			       (int)strcspn(said.data, "\n"), said.data);
	slu_buf_free(&said);
	return rc;
}

int slu_fwd_probe(char *program, struct slu_buf *out, struct slu_err *err)
{
	static const char *const options[] = {
		"enable-forwarding", "metadir",		  "proxy-protocol",
		"auto-sm",	     "enable-collection", "enable-prometheus"};
	char *argv[] = {program, "--help", NULL};
	struct slu_buf help = {0};
	int rc = add_release(program, out, err);
	const char *mark = "; it has ";
	char word[64];

	if (rc == 0)
		rc = run(argv, &help, err);
	for (size_t i = 0; rc == 0 && i < sizeof(options) / sizeof(options[0]);
	     i++) {
		snprintf(word, sizeof(word), "--%s", options[i]);
		if (!has(help.data, word))
			continue;
		slu_buf_printf(out, "%s%s", mark, options[i]);
		mark = ", ";
	}
	if (rc == 0 && !has(help.data, "--enable-forwarding"))
		slu_buf_puts(out, "; it cannot forward: its option "
				  "--enable-forwarding is missing");
	slu_buf_free(&help);
	return rc;
}

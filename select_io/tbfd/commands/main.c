/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs sluice-tbfd: the daemon, or what its command line asks for instead of
 * it.
 */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <syslog.h>
#include <time.h>
#include "common/cli.h"
#include "common/file.h"
#include "common/jsonx.h"
#include "select_io/tbfd/tbfd.h"
#include "select_io/tbfd/publisher.h"
#include "select_io/tbfd/commands/tbfd_options.h"

#define EXIT_USAGE 2

static int show_status(const struct slu_tbfd_command_line *p,
		       struct slu_err *err)
{
	struct slu_buf text = {0}, out = {0};
	struct json_object *state;
	int ret = slu_file_read(AT_FDCWD, p->opt.state, 64u << 20, &text, err);

	if (ret && err->kind == SLU_NOTFOUND)
		return slu_err(err, SLU_NOTFOUND,
			       "there is no %s: no sluice-tbfd has run here "
			       "yet that writes rules (one with --root or "
			       "--dry-run keeps no state)",
			       p->opt.state);
	if (ret)
		return ret;
	if (p->json) {
		fwrite(text.data, 1, text.len, stdout);
		putchar('\n');
	} else if ((state = slu_json_parse(text.data, text.len, err))) {
		ret = slu_tbfd_status(state, (double)time(NULL), &out, err);
		if (!slu_tbfd_running(p->opt.state))
			puts("No sluice-tbfd is running; this is the last "
			     "state that it saved.");
		if (ret == 0)
			fputs(out.data, stdout);
		json_object_put(state);
	} else {
		ret = slu_err_prefix(err, "%s", p->opt.state);
	}
	slu_buf_free(&text);
	slu_buf_free(&out);
	return ret;
}

static int run(struct slu_tbfd_command_line *p, struct slu_err *err)
{
	struct slu_lustre *lustre;
	struct slu_buf out = {0};
	int ret;

	if (p->status)
		return show_status(p, err);
	if (p->nodes) {
		ret = slu_tbfd_publish_nodes(p->publish, &out, err);
		fputs(out.data ? out.data : "", stdout);
		slu_buf_free(&out);
		return ret;
	}
	if (p->publish && p->opt.set.rate == 0 && !p->clean && !p->measure)
		return slu_tbfd_publish_run(p->publish, p->root, &p->log, err);
	lustre = p->lctl ? slu_lustre_lctl(p->lctl, p->service, err)
			 : slu_lustre_files(p->root, p->service, err);
	if (!lustre)
		return -1;
	if (p->clean)
		ret = slu_tbfd_clean(&p->opt, lustre, &p->log, err);
	else if (p->measure > 0)
		ret = slu_tbfd_measure(lustre, p->measure, &out, err);
	else if (p->publish &&
		 slu_tbfd_publish_start(p->publish, p->root, &p->log, err))
		ret = -1;
	else
		ret = slu_tbfd_run(&p->opt, lustre, &p->log, err);
	if (out.data)
		fputs(out.data, stdout);
	slu_buf_free(&out);
	lustre->free(lustre);
	return ret;
}

int main(int argc, char **argv)
{
	struct slu_tbfd_command_line p = {
		.opt = {.set = slu_tbf_defaults, .period = 0.1, .resync = 5},
		.service = slu_lustre_service("ost_io", NULL),
		.log = {.fn = slu_log_to_file, .arg = stderr, .max = SLU_INFO},
		.root = "/",
	};
	struct slu_err err;
	int rc;

	if (slu_tbfd_parse(&p, argc, argv)) {
		free(p.self);
		return EXIT_USAGE;
	}
	if (p.syslog) {
		openlog("sluice-tbfd", LOG_PID, LOG_DAEMON);
		p.log.fn = slu_log_to_syslog;
	}
	rc = run(&p, &err);
	free(p.self);
	if (rc == 0)
		return slu_cli_show("sluice-tbfd", "");
	slu_log(&p.log, SLU_ERROR, "%s", err.text);
	return EXIT_FAILURE;
}

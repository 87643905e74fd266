/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `sluice-node io`: reports to sluiced what a job without a buffer has read and
 * written on this node. The SPANK plugin has noted it for tasks in RunDir/io,
 * one line "READ WRITTEN" a step, or "unknown", and then there is no report.
 * Without such a note the counters of Lustre's client are used, minus those
 * that `sluice-node begin` has noted. The notes are removed even if sluiced did
 * not get the report: it is not repeated, and no other step depends on it.
 */
#include "config.h"
#include "burst_buffer/node/commands/llite.h"
#include "burst_buffer/node/talk.h"
#include "burst_buffer/node/verbs.h"
#include "burst_buffer/node/commands/commands.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/file.h"
#include "wire/job.h"

#define NOTES_MAX (1u << 20)
#define SECONDS	  2.0

/* Malformed lines (torn by a full disk) are skipped. Returns whether everything
 * is known. */
static bool add_up(char *text, struct slu_io_report *io)
{
	unsigned long long in, out;
	bool known = true;
	char *line, end;

	while ((line = strsep(&text, "\n"))) {
		known = known && strcmp(line, "unknown") != 0;
		if (sscanf(line, "%llu %llu%c", &in, &out, &end) == 2) {
			io->read_bytes += (double)in;
			io->written_bytes += (double)out;
		}
	}
	return known;
}

static int send_io(struct slu_node *n, const struct slu_io_report *io,
		   struct slu_err *err)
{
	char *body = slu_encode_text(&slu_io_report_desc, io);
	struct slu_buf reply = {0};
	int rc;

	if (!body)
		return slu_err(err, SLU_NOMEM, "out of memory");
	rc = slu_talk_once(n, "/v1/io", body, SECONDS, &reply, err);
	slu_buf_free(&reply);
	free(body);
	return rc;
}

/* Lustre's counters are read even where tasks were noted, as that removes their
 * note. */
static bool collect(const char *dir, struct slu_io_report *io)
{
	bool lustre = slu_llite_end("", dir, io->job_id, &io->read_bytes,
				    &io->written_bytes);
	struct slu_buf text = {0};
	char path[PATH_MAX + 16];
	bool tasks, known = true;

	snprintf(path, sizeof(path), "%s/%u", dir, (unsigned)io->job_id);
	tasks = slu_file_read(AT_FDCWD, path, NOTES_MAX, &text, NULL) == 0 &&
		text.data;
	if (tasks) {
		io->read_bytes = io->written_bytes = 0;
		known = add_up(text.data, io);
	}
	io->source = tasks ? SLU_IO_TASKS : SLU_IO_LLITE;
	slu_buf_free(&text);
	unlink(path);
	return (tasks || lustre) && known;
}

int slu_cmd_io(struct slu_node *n)
{
	struct slu_io_report io = {.job_id = n->job_id, .node = n->name};
	char dir[PATH_MAX];
	struct slu_err err;

	snprintf(dir, sizeof(dir), "%s/io", n->conf->run_dir);
	if (collect(dir, &io) && send_io(n, &io, &err))
		slu_node_log(n, SLU_WARN, "io: %s", err.text);
	return EXIT_SUCCESS;
}

int slu_cmd_begin(struct slu_node *n)
{
	char dir[PATH_MAX];
	struct slu_err err;

	snprintf(dir, sizeof(dir), "%s/io", n->conf->run_dir);
	mkdir(n->conf->run_dir, 0755);
	if (slu_llite_begin("", dir, n->job_id, &err) < 0)
		slu_node_log(n, SLU_WARN, "begin: %s", err.text);
	return EXIT_SUCCESS;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `sluice-node io`: tell sluiced what the tasks of a job without a buffer have
 * read and written on this node, as the SPANK plugin has noted it in RunDir/io,
 * one line "READ WRITTEN" a step. The notes go whether sluiced heard of them
 * or not: nobody waits for this, and nothing depends on it.
 */
#include "config.h"
#include "burst_buffer/node/verbs.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/file.h"

#define NOTES_MAX (1u << 20)
#define SECONDS	  2.0

/* Lines that are none (torn by a full disk) do not count. */
static void add_up(char *text, struct slu_io_report *io)
{
	unsigned long long in, out;
	char *line, end;

	while ((line = strsep(&text, "\n")))
		if (sscanf(line, "%llu %llu%c", &in, &out, &end) == 2) {
			io->read_bytes += (double)in;
			io->written_bytes += (double)out;
		}
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

int slu_cmd_io(struct slu_node *n)
{
	struct slu_io_report io = {.job_id = n->job_id, .node = n->name};
	struct slu_buf text = {0};
	char path[PATH_MAX];
	struct slu_err err;

	snprintf(path, sizeof(path), "%s/io/%u", n->conf->run_dir,
		 (unsigned)n->job_id);
	if (slu_file_read(AT_FDCWD, path, NOTES_MAX, &text, NULL) == 0 &&
	    text.data) {
		add_up(text.data, &io);
		if (send_io(n, &io, &err))
			slu_node_log(n, SLU_WARN, "io: %s", err.text);
	}
	slu_buf_free(&text);
	unlink(path);
	return EXIT_SUCCESS;
}

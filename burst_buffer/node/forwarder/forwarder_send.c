/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports to sluiced what the forwarders have counted for a job. A child does
 * it, which repeats the report for some minutes, as the job's row may be
 * written later.
 */
#include "config.h"
#include "burst_buffer/node/forwarder/forwarder_io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/conf.h"
#include "common/http.h"
#include "common/str.h"
#include "wire/job.h"
#include "wire/node.h"

#define PATIENCE 10.0 /* s */
#define PAUSE	 5    /* s; the job's row may be written later */
#define TIMES	 60

static int send_once(struct slu_http *http, const struct slu_fwd_sum *sum,
		     const char *host, struct slu_err *err)
{
	double idle = (double)time(NULL) - sum->last;
	struct slu_server_job job = {
		.job_id = sum->job_id,
		.read_bytes = sum->read,
		.written_bytes = sum->written,
		.idle = idle > 0 ? idle : 0,
	};
	struct slu_server_io said = {.node = (char *)(uintptr_t)host,
				     .job = &job,
				     .n_job = 1,
				     .source = SLU_IO_FORWARDERS};
	struct slu_server_answer answer = {0};
	struct slu_buf reply = {0};
	char *text = slu_encode_text(&slu_server_io_desc, &said);
	int rc = text ? slu_http_post(http, "/v1/jobstats", text, strlen(text),
				      0, &reply, err)
		      : slu_err(err, SLU_NOMEM, "out of memory");

	if (rc == 0)
		rc = slu_decode_text(&slu_server_answer_desc,
				     reply.data ? reply.data : "", reply.len,
				     &answer, err);
	if (rc == 0 && answer.n_unknown)
		rc = slu_err(err, SLU_NOTFOUND,
			     "sluiced does not know this "
			     "run of the job");
	slu_msg_clear(&slu_server_answer_desc, &answer);
	slu_buf_free(&reply);
	free(text);
	return rc;
}

static int send_until(const struct slu_fwd_sum *sum, const char *host,
		      struct slu_err *err)
{
	char *path = slu_conf_path();
	struct slu_conf *conf = path ? slu_conf_load(path, err) : NULL;
	struct slu_http *http = conf ? slu_http_of_site(conf, err) : NULL;
	int rc = http ? 0 : -1;

	if (!path)
		return slu_err(err, SLU_NOMEM, "out of memory");

	if (http)
		slu_http_timeout(http, PATIENCE);
	for (int i = 0; http && i < TIMES; i++) {
		if (i)
			sleep(PAUSE);
		rc = send_once(http, sum, host, err);
		if (rc == 0)
			break;
	}
	return rc;
}

void slu_fwd_io_send(const struct slu_fwd_sum *sum, const char *host)
{
	struct slu_err err;

	if (fork() != 0)
		return;
	if (send_until(sum, host, &err) < 0)
		fprintf(stderr,
			"sluice-node forwarder: job %u: its forwarded I/O "
			"could not be reported to sluiced: %s\n",
			(unsigned)sum->job_id, err.text);
	_exit(0);
}

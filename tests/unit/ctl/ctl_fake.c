/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements the end of the control socket that plays sluiced, and helpers for
 * jobs. */
#include "config.h"
#include "tests/unit/ctl/ctl_fake.h"
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "tests/unit/tmpdir.h"
#include "wire/rows.h"

struct fake_daemon daemon_end = {.listen = -1, .fd = -1};

void daemon_listen(void)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};

	slu_copy(addr.sun_path, sizeof(addr.sun_path), tmpfile_path("socket"));
	unlink(addr.sun_path);
	daemon_end.listen = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	ck_assert(bind(daemon_end.listen, (struct sockaddr *)&addr,
		       sizeof(addr)) == 0);
	ck_assert(listen(daemon_end.listen, 1) == 0);
}

bool daemon_accept(void)
{
	daemon_end.fd = accept4(daemon_end.listen, NULL, NULL, SOCK_NONBLOCK);
	return daemon_end.fd >= 0;
}

void daemon_hang_up(void)
{
	close(daemon_end.fd);
	daemon_end.fd = -1;
	slu_buf_free(&daemon_end.in);
}

void daemon_say(const struct slu_desc *desc, const void *msg)
{
	char *line = slu_envelope(desc, ++daemon_end.id, msg);

	ck_assert(send(daemon_end.fd, line, strlen(line), 0) ==
		  (ssize_t)strlen(line));
	free(line);
}

void daemon_tell(const struct slu_history_row *row)
{
	struct slu_history_rows rows;
	struct slu_buf text = {0};

	slu_row_pack(row, &text);
	rows.packed = text.data;
	daemon_say(&slu_history_rows_desc, &rows);
	slu_buf_free(&text);
}

void *daemon_hear(const struct slu_desc *want)
{
	static char chunk[1 << 16];
	const struct slu_desc *desc;
	struct slu_err err;
	uint64_t id;
	void *msg;
	ssize_t n;

	while ((n = recv(daemon_end.fd, chunk, sizeof(chunk), 0)) > 0)
		slu_buf_add(&daemon_end.in, chunk, (size_t)n);
	while (daemon_end.in.len) {
		char *end = memchr(daemon_end.in.data, '\n', daemon_end.in.len);
		size_t len;

		if (!end)
			return NULL;
		len = (size_t)(end - daemon_end.in.data);
		ck_assert_msg(slu_envelope_parse(daemon_end.in.data, len,
						 slu_to_daemon, &desc, &id,
						 &msg, &err) == 0,
			      "%s", err.text);
		slu_buf_drop(&daemon_end.in, len + 1);
		if (desc == want)
			return msg;
		slu_msg_free(desc, msg);
	}
	return NULL;
}

bool daemon_heard(const struct slu_desc *want)
{
	void *msg = daemon_hear(want);

	slu_msg_free(want, msg);
	return msg != NULL;
}

void write_conf(const char *more)
{
	FILE *f = fopen(tmpfile_path("sluice.conf"), "w");

	fprintf(f,
		"ControlSocket=%s\nFileSystem=scratch Driver=scratch "
		"Default=yes\n%s\n",
		tmpfile_path("socket"), more);
	fclose(f);
}

struct slu_ctl *ctl_by_hand(const char *conf)
{
	struct slu_ctl *ctl;

	write_conf(conf);
	ctl = slu_ctl_acquire(&fake_ops, tmpfile_path("sluice.conf"));
	ck_assert_ptr_nonnull(ctl);
	ck_assert_msg(!ctl->site->why_not, "%s", ctl->site->why_not);
	ctl->started = true;
	ctl->stale = ctl->recall = true;
	slu_ctl_set_prolog_done(ctl, fake_prolog_done);
	return ctl;
}

void users_asked(struct slu_ctl *ctl, double now)
{
	slu_ctl_step(ctl, now);
	while (ctl->asking)
		usleep(1000);
	slu_ctl_step(ctl, now);
}

void link_up(struct slu_ctl *ctl, double now)
{
	struct slu_hello_daemon hello = {.version = SLU_WIRE_VERSION};

	if (daemon_end.listen < 0)
		daemon_listen();
	slu_ctl_step(ctl, now);
	ck_assert(daemon_accept());
	ck_assert(daemon_heard(&slu_hello_ctl_desc));
	daemon_say(&slu_hello_daemon_desc, &hello);
	slu_ctl_step(ctl, now);
	ck_assert(ctl->linked);
}

const struct slu_job plain_job = {
	.job_id = 7,
	.array_task_id = SLU_NO_ID,
	.uid = 1000,
	.name = "plain",
	.nodes = "n[1-2]",
	.node_cnt = 2,
	.start = 1000,
	.limit_asked = 10,
	.state = "RUNNING",
	.ion_max = SLU_NO_ID,
};

struct slu_job with_buffer(uint32_t id)
{
	struct slu_job job = plain_job;

	job.job_id = id;
	job.request = "jobfs type=scratch capacity=1048576";
	return job;
}

void end_job(uint32_t id, const char *state, const char *completing)
{
	struct slu_job *job = host_job(id);

	set_text(&job->state, state);
	set_text(&job->completing_nodes, completing);
	job->completing = completing != NULL;
	job->end = job->start + 60;
}

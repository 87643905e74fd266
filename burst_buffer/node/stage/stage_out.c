/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `sluice-stage-out PATH...`: a task declares that these files will not change
 * any more, so that they can be staged out while the job runs. The program
 * sends the paths to the watcher on its own node, which notes them, and
 * returns.
 */
#include "config.h"
#include "burst_buffer/node/node.h"
#include "burst_buffer/node/stage/early.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "common/cli.h"
#include "common/file.h"

#define TRIES 20 /* in 2 s: the first task may come before the watcher */

#define NAME  "sluice-stage-out"

static const char help[] =
	"Usage: " NAME " [--job J] PATH...\n\n"
	"  --job J    the job's number (default: $SLURM_JOB_ID)\n"
	"  --help     show this and exit\n"
	"  --version  show the version and exit\n\n"
	"Exit status: 0 all of it is noted, 1 something was refused,\n"
	"2 wrong usage or configuration.\n";

static int failed(const char *path, const char *text)
{
	fprintf(stderr, NAME ": %s%s%s\n", path, *path ? ": " : "", text);
	return 1;
}

static int try_connect(const char *dir, const char *file)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int d = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC), fd = -1;

	if (d < 0)
		return -1;
	/* The path itself may be too long for a socket's address. */
	snprintf(at.sun_path, sizeof(at.sun_path), "/proc/self/fd/%d/%s", d,
		 file);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof(at))) {
		close(fd);
		fd = -1;
	}
	close(d);
	return fd;
}

/* 0; 1: refused; -1: no watcher listens, and none will for the next path. */
static int tell(const char *dir, const char *path)
{
	char text[SLU_ERR_TEXT + 1];
	int fd = -1;
	ssize_t n;

	for (int i = 0; fd < 0 && i < TRIES; i++)
		if ((fd = try_connect(dir, SLU_EARLY_SOCKET)) < 0)
			usleep(100000);
	if (fd < 0)
		return -failed("", "early stage-out is not possible for this "
				   "job on this node (see "
				   "sluice-stage-out(1))");
	n = send(fd, path, strlen(path), MSG_NOSIGNAL) < 0 ||
			    shutdown(fd, SHUT_WR)
		    ? -1
		    : slu_read_up_to(fd, text, sizeof(text) - 1, -1);
	close(fd);
	if (n <= 0)
		return failed(path, "no answer");
	text[n] = '\0';
	return strcmp(text, "ok") ? failed("", text) : 0;
}

static int declare(const struct slu_node *n, const char *path)
{
	char *real = realpath(path, NULL);
	int rc;

	if (!real)
		return failed(path, strerror(errno));
	rc = tell(n->dir, real);
	free(real);
	return rc;
}

static int declare_all(const struct slu_node_options *opt, char **path)
{
	struct slu_node n;
	struct slu_err err;
	int rc = 0, one = 0;

	if (slu_node_open(&n, opt, &err)) {
		failed("", err.text);
		rc = 2;
	}
	for (; rc != 2 && one >= 0 && *path; path++) {
		one = declare(&n, *path);
		rc |= one != 0;
	}
	slu_node_close(&n);
	return rc;
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{"job", required_argument, NULL, 'j'},
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'v'},
		{NULL, 0, NULL, 0}};
	struct slu_node_options opt = {.log = "-"};
	const char *job = getenv("SLURM_JOB_ID");
	int c;

	while ((c = slu_cli_option(NAME, argc, argv, ":", longs)) != -1)
		switch (c) {
		case 'j':
			job = optarg;
			break;
		case 'h':
			return slu_cli_show(NAME, help);
		case 'v':
			return slu_cli_show(NAME,
					    NAME " " PACKAGE_VERSION "\n");
		default:
			return 2;
		}
	if (job && slu_node_parse_job(job, &opt.job_id)) {
		failed(job, "no job number (see " NAME " --help)");
		return 2;
	}
	if (!opt.job_id || optind == argc) {
		failed("", opt.job_id ? "which PATH? (see " NAME " --help)"
				      : "not in a job, and no --job (see " NAME
					" --help)");
		return 2;
	}
	return declare_all(&opt, argv + optind);
}

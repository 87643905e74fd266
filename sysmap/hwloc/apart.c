/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs hwloc in a child process with limits of time and memory, because some
 * XML files crash it. The child sends its document through a pipe. Without
 * hwloc in the build, every source returns SLU_NOTFOUND.
 */
#include "config.h"
#include "sysmap/hwloc/hwloc.h"

#ifdef HAVE_HWLOC
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common/file.h"
#include "common/jsonx.h"
#include "sysmap/hwloc/load.h"

#define PATIENCE_MS  10000 /* without any output */
#define CPU_SECONDS  5
#define MEMORY	     (512u << 20)
#define DOCUMENT_MAX (4u << 20)

typedef int read_f(const struct slu_root *root, struct json_object **out,
		   struct slu_err *err);

static void limit(int what, rlim_t value)
{
	struct rlimit l = {.rlim_cur = value, .rlim_max = value};

	setrlimit(what, &l);
}

/* Writes the document, or nothing. */
static void child(const struct slu_root *root, read_f *read, int to)
{
	struct json_object *obj;
	const char *text;

	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, CPU_SECONDS);
#ifndef __SANITIZE_ADDRESS__ /* maps terabytes of address space */
	limit(RLIMIT_AS, MEMORY);
#endif
	close(STDERR_FILENO); /* hwloc prints errors there */
	if (read(root, &obj, NULL) == 0) {
		text = slu_json_text(obj);
		_exit(slu_write_all(to, text, strlen(text)) ? 1 : 0);
	}
	_exit(1);
}

/* Reads to the end; -1: it writes too much, or nothing for too long. */
static int listen_to(int from, struct slu_buf *text)
{
	struct pollfd p = {.fd = from, .events = POLLIN};
	char chunk[16384];
	ssize_t n;
	int ready;

	while (!text->failed) {
		ready = poll(&p, 1, PATIENCE_MS);
		n = ready == 1 ? read(from, chunk, sizeof(chunk)) : -1;
		if (ready < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return (int)n;
		slu_buf_add(text, chunk, (size_t)n);
	}
	return -1;
}

static int apart(const struct slu_root *root, read_f *read,
		 struct json_object **out, struct slu_err *err)
{
	struct slu_buf text = {.max = DOCUMENT_MAX};
	struct json_object *obj = NULL;
	int fd[2], status = -1;
	pid_t pid = -1;

	if (!root->live && !slu_root_exists(root, SLU_HWLOC_RECORDED))
		return slu_err(err, SLU_NOTFOUND,
			       "/" SLU_HWLOC_RECORDED " is not there");
	if (pipe(fd) == 0) {
		pid = fork();
		if (pid == 0)
			child(root, read, fd[1]);
		close(fd[1]);
		if (pid > 0 && listen_to(fd[0], &text))
			kill(pid, SIGKILL);
		close(fd[0]);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid > 0 && status == 0)
		obj = slu_json_parse(text.data, text.len, NULL);
	slu_buf_free(&text);
	if (!obj)
		return slu_err(err, SLU_INVALID, "hwloc cannot read it");
	*out = obj;
	return 0;
}

#define APART(name)                                                         \
	int slu_hwloc_##name(const struct slu_root *root,                   \
			     struct json_object **out, struct slu_err *err) \
	{                                                                   \
		return apart(root, slu_hwloc_read_##name, out, err);        \
	}
#else
#define APART(name)                                                         \
	int slu_hwloc_##name(const struct slu_root *root,                   \
			     struct json_object **out, struct slu_err *err) \
	{                                                                   \
		(void)root, (void)out;                                      \
		return slu_err(err, SLU_NOTFOUND, "built without hwloc");   \
	}
#endif

APART(disks)
APART(cpus)
APART(memory)
APART(numa)
APART(pci)
APART(gpus)
APART(network)

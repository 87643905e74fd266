/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads and writes the notes of early stage-out: the queue of declared paths,
 * and which of them were copied. A queue record is "R LENGTH\nPATH\n", written
 * at once: R is the request, PATH lies below its source ("": all of it).
 */
#include "config.h"
#include "burst_buffer/node/stage/early.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/file.h"

#define QUEUE_MAX (4u << 20) /* bytes, enough for what one task declares */

bool slu_early_any_apart(const struct slu_plan *plan)
{
	for (size_t i = 0; i < plan->n_stage; i++)
		if (plan->stage[i].out && plan->stage[i].apart)
			return true;
	return false;
}

size_t slu_early_node(const struct slu_plan *plan)
{
	size_t i = plan->n_node;

	return i && plan->node[i - 1].client ? i - 1 : 0;
}

static void early_path(const struct slu_node *n, size_t r, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/.sluice/out.%zu.early", n->root, r);
}

bool slu_early_has_been(const struct slu_node *n, size_t r)
{
	char path[PATH_MAX];

	if (n->driver->interposed)
		return false;
	early_path(n, r, path);
	return !access(path, F_OK);
}

int slu_early_notes(const struct slu_node *n, size_t r, int flags)
{
	char path[PATH_MAX];
	int fd;

	if (n->driver->interposed)
		return 0;
	early_path(n, r, path);
	fd = open(path, flags | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? 0 : fd;
}

int slu_early_add(struct slu_node *n, size_t r, const char *part,
		  struct slu_err *err)
{
	char path[PATH_MAX];
	char *line = slu_asprintf("%zu %zu\n%s\n", r, strlen(part), part);
	int fd, rc = 0;
	struct stat st;

	slu_note_path(n, SLU_EARLY_QUEUE, path);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (!line || fd < 0 || fstat(fd, &st))
		rc = slu_errno(err, SLU_IO, "cannot note it");
	else if (st.st_size > QUEUE_MAX)
		rc = slu_err(err, SLU_BUSY,
			     "too much was declared ready: declare directories "
			     "rather than files");
	else if (slu_write_all(fd, line, strlen(line)))
		rc = slu_errno(err, SLU_IO, "cannot note it");
	if (fd >= 0)
		close(fd);
	free(line);
	return rc;
}

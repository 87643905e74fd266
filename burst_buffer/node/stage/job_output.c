/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes lines about the job's file system into its output, slurm-N.out: a few
 * when the batch script starts, which its SPANK hook writes as the first output
 * of the script itself, and the result of the stage-out, which only this node
 * knows once the script has ended.
 */

/*
 * To append after the script has ended: the hook has noted which file Slurm
 * opened. It is opened again by its path, as the job's user, in a child with a
 * time limit, as the file system may have died meanwhile. Only a regular file
 * with the same inode number is written to, at its end; so a pipe does not
 * block, and another file that was put in its place is not touched. The device
 * is not compared: it changes when an automounter mounts a home directory
 * again.
 */
#include "config.h"
#include "burst_buffer/node/stage/job_output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "burst_buffer/request/site/fstype.h"
#include "common/file.h"
#include "common/size.h"

#define LIMIT 10.0 /* seconds for the file system with that file */

/* Adds our prefix to each line. Caller frees; NULL: no memory. */
static char *marked(const char *text)
{
	struct slu_buf out = {0};

	while (text && *text) {
		size_t n = strcspn(text, "\n");

		slu_buf_printf(&out, "sluice: %.*s\n", (int)n, text);
		text += n + (text[n] == '\n');
	}
	return slu_buf_steal(&out);
}

static char *describe(const struct slu_node *n)
{
	const struct slu_plan *plan = &n->plan;
	char size[SLU_SIZE_TEXT];

	if (plan->use)
		return slu_asprintf("$BB_%s is %s, the persistent buffer %s",
				    plan->name, n->data, plan->name);
	return slu_asprintf("$BB_%s is %s, %s of %s on %zu node%s", plan->name,
			    n->data, slu_size_text(plan->capacity, size),
			    plan->fs ? plan->fs : plan->driver, plan->n_node,
			    plan->n_node == 1 ? "" : "s");
}

void slu_job_output_begin(struct slu_node *n)
{
	char *what, *text, *lines;
	struct slu_err err;

	slu_note_drop(n, "output");
	if (n->plan.quiet || n->plan.persistent || !n->driver->attach)
		return;
	what = describe(n);
	text = what ? slu_asprintf("%s\n%s", what,
				   n->user_text ? n->user_text : "")
		    : NULL;
	lines = marked(text);
	if (lines && slu_note_put_for_user(n, "tell", lines, &err))
		slu_node_log(n, SLU_WARN, "%s", err.text);
	free(what);
	free(text);
	free(lines);
}

struct output {
	const struct slu_node *n;
	const char *path, *lines;
	uint64_t ino;
};

static int append(struct slu_aside *aside, void *arg, void *out,
		  struct slu_err *err)
{
	const struct output *o = arg;
	struct stat st;
	int fd;

	(void)out;
	if (slu_aside_become(aside, o->n->plan.uid, o->n->plan.gid, err))
		return -1;
	fd = open(o->path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK |
				   O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return slu_errno(err, SLU_IO, "%s", o->path);
	if (!S_ISREG(st.st_mode) || st.st_ino != o->ino)
		return slu_err(err, SLU_IO, "%s is another file by now",
			       o->path);
	if (slu_write_all(fd, o->lines, strlen(o->lines)) || close(fd))
		return slu_errno(err, SLU_IO, "%s", o->path);
	return 0;
}

/* Parses "INODE PATH"; the path is the rest, as the user chose it. */
static bool parse(char *note, struct output *o)
{
	char *end;

	errno = 0;
	o->ino = strtoull(note, &end, 10);
	o->path = end + 1;
	return end > note && !errno && end[0] == ' ' && end[1] == '/';
}

void slu_job_output_end(struct slu_node *n, const char *text)
{
	char *note = slu_note_get(n, "output"), *lines = marked(text);
	struct output o = {.n = n, .lines = lines};
	struct slu_aside aside = {.fn = append, .arg = &o, .seconds = LIMIT};
	struct slu_err err;

	if (note && lines && parse(note, &o) &&
	    slu_aside(&aside, "the job's output", NULL, &err))
		slu_node_log(n, SLU_WARN,
			     "what became of its data could not be written "
			     "to the job's output: %s",
			     err.text);
	free(note);
	free(lines);
}

/* Writes "$BB_JOBFS" for the path of the job's file system. */
static void put_names(const struct slu_node *n, const char *text,
		      struct slu_buf *out)
{
	const size_t len = strlen(n->data);
	const char *at;

	while (len && (at = strstr(text, n->data))) {
		slu_buf_add(out, text, (size_t)(at - text));
		slu_buf_printf(out, "$BB_%s", n->plan.name);
		text = at + len;
	}
	slu_buf_puts(out, text);
}

/* Is the disk full below a quota? An image has all its space reserved. */
static bool disk_is_full(const struct slu_node *n)
{
	char image[4200], above[4200];
	struct statvfs st;

	snprintf(image, sizeof(image), "%s/image", n->storage.dir);
	snprintf(above, sizeof(above), "%s/..", n->storage.dir);
	return *n->storage.dir && access(image, F_OK) && !statvfs(above, &st) &&
	       st.f_bavail < st.f_blocks / 1000;
}

/* Do the stage-ins to this file system alone fill the requested capacity? */
static bool fills_capacity(const struct slu_node *n, const char *text)
{
	const struct slu_fstype *type = slu_fstype_find(n->plan.driver);

	return !n->plan.use && !n->plan.persistent && type && !type->remote &&
	       (strstr(text, strerror(ENOSPC)) ||
		strstr(text, strerror(EDQUOT))) &&
	       !disk_is_full(n);
}

/* Appends how large the files are that do not fit, if this node knows it. */
static void put_misfit(const struct slu_node *n, struct slu_buf *out)
{
	char input[SLU_SIZE_TEXT], size[SLU_SIZE_TEXT];

	slu_buf_puts(out, "; what is staged in ");
	if (n->to_copy > n->plan.capacity)
		slu_buf_printf(out, "(%s) ", slu_size_text(n->to_copy, input));
	slu_buf_printf(out, "does not fit: capacity=%s is too small",
		       slu_size_text(n->plan.capacity, size));
}

void slu_job_output_failure(const struct slu_node *n, bool out,
			    struct slu_err *err)
{
	struct slu_buf text = {0};

	put_names(n, err->text, &text);
	if (!out && fills_capacity(n, err->text))
		put_misfit(n, &text);
	if (!text.failed)
		slu_copy(err->text, sizeof(err->text), text.data);
	slu_buf_free(&text);
}

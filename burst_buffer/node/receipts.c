/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stores receipts. While `down` works they are the note "receipts", a report as
 * it was sent in each line, and then kept/.done/JOB.BUFFER.RESTARTS in the
 * node's storage, which survives a restart; where the node gives no storage
 * RunDir/.done/. RESTARTS is in the name because a restored database may give a
 * number again, but not to the same run. A report that cannot be stored cannot
 * be repeated to a sluiced that has lost it.
 */
#include "config.h"
#include "burst_buffer/node/receipts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "burst_buffer/host/trust.h"
#include "common/file.h"

#define NOTE	  "receipts"
#define DONE	  ".done"
#define INSTANCES 512
#define TEXT_MAX  (1u << 20)

/* Is it a report that only depends on what was done on this node? */
static bool is_of_end(const struct slu_report *r)
{
	return !strncmp(r->step, "out.", 4) || slu_eq(r->step, "lost_data") ||
	       slu_eq(r->step, "aborted") || slu_eq(r->step, "doubted") ||
	       (slu_eq(r->step, "clean") && r->ok);
}

void slu_receipt_add(const struct slu_node *n, const struct slu_report *r)
{
	char path[PATH_MAX], *text;
	int fd;

	if (!n->has_receipts || !is_of_end(r))
		return;
	slu_note_path(n, NOTE, path);
	text = slu_encode_text(&slu_report_desc, r);
	fd = text ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600)
		  : -1;
	if (fd >= 0) {
		dprintf(fd, "%s\n", text);
		close(fd);
	}
	free(text);
}

/* Where this node's receipts of the plan are; "": it has no part in it. */
static void done_at(const struct slu_node *n, const struct slu_plan *plan,
		    char dir[PATH_MAX])
{
	const char *storage = NULL, *slash = strrchr(n->dir, '/');

	for (size_t i = 0; i < plan->n_node; i++)
		if (slu_eq(plan->node[i].name, n->name))
			storage = plan->node[i].storage;
	if (storage && *storage)
		snprintf(dir, PATH_MAX, "%s/kept/" DONE, storage);
	else
		snprintf(dir, PATH_MAX, "%.*s/" DONE,
			 slash ? (int)(slash - n->dir) : 0, n->dir);
}

static void kept_at(const struct slu_node *n, const struct slu_plan *plan,
		    char path[PATH_MAX])
{
	char dir[PATH_MAX];

	done_at(n, plan, dir);
	snprintf(path, PATH_MAX, "%.4000s/%u.%" PRIu64 ".%u", dir,
		 (unsigned)plan->job_id, plan->buffer,
		 (unsigned)plan->restarts);
}

/* Removes the oldest, if there are too many. */
static void forget_oldest(const char *dir)
{
	char oldest[NAME_MAX + 1] = "";
	struct timespec since = {0};
	DIR *d = opendir(dir);
	struct dirent *e;
	struct stat st;
	size_t n = 0;

	while (d && (e = readdir(d))) {
		if (*e->d_name == '.' ||
		    fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		if (n++ && (st.st_mtim.tv_sec > since.tv_sec ||
			    (st.st_mtim.tv_sec == since.tv_sec &&
			     st.st_mtim.tv_nsec >= since.tv_nsec)))
			continue;
		since = st.st_mtim;
		slu_copy(oldest, sizeof(oldest), e->d_name);
	}
	if (n > INSTANCES)
		unlinkat(dirfd(d), oldest, 0);
	if (d)
		closedir(d);
}

/* Makes the directory, and kept/ above it with the rights that kept data
 * needs. */
static int make_done(char dir[PATH_MAX])
{
	char *slash = strrchr(dir, '/');
	int rc;

	*slash = '\0';
	rc = mkdir(dir, 0755) && errno != EEXIST;
	*slash = '/';
	return rc || (mkdir(dir, 0700) && errno != EEXIST) ||
			       slu_trust_dir(dir, NULL)
		       ? -1
		       : 0;
}

void slu_receipts_keep(const struct slu_node *n)
{
	char from[PATH_MAX], to[PATH_MAX], dir[PATH_MAX];
	struct slu_buf text = {0};

	if (n->plan.persistent)
		return;
	slu_note_path(n, NOTE, from);
	kept_at(n, &n->plan, to);
	done_at(n, &n->plan, dir);
	if (!slu_file_read(AT_FDCWD, from, TEXT_MAX, &text, NULL) &&
	    text.data && !make_done(dir) &&
	    !slu_file_write(AT_FDCWD, to, text.data, text.len, 0600, true,
			    NULL))
		forget_oldest(dir);
	slu_buf_free(&text);
}

void slu_receipts_drop(const struct slu_node *n, const struct slu_plan *plan)
{
	char path[PATH_MAX];

	kept_at(n, plan, path);
	unlink(path);
}

bool slu_receipts_read(const struct slu_node *n, const struct slu_plan *plan,
		       struct slu_buf *text)
{
	char path[PATH_MAX];

	kept_at(n, plan, path);
	return !slu_file_read(AT_FDCWD, path, TEXT_MAX, text, NULL) &&
	       text->data;
}

int slu_note_plan(struct slu_node *n, struct slu_err *err)
{
	char *text = n->whole ? strdup(n->whole) : slu_plan_note(&n->plan);
	int rc;

	if (!text)
		return slu_err(err, SLU_NOMEM, "out of memory");
	slu_receipts_drop(n, &n->plan);
	rc = slu_note_put(n, "plan.json", 0600, text, err);
	free(text);
	return rc;
}

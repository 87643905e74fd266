/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses /proc/self/mountinfo, and unmounts trees of mounts: innermost first,
 * with retries, and at last by killing the processes that keep them busy. */
#include "config.h"
#include "burst_buffer/host/mtab.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "burst_buffer/host/file_users.h"
#include "burst_buffer/host/kill_users.h"
#include "common/file.h"
#include "common/str.h"
#include "common/clock.h"

#define TABLE_MAX (64u << 20)
#define TRIES	  100 /* to detach a mount that is being moved */

/* A field with its \ooo escapes undone. */
static char *field(const char *text, size_t len)
{
	char *out = malloc(len + 1), *p = out;

	for (size_t i = 0; out && i < len; i++) {
		if (text[i] == '\\' && i + 3 < len) {
			*p++ = (char)((text[i + 1] - '0') << 6 |
				      (text[i + 2] - '0') << 3 |
				      (text[i + 3] - '0'));
			i += 3;
		} else {
			*p++ = text[i];
		}
	}
	if (out)
		*p = '\0';
	return out;
}

/* The start of field i (from 0) of a line, and its length. */
static const char *nth(const char *line, int i, size_t *len)
{
	for (; i > 0 && line; i--) {
		line = strchr(line, ' ');
		line = line ? line + 1 : NULL;
	}
	*len = line ? strcspn(line, " \n") : 0;
	return line;
}

/* "36 35 98:0 /root /point opts - type source superopts" */
static int parse_line(const char *line, struct slu_mtab_line *m)
{
	const char *dash = strstr(line, " - "), *p;
	size_t len;

	memset(m, 0, sizeof(*m));
	if (!dash || dash > strchrnul(line, '\n') ||
	    sscanf(line, "%*d %*d %u:%u ", &m->major, &m->minor) != 2)
		return -1;
	p = nth(line, 4, &len);
	m->point = p ? field(p, len) : NULL;
	p = nth(dash + 1, 1, &len);
	m->type = p ? field(p, len) : NULL;
	p = nth(dash + 1, 2, &len);
	m->source = p ? field(p, len) : NULL;
	return m->point && m->type && m->source ? 0 : -1;
}

int slu_mtab_parse(const char *text, struct slu_mtab *out, struct slu_err *err)
{
	struct slu_mtab all = {0};
	size_t lines = 0;

	for (const char *p = text; (p = strchr(p, '\n')); p++)
		lines++;
	all.line = calloc(lines + 1, sizeof(*all.line));
	if (!all.line)
		return slu_err(err, SLU_NOMEM, "out of memory");
	for (const char *p = text; *p; p = strchrnul(p, '\n') + 1) {
		if (parse_line(p, &all.line[all.n++])) {
			slu_mtab_free(&all);
			return slu_err(err, SLU_INVALID,
				       "cannot read the mount table");
		}
		if (!strchr(p, '\n'))
			break;
	}
	*out = all;
	return 0;
}

int slu_mtab_read(struct slu_mtab *out, struct slu_err *err)
{
	struct slu_buf buf = {0};
	int rc;

	if (slu_file_read(AT_FDCWD, "/proc/self/mountinfo", TABLE_MAX, &buf,
			  err))
		return -1;
	rc = slu_mtab_parse(buf.data ? buf.data : "", out, err);
	slu_buf_free(&buf);
	return rc;
}

void slu_mtab_free(struct slu_mtab *m)
{
	for (size_t i = 0; i < m->n; i++) {
		free(m->line[i].point);
		free(m->line[i].type);
		free(m->line[i].source);
	}
	free(m->line);
	*m = (struct slu_mtab){0};
}

/* Resolves a path, as the table contains no links. A mount may hang, so only
 * what is above it is looked at. */
static const char *resolved(const char *path, char out[2 * PATH_MAX])
{
	const char *base = strrchr(path, '/');
	char above[PATH_MAX], real[PATH_MAX];

	if (!base || base == path || base - path >= PATH_MAX)
		return path;
	snprintf(above, sizeof(above), "%.*s", (int)(base - path), path);
	if (!realpath(above, real))
		return path;
	snprintf(out, 2 * PATH_MAX, "%s%s", real, base);
	return out;
}

const struct slu_mtab_line *slu_mtab_at(const struct slu_mtab *m,
					const char *point)
{
	char path[2 * PATH_MAX];

	point = resolved(point, path);
	for (size_t i = m->n; i-- > 0;)
		if (!strcmp(m->line[i].point, point))
			return &m->line[i];
	return NULL;
}

const struct slu_mtab_line *slu_mtab_below(const struct slu_mtab *m,
					   const char *dir)
{
	char path[2 * PATH_MAX];

	dir = resolved(dir, path);
	for (size_t i = m->n; i-- > 0;)
		if (slu_is_below(m->line[i].point, dir))
			return &m->line[i];
	return NULL;
}

bool slu_mounted(const char *point)
{
	struct slu_mtab m;
	bool is;

	if (slu_mtab_read(&m, NULL))
		return false;
	is = slu_mtab_at(&m, point) != NULL;
	slu_mtab_free(&m);
	return is;
}

/* The mount point is opened without following a link: a directory above may be
 * a user's, who could put a link to other mounts there. */
static int unmount_at(const char *point, int flags)
{
	const char *base = strrchr(point, '/') + 1;
	struct open_how how = {
		.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	char path[PATH_MAX + 32];
	int fd, rc = -1, saved;

	if (strlen(point) >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	snprintf(path, sizeof(path), "%.*s", (int)(base - point), point);
	fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
	if (fd < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", fd, base);
	rc = umount2(path, flags | UMOUNT_NOFOLLOW);
	saved = errno;
	close(fd);
	errno = saved;
	return rc;
}

enum { BUSY = 1, MOVED };

/* Unmounts one mount. 0: it is gone; BUSY; MOVED: the table has changed, so
 * read it again; -1: another failure. */
static int unmount_one(const char *point, int flags, struct slu_err *err)
{
	int why;

	if (!unmount_at(point, flags))
		return 0;
	why = errno;
	slu_errno(err, SLU_IO, "cannot unmount %s", point);
	if (why == EBUSY)
		return BUSY;
	return why == ENOENT || why == ENOTDIR || why == EINVAL || why == ELOOP
		       ? MOVED
		       : -1;
}

/* How long to wait for busy mounts, and whose processes to kill. */
struct patience {
	uid_t uid;
	double seconds, end; /* end 0: not begun */
	bool killed;
	struct slu_buf *who; /* the killed processes; may be NULL */
};

/* Waits a moment for a busy mount, or kills its users at last. 0: try again;
 * -1: stop. */
static int wait_longer(struct patience *p, const char *point, int state,
		       struct slu_err *err)
{
	if (!p->end)
		p->end = slu_now_mono() + p->seconds;
	if (slu_now_mono() >= p->end && p->killed)
		return state == BUSY ? slu_users_err(point, err) : -1;
	if (slu_now_mono() >= p->end) {
		slu_users_kill(point, p->uid, p->who);
		p->killed = true;
		p->end = slu_now_mono() + 2;
	}
	usleep(50000);
	return 0;
}

static bool lies_in(const char *path, const char *dir)
{
	return slu_is_below(path, dir) && !slu_eq(path, dir);
}

/* Which mount to unmount next: the innermost one; but a mount made by a user,
 * which may hang or show something else inside, goes with everything mounted
 * below it. */
static const struct slu_mtab_line *next_to_go(const struct slu_mtab *all,
					      const char *dir, int *flags)
{
	const struct slu_mtab_line *last = slu_mtab_below(all, dir), *l;
	char path[2 * PATH_MAX];

	dir = resolved(dir, path);
	for (l = all->line; last && l < last; l++)
		if (!strncmp(l->type, "fuse", 4) && lies_in(l->point, dir) &&
		    lies_in(last->point, l->point)) {
			*flags = MNT_DETACH;
			return l;
		}
	return last;
}

/* Unmounts the next mount. 1: go on; 0: there is none; -1: failed. */
static int unmount_last(const char *dir, struct patience *p,
			struct slu_err *err)
{
	const struct slu_mtab_line *m;
	struct slu_mtab all;
	int rc = 0, flags = 0;

	if (slu_mtab_read(&all, err))
		return -1;
	m = next_to_go(&all, dir, &flags);
	if (m)
		rc = unmount_one(m->point, flags, err);
	if (rc > 0)
		rc = wait_longer(p, m->point, rc, err);
	else if (!rc) /* the next one gets the same time */
		p->end = 0, p->killed = false;
	slu_mtab_free(&all);
	return rc ? -1 : m != NULL;
}

int slu_unmount_report(const char *dir, uid_t uid, double seconds,
		       struct slu_buf *who, struct slu_err *err)
{
	struct patience p = {.uid = uid, .seconds = seconds, .who = who};
	int rc;

	while ((rc = unmount_last(dir, &p, err)) == 1)
		;
	return rc;
}

int slu_unmount_below(const char *dir, uid_t uid, double seconds,
		      struct slu_err *err)
{
	return slu_unmount_report(dir, uid, seconds, NULL, err);
}

int slu_unmount_lazily(const char *dir, struct slu_err *err)
{
	const struct slu_mtab_line *m;
	struct slu_mtab all;
	int rc = 0, tries = TRIES, flags = MNT_DETACH;

	do {
		if (slu_mtab_read(&all, err))
			return -1;
		m = next_to_go(&all, dir, &flags);
		rc = m ? unmount_one(m->point, flags, err) : 0;
		slu_mtab_free(&all);
	} while (m && (!rc || (rc == MOVED && tries-- > 0)));
	return rc ? -1 : 0;
}

int slu_unmount_or_detach(const char *dir, uid_t uid, double seconds,
			  struct slu_err *err)
{
	struct slu_err why;

	if (!slu_unmount_below(dir, uid, seconds, &why))
		return 0;
	if (slu_unmount_lazily(dir, err))
		return -1;
	if (err)
		*err = why;
	return 1;
}

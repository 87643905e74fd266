/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading the mount table and unmounting with patience, see the header. */
#include "config.h"
#include "burst_buffer/host/mtab.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <time.h>
#include <unistd.h>
#include "burst_buffer/host/users.h"
#include "common/file.h"

#define TABLE_MAX (64u << 20)

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

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

const struct slu_mtab_line *slu_mtab_at(const struct slu_mtab *m,
					const char *point)
{
	for (size_t i = m->n; i-- > 0;)
		if (!strcmp(m->line[i].point, point))
			return &m->line[i];
	return NULL;
}

const struct slu_mtab_line *slu_mtab_below(const struct slu_mtab *m,
					   const char *dir)
{
	size_t len = strlen(dir);

	for (size_t i = m->n; i-- > 0;) {
		const char *p = m->line[i].point;

		if (!strncmp(p, dir, len) && (!p[len] || p[len] == '/'))
			return &m->line[i];
	}
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

/* One mount: 0 gone, 1 busy, -1 otherwise failed. */
static int unmount_one(const char *point, struct slu_err *err)
{
	if (!umount2(point, UMOUNT_NOFOLLOW))
		return 0;
	if (errno == EBUSY)
		return 1;
	return slu_errno(err, SLU_IO, "cannot unmount %s", point);
}

static int unmount_patiently(const struct slu_mtab_line *m, uid_t uid,
			     double seconds, struct slu_err *err)
{
	double end = now() + seconds;
	bool killed = false;
	int rc;

	while ((rc = unmount_one(m->point, err)) == 1) {
		if (now() >= end && killed)
			return slu_users_err(m->point, err);
		if (now() >= end) {
			slu_users_kill(m->point, uid);
			killed = true;
			end = now() + 2;
		}
		usleep(50000);
	}
	return rc;
}

int slu_unmount_below(const char *dir, uid_t uid, double seconds,
		      struct slu_err *err)
{
	struct slu_mtab all;
	const struct slu_mtab_line *m;
	int rc;

	do {
		if (slu_mtab_read(&all, err))
			return -1;
		m = slu_mtab_below(&all, dir);
		rc = m ? unmount_patiently(m, uid, seconds, err) : 0;
		slu_mtab_free(&all);
	} while (m && !rc);
	return rc;
}

int slu_unmount_lazily(const char *dir, struct slu_err *err)
{
	struct slu_mtab all;
	const struct slu_mtab_line *m;
	int rc = 0;

	do {
		if (slu_mtab_read(&all, err))
			return -1;
		m = slu_mtab_below(&all, dir);
		if (m && umount2(m->point, MNT_DETACH | UMOUNT_NOFOLLOW))
			rc = slu_errno(err, SLU_IO, "cannot unmount %s",
				       m->point);
		slu_mtab_free(&all);
	} while (m && !rc);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Composes the hosts file by which clients find the GekkoFWD daemons, from the
 * line of each daemon, or removes it while a line is missing or stale
 * (forwarder.h). */
#include "config.h"
#include "burst_buffer/node/forwarder/forwarder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"
#include "common/str.h"

#define LINE_MAX_BYTES 4096
#define HOSTS_MAX      ((size_t)16 << 20)

/* Is it a complete line of two or three words, as clients need it? */
static bool whole(const char *text)
{
	size_t words = 0;

	while (*text != '\n' && *text != '\0') {
		size_t word = strcspn(text, " \t\n");

		if (word == 0 || ++words > 3)
			return false;
		text += word;
		if (*text == ' ' || *text == '\t')
			if (strchr(" \t\n", *++text))
				return false;
	}
	return words >= 2 && text[0] == '\n' && text[1] == '\0';
}

/* Adds a member's line if it is fresh; false: there is none. */
static bool add_line(const char *file, const char *host, time_t now,
		     struct slu_buf *all)
{
	char *path =
		slu_asprintf("%s.d/%.*s", file, (int)strcspn(host, "."), host);
	struct slu_buf line = {0};
	struct stat st;
	bool good = path && stat(path, &st) == 0 &&
		    now - st.st_mtime <= SLU_FWD_FRESH &&
		    slu_file_read(AT_FDCWD, path, LINE_MAX_BYTES, &line,
				  NULL) == 0 &&
		    line.data && whole(line.data);

	if (good)
		slu_buf_puts(all, line.data);
	slu_buf_free(&line);
	free(path);
	return good;
}

static bool same(const char *file, const struct slu_buf *all)
{
	struct slu_buf old = {0};
	bool equal =
		slu_file_read(AT_FDCWD, file, HOSTS_MAX, &old, NULL) == 0 &&
		slu_eq(old.data, all->data);

	slu_buf_free(&old);
	return equal;
}

int slu_fwd_compose(const char *file, const struct slu_hosts *members,
		    time_t now, struct slu_err *err)
{
	struct slu_buf all = {0};
	size_t i = 0;
	int rc;

	while (i < members->n && add_line(file, members->name[i], now, &all))
		i++;
	if (all.failed)
		rc = slu_err(err, SLU_NOMEM, "out of memory");
	else if (i < members->n || i == 0)
		rc = unlink(file) < 0 && errno != ENOENT
			     ? slu_errno(err, SLU_IO, "removing %s", file)
			     : 0;
	else if (same(file, &all))
		rc = 1;
	else
		rc = slu_file_write(AT_FDCWD, file, all.data, all.len, 0644,
				    false, err) < 0
			     ? -1
			     : 1;
	slu_buf_free(&all);
	return rc;
}

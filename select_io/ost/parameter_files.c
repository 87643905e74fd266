/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a parameter file to its end into a buffer that is used again by the
 * next read.
 */
#include "config.h"
#include "select_io/ost/parameter_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ROOM (64u << 10)

static char text[SLU_OST_TEXT + 1];

/* One read behind the first `have` bytes; returns the number of bytes then,
 * which is `have` at the end of the file or after an error. */
static size_t more(int fd, size_t have)
{
	ssize_t n;

	do
		n = read(fd, text + have, SLU_OST_TEXT - have);
	while (n < 0 && errno == EINTR);
	return have + (n > 0 ? (size_t)n : 0);
}

static int open_file(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

const char *slu_ost_text(const char *fmt, ...)
{
	char path[PATH_MAX];
	size_t len = 0, n;
	va_list ap;
	int fd;

	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	fd = open_file(path);
	if (fd < 0)
		return NULL;
	while (len <= SLU_OST_TEXT - ROOM && (n = more(fd, len)) > len)
		len = n;
	close(fd);
	text[len] = '\0';
	return text;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits daemons' logs: a tmpfs of fixed size holds them, and the middle of a
 * log that has become long is released with fallocate(2) while the daemon
 * writes.
 */
#include "config.h"
#include "burst_buffer/host/logs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/host/mtab.h"
#include "common/file.h"

#define LONG  (SLU_LOGS_SIZE / 4)  /* a longer log is cut, bytes; */
#define FIRST (SLU_LOGS_SIZE / 64) /* bytes kept of its beginning */
#define LAST  (SLU_LOGS_SIZE / 16) /* bytes kept of its end */
#define FILES "256"		   /* inodes, as a daemon may start new logs */

int slu_logs_make(const char *dir, struct slu_err *err)
{
	char options[64];

	if (slu_mounted(dir))
		return 0;
	if (mkdir(dir, 0700) && errno != EEXIST)
		return slu_errno(err, SLU_IO, "cannot make %s", dir);
	snprintf(options, sizeof(options), "mode=0700,size=%d,nr_inodes=" FILES,
		 SLU_LOGS_SIZE);
	if (mount("sluice-logs", dir, "tmpfs", MS_NODEV | MS_NOSUID | MS_NOEXEC,
		  options))
		return slu_errno(err, SLU_IO, "cannot mount %s", dir);
	return 0;
}

void slu_logs_begin(const char *dir, const char *name, char path[PATH_MAX])
{
	char old[PATH_MAX + 4];

	snprintf(path, PATH_MAX, "%s/%s", dir, name);
	snprintf(old, sizeof(old), "%s.old", path);
	(void)rename(path, old);
}

static void trim_one(int dir, const char *name)
{
	int fd = openat(dir, name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    st.st_blocks * 512 > LONG && st.st_size > FIRST + LAST)
		(void)fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				FIRST, st.st_size - FIRST - LAST);
	close(fd);
}

void slu_logs_trim(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.')
			trim_one(dirfd(d), e->d_name);
	if (d)
		closedir(d);
}

void slu_logs_find(const char *dir, const char *name, const char *words,
		   char *line, size_t size)
{
	char path[PATH_MAX], text[FIRST + 1];
	const char *found = NULL;
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0) {
		n = slu_read_up_to(fd, text, FIRST, 0);
		close(fd);
	}
	text[n < 0 ? 0 : n] = '\0';
	found = strstr(text, words);
	snprintf(line, size, "%.*s",
		 found ? (int)strcspn(found + strlen(words), "\n") : 0,
		 found ? found + strlen(words) : "");
}

int slu_logs_drop(const char *dir, struct slu_err *err)
{
	return slu_unmount_lazily(dir, err);
}

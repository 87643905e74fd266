/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the notes from which a job's traffic through Lustre's client is
 * computed. A note is a line "READ WRITTEN", followed by a line "shared" for
 * each job that was on the node at the same time. Lines are appended with one
 * write, so that jobs which start together notice each other: the later one
 * sees the other's note.
 */
#include "config.h"
#include "burst_buffer/node/commands/llite.h"

#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"
#include "common/str.h"

#define STATS_MAX (1u << 16)
#define NOTE_MAX  (1u << 16)
#define SUFFIX	  ".llite"
#define YOUNG	  600 /* seconds: its first step may not have begun */

/* SUM of the row "NAME N samples [bytes] MIN MAX SUM ...". */
static double sum_of(const char *text, const char *name)
{
	const char *row = strstr(text, name);
	unsigned long long sum;

	if (!row || sscanf(row + strlen(name),
			   " %*u samples [bytes] %*u %*u %llu", &sum) != 1)
		return 0;
	return (double)sum;
}

int slu_llite_read(const char *root, double *read_bytes, double *written_bytes)
{
	static const char *const where[] = {"proc/fs/lustre",
					    "sys/kernel/debug/lustre"};
	double in = 0, out = 0;
	char pattern[PATH_MAX];
	int mounts = 0;

	for (size_t i = 0; i < sizeof(where) / sizeof(where[0]); i++) {
		glob_t found;

		snprintf(pattern, sizeof(pattern), "%s/%s/llite/*/stats", root,
			 where[i]);
		if (glob(pattern, 0, NULL, &found) != 0)
			continue;
		for (size_t k = 0; k < found.gl_pathc; k++) {
			struct slu_buf text = {0};

			if (slu_file_read(AT_FDCWD, found.gl_pathv[k],
					  STATS_MAX, &text, NULL) == 0) {
				mounts++;
				in += sum_of(text.data ? text.data : "",
					     "\nread_bytes ");
				out += sum_of(text.data ? text.data : "",
					      "\nwrite_bytes ");
			}
			slu_buf_free(&text);
		}
		globfree(&found);
	}
	*read_bytes = in;
	*written_bytes = out;
	return mounts;
}

static int append(const char *dir, const char *name, int flags,
		  const char *text, struct slu_err *err)
{
	char path[PATH_MAX + NAME_MAX];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | flags, 0600);
	if (fd < 0)
		return slu_errno(err, SLU_IO, "%s", path);
	n = write(fd, text, strlen(text));
	close(fd);
	return n == (ssize_t)strlen(text) ? 0
					  : slu_errno(err, SLU_IO, "%s", path);
}

static bool is_note(const char *name)
{
	size_t n = strlen(name);

	return n > strlen(SUFFIX) && !strcmp(name + n - strlen(SUFFIX), SUFFIX);
}

/* Marks this job and the others that are here as sharing the node. */
static void meet(const char *dir, const char *mine)
{
	struct dirent *entry;
	DIR *d = opendir(dir);

	while (d && (entry = readdir(d))) {
		if (!is_note(entry->d_name) || !strcmp(entry->d_name, mine))
			continue;
		append(dir, entry->d_name, 0, "shared\n", NULL);
		append(dir, mine, 0, "shared\n", NULL);
	}
	if (d)
		closedir(d);
}

int slu_llite_begin(const char *root, const char *dir, uint32_t job_id,
		    struct slu_err *err)
{
	char name[32], path[PATH_MAX + 32], text[64];
	double in, out;

	if (!slu_llite_read(root, &in, &out))
		return 0;
	mkdir(dir, 0700);
	snprintf(name, sizeof(name), "%u" SUFFIX, (unsigned)job_id);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	unlink(path); /* of a run before a requeue */
	snprintf(text, sizeof(text), "%.0f %.0f\n", in, out);
	if (append(dir, name, O_CREAT, text, err) < 0)
		return -1;
	meet(dir, name);
	return 0;
}

/* The title of its process is "slurmstepd: [JOB.STEP]". */
static bool has_step(const char *root, const char *job)
{
	char pattern[PATH_MAX], title[64];
	bool found = false;
	glob_t procs;

	snprintf(title, sizeof(title), "slurmstepd: [%.20s.", job);
	snprintf(pattern, sizeof(pattern), "%s/proc/[0-9]*/cmdline", root);
	if (glob(pattern, 0, NULL, &procs) != 0)
		return false;
	for (size_t i = 0; !found && i < procs.gl_pathc; i++) {
		struct slu_buf text = {0};

		found = slu_file_read(AT_FDCWD, procs.gl_pathv[i], STATS_MAX,
				      &text, NULL) == 0 &&
			text.data && !strncmp(text.data, title, strlen(title));
		slu_buf_free(&text);
	}
	globfree(&procs);
	return found;
}

void slu_llite_tidy(const char *root, const char *dir, time_t now)
{
	struct dirent *entry;
	struct stat st;
	DIR *d = opendir(dir);

	while (d && (entry = readdir(d))) {
		char job[32];

		if (!is_note(entry->d_name) ||
		    fstatat(dirfd(d), entry->d_name, &st, 0) < 0 ||
		    st.st_mtime > now - YOUNG)
			continue;
		snprintf(job, sizeof(job), "%.*s",
			 (int)strcspn(entry->d_name, "."), entry->d_name);
		if (!has_step(root, job))
			unlinkat(dirfd(d), entry->d_name, 0);
	}
	if (d)
		closedir(d);
}

bool slu_llite_end(const char *root, const char *dir, uint32_t job_id,
		   double *read_bytes, double *written_bytes)
{
	struct slu_buf note = {0};
	double in, out, in0, out0;
	char path[PATH_MAX + 32];
	bool known = false;

	snprintf(path, sizeof(path), "%s/%u" SUFFIX, dir, (unsigned)job_id);
	slu_llite_read(root, &in, &out);
	if (slu_file_read(AT_FDCWD, path, NOTE_MAX, &note, NULL) == 0 &&
	    note.data && !strstr(note.data, "shared") &&
	    sscanf(note.data, "%lf %lf", &in0, &out0) == 2 && in >= in0 &&
	    out >= out0) {
		*read_bytes = in - in0;
		*written_bytes = out - out0;
		known = true;
	}
	slu_buf_free(&note);
	unlink(path);
	return known;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads and writes Lustre's parameters as files. Their place depends on
 * Lustre's version: every known place is tried. One write(2) is one command.
 * Below another root, as in tests, FIFOs and the like are not waited for.
 */
#include "config.h"
#include "select_io/tbfd/lustre/lustre_access.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "select_io/tbfd/lustre/job_stats_reader.h"

#define ROOM	 (64 << 10)
#define FIRST	 (2 * ROOM)
#define TEXT_MAX (256u << 20)

struct files {
	struct slu_lustre lustre;
	char root[PATH_MAX];
	char service[64]; /* "ost/OSS/ost_io" */
};

static const char *const places[] = {
	"sys/kernel/debug/lustre",
	"proc/fs/lustre",
};

/* Allocates so many bytes and a NUL behind the text. */
static int make_room(struct slu_buf *out, size_t room, struct slu_err *err)
{
	size_t cap = out->cap > FIRST ? out->cap : FIRST;
	char *data;

	if (out->cap - out->len > room)
		return 0;
	while (cap - out->len <= room)
		cap *= 2;
	if (cap > TEXT_MAX)
		return slu_err(err, SLU_NOMEM, "more than %u bytes", TEXT_MAX);
	data = realloc(out->data, cap);
	if (!data)
		return slu_err(err, SLU_NOMEM, "%zu bytes", cap);
	out->data = data;
	out->cap = cap;
	return 0;
}

int slu_lustre_read(int fd, struct slu_buf *out, struct slu_err *err)
{
	ssize_t n;

	do {
		if (make_room(out, ROOM, err))
			return -1;
		n = read(fd, out->data + out->len, out->cap - out->len - 1);
		if (n < 0 && errno != EINTR)
			return slu_errno(
				err, errno == ENODEV ? SLU_NOTFOUND : SLU_IO,
				"read");
		out->len += n > 0 ? (size_t)n : 0;
	} while (n != 0);
	out->data[out->len] = '\0';
	return 0;
}

static int read_path(const char *path, struct slu_buf *out, struct slu_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK),
	    ret;

	if (fd < 0)
		return slu_errno(err, errno == ENOENT ? SLU_NOTFOUND : SLU_IO,
				 "%s", path);
	ret = slu_lustre_read(fd, out, err);
	close(fd);
	return ret ? slu_err_prefix(err, "%s", path) : 0;
}

/* The place that exists; the first one if none does. */
static void find(const struct files *f, const char *name, char *path,
		 size_t size)
{
	for (size_t i = sizeof(places) / sizeof(places[0]); i-- > 0;) {
		snprintf(path, size, "%s/%s/%s/%s", f->root, places[i],
			 f->service, name);
		if (access(path, F_OK) == 0)
			return;
	}
}

static int read_one(struct slu_lustre *lustre, const char *name,
		    struct slu_buf *out, struct slu_err *err)
{
	char path[2 * PATH_MAX];

	slu_buf_reset(out);
	find((struct files *)lustre, name, path, sizeof(path));
	return read_path(path, out, err);
}

static int write_one(struct slu_lustre *lustre, const char *name,
		     const char *text, struct slu_err *err)
{
	char path[2 * PATH_MAX];
	size_t len = strlen(text);
	ssize_t n;
	int fd, ret = 0;

	find((struct files *)lustre, name, path, sizeof(path));
	fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return slu_errno(err, SLU_IO, "%s", path);
	n = write(fd, text, len);
	if (n < 0)
		ret = slu_errno(err, SLU_IO, "%s: \"%s\"", name, text);
	else if ((size_t)n < len)
		ret = slu_err(err, SLU_IO, "%s: \"%s\": cut off", name, text);
	close(fd);
	return ret;
}

static int files_job_stats(struct slu_lustre *lustre,
			   struct slu_jobstats *stats, struct slu_err *err)
{
	stats->count_requests = lustre->service->requests;
	return slu_job_stats_of(((struct files *)lustre)->root,
				lustre->service->kind, stats, err);
}

static int files_rules(struct slu_lustre *lustre, struct slu_buf *out,
		       struct slu_err *err)
{
	return read_one(lustre, "nrs_tbf_rule", out, err);
}

static int files_policies(struct slu_lustre *lustre, struct slu_buf *out,
			  struct slu_err *err)
{
	return read_one(lustre, "nrs_policies", out, err);
}

static int files_set_rule(struct slu_lustre *lustre, const char *command,
			  struct slu_err *err)
{
	return write_one(lustre, "nrs_tbf_rule", command, err);
}

static int files_set_policy(struct slu_lustre *lustre, const char *policy,
			    struct slu_err *err)
{
	return write_one(lustre, "nrs_policies", policy, err);
}

static void files_free(struct slu_lustre *lustre)
{
	free(lustre);
}

struct slu_lustre *slu_lustre_files(const char *root,
				    const struct slu_lustre_service *service,
				    struct slu_err *err)
{
	struct files *f = calloc(1, sizeof(*f));

	if (!f || !slu_copy(f->root, sizeof(f->root), root)) {
		free(f);
		slu_err(err, SLU_INVALID, "%s: too long", root);
		return NULL;
	}
	slu_copy(f->service, sizeof(f->service), service->param);
	for (char *p = f->service; (p = strchr(p, '.'));)
		*p = '/';
	f->lustre = (struct slu_lustre){
		.service = service,
		.job_stats = files_job_stats,
		.rules = files_rules,
		.policies = files_policies,
		.set_rule = files_set_rule,
		.set_policy = files_set_policy,
		.free = files_free,
	};
	return &f->lustre;
}

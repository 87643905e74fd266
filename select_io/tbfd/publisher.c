/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sends sluiced the state of this server and its targets, and the I/O of its
 * jobs, every few seconds, from a process beside the daemon. A state that could
 * not be sent is dropped, as the next one replaces it; the I/O of jobs is sent
 * again. A second process restarts the first one when it ends.
 */
#include "config.h"
#include "select_io/tbfd/publisher.h"

#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "common/conf.h"
#include "common/clock.h"
#include "common/http.h"
#include "common/jsonx.h"
#include "select_io/tbfd/tbfd.h"
#include "select_io/tbf/job_totals.h"
#include "select_io/tbfd/lustre/job_stats_reader.h"

#define PERIOD	 5 /* seconds */
#define PATIENCE 10
#define ACTIVE	 UINT64_C(60000000000) /* ns */
/* Seconds until one that has died is restarted, at first and at most. */
#define RESTART	    1u
#define RESTART_MAX 60u

/* The jobs of a target that have done I/O in the minute before its last one:
 * Lustre keeps the records of idle ones, too. */
static uint64_t active(const struct slu_jobstats *jobs,
		       const struct slu_jobstats_target *target)
{
	const struct slu_jobstat *job = &jobs->job[target->first];
	uint64_t last = 0, n = 0;

	for (size_t i = 0; i < target->n; i++)
		last = job[i].last > last ? job[i].last : last;
	for (size_t i = 0; i < target->n; i++)
		n += job[i].last + ACTIVE >= last;
	return n;
}

/* The number of active jobs of each target of a kind, if job_stats could be
 * read. */
static void add_jobs(struct json_object *said, const char *kind,
		     const struct slu_jobstats *jobs)
{
	struct json_object *list = NULL, *one;
	const char *name;

	json_object_object_get_ex(said, kind, &list);
	for (size_t i = 0; list && i < json_object_array_length(list); i++) {
		one = json_object_array_get_idx(list, i);
		name = json_object_get_string(
			json_object_object_get(one, "name"));
		for (size_t t = 0; t < jobs->n_targets; t++)
			if (strcmp(jobs->target[t].name, name) == 0)
				slu_json_set_u64(
					one, "jobs",
					active(jobs, &jobs->target[t]));
	}
}

int slu_tbfd_publish_server(struct slu_tbfd_publisher *p, double now,
			    struct slu_err *err)
{
	struct json_object *said;
	struct slu_buf reply = {0};
	char path[300];
	const char *text;
	int ret;

	if (slu_ost_server_read(p->root, now, &p->meter, &said, err))
		return -1;
	add_jobs(said, "osts", &p->jobs);
	add_jobs(said, "mdts", &p->jobs);
	snprintf(path, sizeof(path), "/v1/osts?host=%s", p->host);
	text = slu_json_text(said);
	ret = slu_http_post(p->http, path, text, strlen(text), 0, &reply, err);
	json_object_put(said);
	slu_buf_free(&reply);
	return ret;
}

void slu_tbfd_publisher_clear(struct slu_tbfd_publisher *p)
{
	slu_jobstats_free(&p->jobs);
}

static int read_jobs(struct slu_tbfd_publisher *p, double now,
		     struct slu_err *err)
{
	struct slu_err why;

	if (slu_job_stats_read(p->root, &p->jobs, &why))
		return why.kind == SLU_NOTFOUND
			       ? 0
			       : slu_err(err, why.kind, "%s", why.text);
	return slu_job_totals_read(p->io, &p->jobs, now, err);
}

static int by_id(const void *a, const void *b)
{
	uint32_t x = ((const struct slu_server_job *)a)->job_id;
	uint32_t y = ((const struct slu_server_job *)b)->job_id;

	return (x > y) - (x < y);
}

int slu_tbfd_publish_jobs(struct slu_tbfd_publisher *p, double now,
			  struct slu_err *err)
{
	struct slu_server_job job[SLU_SERVER_JOBS];
	struct slu_server_io said = {.node = (char *)(uintptr_t)p->host,
				     .job = job};
	struct slu_server_answer answer = {0};
	struct slu_buf reply = {0};
	char *text;
	int rc;

	if (read_jobs(p, now, err))
		return -1;
	said.n_job = slu_job_totals_due(p->io, now, job, SLU_SERVER_JOBS);
	if (!said.n_job)
		return 0;
	qsort(job, said.n_job, sizeof(*job), by_id);
	text = slu_encode_text(&slu_server_io_desc, &said);
	rc = text ? slu_http_post(p->http, "/v1/jobstats", text, strlen(text),
				  0, &reply, err)
		  : slu_err(err, SLU_NOMEM, "out of memory");
	if (rc == 0)
		rc = slu_decode_text(&slu_server_answer_desc, reply.data,
				     reply.len, &answer, err);
	if (rc == 0)
		slu_job_totals_stored(p->io, now, job, said.n_job,
				      answer.unknown, answer.n_unknown);
	slu_msg_clear(&slu_server_answer_desc, &answer);
	slu_buf_free(&reply);
	free(text);
	return rc;
}

/* Drops read-only pages of programs and libraries from memory: those that are
 * needed are paged in again. */
static int release(struct dl_phdr_info *info, size_t size, void *unused)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	(void)size;
	(void)unused;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uintptr_t from = (info->dlpi_addr + h->p_vaddr) & ~(page - 1);
		uintptr_t to = info->dlpi_addr + h->p_vaddr + h->p_filesz;

		if (h->p_type == PT_LOAD && !(h->p_flags & PF_W))
			madvise((void *)from, to - from, MADV_DONTNEED);
	}
	return 0;
}

void slu_tbfd_publish_slim(void)
{
	dl_iterate_phdr(release, NULL);
	malloc_trim(0);
}

/* `main`: this is the only task of the process, as systemd's unit. */
static void serve(struct slu_http *http, const char *root, bool main,
		  const struct slu_log *log)
{
	double alive = -INFINITY;
	char last[SLU_ERR_TEXT] = "";
	struct utsname me;
	struct slu_err err, other;
	int servers, told;
	struct slu_tbfd_publisher p = {
		.http = http, .root = root, .io = slu_job_totals_new()};

	if (!p.io) {
		slu_log(log, SLU_ERROR, "publishing: out of memory");
		return;
	}
	uname(&me);
	me.nodename[strcspn(me.nodename, ".")] = '\0';
	p.host = me.nodename;
	slu_http_timeout(http, PATIENCE);
	slu_tbfd_publish_slim();
	for (;; sleep(PERIOD)) {
		if (main)
			slu_tbfd_alive(&alive, slu_now_mono());
		/* Lustre drops the counters of idle jobs, so they are read
		 * also while sluiced is unreachable. */
		told = slu_tbfd_publish_jobs(&p, slu_now_mono(), &err);
		servers = slu_tbfd_publish_server(&p, slu_now_mono(),
						  told ? &other : &err);
		if (!servers && !told) {
			*last = '\0';
		} else if (strcmp(last, err.text) != 0) {
			slu_log(log, SLU_WARN, "publishing: %s", err.text);
			slu_copy(last, sizeof(last), err.text);
		}
	}
}

static struct slu_http *site(const char *conf_path, struct slu_err *err)
{
	struct slu_conf *conf = slu_conf_load(conf_path, err);
	struct slu_http *http = conf ? slu_http_of_site(conf, err) : NULL;

	slu_conf_free(conf);
	return http;
}

int slu_tbfd_publish_nodes(const char *conf_path, struct slu_buf *out,
			   struct slu_err *err)
{
	static const char question[] = "{\"question\":\"running\"}";
	struct slu_http *http = site(conf_path, err);
	struct json_object *jobs = NULL;
	struct json_object_iter at;
	struct slu_buf reply = {0};

	if (http && !slu_http_post(http, "/v1/query", question,
				   strlen(question), PATIENCE, &reply, err))
		jobs = slu_json_parse(reply.data, reply.len, err);
	if (json_object_is_type(jobs, json_type_object))
		json_object_object_foreachC(jobs, at)
		{
			slu_buf_printf(
				out, "%s %lu\n", at.key,
				(unsigned long)json_object_get_int64(at.val));
		}
	json_object_put(jobs);
	slu_buf_free(&reply);
	slu_http_free(http);
	return jobs ? 0 : -1;
}

int slu_tbfd_publish_run(const char *conf_path, const char *root,
			 const struct slu_log *log, struct slu_err *err)
{
	struct slu_http *http = site(conf_path, err);

	if (http)
		serve(http, root, true, log);
	return -1;
}

/* The working process, which ends with its parent. */
static void work(struct slu_http *http, const char *root, pid_t parent,
		 const struct slu_log *log)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	prctl(PR_SET_NAME, "sluice-tbfd-pub");
	if (getppid() == parent)
		serve(http, root, false, log);
	_exit(1);
}

/* Restarts the working process: no other process would notice its death, and
 * sluiced does not use a server that sends nothing. */
static void watch(struct slu_http *http, const char *root,
		  const struct slu_log *log)
{
	unsigned wait = RESTART;
	double since;
	pid_t me = getpid(), pid;

	for (;; sleep(wait)) {
		since = slu_now_mono();
		pid = fork();
		if (pid == 0)
			work(http, root, me, log);
		while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		wait = slu_now_mono() - since > RESTART_MAX ? RESTART
							    : 2 * wait;
		if (wait > RESTART_MAX)
			wait = RESTART_MAX;
		slu_log(log, SLU_WARN,
			"publishing ended; it begins again in %u s", wait);
	}
}

int slu_tbfd_publish_start(const char *conf_path, const char *root,
			   const struct slu_log *log, struct slu_err *err)
{
	struct slu_http *http = site(conf_path, err);
	pid_t parent = getpid(), pid;

	if (!http)
		return -1;
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() == parent)
			watch(http, root, log);
		_exit(0);
	}
	slu_http_free(http);
	return pid < 0 ? slu_errno(err, SLU_IO, "fork") : 0;
}

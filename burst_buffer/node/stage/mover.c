/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts the site's own program (Mover=) for the copying of large directories:
 * on the first node of a shared file system, else on each node, and before our
 * own copying, which completes and verifies it. The program gets a small
 * environment of its own, nothing of the prolog's.
 */
#include "config.h"
#include "burst_buffer/node/stage/mover.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "burst_buffer/host/aside.h"
#include "burst_buffer/staging/acts/move.h"
#include "common/size.h"

struct call {
	struct slu_node *n;
	const struct slu_stage *stage;
	size_t r;
};

static const char *way_of(const struct slu_stage *s)
{
	return s->out ? "out" : "in";
}

static void mark_path(const struct slu_node *n, size_t r, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/.sluice/%s.%zu.moved", n->root,
		 way_of(&n->plan.stage[r]), r);
}

bool slu_mover_has_been(const struct slu_node *n, size_t r)
{
	char path[PATH_MAX];

	if (!n->conf->mover || n->driver->interposed)
		return false;
	mark_path(n, r, path);
	return !access(path, F_OK);
}

/* Notes in the file system that the program ran, so that all nodes look for
 * what it has copied. False: it could not be noted, as the file system is full.
 */
static bool mark(const struct call *c)
{
	char path[PATH_MAX];
	int fd;

	mark_path(c->n, c->r, path);
	fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

/* The nodes that may copy, in the form of mpirun --host. Caller frees. */
static char *nodes_of(const struct slu_node *n)
{
	struct slu_buf out = {0};

	if (!n->driver->shared)
		return slu_asprintf("SLUICE_NODES=%s", n->name);
	for (size_t i = 0; i < n->plan.n_node; i++)
		if (n->plan.node[i].staging &&
		    !slu_hosts_sorted_has(&n->away, n->plan.node[i].name))
			slu_buf_printf(&out, "%s%s",
				       out.len ? "," : "SLUICE_NODES=",
				       n->plan.node[i].name);
	return out.data;
}

static void free_env(char **env, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(env[i]);
}

#define ENV 6

static int make_env(const struct slu_node *n, char *env[ENV + 1],
		    struct slu_err *err)
{
	const struct passwd *pw = getpwuid(n->plan.uid);
	const char *name = pw ? pw->pw_name : "";

	env[0] = slu_asprintf("PATH=/usr/local/bin:/usr/bin:/bin");
	env[1] = slu_asprintf("HOME=%s", pw ? pw->pw_dir : "/");
	env[2] = slu_asprintf("USER=%s", name);
	env[3] = slu_asprintf("LOGNAME=%s", name);
	env[4] = slu_asprintf("SLUICE_JOB_ID=%u", (unsigned)n->job_id);
	env[5] = nodes_of(n);
	env[ENV] = NULL;
	for (int i = 0; i < ENV; i++)
		if (!env[i]) {
			free_env(env, ENV);
			return slu_err(err, SLU_NOMEM, "out of memory");
		}
	return 0;
}

static int no_news(void *arg, uint64_t bytes, uint64_t files)
{
	slu_aside_progress(arg, bytes, files);
	return 0;
}

static int move(struct slu_aside *aside, void *arg, void *out,
		struct slu_err *err)
{
	const struct call *c = arg;
	struct slu_node *n = c->n;
	const struct slu_stage_part part = {
		.source = c->stage->source,
		.destination = c->stage->destination,
		.what = slu_stage_what(c->stage->type),
		.below = c->stage->out ? slu_node_below(n) : NULL,
		.fs_root = n->data,
		.progress = no_news,
		.arg = aside,
	};
	char *env[ENV + 1];
	const struct slu_mover mover = {.words = n->conf->mover, .env = env};
	int rc;

	*(int *)out = 0;
	if (!mark(c))
		return 0; /* our own copying does it all */
	if (make_env(n, env, err))
		return -1;
	rc = slu_aside_become(aside, n->plan.uid, n->plan.gid, err);
	if (!rc)
		rc = slu_stage_move(&part, &mover, err);
	free_env(env, ENV);
	if (rc >= 0)
		*(int *)out = rc;
	return rc < 0 ? -1 : 0;
}

void slu_mover_log(struct slu_node *n, size_t r,
		   const struct slu_stage_result *copied)
{
	if (copied->quick && copied->kept < copied->files)
		slu_node_log(n, SLU_WARN,
			     "stage_%s %zu: the mover left %" PRIu64
			     " files to be copied",
			     way_of(&n->plan.stage[r]), r,
			     copied->files - copied->kept);
}

int slu_mover_run(struct slu_node *n, size_t r,
		  int (*tick)(void *arg, uint64_t bytes, uint64_t files),
		  void *tick_arg, struct slu_err *err)
{
	const struct slu_stage *s = &n->plan.stage[r];
	struct call call = {.n = n, .stage = s, .r = r};
	struct slu_aside aside = {
		.fn = move,
		.arg = &call,
		.seconds = n->deadline - slu_now_mono(),
		.tick = tick,
		.tick_arg = tick_arg,
	};
	_Alignas(16) char out[SLU_ASIDE_OUT];
	char name[64], time[SLU_TIME_TEXT];
	double start = slu_now_mono();

	snprintf(name, sizeof(name), "done.%s.%zu.moved", way_of(s), r);
	if (slu_note_has(n, name))
		return 0;
	if (slu_aside(&aside, "mover", out, err))
		return -1;
	if (*(int *)out)
		slu_node_log(n, SLU_INFO, "stage_%s %zu moved: by %s in %s",
			     way_of(s), r, n->conf->mover[0],
			     slu_seconds_text(slu_now_mono() - start, time));
	return slu_note_put(n, name, 0600, "", err);
}

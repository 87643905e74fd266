/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Publishes assignments through a child process. Three assignments may exist
 * here: the one on disk, the one that a child writes, the one that waits for
 * it. Only the difference from the one on disk is written; after a failure
 * everything is.
 *
 * The child stays and is sent only the next change. A change too large for one
 * message (SLU_CHILD_SEND_MAX), or another directory, needs a newly forked
 * child, which inherits the assignment in its copy of our memory. While a child
 * hangs in the kernel, and so cannot be killed, no other is started: the old
 * one might still rename an old file into place.
 */
#include "sluiced/publication/mapping_publisher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/proc.h"
#include "common/str.h"
#include "select_io/ion/assignment_delta.h"
#include "sluiced/child.h"
#include "sluiced/publication/mapfiles.h"

#define RETRY 30.0

struct slu_publisher {
	struct slu_loop *loop;
	slu_published_f *fn;
	void *arg;
	struct slu_epoch *on_disk; /* NULL: unknown */
	struct slu_epoch *writing; /* NULL: the child has answered */
	struct slu_epoch *waiting;
	struct slu_child *child;   /* until it has ended */
	struct slu_mapper *mapper; /* used in the child */
	bool ready;    /* the child knows on_disk, and waits for a request */
	char *dir;     /* for the one that waits; NULL: off */
	char *program; /* run after writing, or NULL */
	double seconds;
	char *child_dir; /* the child's own */
	bool is_writing; /* it is being written by a child that stayed */
	bool stale; /* the child was started for another directory or program */
	bool leaving; /* the child is to end, so that another can write what
			 waits */
	struct slu_timer retry;
};

/* Runs the site's program, with the epoch and the path of the whole mapping. It
 * is killed with this process when the time is over. */
static int run_program(const struct slu_publisher *p, struct slu_err *err)
{
	char *file = slu_asprintf("%s/" SLU_MAP_WHOLE, p->dir);
	char *epoch =
		slu_asprintf("%llu", (unsigned long long)p->writing->a.epoch);
	char *argv[] = {p->program, epoch, file, NULL};
	int rc;

	if (!file || !epoch)
		rc = slu_err(err, SLU_NOMEM, "out of memory");
	else if (geteuid() == 0)
		rc = slu_err(err, SLU_DENIED,
			     "sluiced runs as root, which "
			     "does not run it");
	else
		rc = slu_run(argv, p->seconds, NULL, err);
	free(file);
	free(epoch);
	return rc < 0 ? slu_err_prefix(err, "MappingProgram %s", p->program)
		      : 0;
}

static int child_write(struct slu_publisher *p, struct slu_err *err)
{
	struct slu_err nodes;
	int rc = slu_map_files_write(p->dir, p->mapper, p->on_disk, p->writing,
				     &nodes, err);

	if (rc == 0 && p->program)
		rc = run_program(p, err);
	slu_epoch_unref(p->on_disk);
	p->on_disk = p->writing;
	p->writing = NULL;
	return slu_map_files_verdict(rc, &nodes, err);
}

static int child_run(void *arg, struct slu_buf *out, struct slu_err *err)
{
	(void)out;
	return child_write(arg, err);
}

/* In the child: applies a change. */
static int child_again(void *arg, const char *text, size_t len,
		       struct slu_err *err)
{
	struct slu_publisher *p = arg;
	struct slu_assignment a;

	if (slu_decode_text(&slu_assignment_desc, text, len, &a, err) < 0)
		return -1;
	if (slu_delta_apply(&p->on_disk->a, &a, err) < 0)
		return -1;
	p->writing = slu_epoch_new(&a);
	if (!p->writing)
		return slu_err(err, SLU_NOMEM, "out of memory");
	return child_write(p, err);
}

/* Removes from a change what a mapping does not need. */
static void only_mappings(struct slu_assignment *delta,
			  const struct slu_epoch *before)
{
	size_t n = 0;

	for (size_t i = 0; i < delta->n_jobs; i++) {
		struct slu_ion_share *share = &delta->jobs[n];

		*share = delta->jobs[i];
		if (slu_share_same(slu_epoch_share(before, share->job_id),
				   share))
			continue;
		share->name = share->why = NULL;
		share->curve = NULL;
		share->n_curve = 0;
		n++;
	}
	delta->n_jobs = n;
}

/* Passes what waits to the child that stays; -1: another child is needed. */
static int say_changes(struct slu_publisher *p)
{
	struct slu_assignment delta;
	char *text;
	int rc = -1;

	if (!p->ready || !p->on_disk->a.epoch ||
	    slu_delta_make(&p->on_disk->a, &p->waiting->a, &delta) < 0)
		return -1;
	only_mappings(&delta, p->on_disk);
	text = slu_encode_text(&slu_assignment_desc, &delta);
	slu_delta_free(&delta);
	if (text)
		rc = slu_child_send(p->child, text, strlen(text));
	free(text);
	return rc;
}

static void tell(struct slu_publisher *p, struct slu_epoch *epoch,
		 const struct slu_err *err)
{
	p->fn(p->arg, epoch, err);
	slu_epoch_unref(epoch);
}

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

static void start(struct slu_publisher *p);

/* The child that stayed has failed, perhaps long ago: use another one. */
static bool try_another(struct slu_publisher *p, struct slu_epoch *epoch,
			const struct slu_err *err)
{
	if (!err || !p->is_writing || err->kind != SLU_INTERNAL || p->waiting ||
	    !p->dir)
		return false;
	p->waiting = epoch;
	return true;
}

/* Nothing is being written: no child stays for a directory that is off. */
static void dismiss_if_off(struct slu_publisher *p)
{
	if (!p->dir && p->child)
		slu_child_retire(p->child);
}

/* Lets the waiting assignment wait for another child, which starts when the
 * present one has ended; checked again in `seconds`. */
static void wait_for_exit(struct slu_publisher *p, double seconds)
{
	p->leaving = true;
	slu_timer_set(p->loop, &p->retry, seconds);
}

static void child_done(void *arg, struct slu_buf *out,
		       const struct slu_err *err)
{
	struct slu_publisher *p = arg;
	struct slu_epoch *epoch = p->writing;

	(void)out;
	slu_epoch_unref(p->on_disk);
	p->on_disk = err || p->stale ? NULL : slu_epoch_ref(epoch);
	p->writing = NULL;
	p->ready = !err && !p->stale;
	if (try_another(p, epoch, err))
		return;
	if (err && p->waiting) {
		wait_for_exit(p, slu_eq(p->child_dir, p->dir) ? p->seconds : 0);
	} else if (err && p->dir) {
		p->waiting = slu_epoch_ref(epoch);
		slu_timer_set(p->loop, &p->retry, RETRY);
	}
	tell(p, epoch, err);
	if (err || p->writing)
		return;
	if (p->waiting)
		start(p);
	else
		dismiss_if_off(p);
}

static void child_gone(void *arg)
{
	struct slu_publisher *p = arg;

	p->child = NULL;
	p->ready = false;
	if (p->waiting && (p->leaving || !p->retry.due))
		start(p);
}

/* Nothing is being written: write what waits. */
static void start(struct slu_publisher *p)
{
	struct slu_child_work work = {.run = child_run,
				      .again = child_again,
				      .done = child_done,
				      .gone = child_gone,
				      .arg = p,
				      .seconds = p->seconds};
	struct slu_err err;

	slu_timer_stop(p->loop, &p->retry);
	if (p->child && say_changes(p) < 0) {
		p->ready = false;
		slu_child_retire(p->child);
		wait_for_exit(p, p->seconds);
		return;
	}
	p->ready = p->leaving = false;
	p->writing = p->waiting;
	p->waiting = NULL;
	p->is_writing = p->child != NULL;
	if (p->is_writing)
		return;
	p->stale = false;
	free(p->child_dir);
	p->child_dir = copy(p->dir);
	p->child = slu_child_start(p->loop, &work, &err);
	if (!p->child)
		child_done(p, NULL, &err);
}

/* The same, unless a child hangs in that directory. A child in another
 * directory does no harm. */
static void attempt(struct slu_publisher *p)
{
	bool hangs = p->child && slu_child_hangs(p->child);
	struct slu_err err;

	if (hangs && slu_eq(p->child_dir, p->dir)) {
		slu_err(&err, SLU_TIMEOUT, "MappingDir %s does not answer",
			p->child_dir);
		p->fn(p->arg, p->waiting, &err);
		return;
	}
	if (hangs) {
		slu_child_drop(p->child);
		p->child = NULL;
	}
	start(p);
}

static void retry(void *arg)
{
	struct slu_publisher *p = arg;

	if (p->waiting && !p->writing)
		attempt(p);
}

struct slu_publisher *slu_publisher_new(struct slu_loop *loop,
					slu_published_f *fn, void *arg)
{
	struct slu_publisher *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	*p = (struct slu_publisher){.loop = loop,
				    .fn = fn,
				    .arg = arg,
				    .mapper = slu_mapper_new(),
				    .retry = {.fn = retry, .arg = p}};
	if (!p->mapper) {
		free(p);
		return NULL;
	}
	return p;
}

void slu_publisher_free(struct slu_publisher *p)
{
	if (!p)
		return;
	slu_child_drop(p->child);
	slu_timer_stop(p->loop, &p->retry);
	slu_epoch_unref(p->on_disk);
	slu_epoch_unref(p->writing);
	slu_epoch_unref(p->waiting);
	slu_mapper_free(p->mapper);
	free(p->dir);
	free(p->child_dir);
	free(p->program);
	free(p);
}

static void supersede(struct slu_publisher *p)
{
	struct slu_err err;

	slu_err(&err, SLU_BUSY, "a newer assignment replaced it");
	if (p->waiting)
		tell(p, p->waiting, &err);
	p->waiting = NULL;
}

/* A running child keeps the directory, program and timeout that it was forked
 * with; after a change it is stale. */
static void use(struct slu_publisher *p, const char *dir, const char *program,
		double seconds)
{
	if (slu_eq(p->dir, dir) && slu_eq(p->program, program) &&
	    p->seconds == seconds)
		return;
	if (!slu_eq(p->dir, dir)) {
		slu_epoch_unref(p->on_disk);
		p->on_disk = NULL;
		free(p->dir);
		p->dir = copy(dir);
	}
	free(p->program);
	p->program = copy(program);
	p->seconds = seconds;
	p->stale = true;
	p->ready = false;
}

void slu_publish(struct slu_publisher *p, struct slu_epoch *epoch,
		 const char *dir, const char *program, double seconds)
{
	supersede(p);
	slu_timer_stop(p->loop, &p->retry);
	use(p, dir, program, seconds);
	if (dir)
		p->waiting = slu_epoch_ref(epoch);
	else
		p->fn(p->arg, epoch, NULL);
	if (p->writing)
		return;
	if (dir)
		attempt(p);
	else
		dismiss_if_off(p);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stages out the files in the queue of early stage-out, one after the other and
 * by one thread, as the job is at work. What fails here, or is changed
 * afterwards, is copied when the job has ended; so failures are only logged.
 *
 * With nodes=staging, other nodes pass their declared paths to the staging node
 * in .sluice/ready/ of the shared file system. `down` ends this process before
 * anything else.
 */
#include "config.h"
#include "burst_buffer/node/node.h"
#include "burst_buffer/node/stage/early.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/host/aside.h"
#include "burst_buffer/request/site/fstype.h"
#include "common/file.h"
#include "common/proc.h"
#include "common/size.h"

#define AT     "early.at"   /* how many bytes of the queue are done */
#define READY  "ready"	    /* in .sluice/: paths for the staging node */
#define SUFFIX ".ready"	    /* of a complete record there */
#define LOCK   "early.lock" /* in .sluice/: held by the node that copies */
/* seconds until every change shows in the time stamps */
#define SECOND 2

struct one { /* one declared path */
	struct slu_node *n;
	size_t r;
	char part[SLU_EARLY_MAX + 1];
	struct slu_aside *aside;
};

static bool over(struct slu_node *n)
{
	return slu_note_has(n, "down.pid") || !slu_noted_is(n, n->plan.buffer);
}

static int tick(void *arg, uint64_t bytes, uint64_t files)
{
	const struct one *o = arg;

	(void)bytes, (void)files;
	return over(o->n);
}

/* Parses "R LENGTH\nPATH\n" at *text: the bytes that it takes, 0: it is
 * malformed. */
static size_t parse(const struct slu_node *n, const char *text, size_t size,
		    struct one *o)
{
	int head = 0;
	size_t len;

	if (sscanf(text, "%zu %zu%n", &o->r, &len, &head) != 2 ||
	    text[head++] != '\n' || len > SLU_EARLY_MAX ||
	    (size_t)head + len + 1 > size || text[(size_t)head + len] != '\n' ||
	    o->r >= n->plan.n_stage || !n->plan.stage[o->r].out)
		return 0;
	memcpy(o->part, text + head, len);
	o->part[len] = '\0';
	return (size_t)head + len + 1;
}

/* What follows runs in children */

/* Makes sure that one node copies at a time, as two that write one file would
 * corrupt it. The lock names its holder; if that node is lost the lock stays,
 * and no more files are staged out early. */
static int lock(struct slu_aside *aside, void *arg, void *out,
		struct slu_err *err)
{
	const struct one *o = arg;
	char path[PATH_MAX], owner[sizeof(o->n->name)] = "";

	(void)aside, (void)out;
	snprintf(path, sizeof(path), "%s/.sluice/" LOCK, o->n->root);
	if (!symlink(o->n->name, path))
		return 0;
	if (errno != EEXIST)
		return slu_errno(err, SLU_IO, "cannot take turns");
	if (readlink(path, owner, sizeof(owner) - 1) > 0 &&
	    !strcmp(owner, o->n->name))
		return 0;
	return slu_err(err, SLU_BUSY, "another node is copying");
}

static int unlock(struct slu_aside *aside, void *arg, void *out,
		  struct slu_err *err)
{
	const struct one *o = arg;
	char path[PATH_MAX];

	(void)aside, (void)out;
	snprintf(path, sizeof(path), "%s/.sluice/" LOCK, o->n->root);
	return unlink(path) ? slu_errno(err, SLU_IO, "%s", path) : 0;
}

static int play_all(struct slu_stage_part *part, struct slu_stage_result *out,
		    struct slu_err *err)
{
	struct slu_stage_result r;

	for (int act = SLU_PREPARE; act <= SLU_FINISH; act++) {
		if (lseek(part->manifest, 0, SEEK_SET) ||
		    slu_stage((enum slu_act_name)act, part, &r, err))
			return -1;
		/* Whatever is written from now on has a later second, even
		 * where time stamps have no fractions, so the final pass will
		 * notice it. */
		if (act == SLU_PREPARE)
			sleep(SECOND);
		if (act == SLU_COPY)
			*out = r;
	}
	return 0;
}

/* Opens a file for the manifest, which may be large: unnamed, charged to the
 * job, gone with this process. */
static int open_manifest(const struct slu_node *n)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/.sluice/early.%s", n->root, n->name);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
		  0600);
	if (fd >= 0)
		unlink(path);
	return fd;
}

static int copy(struct slu_aside *aside, void *arg, void *out,
		struct slu_err *err)
{
	struct one *o = arg;
	struct slu_node *n = o->n;
	const struct slu_stage *s = &n->plan.stage[o->r];
	struct slu_stage_part part = {
		.source = s->source,
		.destination = s->destination,
		.what = slu_stage_what(s->type),
		.below = slu_node_below(n),
		.beside = n->beside,
		.fs_root = n->data,
		.only = *o->part ? o->part : NULL,
		.quick = true,
		.early = true,
		.n = 1,
		.durable = true,
		.own_times_source = slu_fstype_striped(&n->plan),
		.content = s->content,
		.threads = 1,
		.manifest = open_manifest(n),
		/* From now on the final pass looks for what was copied early.
		 */
		.known = slu_early_notes(n, o->r, O_RDWR | O_APPEND | O_CREAT),
	};

	if (part.manifest < 0)
		return slu_errno(err, SLU_IO, "cannot write the manifest");
	if (!part.known)
		return slu_errno(err, SLU_IO, "cannot note it");
	if (slu_aside_become(aside, n->plan.uid, n->plan.gid, err))
		return -1;
	(void)setpriority(PRIO_PROCESS, 0, 10);
	return play_all(&part, out, err);
}

/* Hands a record over to the staging node. It appears whole (written aside and
 * renamed), under the name of this node. */
static int hand_on(struct slu_aside *aside, void *arg, void *out,
		   struct slu_err *err)
{
	struct one *o = arg;
	char dir[PATH_MAX], name[300];
	char *text =
		slu_asprintf("%zu %zu\n%s\n", o->r, strlen(o->part), o->part);
	int fd, rc;

	(void)aside, (void)out;
	snprintf(dir, sizeof(dir), "%s/.sluice/" READY, o->n->root);
	if (!text || (mkdir(dir, 0700) && errno != EEXIST) ||
	    (fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0) {
		free(text);
		return slu_errno(err, SLU_IO, "cannot hand it on");
	}
	snprintf(name, sizeof(name), "%.200s.%.6f" SUFFIX, o->n->name,
		 slu_now_mono());
	rc = slu_file_write(fd, name, text, strlen(text), 0600, false, err);
	close(fd);
	free(text);
	return rc;
}

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && !strcmp(name + n - m, end);
}

/* Moves another node's record into this node's queue. */
static void collect_one(struct one *o, int dir, const char *name)
{
	struct slu_buf text = {0};

	if (!ends_with(name, SUFFIX) ||
	    slu_file_read(dir, name, 2 * SLU_EARLY_MAX, &text, NULL))
		return;
	if (!text.data || !parse(o->n, text.data, text.len, o) ||
	    !slu_early_add(o->n, o->r, o->part, NULL))
		unlinkat(dir, name, 0);
	slu_buf_free(&text);
}

static int collect(struct slu_aside *aside, void *arg, void *out,
		   struct slu_err *err)
{
	struct one *o = arg;
	char path[PATH_MAX];
	struct dirent *d;
	DIR *dir;

	(void)aside, (void)out;
	snprintf(path, sizeof(path), "%s/.sluice/" READY, o->n->root);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? 0 : slu_errno(err, SLU_IO, "%s", path);
	while ((d = readdir(dir)))
		collect_one(o, dirfd(dir), d->d_name);
	closedir(dir);
	return 0;
}

static int in_child(struct one *o, slu_aside_f *fn, void *out,
		    struct slu_err *err)
{
	struct slu_aside aside = {
		.fn = fn,
		.arg = o,
		.seconds = (double)o->n->plan.stage_out_timeout,
		.tick = tick,
		.tick_arg = o,
	};

	return slu_aside(&aside, "staging", out, err);
}

/* The process */

static int copy_in_turn(struct one *o, void *out, struct slu_err *err)
{
	int rc;

	if (!o->n->driver->shared)
		return in_child(o, copy, out, err);
	while ((rc = in_child(o, lock, NULL, err)) && err->kind == SLU_BUSY &&
	       !over(o->n))
		sleep(1);
	if (rc)
		return -1;
	rc = in_child(o, copy, out, err);
	(void)in_child(o, unlock, NULL, &(struct slu_err){0});
	return rc;
}

static void do_one(struct one *o)
{
	struct slu_node *n = o->n;
	const struct slu_stage *s = &n->plan.stage[o->r];
	bool elsewhere = s->apart && n->driver->shared &&
			 slu_early_node(&n->plan) != n->self;
	struct slu_stage_result r = {0};
	char out[SLU_ASIDE_OUT], size[SLU_SIZE_TEXT], time[SLU_TIME_TEXT];
	double start = slu_now_mono();
	struct slu_err err;

	if (elsewhere ? in_child(o, hand_on, out, &err)
		      : copy_in_turn(o, out, &err)) {
		if (!over(n))
			slu_node_log(n, SLU_WARN,
				     "stage_out %zu early: %s; it is staged "
				     "out when the job has ended",
				     o->r, err.text);
		return;
	}
	if (elsewhere)
		return;
	memcpy(&r, out, sizeof(r));
	slu_node_log(n, SLU_INFO,
		     "stage_out %zu early: %" PRIu64 " files, %s in %s", o->r,
		     r.files, slu_size_text(r.bytes, size),
		     slu_seconds_text(slu_now_mono() - start, time));
}

static void do_queue(struct slu_node *n, struct one *o)
{
	char *at = slu_note_get(n, AT), *text, line[32];
	size_t from = at ? strtoul(at, NULL, 10) : 0, size, len;

	free(at);
	while (!over(n) && (text = slu_note_get(n, SLU_EARLY_QUEUE))) {
		size = strlen(text);
		len = from < size ? parse(n, text + from, size - from, o) : 0;
		free(text);
		if (!len)
			return;
		do_one(o);
		from += len;
		snprintf(line, sizeof(line), "%zu\n", from);
		slu_note_put(n, AT, 0600, line, NULL);
	}
}

/* Does this node copy for the others? */
static bool collects(const struct slu_node *n)
{
	for (size_t i = 0; i < n->plan.n_stage; i++)
		if (n->plan.stage[i].out && n->plan.stage[i].apart)
			return n->driver->shared &&
			       slu_early_node(&n->plan) == n->self;
	return false;
}

static int work(void *arg)
{
	struct slu_node n = {0};
	struct one *o = calloc(1, sizeof(*o));
	struct slu_plan plan;
	struct slu_err err;

	if (o && !slu_node_open(&n, arg, &err) &&
	    !slu_noted_plan(&n, &plan, &err) &&
	    !slu_node_take_plan(&n, &plan, &err)) {
		o->n = &n;
		if (collects(&n))
			(void)in_child(o, collect, NULL, &err);
		do_queue(&n, o);
	}
	slu_node_close(&n);
	free(o);
	return 0;
}

static bool has_work(const struct slu_node *n)
{
	char path[PATH_MAX], *at;
	struct stat st;
	bool has;

	if (collects(n))
		return true;
	slu_note_path(n, SLU_EARLY_QUEUE, path);
	if (stat(path, &st))
		return false;
	at = slu_note_get(n, AT);
	has = st.st_size > (at ? strtol(at, NULL, 10) : 0);
	free(at);
	return has;
}

void slu_early_start(struct slu_node *n)
{
	char path[PATH_MAX];
	struct slu_pid pid;
	struct slu_err err;

	slu_note_path(n, "early.pid", path);
	if (slu_note_lives(n, "early.pid", &pid) || !has_work(n) || over(n))
		return;
	if (slu_detach(work, (void *)n->opt, path, NULL, &err))
		slu_node_log(n, SLU_WARN, "nothing is staged out early: %s",
			     err.text);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers the question "iostart": was the parallel file system a bottleneck for
 * the jobs that have ended?
 */
#include "common/jsonx.h"
#include "job_submit/history/job_history.h"
#include "job_submit/name.h"
#include "select_io/bandwidth/utilization.h"
#include "select_io/bandwidth/ran_well.h"
#include "sluiced/daemon.h"
#include "sluiced/questions/answerers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>
#include "wire/fs_shares.h"

#define DAYS 30

struct runs {
	struct slu_ended_run *run;
	size_t n, room, unknown;
	uint64_t scope; /* enum slu_io_scope */
	const char *fs; /* whose I/O counts; NULL: all */
};

/* Where the capacity comes from. */
static const char *how_known(uint32_t known)
{
	static const char *const text[] = {
		[SLU_IO_CONFIGURED] = "unknown", [SLU_IO_UNKNOWN] = "unknown",
		[SLU_IO_REACHED] = "servers",	 [SLU_IO_RAN_WELL] = "history",
		[SLU_IO_HELD] = "held",
	};

	return text[known <= SLU_IO_HELD ? known : 0];
}

/* Adds what slurmctld last reported as the basis of IOBandwidth=auto. */
static void add_auto(const struct slu_io_use *io, enum slu_io_start mode,
		     struct json_object *live)
{
	bool said = mode != SLU_IOSTART_OFF && io->known <= SLU_IO_HELD;

	slu_json_set_str(live, "auto", how_known(said ? io->known : 0));
	slu_json_set_double(live, "capacity", said ? io->capacity : 0);
	slu_json_set_u64(live, "targets", io->targets);
	slu_json_set_u64(live, "degraded", io->degraded);
	slu_json_set_u64(live, "silent", io->silent);
	slu_json_set_i64(live, "unheard", io->unheard);
}

/* Adds the names of the first two file systems of Lustre, which IOStart counts
 * together. */
static void add_file_systems(const struct slu_server_capacity *c,
			     struct json_object *live)
{
	char both[2 * SLU_FS_NAME + 2];

	snprintf(both, sizeof(both), "%s, %s", c->fs[0], c->fs[1]);
	slu_json_set_str(live, "file_systems", both);
}

static void add_metadata(const struct slu_io_use *io, struct json_object *live)
{
	if (io->metadata_known)
		slu_json_set_str(live, "metadata_auto",
				 how_known(io->metadata_known));
	if (!(io->metadata_capacity > 0))
		return;
	slu_json_set_double(live, "metadata_capacity", io->metadata_capacity);
	slu_json_set_double(live, "metadata_demand", io->metadata_demand);
	slu_json_set_u64(live, "metadata_waiting", io->metadata_waiting);
}

/* The place in the configuration of the file system that is asked about: that
 * of this name, else the first; -1: it is not named there. */
static int find_place(const struct slu_conf *conf, const char *fs)
{
	for (int i = 0; fs && i < SLU_IO_FS; i++)
		if (slu_eq(conf->io[i].fs, fs) &&
		    (conf->io[i].bandwidth || conf->io[i].metadata))
			return i;
	return fs ? -1 : 0;
}

/* Adds which file system the answer is about, and which others there are. */
static void add_names(const struct slu_conf *conf, const char *fs,
		      struct json_object *live)
{
	struct slu_buf others = {0};

	slu_json_set_str(live, "fs", fs);
	for (int i = 0; i < SLU_IO_FS; i++)
		if (*conf->io[i].fs && !slu_eq(conf->io[i].fs, fs) &&
		    (conf->io[i].bandwidth || conf->io[i].metadata))
			slu_buf_printf(&others, "%s%s", others.len ? ", " : "",
				       conf->io[i].fs);
	slu_json_set_str(live, "others", others.data);
	slu_buf_free(&others);
}

struct json_object *slu_prepare_iostart(const struct slu_daemon *d,
					const struct slu_asker *who,
					struct json_object *args)
{
	struct json_object *live = json_object_new_object();
	const struct slu_io_limits *io;
	const char *fs = NULL;
	int place;

	(void)who;
	slu_json_str_opt(args, "fsname", &fs, NULL);
	place = find_place(d->conf, fs);
	io = &d->conf->io[place < 0 ? 0 : place];
	if (!fs && *io->fs)
		fs = io->fs;
	if (place >= 0 && io->bandwidth == SLU_IO_AUTO)
		add_auto(&d->peer.io[place].use, d->conf->io_start, live);
	else
		slu_json_set_double(live, "capacity",
				    place < 0 ? 0 : (double)io->bandwidth);
	slu_json_set_u64(live, "scope", d->conf->io_scope);
	if (fs)
		add_names(d->conf, fs, live);
	else if (*d->server_capacity.fs[1])
		add_file_systems(&d->server_capacity, live);
	if (place >= 0)
		add_metadata(&d->peer.io[place].use, live);
	return live;
}

/* Jobs of a user that are called alike, on as many nodes. */
static uint64_t kind_of(const struct slu_job *job)
{
	char name[SLU_PLAIN_NAME];
	size_t len = slu_plain_name(job->name, name, sizeof(name));

	return XXH3_64bits_withSeed(name, len,
				    (uint64_t)job->uid << 32 | job->node_cnt);
}

static int make_room(struct runs *all, struct slu_err *err)
{
	size_t more = all->room ? 2 * all->room : 1024;
	struct slu_ended_run *run;

	if (all->n < all->room)
		return 0;
	run = realloc(all->run, more * sizeof(*run));
	if (!run)
		return slu_err(err, SLU_NOMEM, "out of memory");
	all->run = run;
	all->room = more;
	return 0;
}

/* Takes a run of the history. One with a file system of its own moved its bytes
 * there, and does not count. */
static int take(void *arg, const struct slu_history_row *row,
		struct slu_err *err)
{
	const struct slu_job *job = &row->job;
	struct runs *all = arg;
	struct slu_fs_share moved = {.read_bytes = row->read_bytes,
				     .written_bytes = row->written_bytes};
	bool known = moved.read_bytes + moved.written_bytes > 0;
	struct slu_fs_share share;
	double bytes;

	if (job->start <= 0 || job->end <= job->start || !job->node_cnt ||
	    row->io_source == SLU_IO_BUFFER)
		return 0;
	if (all->fs && row->by_fs &&
	    slu_fs_share_of(row->by_fs, all->fs, &share) & SLU_FS_BYTES) {
		moved = share;
		known = true;
	}
	if (!known) {
		all->unknown++;
		return 0;
	}
	if (make_room(all, err) < 0)
		return -1;
	bytes = (all->scope & SLU_IO_READ ? moved.read_bytes : 0) +
		(all->scope & SLU_IO_WRITTEN ? moved.written_bytes : 0);
	all->run[all->n++] = (struct slu_ended_run){
		.start = (double)job->start,
		.end = (double)job->end,
		.nodes = job->node_cnt,
		.rate = bytes / (double)(job->end - job->start),
		.kind = kind_of(job),
	};
	return 0;
}

static void add_well(struct json_object *obj, const struct slu_ran_well *well)
{
	slu_json_set_double(obj, "ran_well", well->capacity);
	slu_json_set_double(obj, "met", well->met);
	slu_json_set_u64(obj, "slow_runs", well->slow);
	if (well->capacity > 0)
		slu_json_set_double(obj, "slow_by", well->longer);
}

/* Copies what was prepared in the daemon. */
static void copy_live(struct json_object *live, struct json_object *obj)
{
	static const char *const keys[] = {"auto",
					   "targets",
					   "degraded",
					   "silent",
					   "unheard",
					   "metadata_auto",
					   "metadata_capacity",
					   "metadata_demand",
					   "metadata_waiting",
					   "file_systems",
					   "fs",
					   "others"};
	struct json_object *v;

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (json_object_object_get_ex(live, keys[i], &v))
			json_object_object_add(obj, keys[i],
					       json_object_get(v));
}

static struct json_object *render(const struct slu_utilization *p,
				  const struct runs *all, int64_t since,
				  bool configured)
{
	struct json_object *obj = json_object_new_object();

	slu_json_set_i64(obj, "since", since);
	slu_json_set_u64(obj, "runs", all->n);
	slu_json_set_u64(obj, "unknown", all->unknown);
	slu_json_set_bool(obj, "configured", configured);
	slu_json_set_double(obj, "capacity", p->capacity);
	slu_json_set_double(obj, "highest", p->highest);
	slu_json_set_double(obj, "most_99", p->most_99);
	slu_json_set_double(obj, "median", p->median);
	slu_json_set_double(obj, "busy", p->busy);
	slu_json_set_double(obj, "node_seconds", p->node_seconds);
	slu_json_set_double(obj, "busy_node_seconds", p->busy_node_seconds);
	slu_json_set_u64(obj, "crowded", p->crowded);
	slu_json_set_u64(obj, "kinds", p->kinds);
	if (p->kinds) {
		slu_json_set_double(obj, "slower", p->slower);
		slu_json_set_double(obj, "lost_node_seconds",
				    p->slower > 1 ? p->busy_node_seconds *
							    (1 - 1 / p->slower)
						  : 0);
	}
	return obj;
}

static int look(struct slu_db *db, const struct slu_history_query *query,
		struct json_object *live, struct runs *all, struct slu_buf *out,
		struct slu_err *err)
{
	struct slu_ran_well well;
	struct json_object *obj;
	struct slu_utilization past;
	double capacity = 0;

	if (slu_json_double_opt(live, "capacity", &capacity, err) < 0 ||
	    slu_history_each(db, query, take, all, err) < 0)
		return -1;
	if (slu_utilization_look(all->run, all->n, capacity, &past) < 0 ||
	    slu_ran_well(all->run, all->n, &well) < 0)
		return slu_err(err, SLU_NOMEM, "out of memory");
	obj = render(&past, all, query->since, capacity > 0);
	add_well(obj, &well);
	copy_live(live, obj);
	slu_buf_puts(out, slu_json_utf8(obj));
	json_object_put(obj);
	return 0;
}

int slu_answer_iostart(struct slu_db *db, const struct slu_asker *who,
		       struct json_object *args, struct slu_buf *out,
		       struct slu_err *err)
{
	struct slu_history_query query = {.uid = SLU_NO_ID};
	struct runs all = {.scope = SLU_IO_READ | SLU_IO_WRITTEN};
	int rc;

	query.since = (int64_t)time(NULL) - DAYS * 86400;
	if (!who->admin)
		return slu_err(err, SLU_DENIED,
			       "only root and SlurmUser may see all jobs");
	if (slu_json_i64_opt(args, "since", &query.since, err) < 0 ||
	    slu_json_u64_opt(who->live, "scope", &all.scope, err) < 0 ||
	    slu_json_str_opt(who->live, "fs", &all.fs, err) < 0)
		return -1;
	rc = look(db, &query, who->live, &all, out, err);
	free(all.run);
	return rc;
}

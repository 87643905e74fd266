/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts and stops sluiced's parts, in an order in which nothing is called
 * before it exists: database, state in memory, control socket (which accepts no
 * client before the loop runs), buffers, and the HTTP server last. Also has the
 * daemon's timers, such as those that delete old rows of the history, the
 * buffers and the resource map.
 */
#include "burst_buffer/request/site/fstype.h"
#include "sluiced/ingestion/server_reports.h"
#include "sluiced/questions/io/io_forecasts.h"
#include "sluiced/startup.h"

#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "common/file.h"
#include "common/str.h"
#include "select_io/ost/known_targets.h"
#include "select_io/ost/recent_placements.h"
#include "sluiced/control/buffer_commands.h"
#include "sluiced/control/distance_watch.h"
#include "sluiced/control/pool_commands.h"
#include "sluiced/control/slurmctld.h"
#include "sluiced/http/api/conf_text.h"
#include "sluiced/http/api/exchange.h"
#include "sluiced/http/api/reply.h"
#include "sluiced/http/api/routes.h"
#include "sluiced/one_device.h"
#include "sluiced/programs.h"
#include "sluiced/queue/predict_nodes.h"
#include "sluiced/queue/start_notes.h"
#include "sluiced/questions/questions.h"
#include "sluiced/wakeups.h"
#include "sluiced/ingestion/server_capacity.h"

#define POLL_BUDGET 64 /* parked requests a turn; each costs a credential */
#define POLL_AGAIN  1.0
#define SEEN_EVERY  3600.0
#define SEEN_HOSTS  200 /* so many are written in a turn */
#define SEEN_MORE   0.1
#define AGE_EVERY   3600.0
/* of the buffers of the last day sysquery shows all */
#define DAY	    86400
#define OLD_BUFFERS 8 /* so many are removed in a turn */
#define OLD_CHANGES 500
#define AGE_MORE    0.1 /* s; other work is done meanwhile */
#define CLOCK_STEP  5.0

/* Deadlines are wall-clock times, as they outlive us and the machine. */
static void watch_clock(struct slu_daemon *d, double now)
{
	double ahead = now - slu_now_mono(), step = ahead - d->tick_ahead;

	if (d->tick_ahead != 0 && (step > CLOCK_STEP || step < -CLOCK_STEP)) {
		slu_log(d->log, SLU_WARN,
			"the clock was set by %.0f s: deadlines move with it",
			step);
		slu_buffers_clock(d->buffers, now, step);
	}
	d->tick_ahead = ahead;
}

static void on_tick(void *arg)
{
	struct slu_daemon *d = arg;
	double now = slu_now_wall(), next;
	struct slu_uptime up;

	if (d->failed)
		return;
	watch_clock(d, now);
	if (!slu_uptime_now(&up, NULL))
		slu_buffers_uptime(d->buffers, &up);
	next = slu_buffers_tick(d->buffers, now);
	slu_capacity_kept(d);
	slu_timer_soon(d->loop, &d->tick, next > 0.1 ? next : 0.1);
}

static void on_poll(void *arg)
{
	struct slu_daemon *d = arg;
	double now = slu_now_mono();
	struct slu_err err;
	double next;

	if (slu_request_batch_begin(&d->turn, &err) < 0) {
		slu_timer_set(d->loop, &d->poll, POLL_AGAIN);
		return;
	}
	next = slu_longpoll_run(d->longpoll, now, POLL_BUDGET);
	slu_request_batch_end(&d->turn);
	if (next)
		slu_timer_soon(d->loop, &d->poll, next > now ? next - now : 0);
}

static void on_again(void *arg)
{
	struct slu_daemon *d = arg;

	slu_control_drop(d->control,
			 "the database could not be read or written");
}

static void hear_again(void *arg)
{
	slu_daemon_reconnect(arg);
}

static void on_seen(void *arg)
{
	struct slu_daemon *d = arg;
	struct slu_err err;
	int more = slu_receiver_flush(d->receiver, SEEN_HOSTS, &err);

	if (more < 0)
		slu_log(d->log, SLU_ERROR, "last seen: %s", err.text);
	slu_timer_set(d->loop, &d->seen, more == 1 ? SEEN_MORE : SEEN_EVERY);
}

/* Removes buffers older than the history of jobs. Returns whether there are
 * more. */
static bool age_buffers(struct slu_daemon *d, int64_t now)
{
	int64_t age = d->conf->history_age > DAY ? d->conf->history_age : DAY;
	struct slu_err err;
	long n = slu_buffers_prune(d->db, age < now ? (double)(now - age) : 0,
				   OLD_BUFFERS, &err);

	if (n < 0)
		slu_log(d->log, SLU_ERROR, "old buffers: %s", err.text);
	return n == OLD_BUFFERS;
}

/* Removes old documents of hosts in the same way. */
static bool age_map(struct slu_daemon *d, int64_t now)
{
	int64_t age = d->conf->history_age > DAY ? d->conf->history_age : DAY;
	struct slu_err err;
	long n = slu_receiver_prune(d->receiver, age < now ? now - age : 0,
				    OLD_CHANGES, &err);

	if (n < 0)
		slu_log(d->log, SLU_ERROR, "old resources: %s", err.text);
	return n == OLD_CHANGES;
}

static void on_age(void *arg)
{
	struct slu_daemon *d = arg;
	int64_t now = (int64_t)slu_now_wall();
	bool jobs = slu_history_age(&d->history, now);
	bool buffers = age_buffers(d, now);
	bool more = age_map(d, now) || buffers || jobs;

	slu_timer_set(d->loop, &d->age, more ? AGE_MORE : AGE_EVERY);
}

static void on_published(void *arg, const struct slu_epoch *epoch,
			 const struct slu_err *err)
{
	struct slu_daemon *d = arg;
	struct slu_published msg = {.epoch = epoch->a.epoch, .ok = !err};

	if (!err) {
		d->metrics.published++;
		free(d->publish_wrong);
		d->publish_wrong = NULL;
	} else if (err->kind == SLU_BUSY) {
		d->metrics.superseded++;
		return;
	} else {
		d->metrics.publish_failed++;
		slu_log(d->log, SLU_ERROR, "mappings of epoch %llu: %s",
			(unsigned long long)epoch->a.epoch, err->text);
		msg.text = (char *)(uintptr_t)err->text;
		if (!d->publish_wrong)
			d->publish_since = slu_now_wall();
		free(d->publish_wrong);
		d->publish_wrong = strdup(err->text);
	}
	slu_control_send(d->control, &slu_published_desc, &msg);
}

static int read_key(const char *path, unsigned char key[SLU_BUFFERS_KEY],
		    struct slu_err *err)
{
	struct slu_buf text = {0};
	int rc = slu_file_read(AT_FDCWD, path, SLU_BUFFERS_KEY, &text, err);

	if (rc == 0 && text.len != SLU_BUFFERS_KEY)
		rc = slu_err(err, SLU_INVALID,
			     "%s: want %d bytes; remove it when no buffer is "
			     "alive, and a new one is made",
			     path, SLU_BUFFERS_KEY);
	if (rc == 0)
		memcpy(key, text.data, SLU_BUFFERS_KEY);
	slu_buf_free(&text);
	return rc;
}

/* 32 secret bytes beside the database, made at the first start. */
static int get_key(const char *database, unsigned char key[SLU_BUFFERS_KEY],
		   struct slu_err *err)
{
	char *path = slu_asprintf("%s.key", database);
	struct slu_err why;
	int rc;

	if (!path)
		return slu_err(err, SLU_NOMEM, "out of memory");
	rc = read_key(path, key, &why);
	if (rc < 0 && why.kind == SLU_NOTFOUND) {
		if (getrandom(key, SLU_BUFFERS_KEY, 0) != SLU_BUFFERS_KEY)
			rc = slu_errno(&why, SLU_IO, "getrandom");
		else
			rc = slu_file_write(AT_FDCWD, path, key,
					    SLU_BUFFERS_KEY, 0600, true, &why);
	}
	free(path);
	return rc < 0 ? slu_err(err, why.kind, "%s", why.text) : 0;
}

static int start_buffers(struct slu_daemon *d, struct slu_err *err)
{
	unsigned char key[SLU_BUFFERS_KEY];

	if (get_key(d->conf->database, key, err) < 0)
		return -1;
	d->buffers = slu_buffers_load(d->db, d->conf, key, &slu_buffers_glue, d,
				      slu_now_wall(), err);
	explicit_bzero(key, sizeof(key));
	if (!d->buffers)
		return -1;
	slu_timer_set(d->loop, &d->tick, 0);
	return 0;
}

/* The buffers in memory may be ahead of the database: drop them, load them
 * again, and have slurmctld connect again. If that fails the daemon ends. */
static void restart_buffers(void *arg)
{
	struct slu_daemon *d = arg;
	struct slu_buffers *old = d->buffers;
	struct slu_err err;

	d->metrics.lost_turns++;
	slu_control_forget(d->control);
	if (start_buffers(d, &err) < 0) {
		slu_log(d->log, SLU_ERROR, "buffers: %s", err.text);
		d->buffers = old; /* no request reaches it any more */
		d->failed = true;
		slu_loop_stop(d->loop);
		return;
	}
	slu_buffers_free(old);
	slu_daemon_touched(d, 0);
}

static void reply(void *arg, struct slu_req *req)
{
	slu_routes_reply(arg, req, &req->out, req->rc < 0 ? &req->err : NULL);
}

static int find_owner(const char *user, uid_t *uid, struct slu_err *err)
{
	struct passwd *pw = getpwnam(user);

	if (!pw)
		return slu_err(err, SLU_INVALID,
			       "SlurmUser=%s: there is no such user", user);
	*uid = pw->pw_uid;
	return 0;
}

/* The port of the DaemonAddr that is this host's, else of the first one. */
static const char *own_addr(const struct slu_conf *conf)
{
	char host[256] = "";
	size_t len;

	gethostname(host, sizeof(host) - 1);
	len = strlen(host);
	for (char **a = conf->daemon_addr; *a; a++)
		if (!strncmp(*a, host, len) && (*a)[len] == ':')
			return *a;
	return conf->daemon_addr[0];
}

static int start_memory(struct slu_daemon *d, struct slu_err *err)
{
	const struct slu_request_batch_ops turn = {
		.handle = slu_routes_handle,
		.reply = reply,
		.lost = restart_buffers,
		.arg = d,
	};

	d->metrics.started = slu_now_wall();
	d->reload = slu_daemon_reload;
	d->tick = (struct slu_timer){.fn = on_tick, .arg = d};
	d->poll = (struct slu_timer){.fn = on_poll, .arg = d};
	d->again = (struct slu_timer){.fn = on_again, .arg = d};
	slu_write_batch_init(&d->batch, d->loop, d->db);
	slu_request_batch_init(&d->turn, d->loop, d->db, d->log, &turn);
	slu_questions_init(&d->questions);
	slu_capacity_start(d);
	d->seen = (struct slu_timer){.fn = on_seen, .arg = d};
	slu_timer_set(d->loop, &d->seen, SEEN_EVERY);
	d->age = (struct slu_timer){.fn = on_age, .arg = d};
	slu_timer_set(d->loop, &d->age, AGE_MORE);
	d->receiver = slu_receiver_new(d->db, err);
	d->jobs = slu_jobs_new(err);
	d->auth.clock = slu_now_mono;
	d->auth.nodes = slu_nodes_new(slu_resolve, slu_now_mono, err);
	if (d->auth.nodes)
		slu_nodes_ask(d->auth.nodes, slu_daemon_where, d);
	d->longpoll = slu_longpoll_new(slu_routes_parked, d);
	d->publisher = slu_publisher_new(d->loop, on_published, d);
	slu_distance_init(d);
	if (!d->longpoll || !d->publisher)
		return slu_err(err, SLU_NOMEM, "out of memory");
	return d->jobs && d->auth.nodes && d->receiver ? 0 : -1;
}

static int start_control(struct slu_daemon *d, struct slu_err *err)
{
	struct slu_control_ops ops = slu_control_glue;
	uint64_t first_id = (uint64_t)slu_now_wall() << 20;

	ops.arg = d;
	d->control =
		slu_control_new(d->loop, d->conf->control_socket, d->auth.owner,
				first_id, &ops, d->log, err);
	d->history = (struct slu_history){.db = d->db,
					  .conf = d->conf,
					  .batch = &d->batch,
					  .control = d->control,
					  .log = d->log,
					  .again = hear_again,
					  .arg = d};
	slu_totals_start(&d->totals, d->loop, &d->history);
	slu_lustre_totals_start(&d->served, d->loop, &d->history);
	return d->control ? 0 : -1;
}

static int start_httpd(struct slu_daemon *d, struct slu_err *err)
{
	struct slu_httpd_ops ops = slu_httpd_glue;

	ops.arg = d;
	d->routes = slu_routes;
	d->httpd = slu_httpd_new(d->loop, own_addr(d->conf), &ops, d->log, err);
	return d->httpd ? 0 : -1;
}

int slu_daemon_start(struct slu_daemon *d, struct slu_err *err)
{
	if (find_owner(d->conf->slurm_user, &d->auth.owner, err) < 0)
		return -1;
	d->loop = slu_loop_new(err);
	if (!d->loop)
		return -1;
	d->db = slu_db_open(d->conf->database, SLU_DB_WRITE, err);
	if (!d->db || start_memory(d, err) < 0 || start_control(d, err) < 0 ||
	    start_buffers(d, err) < 0 || start_httpd(d, err) < 0)
		return -1;
	slu_predict_nodes_start(d);
	slu_start_notes_begin(d);
	slu_programs_check(d->conf, d->log);
	slu_one_device_check(d->conf, d->log);
	return 0;
}

/* Waiting clients are answered first: parked requests with "wait", questions
 * and items to be stored with what there is. */
void slu_daemon_stop(struct slu_daemon *d)
{
	if (!d->loop)
		return;
	slu_questions_stop(d);
	slu_totals_stop(&d->totals);
	if (d->httpd)
		slu_request_batch_flush(&d->turn);
	slu_longpoll_free(d->longpoll);
	if (d->receiver) { /* after everything that may add items */
		slu_write_batch_flush(&d->batch);
		while (slu_receiver_flush(d->receiver, SIZE_MAX, NULL) == 1)
			;
	}
	slu_httpd_free(d->httpd);
	slu_distance_fini(d);
	slu_publisher_free(d->publisher);
	slu_buffers_free(d->buffers);
	slu_control_free(d->control);
	slu_receiver_free(d->receiver);
	slu_capacity_stop(d);
	slu_lustre_totals_stop(&d->served);
	slu_server_capacity_free(&d->server_capacity);
	json_object_put(d->osts);
	d->osts = NULL;
	slu_recent_placements_free(d->ost_memory);
	d->ost_memory = NULL;
	slu_known_targets_free(d->known_targets);
	d->known_targets = NULL;
	slu_io_forecasts_free(d->io_forecasts);
	d->io_forecasts = NULL;
	free(d->peer.conf_wrong);
	free(d->peer.slurm_advice);
	free(d->publish_wrong);
	slu_epoch_unref(d->epoch);
	slu_nodes_free(d->auth.nodes);
	slu_jobs_free(d->jobs);
	slu_db_close(d->db);
	slu_loop_free(d->loop);
}

static void keep_text(char **mine, char **theirs, const char *key,
		      const struct slu_log *log)
{
	char *tmp = *mine;

	if (!slu_eq(*mine, *theirs))
		slu_log(log, SLU_WARN, "%s: takes effect after a restart", key);
	*mine = *theirs;
	*theirs = tmp;
}

void slu_daemon_reload(struct slu_daemon *d)
{
	struct slu_err err;
	struct slu_conf *fresh = slu_daemon_load(d, &err), old;

	d->conf_bad = !fresh;
	if (!fresh) {
		slu_log(d->log, SLU_ERROR, "%s; the old one stays in force",
			err.text);
		return;
	}
	keep_text(&fresh->database, &d->conf->database, "Database", d->log);
	keep_text(&fresh->control_socket, &d->conf->control_socket,
		  "ControlSocket", d->log);
	keep_text(&fresh->slurm_user, &d->conf->slurm_user, "SlurmUser",
		  d->log);
	if (strcmp(own_addr(fresh), own_addr(d->conf)) != 0)
		slu_log(d->log, SLU_WARN,
			"DaemonAddr: takes effect after a restart");
	old = *d->conf;
	*d->conf = *fresh;
	*fresh = old;
	slu_conf_free(fresh);
	slu_log(d->log, SLU_INFO, "%s was read again", d->conf_path);
	slu_programs_check(d->conf, d->log);
	slu_one_device_check(d->conf, d->log);
	slu_capacity_update(d);
	slu_totals_retry(&d->totals);
	slu_distance_send(d);
	slu_osts_reload(d);
	slu_daemon_touched(d, 0);
}

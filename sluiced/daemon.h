/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_DAEMON_H
#define SLU_SLUICED_DAEMON_H

/*
 * sluiced as a whole: all its parts, and what happens when something arrives.
 * The parts do not know each other; the files whose functions take a `struct
 * slu_daemon *` connect them.
 */

#include "burst_buffer/lifecycle/buffers.h"
#include "common/conf.h"
#include "common/log.h"
#include "sluiced/publication/assignment.h"
#include "sluiced/http/auth.h"
#include "sluiced/ingestion/write_batch.h"
#include "sluiced/breaker.h"
#include "sluiced/control/control_socket.h"
#include "sluiced/ingestion/history_rows.h"
#include "sluiced/http/httpd.h"
#include "sluiced/control/known_jobs.h"
#include "sluiced/ingestion/lustre_totals.h"
#include "sluiced/event_loop.h"
#include "sluiced/metrics.h"
#include "sluiced/control/distance.h"
#include "sluiced/host_addresses.h"
#include "sluiced/publication/mapping_publisher.h"
#include "sluiced/questions/placement_rate.h"
#include "sluiced/questions/questions.h"
#include "sluiced/control/pool_capacity.h"
#include "sluiced/ingestion/totals.h"
#include "sluiced/http/request_batch.h"
#include "store/db.h"
#include "sysmap/database/receive.h"

/* ingestion/server_reports.c: how busy the processor of this host is. */
struct slu_busy {
	double time;		 /* of the last look; 0: none */
	uint64_t working, ticks; /* then */
	double percent;		 /* between the last two looks */
};
/* Evaluate a /proc/stat, unless the last look was a moment ago. now:
 * seconds. */
void slu_busy_look(struct slu_busy *busy, const char *stat, double now);

/* What slurmctld has reported about itself. */
struct slu_peer {
	double changed; /* Unix seconds: when it connected or was lost */
	char release[24];
	int64_t conf_read; /* see struct slu_hello_ctl */
	char *conf_wrong, *slurm_advice;
	struct slu_io_use io; /* capacity 0: IOStart is off */
};

struct slu_daemon {
	const char *conf_path;
	struct slu_conf *conf;	  /* the same object always, see reload */
	struct slu_buf conf_text; /* what it was read from, */
	char conf_hash[65];	  /* and its SHA-256 */
	bool conf_bad;		  /* the present file could not be read */
	const struct slu_log *log;
	struct slu_loop *loop;
	struct slu_db *db;
	struct slu_buffers *buffers;
	struct slu_timer tick; /* of the buffers */
	double tick_ahead; /* CLOCK_REALTIME less CLOCK_MONOTONIC at the last
			      tick; 0: never */
	struct slu_jobs *jobs;
	struct slu_auth auth;
	/* for names that the name service does not give */
	struct slu_breaker users;
	struct slu_control *control;
	struct slu_timer again; /* ends the connection to slurmctld */
	double again_pause;	/* seconds of the last pause, */
	double again_asked;	/* and when it began; monotonic, 0: never */
	struct slu_httpd *httpd;
	struct slu_longpoll *longpoll;
	struct slu_timer poll; /* of longpoll */
	struct slu_request_batch turn;
	double refused_since; /* refused requests since then, by address */
#define SLU_REFUSED 256
	unsigned refused[SLU_REFUSED];
	struct slu_write_batch batch;
	struct slu_receiver *receiver; /* of resource maps */
	struct slu_timer seen;	       /* stores when hosts were last seen */
	struct slu_history history;
	struct slu_totals totals;	 /* of its jobs, from accounting */
	struct slu_lustre_totals served; /* and from storage servers */
	struct slu_timer age;		 /* removes old rows */
	struct slu_epoch *epoch; /* the assignment in force; may be NULL */
	struct slu_publisher *publisher;
	struct slu_peer peer;
	char *publish_wrong;  /* why the last one failed; NULL: it did not */
	double publish_since; /* Unix seconds since when they fail */
	struct slu_distance_watch near;
	struct slu_questions questions;
	/* last reports of storage servers; may be NULL */
	struct json_object *osts;
	struct slu_recent_placements *ost_memory; /* of answers; may be NULL */
	struct slu_known_targets *known_targets;  /* of osts; may be NULL */
	struct slu_io_forecasts *io_forecasts;	  /* may be NULL */
	struct slu_placement_rate placement_rate;
	struct slu_busy busy;	    /* this host's processor */
	struct slu_hosts hosts;	    /* slurmctld's nodes */
	struct slu_capacity supply; /* of the pools, as told last */
	struct slu_timer supply_timer;
	uint64_t newcomers; /* slu_receiver_newcomers() at that time */
	struct slu_metrics metrics;
	bool failed; /* the loop was stopped by an error */
};

/* Build everything from d->conf and d->log, listen, and act on what the
 * database has. The caller holds the lock. slu_daemon_stop() also undoes a
 * start that failed half-way. */
int slu_daemon_start(struct slu_daemon *d, struct slu_err *err);
void slu_daemon_stop(struct slu_daemon *d);
/* http/conf_text.c: read the configuration file, for d->conf; NULL: it is bad,
 * and nothing has changed. Caller frees. */
struct slu_conf *slu_daemon_load(struct slu_daemon *d, struct slu_err *err);
/* Read the configuration file again; a bad one changes nothing. */
void slu_daemon_reload(struct slu_daemon *d);

/* questions/layouts.c: see struct slu_plan_site. */
struct slu_layout_ask;
char *slu_daemon_layout(struct slu_daemon *d, const struct slu_layout_ask *ask,
			bool *known, char **why, struct slu_err *err);

/* control/buffer_commands.c: what the buffers want done. */
extern const struct slu_buffers_ops slu_buffers_glue;
/* control/slurmctld.c: handlers of slurmctld's messages. */
extern const struct slu_control_ops slu_control_glue;
/* control/slurmctld.c: ask slurmctld for a node's address, see slu_nodes_ask().
 * arg: the daemon. */
bool slu_daemon_where(void *arg, const char *name);
/* http/routes.c: handlers of HTTP requests. */
extern const struct slu_httpd_ops slu_httpd_glue;
/* Is there an answer for a parked request? arg: the daemon. */
bool slu_routes_parked(void *arg, struct slu_parked *parked, bool expired);

/* control/pool_commands.c: compute the pools' capacity when slurmctld has sent
 * hello with its nodes, or soon. */
void slu_capacity_start(struct slu_daemon *d);
void slu_capacity_connected(struct slu_daemon *d,
			    const struct slu_node_addr *nodes, size_t n);
void slu_capacity_again(struct slu_daemon *d);
/* A map has come: soon, if it is its host's first. */
void slu_capacity_pushed(struct slu_daemon *d);
void slu_capacity_stop(struct slu_daemon *d);
/* Kept data may have changed: send it if it has. */
void slu_capacity_kept(struct slu_daemon *d);

/* The buffers in memory may be ahead of the database: drop them, load them
 * again, and have slurmctld connect again. If that fails the daemon ends. */
void slu_daemon_restart_buffers(struct slu_daemon *d);

/* Something from slurmctld could not be stored, or something for it could not
 * be read: after a pause, which grows with each failure, have it connect again,
 * report everything and get everything. */
void slu_daemon_reconnect(struct slu_daemon *d);

/* A message has changed something about the buffers: check deadlines and the
 * parked requests of this job soon (0: of all jobs). */
void slu_daemon_touched(struct slu_daemon *d, uint32_t job_id);
/* Buffers may have changed and have reported that; check deadlines. */
void slu_daemon_soon(struct slu_daemon *d);
/* Only check deadlines. */
void slu_daemon_tick_soon(struct slu_daemon *d);

#endif

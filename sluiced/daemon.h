/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_DAEMON_H
#define SLU_SLUICED_DAEMON_H

/*
 * The daemon's object: all parts of sluiced in one struct. The parts do not
 * know each other; the files whose functions take a `struct slu_daemon *`
 * connect them, and startup.c creates and destroys them all.
 */

#include "burst_buffer/lifecycle/buffers.h"
#include "common/conf.h"
#include "common/log.h"
#include "sluiced/publication/assignment.h"
#include "sluiced/http/api/auth.h"
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
#include "sluiced/placement/placement_rate.h"
#include "sluiced/questions/question_queue.h"
#include "sluiced/control/pool_capacity.h"
#include "sluiced/ingestion/known_servers.h"
#include "sluiced/ingestion/totals.h"
#include "sluiced/http/api/request_batch.h"
#include "store/db.h"
#include "sysmap/database/receive.h"

/* How busy the processor of this host is (ingestion/server_reports.h). */
struct slu_cpu_load {
	double time;		 /* of the last look; 0: none */
	uint64_t working, ticks; /* then */
	double percent;		 /* between the last two looks */
};

/* The state of IOStart for a file system, as slurmctld last reported it; both
 * capacities 0: it is off. */
struct slu_peer_io {
	struct slu_io_use use; /* its fs is NULL */
	char fs[SLU_FS_NAME];  /* "": all as one */
};

/* What slurmctld has reported about itself. */
struct slu_peer {
	double changed; /* Unix seconds: when it connected or was lost */
	char release[24];
	int64_t conf_read; /* see struct slu_hello_ctl */
	char *conf_wrong, *slurm_advice;
	struct slu_peer_io io[SLU_IO_FS]; /* in the configuration's order */
};

/* The repeated forecast of where jobs will run (questions/predict_nodes.h). */
struct slu_predict_nodes {
	struct slu_timer timer;
	bool busy;
	bool failed; /* the last one did: that was logged */
};

/* The repeated forecast of starts (queue/start_notes.h). */
struct slu_start_notes {
	struct slu_timer timer;
	bool busy;
	bool failed; /* the last one did: that was logged */
	double last; /* monotonic s when it began */
	bool silent; /* no job's comment has one of ours */
};

struct slu_route;

struct slu_daemon {
	const char *conf_path;
	struct slu_conf *conf;	  /* the same object always, see reload */
	struct slu_buf conf_text; /* what it was read from, */
	char conf_hash[65];	  /* and its SHA-256 */
	bool conf_bad;		  /* the present file could not be read */
	void (*reload)(struct slu_daemon *d); /* reads the file again */
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
	const struct slu_route *routes; /* that it answers */
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
	struct slu_sacct_totals totals;	 /* of its jobs, from accounting */
	struct slu_lustre_totals served; /* and from storage servers */
	struct slu_timer age;		 /* removes old rows */
	struct slu_epoch *epoch; /* the assignment in force; may be NULL */
	struct slu_publisher *publisher;
	struct slu_peer peer;
	char *publish_wrong;  /* why the last one failed; NULL: it did not */
	double publish_since; /* Unix seconds since when they fail */
	struct slu_distance_watch near;
	struct slu_questions questions;
	struct slu_predict_nodes predict_nodes;
	struct slu_start_notes start_notes;
	/* last reports of storage servers; may be NULL */
	struct json_object *osts;
	struct slu_recent_placements *ost_memory; /* of answers; may be NULL */
	struct slu_known_targets *known_targets;  /* of osts; may be NULL */
	struct slu_io_forecasts *io_forecasts;	  /* may be NULL */
	struct slu_placement_rate placement_rate;
	struct slu_cpu_load busy; /* this host's processor */
	struct slu_server_capacity server_capacity;
	struct slu_hosts hosts;	    /* slurmctld's nodes */
	struct slu_capacity supply; /* of the pools, last sent */
	struct slu_timer supply_timer;
	uint64_t newcomers; /* slu_receiver_newcomers() at that time */
	struct slu_metrics metrics;
	bool failed; /* the loop was stopped by an error */
};

#endif

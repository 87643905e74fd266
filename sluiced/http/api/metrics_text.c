/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the answer to GET /metrics: counters and gauges for operators, in
 * Prometheus' text format.
 */
#include "config.h"
#include "sluiced/http/api/handlers.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "burst_buffer/lifecycle/transitions.h"

static void head(struct slu_buf *out, const char *name, const char *type,
		 const char *help)
{
	slu_buf_printf(out, "# HELP sluice_%s %s\n# TYPE sluice_%s %s\n", name,
		       help, name, type);
}

static void one(struct slu_buf *out, const char *name, const char *type,
		const char *help, double value)
{
	head(out, name, type, help);
	slu_buf_printf(out, "sluice_%s %.15g\n", name, value);
}

static void requests(const struct slu_metrics *m,
		     const struct slu_route *routes, struct slu_buf *out)
{
	head(out, "requests_total", "counter", "Answered HTTP requests.");
	for (size_t r = 0; routes[r].path; r++)
		for (int code = 1; code < 6; code++)
			if (m->requests[r][code])
				slu_buf_printf(
					out,
					"sluice_requests_total{route=\"%s\","
					"code=\"%dxx\"} %llu\n",
					routes[r].path, code,
					(unsigned long long)
						m->requests[r][code]);
}

static const char *const states[] = {"SETUP", "STAGE_IN", "RUNNING",
				     "STAGE_OUT", "TEARDOWN"};
#define STATES (sizeof(states) / sizeof(states[0]))

/* Counts buffers by state. */
static void count_state(void *arg, const char *state)
{
	unsigned *n = arg;

	for (size_t s = 0; s < STATES; s++)
		n[s] += slu_eq(state, states[s]);
}

static void buffers(struct slu_daemon *d, struct slu_buf *out)
{
	unsigned n[STATES] = {0};

	slu_buffers_each(d->buffers, count_state, n);
	head(out, "buffers", "gauge", "Buffers alive, by state.");
	for (size_t s = 0; s < STATES; s++)
		slu_buf_printf(out, "sluice_buffers{state=\"%s\"} %u\n",
			       states[s], n[s]);
}

static void phase_histogram(struct slu_buf *out, const char *name,
			    const struct slu_phase_use *use)
{
	for (size_t i = 0; i < SLU_PHASE_BUCKETS; i++)
		slu_buf_printf(out,
			       "sluice_phase_seconds_bucket{phase=\"%s\","
			       "le=\"%g\"} %llu\n",
			       name, slu_phase_bounds[i],
			       (unsigned long long)use->below[i]);
	slu_buf_printf(out,
		       "sluice_phase_seconds_bucket{phase=\"%s\",le=\"+Inf\"} "
		       "%llu\nsluice_phase_seconds_sum{phase=\"%s\"} %.15g\n"
		       "sluice_phase_seconds_count{phase=\"%s\"} %llu\n",
		       name, (unsigned long long)use->count, name, use->seconds,
		       name, (unsigned long long)use->count);
}

/* One counter with a line for each phase; `only`: those that stage. */
static void phase_counter(struct slu_buf *out, const char *name,
			  const char *help, const struct slu_phase_use *use,
			  size_t offset, bool only)
{
	head(out, name, "counter", help);
	for (size_t i = 0; i < SLU_PHASES; i++) {
		const char *phase = slu_phase_name(i);
		const uint64_t *value =
			(const void *)((const char *)&use[i] + offset);

		if (!only || !strncmp(phase, "stage_", 6))
			slu_buf_printf(out, "sluice_%s{phase=\"%s\"} %llu\n",
				       name, phase, (unsigned long long)*value);
	}
}

/* Verdicts on jobs. */
static void verdicts(const struct slu_phase_use *use, struct slu_buf *out)
{
	static const char *const names[SLU_VERDICTS] = {
		[SLU_REQUEUE] = "requeue", [SLU_HOLD] = "hold",
		[SLU_FAIL] = "fail",	   [SLU_CANCEL] = "cancel",
		[SLU_COMPLETE] = "none",
	};

	head(out, "phase_verdicts_total", "counter",
	     "What became of jobs whose phase failed.");
	for (size_t i = 0; i < SLU_PHASES; i++)
		for (size_t v = 0; v < SLU_VERDICTS; v++)
			slu_buf_printf(out,
				       "sluice_phase_verdicts_total{phase="
				       "\"%s\",verdict=\"%s\"} %llu\n",
				       slu_phase_name(i), names[v],
				       (unsigned long long)use[i].verdict[v]);
}

static void yes_and_no(struct slu_buf *out, const char *name, const char *label,
		       uint64_t yes, uint64_t no)
{
	slu_buf_printf(out,
		       "sluice_%s{%s=\"yes\"} %llu\n"
		       "sluice_%s{%s=\"no\"} %llu\n",
		       name, label, (unsigned long long)yes, name, label,
		       (unsigned long long)no);
}

/* How much of stage-in was found in the nodes' caches. */
static void stage_cache(const struct slu_cache_use *use, struct slu_buf *out)
{
	head(out, "stage_cache_ranges_total", "counter",
	     "File ranges that stage-in looked up in nodes' stage caches.");
	yes_and_no(out, "stage_cache_ranges_total", "found", use->hits,
		   use->misses);
	head(out, "stage_cache_saved_bytes_total", "counter",
	     "Bytes that stage-in read from nodes' stage caches.");
	slu_buf_printf(out, "sluice_stage_cache_saved_bytes_total %llu\n",
		       (unsigned long long)use->bytes);
}

static void phases(const struct slu_daemon *d, struct slu_buf *out)
{
	const struct slu_phase_use *use = slu_buffers_phases(d->buffers);

	head(out, "phase_seconds", "histogram",
	     "Durations of the phases of buffers.");
	for (size_t i = 0; i < SLU_PHASES; i++)
		phase_histogram(out, slu_phase_name(i), &use[i]);
	phase_counter(out, "phase_failures_total", "Phases that failed.", use,
		      offsetof(struct slu_phase_use, failed), false);
	verdicts(use, out);
	phase_counter(out, "staged_bytes_total", "Bytes staged.", use,
		      offsetof(struct slu_phase_use, bytes), true);
	phase_counter(out, "staged_files_total", "Files staged.", use,
		      offsetof(struct slu_phase_use, files), true);
	stage_cache(&use[SLU_BB_STAGE_IN - 1].cache, out);
}

/* Pools: capacity, free space on nodes, usage by buffers. */
static void pools(struct slu_daemon *d, struct slu_buf *out)
{
	head(out, "pool_bytes", "gauge",
	     "Storage of pools: all, free on the nodes, held by buffers, of "
	     "that filled with data, left by failed stage-outs.");
	for (size_t i = 0; i < d->supply.n_pools; i++) {
		const struct slu_pool_capacity *p = &d->supply.pools[i];

		slu_buf_printf(
			out,
			"sluice_pool_bytes{pool=\"%s\",kind=\"total\"} %llu\n"
			"sluice_pool_bytes{pool=\"%s\",kind=\"free\"} %llu\n"
			"sluice_pool_bytes{pool=\"%s\",kind=\"used\"} %llu\n"
			"sluice_pool_bytes{pool=\"%s\",kind=\"data\"} %llu\n"
			"sluice_pool_bytes{pool=\"%s\",kind=\"kept\"} %llu\n",
			p->name, (unsigned long long)p->total, p->name,
			(unsigned long long)p->available, p->name,
			(unsigned long long)slu_buffers_held(d->buffers,
							     p->name),
			p->name,
			(unsigned long long)slu_buffers_used(d->buffers,
							     p->name),
			p->name, (unsigned long long)p->kept);
	}
}

static void ions(const struct slu_daemon *d, struct slu_buf *out)
{
	if (!d->epoch)
		return;
	one(out, "ion_bandwidth", "gauge",
	    "Predicted bandwidth of the I/O-node assignment, MB/s.",
	    d->epoch->a.total);
	one(out, "ion_bandwidth_static", "gauge",
	    "Predicted bandwidth with policy STATIC, MB/s.",
	    d->epoch->a.static_total);
	one(out, "ion_bandwidth_bound", "gauge",
	    "Upper bound of the bandwidth of any assignment, MB/s.",
	    d->epoch->a.bound);
	if (d->epoch->a.static_total > 0)
		one(out, "ion_gain_ratio", "gauge",
		    "sluice_ion_bandwidth divided by "
		    "sluice_ion_bandwidth_static: predicted, not measured.",
		    d->epoch->a.total / d->epoch->a.static_total);
	one(out, "ion_pool", "gauge", "I/O nodes that can be assigned.",
	    d->epoch->a.pool);
	one(out, "ion_jobs", "gauge", "Jobs in the assignment.",
	    (double)d->epoch->a.n_jobs);
}

/* IOStart: what counts bytes, then what counts metadata operations. */
static const struct {
	const char *name, *type, *help;
} io_metrics[] = {
	{"io_capacity_bytes", "gauge",
	 "Bytes a second that jobs may ask for together (IOBandwidth)."},
	{"io_demand_bytes", "gauge",
	 "Bytes a second that running jobs are estimated to move."},
	{"io_jobs_waiting", "gauge", "Jobs that wait for bandwidth."},
	{"io_waited_total", "counter",
	 "Jobs that started after a wait for bandwidth."},
	{"io_waited_bound_total", "counter",
	 "Jobs that started because they had waited for MaxIOWait."},
	{"io_advised_total", "counter",
	 "Jobs that would have waited (IOStart=advise)."},
	{"io_metadata_capacity_ops", "gauge",
	 "Metadata operations a second that jobs may ask for together "
	 "(IOMetadata)."},
	{"io_metadata_demand_ops", "gauge",
	 "Metadata operations a second that running jobs are estimated to "
	 "ask for."},
	{"io_metadata_jobs_waiting", "gauge",
	 "Jobs that wait for metadata operations."},
};
#define IO_METRICS  (sizeof(io_metrics) / sizeof(*io_metrics))
#define IO_METADATA 6 /* the first of these */

static double io_value(const struct slu_io_use *io, size_t metric)
{
	const double values[IO_METRICS] = {
		io->capacity,	       io->demand,
		io->waiting,	       (double)io->waited,
		(double)io->bound,     (double)io->advised,
		io->metadata_capacity, io->metadata_demand,
		io->metadata_waiting,
	};

	return values[metric];
}

/* A metric of each file system that has such a capacity; with its name where
 * the configuration names it. */
static void io_metric(const struct slu_peer_io *io, size_t metric,
		      struct slu_buf *out)
{
	const char *name = io_metrics[metric].name;
	size_t capacity = metric < IO_METADATA ? 0 : IO_METADATA;
	bool begun = false;

	for (int i = 0; i < SLU_IO_FS; i++) {
		if (!(io_value(&io[i].use, capacity) > 0))
			continue;
		if (!begun)
			head(out, name, io_metrics[metric].type,
			     io_metrics[metric].help);
		begun = true;
		slu_buf_printf(out, "sluice_%s", name);
		if (*io[i].fs)
			slu_buf_printf(out, "{fs=\"%s\"}", io[i].fs);
		slu_buf_printf(out, " %.15g\n", io_value(&io[i].use, metric));
	}
}

/* The state of IOStart, as slurmctld last reported it. */
static void io_use(const struct slu_peer_io *io, struct slu_buf *out)
{
	for (size_t i = 0; i < IO_METRICS; i++)
		io_metric(io, i, out);
}

static void published(const struct slu_metrics *m, struct slu_buf *out)
{
	head(out, "published_total", "counter",
	     "Assignments of I/O nodes, "
	     "by the result of their "
	     "publication.");
	slu_buf_printf(out, "sluice_published_total{result=\"ok\"} %llu\n",
		       (unsigned long long)m->published);
	slu_buf_printf(out, "sluice_published_total{result=\"failed\"} %llu\n",
		       (unsigned long long)m->publish_failed);
	slu_buf_printf(out,
		       "sluice_published_total{result=\"superseded\"} %llu\n",
		       (unsigned long long)m->superseded);
}

static void files(const struct slu_daemon *d, struct slu_buf *out)
{
	struct statvfs fs;
	struct stat st;

	if (stat(d->conf->database, &st) == 0)
		one(out, "database_bytes", "gauge", "Size of the database.",
		    (double)st.st_size);
	if (statvfs(d->conf->database, &fs) == 0)
		one(out, "database_room_bytes", "gauge",
		    "Room on the file system of the database.",
		    (double)fs.f_bavail * (double)fs.f_frsize);
}

/* Findings of `sysquery doctor` that are numbers. */
static void health(const struct slu_daemon *d, struct slu_buf *out)
{
	head(out, "build_info", "gauge",
	     "Always 1; the label is the "
	     "release.");
	slu_buf_puts(out,
		     "sluice_build_info{version=\"" PACKAGE_VERSION "\"} 1\n");
	head(out, "config_good", "gauge",
	     "1; 0: the present sluice.conf could not be used.");
	slu_buf_printf(out,
		       "sluice_config_good{reader=\"sluiced\"} %d\n"
		       "sluice_config_good{reader=\"slurmctld\"} %d\n",
		       !d->conf_bad, !d->peer.conf_wrong);
	one(out, "mapping_good", "gauge",
	    "1; 0: the mapping of I/O nodes could not be published.",
	    !d->publish_wrong);
	one(out, "nodes_drained", "gauge", "Nodes that Sluice has drained.",
	    (double)slu_buffers_drained(d->buffers));
}

/* The inputs that nodes prefetched for waiting jobs. */
static void prestage(const struct slu_prefetch_use *use, struct slu_buf *out)
{
	head(out, "prestage_bytes_total", "counter",
	     "Bytes that were brought to nodes ahead of jobs.");
	yes_and_no(out, "prestage_bytes_total", "used", use->used,
		   use->prefetched - use->used);
}

static void predictions(const struct slu_prediction_use *use,
			struct slu_buf *out)
{
	one(out, "predicted_jobs_total", "counter",
	    "Ended jobs whose run time had been predicted.", (double)use->jobs);
	one(out, "predicted_short_total", "counter",
	    "Jobs with a prediction that ran longer than predicted.",
	    (double)use->longer);
	one(out, "prediction_error_seconds_total", "counter",
	    "Sum of the absolute errors of predicted run times.", use->error);
	one(out, "requested_jobs_total", "counter",
	    "Jobs with a prediction that had requested a limit.",
	    (double)use->asked);
	one(out, "request_error_seconds_total", "counter",
	    "Sum of the differences between requested limit and run time.",
	    use->error_asked);
}

int slu_handle_metrics(struct slu_daemon *d, struct slu_req *req,
		       struct slu_buf *out, struct slu_err *err)
{
	const struct slu_metrics *m = &d->metrics;

	(void)req;
	(void)err;
	one(out, "start_time_seconds", "gauge",
	    "Time when sluiced started "
	    "(Unix seconds).",
	    m->started);
	one(out, "slurmctld_connected", "gauge",
	    "1 while slurmctld is connected.",
	    slu_control_connected(d->control));
	one(out, "commands_pending", "gauge",
	    "Commands that slurmctld has not yet carried out.",
	    (double)slu_control_orders(d->control));
	one(out, "control_queue_bytes", "gauge",
	    "Bytes that slurmctld has not yet read.",
	    (double)slu_control_queued(d->control));
	one(out, "jobs_running", "gauge",
	    "Running jobs, as slurmctld "
	    "reported them.",
	    (double)slu_jobs_running(d->jobs));
	one(out, "connections", "gauge", "Open HTTP connections.",
	    (double)slu_httpd_connections(d->httpd));
	one(out, "parked_requests", "gauge", "Long polls that wait.",
	    (double)slu_longpoll_count(d->longpoll));
	one(out, "questions_waiting", "gauge",
	    "Questions that wait for a process to answer them.",
	    (double)d->questions.waiting);
	health(d, out);
	requests(m, d->routes, out);
	buffers(d, out);
	phases(d, out);
	prestage(slu_buffers_prefetch_use(d->buffers), out);
	pools(d, out);
	one(out, "verdicts_total", "counter",
	    "Jobs that were to be held, requeued or failed.",
	    (double)m->verdicts);
	one(out, "drains_total", "counter", "Nodes that were to be drained.",
	    (double)m->drains);
	published(m, out);
	ions(d, out);
	if (slu_control_connected(d->control))
		io_use(d->peer.io, out);
	predictions(&d->history.predicted, out);
	one(out, "history_stored_total", "counter", "Ended jobs stored.",
	    (double)d->history.stored);
	one(out, "database_failures_total", "counter",
	    "Transactions with nodes' reports that could not be written.",
	    (double)m->lost_turns);
	files(d, out);
	return SLU_ANSWERED;
}

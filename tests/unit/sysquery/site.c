/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Generates the data of the simulated site. The text `hostile` is appended to
 * names, to test that it is escaped. */
#include "config.h"
#include "tests/unit/sysquery/site.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "job_submit/history/job_history.h"
#include "sysmap/database/receive.h"
#include "tests/unit/random.h"

#define MONTH	(30 * 86400)
#define USERS	40
#define PROGRAM 12
#define PER_SW	40 /* hosts of a switch */
#define IONS	32
#define EVERY	8 /* of so many jobs one has a buffer */

struct world {
	struct slu_db *db;
	const struct site *site;
	uint64_t seed;
	struct holder {
		uint32_t job_id;
		int64_t end;
		uint32_t ions;
	} holder[IONS];
};

static uint64_t pick(struct world *w, uint64_t below)
{
	return slu_random(&w->seed, below);
}

/* Around 1, seldom far away. */
static double noise(struct world *w, double spread)
{
	double u = (double)pick(w, 1000000) / 1e6 +
		   (double)pick(w, 1000000) / 1e6 +
		   (double)pick(w, 1000000) / 1e6 - 1.5;

	return exp(u * spread);
}

static const char *hostile(const struct world *w)
{
	return w->site->hostile ? w->site->hostile : "";
}

static char *topology(const struct world *w)
{
	struct slu_buf out = {0};
	uint32_t leaves = (w->site->nodes + PER_SW - 1) / PER_SW;

	slu_buf_puts(&out, "[");
	for (uint32_t i = 0; i < leaves; i++)
		slu_buf_printf(&out,
			       "{\"switch\":\"leaf%02u\",\"level\":0,\"hosts\":"
			       "\"n[%u-%u]\",\"switches\":[\"spine\"]},",
			       i + 1, i * PER_SW + 1, (i + 1) * PER_SW);
	slu_buf_puts(&out, "{\"switch\":\"spine\",\"level\":1,\"hosts\":\"\","
			   "\"switches\":[");
	for (uint32_t i = 0; i < leaves; i++)
		slu_buf_printf(&out, "%s\"leaf%02u\"", i ? "," : "", i + 1);
	slu_buf_puts(&out, "]}]");
	return slu_buf_steal(&out);
}

static int push(struct slu_receiver *r, const char *host, const char *extractor,
		const char *document, int64_t when, struct slu_err *err)
{
	struct json_object *body = json_object_new_object();
	struct json_object *documents = json_object_new_object();
	struct slu_buf reply = {0};
	const char *text;
	int rc;

	slu_json_set_str(body, "host", host);
	slu_json_set_str(documents, extractor, document);
	json_object_object_add(body, "documents", documents);
	text = slu_json_text(body);
	rc = slu_receive_documents_body(r, text, strlen(text), when, &reply,
					err);
	slu_buf_free(&reply);
	json_object_put(body);
	return rc < 0 ? -1 : 0;
}

static int add_hosts(struct world *w, struct slu_err *err)
{
	struct slu_receiver *r = slu_receiver_new(w->db, err);
	char *switches = topology(w), host[32];
	int rc = r && switches ? 0 : -1;

	for (uint32_t i = 1; rc == 0 && i <= w->site->nodes; i++) {
		snprintf(host, sizeof(host), "n%u", i);
		rc = push(r, host, "memoryinfo",
			  i % 37 ? "{\"TotalMemory\":274877906944}"
				 : "{\"TotalMemory\":137438953472}",
			  w->site->now - (i % 101 ? 600 : 259200), err);
	}
	if (rc == 0)
		rc = push(r, "n1", "topology", switches, w->site->now - 600,
			  err);
	slu_receiver_free(r);
	free(switches);
	return rc;
}

static const double hours[PROGRAM] = {0.02, 0.1, 0.25, 0.4, 0.8, 1.2,
				      2,    3,	 5,    8,   14,	 30};

static int add_job(struct world *w, uint32_t id, int64_t start,
		   struct slu_job *job, struct slu_err *err)
{
	uint32_t program = (uint32_t)pick(w, PROGRAM), user;
	double ran, mean = hours[program] * 3600;
	static char name[256], user_name[64], partition[] = "batch";
	static char completed[] = "COMPLETED", timeout[] = "TIMEOUT",
		    from[] = "class";

	user = (uint32_t)pick(w, USERS);
	user = user * user / USERS;
	ran = mean * noise(w, 0.9);
	snprintf(name, sizeof(name), "prog%u%s", program, hostile(w));
	snprintf(user_name, sizeof(user_name), "user%02u", user);
	*job = (struct slu_job){
		.job_id = id,
		.uid = 1000 + user,
		.user = user_name,
		.name = name,
		.partition = partition,
		.node_cnt = 1 + (uint32_t)pick(w, 16),
		.submit = start - 600,
		.start = start,
		.limit_asked = 30 * (1 + (uint32_t)(mean / 900)),
		.predicted = (uint32_t)(mean * noise(w, 0.3)) + 1,
		.predicted_from = from,
		.ion_max = SLU_NO_ID,
		.ions = SLU_NO_ID,
		.array_task_id = SLU_NO_ID,
	};
	job->limit = job->limit_asked;
	if (pick(w, 3) == 0) {
		job->limit = (uint32_t)(mean * 1.8 / 60) + 10;
		job->tightened = job->limit;
	}
	job->state = ran > 60.0 * job->limit ? timeout : completed;
	job->end = start + (int64_t)fmin(ran, 60.0 * job->limit) + 1;
	if (pick(w, 2))
		job->ions = 1 + (uint32_t)pick(w, 4);
	return job->end > w->site->now ? 0 : slu_history_add(w->db, job, err);
}

static int add_io(struct world *w, const struct slu_job *job, double mbps,
		  struct slu_err *err)
{
	struct slu_io_runs runs = {0};
	double bytes = mbps * 1e6 * (double)(job->end - job->start);
	bool whole;
	char node[32];
	struct slu_io_report io = {.job_id = job->job_id,
				   .node = node,
				   .read_bytes = bytes / 3,
				   .written_bytes = bytes * 2 / 3};

	snprintf(node, sizeof(node), "n%u",
		 1 + (uint32_t)pick(w, w->site->nodes));
	return slu_history_io(w->db, &io, job->start, &runs, &whole, err);
}

static int add_line(struct world *w, int64_t buffer, double when, int state,
		    const char *text, struct slu_err *err)
{
	return slu_db_exec(w->db, err,
			   "INSERT INTO BufferHistory (BID, Time, State, Text)"
			   " VALUES (?,?,?,?)",
			   "Idis", buffer, when, state, text) < 0
		       ? -1
		       : 0;
}

static int add_buffer(struct world *w, const struct slu_job *job,
		      struct slu_err *err)
{
	double at[7] = {0,
			(double)job->start - 200,
			(double)job->start,
			(double)job->start + 300 + (double)pick(w, 3000),
			(double)job->end,
			0,
			0};
	double now = (double)w->site->now;
	int last = 1, held = pick(w, 25) == 0, failed = held || !pick(w, 25);
	char why[256];
	int64_t bid;

	at[4] = fmax(at[4], at[3]);
	at[5] = at[4] + 200 + (double)pick(w, 6000);
	at[6] = at[5] + 100;
	while (last < 6 && at[last + 1] <= now)
		last++;
	snprintf(why, sizeof(why),
		 "stage-in failed: /pfs/%s/input%s is not there", job->user,
		 hostile(w));
	if (slu_db_exec(
		    w->db, err,
		    "INSERT INTO Buffer (JobID, Restarts, Uid, User, JobName,"
		    " Name, FileSystem, Driver, Capacity, Nodes, State,"
		    " Created, Since, Failure, FailedIn, FailedAt, Verdict,"
		    " What, Plan) VALUES (?,0,?,?,?,'JOBFS','tmp','local',?,?,"
		    "?,?,?,?,?,?,?,?,'{}')",
		    "IIssIiiddsidii", (int64_t)job->job_id, (int64_t)job->uid,
		    job->user, job->name, (int64_t)1 << (30 + pick(w, 8)),
		    (int)job->node_cnt, last, at[1], at[last],
		    failed ? why : NULL, failed ? 2 : 0,
		    failed ? at[2] + 10 : 0.0, held ? 2 : 0, held ? 1 : 0) < 0)
		return -1;
	bid = slu_db_last_id(w->db);
	for (int s = 1; s <= last; s++)
		if (add_line(w, bid, at[s], s,
			     failed && s == 5 ? why : "as planned", err) < 0)
			return -1;
	if (job->job_id % 1000 == 0 && last == 6)
		return slu_db_exec(w->db, err,
				   "INSERT INTO BufferNode (BID, Position,"
				   " Node, State, Orders) VALUES (?,0,?,4,1)",
				   "Is", bid, "n7") < 0
			       ? -1
			       : 0;
	return 0;
}

static void add_change(struct json_object *list, uint32_t job_id,
		       const char *name, uint32_t ions, double mbps)
{
	struct json_object *one = json_object_new_object();

	slu_json_set_u64(one, "job_id", job_id);
	slu_json_set_str(one, "name", name);
	slu_json_set_u64(one, "ions", ions);
	if (ions)
		slu_json_set_double(one, "bandwidth", mbps);
	json_object_array_add(list, one);
}

static int add_event(struct world *w, int64_t when, const char *event,
		     struct json_object *changes, struct slu_err *err)
{
	double total = 0;

	for (int i = 0; i < IONS; i++)
		total += 400.0 * pow(w->holder[i].ions, 0.7);
	return slu_db_exec(w->db, err,
			   "INSERT INTO Assignment (Epoch, Time, Event, Policy,"
			   " Total, StaticTotal, Json) VALUES (1,?,?,'MCKP',?,"
			   "?,?)",
			   "Isdds", when, event, total, total * 0.8,
			   slu_json_text(changes)) < 0
		       ? -1
		       : 0;
}

/* Those that have ended by then give theirs back. */
static int end_holders(struct world *w, int64_t when, struct slu_err *err)
{
	struct json_object *changes;
	char event[32];
	int rc = 0;

	for (struct holder *h = w->holder; rc == 0 && h < w->holder + IONS;
	     h++) {
		if (!h->ions || h->end > when)
			continue;
		changes = json_object_new_array();
		add_change(changes, h->job_id, NULL, 0, 0);
		snprintf(event, sizeof(event), "end %u", h->job_id);
		h->ions = 0;
		rc = add_event(w, when, event, changes, err);
		json_object_put(changes);
	}
	return rc;
}

static int add_ions(struct world *w, const struct slu_job *job,
		    struct slu_err *err)
{
	double mbps = 400.0 * pow(job->ions, 0.7);
	struct json_object *changes;
	struct holder *h = w->holder;
	char event[32];
	int rc;

	if (end_holders(w, job->start, err) < 0)
		return -1;
	while (h < w->holder + IONS && h->ions)
		h++;
	if (job->ions == SLU_NO_ID || h == w->holder + IONS)
		return 0;
	*h = (struct holder){job->job_id, job->end, job->ions};
	changes = json_object_new_array();
	add_change(changes, job->job_id, job->name, job->ions, mbps);
	snprintf(event, sizeof(event), "start %u", job->job_id);
	rc = add_event(w, job->start, event, changes, err);
	json_object_put(changes);
	if (rc < 0 || job->end > w->site->now)
		return rc;
	return add_io(w, job, mbps * noise(w, 0.6), err);
}

static int add_jobs(struct world *w, struct slu_err *err)
{
	uint32_t n = w->site->jobs;
	struct slu_job job;
	int64_t start;

	for (uint32_t i = 0; i < n; i++) {
		start = w->site->now - MONTH + 3600 +
			(int64_t)i * (MONTH - 3660) / (n ? n : 1);
		if (add_job(w, 1000 + i, start, &job, err) < 0 ||
		    add_ions(w, &job, err) < 0 ||
		    (i % EVERY == 0 && add_buffer(w, &job, err) < 0))
			return -1;
	}
	return 0;
}

int site_fill(struct slu_db *db, const struct site *site, struct slu_err *err)
{
	struct world w = {.db = db, .site = site, .seed = 28};

	if (add_hosts(&w, err) < 0 || slu_db_begin(db, err) < 0)
		return -1;
	if (add_jobs(&w, err) < 0 || slu_db_commit(db, err) < 0) {
		slu_db_rollback(db);
		return -1;
	}
	return 0;
}

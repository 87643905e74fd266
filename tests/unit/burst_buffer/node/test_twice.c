/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests that repeated hooks change nothing: a job with a buffer from its
 * submission to its end, through libsluice, sluiced and sluice-node on two
 * nodes. Its rows and the effects on the job must be the same whether Slurm
 * calls every hook, prolog and epilog once or twice.
 */
#include "config.h"
#include "tests/unit/burst_buffer/node/node_life.h"
#include "tests/unit/ctl/ctl_host.h"

static struct slu_ctl *ctl;
static bool twice;

static void wait_until_done(const char *words)
{
	for (int i = 0; !has_done(words); i++) {
		expect(i < 5000, "no \"%s\" in %.900s", words, host.did);
		usleep(2000);
	}
}

/* A verb on both nodes, which must succeed. */
static void both(const char *verb)
{
	int rc[NODES];

	for (int i = 0; i < NODES; i++)
		node_send(i, run_verb, "%s", verb);
	for (int i = 0; i < NODES; i++) {
		ck_assert(read(node_order_fd[i], &rc[i], sizeof(rc[i])) ==
			  sizeof(rc[i]));
		expect(rc[i] == 0, "%s on n%d: %d", verb, i + 1, rc[i]);
	}
}

/* Hooks, as the plugins call them. */

static void validate(void)
{
	struct slu_ctl_ask ask = {
		.option = request, .uid = NODE_UID, .prolog_flags = true};
	static char *text;

	free(text);
	expect_ok(slu_ctl_validate(ctl, &ask, &text, &err), err);
	ck_assert(slu_ctl_may_start(ctl, text, 1000, (char[SLU_CTL_WHY]){0}));
	if (host_job(JOB)) {
		ck_assert_str_eq(host_job(JOB)->request, text);
		return;
	}
	pthread_mutex_lock(&host_lock);
	host_add((struct slu_job){
		.job_id = JOB,
		.array_task_id = SLU_NO_ID,
		.uid = NODE_UID,
		.gid = NODE_UID,
		.user = (char *)"ann",
		.name = (char *)"twice",
		.nodes = (char *)"n[1-2]",
		.node_cnt = NODES,
		.submit = 1000,
		.start = time(NULL),
		.limit = 10,
		.state = (char *)"RUNNING",
		.request = text,
		.ion_max = SLU_NO_ID,
	});
	pthread_mutex_unlock(&host_lock);
}

static void job_begin(void)
{
	slu_ctl_look(ctl, JOB);
}

static void prolog_slurmctld(void)
{
	bool held;

	say_started(ctl, JOB, &held);
	ck_assert(held); /* there are I/O nodes: until the mapping is there */
}

static void prolog(void)
{
	both("up --job 7");
}

static void start_stage_out(void)
{
	say_ended(ctl, JOB);
}

static void epilog_slurmctld(void)
{
	slu_ctl_look(ctl, JOB);
}

static void epilog(void)
{
	both("down --job 7");
}

/* What Slurm calls more than once comes at once or some time later. */
static void hook(void (*fn)(void))
{
	fn();
	if (twice)
		fn();
	usleep(100000);
	if (twice)
		fn();
}

static void job_is_over(void)
{
	struct slu_job *job = host_job(JOB);

	pthread_mutex_lock(&host_lock);
	set_text(&job->state, "COMPLETED");
	set_text(&job->completing_nodes, job->nodes);
	job->completing = true;
	job->end = job->start + 60;
	pthread_mutex_unlock(&host_lock);
}

static void nodes_are_free(void)
{
	struct slu_job *job = host_job(JOB);

	pthread_mutex_lock(&host_lock);
	job->completing = false;
	set_text(&job->completing_nodes, NULL);
	pthread_mutex_unlock(&host_lock);
}

static const char *const rows[] = {
	"SELECT JobID, Restarts, Uid, User, JobName, Name, FileSystem, Driver,"
	" Capacity, Nodes, State, Success, Requeued, Unlaunched, Failure,"
	" FailedIn, Verdict, What, Broken FROM Buffer ORDER BY BID",
	"SELECT BID, Position, Node, State, Orders, Enforced FROM BufferNode"
	" ORDER BY BID, Position",
	"SELECT BID, State, Text FROM BufferHistory ORDER BY rowid",
	"SELECT BID, Node, Step, Phase, Bytes, Files, TotalBytes, TotalFiles,"
	" Ok, Text FROM BufferPhase ORDER BY BID, Node, Step",
	"SELECT BID, Name FROM BufferGate ORDER BY BID, Name",
	"SELECT JobID, Uid, Name, NodeCnt, State FROM History ORDER BY JobID",
	"SELECT JobID, Node FROM JobIo ORDER BY JobID, Node",
};

static void print_rows(struct slu_db *db, const char *sql, struct slu_buf *out)
{
	struct slu_rows *r = slu_db_query(db, &err, sql, "");

	expect(r, "%s: %s", sql, err.text);
	while (slu_db_step(r, &err) > 0) {
		for (int c = 0; c < slu_db_columns(r); c++)
			slu_buf_printf(out, "%s|",
				       slu_db_text(r, c) ? slu_db_text(r, c)
							 : "");
		slu_buf_puts(out, "\n");
	}
	slu_db_done(r);
}

static bool history_stored(void)
{
	struct slu_db *db = slu_db_open(tmpfile_path("db"), SLU_DB_READ, &err);
	int64_t n = 0;

	expect(db, "%s", err.text);
	expect_ok(slu_db_value(db, &n, 0, &err, "SELECT COUNT(*) FROM History",
			       ""),
		  err);
	slu_db_close(db);
	return n > 0;
}

/* What is left of it all. Caller frees. */
static char *outcome(void)
{
	struct slu_db *db = slu_db_open(tmpfile_path("db"), SLU_DB_READ, &err);
	struct slu_buf out = {0};

	expect(db, "%s", err.text);
	each(sql, rows) print_rows(db, *sql, &out);
	slu_db_close(db);
	return slu_buf_steal(&out);
}

static void connect_slurmctld(void)
{
	char why[SLU_CTL_WHY];

	host.addr = sluiced_addr;
	ctl = slu_ctl_acquire(&fake_ops, tmpfile_path("sluice.conf"));
	ck_assert_ptr_nonnull(ctl);
	slu_ctl_set_prolog_done(ctl, fake_prolog_done);
	slu_ctl_active(ctl);
	for (int i = 0; i < 1000 && !slu_ctl_may_start(ctl, request, 1000, why);
	     i++)
		usleep(5000);
	expect(slu_ctl_may_start(ctl, request, 1000, why), "%.900s", host.log);
}

static void live_and_die(void)
{
	hook(validate);
	hook(job_begin);
	hook(prolog_slurmctld);
	wait_until_done("go 7;");
	hook(prolog);
	wait_until_done("show 7 RUNNING;");
	run_tasks(false);
	job_is_over();
	hook(start_stage_out);
	hook(epilog_slurmctld);
	hook(epilog);
	nodes_are_free();
	wait_until_done("show 7 DONE;");
	for (int i = 0; i < 100 && !history_stored(); i++)
		usleep(50000);
}

/* NULL: nothing can be tested here. */
static char *life(void)
{
	if (!nodes_begin_alone(""))
		return NULL;
	make_input();
	set_request("scratch");
	connect_slurmctld();
	live_and_die();
	expect(!has_done("drain") && !has_done("hold") && !has_done("fail") &&
		       !has_done("requeue"),
	       "%.900s", host.did);
	expect_output(false);
	expect_nothing_left();
	slu_ctl_release(ctl);
	nodes_end();
	return outcome();
}

/* The other life, in a process of its own. */
static void live_once(const char *path)
{
	pid_t pid = fork();
	char *text;

	if (pid) {
		ck_assert_int_eq(sluiced_status(pid), 0);
		return;
	}
	text = life();
	if (text)
		expect_ok(slu_file_write(AT_FDCWD, path, text, strlen(text),
					 0644, false, &err),
			  err);
	exit(0);
}

START_TEST(test_twice)
{
	struct slu_buf once = {0};
	char path[200], *text;

	snprintf(path, sizeof(path), "%s/once", getenv("TMPDIR"));
	live_once(path);
	twice = true;
	text = life();
	if (!text)
		return;
	expect_ok(slu_file_read(AT_FDCWD, path, 1 << 20, &once, &err), err);
	expect(strstr(once.data, "|n2|clean|teardown|"), "%s", once.data);
	expect(strstr(once.data, "7|1000|twice|2|COMPLETED|"), "%s", once.data);
	ck_assert_str_eq(text, once.data);
	slu_buf_free(&once);
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("twice");
	int rc = enter_own_host("twice");

	if (rc)
		return rc;
	add(suite, "twice", test_twice, 1);
	return run_suite(suite);
}

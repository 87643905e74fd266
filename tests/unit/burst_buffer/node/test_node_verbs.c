/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests sluice-node `io` and `cancel`, its handling of job numbers and logs,
 * and `up` on a node that has no part in the file system. */
#include "config.h"
#include "burst_buffer/node/teardown/discard.h"
#include "burst_buffer/node/teardown/down.h"
#include "burst_buffer/node/teardown/leftovers.h"
#include "common/proc.h"
#include "tests/unit/common/munged.h"
#include "tests/unit/burst_buffer/node/node_verbs.h"
#include "burst_buffer/node/instance_name.h"
#include <math.h>

/* io */

static const struct slu_job plain_job = {
	.job_id = 7,
	.uid = 1000,
	.gid = 1000,
	.user = (char *)"ann",
	.nodes = (char *)"n1",
	.node_cnt = 1,
	.submit = 1000,
	.start = 2000,
	.limit = 10,
	.state = (char *)"RUNNING",
};

START_TEST(test_io)
{
	struct slu_job job = plain_job;
	struct slu_history_row *row;
	char *out;

	if (!have_root() || !sluiced_begin())
		return;
	node_begin("");
	ctl_connect();
	ctl_hello(NULL, 0);
	ctl_send(&slu_job_started_desc, &job);
	put("run/io/7", "10 200\n5 50\ntorn\n1 2 3\n");
	put("run/io/8", "1 1\n");
	for (int i = 0; i < 100; i++) { /* until sluiced knows of the job */
		ck_assert_int_eq(run(slu_cmd_io, &out), 0);
		if (!*out)
			break;
		free(out);
		put("run/io/7", "10 200\n5 50\ntorn\n1 2 3\n");
		usleep(20000);
	}
	ck_assert_str_eq(out, "");
	free(out);
	ck_assert_int_ne(access(path_of("run/io/7"), F_OK), 0);
	ck_assert_int_eq(access(path_of("run/io/8"), F_OK), 0);
	job.state = (char *)"COMPLETED";
	job.end = 3000;
	ctl_send(&slu_history_desc, &job);
	row = ctl_expect(&slu_history_row_desc);
	ck_assert_double_eq(row->read_bytes, 15);
	ck_assert_double_eq(row->written_bytes, 250);
	slu_msg_free(&slu_history_row_desc, row);
	ck_assert_int_eq(run(slu_cmd_io, &out), 0); /* nothing to report */
	ck_assert_str_eq(out, "");
	free(out);
	ctl_close();
	sluiced_end();
}
END_TEST

/* Nobody waits for it, and nothing stays. */
START_TEST(test_io_alone)
{
	double start;

	if (!munged_start())
		return;
	node_begin("");
	put("run/io/7", "10 200\n");
	start = slu_now_mono();
	expect_run(slu_cmd_io, 0, "no answer from sluiced");
	ck_assert_double_lt(slu_now_mono() - start, 5);
	ck_assert_int_ne(access(path_of("run/io/7"), F_OK), 0);
	/* a step that went past the kernel: nothing is known or reported */
	put("run/io/7", "10 200\nunknown\n5 5\n");
	expect_run(slu_cmd_io, 0, "");
	ck_assert_int_ne(access(path_of("run/io/7"), F_OK), 0);
}
END_TEST

/* missed: the report is about the present run, and is answered when the job was
 * requeued. */
START_TEST(test_missed)
{
	struct slu_job job = plain_job;
	struct slu_verdict *verdict;
	pid_t pid;
	int status;

	if (!have_root() || !sluiced_begin())
		return;
	node_begin("");
	ctl_connect();
	ctl_hello(NULL, 0);
	pid = fork();
	if (pid == 0) {
		expect_run(slu_cmd_missed_prolog, 0, "run no prolog");
		_exit(0);
	}
	job.request = (char *)"jobfs capacity=1GiB name=JOBFS";
	job.start = time(NULL);
	ctl_send(&slu_job_started_desc, &job);
	verdict = ctl_expect(&slu_requeue_desc);
	expect(strstr(verdict->reason, "n1: slurmd ran no prolog"), "%s",
	       verdict->reason);
	ck_assert_int_eq(waitpid(pid, &status, WNOHANG), 0);
	slu_msg_free(&slu_requeue_desc, verdict);
	job.state = (char *)"PENDING";
	job.end = job.start + 1;
	ctl_send(&slu_job_ended_desc, &job);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ctl_close();
	sluiced_end();
}
END_TEST

/* discard: of this job, and of no other. */
START_TEST(test_discard)
{
	if (!have_root())
		return;
	node_begin("");
	expect_run(slu_cmd_discard, 1, "n1 keeps no data of job 7");
	make_dirs("storage/kept/7.2/fs/data");
	make_dirs("storage/kept/7.3");
	make_dirs("storage/kept/77.4");
	options.dry_run = true;
	expect_run(slu_cmd_discard, 0, "would remove");
	ck_assert(!access(path_of("storage/kept/7.3"), F_OK));
	options.dry_run = false;
	expect_run(slu_cmd_discard, 0, "removed ");
	ck_assert(access(path_of("storage/kept/7.2"), F_OK));
	ck_assert(access(path_of("storage/kept/7.3"), F_OK));
	ck_assert(!access(path_of("storage/kept/77.4"), F_OK));
}
END_TEST

/* cancel */

static void say(uint64_t buffer, const char *step)
{
	char text[200];

	snprintf(text, sizeof(text),
		 "{\"job_id\":7,\"buffer\":%llu,\"node\":\"n1\","
		 "\"step\":\"%s\",\"ok\":true}",
		 (unsigned long long)buffer, step);
	expect(post("/v1/report", text, NULL) == 0, "%s: %s", step, err.text);
}

static uint64_t fetch_buffer(void)
{
	struct slu_buf reply = {0};
	struct slu_plan plan;
	uint64_t buffer;

	expect(post("/v1/plan", "{\"job_id\":7,\"node\":\"n1\"}", &reply) == 0,
	       "%s", err.text);
	expect_ok(slu_decode_text(&slu_plan_desc, reply.data, reply.len, &plan,
				  &err),
		  err);
	buffer = plan.buffer;
	slu_msg_clear(&slu_plan_desc, &plan);
	slu_buf_free(&reply);
	return buffer;
}

/* Of data that was spread over two devices, one of which is not mounted now,
 * what is there is copied, and the rest is not passed over in silence. */
START_TEST(test_fetch_devices)
{
	char text[600];

	if (!have_root())
		return;
	node_begin("");
	make_dirs("storage/kept/7.3/fs/brick/data");
	put("storage/kept/7.3/fs/brick/data/a", "x");
	snprintf(text, sizeof(text), "%s/storage\n%s/other\n", tmpdir(),
		 tmpdir());
	put("storage/kept/7.3/devices", text);
	snprintf(text, sizeof(text), "%s/to", tmpdir());
	options.to = text;
	expect_run(slu_cmd_fetch, 1, "/other/kept/7.3: is the device mounted?");
	ck_assert(!access(path_of("to/a"), F_OK));
	make_dirs("other/kept/7.3");
	expect_run(slu_cmd_fetch, 0, "1 files");
}
END_TEST

START_TEST(test_cancel)
{
	struct slu_job job = plain_job;
	struct slu_verdict *verdict;
	uint64_t buffer;

	if (!have_root() || !sluiced_begin())
		return;
	node_begin("");
	ctl_connect();
	ctl_hello(NULL, 0);
	expect_run(slu_cmd_cancel, 1, "cancel: job 7 has no file system");
	job.request = (char *)"jobfs capacity=1GiB name=JOBFS; stage_out "
			      "source=$BB_JOBFS destination=/dst";
	job.start = time(NULL);
	ctl_send(&slu_job_started_desc, &job);
	buffer = fetch_buffer();
	say(buffer, "ready");
	expect_run(slu_cmd_cancel, 1, "scancel ends a job");
	job.state = (char *)"COMPLETED";
	job.end = job.start + 1;
	ctl_send(&slu_job_ended_desc, &job);
	say(buffer, "down");
	expect_run(
		slu_cmd_cancel, 0,
		"stage-out of job 7 is cancelled; the data is kept on n1 for");
	verdict = ctl_expect(&slu_fail_desc);
	expect(strstr(verdict->reason, "cancelled by"), "%s", verdict->reason);
	slu_msg_free(&slu_fail_desc, verdict);
	ctl_done(true);
	say(buffer, "stopped");
	say(buffer, "clean");
	/* On a node without the data the answer says where it is. */
	options.to = (char *)"/tmp";
	expect_run(slu_cmd_fetch, 1,
		   "fetch: n1 keeps no data of job 7: the data is kept on n1 "
		   "for 2-00:00:00: srun -N1 -w n1 sluice-node fetch 7 DIR");
	ctl_close();
	sluiced_end();
}
END_TEST

/* up */

/* Its tasks are refused with that sentence: the job goes on, and `down` takes
 * away what is noted. */
START_TEST(test_no_part)
{
	struct slu_job job = plain_job;
	struct slu_buf text = {0};

	if (!have_root() || !sluiced_begin())
		return;
	node_begin("");
	ctl_connect();
	ctl_hello(NULL, 0);
	job.request = (char *)"jobfs capacity=1GiB name=JOBFS";
	job.nodes = (char *)"n2";
	job.start = time(NULL);
	ctl_send(&slu_job_started_desc, &job);
	expect_run(slu_cmd_up, 0, "n1 has no part in the file system of job 7");
	expect_ok(slu_file_read(AT_FDCWD, path_of("run/7/refused"), 1000, &text,
				&err),
		  err);
	ck_assert_ptr_nonnull(strstr(text.data, "has no part"));
	slu_buf_free(&text);
	expect_run(slu_cmd_down, 0, "");
	ck_assert_int_ne(access(path_of("run/7"), F_OK), 0);
	ctl_close();
	sluiced_end();
}
END_TEST

START_TEST(test_job_number)
{
	static const struct {
		const char *text;
		uint32_t want; /* 0: it is none */
	} cases[] = {{"12", 12},	{"4294967294", 4294967294},
		     {"4294967295", 0}, {"4294967297", 0},
		     {"12x", 0},	{"0", 0},
		     {"-1", 0},		{"", 0}};

	each(c, cases)
	{
		uint32_t job = 0;

		ck_assert_int_eq(slu_node_parse_job(c->text, &job),
				 c->want ? 0 : -1);
		ck_assert_uint_eq(job, c->want);
	}
}
END_TEST

/* The log names files of all users' jobs, so only root may read it. */
START_TEST(test_log_private)
{
	struct slu_node n;
	struct stat st;

	node_begin("");
	umask(022);
	options.log = path_of("node.log");
	expect_ok(slu_node_open(&n, &options, &err), err);
	slu_node_close(&n);
	ck_assert(!stat(path_of("node.log"), &st));
	ck_assert_int_eq(st.st_mode & 0777, 0600);
}
END_TEST

static int opens(const char *mistake)
{
	static char text[2048];
	struct slu_node n;
	int rc;

	snprintf(text, sizeof(text), "%s  rundir = %s/run # notes\n%s",
		 "NodeStorage=auto\n", tmpdir(), mistake);
	put("node.conf", text);
	rc = slu_node_open(&n, &options, &err);
	if (!rc)
		ck_assert_str_eq(n.conf->node_storage, path_of("storage"));
	slu_node_close(&n);
	return rc;
}

/* Of a sluice.conf that has become bad what was read before stays. */
START_TEST(test_bad_conf)
{
	static const char *const mistakes[] = {"PredictQuantile=2\n",
					       "OfNextYear=yes\n", "what\n",
					       "RunDirs=/run\n"};
	struct slu_buf log = {0};
	struct slu_node n;
	struct slu_err bad;
	char path[PATH_MAX];

	if (!have_root())
		return;
	node_begin("");
	slu_copy(path, sizeof(path), path_of("node.log"));
	options.log = path;
	expect_ok(slu_node_open(&n, &options, &err), err);
	slu_node_close(&n);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(opens(mistakes[i]), 0);
	expect_ok(slu_file_read(AT_FDCWD, options.log, 4096, &log, &err), err);
	ck_assert_ptr_nonnull(
		strstr(log.data, "the configuration of before stays: "));
	expect(strstr(log.data, "node.conf:3: PredictQuantile"), "%s",
	       log.data);
	slu_buf_free(&log);
	ck_assert_int_eq(opens(mistakes[3]), -1); /* where is it? */
	options.strict = true;
	ck_assert_int_eq(opens(mistakes[0]), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "PredictQuantile"));
	options.strict = false;
	unlink(path_of("node.conf"));
	ck_assert_ptr_null(slu_node_conf(path_of("node.conf"), &bad));
	ck_assert_int_eq(bad.kind, SLU_NOTFOUND);
	unlink(path_of("run/sluice.conf"));
	ck_assert_int_eq(opens(mistakes[0]), -1); /* there was none before */
}
END_TEST

/* A job's log does not grow for ever, and does not end without a word: what
 * went wrong at a late end is still in it. */
START_TEST(test_job_log)
{
	char path[PATH_MAX];
	struct slu_buf text = {0};
	struct slu_node n = {.job_id = 7, .name = "n1"};
	size_t len;

	slu_copy(path, sizeof(path), path_of("job.log"));
	n.job_log = fopen(path, "a");
	n.log = (struct slu_log){.fn = slu_log_to_file,
				 .arg = fopen("/dev/null", "w"),
				 .max = SLU_INFO};
	for (int i = 0; i < 6000; i++)
		slu_node_log(&n, SLU_INFO, "%0100d", i);
	slu_node_log(&n, SLU_ERROR, "refused: %s", "the destination is full");
	expect_ok(slu_file_read(AT_FDCWD, path, 1 << 22, &text, &err), err);
	ck_assert_uint_lt(text.len, 300 << 10);
	len = strlen("the destination is full\n");
	ck_assert_str_eq(text.data + text.len - len,
			 "the destination is full\n");
	ck_assert_ptr_nonnull(strstr(text.data, "only in the node's log"));
	ck_assert_ptr_null(
		strstr(strstr(text.data, "only in the node's log") + 1,
		       "only in the node's log"));
	slu_buf_free(&text);
	for (int i = 0; i < 6000; i++)
		slu_node_log(&n, SLU_ERROR, "%0100d", i);
	expect_ok(slu_file_read(AT_FDCWD, path, 1 << 22, &text, &err), err);
	ck_assert_uint_lt(text.len, 600 << 10);
	slu_buf_free(&text);
	fclose(n.log.arg);
	fclose(n.job_log);
}
END_TEST

START_TEST(test_instance_names)
{
	static const struct {
		const char *name;
		bool is;
	} cases[] = {
		{"7.1", true},	  {"4294967295.18446744073709551615", true},
		{"0.0", false},	  {"0.7", false}, /* probe's own */
		{"7", false},	  {"7.", false},
		{"7.1x", false},  {"kept", false},
		{"-7.1", false},  {"4294967296.1", false},
		{"7.1.2", false}, {"", false},
	};

	each(c, cases)
	{
		uint32_t job;
		uint64_t buffer;

		expect(!slu_instance_parse(c->name, &job, &buffer) == c->is,
		       "%s", c->name);
	}
}
END_TEST

TEST_MAIN("node_verbs", test_log_private, test_bad_conf, test_job_log,
	  test_job_number, test_io, test_io_alone, test_missed, test_discard,
	  test_fetch_devices, test_cancel, test_no_part, test_instance_names)

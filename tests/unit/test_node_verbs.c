/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The subcommands of sluice-node for people, and `io`: with a sluiced of the
 * test's own, and with a node that is a few directories. */
#include "config.h"
#include "burst_buffer/node/leftovers.h"
#include "burst_buffer/node/verbs.h"
#include "common/file.h"
#include "common/jsonx.h"
#include "common/proc.h"
#include "tests/unit/munged.h"
#include "tests/unit/sluiced.h"
#include <math.h>
#include <pwd.h>
#include <sys/file.h>

static struct slu_node_options options;

static const char *path_of(const char *name)
{
	return tmpfile_path(name);
}

static void put(const char *name, const char *text)
{
	expect_ok(slu_file_write(AT_FDCWD, path_of(name), text, strlen(text),
				 0644, false, &err),
		  err);
}

static void make_dirs(const char *name)
{
	expect_ok(slu_mkdirs(path_of(name), 0755, &err), err);
}

typedef int verb_f(struct slu_node *n);

/* Run a subcommand as the program does; what it prints comes in *out. */
static int run(verb_f *verb, char **out)
{
	int code = -1, keep[2] = {dup(1), dup(2)};
	struct slu_buf text = {0};
	struct slu_node n;

	fflush(stdout);
	fflush(stderr);
	ck_assert_ptr_nonnull(freopen(path_of("printed"), "w", stdout));
	dup2(fileno(stdout), 2);
	if (!slu_node_open(&n, &options, &err))
		code = verb(&n);
	slu_node_close(&n);
	fflush(stdout);
	dup2(keep[0], 1);
	dup2(keep[1], 2);
	close(keep[0]);
	close(keep[1]);
	slu_file_read(AT_FDCWD, path_of("printed"), 1 << 20, &text, &err);
	*out = slu_buf_steal(&text);
	return code;
}

/* The same where only the exit code and some words matter. */
static void expect_run(verb_f *verb, int want, const char *words)
{
	char *out;
	int code = run(verb, &out);

	expect(code == want && strstr(out, words), "%d, \"%s\" without \"%s\"",
	       code, out, words);
	free(out);
}

/* A node n1 in a directory. */
static void node_begin(const char *more)
{
	char text[1024];

	snprintf(text, sizeof(text),
		 "RunDir=%s/run\nNodeStorage=%s/storage\nSlurmUser=%s\n"
		 "DaemonAddr=127.0.0.1:%u\nFileSystem=fs Driver=scratch\n%s",
		 tmpdir(), tmpdir(), getpwuid(getuid())->pw_name,
		 sluiced_port ? sluiced_port : 1, more);
	put("node.conf", text);
	setenv("SLUICE_CONF", path_of("node.conf"), 1);
	setenv("SLURMD_NODENAME", "n1", 1);
	chmod(tmpdir(), 0755);
	options = (struct slu_node_options){.job_id = 7, .log = "-"};
	make_dirs("run/io");
}

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
	ck_assert_int_eq(run(slu_cmd_io, &out), 0); /* nothing to tell */
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

/* status */

static const char plan[] =
	"{\"buffer\":3,\"job_id\":7,\"uid\":1000,\"gid\":1000,"
	"\"name\":\"JOBFS\",\"fs\":\"fs\",\"driver\":\"scratch\","
	"\"node\":[{\"name\":\"n1\",\"addr\":\"n1\",\"storage\":\"/s\","
	"\"capacity\":5}]}";

static struct json_object *status(int want)
{
	struct json_object *rows;
	char *out;
	int code;

	options.json = true;
	code = run(slu_cmd_status, &out);
	expect(code == want, "%d: %s", code, out);
	rows = slu_json_parse(strchr(out, '['), strlen(strchr(out, '[')), &err);
	expect(rows, "%s: %s", out, err.text);
	free(out);
	return rows;
}

/* Row i as compact JSON, in a static buffer. */
static const char *row_text(struct json_object *rows, size_t i)
{
	static char text[2048];

	snprintf(text, sizeof(text), "%s",
		 slu_json_text(json_object_array_get_idx(rows, i)));
	return text;
}

static void expect_words(const char *text, const char *const *words)
{
	for (; *words; words++)
		expect(strstr(text, *words), "no %s in %s", *words, text);
}

static void expect_one_row(int code, const char *const *words)
{
	struct json_object *rows = status(code);

	ck_assert_uint_eq(json_object_array_length(rows), 1);
	expect_words(row_text(rows, 0), words);
	json_object_put(rows);
}

START_TEST(test_status_buffer)
{
	struct slu_pid self;
	struct json_object *rows;

	node_begin("");
	rows = status(0);
	ck_assert_uint_eq(json_object_array_length(rows), 0);
	json_object_put(rows);
	make_dirs("run/7/wd");
	make_dirs("storage/7.3");
	put("run/7/plan.json", plan);
	expect_one_row(0, (const char *const[]){"\"what\":\"buffer\"",
						"\"job\":7", "\"buffer\":3",
						"\"JOBFS\"", "\"capacity\":5",
						"\"unfinished\"", NULL});
	ck_assert_int_eq(slu_pid_get(getpid(), &self, &err), 0);
	slu_pid_write(path_of("run/7/up.pid"), &self, &err);
	put("run/7/wd/brick.pid", "1\n");
	put("run/7/wd/client.pid", "999999999\n");
	expect_one_row(0, (const char *const[]){"coming up", "brick 1",
						"client gone", NULL});
	put("run/7/env", "BB_JOBFS=/x\n");
	expect_one_row(0, (const char *const[]){"\"ready\"", NULL});
	expect_one_row(0, (const char *const[]){"up ", NULL});
	self.start++; /* somebody else has this number now */
	slu_pid_write(path_of("run/7/up.pid"), &self, &err);
	slu_pid_write(path_of("run/7/watch.pid"), &self, &err);
	rows = status(0);
	ck_assert_ptr_null(strstr(row_text(rows, 0), "up "));
	ck_assert_ptr_nonnull(strstr(row_text(rows, 0), "watch gone"));
	json_object_put(rows);
	put("run/7/refused", "it could not be made\n");
	expect_one_row(0,
		       (const char *const[]){"\"refused\"",
					     "it could not be made\"", NULL});
	put("run/7/result", "/x is in use\n");
	expect_one_row(0, (const char *const[]){"not cleaned", NULL});
}
END_TEST

START_TEST(test_status_storage)
{
	struct json_object *rows;
	static const char *const kept[] = {"\"kept\"", "\"job\":5",
					   "\"until\":1234567890", NULL};
	static const char *const left[] = {"\"leftover\"", "\"job\":9",
					   "\"buffer\":12", NULL};

	node_begin("");
	make_dirs("storage/kept/5.2");
	put("storage/kept/5.2/until", "1234567890\n");
	make_dirs("storage/kept/not.ours");
	expect_one_row(0, kept);
	make_dirs("storage/9.12");
	make_dirs("storage/lost+found");
	rows = status(1);
	ck_assert_uint_eq(json_object_array_length(rows), 2);
	expect_words(row_text(rows, 1), left);
	json_object_put(rows);
	options.json = false;
	expect_run(slu_cmd_status, 1, "leftover");
}
END_TEST

/* What there is of kept data; what its owner has removed is not. */
START_TEST(test_kept_names)
{
	static const char *const dirs[] = {
		"storage/kept/1.2/fs/data/sub", "storage/kept/3.40/fs/data",
		"storage/kept/5.6/fs/brick",	"storage/kept/7.8/fs",
		"storage/kept/9.10/fs/data",	"storage/kept/not.ours/fs",
		"storage/11.12/fs/data/sub",
	};
	struct slu_node n;
	char *names;

	node_begin("");
	expect_ok(slu_node_open(&n, &options, &err), err);
	names = slu_kept_names(n.conf);
	ck_assert_str_eq(names, "");
	free(names);
	each(dir, dirs) make_dirs(*dir);
	put("storage/kept/9.10/image", "");
	names = slu_kept_names(n.conf);
	ck_assert_str_eq(names, "1.2 5.6 9.10");
	free(names);
	slu_node_close(&n);
}
END_TEST

/* fetch */

#define OWNER 4321

static void give(const char *name)
{
	ck_assert_int_eq(lchown(path_of(name), OWNER, OWNER), 0);
}

static void kept_file(const char *name, const char *text)
{
	put(name, text);
	give(name);
}

static void expect_text(const char *name, const char *want)
{
	struct slu_buf text = {0};
	struct stat st;

	expect_ok(slu_file_read(AT_FDCWD, path_of(name), 100, &text, &err),
		  err);
	ck_assert_str_eq(text.data, want);
	ck_assert_int_eq(stat(path_of(name), &st), 0);
	ck_assert_uint_eq(st.st_uid, OWNER);
	slu_buf_free(&text);
}

static void fetch_to(const char *name)
{
	static char to[256];

	snprintf(to, sizeof(to), "%s/%s", tmpdir(), name);
	options.to = to;
}

/* Data of its own, of a node. */
START_TEST(test_fetch)
{
	if (!have_root())
		return;
	node_begin("");
	fetch_to("home/got");
	make_dirs("home");
	expect_run(slu_cmd_fetch, 1, "n1 keeps no data of job 7");
	make_dirs("storage/kept/7.2/fs/data");
	make_dirs("storage/kept/7.30/fs/data/sub");
	make_dirs("storage/kept/77.31/fs/data");
	kept_file("storage/kept/7.30/fs/data/a", "all of a");
	kept_file("storage/kept/7.30/fs/data/sub/b", "all of b");
	give("storage/kept/7.30/fs/data/sub");
	give("storage/kept/7.30/fs/data");
	expect_run(slu_cmd_fetch, 1, "Permission denied"); /* not root's word */
	give("home");
	expect_run(slu_cmd_fetch, 0, "2 files, 16");
	expect_text("home/got/n1/a", "all of a");
	expect_text("home/got/n1/sub/b", "all of b");
	expect_run(slu_cmd_fetch, 0, "2 files, 16"); /* again */
	ck_assert(!chdir(path_of("home")));
	options.to = "here";
	expect_run(slu_cmd_fetch, 0, "home/here/n1");
	expect_text("home/here/n1/a", "all of a");
}
END_TEST

/* A part of a common name space, with what only bricks have. */
START_TEST(test_fetch_brick)
{
	if (!have_root())
		return;
	node_begin("");
	make_dirs("storage/kept/7.3/fs/brick/.glusterfs");
	make_dirs("storage/kept/7.3/fs/brick/data");
	kept_file("storage/kept/7.3/fs/brick/data/a", "all of a");
	kept_file("storage/kept/7.3/fs/brick/data/link", "");
	chmod(path_of("storage/kept/7.3/fs/brick/data/link"), 01000);
	give("storage/kept/7.3/fs/brick/data");
	make_dirs("home");
	give("home");
	fetch_to("home/got");
	expect_run(slu_cmd_fetch, 0, "1 files, 8");
	expect_text("home/got/a", "all of a");
	ck_assert_int_ne(access(path_of("home/got/link"), F_OK), 0);
	make_dirs("storage/kept/7.3/fs/brick/.shard/x");
	expect_run(slu_cmd_fetch, 1, "in pieces");
}
END_TEST

/* Users: the owner may, others may not. */
START_TEST(test_fetch_as_user)
{
	if (!have_root())
		return;
	node_begin("");
	make_dirs("storage/kept/7.3/fs/data");
	chmod(path_of("storage/kept"), 0755);
	kept_file("storage/kept/7.3/fs/data/a", "all of a");
	give("storage/kept/7.3/fs/data");
	chmod(path_of("storage/kept/7.3/fs/data"), 0700);
	make_dirs("home");
	give("home");
	put("printed", "");
	chmod(path_of("printed"), 0666);
	fetch_to("home/got");
	ck_assert_int_eq(seteuid(OWNER + 1), 0);
	expect_run(slu_cmd_fetch, 1, "not yours");
	ck_assert_int_eq(seteuid(0), 0);
	ck_assert_int_eq(setresuid(OWNER, OWNER, OWNER), 0);
	expect_run(slu_cmd_fetch, 0, "1 files");
	expect_text("home/got/n1/a", "all of a");
}
END_TEST

/* probe: this machine may lack much; what is seen must be told. */

static const char *find_row(struct json_object *rows, const char *check)
{
	const char *name;

	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);

		if (!slu_json_str(row, "check", &name, NULL) &&
		    !strcmp(name, check))
			return slu_json_text(row);
	}
	return "";
}

static struct json_object *probe(int *code)
{
	struct json_object *rows;
	char *out;

	options.json = true;
	*code = run(slu_cmd_probe, &out);
	rows = slu_json_parse(out, strlen(out), &err);
	expect(rows, "%s", out);
	free(out);
	return rows;
}

START_TEST(test_probe)
{
	struct json_object *rows;
	char *out;
	int code;

	if (!sluiced_begin())
		return;
	node_begin("FileSystem=odd Driver=floppy\n");
	rows = probe(&code);
	ck_assert_int_eq(code, 1); /* there is no such driver */
	ck_assert_ptr_nonnull(strstr(find_row(rows, "FileSystem fs"), "ok"));
	ck_assert_ptr_nonnull(
		strstr(find_row(rows, "FileSystem odd"), "no driver floppy"));
	ck_assert_ptr_nonnull(strstr(find_row(rows, "munge"), "ok"));
	ck_assert_ptr_nonnull(strstr(find_row(rows, "sluiced"), "answers"));
	ck_assert_ptr_nonnull(strstr(find_row(rows, "clock"), "ok"));
	ck_assert_ptr_nonnull(strstr(find_row(rows, "storage"), "/storage"));
	json_object_put(rows);
	options.json = false;
	run(slu_cmd_probe, &out);
	ck_assert_ptr_nonnull(strstr(out, "result"));
	free(out);
	sluiced_end();
}
END_TEST

/* Another probe tries the storage first. */
START_TEST(test_probe_turn)
{
	char path[PATH_MAX], c;
	struct json_object *rows;
	int code, fd[2];
	pid_t child;

	slu_cred_socket("/nonexistent");
	node_begin("");
	make_dirs("storage");
	snprintf(path, sizeof(path), "%s/storage", tmpdir());
	ck_assert(!pipe(fd));
	child = fork();
	if (!child) {
		int dir = open(path, O_RDONLY | O_DIRECTORY);

		if (dir < 0 || flock(dir, LOCK_EX) || write(fd[1], "x", 1) != 1)
			_exit(1);
		usleep(500000);
		_exit(0);
	}
	ck_assert_int_eq(read(fd[0], &c, 1), 1);
	rows = probe(&code);
	expect(strstr(find_row(rows, "storage"), "enforced by"), "%s",
	       find_row(rows, "storage"));
	json_object_put(rows);
	ck_assert_int_eq(waitpid(child, &code, 0), child);
	ck_assert_int_eq(code, 0);
	close(fd[0]);
	close(fd[1]);
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

static int count_rows(struct json_object *rows, const char *words)
{
	int n = 0;

	for (size_t i = 0; i < json_object_array_length(rows); i++)
		n += strstr(slu_json_text(json_object_array_get_idx(rows, i)),
			    words) != NULL;
	return n;
}

/* What storage= names is tried, too; NodeStorage, where it is used. */
START_TEST(test_probe_storages)
{
	static const struct {
		bool all;
		int node_storage;
	} cases[] = {{false, 1}, {true, 0}};
	char text[1500];
	struct json_object *rows;
	int code;

	slu_cred_socket("/nonexistent");
	put("file", "");
	make_dirs("other");
	each(c, cases)
	{
		snprintf(text, sizeof(text),
			 "FileSystem=a Driver=scratch storage=%s/other\n"
			 "FileSystem=b Driver=scratch storage=%s/file/x\n"
			 "Profile=p type=a storage=%s/other\n",
			 tmpdir(), tmpdir(), tmpdir());
		node_begin(text);
		if (c->all) {
			snprintf(text + strlen(text),
				 sizeof(text) - strlen(text),
				 "RunDir=%s/run\nNodeStorage=auto\n"
				 "DaemonAddr=127.0.0.1:1\n",
				 tmpdir());
			put("node.conf", text);
		}
		rows = probe(&code);
		ck_assert_int_eq(code, 1);
		ck_assert_int_eq(count_rows(rows, "/storage,"),
				 c->node_storage);
		ck_assert_int_eq(count_rows(rows, "/other,"), 1);
		ck_assert_int_eq(count_rows(rows, "/file/x"), 1);
		ck_assert_int_eq(count_rows(rows, "NodeStorage"), 0);
		json_object_put(rows);
	}
}
END_TEST

START_TEST(test_probe_alone)
{
	struct json_object *rows;
	int code;

	slu_cred_socket("/nonexistent");
	node_begin("");
	rows = probe(&code);
	ck_assert_int_eq(code, 1);
	ck_assert_ptr_nonnull(strstr(find_row(rows, "munge"), "bad"));
	ck_assert_ptr_nonnull(strstr(find_row(rows, "sluiced"), "bad"));
	json_object_put(rows);
}
END_TEST

TEST_MAIN("node_verbs", test_job_log, test_job_number, test_io, test_io_alone,
	  test_cancel, test_status_buffer, test_status_storage, test_kept_names,
	  test_fetch, test_fetch_brick, test_fetch_as_user, test_probe,
	  test_probe_alone, test_probe_storages, test_probe_turn,
	  test_instance_names)

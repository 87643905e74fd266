/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests sluice-node status and fetch. */
#include "config.h"
#include "common/jsonx.h"
#include "common/proc.h"
#include "tests/unit/burst_buffer/node/node_verbs.h"

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
	self.start++; /* another process has this number now */
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

/* As other tables: on a terminal of 80 columns no line is longer. */
START_TEST(test_status_width)
{
	bool fits = true;
	char *out;

	node_begin("");
	expect_run(slu_cmd_status, 0, "nothing of ours is on this node");
	make_dirs("run/7/wd");
	put("run/7/plan.json", plan);
	put("run/7/wd/brick.pid", "1\n");
	put("run/7/wd/client.pid", "999999999\n");
	put("run/7/result", "/x is in use by somebody who has been there for "
			    "as long as anybody can remember\n");
	options.json = false;
	setenv("COLUMNS", "80", 1);
	run(slu_cmd_status, &out);
	for (char *line, *rest = out; (line = strsep(&rest, "\n"));)
		fits &= strlen(line) <= 80;
	expect(fits, "too wide");
	free(out);
	expect_run(slu_cmd_status, 0, "(--wide also shows ");
	expect_run(slu_cmd_status, 0, "not cleaned");
	options.wide = true;
	expect_run(slu_cmd_status, 0, "client gone");
	unsetenv("COLUMNS");
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

TEST_MAIN("node_status", test_status_buffer, test_status_storage,
	  test_status_width, test_kept_names, test_fetch, test_fetch_brick,
	  test_fetch_as_user)

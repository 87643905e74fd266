/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests sluice-node probe: this machine may lack much, but what is found must
 * be reported. */
#include "config.h"
#include "burst_buffer/node/probe/probe.h"
#include "common/jsonx.h"
#include "tests/unit/burst_buffer/node/node_verbs.h"
#include <sys/file.h>

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

	setenv("MUNGED_OPTION", "--origin=127.0.1.1", 1);
	if (!sluiced_begin())
		return;
	node_begin("FileSystem=odd Driver=floppy\n");
	rows = probe(&code);
	ck_assert_int_eq(code, 1); /* there is no such driver */
	ck_assert_ptr_nonnull(strstr(find_row(rows, "FileSystem fs"), "ok"));
	ck_assert_ptr_nonnull(
		strstr(find_row(rows, "FileSystem odd"), "no driver floppy"));
	ck_assert_ptr_nonnull(strstr(find_row(rows, "munge"), "ok"));
	ck_assert_ptr_nonnull(strstr(find_row(rows, "address"), "127.0.1.1"));
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

TEST_MAIN("node_probe", test_probe, test_probe_alone, test_probe_storages,
	  test_probe_turn)

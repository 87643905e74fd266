/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the files with the mapping of compute nodes to I/O nodes: written,
 * changed and removed. */
#include "tests/unit/sluiced/map_dir.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/file.h"
#include "common/str.h"
#include "sluiced/publication/mapfiles.h"

/* Beside mapping.json. */
static int files(void)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int n = 0;

	while ((e = readdir(d)))
		n += strcmp(e->d_name, "mapping.json") != 0;
	closedir(d);
	return n - 2;
}

static bool is_direct(uint32_t job_id)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%u.direct", dir, job_id);
	return access(path, F_OK) == 0;
}

static void set_pool(struct slu_epoch *e, const char *ions)
{
	free(e->a.ions);
	e->a.ions = strdup(ions);
}

/* Nobody is left with an I/O node that is not any more. */
START_TEST(test_smaller_pool)
{
	static const char *const pools[] = {"ion[1-3]", "ion[1-2]", ""};
	static const char *const want[] = {"n2 0\n", "n2 1\n", "n2 3\n"};
	static const char *const i_some[] = {"ion1", ""};
	static const char *const i_none[] = {"", ""};
	struct slu_epoch *a;

	for (size_t i = 0; i < 3; i++) {
		static const char *const names[] = {"less", "two", "none"};
		static const char *const i14[] = {"ion1", "ion4"};
		struct slu_epoch *b = EPOCH(2, j12, i_some);

		a = EPOCH(1, j12, i14);
		make_dir(names[i]);
		expect_ok(slu_publish_files(dir, NULL, a, &err), err);
		ck_assert_str_eq(text(2), "n2 3\n");
		if (!*pools[i]) {
			slu_epoch_unref(b);
			b = EPOCH(2, j12, i_none);
		}
		set_pool(b, pools[i]);
		expect_ok(slu_publish_files(dir, a, b, &err), err);
		expect(slu_eq(text(2), want[i]), "%s: %s", pools[i], text(2));
		ck_assert(is_direct(2));
		ck_assert_int_eq(is_direct(1), !*pools[i]);
		ck_assert_str_eq(text(1), "n1 0\n");
		slu_epoch_unref(a);
		slu_epoch_unref(b);
	}
}
END_TEST

START_TEST(test_files_follow_assignments)
{
	struct slu_epoch *a = EPOCH(1, j12, i12), *b = EPOCH(2, j23, i34);
	struct slu_epoch *c = EPOCH(3, j23, i_direct);
	struct stat st;
	char path[256];

	make_dir("files");
	expect_ok(slu_publish_files(dir, NULL, a, &err), err);
	ck_assert_str_eq(text(1), "n1 0\n");
	ck_assert_str_eq(text(2), "n2 1\n");
	snprintf(path, sizeof(path), "%s/1.map", dir);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0644);
	expect_ok(slu_publish_files(dir, a, b, &err), err);
	ck_assert_str_eq(text(1), "");
	ck_assert_str_eq(text(2), "n2 2\n");
	ck_assert_str_eq(text(3), "n3 3\n");
	/* Direct access: no new file, but the old one has readers; who begins
	 * now is told. */
	expect_ok(slu_publish_files(dir, b, c, &err), err);
	ck_assert_str_eq(text(2), "n2 0\n");
	ck_assert_str_eq(text(3), "n3 3\n");
	ck_assert(is_direct(3) && !is_direct(2));
	expect_ok(slu_publish_files(dir, c, b, &err), err);
	ck_assert(!is_direct(3));
	expect_ok(slu_publish_files(dir, b, c, &err), err);
	expect_ok(slu_publish_files(dir, c, a, &err), err);
	ck_assert_str_eq(text(3), "");
	ck_assert(!is_direct(3));
	expect_ok(slu_publish_files(dir, a, c, &err), err);
	ck_assert_str_eq(text(3), "");
	ck_assert_int_eq(files(), 1);
	slu_epoch_unref(a);
	slu_epoch_unref(b);
	slu_epoch_unref(c);
}
END_TEST

/* Files that an earlier daemon left are removed, also partly written ones;
 * other files stay. */
START_TEST(test_unknown_past)
{
	static const char *const halves[] = {
		"past/99.map.0123abcd", "past/1.direct.0123abcd",
		"past/mapping.json.0123abcd", "past/nodes/n1.map.0123abcd"};
	struct slu_epoch *a = EPOCH(1, j12, i12);

	make_dir("past");
	ck_assert_int_eq(mkdir(tmpfile_path("past/nodes"), 0755), 0);
	each(half, halves) slu_file_write(AT_FDCWD, tmpfile_path(*half), "n", 1,
					  0644, false, &err);
	slu_file_write(AT_FDCWD, tmpfile_path("past/notes.0123abcd"), "x", 1,
		       0644, false, &err);
	slu_file_write(AT_FDCWD, tmpfile_path("past/99.map"), "n 1\n", 4, 0644,
		       false, &err);
	slu_file_write(AT_FDCWD, tmpfile_path("past/1.map"), "n1 3\n", 5, 0644,
		       false, &err);
	slu_file_write(AT_FDCWD, tmpfile_path("past/README"), "x", 1, 0644,
		       false, &err);
	expect_ok(slu_publish_files(dir, NULL, a, &err), err);
	ck_assert_str_eq(text(99), "");
	ck_assert_str_eq(text(1), "n1 0\n");
	each(half, halves)
		ck_assert_int_ne(access(tmpfile_path(*half), F_OK), 0);
	ck_assert_int_eq(files(), 5);
	slu_epoch_unref(a);
}
END_TEST

/* A job whose file cannot be written does not keep others from theirs, nor the
 * disk full of those that have ended, and an unchanged file is not touched. */
START_TEST(test_trouble)
{
	struct slu_epoch *a = EPOCH(1, j12, i12);
	struct stat before, after;

	make_dir("trouble");
	slu_file_write(AT_FDCWD, tmpfile_path("trouble/99.map"), "n 1\n", 4,
		       0644, false, &err);
	ck_assert_int_eq(mkdir(tmpfile_path("trouble/1.map"), 0755), 0);
	expect_fail(slu_publish_files(dir, NULL, a, &err), err, SLU_IO,
		    "job 1");
	ck_assert_str_eq(text(2), "n2 1\n");
	ck_assert_str_eq(text(99), "");
	ck_assert_int_eq(access(tmpfile_path("trouble/mapping.json"), F_OK), 0);
	ck_assert_int_eq(stat(tmpfile_path("trouble/2.map"), &before), 0);
	ck_assert_int_eq(rmdir(tmpfile_path("trouble/1.map")), 0);
	expect_ok(slu_publish_files(dir, NULL, a, &err), err);
	ck_assert_int_eq(stat(tmpfile_path("trouble/2.map"), &after), 0);
	ck_assert_uint_eq(before.st_ino, after.st_ino);
	slu_epoch_unref(a);
}
END_TEST

/* Jobs with one I/O node each, on nodes n1 and n2 or one of them. */
struct on {
	uint32_t job;
	const char *nodes, *ions;
};

static struct slu_epoch *epoch_on(const struct on *on, size_t n)
{
	uint32_t job[4] = {0};
	const char *ions[4] = {0};
	struct slu_epoch *e;

	for (size_t i = 0; i < n; i++) {
		job[i] = on[i].job;
		ions[i] = on[i].ions;
	}
	e = epoch(1, job, ions, n);
	for (size_t i = 0; i < n; i++) {
		struct slu_ion_share *share = &e->a.jobs[i];

		for (size_t k = 0; k < n; k++)
			if (on[k].job == share->job_id) {
				free(share->nodes);
				share->nodes = strdup(on[k].nodes);
			}
	}
	return e;
}

static void expect_node(const char *node, const char *want)
{
	char path[256];
	struct slu_buf buf = {0};

	snprintf(path, sizeof(path), "%s/nodes/%s.map", dir, node);
	if (slu_file_read(AT_FDCWD, path, 128, &buf, &err) < 0)
		slu_buf_puts(&buf, "none");
	ck_assert_str_eq(buf.data, want);
	slu_buf_free(&buf);
}

/* Nodes of several jobs: one forwarder, that of the job that was there first,
 * until that one has ended; then the file stays for who is left. */
START_TEST(test_shared_nodes)
{
	static const struct on first[] = {{7, "n[1-2]", "ion2"}};
	static const struct on two[] = {{7, "n[1-2]", "ion2"},
					{5, "n1.site", "ion1"}};
	static const struct on moved[] = {{7, "n[1-2]", "ion4"},
					  {5, "n1", "ion1"}};
	static const struct on left[] = {{5, "n1", "ion1"}};
	static const struct on direct[] = {{5, "n1", "ion1"}, {6, "n1", ""}};
	static const struct on none[] = {{5, "n1", ""}, {6, "n1", ""}};
	static const struct on fell[] = {{7, "n[1-2]", ""}, {5, "n1", "ion1"}};
	static const struct {
		const struct on *on;
		size_t n;
		bool unknown; /* what was before */
		const char *n1, *n2;
	} steps[] = {
		{first, 1, true, "none", "none"},
		{two, 2, false, "n1 1\nn2 1\n", "none"},
		{two, 2, true, "n1 1\nn2 1\n",
		 "none"}, /* sluiced was restarted */
		{moved, 2, false, "n1 0\nn2 3\n", "none"},
		{two, 2, false, "n1 0\nn2 1\n", "none"},
		{left, 1, false, "n1 0\n", "none"},
		{direct, 2, false, "n1 0\n", "none"},
		/* nobody forwards, but somebody may read */
		{none, 2, false, "n1 0\n", "none"},
		{two, 2, false, "n1 0\nn2 1\n", "none"},
		{fell, 2, false, "n1 0\nn2 1\n", "none"},
		{first, 1, false, "n1 1\nn2 1\n", "none"},
		{NULL, 0, false, "none", "none"},
		{two, 2, true, "n1 0\nn2 1\n", "none"}, /* nobody knows */
	};
	struct slu_epoch *before = NULL, *now;

	make_dir("nodes");
	each(c, steps)
	{
		now = epoch_on(c->on, c->n);
		expect_ok(slu_publish_files(dir, c->unknown ? NULL : before,
					    now, &err),
			  err);
		expect_node("n1", c->n1);
		expect_node("n2", c->n2);
		slu_epoch_unref(before);
		before = now;
	}
	slu_epoch_unref(before);
	ck_assert_str_eq(text(7), "n1 1\nn2 1\n");
}
END_TEST

/* Every host of the node's jobs has one line; an unchanged node's file is not
 * read; users can get at it; trouble with one does not stop the rest. */
START_TEST(test_node_files)
{
	static const struct on three[] = {{5, "n[1-2]", "ion1"},
					  {6, "n[1-3]", "ion2"},
					  {7, "n[1,4]", ""}};
	static const struct on more[] = {{5, "n[1-2]", "ion1"},
					 {6, "n[1-3]", "ion2"},
					 {7, "n[1,4]", ""},
					 {8, "n3", "ion3"}};
	struct slu_epoch *a = epoch_on(three, 3), *b = epoch_on(more, 4);
	mode_t old = umask(077);
	struct stat st;

	make_dir("others");
	ck_assert_int_eq(mkdir(tmpfile_path("others/nodes"), 0700), 0);
	ck_assert_int_eq(mkdir(tmpfile_path("others/nodes/n1.map"), 0700), 0);
	expect_fail(slu_publish_files(dir, NULL, a, &err), err, SLU_IO, "n1");
	umask(old);
	expect_node("n2", "n2 0\nn1 0\nn3 1\n");
	ck_assert_int_eq(stat(tmpfile_path("others/mapping.json"), &st), 0);
	ck_assert_int_eq(rmdir(tmpfile_path("others/nodes/n1.map")), 0);
	expect_ok(slu_publish_files(dir, NULL, a, &err), err);
	ck_assert_int_eq(stat(tmpfile_path("others/nodes"), &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0755);
	expect_node("n1", "n1 0\nn2 0\nn3 1\nn4 0\n");
	slu_file_write(AT_FDCWD, tmpfile_path("others/nodes/n1.map"), "x\n", 2,
		       0644, false, &err);
	expect_ok(slu_publish_files(dir, a, b, &err), err);
	expect_node("n1", "x\n");
	expect_node("n3", "n3 1\nn1 1\nn2 1\n");
	slu_epoch_unref(a);
	slu_epoch_unref(b);
}
END_TEST

TEST_MAIN("sluiced mapfiles", test_files_follow_assignments, test_smaller_pool,
	  test_unknown_past, test_trouble, test_shared_nodes, test_node_files)

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests verify=content on a glusterfs: each node reads the data on its own
 * disk. Real bricks and clients; nodes are directories of this host. */
#include "config.h"
#include "tests/unit/burst_buffer/node/gluster_job.h"
#include "burst_buffer/staging/share.h"
#include "burst_buffer/staging/stage.h"
#include "tests/unit/random.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define TAG   "sluice-7"
#define LARGE (2 * SLU_STAGE_RANGE + 5000)
#define SPARE 3000000 /* bytes that may be told beside those of files */

enum how { BY_HOLDERS, BY_OTHERS, ELSEWHERE };

struct staging {
	const struct job *j;
	bool out;
	enum how how;
	const char *outside; /* the other side */
	int manifest;
	uint64_t files, total; /* verified, to be verified */
	bool held;
};

static const char *data_of(const struct job *j, size_t node)
{
	return in(j->in[node].top, "data");
}

static const char *brick_of(const struct job *j, size_t node)
{
	return in(j->in[node].fs, "brick/data");
}

static void begin(struct job *j, struct staging *s, bool out)
{
	job_up(j, 21, NULL);
	make_dir(data_of(j, 0), 0755);
	*s = (struct staging){
		.j = j, .out = out, .outside = strdup(in(top, "outside"))};
	if (out)
		make_dir(s->outside, 0755);
	s->manifest =
		open(in(top, "manifest"), O_RDWR | O_CREAT | O_TRUNC, 0600);
	ck_assert_int_ge(s->manifest, 0);
}

static void end(struct job *j, struct staging *s)
{
	close(s->manifest);
	free((char *)(uintptr_t)s->outside);
	job_end(j);
	job_free(j);
	tree_remove(top);
}

/* One node's part of an act. */
static int act_on(struct staging *s, enum slu_act_name act, size_t node)
{
	char data[4100], ours[4100], other[4100];
	struct slu_stage_part part = {.destination = s->out ? other : ours,
				      .source = s->out ? ours : other,
				      .self = (unsigned)node,
				      .n = NODES,
				      .content = true,
				      .held_source = s->out,
				      .durable = s->out,
				      .ended = s->out,
				      .beside = s->out ? TAG : NULL,
				      .fs_root = data,
				      .manifest = s->manifest};
	struct slu_stage_result r = {0};
	int rc;

	snprintf(data, sizeof(data), "%s",
		 s->how == ELSEWHERE ? "/etc" : data_of(s->j, node));
	snprintf(ours, sizeof(ours), "%s/tree/", data_of(s->j, node));
	snprintf(other, sizeof(other), "%s/", s->outside);
	if (s->how != BY_OTHERS)
		part.held = open(brick_of(s->j, node), O_PATH | O_DIRECTORY);
	ck_assert_int_ge(part.held, 0);
	ck_assert_int_eq(lseek(s->manifest, 0, SEEK_SET), 0);
	rc = slu_stage(act, &part, &r, &err);
	if (part.held)
		close(part.held);
	if (act == SLU_VERIFY) {
		s->files += r.files;
		s->held = r.held;
	}
	if (act == SLU_PREPARE)
		s->total = r.total_files;
	return rc;
}

static int each_node(struct staging *s, enum slu_act_name act)
{
	int rc = 0;

	for (size_t i = 0; i < NODES; i++)
		rc = act_on(s, act, i) ? -1 : rc;
	return rc;
}

static void copy(struct staging *s)
{
	s->files = 0;
	ck_assert(!ftruncate(s->manifest, 0));
	expect_ok(act_on(s, SLU_PREPARE, 0), err);
	expect_ok(each_node(s, SLU_COPY), err);
}

static double read_by_clients(const struct job *j)
{
	double sum = 0, r, w;

	for (size_t i = 0; i < NODES; i++) {
		expect_ok(driver->counters(&j->in[i], &r, &w, &err), err);
		sum += r;
	}
	return sum;
}

static void make_sparse(const char *path, uint64_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0644);

	ck_assert(fd >= 0 && !ftruncate(fd, (off_t)size));
	ck_assert(pwrite(fd, "middle", 6, (off_t)size / 2) == 6 && !close(fd));
}

/* Files in every state that this file system has: renamed (which leaves a mark
 * on the brick where the name belongs), linked, sparse, large, empty, and one
 * that looks like such a mark. */
static void make_tree(const char *where, unsigned n, bool marks)
{
	char name[64], path[4200], dir[4100];

	snprintf(dir, sizeof(dir), "%s", where);
	make_dir(dir, 0755);
	make_dir(in(dir, "sub"), 0700);
	for (unsigned i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%sf%u", i % 2 ? "sub/" : "", i);
		snprintf(path, sizeof(path), "%s", in(dir, name));
		make_file(path, i % 7 ? 5000 + i : 0, i);
		snprintf(name, sizeof(name), "renamed%u", i);
		if (i % 3 == 0)
			ck_assert(!rename(path, in(dir, name)));
		snprintf(name, sizeof(name), "linked%u", i);
		if (i % 5 == 1 && i % 3)
			ck_assert(!link(path, in(dir, name)));
	}
	make_link(in(dir, "link"), "f1");
	make_sparse(in(dir, "large"), LARGE);
	make_sparse(in(dir, "sparse"), 1 << 20);
	make_file(in(dir, "closed"), 4096, 3);
	ck_assert(!chmod(in(dir, "closed"), 0));
	make_file(in(dir, "mark"), 0, 0);
	ck_assert(!marks || !chmod(in(dir, "mark"), 01000));
}

/* The content of files does not go over the network once more, and all of them
 * are verified; by others it does. */
static void check_whole(bool out, enum how how)
{
	struct staging s;
	struct job j;
	double before, more;

	begin(&j, &s, out);
	s.how = how;
	make_tree(out ? in(data_of(&j, 1), "tree") : s.outside, 60, out);
	copy(&s);
	before = read_by_clients(&j);
	expect_ok(each_node(&s, SLU_VERIFY), err);
	more = read_by_clients(&j) - before;
	ck_assert_uint_eq(s.files, s.total);
	ck_assert(s.held == (how == BY_HOLDERS));
	expect(how == BY_HOLDERS ? more < SPARE : more > LARGE, "%g", more);
	expect_ok(act_on(&s, SLU_FINISH, 0), err);
	ck_assert_ptr_null(
		tree_differs(in(data_of(&j, 2), "tree"), s.outside, 1));
	end(&j, &s);
}

START_TEST(test_each_way_of_verifying)
{
	for (int how = BY_HOLDERS; how <= ELSEWHERE; how++)
		check_whole(true, (enum how)how);
	check_whole(false, BY_HOLDERS);
	check_whole(false, BY_OTHERS);
}
END_TEST

static void overwrite(const char *path, off_t at)
{
	int fd = open(path, O_RDWR);
	struct stat st;
	struct timespec times[2];

	ck_assert(fd >= 0 && !fstat(fd, &st));
	times[0] = st.st_atim;
	times[1] = st.st_mtim;
	ck_assert_int_eq(pwrite(fd, "!", 1, at), 1);
	ck_assert(!futimens(fd, times) && !close(fd));
}

/* The brick that has it. */
static const char *held_path(const struct job *j, const char *name)
{
	struct stat st;
	char path[64];

	snprintf(path, sizeof(path), "tree/%s", name);
	for (size_t i = 0; i < NODES; i++)
		if (!stat(in(brick_of(j, i), path), &st) && st.st_size)
			return in(brick_of(j, i), path);
	ck_abort_msg("%s is nowhere", name);
}

/* One byte is another one on either side: in the last range of a large file, in
 * a small one. It is noticed, and what was there before stays. */
static void check_changed(bool out, bool ours, const char *name, off_t at)
{
	char beside[64];
	struct staging s;
	struct stat st;
	struct job j;

	begin(&j, &s, out);
	make_tree(out ? in(data_of(&j, 1), "tree") : s.outside, 9, false);
	copy(&s);
	snprintf(beside, sizeof(beside), ".%s." TAG, name);
	overwrite(ours ? held_path(&j, name)
		       : in(s.outside, out ? beside : name),
		  at);
	expect_fail(each_node(&s, SLU_VERIFY), err, SLU_IO, "content differs");
	if (out)
		ck_assert(stat(in(s.outside, name), &st) != 0);
	end(&j, &s);
}

START_TEST(test_changed)
{
	check_changed(true, true, "large", LARGE - 10);
	check_changed(true, false, "f2", 70);
	check_changed(false, true, "large", LARGE - 10);
	check_changed(false, false, "f2", 70);
}
END_TEST

/* What no node holds any more as it was listed is not verified, and so missing
 * in the sum; it gets no name either, large or small. */
START_TEST(test_nowhere)
{
	static const char *const names[] = {"large", "f2"};
	struct staging s;
	struct stat st;
	struct job j;

	begin(&j, &s, true);
	make_tree(in(data_of(&j, 1), "tree"), 9, false);
	copy(&s);
	for (size_t i = 0; i < 2; i++)
		ck_assert(!unlink(held_path(&j, names[i])));
	each_node(&s, SLU_VERIFY);
	ck_assert_uint_eq(s.files, s.total - 2);
	expect_ok(act_on(&s, SLU_FINISH, 0), err);
	for (size_t i = 0; i < 2; i++)
		ck_assert(stat(in(s.outside, names[i]), &st) != 0);
	ck_assert(!stat(in(s.outside, "sparse"), &st));
	end(&j, &s);
}
END_TEST

/* Trees of nothing but names: reading all of the list on every node would cost
 * more than their bytes. */
START_TEST(test_trees_of_names_are_verified)
{
	char name[32];
	struct staging s;
	struct job j;

	begin(&j, &s, true);
	make_dir(in(data_of(&j, 0), "tree"), 0755);
	for (int i = 0; i < 50; i++) {
		snprintf(name, sizeof(name), "tree/f%d", i);
		make_file(in(data_of(&j, 0), name), 1, 1);
	}
	copy(&s);
	expect_ok(each_node(&s, SLU_VERIFY), err);
	ck_assert(!s.held);
	ck_assert_uint_eq(s.files, s.total);
	end(&j, &s);
}
END_TEST

static unsigned rnd(unsigned below)
{
	static uint64_t seed = 25;

	return (unsigned)slu_random(&seed, below);
}

/* Names that are moved over each other at random, from every node: each file is
 * verified once. */
START_TEST(test_renamed_files_are_verified_once)
{
	struct staging s;
	struct job j;

	begin(&j, &s, true);
	make_dir(in(data_of(&j, 0), "tree"), 0755);
	for (int i = 0; i < 300; i++) {
		char a[40], b[40];
		const char *to;

		snprintf(a, sizeof(a), "tree/f%u", rnd(40));
		snprintf(b, sizeof(b), "tree/f%u", rnd(40));
		to = in(data_of(&j, rnd(NODES)), b);
		switch (rnd(4)) {
		case 0:
		case 1:
			make_file(to, rnd(9000), (unsigned)i);
			break;
		case 2:
			(void)!rename(in(data_of(&j, rnd(NODES)), a), to);
			break;
		case 3:
			(void)!link(in(data_of(&j, rnd(NODES)), a), to);
			break;
		}
	}
	copy(&s);
	expect_ok(each_node(&s, SLU_VERIFY), err);
	ck_assert(s.held);
	ck_assert_uint_eq(s.files, s.total);
	expect_ok(act_on(&s, SLU_FINISH, 0), err);
	ck_assert_ptr_null(
		tree_differs(in(data_of(&j, 2), "tree"), s.outside, 1));
	end(&j, &s);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {test_each_way_of_verifying, test_changed,
				      test_nowhere,
				      test_trees_of_names_are_verified,
				      test_renamed_files_are_verified_once};

	return gluster_tests("glusterfs held", tests,
			     sizeof(tests) / sizeof(*tests));
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests staging out of and into a file system where each node sees times of its
 * own of a file, and that two nodes must not write the same file of, as
 * glusterfs with shard= is. */
#include "config.h"
#include "tests/unit/burst_buffer/node/stage_trees.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/staging/share.h"

static void write_over(const char *path)
{
	int fd = open(path, O_WRONLY);

	ck_assert_int_eq(pwrite(fd, "other", 5, 1000), 5);
	close(fd);
}

/* Such times are no reason to refuse a file; its content is. */
START_TEST(test_own_times)
{
	static const struct timespec times[2] = {{.tv_sec = 5}, {.tv_sec = 5}};
	struct slu_stage_part part = {.source = src,
				      .destination = dst,
				      .n = 2,
				      .ended = true,
				      .content = true,
				      .own_times_source = true};
	struct slu_stage_result r;

	setup();
	make_file(in(src, "b"), SLU_STAGE_RANGE + 5, 2);
	part.manifest = manifest();
	expect_ok(slu_stage(SLU_PREPARE, &part, &r, &err), err);
	ck_assert(!utimensat(AT_FDCWD, in(src, "b"), NULL, 0));
	expect_ok(all_nodes(SLU_COPY, part), err);
	ck_assert(!utimensat(AT_FDCWD, in(src, "b"), NULL, 0));
	expect_ok(all_nodes(SLU_VERIFY, part), err);
	write_over(in(src, "b"));
	failed_with(all_nodes(SLU_VERIFY, part),
		    "b did not arrive whole: its content differs");
	part.own_times_source = false;
	part.own_times_destination = true;
	part.ended = part.content = false;
	expect_ok(stage_part(part, NULL), err);
	ck_assert(!utimensat(AT_FDCWD, in(dst, "src/b"), times, 0));
	expect_ok(all_nodes(SLU_VERIFY, part), err);
	close(part.manifest);
	teardown();
}
END_TEST

/* Nor may two nodes write the same file there. */
START_TEST(test_one_writer)
{
	struct slu_stage_part part = {
		.source = src, .destination = dst, .n = 2};
	const uint64_t size = 3 * SLU_STAGE_RANGE + 5;

	setup();
	make_file(in(src, "b"), size, 2);
	part.manifest = manifest();
	for (int one = 0; one < 2; one++) {
		struct slu_stage_result r[2], end;

		part.own_times_destination = one;
		part.self = 0;
		expect_ok(slu_stage(SLU_PREPARE, &part, r, &err), err);
		for (part.self = 0; part.self < 2; part.self++)
			expect_ok(
				slu_stage(SLU_COPY, &part, &r[part.self], &err),
				err);
		expect_ok(all_nodes(SLU_VERIFY, part), err);
		part.self = 0;
		expect_ok(slu_stage(SLU_FINISH, &part, &end, &err), err);
		same(src, in(dst, "src"));
		ck_assert_uint_eq(r[0].bytes + r[1].bytes, size);
		ck_assert_uint_eq(r[0].files + r[1].files, 1);
		ck_assert_int_eq(!r[0].bytes || !r[1].bytes, one);
		ck_assert(!ftruncate(part.manifest, 0));
		ck_assert_int_eq(lseek(part.manifest, 0, SEEK_SET), 0);
	}
	close(part.manifest);
	teardown();
}
END_TEST

/* Nor do they show that a file is as it was when it was copied early. */
START_TEST(test_own_times_early)
{
	struct slu_stage_part part = {.source = src,
				      .destination = dst,
				      .n = 1,
				      .beside = "tag",
				      .quick = true,
				      .early = true,
				      .content = true,
				      .own_times_source = true};
	const struct timespec past[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	struct slu_stage_result r;

	for (int own = 0; own < 2; own++) {
		setup();
		make_file(in(src, "b"), 100, 2);
		ck_assert(!utimensat(AT_FDCWD, in(src, "b"), past, 0));
		sleep(3); /* changes of the last 2 s never count */
		part.early = true;
		part.own_times_source = own;
		part.known = open(in(top, "notes"), O_RDWR | O_APPEND | O_CREAT,
				  0600);
		ck_assert_int_gt(part.known, 0);
		expect_ok(stage_part(part, NULL), err);
		part.early = false;
		part.manifest = manifest();
		expect_ok(slu_stage(SLU_PREPARE, &part, &r, &err), err);
		expect_ok(slu_stage(SLU_COPY, &part, &r, &err), err);
		ck_assert_uint_eq(r.kept, !own);
		close(part.manifest);
		close(part.known);
		teardown();
	}
}
END_TEST

TEST_MAIN("stage own times", test_own_times, test_own_times_early,
	  test_one_writer)

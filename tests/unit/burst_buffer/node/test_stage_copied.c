/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests files that were copied while the job ran: at its end they are not
 * copied again, unless they have changed. */
#include "config.h"
#include "tests/unit/burst_buffer/node/stage_trees.h"
#include "tests/unit/random.h"
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/staging/copied.h"
#include "burst_buffer/staging/share.h"

static struct slu_stage_part part;
static const uint64_t sizes[] = {5000, SLU_STAGE_RANGE + 4096};

static void begin(uint64_t size)
{
	setup();
	part = (struct slu_stage_part){
		.source = src,
		.destination = dst,
		.n = 1,
		.threads = 1,
		.durable = true,
		.quick = true,
		.beside = "sluice-7",
		.known = open(in(top, "known"), O_RDWR | O_CREAT | O_APPEND,
			      0600)};
	make_file(in(src, "f"), size, 1);
}

static void end(void)
{
	close(part.known);
	teardown();
}

static void early(void)
{
	part.early = true;
	expect_ok(stage_part(part, NULL), err);
	part.early = false;
}

/* The last staging; how many files it left as they were. */
static uint64_t last(void)
{
	struct slu_stage_result r;
	uint64_t kept = 0;

	part.manifest = manifest();
	for (int i = SLU_PREPARE; i <= SLU_FINISH; i++) {
		ck_assert(!lseek(part.manifest, 0, SEEK_SET));
		expect_ok(slu_stage((enum slu_act_name)i, &part, &r, &err),
			  err);
		kept += r.kept;
	}
	close(part.manifest);
	same(src, in(dst, "src"));
	return kept;
}

/* Other bytes, as many, and the time of before. */
static void rewrite(unsigned seed)
{
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}};
	struct stat st;

	ck_assert(!stat(in(src, "f"), &st));
	make_file(in(src, "f"), (uint64_t)st.st_size, seed);
	times[1] = st.st_mtim;
	ck_assert(!utimensat(AT_FDCWD, in(src, "f"), times, 0));
}

START_TEST(test_early_copy_is_kept)
{
	each(size, sizes)
	{
		begin(*size);
		sleep(3);
		early();
		early(); /* declared again */
		ck_assert_int_eq(last(), 1);
		end();
	}
}
END_TEST

START_TEST(test_time_put_back)
{
	each(size, sizes)
	{
		begin(*size);
		sleep(3);
		early();
		rewrite(2);
		ck_assert_int_eq(last(), 0);
		end();
	}
}
END_TEST

/* It may have been removed to make room: what has arrived stays, and is
 * reported. */
START_TEST(test_removed)
{
	struct slu_stage_result r;

	each(size, sizes)
	{
		begin(*size);
		make_file(in(src, "g"), *size, 2);
		sleep(3);
		early();
		ck_assert(!unlink(in(src, "f")));
		part.manifest = manifest();
		expect_ok(slu_stage(SLU_PREPARE, &part, &r, &err), err);
		ck_assert_uint_eq(r.gone, 1);
		close(part.manifest);
		expect_ok(stage_part(part, NULL), err);
		ck_assert(!access(in(dst, "src/f"), F_OK));
		ck_assert(!unlink(in(dst, "src/f")));
		same(src, in(dst, "src"));
		end();
	}
}
END_TEST

/* A directory takes its name, and the other way round where that can be. */
START_TEST(test_other_kind)
{
	each(size, sizes)
	{
		begin(*size);
		sleep(3);
		early();
		ck_assert(!unlink(in(src, "f")));
		make_dir(in(src, "f"), 0750);
		make_file(in(src, "f/g"), *size, 2);
		last();
		end();
	}
	/* what was not ours does not */
	begin(5000);
	make_dir(in(dst, "src"), 0750);
	make_dir(in(src, "d"), 0750);
	make_file(in(dst, "src/d"), 10, 3);
	part.manifest = manifest();
	expect_fail(
		slu_stage(SLU_PREPARE, &part, NULL, &err), err, SLU_IO,
		"/src/d: Not a directory: a file of that name is in its place");
	close(part.manifest);
	end();
	begin(5000);
	make_dir(in(dst, "src"), 0750);
	make_dir(in(dst, "src/f"), 0750);
	expect_fail(stage_part(part, NULL), err, SLU_IO,
		    "/src/f: Is a directory: a directory of that name is");
	end();
}
END_TEST

/* A file like it takes its name. */
START_TEST(test_replaced)
{
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}};
	struct stat st;

	begin(5000);
	make_file(in(top, "other"), 5000, 2);
	sleep(3);
	early();
	ck_assert(!stat(in(src, "f"), &st));
	times[1] = st.st_mtim;
	ck_assert(!utimensat(AT_FDCWD, in(top, "other"), times, 0));
	ck_assert(!rename(in(top, "other"), in(src, "f")));
	ck_assert_int_eq(last(), 0);
	end();
}
END_TEST

/* It was written so shortly before that it may be again, at the same time. */
START_TEST(test_young)
{
	begin(5000);
	early();
	ck_assert_int_eq(last(), 0);
	end();
}
END_TEST

/* Declared again, and the second copy is cut short at any act. */
START_TEST(test_second_early_copy_is_cut_short)
{
	struct slu_stage_result r;

	for (int until = SLU_PREPARE; until <= SLU_COPY; until++) {
		begin(5000);
		sleep(3);
		early();
		rewrite(2);
		sleep(3);
		part.early = true;
		part.manifest = manifest();
		for (int i = SLU_PREPARE; i <= until; i++) {
			ck_assert(!lseek(part.manifest, 0, SEEK_SET));
			expect_ok(slu_stage((enum slu_act_name)i, &part, &r,
					    &err),
				  err);
		}
		close(part.manifest);
		part.early = false;
		ck_assert_int_eq(last(), 0);
		end();
	}
}
END_TEST

/* A mover notes nothing; but it leaves what looks the same. */
START_TEST(test_mover)
{
	begin(5000);
	make_file(in(src, "g"), 5000, 3);
	sleep(3);
	early();
	rewrite(2);
	ck_assert(!truncate(in(top, "known"), 0)); /* of g alone */
	ck_assert_int_eq(last(), 0);
	part.moved = true;
	ck_assert_int_eq(last(), 2);
	end();
}
END_TEST

/* What the kernel still holds, as of what a program has mapped, may not be what
 * others have written: so it is of a file system without a block device. */
START_TEST(test_mapped_pages_are_reread)
{
	if (unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)) {
		skip("mounting needs root");
		return;
	}
	begin(5000);
	ck_assert(!mount("none", src, "tmpfs", 0, ""));
	make_file(in(src, "f"), 5000, 1);
	sleep(3);
	early();
	ck_assert_int_eq(last(), 0);
	ck_assert(!umount(src));
	end();
}
END_TEST

/* The notes beside a model of them, over random histories. */

#define PATHS 20

static struct slu_copied reload(int fd)
{
	struct slu_copied k;

	expect_ok(slu_copied_load(&k, fd, &err), err);
	return k;
}

static void check_history(uint64_t seed)
{
	enum slu_copied_as want[PATHS] = {SLU_COPIED_NOT};
	struct stat st[PATHS] = {0}, other;
	struct slu_copied k;
	char path[8];
	int fd;

	setup();
	fd = open(in(top, "k"), O_RDWR | O_CREAT | O_APPEND, 0600);
	for (int step = 0; step < 100; step++) {
		unsigned i = (unsigned)slu_random(&seed, PATHS);

		k = reload(fd);
		expect_ok(slu_copied_begin(&k, &err), err);
		snprintf(path, sizeof(path), "p%u", i);
		st[i].st_size = (off_t)slu_random(&seed, 1000);
		st[i].st_ctim.tv_sec = (time_t)slu_random(&seed, 1000);
		slu_copied_copy(&k, path, step % 7 ? &st[i] : NULL);
		slu_copied_free(&k);
		want[i] = SLU_COPIED_ELSE;
		k = reload(fd);
		other = st[i];
		other.st_ctim.tv_nsec = step % 3 == 0;
		slu_copied_arrived(&k, path, &other);
		if (step % 7 && step % 3)
			want[i] = SLU_COPIED_SAME;
		slu_copied_free(&k);
		k = reload(fd);
		for (unsigned j = 0; j < PATHS; j++) {
			snprintf(path, sizeof(path), "p%u", j);
			ck_assert_int_eq(slu_copied_as(&k, path, &st[j]),
					 want[j]);
			other = st[j];
			other.st_mtim.tv_nsec++;
			ck_assert_int_ne(slu_copied_as(&k, path, &other),
					 SLU_COPIED_SAME);
		}
		slu_copied_free(&k);
	}
	close(fd);
	teardown();
}

START_TEST(test_history)
{
	for (uint64_t seed = 1; seed < 20; seed++)
		check_history(seed);
}
END_TEST

TEST_MAIN("stage copied", test_early_copy_is_kept, test_time_put_back,
	  test_removed, test_other_kind, test_replaced, test_young,
	  test_second_early_copy_is_cut_short, test_mover,
	  test_mapped_pages_are_reread, test_history)

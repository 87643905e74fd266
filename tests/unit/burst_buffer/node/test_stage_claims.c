/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests staging by nodes that claim the next range of work, so that a free node
 * takes more, and nodes that die with a claim. */
#include "config.h"
#include "tests/unit/harness.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "burst_buffer/staging/share.h"
#include "burst_buffer/staging/stage.h"
#include "tests/unit/burst_buffer/node/tree.h"

#define NODES 3
#define DIRS  20
#define EACH  160 /* files: 4 chunks for each node */

static char *top;
static char src[4096], dst[4096], claims[4096];
static struct slu_err err;

static struct shared { /* by the processes that play the nodes */
	struct slu_stage_result result[NODES];
	_Atomic int told;
} * shared;

static void setup(void)
{
	top = tree_new();
	snprintf(src, sizeof(src), "%s", in(top, "src"));
	snprintf(dst, sizeof(dst), "%s", in(top, "dst"));
	snprintf(claims, sizeof(claims), "%s", in(top, "claims"));
	make_dir(src, 0755);
	make_dir(dst, 0755);
	make_dir(claims, 0700);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert(shared != MAP_FAILED);
}

static void teardown(void)
{
	munmap(shared, sizeof(*shared));
	tree_remove(top);
}

static void many_files(void)
{
	char name[64];

	for (int d = 0; d < DIRS; d++) {
		snprintf(name, sizeof(name), "d%d", d);
		make_dir(in(src, name), 0755);
		for (int f = 0; f < EACH; f++) {
			snprintf(name, sizeof(name), "d%d/f%d", d, f);
			make_file(in(src, name), (size_t)f, (unsigned)(d + f));
		}
	}
}

/* Ranges are what there is most of. */
static void large_file(void)
{
	int fd = open(in(src, "large"), O_WRONLY | O_CREAT, 0644);

	for (off_t i = 0; i < 3 * 4 + 1; i++)
		ck_assert_int_eq(
			pwrite(fd, "data", 4, i * (off_t)SLU_STAGE_RANGE + 10),
			4);
	close(fd);
}

static struct slu_stage_part part_of(unsigned self)
{
	return (struct slu_stage_part){
		.source = in(top, "src/"),
		.destination = dst,
		.self = self,
		.n = NODES,
		.manifest = open(in(top, "manifest"), O_RDWR | O_CREAT, 0600),
	};
}

/* The end of a killed program, when it has reported so often. */
static int dies(void *arg, uint64_t bytes, uint64_t files)
{
	(void)bytes, (void)files;
	if (++shared->told >= *(int *)arg)
		kill(getpid(), SIGKILL);
	return 0;
}

/* An act of one node in a process of its own, which is to die after so many
 * words (0: never): its exit status. */
static int act(enum slu_act_name name, unsigned self, int words)
{
	struct slu_claims_proxy proxy;
	struct slu_claims how = {slu_claims_proxy_take, slu_claims_proxy_look,
				 slu_claims_proxy_whose, &proxy};
	struct slu_stage_part part = part_of(self);
	int status;

	shared->told = 0;
	fflush(stdout);
	if (!fork()) {
		snprintf(err.text, sizeof(err.text), "journal.%u", self);
		part.journal = open(in(top, err.text), O_RDWR | O_CREAT, 0600);
		part.claims = &how;
		part.threads = words ? 2 : 0;
		part.progress = words ? dies : NULL;
		part.arg = &words;
		if (slu_claims_proxy_start(&proxy, claims, self, 100, &err) ||
		    slu_stage(name, &part, &shared->result[self], &err)) {
			printf("node %u: %s\n", self, err.text);
			fflush(stdout);
			_exit(1);
		}
		_exit(0);
	}
	close(part.manifest);
	ck_assert(wait(&status) > 0);
	return status;
}

static void prepare(void)
{
	struct slu_stage_part part = part_of(0);
	struct slu_stage_result r;

	expect_ok(slu_stage(SLU_PREPARE, &part, &r, &err), err);
	close(part.manifest);
}

/* All files are there, each was copied once, and all nodes say so. */
static void finish(uint64_t files)
{
	struct slu_stage_part part = part_of(0);
	struct slu_stage_result r;
	uint64_t copied = 0, verified = 0;
	const char *how;

	for (unsigned i = 0; i < NODES; i++)
		copied += shared->result[i].files;
	ck_assert_uint_eq(copied, files);
	for (unsigned i = 0; i < NODES; i++) {
		ck_assert_int_eq(act(SLU_VERIFY, i, 0), 0);
		verified += shared->result[i].files;
	}
	ck_assert_uint_eq(verified, files);
	expect_ok(slu_stage(SLU_FINISH, &part, &r, &err), err);
	close(part.manifest);
	how = tree_differs(src, dst, 1);
	ck_assert_msg(!how, "%s", how);
}

/* One after the other: the first finds no other at work and does all. */
START_TEST(test_free_node_does_all)
{
	setup();
	many_files();
	prepare();
	for (unsigned i = 0; i < NODES; i++)
		ck_assert_int_eq(act(SLU_COPY, (i + 1) % NODES, 0), 0);
	ck_assert_uint_eq(shared->result[1].files, DIRS * EACH);
	finish(DIRS * EACH);
	teardown();
}
END_TEST

static struct timespec changed(int d, int f)
{
	char name[64];
	struct stat st;

	snprintf(name, sizeof(name), "d%d/f%d", d, f);
	if (stat(in(dst, name), &st))
		return (struct timespec){0};
	return st.st_ctim;
}

/* A node dies at any moment; others do what it had not begun, itself the rest,
 * and only what was in its hands twice. */
static void one_dies(int words)
{
	static struct timespec then[DIRS][EACH];
	int again = 0, before = 0;

	setup();
	many_files();
	prepare();
	ck_assert_int_eq(act(SLU_COPY, 0, words), SIGKILL);
	for (int d = 0; d < DIRS; d++)
		for (int f = 0; f < EACH; f++) {
			then[d][f] = changed(d, f);
			before += then[d][f].tv_sec != 0;
		}
	ck_assert_int_gt(before, 0);
	usleep(10000); /* the clock of the file system has ticks */
	ck_assert_int_eq(act(SLU_COPY, 1, 0), 0);
	ck_assert_uint_gt(shared->result[1].files, 0);
	ck_assert_int_eq(act(SLU_COPY, 0, 0), 0);
	ck_assert_int_eq(act(SLU_COPY, 2, 0), 0);
	for (int d = 0; d < DIRS; d++)
		for (int f = 0; f < EACH; f++) {
			struct timespec now = changed(d, f);

			again += then[d][f].tv_sec &&
				 memcmp(&now, &then[d][f], sizeof(now));
		}
	ck_assert_int_le(again, 2); /* it had two threads */
	finish(DIRS * EACH);
	teardown();
}

START_TEST(test_one_dies)
{
	static const int words[] = {1, 9};

	each(w, words) one_dies(*w);
}
END_TEST

/* The same with one large file: what marks the ranges that were done before
 * the crash is still there after it. */
START_TEST(test_dies_in_a_large_file)
{
	char mark[4];
	int fd, before = 0, kept = 0;

	setup();
	large_file();
	prepare();
	ck_assert_int_eq(act(SLU_COPY, 0, 7), SIGKILL);
	fd = open(in(dst, "large"), O_RDWR);
	for (off_t i = 0; i < 13; i++) {
		off_t at = i * (off_t)SLU_STAGE_RANGE + 10;

		if (pread(fd, mark, 4, at) != 4 || memcmp(mark, "data", 4))
			continue;
		before++;
		ck_assert_int_eq(pwrite(fd, "MARK", 4, at), 4);
	}
	ck_assert_int_gt(before, 2);
	ck_assert_int_eq(act(SLU_COPY, 0, 0), 0);
	for (off_t i = 0; i < 13; i++) {
		off_t at = i * (off_t)SLU_STAGE_RANGE + 10;

		ck_assert_int_eq(pread(fd, mark, 4, at), 4);
		kept += !memcmp(mark, "MARK", 4);
		ck_assert_int_eq(pwrite(fd, "data", 4, at), 4);
	}
	ck_assert_int_ge(kept, before - 2);
	close(fd);
	ck_assert_int_eq(act(SLU_COPY, 1, 0), 0);
	ck_assert_int_eq(act(SLU_COPY, 2, 0), 0);
	finish(1);
	teardown();
}
END_TEST

/* All at once, each chunk for one of them. */
START_TEST(test_take)
{
	enum { CHUNKS = 300 };
	struct slu_claims_dir dir = {.self = 7};
	unsigned owner[CHUNKS], mine = 0;

	setup();
	for (unsigned self = 0; self < 4; self++)
		if (!fork()) {
			struct slu_claims_proxy p;

			if (slu_claims_proxy_start(&p, claims, self, CHUNKS,
						   &err))
				_exit(1);
			for (unsigned i = 0; i < CHUNKS; i++) {
				int rc = slu_claims_proxy_take(&p, i, &err);

				if (rc < 0 ||
				    rc != slu_claims_proxy_take(&p, i, &err))
					_exit(1);
				shared->told += rc;
			}
			_exit(0);
		}
	for (int status; wait(&status) > 0;)
		ck_assert_int_eq(status, 0);
	ck_assert_int_eq(shared->told, CHUNKS);
	dir.dir = open(claims, O_RDONLY | O_DIRECTORY);
	make_text(in(claims, "no number"), "");
	make_link(in(claims, "301"), "1");
	expect_ok(slu_claims_look(&dir, true, owner, CHUNKS, &err), err);
	for (unsigned i = 0; i < CHUNKS; i++)
		mine += owner[i] < 4;
	ck_assert_uint_eq(mine, CHUNKS);
	ck_assert_int_eq(slu_claims_take(&dir, 302, &err), 1);
	close(dir.dir);
	ck_assert_int_eq(slu_claims_take(&dir, 303, &err), -1);
	teardown();
}
END_TEST

/* A claim that cannot be read counts neither as another's nor as free. */
START_TEST(test_unreadable)
{
	static const struct {
		unsigned chunk;
		bool link;
		int take;
	} cases[] = {{5, false, -1}, {6, true, -1}, {7, true, 0}};
	struct slu_claims_dir dir = {.self = 7};
	unsigned owner[8];

	setup();
	dir.dir = open(claims, O_RDONLY | O_DIRECTORY);
	make_link(in(claims, "7"), "1");
	expect_ok(slu_claims_look(&dir, true, owner, 8, &err), err);
	expect_ok(slu_claims_whose(&dir, 7, owner, 1, &err), err);
	ck_assert_uint_eq(owner[0], 1);
	make_text(in(claims, "5"), "");
	ck_assert_int_eq(slu_claims_look(&dir, true, owner, 8, &err), -1);
	expect_ok(slu_claims_look(&dir, false, owner, 8, &err), err);
	ck_assert_uint_ne(owner[5], SLU_NOBODY);
	make_link(in(claims, "6"), "nobody");
	each(c, cases)
	{
		ck_assert_int_eq(slu_claims_take(&dir, c->chunk, &err),
				 c->take);
		ck_assert_int_eq(
			slu_claims_whose(&dir, c->chunk, owner, 1, &err),
			c->take);
	}
	ck_assert_int_eq(slu_claims_whose(&dir, 4, owner, 1, &err), -1);
	close(dir.dir);
	teardown();
}
END_TEST

/* A request for more chunks than there are gets no answer. */
START_TEST(test_too_many)
{
	static const unsigned first[] = {10, 0, 1, UINT_MAX};
	unsigned *owner = malloc(sizeof(*owner) * 11);

	setup();
	each(f, first)
	{
		struct slu_claims_proxy p;

		expect_ok(slu_claims_proxy_start(&p, claims, 1, 10, &err), err);
		expect_ok(slu_claims_proxy_look(&p, false, owner, 10, &err),
			  err);
		ck_assert_int_eq(slu_claims_proxy_take(&p, 9, &err), 1);
		ck_assert_int_eq(slu_claims_proxy_whose(&p, *f, owner,
							*f == 1 ? 10 : 11,
							&err),
				 -1);
		close(p.fd);
		ck_assert(!unlink(in(claims, "9")));
		ck_assert(wait(NULL) > 0);
	}
	free(owner);
	teardown();
}
END_TEST

static int refuse(void *arg, unsigned chunk, struct slu_err *e)
{
	(void)chunk, (void)e;
	return ++*(unsigned *)arg < 1000 ? 0 : -1;
}

static int see_nobody(void *arg, bool who, unsigned *owner, unsigned n,
		      struct slu_err *e)
{
	(void)arg, (void)who, (void)e;
	for (unsigned i = 0; i < n; i++)
		owner[i] = SLU_NOBODY;
	return 0;
}

/* A claim that others see and a look does not is not asked for for ever. */
START_TEST(test_invisible_claim_is_given_up)
{
	unsigned asked = 0;
	const struct slu_claims how = {refuse, see_nobody, NULL, &asked};
	struct slu_stage_part part;
	struct slu_stage_result r;

	setup();
	large_file();
	prepare();
	part = part_of(0);
	part.claims = &how;
	expect_ok(slu_stage(SLU_COPY, &part, &r, &err), err);
	ck_assert_uint_eq(r.files, 0);
	ck_assert_uint_lt(asked, 1000);
	close(part.manifest);
	teardown();
}
END_TEST

/* Chunks without a claim were not copied. */
START_TEST(test_unclaimed)
{
	setup();
	large_file();
	prepare();
	for (unsigned i = 0; i < NODES; i++)
		ck_assert_int_eq(act(SLU_COPY, i, 0), 0);
	ck_assert_int_eq(act(SLU_VERIFY, 0, 0), 0);
	ck_assert(!unlink(in(claims, "1")));
	ck_assert_int_ne(act(SLU_VERIFY, 0, 0), 0);
	ck_assert_int_ne(act(SLU_VERIFY, 1, 0), 0);
	ck_assert_int_eq(act(SLU_VERIFY, 2, 0), 0);
	teardown();
}
END_TEST

TEST_MAIN("stage_claims", test_unreadable, test_too_many,
	  test_invisible_claim_is_given_up, test_unclaimed, test_take,
	  test_free_node_does_all, test_one_dies, test_dies_in_a_large_file)

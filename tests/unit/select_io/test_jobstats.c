/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the parsers of job_stats of all versions of Lustre, with texts in this
 * file and recordings of real servers. */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/select_io/recorded.h"
#include "tests/unit/tmpdir.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include "sysmap/lustre/jobstats.h"
#include "select_io/tbfd/lustre/lustre_access.h"
#include "select_io/tbfd/lustre/job_stats_reader.h"

static struct slu_jobstats parse(const char *text)
{
	struct slu_jobstats stats = {0};
	struct slu_err err;

	expect_ok(slu_jobstats_parse(&stats, text, strlen(text), &err), err);
	return stats;
}

START_TEST(test_forms)
{
	static const struct {
		const char *text, *job;
		uint64_t start, reads, writes, read_bytes, write_bytes;
	} cases[] = {
		/* 2.12: no start, no blanks behind min: and max: */
		{"job_stats:\n"
		 "- job_id:          testjob1\n"
		 "  snapshot_time:   1461772761\n"
		 "  read_bytes:      { samples:           1, unit: bytes, min:"
		 "    4096, max:    4096, sum:            4096 }\n"
		 "  write_bytes:     { samples:          25, unit: bytes, min:"
		 "1048576, max:16777216, sum:        26214400 }\n"
		 "  punch:           { samples:           7, unit:  reqs }\n",
		 "testjob1", 0, 1, 25, 4096, 26214400},
		/* 2.17: quotes, escapes, units, histograms */
		{"- job_id:          \"we\\x20ird:@x\"\n"
		 "  start_time:      1795177789.224397902 secs.nsecs\n"
		 "  read_bytes:      { samples:          10, unit: bytes, min:"
		 "    65536, max:    65536, sum:           655360, sumsq:"
		 "        42949672960, hist: { 64K: 10 } }\n"
		 "  read:            { samples:          99, unit: usecs }\n",
		 "we ird:@x", 1795177789224397902, 10, 0, 655360, 0},
		/* no padding at all, another order, no end of line */
		{"- job_id: 4711\n  write_bytes: {samples:3,sum:30}\n"
		 "  start_time: 7\n  read_bytes: { }",
		 "4711", 7000000000, 0, 3, 0, 30},
		/* too large to count */
		{"- job_id: x\n  read_bytes: { samples: "
		 "99999999999999999999999, sum: 1 }\n",
		 "x", 0, UINT64_MAX, 0, 1, 0},
		{"- job_id:          \n  read_bytes: { samples: 4, sum: 4 }\n",
		 "", 0, 4, 0, 4, 0},
	};

	each(c, cases)
	{
		struct slu_jobstats s = parse(c->text);

		expect(s.n == 1 && s.n_targets == 1, "%s: %zu", c->job, s.n);
		expect(strcmp(s.job[0].job, c->job) == 0, "%s", s.job[0].job);
		expect(s.job[0].start == c->start &&
			       s.job[0].read_rpcs == c->reads &&
			       s.job[0].write_rpcs == c->writes &&
			       s.job[0].read_bytes == c->read_bytes &&
			       s.job[0].write_bytes == c->write_bytes,
		       "%s", c->job);
		slu_jobstats_free(&s);
	}
}
END_TEST

/* What the service mdt of a metadata server has done; only when asked. */
START_TEST(test_requests)
{
	static const char text[] =
		"mdt.fs-MDT0000.job_stats=\njob_stats:\n"
		"- job_id:          4711\n"
		"  open:            { samples:           3, unit: usecs, min: 1 }\n"
		"  close:           { samples:         100, unit: usecs, min: 1 }\n"
		"  rename:          { samples:           4, unit:  reqs }\n"
		"  samedir_rename:  { samples:           4, unit:  reqs }\n"
		"  readpage:        { samples:         200, unit: usecs }\n"
		"  read_bytes:      { samples:           7, unit: bytes, sum: 70 }\n"
		"  read:            { samples:           7, unit: usecs }\n"
		"  getattr:         { samples:          10, unit: usecs }\n"
		"- job_id:          4712\n"
		"  close:           { samples:           1, unit: usecs }\n";
	struct slu_jobstats s = {.count_requests = true};
	struct slu_err err;

	for (int k = 0; k < 2; k++) {
		expect_ok(slu_jobstats_parse(&s, text, strlen(text), &err),
			  err);
		ck_assert_uint_eq(s.n, 2);
		ck_assert_uint_eq(s.job[0].requests, k == 0 ? 17 : 0);
		ck_assert_uint_eq(s.job[0].read_rpcs, 7);
		ck_assert_uint_eq(s.job[1].requests, 0);
		s.count_requests = false;
	}
	slu_jobstats_free(&s);
}
END_TEST

START_TEST(test_empty)
{
	static const struct {
		const char *text;
		size_t targets, jobs, skipped;
	} cases[] = {
		{"", 0, 0, 0}, /* 2.17 */
		{"job_stats:\n", 0, 0, 0},
		{"obdfilter.a-OST0000.job_stats=\nobdfilter.a-OST0001."
		 "job_stats=job_stats:\n",
		 2, 0, 0},
		{"- job_id: an_id_that_is_longer_than_lustre_has_them\n", 1, 0,
		 1},
		{"read_bytes: { samples: 1 }\n  nonsense\n", 0, 0, 0},
	};

	each(c, cases)
	{
		struct slu_jobstats s = parse(c->text);

		expect(s.n_targets == c->targets && s.n == c->jobs &&
			       s.skipped == c->skipped,
		       "%s: %zu, %zu, %zu", c->text, s.n_targets, s.n,
		       s.skipped);
		slu_jobstats_free(&s);
	}
}
END_TEST

/* Sums of an independent reading: every number behind "samples:" and "sum:" of
 * the lines of bytes. */
static void add_up(const char *text, size_t *jobs, unsigned long long *rpcs,
		   unsigned long long *bytes)
{
	unsigned long long n, sum;
	const char *line, *p;

	*jobs = *rpcs = *bytes = 0;
	for (line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		*jobs += strncmp(line, "- job_id:", 9) == 0;
		if (strncmp(line, "  read_bytes:", 13) != 0 &&
		    strncmp(line, "  write_bytes:", 14) != 0)
			continue;
		p = strstr(line, "samples:");
		*rpcs += sscanf(p, "samples: %llu", &n) == 1 ? n : 0;
		p = strstr(line, "sum:");
		if (p && p < strchrnul(line, '\n'))
			*bytes += sscanf(p, "sum: %llu", &sum) == 1 ? sum : 0;
	}
}

START_TEST(test_recorded)
{
	static const struct {
		const char *file;
		size_t targets, jobs;
	} cases[] = {
		{"lustre/recorded-2.17.57-ldiskfs/job_stats.txt", 4, 0},
		{"lustre/recorded-2.15.8-zfs/job_stats.txt", 4, 0},
		{"lustre/recorded-2.17.57-ldiskfs/job_stats_empty.txt", 0, 0},
		{"lustre/recorded-2.15.8-zfs/job_stats_empty.txt", 0, 0},
		{"lustre/2.12-testcases/v2.12/proc/fs/lustre/obdfilter/OST0001/"
		 "job_stats",
		 1, 2},
		{"lustre/lctl-outputs/valid/valid.txt", 0, 0},
		{"lustre/lctl-outputs/valid/valid2.txt", 0, 0},
		{"lustre/lctl-outputs/valid/ex8761-lctl.txt", 0, 0},
		{"lustre/lctl-outputs/valid/params-6.2.0-r9.txt", 0, 0},
	};

	each(c, cases)
	{
		struct slu_buf text = {0};
		unsigned long long rpcs, bytes, have_rpcs = 0, have_bytes = 0;
		struct slu_jobstats s;
		size_t jobs;

		if (!recorded_text(c->file, &text))
			continue;
		s = parse(text.data);
		add_up(text.data, &jobs, &rpcs, &bytes);
		for (size_t i = 0; i < s.n; i++) {
			have_rpcs += s.job[i].read_rpcs + s.job[i].write_rpcs;
			have_bytes +=
				s.job[i].read_bytes + s.job[i].write_bytes;
		}
		expect(s.n + s.skipped == jobs && s.skipped == 0 &&
			       have_rpcs == rpcs && have_bytes == bytes,
		       "%s: %zu jobs of %zu, %llu RPCs of %llu", c->file, s.n,
		       jobs, have_rpcs, rpcs);
		expect(s.n_targets >= c->targets && s.n >= c->jobs, "%s: %zu",
		       c->file, s.n_targets);
		slu_jobstats_free(&s);
		slu_buf_free(&text);
	}
}
END_TEST

/* Every read(2) of this program goes through here. */
static int watched = -1, reads;

/* Of records: so many bytes come at once, and after so many of all one read
 * fails. 0: as ever. */
static size_t page, broken_after = SIZE_MAX;

static ssize_t read_record(int fd, void *data, size_t size)
{
	ssize_t n;

	ck_assert_uint_ge(size, 65536);
	if (broken_after == 0) {
		broken_after = SIZE_MAX;
		errno = EIO;
		return -1;
	}
	if (size > page)
		size = page;
	if (size > broken_after)
		size = broken_after;
	n = syscall(SYS_read, fd, data, size);
	if (broken_after != SIZE_MAX)
		broken_after -= (size_t)n;
	return n;
}

ssize_t read(int fd, void *data, size_t size)
{
	if (page)
		return read_record(fd, data, size);
	if (fd == watched) {
		ck_assert_uint_ge(size, 65536);
		reads++;
	}
	return syscall(SYS_read, fd, data, size);
}

/* A short read makes a server of 2.17 lose a reference, and panic later. */
START_TEST(test_read)
{
	struct slu_buf text = {0}, big = {0};
	struct slu_err err;

	for (int i = 0; i < 300000; i++)
		slu_buf_puts(&big, "0123456789");
	watched = open(tmpfile_path("job_stats"), O_RDWR | O_CREAT, 0600);
	ck_assert_int_eq(slu_write_all(watched, big.data, big.len), 0);
	lseek(watched, 0, SEEK_SET);
	expect_ok(slu_lustre_read(watched, &text, &err), err);
	ck_assert_uint_eq(text.len, big.len);
	ck_assert(memcmp(text.data, big.data, big.len) == 0 && reads > 0);
	close(watched);
	slu_buf_free(&text);
	slu_buf_free(&big);
}
END_TEST

enum state { NONE, GOOD, BROKEN };

/* The records of a target of this kind; BROKEN: reading them fails. */
static void put(const char *root, const char *kind, enum state state)
{
	char path[512];
	struct slu_err err;

	snprintf(path, sizeof(path), "%s/proc/fs/lustre/%s/f%s", root, kind,
		 state == BROKEN ? "/job_stats" : "");
	if (state != NONE)
		expect_ok(slu_mkdirs(path, 0755, &err), err);
	strcat(path, "/job_stats");
	if (state == GOOD)
		expect_ok(slu_file_write(AT_FDCWD, path, "job_stats:\n", 11,
					 0644, false, &err),
			  err);
}

/* An error of reading records is reported; one target of several may fail. */
START_TEST(test_records)
{
	static const struct {
		enum state ost, mdt;
		enum slu_kind kind; /* 0: there are records */
		const char *words;
	} cases[] = {
		{GOOD, NONE, 0, NULL},
		{NONE, GOOD, 0, NULL},
		{GOOD, GOOD, 0, NULL},
		{GOOD, BROKEN, 0, NULL},
		{BROKEN, GOOD, 0, NULL},
		{BROKEN, NONE, SLU_IO, "obdfilter/f/job_stats"},
		{NONE, BROKEN, SLU_IO, "mdt/f/job_stats"},
		{BROKEN, BROKEN, SLU_IO, "obdfilter/f/job_stats"},
		{NONE, NONE, SLU_NOTFOUND, "no server"},
	};
	struct slu_jobstats got = {0};
	struct slu_err err;
	char name[32];

	each(c, cases)
	{
		snprintf(name, sizeof(name), "root%td", c - cases);
		put(tmpfile_path(name), "obdfilter", c->ost);
		put(tmpfile_path(name), "mdt", c->mdt);
		if (c->kind)
			expect_fail(slu_job_stats_read(tmpfile_path(name), &got,
						       &err),
				    err, c->kind, c->words);
		else
			expect_ok(slu_job_stats_read(tmpfile_path(name), &got,
						     &err),
				  err);
	}
	slu_jobstats_free(&got);
}
END_TEST

/* Tokens are of storage targets: others do not count for the daemon. */
START_TEST(test_osts)
{
	struct slu_jobstats got = {0};
	const char *root = tmpfile_path("osts");
	struct slu_err err;

	put(root, "mdt", GOOD);
	expect_fail(slu_job_stats_of(root, "obdfilter", &got, &err), err,
		    SLU_NOTFOUND, "no server");
	put(root, "obdfilter", GOOD);
	expect_ok(slu_job_stats_of(root, "obdfilter", &got, &err), err);
	ck_assert_uint_eq(got.n_targets, 1);
	slu_jobstats_free(&got);
}
END_TEST

/* The jobs of a target, numbered from `first` on. */
static void put_jobs(const char *root, const char *target, int first, int n,
		     struct slu_buf *all)
{
	struct slu_buf text = {0};
	struct slu_err err;
	char path[512];

	slu_buf_puts(&text, "job_stats:\n");
	for (int i = first; i < first + n; i++)
		slu_buf_printf(
			&text,
			"- job_id:          %d\n"
			"  write_bytes:     { samples: %d, unit: bytes, "
			"min: 1, max: 9, sum: %d }\n"
			"  quotactl:        { samples: 0, unit: usecs }\n",
			i, i + 1, 10 * i);
	slu_buf_printf(all, "%s.job_stats=\n%s", target, text.data);
	snprintf(path, sizeof(path), "%s/proc/fs/lustre/%s", root, target);
	*strrchr(path, '.') = '/';
	expect_ok(slu_mkdirs(path, 0755, &err), err);
	strcat(path, "/job_stats");
	expect_ok(slu_file_write(AT_FDCWD, path, text.data, text.len, 0644,
				 false, &err),
		  err);
	slu_buf_free(&text);
}

static void same_stats(const struct slu_jobstats *a,
		       const struct slu_jobstats *b)
{
	ck_assert_uint_eq(a->n, b->n);
	ck_assert_uint_eq(a->n_targets, b->n_targets);
	ck_assert(memcmp(a->job, b->job, a->n * sizeof(*a->job)) == 0);
	ck_assert(memcmp(a->target, b->target,
			 a->n_targets * sizeof(*a->target)) == 0);
}

/* With any size of pages the result equals that of all texts in one; a target
 * whose text breaks off is ignored completely. */
START_TEST(test_pages)
{
	static const size_t pages[] = {1, 7, 100, 4096, 65536, 1 << 20};
	struct slu_jobstats got = {0}, want = {0};
	struct slu_buf all = {0}, both = {0};
	char *root = strdup(tmpfile_path("pages"));
	struct slu_err err;
	size_t first;

	put_jobs(root, "obdfilter.f-OST0000", 1, 1000, &all);
	first = all.len - strlen("obdfilter.f-OST0000.job_stats=\n");
	put_jobs(root, "obdfilter.f-OST0001", 500, 700, &all);
	slu_buf_printf(&both, "%s", all.data);
	put_jobs(root, "mdt.f-MDT0000", 1, 3, &both);
	expect_ok(slu_jobstats_parse(&want, both.data, both.len, &err), err);
	ck_assert_uint_gt(all.len, 128 << 10);
	each(p, pages)
	{
		page = *p;
		expect_ok(slu_job_stats_read(root, &got, &err), err);
		same_stats(&got, &want);
	}
	page = 4096;
	for (int i = 0; i < 2; i++) { /* in the first one, then in the second */
		broken_after = i ? first + 5000 : first - 5000;
		expect_ok(slu_job_stats_read(root, &got, &err), err);
		ck_assert_uint_eq(broken_after, SIZE_MAX);
		ck_assert_uint_eq(got.n_targets, 2);
		ck_assert_str_eq(got.target[0].name,
				 i ? "f-OST0000" : "f-OST0001");
		ck_assert_uint_eq(got.n, (i ? 1000 : 700) + 3);
	}
	page = 0;
	broken_after = SIZE_MAX;
	slu_jobstats_free(&got);
	slu_jobstats_free(&want);
	free(root);
	slu_buf_free(&all);
	slu_buf_free(&both);
}
END_TEST

/* Of a server of both kinds the requests of MDTs count; an OST has some of
 * these counters, too, which are no metadata. */
START_TEST(test_requests_of_mdts)
{
	static const char text[] = "- job_id: 7\n  getattr: { samples: 9 }\n";
	static const char *const kind[] = {"obdfilter", "mdt"};
	char path[512], *root = strdup(tmpfile_path("both"));
	struct slu_jobstats got = {0};
	struct slu_err err;

	for (int i = 0; i < 2; i++) {
		put(root, kind[i], GOOD);
		snprintf(path, sizeof(path), "%s/proc/fs/lustre/%s/f/job_stats",
			 root, kind[i]);
		expect_ok(slu_file_write(AT_FDCWD, path, text, strlen(text),
					 0644, false, &err),
			  err);
	}
	for (int i = 0; i < 2; i++) { /* also when it is read again */
		expect_ok(slu_job_stats_read(root, &got, &err), err);
		ck_assert_uint_eq(got.n, 2);
		ck_assert_uint_eq(got.job[0].requests, 0);
		ck_assert_uint_eq(got.job[1].requests, 9);
	}
	slu_jobstats_free(&got);
	free(root);
}
END_TEST

TEST_MAIN("jobstats", test_requests_of_mdts, test_requests, test_forms,
	  test_empty, test_recorded, test_read, test_records, test_osts,
	  test_pages)

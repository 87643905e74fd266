/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests whole measurements of sluice-ionbench with a simulated srun, also
 * interrupted and resumed.
 */
#include "config.h"
#include "tests/unit/select_io/ionbench_files.h"

/* Whole measurements. The stand-in for srun does what a task does in no time,
 * and says what a number of I/O nodes is worth: 10 MB/s without, 20 with each.
 * It notes what was asked of it, and while the file "needs" is there another
 * job gets I/O nodes. */
static const char fake_srun[] =
	"#!/bin/sh\n"
	"while [ \"$1\" != load ]; do shift; done\n"
	"n=$(cut -d' ' -f2 \"$LIBGKFS_FORWARDING_MAP_FILE\" 2>/dev/null |\n"
	"	sort -u | wc -l)\n"
	"echo \"$2 $3 $n $SLUICE_IONS\" >>$DIR/asked\n"
	"[ ! -e $DIR/needs ] || [ $n = 0 ] || {\n"
	"	mv $DIR/needs $DIR/mapping.json; exec sleep 100; }\n"
	"case $n in 0) t=0.1 ;; 1) t=0.05 ;; 2) t=0.025 ;; esac\n"
	"echo 1000000 0 $t\n";

static int signal_now;

static int signalled(void)
{
	return signal_now;
}

static struct slu_bench bench_of(const char *list)
{
	struct slu_bench b = {.ions = {0, 1, 2},
			      .n_ions = 3,
			      .repeat = 2,
			      .budget = 3600,
			      .most = 1u << 30,
			      .directory = "/data",
			      .quiet = true,
			      .nodes = "n[1-2]",
			      .about = "a test",
			      .signalled = signalled};
	struct slu_bench_setup setup = {
		.nodes = 2, .tasks = 2, .bytes = 1000000, .seconds = 1};
	static char state[256], table[256];
	char path[512];
	struct slu_err err;

	snprintf(state, sizeof(state), "%s/t.state", tmpdir());
	snprintf(table, sizeof(table), "%s/t.csv", tmpdir());
	b.state = state;
	b.table = table;
	put(in("srun"), fake_srun);
	snprintf(path, sizeof(path), "%s:%s", tmpdir(), getenv("PATH"));
	setenv("PATH", path, 1);
	setenv("DIR", tmpdir(), 1);
	put(in("mapping.json"), MAPPING(""));
	expect_ok(slu_idle_ions_open(&b.idle, tmpdir(), 7, &err), err);
	b.patterns = parsed(list, NULL, &err);
	ck_assert_uint_gt(b.patterns.n, 0);
	expect_ok(slu_bench_open(&b.results, state, &setup, false, &err), err);
	return b;
}

static void done(struct slu_bench *b)
{
	slu_bench_patterns_free(&b->patterns);
	slu_idle_ions_close(&b->idle);
	slu_bench_close(&b->results);
}

static void table_says(const struct slu_bench *b, const char *pattern,
		       double none, double one, double two)
{
	struct slu_buf text = {0};
	struct slu_patterns *t;
	const struct slu_curve *c;
	struct slu_err err;

	expect_ok(slu_file_read(AT_FDCWD, b->table, 1 << 20, &text, &err), err);
	t = slu_patterns_parse(text.data, "t", &err);
	ck_assert_msg(t != NULL, "%s", err.text);
	c = slu_patterns_find(t, pattern);
	ck_assert_ptr_nonnull(c);
	ck_assert_double_eq_tol(slu_curve_at(c, 0), none, 1e-3);
	ck_assert_double_eq_tol(slu_curve_at(c, 1), one, 1e-3);
	ck_assert_double_eq_tol(slu_curve_at(c, 2), two, 1e-3);
	slu_patterns_free(t);
	slu_buf_free(&text);
}

START_TEST(test_measure)
{
	struct slu_bench b = bench_of("write-1KiB-shared,read-1KiB-fpp");
	struct slu_err err = {0};
	struct slu_buf text = {0};
	size_t all;

	ck_assert_uint_eq(slu_bench_left(&b, &all), 12);
	ck_assert_int_eq(slu_bench_measure(&b, &err), SLU_BENCH_WHOLE);
	ck_assert_uint_eq(slu_bench_left(&b, &all), 0);
	ck_assert_uint_eq(b.results.moved, 18000000); /* reads: twice */
	table_says(&b, "write-1KiB-shared", 10, 20, 40);
	table_says(&b, "read-1KiB-fpp", 10, 20, 40);
	expect_ok(slu_file_read(AT_FDCWD, b.table, 1 << 20, &text, &err), err);
	ck_assert_ptr_nonnull(strstr(text.data, "# write-1KiB-shared with 2: 2 "
						"runs, 40 to 40"));
	slu_buf_free(&text);
	expect_ok(slu_file_read(AT_FDCWD, in("asked"), 1 << 20, &text, &err),
		  err);
	ck_assert_ptr_nonnull(
		strstr(text.data, "write /data/ionbench-write-1KiB-shared 2 2\n"
				  "remove /data/ionbench-write-1KiB-shared"));
	ck_assert_ptr_nonnull(strstr(text.data,
				     "write /data/ionbench-read-1KiB-fpp 0 0\n"
				     "read /data/ionbench-read-1KiB-fpp 0 0\n"
				     "remove "));
	slu_buf_free(&text);
	done(&b);
}
END_TEST

/* Writes end early, one task's before the other's: no holes are read. */
START_TEST(test_no_holes)
{
	struct slu_bench b = bench_of("read-1KiB-shared");
	struct slu_err err = {0};
	struct slu_buf text = {0};

	put(in("srun"), "#!/bin/sh\n"
			"while [ \"$1\" != load ]; do shift; done\n"
			"echo \"$2 $7 $9\" >>$DIR/asked\n"
			"echo 9000 0 1; echo 3000 0 1\n");
	ck_assert_int_eq(slu_bench_measure(&b, &err), SLU_BENCH_WHOLE);
	expect_ok(slu_file_read(AT_FDCWD, in("asked"), 1 << 20, &text, &err),
		  err);
	ck_assert_ptr_nonnull(strstr(text.data, "write 499712 499712\n"
						"read 499712 2048\n"
						"remove 499712 499712\n"));
	slu_buf_free(&text);
	done(&b);
}
END_TEST

/* A limit, and going on with a larger one; a torn last line; another setup. */
START_TEST(test_goes_on)
{
	struct slu_bench b = bench_of("write-1KiB-shared");
	struct slu_bench_setup other = b.results.setup;
	struct slu_bench_results r;
	struct slu_err err = {0};
	FILE *file;
	size_t all;

	b.most = 4000000;
	ck_assert_int_eq(slu_bench_measure(&b, &err), SLU_BENCH_BUDGET);
	expect_err(err, SLU_TIMEOUT, "--most");
	ck_assert_uint_eq(slu_bench_left(&b, &all), 2);
	table_says(&b, "write-1KiB-shared", 10, 20, 40);
	file = fopen(b.state, "a");
	fputs("{\"pattern\":\"write-1Ki", file);
	fclose(file);
	done(&b);
	other.nodes = 3;
	expect_fail(slu_bench_open(&r, b.state, &other, false, &err), err,
		    SLU_INVALID, "was begun with 2 nodes, 2 tasks");
	other.nodes = other.tasks = 0; /* --dry-run, outside of a job */
	expect_ok(slu_bench_open(&r, b.state, &other, true, &err), err);
	ck_assert_uint_eq(r.setup.nodes, 2);
	ck_assert_uint_eq(r.setup.tasks, 2);
	ck_assert_uint_eq(r.n, 4);
	slu_bench_close(&r);
	b = bench_of("write-1KiB-shared");
	ck_assert_uint_eq(slu_bench_left(&b, &all), 2);
	b.budget = 0.5;
	ck_assert_int_eq(slu_bench_measure(&b, &err), SLU_BENCH_BUDGET);
	expect_err(err, SLU_TIMEOUT, "--time");
	signal_now = SIGTERM;
	b.budget = 3600;
	ck_assert_int_eq(slu_bench_measure(&b, &err), SLU_BENCH_STOPPED);
	signal_now = 0;
	ck_assert_int_eq(slu_bench_measure(&b, &err), SLU_BENCH_WHOLE);
	done(&b);
}
END_TEST

/* Another job gets io1 and io2 in the middle of the first measurement with I/O
 * nodes: that ends at once and counts for nothing, the others are of the third;
 * when none of those that are left can be measured it waits, for no longer than
 * it may. */
START_TEST(test_gives_way)
{
	struct slu_bench b = bench_of("write-1KiB-shared");
	struct slu_err err = {0};
	size_t all, stopped = 0;

	put(in("needs"), MAPPING("{\"job_id\":9,\"ions\":[\"io1\",\"io2\"]}"));
	ck_assert_int_eq(slu_bench_measure(&b, &err), SLU_BENCH_BUDGET);
	expect_err(err, SLU_TIMEOUT, "no I/O nodes became idle in time");
	ck_assert_uint_eq(slu_bench_left(&b, &all), 2); /* with two */
	for (size_t i = 0; i < b.results.n; i++)
		stopped += b.results.run[i].bandwidth == 0;
	ck_assert_uint_eq(stopped, 1);
	put(in("mapping.json"), MAPPING(""));
	ck_assert_int_eq(slu_bench_measure(&b, &err), SLU_BENCH_WHOLE);
	table_says(&b, "write-1KiB-shared", 10, 20, 40);
	put(in("mapping.json"), MAPPING("{\"job_id\":7,\"ions\":[\"io3\"]}"));
	b.repeat++;
	ck_assert_int_eq(slu_bench_measure(&b, &err), SLU_BENCH_FAILED);
	expect_err(err, SLU_INVALID, "max=none");
	done(&b);
}
END_TEST

/* Three failures in a row are enough. */
START_TEST(test_three_failures_end_it)
{
	struct slu_bench b = bench_of("write-1KiB-shared");
	struct slu_err err = {0};

	put(in("srun"), "#!/bin/sh\nexit 1\n");
	ck_assert_int_eq(slu_bench_measure(&b, &err), SLU_BENCH_FAILED);
	expect_err(err, SLU_IO, "exit code 1");
	ck_assert_uint_eq(b.results.n, 3);
	done(&b);
}
END_TEST

/* An I/O node is down when the first measurement with it has ended: that counts
 * for nothing, and it comes again when it is back, at the third look. */
START_TEST(test_went_away)
{
	struct slu_bench b = bench_of("write-1KiB-shared");
	struct slu_err err = {0};
	size_t stopped = 0;

	b.repeat = 1;
	put(in("scontrol"),
	    "#!/bin/sh\n"
	    "echo look >>$DIR/looks\n"
	    "[ $(wc -l <$DIR/looks) = 3 ] && state=DOWN\n"
	    "echo \"NodeName=io1 State=${state:-IDLE} ThreadsPerCore=1\"\n");
	ck_assert_int_eq(slu_bench_measure(&b, &err), SLU_BENCH_WHOLE);
	for (size_t i = 0; i < b.results.n; i++)
		stopped += b.results.run[i].bandwidth == 0;
	ck_assert_uint_eq(stopped, 1);
	ck_assert_uint_eq(b.results.n, 4);
	table_says(&b, "write-1KiB-shared", 10, 20, 40);
	done(&b);
}
END_TEST

TEST_MAIN("ionbench measure", test_measure, test_no_holes, test_goes_on,
	  test_gives_way, test_three_failures_end_it, test_went_away)

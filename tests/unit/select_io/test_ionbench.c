/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests sluice-ionbench, which measures curves of bandwidth by number of I/O
 * nodes: access patterns from names, tables and Darshan logs; the choice of I/O
 * nodes; the load program. Whole measurements: test_ionbench_measure.
 */
#include "config.h"
#include "tests/unit/select_io/ionbench_files.h"

START_TEST(test_names_of_patterns)
{
	static const struct {
		const char *list, *want; /* keys, or words of the error */
	} cases[] = {
		{"write-1MiB-shared", "write-1MiB-shared"},
		{"write-1MB-fpp,read-32KiB-shared-strided",
		 "write-1000000-fpp,read-32KiB-shared-strided"},
		{"#BB forward pattern=big:20GiB,read-4KiB-fpp:1MiB max=2",
		 "write-2MiB-shared,read-4KiB-fpp"},
		{"#BB forward max=2 pattern=big", "write-2MiB-shared"},
		{"write-1MiB-shared,write-1MiB-shared", "write-1MiB-shared"},
		{"open", "\"open\" does not say"},
		{"both", "both: the table does not say its op"},
		{"write-0-shared", "\"write-0-shared\" does not say"},
		{"write-2GiB-shared", "1 byte to 1GiB"},
		{"write-1MiB", "does not say what it is"},
	};
	const char *table = "pattern,op,request,layout,1\n"
			    "both,,1MiB,,7\nbig,write,2MiB,shared,7\n";
	char key[SLU_BENCH_KEY], all[256];

	each(c, cases)
	{
		struct slu_err err;
		struct slu_bench_patterns p = parsed(c->list, table, &err);

		all[0] = '\0';
		for (size_t i = 0; i < p.n; i++) {
			strcat(all, i ? "," : "");
			strcat(all, slu_bench_key(&p.pattern[i], key));
		}
		if (p.n)
			ck_assert_str_eq(all, c->want);
		else
			expect_err(err, SLU_INVALID, c->want);
		slu_bench_patterns_free(&p);
	}
}
END_TEST

START_TEST(test_of_table)
{
	struct slu_bench_patterns p = {0};
	struct slu_patterns *t;
	struct slu_err err;

	t = slu_patterns_parse("pattern,op,request,layout,access,1\n"
			       "a,read,64KiB,file-per-process,strided,5\n"
			       "b,,1MiB,,,5\n",
			       "t", &err);
	expect_ok(slu_bench_add_table(&p, t, &err), err);
	ck_assert_uint_eq(p.n, 1);
	ck_assert(p.pattern[0].reads && p.pattern[0].strided &&
		  !p.pattern[0].shared);
	ck_assert_uint_eq(p.pattern[0].request, 65536);
	slu_patterns_free(t);
	slu_bench_patterns_free(&p);
	t = slu_patterns_parse("pattern,1\na,5\n", "t", &err);
	expect_fail(slu_bench_add_table(&p, t, &err), err, SLU_NOTFOUND,
		    "no pattern of the table");
	slu_patterns_free(t);
}
END_TEST

#define LOG                                                   \
	"# darshan log version: 3.10\n# exe: a\n# jobid: 7\n" \
	"# start_time: 1000\n# end_time: 1009\n"
#define COUNTER(rank, name, value) \
	"POSIX\t" rank "\t6\tPOSIX_" name "\t" value "\t/f\t/\tx\n"

START_TEST(test_darshan)
{
	char text[] = LOG COUNTER("-1", "BYTES_WRITTEN", "100000000") COUNTER(
		"-1", "WRITES", "100") COUNTER("-1", "CONSEC_WRITES", "3")
		LOG COUNTER("0", "BYTES_READ",
			    "4000") COUNTER("0", "BYTES_WRITTEN", "4000")
			COUNTER("0", "WRITES", "4") COUNTER("0", "READS", "4")
				COUNTER("0", "CONSEC_READS", "7");
	char nothing[] = "what\n";
	struct slu_bench_patterns p = {0};
	struct slu_err err;

	expect_ok(slu_bench_add_darshan(&p, text, strlen(text), &err), err);
	ck_assert_uint_eq(p.n, 3);
	ck_assert_str_eq(p.pattern[0].name, "write-1MiB-shared-strided");
	ck_assert_str_eq(p.pattern[1].name, "write-1KiB-fpp");
	ck_assert_str_eq(p.pattern[2].name, "read-1KiB-fpp");
	slu_bench_patterns_free(&p);
	expect_fail(slu_bench_add_darshan(&p, nothing, strlen(nothing), &err),
		    err, SLU_NOTFOUND, "no log of darshan-parser");
}
END_TEST

START_TEST(test_idle_ions)
{
	struct slu_hosts down = {0}, recruits = {0}, got;
	struct slu_idle_ions idle;
	struct slu_err err;

	expect_fail(slu_idle_ions_open(&idle, tmpdir(), 7, &err), err, SLU_IO,
		    "which jobs have which I/O nodes is not known");
	put(in("mapping.json"), MAPPING("{\"job_id\":5,\"ions\":[\"io1\"]},"
					"{\"job_id\":7,\"ions\":[]}"));
	expect_ok(slu_idle_ions_open(&idle, tmpdir(), 7, &err), err);
	ck_assert(!idle.ours_has_some);
	ck_assert(!slu_idle_ions_take(&idle, &down, 3, &got));
	ck_assert(slu_idle_ions_take(&idle, &down, 2, &got));
	ck_assert_str_eq(got.name[0], "io2");
	ck_assert(!slu_idle_ions_needed(&idle, &got));
	put(in("mapping.json"), MAPPING("{\"job_id\":9,\"ions\":[\"io3\"]}"));
	ck_assert(slu_idle_ions_needed(&idle, &got));
	slu_hosts_free(&got);
	expect_ok(slu_down_nodes("NodeName=io1 Arch=x State=IDLE Weight=1\n"
				 "NodeName=io2 Arch=x State=IDLE+DRAIN W=1\n"
				 "NodeName=io3 Arch=x State=DOWN* Weight=1\n",
				 &recruits, &down, &err),
		  err);
	ck_assert_uint_eq(down.n, 2);
	ck_assert(slu_idle_ions_take(&idle, &down, 1, &got));
	ck_assert_str_eq(got.name[0], "io1");
	slu_hosts_free(&got);
	slu_hosts_free(&down);
	put(in("mapping.json"), MAPPING("{\"job_id\":7,\"ions\":[\"io3\"]}"));
	expect_ok(slu_idle_ions_look(&idle, &err), err);
	ck_assert(idle.ours_has_some);
	ck_assert_int_eq(unlink(in("mapping.json")), 0);
	ck_assert(slu_idle_ions_take(&idle, &down, 1, &got));
	ck_assert(slu_idle_ions_needed(&idle, &got)); /* who knows */
	slu_hosts_free(&got);
	slu_idle_ions_close(&idle);
}
END_TEST

/* Compute nodes are I/O nodes as long as they show it. */
START_TEST(test_recruits)
{
	struct slu_hosts down, recruits;
	struct slu_err err;

	expect_ok(slu_hosts_parse("n1,n2,n3,n4", &recruits, &err), err);
	expect_ok(slu_down_nodes("NodeName=n1 ActiveFeatures=big,ion_free "
				 "State=ALLOCATED W=1\n"
				 "NodeName=n2 ActiveFeatures=ion_assigned "
				 "State=ALLOCATED W=1\n"
				 "NodeName=n3 AvailableFeatures=ion_free "
				 "ActiveFeatures=(null) State=IDLE W=1\n"
				 "NodeName=n4 State=IDLE W=1\n"
				 "NodeName=io1 State=IDLE W=1\n",
				 &recruits, &down, &err),
		  err);
	ck_assert_uint_eq(down.n, 3);
	ck_assert_int_lt(slu_hosts_find(&down, "n1"), 0);
	ck_assert_int_lt(slu_hosts_find(&down, "io1"), 0);
	slu_hosts_free(&down);
	slu_hosts_free(&recruits);
}
END_TEST

/* Four tasks cover a shared file to the byte, contiguous or in turns, read what
 * they wrote, and remove it. A part of it lies where it would in the whole. */
START_TEST(test_load)
{
	for (int way = 0; way < 8; way++) {
		struct slu_load l = {.path = in("d/data"),
				     .shared = way & 1,
				     .strided = way & 2,
				     .request = 1000,
				     .bytes = 8000,
				     .most = way < 4 ? 8000 : 3000,
				     .seconds = 60,
				     .tasks = 4,
				     .nodes = 2};
		static const char *const ops[] = {"write", "read", "remove"};
		double begun, ended;
		struct slu_err err;
		uint64_t moved, sum = 0;
		struct stat st;

		for (int op = 0; op < 3; op++)
			for (l.rank = 0; l.rank < 4; l.rank++) {
				l.op = ops[op];
				expect_ok(slu_load_run(&l, &moved, &begun,
						       &ended, &err),
					  err);
				ck_assert(begun <= ended);
				sum += moved;
				if (op == 0 && l.rank == 3 && l.shared) {
					ck_assert_int_eq(stat(l.path, &st), 0);
					ck_assert_int_eq(st.st_size,
							 way < 4    ? 32000
							 : way == 5 ? 27000
								    : 12000);
				}
			}
		ck_assert_uint_eq(sum, way < 4 ? 64000 : 24000);
		ck_assert_int_eq(rmdir(in("d")), 0); /* nothing is left */
	}
}
END_TEST

static const char *asked(void *arg)
{
	return arg;
}

START_TEST(test_step)
{
	static const struct {
		const char *script, *stop;
		enum slu_kind kind;
		const char *words;
	} cases[] = {
		{"echo 5 10.5 12; echo 7 11 13", NULL, 0, ""},
		{"sleep 100", "enough", SLU_BUSY, "enough"},
		{"trap '' TERM; sleep 1", NULL, SLU_TIMEOUT, "too long"},
		{"echo 5 1 2; exit 3", NULL, SLU_IO, "exit code 3"},
		{"echo what", NULL, SLU_IO, "no task reported"},
		{"exec /no/such/program", NULL, SLU_IO, "was not found"},
	};

	each(c, cases)
	{
		char *argv[] = {"sh", "-c", (char *)c->script, NULL};
		struct slu_step step = {.argv = argv,
					.stop = asked,
					.arg = (void *)c->stop,
					.seconds = c->kind == SLU_TIMEOUT ? 0.2
									  : 60};
		struct slu_err err = {0};
		struct slu_step_moved moved = {0};
		int rc = slu_step_run(&step, &moved, &err);

		if (c->kind) {
			ck_assert_int_eq(rc, -1);
			expect_err(err, c->kind, c->words);
		} else {
			ck_assert_uint_eq(moved.bytes, 12);
			ck_assert_uint_eq(moved.least, 5);
			ck_assert_double_eq(moved.seconds, 2.5);
		}
	}
}
END_TEST

TEST_MAIN("ionbench", test_names_of_patterns, test_of_table, test_darshan,
	  test_idle_ions, test_recruits, test_load, test_step)

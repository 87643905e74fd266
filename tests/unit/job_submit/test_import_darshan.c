/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests which of several Darshan logs of a job are combined as one execution.
 */
#include "config.h"
#include "tests/unit/harness.h"
#include "job_submit/import/import_formats.h"

static int no_uid(const char *user, uint32_t *uid)
{
	(void)user, (void)uid;
	return -1;
}

static int no_job(void *arg, const struct slu_job *job, struct slu_err *err)
{
	(void)arg, (void)job, (void)err;
	ck_abort_msg("a job");
}

static int keep_log(void *arg, const struct slu_import_io *io,
		    struct slu_err *err)
{
	uint64_t *log = arg;

	(void)err;
	while (*log)
		log++;
	*log = io->log;
	return 0;
}

#define BEGUN(exe, end)                                           \
	"# darshan log version: 3.10\n# exe: " exe "\n# uid: 5\n" \
	"# jobid: 7\n# start_time: 1000\n# end_time: " end "\n"
#define READ(bytes) "POSIX\t-1\t6\tPOSIX_BYTES_READ\t" bytes "\t/f\t/\tdvs\n"
#define TIMER(name, value) \
	"POSIX\t-1\t6\tPOSIX_F_" name "\t" value "\t/f\t/\tdvs\n"
#define TIMERS(time)                    \
	TIMER("OPEN_START", time)       \
	TIMER("READ_START", "0.000000") \
	TIMER("OPEN_END", "1.5")        \
	TIMER("META_TIME", "0.000024") TIMER("CLOSE_END", "2.5")
#define LOG(exe, end, time) BEGUN(exe, end) READ("5") TIMERS(time)

/* Executions of one second are told apart by their first timers; each is the
 * same however much of its log is there, and of its program when less is. */
START_TEST(test_programs)
{
	static const struct {
		const char *text;
		int program, execution;
	} cases[] = {
		{LOG("./a 1", "1009", "0.1"), 1, 1},
		{LOG("./a 2", "1009", "0.1"), 2, 1},
		{LOG("./a 1", "1010", "0.1"), 3, 1},
		{LOG("./a 1", "1009", "0.2"), 1, 2},
		{LOG("./a 1", "1009", "0.1") READ("7") TIMERS("3.1"), 1, 1},
		{BEGUN("./a 1", "1009") READ("5"), 1, 0},
		{BEGUN("./a 1", "1009") READ("9") TIMER("OPEN_START", "0.1"), 1,
		 0},
		{BEGUN("./a 2", "1009") READ("9"), 2, 0},
	};
	enum { N = sizeof(cases) / sizeof(cases[0]) };
	uint64_t log[N + 1] = {0};
	struct slu_import import = {gmtime_r, no_uid, no_job, keep_log, log, 0};
	struct slu_import_report r;
	struct slu_err err;

	each(c, cases)
	{
		char *text = strdup(c->text);

		expect_ok(slu_import("darshan", text, strlen(text), &import, &r,
				     &err),
			  err);
		free(text);
	}
	for (int i = 0; i < N; i++)
		for (int k = 0; k < N; k++) {
			expect((SLU_IO_PROGRAM(log[i]) ==
				SLU_IO_PROGRAM(log[k])) ==
				       (cases[i].program == cases[k].program),
			       "programs %d and %d", i, k);
			expect(((uint32_t)log[i] == (uint32_t)log[k]) ==
				       (cases[i].execution ==
					cases[k].execution),
			       "executions %d and %d", i, k);
		}
	ck_assert_uint_eq(log[5], SLU_IO_PROGRAM(log[0]));
}
END_TEST

TEST_MAIN("import_darshan", test_programs)

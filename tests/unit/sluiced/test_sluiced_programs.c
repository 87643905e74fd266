/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the warnings, one line each, about programs in sluice.conf that sluiced
 * cannot run. */
#include <sys/stat.h>
#include <unistd.h>
#include "sluiced/programs.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

static char said[1000];

static void hear(void *arg, enum slu_level level, const char *line)
{
	(void)arg;
	ck_assert_int_eq(level, SLU_WARN);
	strcat(said, line);
	strcat(said, "\n");
}

static const char *check(const char *job_totals, const char *mapping_program)
{
	const struct slu_log log = {.fn = hear, .max = SLU_INFO};
	const struct slu_conf conf = {
		.job_totals = (char *)(uintptr_t)job_totals,
		.mapping_program = (char *)(uintptr_t)mapping_program,
	};

	*said = '\0';
	slu_programs_check(&conf, &log);
	return said;
}

START_TEST(test_programs)
{
	char want[1000];

	ck_assert_str_eq(check(NULL, NULL), "");
	ck_assert_str_eq(check("/bin/sh", "/bin/sh"), "");
	ck_assert_str_eq(check("/no/sacct", "/no/told"),
			 "JobTotals: cannot run /no/sacct: No such file or "
			 "directory\n"
			 "MappingProgram: cannot run /no/told: No such file or "
			 "directory\n");
	snprintf(want, sizeof(want),
		 "JobTotals: cannot run %s: Permission denied\n", tmpdir());
	ck_assert_str_eq(check(tmpdir(), NULL), want);
}
END_TEST

/* A name is looked for as when it is run. */
START_TEST(test_path)
{
	char path[1000];
	FILE *f;

	f = fopen(tmpfile_path("sacct"), "w");
	ck_assert_ptr_nonnull(f);
	fclose(f);
	snprintf(path, sizeof(path), "/no:%s:", tmpdir());
	ck_assert_int_eq(setenv("PATH", path, 1), 0);
	ck_assert_str_eq(check("sacct", NULL),
			 "JobTotals: cannot run sacct: it is not in PATH\n");
	ck_assert_int_eq(chmod(tmpfile_path("sacct"), 0755), 0);
	ck_assert_str_eq(check("sacct", NULL), "");
	ck_assert_int_eq(setenv("PATH", "", 1), 0);
	ck_assert_str_ne(check("sacct", NULL), "");
}
END_TEST

TEST_MAIN("sluiced_programs", test_programs, test_path)

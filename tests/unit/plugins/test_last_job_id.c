/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests that slurmctld does not assign job numbers twice after it was killed.
 * Its functions are simulated: the next number, and numbers in use. */
#include "tests/unit/harness.h"

#include <stdarg.h>
#include <unistd.h>

#include "plugins/host.h"
#include "plugins/last_job_id.h"

#define CLUSTER	  (3u << 26) /* what a federation adds */
#define FILE_NAME "sluice.last_job"

slurm_conf_t slurm_conf;
static uint32_t next_job, bits;
static uint32_t taken; /* a job that slurmctld does know */
static int locked, errors;

void lock_slurmctld(slurmctld_lock_t lock)
{
	ck_assert_int_eq(lock.conf, READ_LOCK);
	ck_assert_int_eq(locked, 0);
	locked = lock.job == WRITE_LOCK && lock.fed == READ_LOCK ? 2 : 1;
}

void unlock_slurmctld(slurmctld_lock_t lock)
{
	(void)lock;
	locked = 0;
}

uint32_t get_next_job_id(bool test_only)
{
	uint32_t id = next_job == taken ? next_job + 1 : next_job;

	ck_assert_int_eq(locked, 2);
	if (!test_only)
		next_job = id + 1;
	return id | bits;
}

int get_log_level(void)
{
	return LOG_LEVEL_INFO;
}

void log_var(const log_level_t level, const char *format, ...)
{
	errors += level == LOG_LEVEL_ERROR;
	(void)format;
}

int error(const char *format, ...)
{
	(void)format;
	return errors++;
}

static void enter_dir(void)
{
	ck_assert_int_eq(chdir(getenv("TMPDIR")), 0);
	slurm_conf.state_save_location = ".";
}

static void write_file(const char *text)
{
	FILE *file = fopen(FILE_NAME, "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs(text, file), 0);
	ck_assert_int_eq(fclose(file), 0);
}

static void expect_file(const char *want)
{
	char got[32] = "";
	FILE *file = fopen(FILE_NAME, "r");

	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(fgets(got, sizeof(got), file));
	fclose(file);
	ck_assert_str_eq(got, want);
}

/* slurmctld starts. */
static void expect_next(const char *kept, uint32_t first, uint32_t want)
{
	write_file(kept);
	next_job = first;
	ck_assert_uint_eq(slu_last_job_id_pass(NULL), want - 1);
	ck_assert_uint_eq(next_job, want);
	ck_assert_int_eq(locked, 0);
}

START_TEST(test_highest_number_is_stored)
{
	enter_dir();
	slu_last_job_id_keep(NULL, 6);
	expect_file("6\n");
	slu_last_job_id_keep(NULL, 60000000);
	expect_file("60000000\n");
	ck_assert_int_eq(errors, 0);
	slurm_conf.state_save_location = "/nowhere";
	slu_last_job_id_keep(NULL, 8);
	ck_assert_int_eq(errors, 1);
	ck_assert_int_eq(locked, 0);
}
END_TEST

START_TEST(test_numbers_are_not_reused)
{
	enter_dir();
	expect_next("6\n", 6, 7);
	expect_next("6\n", 7, 7);
	expect_next("6\n", 4, 7);
	bits = CLUSTER;
	expect_next("6\n", 4, 7);
	taken = 6;
	expect_next("6\n", 4, 8);
	taken = 7;
	expect_next("6\n", 6, 7);
	ck_assert_int_eq(errors, 0);
}
END_TEST

START_TEST(test_of_another_time)
{
	enter_dir();
	expect_next("2000000\n", 6, 6);
	ck_assert_int_eq(errors, 1);
	expect_next("67043000\n", 6, 6); /* after MaxJobId */
	expect_next("not a number\n", 6, 6);
	expect_next("", 6, 6);
	ck_assert_int_eq(errors, 1);
	ck_assert_int_eq(unlink(FILE_NAME), 0);
	ck_assert_uint_eq(slu_last_job_id_pass(NULL), 5);
	ck_assert_int_eq(errors, 1);
}
END_TEST

TEST_MAIN("last_job_id", test_highest_number_is_stored,
	  test_numbers_are_not_reused, test_of_another_time)

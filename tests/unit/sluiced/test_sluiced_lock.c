/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the lock that prevents a second sluiced on one database. */
#include <unistd.h>
#include "sluiced/lock.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

START_TEST(test_lock)
{
	const char *db = tmpfile_path("x.db");
	struct slu_err err;
	char words[64];
	int fd = slu_lock_take(db, &err);

	ck_assert_int_ge(fd, 0);
	snprintf(words, sizeof(words), "another sluiced runs (pid %d)",
		 (int)getpid());
	expect_fail(slu_lock_take(db, &err), err, SLU_BUSY, words);
	close(fd);
	fd = slu_lock_take(db, &err);
	ck_assert_int_ge(fd, 0);
	close(fd);
	expect_fail(slu_lock_take("/nonexistent/x.db", &err), err, SLU_IO,
		    "x.db.lock");
}
END_TEST

TEST_MAIN("sluiced_lock", test_lock)

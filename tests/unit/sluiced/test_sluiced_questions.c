/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests many questions to sluiced at once. */
#include "tests/unit/sluiced/sluiced.h"

/* It ends when sluiced does. */
static int nobody_asks_for_long(void)
{
	return post(
		"/v1/query",
		"{\"question\":\"select\",\"sql\":\"WITH n (i) AS (VALUES (1) "
		"UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n\"}",
		NULL);
}

static int questions_waiting(void)
{
	static const char key[] = "\nsluice_questions_waiting ";
	const char *at = strstr(raw("GET /metrics HTTP/1.1\r\nHost: x\r\n"
				    "Connection: close\r\n\r\n"),
				key);

	return at ? atoi(at + strlen(key)) : -1;
}

/* One user's long questions leave processes for what others ask. */
START_TEST(test_long_questions)
{
	enum { MANY = SLU_QUESTION_CHILDREN + 2 };
	pid_t pid[MANY];

	if (!have_root() || !sluiced_begin())
		return;
	ctl_meet();
	for (int i = 0; i < MANY; i++)
		pid[i] = start_as_nobody(nobody_asks_for_long);
	while (questions_waiting() < 2)
		usleep(20000);
	expect(post("/v1/query", "{\"question\":\"running\"}", NULL) == 0, "%s",
	       err.text);
	for (int i = 0; i < MANY; i++) {
		ck_assert_int_eq(waitpid(pid[i], NULL, WNOHANG), 0);
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
	ctl_close();
	sluiced_end();
}
END_TEST

/* As much as the route takes, of what is large when it is understood. */
static int nobody_asks_at_length(void)
{
	struct slu_buf body = {0};

	slu_buf_puts(&body, "{\"question\":\"jobs\",\"hosts\":[{}");
	while (body.len < (1u << 20) - 8)
		slu_buf_puts(&body, ",{}");
	slu_buf_puts(&body, "]}");
	return post("/v1/query", body.data, NULL);
}

/* Questions that wait take the room of what was sent. */
START_TEST(test_large_questions)
{
	enum { LONG = SLU_QUESTION_CHILDREN / 2, MANY = LONG + 4 };
	pid_t pid[MANY];
	long before;

	if (!have_root() || !sluiced_begin())
		return;
	ctl_meet();
	before = sluiced_kib();
	for (int i = 0; i < MANY; i++) {
		pid[i] = start_as_nobody(i < LONG ? nobody_asks_for_long
						  : nobody_asks_at_length);
		while (questions_waiting() < i - LONG + 1)
			usleep(20000);
	}
	ck_assert_int_lt(sluiced_kib() - before, 64 << 10);
	for (int i = 0; i < MANY; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
	ctl_close();
	sluiced_end();
}
END_TEST

TEST_MAIN("sluiced questions", test_long_questions, test_large_questions)

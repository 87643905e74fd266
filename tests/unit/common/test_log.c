/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the log: levels, the file, and long messages, which are cut to one
 * line. */
#include "config.h"
#include "tests/unit/harness.h"
#include "common/log.h"
#include "common/str.h"
#include <regex.h>

static void collect(void *arg, enum slu_level level, const char *line)
{
	slu_buf_printf(arg, "%d:%s;", (int)level, line);
}

START_TEST(test_levels)
{
	struct slu_buf seen = {0};
	struct slu_log log = {collect, &seen, SLU_WARN};

	slu_log(&log, SLU_ERROR, "disk %d", 1);
	slu_log(&log, SLU_WARN, "two\nlines");
	slu_log(&log, SLU_INFO, "dropped");
	ck_assert_str_eq(seen.data, "0:disk 1;1:two lines;");
	slu_buf_free(&seen);
	slu_log(&(struct slu_log){0}, SLU_ERROR, "nowhere");
	slu_log(NULL, SLU_ERROR, "nowhere");
}
END_TEST

START_TEST(test_file)
{
	static const char shape[] = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T"
				    "[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3} "
				    "info hello\n$";
	char *text = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);
	struct slu_log log = {slu_log_to_file, file, SLU_DEBUG};
	regex_t re;

	slu_log(&log, SLU_INFO, "%s", "hello");
	ck_assert_int_eq(regcomp(&re, shape, REG_EXTENDED), 0);
	expect(regexec(&re, text, 0, NULL, 0) == 0, "%s", text);
	regfree(&re);
	fclose(file);
	free(text);
}
END_TEST

/* However long, it is one line and it ends. */
START_TEST(test_long_line)
{
	char *text = NULL, big[5000];
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);
	struct slu_log log = {slu_log_to_file, file, SLU_DEBUG};

	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	slu_log(&log, SLU_DEBUG, "%s", big);
	slu_log_to_file(file, SLU_DEBUG, big);
	fclose(file);
	ck_assert_uint_lt(len, sizeof(big));
	ck_assert_int_eq(text[len - 1], '\n');
	free(text);
}
END_TEST

TEST_MAIN("log", test_levels, test_file, test_long_line)

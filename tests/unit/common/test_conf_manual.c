/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests that the manual page and the example of sluice.conf have every key of
 * the table, and no other. */
#include "config.h"
#include "tests/unit/common/conf_text.h"
#include "common/str.h"
#include <strings.h>

/* Whole text of a file of the source tree; caller frees. */
static char *source_text(const char *name)
{
	const char *srcdir = getenv("srcdir");
	char path[512];
	struct slu_buf buf = {0};
	FILE *file;
	int c;

	snprintf(path, sizeof(path), "%s/%s", srcdir ? srcdir : ".", name);
	file = fopen(path, "r");
	ck_assert_msg(file != NULL, "no %s", path);
	while ((c = getc(file)) != EOF)
		slu_buf_add(&buf, &(char){(char)c}, 1);
	fclose(file);
	return slu_buf_steal(&buf);
}

/* The page describes exactly the keys of the table, in alphabetical order, with
 * their defaults. */
START_TEST(test_manual)
{
	char *text = source_text("man/sluice.conf.5"), *p, *end;
	const struct slu_conf_key *key = slu_conf_keys;

	p = strstr(text, ".SH PARAMETERS\n");
	ck_assert_ptr_nonnull(p);
	end = strstr(p, ".SH EXAMPLE\n");
	ck_assert_ptr_nonnull(end);
	*end = '\0';
	for (char *next; (p = strstr(p, ".TP\n.B ")); key++) {
		char head[64], tail[128];

		expect(key->name, "not in the table: %.40s", p + 7);
		snprintf(head, sizeof(head), ".TP\n.B %s\n", key->name);
		expect(strncmp(p, head, strlen(head)) == 0, "%s, but %.40s",
		       key->name, p + 7);
		next = strstr(p + 1, ".TP\n");
		if (next)
			next[-1] =
				'\0'; /* a newline, which ".TP" begins with */
		snprintf(tail, sizeof(tail),
			 key->fallback ? "\nDefault:\n.BR %s ."
				       : "\nNo default.",
			 key->fallback);
		expect(strstr(p, tail), "%s: no%s", key->name, tail);
		p = next ? next : p + 1;
	}
	expect(!key->name, "not in the page: %s", key->name);
	free(text);
}
END_TEST

START_TEST(test_keys_are_sorted_and_documented)
{
	size_t n = 0;

	for (const struct slu_conf_key *key = slu_conf_keys; key->name; key++) {
		expect(!n || strcasecmp(key[-1].name, key->name) < 0, "%s",
		       key->name);
		expect(key->help[strlen(key->help) - 1] == '.', "%s",
		       key->name);
		n++;
	}
	ck_assert_uint_le(n, SLU_CONF_KEYS_MAX);
}
END_TEST

/* The example parses, also with all that it shows in comments, shows each key
 * once, and gives the defaults as they are. */
START_TEST(test_example)
{
	char *text = source_text("etc/sluice.conf.example");
	struct slu_buf all = {0};

	slu_conf_free(parse(text));
	for (const struct slu_conf_key *key = slu_conf_keys; key->name; key++) {
		char shown[128];

		snprintf(shown, sizeof(shown), "\n#%s=%s%s", key->name,
			 key->fallback ? key->fallback : "",
			 key->fallback ? "\n" : "");
		if (!strstr(text, shown)) {
			snprintf(shown, sizeof(shown), "\n%s=", key->name);
			expect(strstr(text, shown), "no %s", key->name);
		}
	}
	for (char *p = text; *p; p++)
		if (!(*p == '#' && p[1] >= 'A' && p[1] <= 'Z'))
			slu_buf_add(&all, p, 1);
	slu_conf_free(parse(all.data)); /* so none stands twice */
	slu_buf_free(&all);
	free(text);
}
END_TEST

TEST_MAIN("conf manual", test_keys_are_sorted_and_documented, test_manual,
	  test_example)

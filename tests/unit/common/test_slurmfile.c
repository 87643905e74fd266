/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the parser of files in the form of slurm.conf: keys, values, included
 * files. */
#include "config.h"
#include "common/slurmfile.h"
#include "tests/unit/harness.h"

#include <stdlib.h>

static struct slu_err err;

static const struct file {
	const char *path, *text;
} files[] = {
	{"/a/main", "one\nInclude sub/two\n include\t/b/three here\nfour"},
	{"/a/sub/two", "two\nInclude deeper"},
	{"/a/sub/deeper", "deeper\n"},
	{"/b/three", "\xef\xbb\xbf"
		     "three"},
	{"/self", "Include self"},
	{"/one", "Include two"},
};

static int read_files(void *arg, const char *path, struct slu_buf *text,
		      struct slu_err *e)
{
	(void)arg;
	each(f, files)
	{
		if (strcmp(path, f->path))
			continue;
		slu_buf_puts(text, f->text);
		return 0;
	}
	return slu_err(e, SLU_NOTFOUND, "%s is not there", path);
}

/* "FILE:LINE KEY=VALUE|KEY=VALUE\n" */
static int note(void *arg, char *line, const char *file, size_t number,
		struct slu_err *e)
{
	struct slu_buf *to = arg;
	char *key, *value, *sep = " ";

	if (strcmp(line, "wrong") == 0)
		return slu_err(e, SLU_INVALID, "it is wrong");
	slu_buf_printf(to, "%s:%zu", file, number);
	while (slu_slurmfile_word(&line, &key, &value)) {
		slu_buf_printf(to, "%s%s=%s", sep, key, value);
		sep = "|";
	}
	slu_buf_puts(to, "\n");
	return 0;
}

START_TEST(test_keys_and_values_of_lines)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"", NULL},
		{" \t\n# a\n\r\n", NULL},
		{"A=1", "f:1 A=1\n"},
		{"\n A=1  b=2\t\r\n", "f:2 A=1|b=2\n"},
		{"A = 1 B= 2 C =3\tD\t=\t4", "f:1 A=1|B=2|C=3|D=4\n"},
		{"A+=1 B -= 2 C*= 3 D /=4", "f:1 A=1|B=2|C=3|D=4\n"},
		{"A=+1 B=-2 C-D=3", "f:1 A=+1|B=-2|C-D=3\n"},
		{"A=\"x y\" B= \"\" C=\"x\"y D=\"z", "f:1 A=x y|B=|C=\"x\"y|"
						     "D=\"z\n"},
		{"A=\"x=y # z\" B", "f:1 A=\"x=y\n"},
		{"alone A=1", "f:1 alone=|A=1\n"},
		{"=1 A=2", "f:1 =1|A=2\n"},
		{"A=n[1-4],\\\nn[5-8]\\ \n B=2\nC=3",
		 "f:3 A=n[1-4],n[5-8]|B=2\nf:4 C=3\n"},
		{"A=1 # no \\\nB=2", "f:1 A=1\nf:2 B=2\n"},
		{"A=a\\#b # c", "f:1 A=a#b\n"},
		{"A=a\\\\\nB=a\\\\#b", "f:1 A=a\\\nf:2 B=a\\\n"},
		{"A=1\\", "f:1 A=1\n"},
		{"Included=1 A=2", "f:1 Included=1|A=2\n"},
	};

	each(c, cases)
	{
		struct slu_buf got = {0};
		const struct slu_slurmfile how = {.line = note, .arg = &got};
		char *copy = strdup(c->text);

		expect_ok(slu_slurmfile_parse(&how, "f", copy, &err), err);
		if (c->want)
			ck_assert_str_eq(got.data, c->want);
		else
			expect(got.data == NULL, "%s: %s", c->text, got.data);
		slu_buf_free(&got);
		free(copy);
	}
}
END_TEST

START_TEST(test_include)
{
	struct slu_buf got = {0};
	const struct slu_slurmfile how = {
		.read = read_files, .line = note, .arg = &got};

	expect_ok(slu_slurmfile_read(&how, "/a/main", &err), err);
	ck_assert_str_eq(got.data, "/a/main:1 one=\n/a/sub/two:1 two=\n"
				   "/a/sub/deeper:1 deeper=\n/b/three:1 three="
				   "\n/a/main:4 four=\n");
	slu_buf_free(&got);
}
END_TEST

/* "1" includes "2" nine times, that "3" and so on, up to "7". */
static int read_many(void *arg, const char *path, struct slu_buf *text,
		     struct slu_err *e)
{
	size_t *n = arg;

	(void)e;
	++*n;
	for (int i = 0; i < 9 && *path < '7'; i++)
		slu_buf_printf(text, "Include %c\n", *path + 1);
	return 0;
}

START_TEST(test_refused)
{
	static const struct {
		const char *path, *words;
		enum slu_kind kind;
	} cases[] = {
		{"/none", "/none is not there", SLU_NOTFOUND},
		{"/self", "/self:1: /self:1: ", SLU_INVALID},
		{"/one", "/one:1: /two is not there", SLU_INVALID},
	};
	struct slu_buf got = {0};
	struct slu_slurmfile how = {
		.read = read_files, .line = note, .arg = &got};
	char wrong[] = "A=1\nwrong\nB=2", no[] = "Include /etc/shadow";
	size_t n = 0;

	each(c, cases) expect_fail(slu_slurmfile_read(&how, c->path, &err), err,
				   c->kind, c->words);
	expect_fail(slu_slurmfile_parse(&how, "f", wrong, &err), err,
		    SLU_INVALID, "f:2: it is wrong");
	ck_assert_str_eq(got.data, "f:1 A=1\n");
	how.read = NULL;
	expect_fail(slu_slurmfile_parse(&how, "f", no, &err), err, SLU_INVALID,
		    "f:1: Include has no place here");
	slu_buf_free(&got);
	how = (struct slu_slurmfile){
		.read = read_many, .line = note, .arg = &n};
	expect_fail(slu_slurmfile_read(&how, "1", &err), err, SLU_INVALID,
		    "Includes go too far");
	ck_assert_uint_le(n, 1024);
}
END_TEST

TEST_MAIN("slurmfile", test_keys_and_values_of_lines, test_include,
	  test_refused)

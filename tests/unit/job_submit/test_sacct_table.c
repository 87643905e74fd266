/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests how sacct's lines with '|' inside values are split into columns: as
 * trying all ways does, and never so that one job is mistaken for another. */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include "job_submit/import/import_formats.h"
#include "job_submit/import/sacct_forms.h"
#include "job_submit/import/sacct_table.h"

/* All ways to lay pieces into columns. */
struct ways {
	const struct slu_sacct_table *t;
	char *const *piece;
	size_t n, begin[64], first[64];
	uint64_t found;
	bool unsure; /* one that is read lies elsewhere in another way */
};

static void note_way(struct ways *w)
{
	size_t n = w->t->n;

	if (!w->found++)
		memcpy(w->first, w->begin, sizeof(w->first));
	for (size_t i = 0; i < n; i++)
		if (w->t->at[i].column != SLU_SACCT_COLUMNS &&
		    (w->begin[i] != w->first[i] ||
		     w->begin[i + 1] != w->first[i + 1]))
			w->unsure = true;
}

/* Whatever the job, sacct prints something there. */
static bool is_said(enum slu_sacct_column column)
{
	static const enum slu_sacct_column said[] = {
		SLU_SACCT_JOB_ID,   SLU_SACCT_START,   SLU_SACCT_END,
		SLU_SACCT_STATE,    SLU_SACCT_ELAPSED, SLU_SACCT_NODES,
		SLU_SACCT_EXIT_CODE};

	each(c, said) if (*c == column) return true;
	return false;
}

static void try(struct ways *w, size_t column, size_t at)
{
	bool is_free;

	w->begin[column] = at;
	if (column < w->t->n && at == w->n)
		return;
	if (column == w->t->n) {
		if (at == w->n)
			note_way(w);
		return;
	}
	is_free = w->t->at[column].form == SLU_SACCT_FREE;
	if (!*w->piece[at] && is_said(w->t->at[column].column))
		return;
	for (size_t end = at + 1; end <= (is_free ? w->n : at + 1); end++)
		if (end <= w->n &&
		    (is_free ||
		     slu_sacct_is_form(w->t->at[column].form, w->piece[at],
				       strlen(w->piece[at]))))
			try(w, column + 1, end);
}

#define HEADER "JobID|User|Start|End"

static void random_header(char *out, uint64_t *seed)
{
	static const char *const more[] = {"JobName", "State",	 "NNodes",
					   "Comment", "WorkDir", "ExitCode",
					   "Elapsed", "Odd",	 "AllocTRES"};

	strcpy(out, HEADER);
	for (size_t n = slu_random(seed, 6); n; n--)
		sprintf(out + strlen(out), "|%s", more[slu_random(seed, 9)]);
}

START_TEST(test_all_ways)
{
	static const char *const words[] = {
		"",	"5",   "7.0", "COMPLETED", "2026-03-02T10:00:00",
		"x y",	"0:0", "u",   "cpu=1",	   "1-02:03:04",
		"None",
	};
	uint64_t seed = 1, sure = 0, unsure = 0, none = 0;

	for (int round = 0; round < 100000; round++) {
		char header[128], line[512] = "", copy[512];
		char *piece[16], *at[SLU_SACCT_COLUMNS];
		struct slu_sacct_table t;
		struct ways w = {.t = &t, .piece = piece};
		struct slu_err err;
		int rc;

		random_header(header, &seed);
		ck_assert_int_eq(slu_sacct_header(header, &t, &err), 1);
		w.n = t.n + slu_random(&seed, 4);
		for (size_t i = 0; i < w.n; i++) {
			size_t word = slu_random(&seed, 11);

			if (i == 0)
				word = 1;
			else if (i == 2 || i == 3)
				word = 4;
			piece[i] = (char *)(uintptr_t)words[word];
			sprintf(line + strlen(line), "%s%s", i ? "|" : "",
				piece[i]);
		}
		try(&w, 0, 0);
		strcpy(copy, line);
		rc = slu_sacct_cut(&t, copy, at, &err);
		if (!w.found) { /* columns that do not matter may be odd */
			none++;
			continue;
		}
		expect((rc == 0) == !w.unsure, "%s: %s: %s", header, line,
		       err.text);
		sure += rc == 0;
		unsure += rc < 0;
		for (size_t i = 0; rc == 0 && i < t.n; i++) {
			size_t offset = 0;

			if (t.at[i].column == SLU_SACCT_COLUMNS)
				continue;
			for (size_t k = 0; k < w.first[i]; k++)
				offset += strlen(piece[k]) + 1;
			/* of two of one title either may count */
			expect(at[t.at[i].column] == copy + offset ||
				       strstr(strstr(header,
						     slu_sacct_title(
							     t.at[i].column)) +
						      1,
					      slu_sacct_title(
						      t.at[i].column)) ||
				       t.at[i].column == SLU_SACCT_JOB_ID,
			       "%s: %s: column %zu", header, line, i);
		}
	}
	ck_assert_uint_gt(sure, 5000);
	ck_assert_uint_gt(unsure, 1000);
	ck_assert_uint_gt(none, 1000);
}
END_TEST

/* What a user may write. */
static void random_text(char *out, uint64_t *seed)
{
	static const char *const parts[] = {
		"|",	 "\n",	 "a",	     "b c", "||", "|5|",
		"|x\ny", "a1|1", "|FAILED|", "é",   "\r", "|0:0|"};

	*out = '\0';
	for (size_t n = slu_random(seed, 4); n; n--)
		strcat(out, parts[slu_random(seed, 12)]);
}

#define JOBS 40

struct told {
	char name[JOBS][64];
	uint64_t right;
};

/* Blank lines at the end of a line cannot be told from those of the file. */
static size_t length(const char *text)
{
	size_t len = strlen(text);

	while (len && strchr("\r\n", text[len - 1]))
		len--;
	return len;
}

static int take(void *arg, const struct slu_job *job, struct slu_err *err)
{
	struct told *told = arg;
	const char *name = job->name ? job->name : "";
	const char *want = told->name[job->job_id % JOBS];

	(void)err;
	ck_assert_uint_lt(job->job_id, JOBS);

	expect(length(name) == length(want) &&
		       !strncmp(name, want, length(want)),
	       "job %u: \"%s\" for \"%s\"", job->job_id, name, want);
	ck_assert_uint_eq(job->uid, 100 + job->job_id);
	ck_assert_uint_eq(job->node_cnt, 7);
	ck_assert_int_eq(job->start, 1700000000);
	ck_assert_int_eq(job->end, 1700000060);
	ck_assert_str_eq(job->state, "COMPLETED");
	ck_assert_str_eq(job->user, "ada");
	told->right++;
	return 0;
}

static int no_uid(const char *user, uint32_t *uid)
{
	(void)user, (void)uid;
	return -1;
}

/* Jobs with a name and another text of any content are right, or missing. */
START_TEST(test_texts)
{
	static const char *const headers[] = {
		"JobID|UID|User|NNodes|Start|End|State|Comment|ExitCode|"
		"JobName",
		"JobID|JobName|UID|User|NNodes|Comment|Start|End|State",
		"JobID|UID|Comment|User|JobName|NNodes|Start|End|State|",
	};
	static const char *const lines[] = {
		"%d|%d|ada|7|1700000000|1700000060|COMPLETED|%s|0:0|%s\n",
		"%d|%s|%d|ada|7|%s|1700000000|1700000060|COMPLETED\n",
		"%d|%d|%s|ada|%s|7|1700000000|1700000060|COMPLETED|\n",
	};
	uint64_t seed = 7, right = 0;

	for (int round = 0; round < 3000; round++) {
		char text[JOBS * 256], *at = text, other[64];
		struct told told = {.right = 0};
		struct slu_import import = {gmtime_r, no_uid, take,
					    NULL,     &told,  0};
		struct slu_import_report r;
		struct slu_err err;

		at += sprintf(at, "%s\n", headers[round % 3]);
		for (int i = 1; i < JOBS; i++) {
			random_text(told.name[i], &seed);
			random_text(other, &seed);
			if (round % 3 == 0)
				at += sprintf(at, lines[0], i, 100 + i, other,
					      told.name[i]);
			else if (round % 3 == 1)
				at += sprintf(at, lines[1], i, told.name[i],
					      100 + i, other);
			else
				at += sprintf(at, lines[2], i, 100 + i, other,
					      told.name[i]);
		}
		expect_ok(slu_import("sacct", text, strlen(text), &import, &r,
				     &err),
			  err);
		ck_assert_uint_eq(r.jobs, told.right);
		right += told.right;
	}
	/* texts that are made to look like columns leave many open */
	ck_assert_uint_gt(right, 3000 * (JOBS - 1) * 3 / 10);
}
END_TEST

static int note_name(void *arg, const struct slu_job *job, struct slu_err *err)
{
	char *out = arg;

	(void)err;
	sprintf(out + strlen(out), "%u=%s;", job->job_id,
		job->name ? job->name : "");
	return 0;
}

#define BARS   "JobID|UID|Start|End|State|JobName\n"
#define COMMAS "JobID,UID,Start,End,State,JobName\n"
#define ROW(n) n "|5|2|9|COMPLETED|"
#define CSV(n) n ",5,2,9,COMPLETED,"
#define APART  "sacct: error: slurmdbd: Connection refused\n"

/* Lines of other programs between the jobs are named, and no part of a name. */
START_TEST(test_foreign_lines)
{
	static const struct {
		const char *text, *names;
		uint64_t broken;
		const char *named;
		uint64_t joined, joined_at;
	} cases[] = {
		{BARS ROW("1") "nm\n" APART ROW("2") "nm\n", "1=nm;2=nm;", 1,
		 "3: 1 of 6 columns", 0, 0},
		{BARS ROW("1") "nm\n" ROW("2") "nm\n(2 rows)\n", "1=nm;2=nm;",
		 1, "4: 1 of 6 columns", 0, 0},
		{BARS ROW("1") "nm\r\n\r\n(1 row)\r\n", "1=nm;", 1,
		 "4: 1 of 6 columns", 0, 0},
		{COMMAS CSV("1") "nm\r\n\r\nTotal: 1\r\n", "1=nm;", 1,
		 "4: 1 of 6 columns", 0, 0},
		{BARS ROW("1") "nm\n2 rows in set (0.001 sec)\n", "1=nm;", 1,
		 "3: 1 of 6 columns", 0, 0},
		/* in the middle of a row that was cut */
		{BARS "1|5|2\n" APART ROW("2") "nm\n", "2=nm;", 2,
		 "2: 3 of 6 columns", 0, 0},
		/* a name may go on: it is said */
		{BARS ROW("1") "a\nrows: 3\n\nb\n" ROW("2") "c\nd\n" APART,
		 "1=a\nrows: 3\n\nb;2=c\nd;", 1, "8: 1 of 6 columns", 3, 3},
		/* Quoted: what is outside the quotes is no part of a name. */
		{COMMAS CSV("1") "\"a,b\"\n\n(1 row)\n", "1=a,b;", 1,
		 "4: 1 of 6 columns", 0, 0},
		{COMMAS CSV("1") "\"a,b\"\n" CSV("2") "c\n(2 rows)\n",
		 "1=a,b;2=c;", 1, "4: 1 of 6 columns", 0, 0},
		{COMMAS CSV("1") "\"a,b\"\nBye, all\n" CSV("2") "\"c\nd\"\n"
								"Bye\n",
		 "1=a,b;2=c\nd;", 2, "3: 2 of 6 columns", 0, 0},
		{"JobID,JobName,UID,Start,End\n1,\"a,b\",5,2,9\n(1 row)\n",
		 "1=a,b;", 1, "3: 1 of 5 columns", 0, 0},
		/* A quote that is not closed loses its row, not the next. */
		{COMMAS CSV("1") "nm\n" CSV("2") "\"open\n" CSV("3") "nm\n",
		 "1=nm;3=nm;", 1, "3: a quote is opened and not closed", 0, 0},
		{COMMAS CSV("1") "nm\n" CSV("2") "\"open\n" CSV("3") "\"nm\"\n",
		 "1=nm;3=nm;", 1, "3: a quote is opened and not closed", 0, 0},
		{COMMAS CSV("1") "\"n\"\n" CSV("2") "\"op\nen\n" CSV(
			 "3") "\"n\nm\"\n",
		 "1=n;3=n\nm;", 2, "3: a quote is opened and not closed", 0, 0},
		{COMMAS CSV("1") "\"a\n1,5,2,9\nb\"\n" CSV("2") "\"open",
		 "1=a\n1,5,2,9\nb;", 1, "5: a quote is opened and not closed",
		 0, 0},
		/* sacct with such a delimiter quotes nothing */
		{"JobID\x1fUID\x1fStart\x1f"
		 "End\x1fJobName\n1\x1f"
		 "5\x1f"
		 "2\x1f"
		 "9\x1f\"a\nb\"\n",
		 "1=\"a\nb\";", 0, "", 1, 3},
	};

	each(c, cases)
	{
		char out[256] = "", *text = strdup(c->text);
		struct slu_import import = {gmtime_r, no_uid, note_name,
					    NULL,     out,    0};
		struct slu_import_report r;
		struct slu_err err;

		expect_ok(slu_import("sacct", text, strlen(text), &import, &r,
				     &err),
			  err);
		expect(!strcmp(out, c->names) && r.broken == c->broken &&
			       !strcmp(r.named[0], c->named) &&
			       r.joined == c->joined &&
			       r.joined_at == c->joined_at,
		       "case %td: %s, %ld broken: %s, %ld joined at %ld",
		       c - cases, out, (long)r.broken, r.named[0],
		       (long)r.joined, (long)r.joined_at);
		free(text);
	}
}
END_TEST

TEST_MAIN("sacct_table", test_all_ways, test_texts, test_foreign_lines)

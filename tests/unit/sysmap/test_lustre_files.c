/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests the parsers on every recording of Lustre: each row's value is compared
 * with what sscanf() finds. A recording that is missing in the table fails, and
 * so does a row of the table without a recording.
 */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/select_io/recorded.h"
#include "tests/unit/tmpdir.h"

#include <fnmatch.h>
#include <ftw.h>
#include <math.h>
#include "common/str.h"
#include "select_io/ost/server_report.h"
#include "sysmap/lustre/jobstats.h"
#include "select_io/tbf/rules.h"
#include "sysmap/lustre/lustre.h"

static struct slu_err err;
static size_t values; /* that were compared */

static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');

	return end && end[1] ? end + 1 : NULL;
}

/* A number of a line of one job's record, "  read_bytes: { samples: 3, ...". */
static unsigned long long of_job(const char *line, const char *word)
{
	unsigned long long n = 0;
	const char *at = strstr(line, word);

	if (at && at < strchrnul(line, '\n'))
		sscanf(at + strlen(word), " %llu", &n);
	return n;
}

static void same(const char *file, const char *what, double is, double ought)
{
	expect(is == ought, "%s: %s is %.17g, not %.17g", file, what, is,
	       ought);
	values++;
}

/* "we\x20ird" is written so since 2.15: we ird. */
static void plain(char *name)
{
	unsigned byte;
	char *out = name;
	size_t len = strlen(name);

	if (*name != '"' || len < 2 || name[len - 1] != '"')
		return;
	name[len - 1] = '\0';
	for (const char *in = name + 1; *in; out++)
		if (sscanf(in, "\\x%2x", &byte) == 1) {
			*out = (char)byte;
			in += 4;
		} else {
			*out = *in++;
		}
	*out = '\0';
}

/* Each job's counters, in the order of the records. */
static void jobs(const char *file, const char *text)
{
	struct slu_jobstats s = {0};
	struct slu_jobstat *job = NULL;
	size_t n = 0;
	char name[64];

	expect_ok(slu_jobstats_parse(&s, text, strlen(text), &err), err);
	for (const char *l = text; l; l = next_line(l)) {
		if (!strncmp(l, "- job_id:", 9)) {
			name[0] = '\0'; /* some have none */
			sscanf(l, "- job_id:%*[ ]%63[^ \n]", name);
			ck_assert_uint_lt(n, s.n);
			job = &s.job[n++];
			plain(name);
			ck_assert_str_eq(job->job, name);
		} else if (!strncmp(l, "  read_bytes:", 13) && job) {
			same(file, "reads", (double)job->read_rpcs,
			     (double)of_job(l, "samples:"));
			same(file, "read", (double)job->read_bytes,
			     (double)of_job(l, "sum:"));
		} else if (!strncmp(l, "  write_bytes:", 14) && job) {
			same(file, "writes", (double)job->write_rpcs,
			     (double)of_job(l, "samples:"));
			same(file, "written", (double)job->write_bytes,
			     (double)of_job(l, "sum:"));
		}
	}
	same(file, "jobs", (double)s.n, (double)n);
	slu_jobstats_free(&s);
}

/* Has an earlier line a row of that name? */
static bool is_repeated(const char *text, const char *line, const char *name)
{
	size_t len = strlen(name);

	for (const char *l = text; l && l < line; l = next_line(l))
		if (!strncmp(l, name, len) && l[len] == ' ')
			return true;
	return false;
}

/* The counters of a target, a service, a client: each row's two numbers. */
static void rows(const char *file, const char *text)
{
	unsigned long long n, sum;
	uint64_t samples, total;
	char name[64];

	for (const char *l = text; l; l = next_line(l)) {
		sum = 0;
		if (sscanf(l, "%63s %llu samples [%*[^]]] %*[0-9] %*[0-9] %llu",
			   name, &n, &sum) < 2 ||
		    *l == ' ' || !strstr(l, "samples [") ||
		    strstr(l, "samples [") > strchrnul(l, '\n') ||
		    is_repeated(text, l, name))
			continue;
		samples = total = 0;
		expect(slu_stats_row(text, name, &samples, &total), "%s: no %s",
		       file, name);
		same(file, name, (double)samples, (double)n);
		same(file, name, (double)total, (double)sum);
	}
}

/* The mean time of a disk I/O, of the first histogram. */
static void io_time(const char *file, const char *text)
{
	const char *l = strstr(text, "I/O time");
	double n = 0, sum = 0;

	while (l && (l = next_line(l))) {
		double label, in = 0, out = 0;
		char unit;

		if (sscanf(l, "%lf%c", &label, &unit) != 2 ||
		    !strchr(":KM", unit))
			break;
		sscanf(l, "%*[^:]: %lf %*[^|]| %lf", &in, &out);
		label *= unit == 'K' ? 1024 : unit == 'M' ? 1048576 : 1;
		n += in + out;
		sum += (in + out) * label;
	}
	same(file, "I/O time", slu_ost_io(text, SLU_OST_IO_TIME),
	     n > 0 ? sum / n : -1);
}

/* "0: fs-OST0000_UUID ACTIVE" */
static void osts(const char *file, const char *text)
{
	char *copy = strdup(text), *rest = copy, name[64], state[32];
	struct slu_lustre_ost ost;
	unsigned index, n = 0;

	for (const char *l = text; l; l = next_line(l)) {
		if (sscanf(l, "%u: %63[^_]_UUID %31s", &index, name, state) !=
		    3)
			continue;
		ck_assert(slu_lustre_ost_next(&rest, &ost));
		ck_assert_str_eq(ost.name, name);
		same(file, name, ost.index, index);
		same(file, state, ost.active, !strcmp(state, "ACTIVE"));
		n++;
	}
	expect(n > 0 && !slu_lustre_ost_next(&rest, &ost), "%s: %u targets",
	       file, n);
	free(copy);
}

/* The first policy of regular requests that is started and not the fallback,
 * else the fallback. */
static void policy(const char *file, const char *text)
{
	char name[32] = "", other[32] = "", back[32] = "", state[16] = "";
	const char *end = strstr(text, "high_priority_requests:");
	char have[SLU_POLICY_SIZE], word[16];

	for (const char *l = text; l && !(end && l > end); l = next_line(l)) {
		sscanf(l, " - name: %31[^\n]", name);
		sscanf(l, " state: %15s", state);
		if (sscanf(l, " fallback: %15s", word) != 1 ||
		    strcmp(state, "started") != 0)
			continue;
		if (!strcmp(word, "yes"))
			strcpy(back, name);
		else if (!*other)
			strcpy(other, name);
	}
	slu_policy_parse(text, have);
	expect(!strcmp(have, *other ? other : back), "%s: %s, not %s%s", file,
	       have, other, back);
	values++;
}

/* All of what `lctl get_param` of a server or a client printed. */
static void parameters(const char *file, const char *text)
{
	jobs(file, text);
	rows(file, text);
}

#define BY(test) NULL, test

/* The first that matches; paths below shared/data/lustre, and those of the
 * archive behind "tree/". */
static const struct {
	const char *pattern;
	void (*check)(const char *file, const char *text);
	const char *why; /* nothing is checked here */
} table[] = {
	{"recorded-*/SOURCE.txt", BY("says where they are from")},
	{"recorded-*/job_stats*.txt", jobs, NULL},
	{"recorded-*/mdt_job_stats.txt", jobs, NULL},
	{"recorded-*/lbug_job_stats.txt",
	 BY("the console of a server that panics: test_jobstats keeps reads "
	    "long enough")},
	{"recorded-*/stats.txt", rows, NULL},
	{"recorded-*/ost_io_stats.txt", rows, NULL},
	{"recorded-*/brw_stats.txt", io_time, NULL},
	{"recorded-*/lfs_osts*.txt", osts, NULL},
	{"recorded-*/nrs_policies.txt", policy, NULL},
	{"recorded-*/nrs_tbf.txt", BY("test_rules: every dump of rules")},
	{"recorded-*/tbf_*.txt", BY("test_rules: every dump of rules")},
	{"tbf_samples.txt", BY("test_rules: every dump of rules")},
	{"recorded-*/kbytes.txt", BY("test_ost_stats: test_servers")},
	{"recorded-*/lnet_stats.txt", BY("test_ost_stats: test_servers")},
	{"recorded-*/version.txt", BY("test_ost_stats: test_servers")},
	{"recorded-*/nrs_rule_fifo.txt",
	 BY("an error: the daemon sets the policy first (test_tbfd.sh)")},
	{"recorded-*/lctl_dl.txt",
	 BY("targets are found by their directories")},
	{"recorded-*/lfs_df*.txt",
	 BY("space is asked of servers (kbytesavail)")},
	{"recorded-*/lfs_mdts.txt", BY("no file is placed on an MDT")},
	{"recorded-*/list_param_*.txt", BY("parameters are opened by name")},
	{"recorded-*/paths.txt",
	 BY("listings; the places are in test_rates and "
	    "test_tree of test_ost_stats")},
	{"recorded-*/pfl*.txt", BY("layouts are written, never read; "
				   "test_stripe_layout has the limits")},
	{"recorded-*/stripe.txt", BY("layouts are written, never read")},
	{"recorded-*/pools.txt", BY("files go to numbered targets, not pools")},

	{"2.12-testcases/*/job_stats", jobs, NULL},
	{"2.12-testcases/*/brw_stats", io_time, NULL},
	{"2.12-testcases/*stats", rows, NULL},
	{"2.12-testcases/*/expected.out",
	 BY("what another program made of it")},
	{"2.12-testcases/*/eviction_count", BY("nothing asks for evictions")},
	{"2.12-testcases/*/health_check", BY("nothing asks for it: a target "
					     "says itself if it is degraded")},

	{"lctl-outputs/brw_stats_*.txt", io_time, NULL},
	{"lctl-outputs/valid/*", parameters, NULL},
	{"lctl-outputs/osd*.txt", parameters, NULL},
	{"lctl-outputs/recovery-*.txt", BY("nothing asks for recoveries")},
	{"lctl-outputs/mdd.txt", BY("nothing reads changelogs")},
	{"lctl-outputs/mgs-fs.txt", BY("only names of parameters")},
	{"lctl-outputs/osp.txt", BY("only what MDTs know of OSTs")},

	{"lustre-2.10-proc-sys-tree.tar.gz", BY("unpacked, as tree/")},
	{"tree/*/job_stats", jobs, NULL},
	{"tree/*/brw_stats", io_time, NULL},
	{"tree/*/lmv/*/target_obd", BY("of MDTs, on which nothing is placed")},
	{"tree/*/target_obd", osts, NULL},
	{"tree/*/nrs_policies", policy, NULL},
	{"tree/*/nrs_tbf_rule", BY("empty: the policy is not in force")},
	{"tree/*/lnet/stats", BY("test_ost_stats: test_tree")},
	{"tree/*/stats", rows, NULL}, /* of llite: test_llite too */
	{"tree/*/md_stats", rows, NULL},
	{"tree/*/kbytes*", BY("test_ost_stats: test_tree, as of each target")},
	{"tree/*/version", BY("test_ost_stats: test_tree")},
	{"tree/*/degraded", BY("test_ost_stats: test_tree")},
	{"tree/*/mntdev", BY("test_sysmap: which device a target is on")},
	{"tree/*", BY("parameters that nothing asks for")},
};

#define ROWS (sizeof(table) / sizeof(table[0]))

static size_t used[ROWS], root_len;
static const char *prefix;

static int look(const char *path, const struct stat *st, int type,
		struct FTW *ftw)
{
	char name[512];
	struct slu_buf text = {0};
	size_t i = 0;

	(void)st;
	(void)ftw;
	if (type != FTW_F)
		return 0;
	snprintf(name, sizeof(name), "%s%s", prefix, path + root_len + 1);
	while (i < ROWS && fnmatch(table[i].pattern, name, 0) != 0)
		i++;
	expect(i < ROWS, "in no row of the table: %s", name);
	used[i]++;
	if (!table[i].check)
		return 0;
	expect_ok(slu_file_read(AT_FDCWD, path, 64 << 20, &text, &err), err);
	if (text.len)
		table[i].check(name, text.data);
	slu_buf_free(&text);
	return 0;
}

static void walk(const char *dir, const char *as)
{
	root_len = strlen(dir);
	prefix = as;
	ck_assert_int_eq(nftw(dir, look, 16, FTW_PHYS), 0);
}

START_TEST(test_files_of_all_versions)
{
	const char *there = recorded("lustre");
	char *dir = there ? strdup(there) : NULL, *command;

	if (!dir)
		return;
	command = slu_asprintf("mkdir '%s/tree' && tar -xzf "
			       "'%s/lustre-2.10-proc-sys-tree.tar.gz' -C "
			       "'%s/tree' --no-same-owner",
			       tmpdir(), dir, tmpdir());
	ck_assert_int_eq(system(command), 0);
	walk(dir, "");
	walk(tmpfile_path("tree"), "tree/");
	for (size_t i = 0; i < ROWS; i++)
		expect(used[i] > 0, "no recording is \"%s\"", table[i].pattern);
	printf("%zu values compared\n", values);
	ck_assert_uint_gt(values, 1000);
	free(command);
	free(dir);
}
END_TEST

TEST_MAIN("lustre_files", test_files_of_all_versions)

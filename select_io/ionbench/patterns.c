/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses and formats pattern names; rounds the request sizes of Darshan's logs.
 */
#include "select_io/ionbench/patterns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/size.h"
#include "common/str.h"
#include "job_submit/import/import_formats.h"

#define MAX_WORDS 4
#define MAX_BITS  30 /* requests of up to 1GiB */

const char *slu_bench_key(const struct slu_bench_pattern *p,
			  char out[SLU_BENCH_KEY])
{
	static const char *const unit[] = {"", "KiB", "MiB", "GiB"};
	uint64_t n = p->request;
	int k = 0;

	while (k < 3 && n && n % 1024 == 0) {
		n /= 1024;
		k++;
	}
	snprintf(out, SLU_BENCH_KEY, "%s-%llu%s-%s%s",
		 p->reads ? "read" : "write", (unsigned long long)n, unit[k],
		 p->shared ? "shared" : "fpp", p->strided ? "-strided" : "");
	return out;
}

static int add(struct slu_bench_patterns *out, const char *name,
	       struct slu_bench_pattern p, struct slu_err *err)
{
	struct slu_bench_pattern *grown;

	for (size_t i = 0; i < out->n; i++)
		if (!strcmp(out->pattern[i].name, name))
			return 0;
	if (p.request == 0 || p.request > 1u << MAX_BITS)
		return slu_err(err, SLU_INVALID,
			       "%.64s: requests have 1 byte to 1GiB", name);
	grown = realloc(out->pattern, (out->n + 1) * sizeof(*grown));
	if (grown)
		out->pattern = grown;
	p.name = strdup(name);
	if (!grown || !p.name) {
		free(p.name);
		return slu_err(err, SLU_NOMEM, "out of memory");
	}
	out->pattern[out->n++] = p;
	return 0;
}

/* "write-1MiB-shared-strided"; false: not a name of this kind. */
static bool read_name(const char *name, struct slu_bench_pattern *p)
{
	char *copy = strdup(name), *word[MAX_WORDS];
	size_t n = copy ? slu_split(copy, "-", word, MAX_WORDS) : 0;
	bool ok = n >= 3 && n <= MAX_WORDS &&
		  (!strcmp(word[0], "read") || !strcmp(word[0], "write")) &&
		  slu_size_parse(word[1], &p->request, NULL) == 0 &&
		  (!strcmp(word[2], "shared") || !strcmp(word[2], "fpp")) &&
		  (n == 3 || !strcmp(word[3], "strided") ||
		   !strcmp(word[3], "contiguous"));

	if (ok) {
		p->reads = word[0][0] == 'r';
		p->shared = word[2][0] == 's';
		p->strided = n == 4 && word[3][0] == 's';
	}
	free(copy);
	return ok;
}

static int of_table(const struct slu_patterns *table, size_t i,
		    const char **name, struct slu_bench_pattern *p,
		    struct slu_err *err)
{
	struct slu_ion_manner manner;
	bool reads, writes;

	if (!slu_patterns_meaning(table, i, name, &manner, &reads, &writes))
		return -1;
	*p = (struct slu_bench_pattern){.reads = reads,
					.shared = manner.layout !=
						  SLU_LAYOUT_EACH,
					.strided = manner.access == SLU_STRIDED,
					.request = (uint64_t)manner.request};
	if (reads == writes || !p->request)
		return slu_err(err, SLU_INVALID,
			       "%.64s: the table does not say its op and "
			       "request",
			       *name);
	return 0;
}

static int find(const struct slu_patterns *table, const char *name,
		struct slu_bench_pattern *p, struct slu_err *err)
{
	const char *other;
	struct slu_err why;

	if (read_name(name, p))
		return 0;
	for (size_t i = 0; table && slu_patterns_find(table, name); i++) {
		int rc = of_table(table, i, &other, p, &why);

		if (strcmp(other, name) != 0)
			continue;
		if (rc < 0)
			*err = why;
		return rc;
	}
	return slu_err(err, SLU_INVALID,
		       "\"%.64s\" does not say what it is, as "
		       "write-1MiB-shared or read-32KiB-fpp-strided do, nor "
		       "does a table (--from)",
		       name);
}

int slu_bench_add_list(struct slu_bench_patterns *out, const char *list,
		       const struct slu_patterns *table, struct slu_err *err)
{
	const char *named = strstr(list, "pattern=");
	char *copy = strdup(named ? named + 8 : list), *rest = copy, *word;
	int rc = copy ? 0 : slu_err(err, SLU_NOMEM, "out of memory");

	if (named && copy)
		copy[strcspn(copy, " \t\n")] = '\0';
	while (rc == 0 && (word = strsep(&rest, ", \t\n"))) {
		struct slu_bench_pattern p = {0};

		word[strcspn(word, ":")] = '\0'; /* how much is of no account */
		if (!*word)
			continue;
		rc = find(table, word, &p, err);
		if (rc == 0)
			rc = add(out, word, p, err);
	}
	free(copy);
	return rc;
}

int slu_bench_add_table(struct slu_bench_patterns *out,
			const struct slu_patterns *table, struct slu_err *err)
{
	struct slu_bench_pattern p;
	size_t before = out->n;
	struct slu_err why;
	const char *name;
	int rc = 0;

	for (size_t i = 0; rc == 0; i++) {
		name = NULL;
		if (of_table(table, i, &name, &p, &why) == 0)
			rc = add(out, name, p, err);
		else if (!name)
			break;
	}
	if (rc == 0 && out->n == before)
		return slu_err(err, SLU_NOTFOUND,
			       "no pattern of the table says its op and "
			       "request");
	return rc;
}

/* Rounds to the nearest power of two. */
static uint64_t round_request(double bytes)
{
	double bits = fmin(fmax(round(log2(bytes)), 0), MAX_BITS);

	return (uint64_t)1 << (int)bits;
}

static int take_log(void *arg, const struct slu_import_io *io,
		    struct slu_err *err)
{
	char key[SLU_BENCH_KEY];
	struct slu_bench_pattern p;

	if (io->calls < 1 || io->called_bytes < 1)
		return 0;
	p = (struct slu_bench_pattern){
		.shared = io->shared_bytes * 2 >= io->called_bytes,
		.strided = io->consecutive * 2 < io->calls,
		.request = round_request(io->called_bytes / io->calls)};
	for (int reads = 0; reads < 2; reads++) {
		p.reads = reads;
		if ((reads ? io->read_bytes : io->written_bytes) >= 1 &&
		    add(arg, slu_bench_key(&p, key), p, err) < 0)
			return -1;
	}
	return 0;
}

int slu_bench_add_darshan(struct slu_bench_patterns *out, char *text,
			  size_t len, struct slu_err *err)
{
	struct slu_import import = {.take_io = take_log, .arg = out};
	struct slu_import_report report;
	size_t before = out->n;

	if (slu_import("darshan", text, len, &import, &report, err) < 0)
		return -1;
	if (out->n == before && (report.jobs == 0 || report.broken))
		return slu_err(err, SLU_NOTFOUND,
			       "no log of darshan-parser is in it%s%s",
			       report.broken ? ": " : "",
			       report.broken ? report.named[0] : "");
	return 0;
}

void slu_bench_patterns_free(struct slu_bench_patterns *patterns)
{
	for (size_t i = 0; i < patterns->n; i++)
		free(patterns->pattern[i].name);
	free(patterns->pattern);
	*patterns = (struct slu_bench_patterns){0};
}

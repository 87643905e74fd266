/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the CSV by the titles of its columns, and sorts the runs by start. */
#include "bench/io_runs.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/proc.h"

#define MAX_TEXT ((size_t)1 << 28)
#define COLUMNS	 200

/* Splits a line at its commas, in place. */
static size_t split(char *line, char **field)
{
	size_t n = 0;

	for (char *next; line && n < COLUMNS; line = next) {
		next = strchr(line, ',');
		if (next)
			*next++ = '\0';
		field[n++] = line;
	}
	return n;
}

/* Rows have an index in front that is missing in the header. */
static size_t column(char **header, size_t n, const char *name)
{
	size_t i = 0;

	while (i < n && strcmp(header[i], name) != 0)
		i++;
	return i + 1;
}

struct columns {
	size_t start, end, app, fs, procs, read, written, bandwidth, n;
};

static struct columns find_columns(char *line)
{
	char *field[COLUMNS];
	size_t n = split(line, field);

	return (struct columns){
		column(field, n, "_datetime_start"),
		column(field, n, "_datetime_end"),
		column(field, n, "darshan_app"),
		column(field, n, "_file_system"),
		column(field, n, "darshan_nprocs"),
		column(field, n, "darshan_tot_bytes_read_posix"),
		column(field, n, "darshan_tot_bytes_written_posix"),
		column(field, n, "darshan_agg_perf_by_slowest_posix"),
		n + 1,
	};
}

static bool take_run(char *line, const struct columns *c, struct io_run *run)
{
	char *field[COLUMNS], *slash;

	if (split(line, field) != c->n || !*field[c->bandwidth])
		return false;
	slash = strrchr(field[c->app], '/');
	run->procs = strtod(field[c->procs], NULL);
	snprintf(run->app, sizeof(run->app), "%.40s %.20s %.10s",
		 slash ? slash + 1 : field[c->app], field[c->fs],
		 field[c->procs]);
	run->start = strtod(field[c->start], NULL);
	run->end = strtod(field[c->end], NULL);
	run->read = strtod(field[c->read], NULL);
	run->written = strtod(field[c->written], NULL);
	run->bandwidth = strtod(field[c->bandwidth], NULL);
	return true;
}

static int by_start(const void *a, const void *b)
{
	const struct io_run *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static struct io_run *parse(char *text, size_t *n)
{
	char *save = NULL, *line = strtok_r(text, "\r\n", &save);
	struct columns c = find_columns(line ? line : text);
	struct io_run *run = NULL;
	size_t room = 0;

	*n = 0;
	if (c.app >= c.n || c.read >= c.n || c.written >= c.n ||
	    c.bandwidth >= c.n || c.start >= c.n || c.end >= c.n ||
	    c.fs >= c.n || c.procs >= c.n)
		return NULL;
	while ((line = strtok_r(NULL, "\r\n", &save))) {
		if (*n == room) {
			room = room ? 2 * room : 1024;
			run = realloc(run, room * sizeof(*run));
			if (!run)
				return NULL;
		}
		*n += take_run(line, &c, &run[*n]);
	}
	if (run)
		qsort(run, *n, sizeof(*run), by_start);
	return run;
}

struct io_run *io_runs_load(const char *path, size_t *n, struct slu_err *err)
{
	char *argv[] = {(char[]){"gzip"}, (char[]){"-dcf"},
			(char *)(uintptr_t)path, NULL};
	struct slu_buf text = {.max = MAX_TEXT};
	struct io_run *run = NULL;

	*n = 0;
	if (slu_run(argv, 60, &text, err) == 0 && text.data) {
		run = parse(text.data, n);
		if (!run)
			slu_err(err, SLU_INVALID, "%s: not such a file", path);
	}
	slu_buf_free(&text);
	return run;
}
